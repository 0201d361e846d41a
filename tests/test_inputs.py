"""What a result depends on, and what a change puts out of date: the table of docs/method.md, line by line."""

import collections
import json
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog import files, inputs, languages, locks
from catalog.declarations import Declarations
from referee.languages import literals
from tests.fixtures import fake_repo

REPOSITORY = Path(__file__).resolve().parent.parent


def row_of(repo, name="plain", profile="cpu"):
    declared = Declarations(repo)
    return declared, next(row for row in declared.rows(profile, "cpu", workloads=["toy"]) if row.id == name)


def stale(then, repo, name="plain"):
    """{kind: changed parts} since `then`, {kind: inputs}."""
    declared, row = row_of(repo, name)
    now = inputs.Inputs(declared)
    return {kind: inputs.stale(kind, then[kind], now.of(row, kind)) for kind in then}


def taken(repo, name="plain"):
    declared, row = row_of(repo, name)
    now = inputs.Inputs(declared)
    return json.loads(
        json.dumps({kind: now.of(row, kind) for kind in ("proof", "round", "full")})
    )  # as a record has it


# ------------------------------------------------------------------------------------------------------ the source
@given(st.text(alphabet=st.characters(blacklist_categories=("Cs", "Cc"), blacklist_characters='"\\')))
def test_comments_and_docstrings_do_not_count(words):
    plain = "def f(x):\n    return x + 1\n"
    first = (words.splitlines() or [""])[0]
    told = f'"""{words} ."""\n# {first}\ndef f(x):\n    """{words} ."""\n    return x + 1  # why\n'
    assert languages.canonical(told) == languages.canonical(plain)
    assert languages.canonical(plain) != languages.canonical(plain.replace("1", "2"))


def test_a_source_that_is_no_python_counts_by_its_text():
    assert languages.canonical("%magic\n") == "%magic"


@pytest.mark.parametrize(
    ("language", "source"),
    [
        ("R", 'f <- function(x) {\n  paste("# kept", x, 1L)\n}\n'),
        ("julia", "function f(x)\n    c = '#'\n    string(\"# kept\", x', c)\nend\n"),
    ],
)
def test_comments_and_layout_of_another_language_do_not_count(language, source):
    told = "# why\n\n" + source.replace("\n", "  # what\n").replace("    ", "        ")
    assert languages.canonical(told, language) == languages.canonical(source, language)
    for text, other in (("# kept", "# other"), ("x", "y")):
        assert languages.canonical(source.replace(text, other), language) != languages.canonical(source, language)


def test_settings_of_another_language():
    r = 'DATA <- "full"  # a # b\nSIZE <- 64L; \nRATE <- 0.01\nDROPOUT <- c(0.25, 0.5)\nON = TRUE\nOTHER <- f(2)\nx <- 1'
    expected = {"DATA": "full", "SIZE": 64, "RATE": 0.01, "DROPOUT": [0.25, 0.5], "ON": True, "OTHER": "f(2)"}
    assert languages.settings(r, "R") == expected
    julia = (
        'const DATA = "full"  # a # b\nSIZE = 64\nRATE = 0.01\nDROPOUT = (0.25, 0.5)\nON = true\nOTHER = f(2)\nx = 1'
    )
    assert languages.settings(julia, "julia") == expected


@given(
    st.recursive(
        st.booleans()
        | st.integers(-(2**31) + 1, 2**31 - 1)
        | st.floats(allow_nan=False, allow_infinity=False)
        | st.text(st.characters(min_codepoint=32, max_codepoint=126)),
        lambda values: st.lists(values, min_size=1, max_size=3),
        max_leaves=3,
    ),
    st.sampled_from(sorted(literals.FLAGS)),
)
def test_a_plain_value_reads_as_it_was_written(value, language):
    if language == "R" and isinstance(value, list) and any(isinstance(one, (list, str)) for one in value):
        return  # a vector of R is flat, and of one kind
    assert literals.read(literals.written(value, language), language) == value


DIGESTS = """import hashlib, pathlib, sys
from catalog import inputs, languages
texts = [p.read_text() for p in sorted(pathlib.Path('.').glob('common/**/*.py'))]
for path in sorted(pathlib.Path('.').glob('notebooks/*/*.ipynb')):
    if '"language": "python"' in path.read_text():  # other languages are read with Pygments, which is no part of Python
        texts += [source for _, source in inputs.Notebook(path).cells]
texts.append('''f"{x!r:>{width}} {y['a']} {{}}" f'{z:.2f}' "tail" + f"{x=}" + rf"\\d{n}" ''')
print([hashlib.sha256(languages.canonical(t).encode()).hexdigest() for t in texts])"""


def test_every_python_sees_the_same_source():
    versions = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    others = [next(iter(sorted(versions.glob(f"3.{minor}.*/bin/python"))), None) for minor in (11, 12, 13)]
    others = [str(python) for python in others if python]
    if not others:
        pytest.skip("pyenv has no Python 3.11, 3.12 or 3.13 here")
    environ = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    said = {
        subprocess.run(
            [python, "-c", DIGESTS], cwd=REPOSITORY, env=environ, capture_output=True, text=True, check=True
        ).stdout
        for python in [sys.executable, *others]
    }
    assert len(said) == 1


# ------------------------------------------------------------------------------------------------- what a row sees
def test_a_torn_package_does_not_hide_the_others(tmp_path):
    """An interrupted pip leaves a folder without METADATA."""
    (tmp_path / "torn-1.0.dist-info").mkdir()
    (tmp_path / "whole-2.0.dist-info").mkdir()
    (tmp_path / "whole-2.0.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: Whole\nVersion: 2.0\n")
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n{locks.INSTALLED}"
    assert "\nwhole==2.0\n" in locks.output(sys.executable, code)


def test_the_modules_of_common_that_a_notebook_imports(repo):
    found = set(taken(repo)["round"]["common"])
    assert {"common", "common.timing", "common.batches", "common.data", "common.data.toy", "common.data.files"} <= found
    assert {"referee.proof", "referee.parameters", "referee.weights"} <= found
    assert {"referee.session", "referee.lesson"} <= found
    assert not {"common.plots", "referee.record", "common.data.cifar10", "referee.proof.outputs"} & found


def test_each_module_is_read_once_however_many_lessons_import_it(repo, monkeypatch):
    """Reading and digesting modules once for each lesson took most of the time of --list."""
    read, real = collections.Counter(), Path.read_text
    monkeypatch.setattr(Path, "read_text", lambda path, *a, **k: read.update([path]) or real(path, *a, **k))
    declared = Declarations(repo)
    now = inputs.Inputs(declared)
    for row in declared.rows("cpu", "cpu"):
        for kind in ("proof", "round", "full"):
            now.of(row, kind)
    modules = {path: count for path, count in read.items() if path.relative_to(repo).parts[0] in ("common", "referee")}
    assert repo / "referee" / "session.py" in modules and {*modules.values()} == {1}


def test_parameters_are_the_final_values(repo):
    now = taken(repo)
    assert now["full"]["parameters"] == {
        "DATA": "full", "TRAIN_SAMPLES": 80, "BATCH_SIZE": 4, "EPOCHS": 3, "LEARNING_RATE": 1e-4, "SEED": 0, "SECONDS": 0,
        "DEVICE": "cpu", "PRECISION": "fp32", "COMPILE": False,
    }  # fmt: skip
    assert now["round"]["parameters"]["SECONDS"] == 20
    assert now["proof"]["parameters"]["TRAIN_SAMPLES"] == 8 and now["proof"]["parameters"]["DATA"] == "sample"


def test_only_parameters_that_the_notebook_knows_are_handed_to_it(repo):
    declared, row = row_of(repo)
    fake_repo.write_notebook(repo, "one", parameters="EPOCHS = 2\nOTHER = 3")
    assert inputs.Inputs(declared).parameters(row, "round") == {"EPOCHS": 3, "SECONDS": 20}


def test_a_notebook_in_another_language(repo):
    path = repo / "notebooks" / "toy" / "one.ipynb"
    content = fake_repo.notebook(parameters="EPOCHS <- 2\nSEED = 1;", train="f <- function(x) x # f")
    content["metadata"]["language_info"]["name"] = "R"
    path.write_text(json.dumps(content))
    notebook = inputs.Notebook(path)
    assert notebook.parameters == {"EPOCHS": 2, "SEED": 1, "SECONDS": 0}
    before = notebook.digests()
    fake_repo.edit(path, "x # f", "x # g")
    assert inputs.Notebook(path).digests() == before
    fake_repo.edit(path, "x # g", "y # g")
    assert inputs.Notebook(path).digests()["train"] != before["train"]


def test_an_interpreter_of_ones_own_says_what_is_installed(repo):
    declared, row = row_of(repo, "two")
    found = inputs.Inputs(declared, sys.executable).of(row, "round")["environment"]
    names = [pin.split("==")[0] for pin in found["packages"]]
    assert found["lock"] is None and found["python"] == ["{}.{}".format(*sys.version_info)]
    assert {"papermill", "nbclient", "jupyter-client"} <= set(names) and "torch" not in names


# ---------------------------------------------------------------------------------------------------- out of date
def cell(tag, source):
    return lambda repo: fake_repo.write_notebook(repo, "one", **{tag: source})


def add(path, line):
    def change(repo):
        with open(repo / path, "a") as file:
            file.write(line)

    return change


def look_different(repo):
    path = repo / "notebooks" / "toy" / "one.ipynb"
    content = json.loads(path.read_text())
    content["cells"][0]["source"] = "# another title"
    content["cells"][-1]["outputs"] = [{"output_type": "stream", "name": "stdout", "text": "hello"}]
    path.write_text(json.dumps(content))


def another_workload(repo):
    shutil.copytree(repo / "notebooks" / "toy", repo / "notebooks" / "other")


def toml(old, new, name="frameworks.toml"):
    return lambda repo: fake_repo.edit(repo / name, old, new)


TRAIN_STEP, PARAMETERS = fake_repo.CELLS["train_step"], fake_repo.CELLS["parameters"]
NOTHING = [
    ("a sentence and an output", look_different),
    ("a comment in a cell", cell("train_step", TRAIN_STEP.replace("        def", "        # why\n        def"))),
    ("a cell tagged show", cell("show", "picture = 1")),
    ("what stands behind the lesson's run", cell("more", "restored = 1")),
    ("a default that the row overrides", cell("parameters", PARAMETERS.replace("EPOCHS = 10", "EPOCHS = 7"))),
    ("a plot", add("common/plots.py", "\nCOLOUR = 'red'\n")),
    ("the record's looks", add("referee/record.py", "\nCOLOUR = 'red'\n")),
    ("a comment in common", add("common/timing.py", "\n# a comment\n")),
    ("another data set", add("common/data/other.py", "x = 1\n")),
    ("another workload", another_workload),
    ("another environment's variable", toml('OLD = "1"', 'OLD = "2"')),
    ("a package that the row does not use", lambda repo: fake_repo.write_lock(repo, "main", pandas="3.1")),
    ("another environment's lock", lambda repo: fake_repo.write_lock(repo, "old", numpy="2.1")),
    ("another Python beside those that will do", toml('"3.12", "3.13"', '"3.12", "3.13", "3.14"')),
]
PROOF = [
    ("the reference", lambda repo: (repo / "notebooks/toy/reference/results.npz").write_bytes(b"new"), "reference"),
    ("the proof's module", add("referee/proof/__init__.py", "\nx = 1\n"), "referee.proof"),
]
ROUND = [
    ("the setup", cell("setup", "import numpy as np\nx = 1"), "cell setup"),
    ("the check", add("notebooks/toy/checks/one.py", "x = 1\n"), "cell check"),
    ("the session", add("referee/session.py", "\nx = 1\n"), "referee.session"),
    ("a module of common", add("common/timing.py", "\nx = 1\n"), "common.timing"),
    ("the data set's module", add("common/data/toy.py", "\nx = 1\n"), "common.data.toy"),
    ("a module that another imports", add("common/batches.py", "\nx = 1\n"), "common.batches"),
    ("a variable", toml("caches =", 'variables = { NEW = "1" }\ncaches ='), "variable NEW none -> 1"),
    (
        "the row's own variable",
        toml("plain = { ", 'plain = { variables = { NEW = "1" }, ', "notebooks/toy/workload.toml"),
        "variable NEW none -> 1",
    ),
    ("a cache", toml("{scratch}/toy", "{scratch}/toys"), "cache CACHE {scratch}/toy -> {scratch}/toys"),
    ("the Python", toml('["3.11", "3.12", "3.13"]', '"3.14"'), "Python 3.11 or 3.12 or 3.13 -> 3.14"),
]
FULL = [
    ("the training step", cell("train_step", TRAIN_STEP.replace("rate *", "2 * rate *")), "cell train_step"),
    ("the data", cell("data", fake_repo.CELLS["data"].replace("DATA", "'full'")), "cell data"),
    ("a default", cell("parameters", PARAMETERS.replace("SIZE = 4", "SIZE = 5")), "parameter BATCH_SIZE 4 -> 5"),
    ("the row's own parameter", toml("COMPILE = false", "COMPILE = true"), "parameter COMPILE False -> True"),
    ("the framework's version", lambda r: fake_repo.write_lock(r, "main", numpy="2.1"), "package numpy 2.0 -> 2.1"),
]  # fmt: skip


@pytest.mark.parametrize("change", [c for _, c in NOTHING], ids=[name for name, _ in NOTHING])
def test_nothing_is_out_of_date_after(repo, change):
    then = taken(repo)
    change(repo)
    assert stale(then, repo) == {"proof": [], "round": [], "full": []}


@pytest.mark.parametrize(("change", "part"), [c[1:] for c in PROOF], ids=[c[0] for c in PROOF])
def test_the_proof_alone_is_out_of_date_after(repo, change, part):
    then = taken(repo)
    change(repo)
    assert stale(then, repo) == {"proof": [part], "round": [], "full": []}


@pytest.mark.parametrize(("change", "part"), [c[1:] for c in ROUND], ids=[c[0] for c in ROUND])
def test_rounds_and_proof_are_out_of_date_after(repo, change, part):
    then = taken(repo)
    change(repo)
    assert stale(then, repo) == {"proof": [part], "round": [part], "full": []}


@pytest.mark.parametrize(("change", "part"), [c[1:] for c in FULL], ids=[c[0] for c in FULL])
def test_the_full_run_too_is_out_of_date_after(repo, change, part):
    then = taken(repo)
    change(repo)
    assert stale(then, repo) == {"proof": [part], "round": [part], "full": [part]}


def test_the_full_run_alone_is_out_of_date_after_the_lessons_own_run_changed(repo):
    then = taken(repo)
    cell("run", fake_repo.CELLS["run"] + "\nx = 1")(repo)
    assert stale(then, repo) == {"proof": [], "round": [], "full": ["cell run"]}


def test_the_small_samples_count_where_they_are_used(repo):
    then = taken(repo)
    (repo / "common" / "data" / "toy.npz").write_bytes(b"others")
    assert stale(then, repo) == {"proof": ["data", "reference"], "round": [], "full": []}


def test_a_package_that_the_framework_needs(repo):
    then = taken(repo, "two")
    fake_repo.write_lock(repo, "old", numpy="2.1")
    part = "package numpy 2.0 -> 2.1"
    assert stale(then, repo, "two") == {"proof": [part], "round": [part], "full": []}


@pytest.mark.parametrize(
    ("part", "counted"),
    [
        ("cell loader", {"proof", "round", "full"}),  # of a lesson that reads files
        ("cell devices", {"proof", "round"}),
        ("cell synthetic", set()),
        ("referee.files.session", {"proof", "round"}),
        ("referee.files.prove", {"proof"}),
        ("referee.files.augmentation", {"proof"}),
    ],
)
def test_what_counts_of_a_lesson_that_reads_files(part, counted):
    declared = Declarations(REPOSITORY)
    row = next(r for r in declared.rows("cpu", "cpu", workloads=["densenet_chestxray"]) if r.id == "pytorch")
    found = inputs.Inputs(declared)
    for kind in ("proof", "round", "full"):
        then = json.loads(json.dumps(now := found.of(row, kind)))
        side = then["cells"] if part.startswith("cell ") else then["common"]
        assert (name := part.removeprefix("cell ")) in side
        side[name] = "another"
        assert bool(inputs.stale(kind, then, now)) == (kind in counted), kind


def test_what_a_timed_round_changes_does_not_touch_the_full_run(repo):
    then = taken(repo)
    toml("SECONDS = 20", "SECONDS = 30", "notebooks/toy/workload.toml")(repo)
    assert stale(then, repo) == {"proof": [], "round": ["parameter SECONDS 20 -> 30"], "full": []}


# --------------------------------------------------------------------------------------------- changes that are none
def test_a_declared_change_puts_nothing_out_of_date(repo):
    then, path = taken(repo), repo / "common" / "timing.py"
    add("common/timing.py", "\nx = 1\n")(repo)
    cell("setup", "import numpy as np\nx = 1")(repo)
    assert stale(then, repo)["round"] == ["cell setup", "common.timing"]
    now = taken(repo)["round"]
    parts = [("common.timing", "common"), ("setup", "cells")]
    lines = [
        f'{{ part = "{"cell " * (where == "cells")}{name}", then = "{then["round"][where][name]}", '
        f'now = "{now[where][name]}" }}'
        for name, where in parts
    ]
    (repo / "results").mkdir()
    (repo / "results" / "equivalences.toml").write_text(
        f"[[change]]\nbut = ['toy/heavy']\nparts = [{', '.join(lines)}]\n"
    )
    declared, row = row_of(repo)
    found = inputs.Inputs(declared)
    known, again = found.equal(row), found.of(row, "round")
    assert found.equal(replace(row, name="heavy")) == {}, "it counts for this row"
    assert inputs.stale("round", then["round"], again, known) == []
    assert inputs.stale("round", again, again, known) == []
    path.write_text(path.read_text() + "\ny = 1\n")  # another change counts
    later = inputs.Inputs(declared).of(row, "round")
    assert inputs.stale("round", then["round"], later, known) == ["common.timing"]


def test_a_module_that_moves_is_the_same_under_its_new_name():
    then = {"cells": {}, "common": {"common.old": "1", "common": inputs.EMPTY}}
    known = {("common.old", "1"): ("referee.new", "2"), ("referee.new", "2"): ("referee.new", "3")}
    assert inputs.renewed(then, known)["common"] == {"referee.new": "3"}


def test_every_declared_change_is_needed_and_measured():
    """An entry that no published record needs any more goes, and so does one that leads to nothing of today."""
    import tomllib

    path = REPOSITORY / "results" / "equivalences.toml"
    held, today = set(), set()
    for file in REPOSITORY.glob("results/published/*/*/*.jsonl"):
        for line in file.read_text().splitlines():
            found = json.loads(line)["inputs"]
            held |= {(f"cell {tag}", one) for tag, one in found["cells"].items()} | {*found["common"].items()}
    for notebook in REPOSITORY.glob("notebooks/*/*.ipynb"):
        today |= {(f"cell {tag}", one) for tag, one in inputs.Notebook(notebook).digests().items()}
    for package in ("common", "referee"):
        for module in (REPOSITORY / package).rglob("*.py"):
            name = ".".join(module.relative_to(REPOSITORY).with_suffix("").parts).removesuffix(".__init__")
            today.add((name, inputs.digest(languages.canonical(module.read_text()))))
    rows = {f"{row.workload}/{row.name}" for row in Declarations(REPOSITORY).rows("cpu", "cpu")}
    for change in tomllib.loads(path.read_text())["change"] if path.exists() else []:
        assert change["what"] and change["reason"]
        proofs_alone = all(f"{part['part']}.".startswith(inputs.PROOFS) for part in change["parts"])
        assert proofs_alone or len(change["paired"]) >= 2
        assert {*change.get("but", [])} <= rows, "no such row"
        for file in change.get("paired", []):
            measured = json.loads((path.parent / file).read_text())
            assert measured["smallest"] <= 1 <= measured["largest"] and len(measured["ratios"]) >= 6
        starts = {(part["part"], part["then"]) for part in change["parts"]}
        for part in change["parts"]:
            assert (part["part"], part["then"]) in held, part
            end = part.get("became", part["part"]), part["now"]
            assert end in today or end in starts, part


@pytest.mark.parametrize("digests", ["11", "12 21", "12 23 31"])
def test_a_declared_change_that_leads_back_is_named(repo, digests):
    parts = [f'{{ part = "common.timing", then = "{a}", now = "{b}" }}' for a, b in digests.split()]
    (repo / "results").mkdir(exist_ok=True)
    changes = "\n".join(f"[[change]]\nparts = [{part}]" for part in parts)
    (repo / "results" / "equivalences.toml").write_text(changes)
    with pytest.raises(files.BrokenFile, match="common.timing becomes what it was"):
        inputs.Inputs(Declarations(repo))
