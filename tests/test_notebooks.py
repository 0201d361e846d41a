"""The notebooks: their contract, their template cells, and whether their proofs can fail."""

import ast
import importlib
import json
import re
import runpy
import statistics
import subprocess
from pathlib import Path

import nbformat
import numpy as np
import pytest

from runner import environments
from tests import cells, kernels, lessons, paste, sample
from tests.plant import planted

ROOT = Path(__file__).resolve().parent.parent
# Those that prove and time themselves; the others are lessons, and tests/test_lessons.py is about them.
NOTEBOOKS = [path for path in sorted(ROOT.glob("notebooks/*/*.ipynb")) if path not in lessons.LESSONS]
# The bootstrap cell, the same everywhere.
BOOTSTRAP = """try:
    import common  # the runner's kernels know the path
except ImportError:  # else it is a folder above this notebook
    import pathlib, sys
    sys.path[:0] = [str(p) for p in pathlib.Path.cwd().parents if (p / "referee" / "record.py").exists()]
    import common  # not found? Set PYTHONPATH to the project's folder"""
TEXT = 120  # words of an introduction
PLANTS = 8  # plants of the default sample


def name_of(path):
    return f"{path.parent.name}-{path.stem}"


every = pytest.mark.parametrize("path", NOTEBOOKS, ids=name_of)


def read(path):
    notebook = nbformat.read(path, 4)
    nbformat.validate(notebook)
    return notebook


def workload(path):
    return kernels.declarations().workloads[path.parent.name]


def code(path):
    return [cell for cell in read(path).cells if cell.cell_type == "code"]


def tagged(path, *tags):
    return [source for source, found in cells.code_cells(path) if set(found) & set(tags)]


def sections(path):
    """{heading: its markdown}, "" for what stands before the first."""
    text, found = "", {}
    for cell in read(path).cells:
        if cell.cell_type == "markdown":
            text += cell.source + "\n"
    parts = re.split(r"^## (.+)$", text, flags=re.MULTILINE)
    found[""] = parts[0]
    found.update(zip(parts[1::2], parts[2::2], strict=True))
    return found


# ---- the contract of every notebook


@every
def test_headings_in_their_order(path):
    found = sections(path)
    assert list(found)[1:] == workload(path).headings
    title = re.match(r"# (.+): \w", found[""]).group(1)
    assert workload(path).title.startswith(title)
    assert "](README.md)" in found[""], "the side-by-side page is linked"


@every
def test_every_cell_has_one_tag_of_the_contract(path):
    allowed = cells.TRAINING if workload(path).proof == "training" else cells.INFERENCE
    found = [tags for _, tags in cells.code_cells(path)]
    assert all(len(tags) == 1 and tags[0] in allowed for tags in found), found
    order = [tags[0] for tags in found]
    assert (
        order.count("parameters") == order.count("record") == 1 and order[0] == "parameters" and order[-1] == "record"
    )
    optional = {"data", "model", "show"} if workload(path).proof in ("outputs", "calls") else set()
    assert set(allowed) - optional <= set(order), set(allowed) - optional - set(order)


@every
def test_the_bootstrap_is_the_same_everywhere(path):
    first, second = tagged(path, "bootstrap")
    assert first == BOOTSTRAP
    assert f'parameters.settings("{path.parent.name}", globals())' in second and "from referee import" in second
    others = [source for source, tags in cells.code_cells(path) if "bootstrap" not in tags]
    assert not any(re.search(r"^(import|from) (common|referee)\b", source, re.MULTILINE) for source in others)


@every
def test_no_round_needs_a_cell_that_it_leaves_out(path):
    assert cells.name_mistakes(cells.code_cells(path)) == []


@every
def test_stored_outputs_are_clean(path):
    for cell in code(path):
        for output in cell.outputs:
            text = json.dumps(output)
            assert output.output_type != "error", text
            assert not (output.output_type == "stream" and output.name == "stderr"), text[:300]
            assert not re.search(r"warning:|Traceback", text, re.IGNORECASE), text[:300]
            assert not re.search(r"(?<![\w./<~-])/(home|root|tmp|work|usr|opt)/\w", text), text[:300]
            if "image/png" in output.get("data", {}):
                alternative = output.data.get("text/plain", "")
                assert len(alternative) > 15 and " at 0x" not in alternative and "<Figure" not in alternative, (
                    alternative
                )


@every
def test_a_run_trains_on_the_data_and_in_the_orders_that_it_is_given(path):
    if workload(path).proof == "training":
        assert cells.run_mistakes(cells.code_cells(path)) == []


@every
def test_cells_are_short_and_narrow(path):
    sources = [cell.source for cell in code(path)]
    counted = [re.sub(r"^from (common|referee)\b.*$", "", source, flags=re.MULTILINE) for source in sources]
    lengths = [len([line for line in source.splitlines() if line.strip()]) for source in counted]
    assert statistics.median(lengths) <= 8, sorted(lengths)
    assert max(len(source.splitlines()) for source in sources) <= 30
    assert max(len(line) for source in sources if source != BOOTSTRAP for line in source.splitlines()) <= 100
    assert not [source for source in sources if re.search(r"^\s*[%!]", source, re.MULTILINE)], "no magics"


@every
def test_a_notebook_is_small(path):
    assert path.stat().st_size <= 120 * 1024


@every
def test_an_introduction_is_short_and_helps_to_migrate(path):
    text = sections(path)[""]
    table = [line for line in text.splitlines() if line.startswith("|")]
    words = " ".join(line for line in text.splitlines() if not line.startswith(("|", "#"))).split()
    assert len(words) <= TEXT, len(words)
    assert 3 <= len(table) <= 12, "a heading, a rule, at most ten lines"


@every
def test_sections_explain_and_link_the_documentation(path):
    found = sections(path)
    for heading in ("Data", "Model", "Loss and optimizer", "Training", "Evaluation"):
        if heading in found:
            assert "](https://" in found[heading], f"{heading} links no documentation"
            assert len(found[heading].split()) >= 10, heading
    assert 2 <= len([line for line in found["Next"].splitlines() if line.strip()]) <= 4 if "Next" in found else True


@every
def test_parameters_are_plain_explained_and_those_of_the_published_run(path):
    (cell,) = tagged(path, "parameters")
    work, values = workload(path), {}
    exec(cell, values)
    names = [node.targets[0].id for node in ast.parse(cell).body]
    assert all(
        isinstance(node, ast.Assign) and isinstance(node.value, (ast.Constant, ast.UnaryOp))
        for node in ast.parse(cell).body
    ), "plain values"
    for line in cell.splitlines():
        assert re.match(r"[A-Z_]+ = .*\S  +# \S", line), f"no comment: {line}"
    assert "RECORD_PATH" in names
    kernels.declarations().check_parameters(work, {name: values[name] for name in names})
    defaults = []  # those of a published run, on a GPU or on a CPU
    for profile in ("gpu", "cpu"):
        row = kernels.row_of(path, profile, profile)
        if row is not None:
            published = {**work.profiles[profile]["parameters"], **(work.profiles[profile]["part"] if row.part else {})}
            defaults.append({n: v for n, v in published.items() if n in values})
    assert any({n: values[n] for n in published} == published for published in defaults), defaults


@every
def test_template_cells_need_no_other_cell(path):
    found, template = cells.code_cells(path), {*cells.TEMPLATE, "infer"}
    assert cells.name_mistakes([(source, tags if set(tags) & template else ["proof"]) for source, tags in found]) == []
    text = "\n".join(source for source, tags in found if set(tags) & template)
    assert not re.search(r"\b(common|perf_counter|time\.time)\b", re.sub(r"#.*", "", text))


@every
def test_a_notebook_without_outputs_says_so(path):
    notebook = json.loads(path.read_text(encoding="utf-8"))
    without = not any(cell.get("outputs") for cell in notebook["cells"])
    assert ("Stored without outputs" in "".join(notebook["cells"][0]["source"])) == without


@every
def test_no_cell_writes_to_dev_null(path):
    # MXNet's profiler replaces the file it is given: run as root, it left a plain file in place of the device
    assert not [source for source, _ in cells.code_cells(path) if re.search(r"devnull|/dev/null", source)]


def test_the_test_of_cells_sees_what_it_is_made_for():
    good = [
        ("x_train, y_train, x_test, y_test = load()", ["data"]),
        (
            "def train_epoch(model, optimizer, x, y, order): pass\ndef evaluate(model, x, y): pass\nmodel = Run = 1",
            ["train"],
        ),
        (
            "run = Run\nfor order in run:\n    run.done(train_epoch(model, 1, x_train, y_train, order))\n"
            "    evaluate(model, x_test, y_test)",
            ["run"],
        ),
        ("print(run)", ["record"]),
        ("def load(): pass", ["setup"]),
    ]
    assert cells.mistakes(good) == []
    for text, replacement, said in [
        ("x_train, y_train, order", "x_train, y_train[::-1], order", "must call train_epoch"),
        ("x_train, y_train, order", "x_test, y_test, order", "must call train_epoch"),
        ("x_train, y_train, order", "x_train, y_train, 5", "must hand each order"),
        ("x_train, y_train, order", "x_train, y_train, np.sort(order)", "must hand each order"),
        ("x_train, y_train, order", "x_train, y_train, sorted(order)", "must hand each order"),
        ("model, x_test, y_test", "model, x_test[:128], y_test[:128]", "must call evaluate"),
        ("model = Run = 1", "model = Run = 1\ny_train = y_train[::-1]", "tagged train changes y_train"),
        ("run = Run\n", "run = Run\ny_train[:] = 0\n", "tagged run changes y_train"),
        ("in run:", "in list(run)[:2]:", "must hand each order"),
    ]:
        changed = [(source.replace(text, replacement), tags) for source, tags in good]
        assert changed != good and any(said in sentence for sentence in cells.mistakes(changed)), text
    proof = [("losses = 1", ["proof"]), ("print(losses)", ["record"])]
    assert "needs losses" in cells.name_mistakes(proof)[0]
    local = ("def train_epoch():\n    losses = []\n    return losses", ["train"])  # another name of the same spelling
    assert "needs losses" in cells.name_mistakes([local, *proof])[0]


# ---- what executes cells


def run(arguments, folder, kernel, **environ):
    """(stdout, status, stderr) of a kernel's interpreter, which sees the project only where PYTHONPATH says so."""
    python, variables = kernel
    done = subprocess.run(
        [python, *arguments], cwd=folder, env={**variables, **environ}, capture_output=True, text=True
    )
    return done.stdout, done.returncode, done.stderr


def kernel_of(path):
    """The interpreter of a notebook's environment; skips where this machine cannot have it."""
    try:
        return kernels.of(kernels.environment_of(path))
    except environments.Broken:
        raise
    except environments.Unavailable as reason:
        pytest.skip(str(reason))


def in_the_sample(request, path):
    """Whether a notebook's cells are pasted today."""
    return request.config.getoption("--everything") or sample.pasted(path, request.config.getoption("--rotation"))


@every
@pytest.mark.notebooks
def test_template_cells_work_when_pasted_elsewhere(path, tmp_path, request):
    if not in_the_sample(request, path):
        pytest.skip("not in today's sample; --everything runs all")
    module = importlib.import_module(f"tests.paste.{path.parent.name}")
    call = getattr(module, "CALL", paste.TRAINING)
    pasted = "\n".join(["import numpy as np", module.DATA, module.FRAMEWORKS[path.stem], call])
    template = tagged(path, *cells.TEMPLATE, "infer")
    script = tmp_path / "pasted.py"
    script.write_text(
        "\n\n".join([*template, pasted, "print(json_text([[float(v) for v in values], float(share)]))"]).replace(
            "json_text(", "__import__('json').dumps("
        )
    )
    out, status, error = run([str(script)], tmp_path, kernel_of(path))
    assert status == 0, error[-3000:]
    values, share = json.loads(out.splitlines()[-1])
    assert np.isfinite(values).all() and 0 <= share <= 1
    if workload(path).proof == "training":
        assert np.mean(values[-3:]) < values[0], "the loss falls on one batch"


def plants():
    """[(notebook, module of its plants, name of a plant)] of all notebooks."""
    found = []
    for path in NOTEBOOKS:
        module = ROOT / "tests" / "plants" / f"{path.parent.name}_{path.stem}.py"
        if module.exists():
            found += [(path, module, name) for name in runpy.run_path(str(module))["PLANTS"]]
    return found


def test_every_workload_has_plants():
    """Each notebook, NumPy's too: it computes the reference, but its row is measured like any other."""
    assert set(NOTEBOOKS) == {path for path, _, _ in plants()}


def test_every_plant_changes_text_that_is_in_its_notebook():
    for path, module, name in plants():
        found = cells.code_cells(path)
        changes, expected = runpy.run_path(str(module))["PLANTS"][name]
        assert planted(found, list(changes)) != found and re.compile(expected), f"{module.name}: {name}"


@pytest.mark.notebooks
def test_planted_mistakes_are_noticed(request):
    """A sample by rotation; with --everything all, and the notebooks without a plant, too."""
    everything, number = request.config.getoption("--everything"), request.config.getoption("--rotation")
    chosen, tried, wrong = {}, [], {}
    for path, module, name in plants() if everything else sample.turned(plants(), number, PLANTS):
        chosen.setdefault((path, module), ["none"] if everything else []).append(name)
    for (path, module), names in chosen.items():
        try:
            kernel = kernels.of(kernels.environment_of(path))
        except environments.Broken:
            raise
        except environments.Unavailable as reason:
            print(f"{name_of(path)}: {reason}")
            continue
        tried.append(path)
        for name, answer in plant(path, module, names, kernel).items():
            if not answer["as_expected"]:
                wrong[f"{name_of(path)}: {name}"] = answer
    assert not wrong, json.dumps(wrong, indent=1)
    if not tried:
        pytest.skip("this machine can have none of these plants' environments")


def plant(path, module, names, kernel):
    """The answers of plant.py for some plants of one notebook, on the samples of the profile quick.

    What a row chooses, such as a form or a backend, is left as the notebook has it: a plant may change it.
    """
    parameters = {
        **kernels.declarations().workloads[path.parent.name].profiles["quick"]["parameters"],
        "RECORD_PATH": "",
    }
    (cell,) = tagged(path, "parameters")
    own = {node.targets[0].id for node in ast.parse(cell).body}
    words = [f"{key}={json.dumps(value)}" for key, value in parameters.items() if key in own]
    only = [word for name in names for word in ("--only", name)]
    command = [str(ROOT / "tests" / "plant.py"), str(path), str(module), *words, *only]
    out, status, error = run(command, path.parent, kernel, PYTHONPATH=str(ROOT))
    assert status in (0, 1) and out.strip(), error[-3000:]
    return json.loads(out.splitlines()[-1])


@pytest.mark.notebooks
def test_a_plant_that_is_not_in_the_notebook_is_an_error(tmp_path):
    module = tmp_path / "plants.py"
    module.write_text('PLANTS = {"gone": ([("no such text in any cell", "")], "x")}')
    path = NOTEBOOKS[0]
    answer = plant(path, module, ["gone"], kernel_of(path))["gone"]
    assert not answer["as_expected"] and "not in the notebook" in answer["message"]
