"""The runner on a repository in miniature: what is planned, what is resumed, and every fault it has to live through."""

import collections
import contextlib
import errno
import json
import os
import random
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import jsonschema
import numpy as np
import psutil
import pytest

from catalog import checkout, locks
from catalog.declarations import Declarations
from runner import __main__ as cli
from runner import batch, environments, job
from runner.hosts import alone, machine
from tests.fixtures import fake_repo

REPOSITORY = Path(__file__).resolve().parent.parent
SCHEMA = json.loads((REPOSITORY / "referee" / "record.schema.json").read_text())
HERE = ["--python", sys.executable, "--label", "here"]
FACTS = {"label": "here", "cpu": "A", "family": "1", "model": "2", "flags": ["avx2"], "physical_cores": 1, "gpu": None}
# main() on another root, as a process of its own, so that signals and locks are real
CHILD = "import sys; from tests.test_runner import child; sys.exit(child(sys.argv[1], sys.argv[2:]))"


def quietly(patch, lock):
    """Interpreters are asked, peaks measured and pages drawn elsewhere; the lock is one of the test's own."""
    installed = "# 3.11\nnumpy==2.0\n    # via papermill\npapermill==2.0\n"
    patch.setattr(locks, "output", lambda python, code, *more: installed if code == locks.INSTALLED else sys.prefix)
    patch.setattr(environments, "probe", lambda python, snippet, *more, **options: said_by(snippet))
    patch.setattr(environments, "missing_modules", lambda python, modules: {*modules} & {"no_such_framework"})
    for name in ("measure", "peak"):
        patch.setattr(machine, name, lambda device, threads, *what: {"by": "nobody", **dict.fromkeys(what, 1e15)})
    patch.setattr(machine, "facts", lambda label, device: {**FACTS, "label": label})
    patch.setattr(machine, "cpu", lambda: {"flags": FACTS["flags"]})
    patch.setattr(machine, "has_gpu", lambda: True)
    patch.setattr(checkout, "commit", lambda root: "0123456789ab")
    patch.setattr(cli, "report", lambda root, *arguments: print("report", *arguments[:1]) or 0)
    patch.setattr(alone, "places", lambda results: [lock])


def said_by(snippet):
    """What an interpreter says: the snippets of the fixture assert or raise, those of the runner pass."""
    return snippet.split("'")[1] if snippet.startswith(("assert False", "raise")) else ""


def child(root, argv):
    """What a process of its own runs."""
    patch = pytest.MonkeyPatch()
    quietly(patch, Path(root).parent / "lock")
    return cli.main([*HERE, *argv], root=Path(root))


def start(root, *argv):
    """Starts the runner in a process of its own."""
    environ = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    command = [sys.executable, "-c", CHILD, str(root), *argv]
    return subprocess.Popen(command, env=environ, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def own_part(fields):
    """What a right run leaves."""
    promised = fields["inputs"]["parameters"]
    samples = promised["EPOCHS"] * promised["TRAIN_SAMPLES"]
    steps = promised["EPOCHS"] * -(-promised["TRAIN_SAMPLES"] // promised["BATCH_SIZE"])
    part = {"passed": True, "error": 0.0, "bound": 1.0, "where": "step 0", "text": "loss at step 0: off by 0"}
    return {
        "data": None, "versions": {"numpy": "2.0"}, "threads": {"given": 1, "busy": 1.0, "pools": []}, "tables": {},
        "parameters": promised,
        "measurements": {"training rate": {"unit": "1/s", "values": [90.0, 100.0, 110.0]}},
        "proof": {"kind": "training", "passed": True, "parts": dict.fromkeys(fields["referee"]["parts"], part)} if fields["proves"] else None,
        "run": {"samples": samples, "steps": steps, "weights": fields["weights"]},
    }  # fmt: skip


class Executor:
    """Stands for the kernels: leaves what a right run would, and remembers what it was handed.

    wrong: {row: reason}; dies: rows whose job leaves no record.
    """

    def __init__(self):
        self.jobs, self.wrong, self.dies, self.workers = [], {}, set(), None

    def __call__(self, jobs, workers):
        self.workers = workers
        for one, content in jobs:
            fields = json.loads(json.dumps(content))
            assert set(fields) == {*job.KEPT, *job.NEEDED}
            self.jobs.append(fields)
            if fields["row"] in self.dies:
                yield one, content, -9
                continue
            reason = self.wrong.get(fields["row"]) or job.doubt(fields, own_part(fields), {})
            status = "failed" if reason else "ok"
            notebook = Path(fields["record"]).parent / ".run.ipynb"
            notebook.parent.mkdir(parents=True, exist_ok=True)
            notebook.write_text(json.dumps([status, len(self.jobs)]))
            probe = {"before": 1e15, "after": 1e15 + len(self.jobs), "unit": "FLOP/s", "by": "nobody"}
            given = dict(wall=60.0, probe=None if fields["probe"] is None else probe)
            record = job.assemble(fields, status, reason, None if reason else own_part(fields), **given)
            jsonschema.validate(record, SCHEMA)
            job.keep(record, Path(fields["record"]), notebook)
            yield one, content, job.NOT_OK if reason else 0

    @property
    def names(self):
        return [Path(fields["record"]).name.removesuffix(".json") for fields in self.jobs]


@pytest.fixture
def repo(tmp_path, monkeypatch):
    quietly(monkeypatch, tmp_path / "lock")
    return fake_repo.make(tmp_path / "repo")


@pytest.fixture
def fake(monkeypatch):
    executor = Executor()
    monkeypatch.setattr(batch, "execute", executor)
    return executor


def results(repo, column="quick-cpu"):
    return repo / "results" / "local" / "here" / column / "toy"


def run(repo, *argv):
    return cli.main([*HERE, *argv], root=repo)


def record(repo, name, column="quick-cpu"):
    return json.loads((results(repo, column) / f"{name}.json").read_text())


def files_of(repo, column="quick-cpu"):
    return sorted(path.name for path in results(repo, column).glob("*.json"))


# ------------------------------------------------------------------------------------------------------- options
@pytest.mark.parametrize(
    ("argv", "names"),
    [
        (["--workload", "nope"], ["toy"]),
        (["--framework", "nope"], ["one, two"]),
        (["--row", "nope"], ["plain", "two-bf16"]),
        (["--row", "nope/two"], ["plain", "two-bf16", "'nope/two'"]),
        (["--why", "nope"], ["plain", "two-bf16"]),
        (["--precision", "nope"], ["fp32", "bf16"]),
        (["--profile", "nope"], ["quick", "cpu"]),
        (["--device", "nope"], ["cpu", "gpu"]),
        (["--nope"], ["unrecognized arguments: --nope"]),
        (["--prof=quick"], ["unrecognized arguments: --prof=quick"]),
        (["nope"], ["report"]),
        (["job"], ["one file"]),
        (["--rounds", "-1"], ["at least 0"]),
        (["--jobs", "0"], ["at least 1"]),
        (["--jobs", "2"], ["--check", "--rounds 0"]),
        (["--jobs", "2", "--rounds", "3"], ["cannot be timed"]),
        (["--jobs", "2", "--check", "--device", "gpu"], ["--jobs: 1 on a GPU"]),
        (["--label", "../up"], ["plain name"]),
        (["--label", ".x"], ["plain name"]),
        (["--label", "my laptop"], ["plain name"]),
        (["--seed", "3", "--check"], ["--seed"]),
        (["--seed", "-1"], ["--seed"]),
        (["--set", "DEVICE=gpu"], ["--set"]),
        (["--set", "PRECISION=bf16"], ["--set"]),
        (["--set", "EPOCHS"], ["NAME=VALUE"]),
        (["--publish", "--set", "EPOCHS=2"], ["--set"]),
        (["--framework", "one", "--precision", "bf16"], ["--list"]),
    ],
)
def test_wrong_options_are_answered_with_what_is_right(repo, capsys, argv, names):
    with pytest.raises(SystemExit) as stop:
        run(repo, *argv)
    assert stop.value.code == 2
    said = capsys.readouterr().err.partition("error: ")[2]  # argparse prints the usage before it, which names all
    assert all(name in said for name in names), said


@pytest.mark.parametrize(
    ("setting", "said"),
    [("BATCH_SIZE=0", "BATCH_SIZE is 0; it must be a whole number at least 1"), ("NOPE=1", "no parameter 'NOPE'"),
     ("EPOCHS=ten", "EPOCHS is 'ten'")],
)  # fmt: skip
def test_a_setting_out_of_its_range_is_refused_before_anything_starts(repo, fake, capsys, setting, said):
    with pytest.raises(SystemExit) as stop:
        run(repo, "--set", setting)
    error = capsys.readouterr().err
    assert stop.value.code == 2 and f"argument --set: {said}" in error.replace("there is ", "")
    assert "(toy)" in error and "line" not in error, "the workload's file is right"
    assert not fake.jobs and not (repo / "results").exists()


def test_a_mistake_in_a_declaration_is_told_and_nothing_starts(repo, fake, capsys):
    fake_repo.edit(repo / "frameworks.toml", 'environment = "old"', 'environment = "nope"')
    assert run(repo) == 1
    assert "frameworks.toml, line" in capsys.readouterr().err and not fake.jobs


def test_help_needs_nothing_but_the_standard_library(repo):
    bare = [sys.executable, "-S", "-I", "-c"]  # no site-packages
    code = f"import sys; sys.path.insert(0, {str(REPOSITORY)!r}); from runner.__main__ import main; main(['--help'])"
    done = subprocess.run([*bare, code], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "--why ROW" in done.stdout, done.stderr


def test_a_python_that_does_not_run_is_named(repo, capsys, monkeypatch):
    monkeypatch.undo()
    assert cli.main(["--python", "/no/such/python"], root=repo) == 1
    assert "/no/such/python" in capsys.readouterr().err


def test_a_python_without_the_runners_modules_is_told_what_to_install(repo, fake, capsys, monkeypatch):
    monkeypatch.setattr(environments, "missing_modules", lambda python, names: {"papermill"})
    assert run(repo) == 1
    assert "pip install papermill" in capsys.readouterr().err and not fake.jobs


def test_only_a_column_without_failures_is_published(repo, fake, monkeypatch):
    told = []
    monkeypatch.setattr(cli, "report", lambda root, *what: told.append(what[0]) or 0)
    fake.wrong = {"plain": "no"}
    assert run(repo, "--publish") == 1 and told == ["local"]
    fake.wrong = {}
    assert run(repo, "--publish") == 0 and told[1:] == ["local", "publish"]


def test_a_column_that_could_not_be_published_is_not_measured_for_it(repo, fake, capsys, monkeypatch):
    for commit in ("0123456789ab+", None):
        monkeypatch.setattr(checkout, "commit", lambda root, commit=commit: commit)
        assert run(repo, "--publish") == 1 and not fake.jobs
        assert "git status" in capsys.readouterr().err


def test_a_run_takes_as_long_as_it_took_here_or_in_a_published_column(repo, fake, capsys):
    """In one of the same profile and device, each file of which is read once."""
    for profile, wall in (("cpu-cpu", 6000), ("quick-cpu", 660)):
        path = repo / "results" / "published" / "there" / profile / "toy.jsonl"
        path.parent.mkdir(parents=True)
        lines = [{"name": "plain.round1", "wall": wall}, {"name": "plain.round2", "wall": 2 * wall}, {"wall": 1}, []]
        path.write_text("\n".join(map(json.dumps, lines)) + "\n{")
    assert run(repo) == 0 and "rows: 1; runs: 1, about 11 min\n" in capsys.readouterr().out
    declared = Declarations(repo)
    (row,) = [row for row in declared.rows("quick", "cpu") if row.id == "plain"]
    one = batch.Batch(declared, results(repo).parent, sys.executable)
    runs = [batch.Run(row, "round", 1), batch.Run(row, "round", 2), batch.Run(row, "full")]
    assert [one.seconds(which) for which in runs] == [60.0, 1320, None]
    path.unlink()
    assert one.seconds(runs[1]) == 1320


def test_why_names_a_file_that_is_no_record_or_no_lesson(repo, fake, capsys):
    assert run(repo) == 0
    path, lesson = results(repo) / "plain.round1.json", repo / "notebooks/toy/one.ipynb"
    whole = path.read_text()
    for text, said in (("{", f"{path} is broken"), ("{}", "is no record of today's")):
        path.write_text(text)
        assert run(repo, "--why", "plain") == 0 and said in capsys.readouterr().out
    path.write_text(whole)
    lesson.write_text("{")
    assert run(repo, "--why", "plain") == 0
    said = capsys.readouterr().out
    assert f"{lesson} is broken" in said and "no record" not in said


# -------------------------------------------------------------------------------------------------- what is chosen
@pytest.mark.parametrize(
    ("argv", "rows"),
    [
        ([], {"plain"}),
        (["--today"], {"plain", "compiled"}),
        (["--today", "--precision", "fp32"], {"plain", "compiled"}),
        (["--all"], {"plain", "compiled", "two", "two-bf16"}),
        (["--framework", "two"], {"two", "two-bf16"}),
        (["--precision", "bf16"], {"two-bf16"}),
        (["--row", "two", "compiled"], {"two", "compiled"}),
        (["--row", "toy/two", "compiled"], {"two", "compiled"}),
        (["--workload", "toy"], {"plain"}),
    ],
)
def test_the_rows_that_the_options_choose(repo, fake, argv, rows):
    assert run(repo, *argv) == 0
    assert {fields["row"] for fields in fake.jobs} == rows


def test_one_round_is_one_whole_run_of_each_row(repo, fake, capsys):
    assert run(repo, "--all") == 0
    assert files_of(repo) == ["compiled.round1.json", "plain.round1.json", "two-bf16.round1.json", "two.round1.json"]
    kept = record(repo, "plain.round1")
    jsonschema.validate(kept, SCHEMA)
    assert (kept["kind"], kept["round"], kept["status"], kept["machine"]["flags"]) == ("round", 1, "ok", ["avx2"])
    assert kept["parameters"]["TRAIN_SAMPLES"] == 10 and kept["order"]["position"] in (1, 2, 3)
    assert kept["notebook"]["file"].startswith("plain.round1-") and (results(repo) / kept["notebook"]["file"]).exists()
    said = capsys.readouterr().out
    assert (
        "rows: 4; runs: 4, about 4 min" in said
        and "plain round1: ok, 60 s, 100 samples/s" in said
        and "report local" in said
    )


def test_a_round_is_shuffled_by_the_seed_that_its_records_hold(repo):
    declared, orders = Declarations(repo), set()
    rows = [row for row in declared.rows("cpu", "cpu") if row.precision == "fp32"]
    plan = batch.Batch(declared, repo / "c", sys.executable).plan(rows, 20)
    for number in range(1, 21):
        runs, ids = [one for one in plan if one.kind == "round" and one.round == number], [row.id for row in rows]
        random.Random(runs[0].order["seed"]).shuffle(ids)
        orders.add(tuple(ids))
        assert [one.row.id for one in runs[1:-1]] == [one for one in ids if one != "plain"]
    assert len(orders) > 1


def test_rounds_run_between_two_runs_of_the_reference_row_and_full_runs_follow(repo, fake):
    assert run(repo, "--profile", "cpu", "--all") == 0
    fp32 = [name for name in fake.names if "bf16" not in name]
    assert [name for name in fp32 if name.startswith("plain")] == [
        "plain.round1", "plain.round1b", "plain.round2", "plain.round2b", "plain.round3", "plain.round3b", "plain.full"
    ]  # fmt: skip
    for number in (1, 2, 3):
        of_round = [n for n in fp32 if n.split(".")[1] in (f"round{number}", f"round{number}b")]
        assert (of_round[0], of_round[-1]) == (f"plain.round{number}", f"plain.round{number}b")
        assert sorted(of_round[1:-1]) == [f"compiled.round{number}", f"two.round{number}"]
        orders = [record(repo, name, "cpu-cpu")["order"] for name in of_round]
        assert len({order["seed"] for order in orders}) == 1 and [order["position"] for order in orders] == [1, 2, 3, 4]
    assert sorted(fp32[-3:]) == ["compiled.full", "plain.full", "two.full"]
    proven = {name for name, fields in zip(fake.names, fake.jobs, strict=True) if fields["proves"]}
    assert proven == {"plain.round1", "compiled.round1", "two.round1", "two-bf16.round1"}
    seconds = {name: fields["referee"]["seconds"] for name, fields in zip(fake.names, fake.jobs, strict=True)}
    assert seconds["plain.round2"] == 20 and seconds["plain.full"] == 0
    assert "SECONDS" not in fake.jobs[0]["parameters"], "it is the referee's"
    probed = {name for name, fields in zip(fake.names, fake.jobs, strict=True) if fields["probe"] is not None}
    assert probed == {name for name in fake.names if ".round" in name}, "a full run tells no speed"
    for number, (last, fields) in enumerate(zip(fake.jobs, fake.jobs[1:], strict=False), 1):
        follows = fields["probe"] is not None and last["probe"] is not None and last["precision"] == fields["precision"]
        assert not fields["probe"] or follows
        assert not follows or fields["probe"] == {fields["precision"]: 1e15 + number, "by": "nobody"}
    assert "two-bf16.full" not in fake.names, "a part of the data tells a speed alone"


def test_full_runs_alone_may_share_the_machine(repo, fake, monkeypatch):
    asked = []
    hold = alone.hold
    monkeypatch.setattr(
        alone, "hold", lambda measuring, *more, **how: asked.append(measuring) or hold(measuring, *more)
    )
    assert run(repo, "--profile", "cpu", "--row", "plain", "two", "--rounds", "0") == 0
    assert sorted(fake.names) == ["plain.full", "plain.proof", "two.full", "two.proof"] and asked == [False]
    assert run(repo, "--profile", "cpu", "--row", "plain", "two") == 0
    assert "plain.full" not in fake.names[4:] and asked == [False, True], "the rounds follow, with the machine alone"


def test_a_notebook_without_a_seed_has_no_run_with_another(repo, fake):
    fake_repo.edit(repo / "notebooks/toy/one.ipynb", "SEED = 0", "EXTRA = 0")
    assert run(repo, "--row", "plain", "--seed", "7") == 0 and not fake.jobs


def test_another_seed_is_one_more_full_run_beside_the_rows_own(repo, fake):
    assert run(repo, "--row", "plain", "--seed", "7") == 0
    assert files_of(repo) == ["plain.seed7.full.json"]
    assert record(repo, "plain.seed7.full")["parameters"]["SEED"] == 7
    assert run(repo, "--row", "plain", "--seed", "7") == 0
    assert len(fake.jobs) == 1


def test_settings_of_ones_own_go_to_a_column_of_their_own(repo, fake):
    assert run(repo, "--set", "EPOCHS=2") == 0
    assert fake.jobs[0]["parameters"]["EPOCHS"] == 2
    (column,) = (repo / "results" / "local" / "here").glob("quick-cpu*")
    assert column.name.startswith("quick-cpu-set-")
    assert run(repo, "--set", "EPOCHS=2") == 0 and len(fake.jobs) == 1
    assert run(repo, "--set", "EPOCHS=3") == 0 and len(fake.jobs) == 2


def test_full_runs_side_by_side_share_the_cores(repo, fake, monkeypatch):
    monkeypatch.setitem(FACTS, "physical_cores", 4)
    words = ["--profile", "cpu", "--rounds", "0", "--all"]
    assert run(repo, *words, "--jobs", "2") == 0 and fake.workers == 2
    assert {fields["kernel"]["environ"]["OMP_NUM_THREADS"] for fields in fake.jobs} == {"2"}
    assert {fields["referee"]["threads"] for fields in fake.jobs} == {2}
    fake.jobs.clear()
    assert run(repo, *words, "--label", "alone") == 0
    assert {fields["kernel"]["environ"]["OMP_NUM_THREADS"] for fields in fake.jobs} == {"4"}


def test_only_proofs(repo, fake, capsys):
    assert run(repo, "--check", "--all", "--jobs", "2") == 0
    assert files_of(repo) == ["compiled.proof.json", "plain.proof.json", "two-bf16.proof.json", "two.proof.json"]
    assert fake.workers == 2 and all(fields["proves"] for fields in fake.jobs)
    assert json.loads((repo / "results/local/here/machine.json").read_text())["peaks"] == {}, "no speed is measured"
    assert run(repo, "--check", "--all") == 0 and len(fake.jobs) == 4
    assert "all is up to date, rows: 4" in capsys.readouterr().out
    assert run(repo, "--row", "plain") == 0, "a proof is no measurement"
    assert fake.names[4:] == ["plain.round1"]


def test_a_brief_round_leaves_long_parts_of_the_proof_to_a_check(repo, fake):
    path = repo / "notebooks/toy/workload.toml"
    fake_repo.edit(path, 'proof_parts = ["losses"]', 'proof_parts = ["losses", "long"]')
    fake_repo.edit(path, 'variant = "compiled"', 'variant = "compiled", proof_parts = ["losses"]')
    fake_repo.edit(path, "[profiles.quick]", '[profiles.quick]\nwithout = ["long"]')
    for words, parts in ([], ["losses"]), (["--check"], ["losses", "long"]):
        for _ in range(2):  # the second time nothing is left to do
            assert run(repo, "--row", "plain", *words) == 0
        [fields] = fake.jobs
        assert fields["referee"]["parts"] == parts and not {"proof_parts", "without"} & {*fields, *fields["referee"]}
        fake.jobs.clear()
    for words in ([], ["--check"]):  # of a row that has no such part, the round's proof is whole
        assert run(repo, "--row", "compiled", *words) == 0
    assert fake.names == ["compiled.round1"]


# -------------------------------------------------------------------------------------------------------- resume
def test_what_is_up_to_date_is_not_run_and_touches_no_environment(repo, fake, capsys, monkeypatch):
    assert run(repo) == 0
    monkeypatch.setattr(environments, "make", lambda *args, **more: pytest.fail("an environment was touched"))
    (results(repo).parent / "tables.md").write_text("drawn")
    capsys.readouterr()
    assert run(repo) == 0
    assert len(fake.jobs) == 1
    assert capsys.readouterr().out == "here, quick-cpu: all is up to date, rows: 1\n"


def again(repo, fake, *argv):
    """The files of what ran when everything is asked for again."""
    before = len(fake.jobs)
    assert run(repo, "--profile", "cpu", "--row", "plain", *argv) == 0
    return fake.names[before:]


def test_only_what_is_out_of_date_runs_again(repo, fake):
    everything = [f"plain.round{n}{b}" for n in (1, 2, 3) for b in ("", "b")] + ["plain.full"]
    assert again(repo, fake) == everything
    assert again(repo, fake) == []
    fake_repo.write_notebook(repo, "one", show="picture = 2")
    assert again(repo, fake) == []
    fake_repo.edit(repo / "referee/proof/__init__.py", "error <= bound", "error < bound")
    assert again(repo, fake) == ["plain.proof"]
    assert again(repo, fake) == []
    fake_repo.write_notebook(repo, "one", setup="import numpy as np\nimport json")
    assert again(repo, fake) == everything[:-1], "the proof comes with round 1; the metric is still good"
    fake_repo.write_notebook(repo, "one", train_step="def train_step(x, y): return 0.0")
    assert again(repo, fake) == everything
    (results(repo, "cpu-cpu") / "plain.round2.json").write_text("{cut sho")
    assert again(repo, fake) == ["plain.round2"]
    older = {**record(repo, "plain.full", "cpu-cpu"), "schema": 1}
    (results(repo, "cpu-cpu") / "plain.full.json").write_text(json.dumps(older))
    assert again(repo, fake) == ["plain.full"]


def test_an_environments_variable_is_a_reason_for_its_rows_alone(repo, fake):
    assert run(repo, "--all") == 0
    fake_repo.edit(repo / "frameworks.toml", 'OLD = "1"', 'OLD = "2"')
    assert run(repo, "--all") == 0
    assert sorted(fake.names[4:]) == ["two-bf16.round1", "two.round1"]


def test_what_changes_while_a_batch_runs_is_in_the_later_records(repo, fake, monkeypatch):
    def edited(jobs, workers):
        for number, done in enumerate(fake(jobs, workers)):
            (repo / "common" / "timing.py").write_text(f"CHANGED = {number}\n")
            yield done

    monkeypatch.setattr(batch, "execute", edited)
    assert run(repo, "--all") == 0
    found = [record(repo, name)["inputs"]["common"]["common.timing"] for name in fake.names]
    assert len(set(found)) == 4


def test_a_rows_variable_is_set_in_its_kernel_alone(repo, fake):
    fake_repo.edit(repo / "notebooks/toy/workload.toml", "plain = { ", 'plain = { variables = { NEW = "1" }, ')
    assert run(repo, "--row", "plain", "compiled") == 0
    found = {job["row"]: job["kernel"]["environ"].get("NEW") for job in fake.jobs}
    assert found == {"plain": "1", "compiled": None}
    assert record(repo, "plain.round1")["inputs"]["environment"]["variables"] == {"NEW": "1"}


def test_relative_folders_are_those_of_the_caller(repo, fake, monkeypatch):
    interpreter = Path(sys.executable).parent.resolve() / Path(sys.executable).name  # .environments/NAME is a link
    monkeypatch.chdir(interpreter.parent)
    monkeypatch.setenv("ROSETTA_DATA", "data")
    assert cli.main(["--python", f"./{interpreter.name}", "--label", "here"], root=repo) == 0
    kernel = fake.jobs[0]["kernel"]
    assert kernel["python"] == str(interpreter)
    assert kernel["environ"]["ROSETTA_DATA"] == str(interpreter.parent / "data")


def test_a_release_without_a_commit_and_a_dirty_tree(tmp_path):
    assert checkout.commit(tmp_path) is None
    git = ["git", "-C", str(tmp_path), "-c", "user.name=a", "-c", "user.email=a@b"]
    (tmp_path / "a").write_text("1")
    for command in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "one"]):
        subprocess.run([*git, *command], check=True)
    clean = checkout.commit(tmp_path)
    (tmp_path / "a").write_text("2")
    assert len(clean) == 12 and checkout.commit(tmp_path) == clean + "+"


def test_why_and_list_say_how_a_row_stands(repo, fake, capsys):
    fake.wrong = {"two": "ValueError: no"}
    assert run(repo, "--row", "plain", "two") == 1
    fake_repo.write_notebook(repo, "one", train_step="def train_step(x, y): return 0.0")
    fake_repo.edit(repo / "referee/proof/__init__.py", "error <= bound", "error < bound")
    capsys.readouterr()
    assert run(repo, "--why", "plain") == 0
    assert capsys.readouterr().out == (
        "toy here, round 1: cell train_step\ntoy here, proof: cell train_step; referee.proof\n"
    )
    assert run(repo, "--why", "two") == 0
    assert "failed: ValueError: no" in capsys.readouterr().out
    assert run(repo, "--why", "compiled") == 0
    assert "not run yet" in capsys.readouterr().out
    assert run(repo, "--list") == 0
    said = capsys.readouterr().out
    assert "0 of 2 up to date" in said and said.count("not run yet") == 2


# ---------------------------------------------------------------------------------------------------- what is told
@pytest.mark.parametrize(
    ("source", "size", "there", "folders"),
    [
        ("full", 170, [], ""),
        ("small", 20, [], ""),
        ("full", 170, ["sample-0a"], ""),
        ("full", None, ["sample-0a", "all.npz"], ""),
        ("full", 170, ["img"], 'FOLDERS = {"full": "whole", "small": "img"}\n'),
        ("full", None, ["whole"], 'FOLDERS = {"full": "whole", "small": "img"}\n'),
        ("small", 20, ["whole"], 'FOLDERS = {"full": "whole", "small": "img"}\n'),
        ("small", None, ["img"], 'FOLDERS = {"full": "whole", "small": "img"}\n'),
    ],
)
def test_how_long_and_how_much_is_told_before_work_starts(
    repo, fake, capsys, monkeypatch, source, size, there, folders
):
    fake_repo.edit(repo / "notebooks/toy/workload.toml", 'choices = ["full", "sample"]', 'choices = ["full", "small"]')
    for old in ('DATA = "sample"', 'DATA = "full"'):
        fake_repo.edit(repo / "notebooks/toy/workload.toml", old, f'DATA = "{source}"')
    monkeypatch.setattr(environments, "make", lambda root, name, *more: repo / name)
    monkeypatch.setattr(environments, "interpreter", lambda prefix: sys.executable)
    monkeypatch.setenv("ROSETTA_DATA", str(repo / "data"))
    for name in there:
        (repo / "data" / "toy" / name).mkdir(parents=True)
    (repo / "common" / "data" / "toy.py").write_text(f"DOWNLOAD_MB = 170\nSMALL_MB = 20\n{folders}" + fake_repo.DATA)
    sizes = {"main": {"disk_mb": 0, "download_mb": 0}, "old": {"disk_mb": 300, "download_mb": 100}}
    monkeypatch.setattr(environments, "size", lambda root, name, entry, device: sizes[name])
    assert cli.main(["--label", "here", "--profile", "cpu", "--all"], root=repo) == 0
    said = capsys.readouterr().out
    assert "environment to make: old, 100 MB to download, 300 MB of disk" in said and "main" not in said
    assert f"data to download: toy, {size} MB" in said if size else "data to download" not in said


def test_a_reason_is_told_once_and_each_repeat_leaves_its_record(repo, fake, capsys):
    fake_repo.edit(repo / "frameworks.toml", 'modules = ["string"]', 'modules = ["no_such_framework"]')
    assert run(repo, "--row", "plain", "two", "--rounds", "3") == 0
    assert capsys.readouterr().out.count("has no no_such_framework") == 1
    for number in (1, 2, 3):
        assert record(repo, f"two.round{number}.failed")["status"] == "skipped"


def test_where_every_row_is_skipped_one_line_says_so(repo, fake, capsys):
    assert run(repo, "--device", "gpu") == 1
    said = capsys.readouterr().err
    assert said == "run_all.sh: every chosen row was skipped: One (plain) sees no GPU here: no GPU of any kind\n"
    assert not fake.jobs, "never run on the CPU"


def test_without_a_gpu_nothing_is_made_for_one(repo, fake, capsys, monkeypatch):
    monkeypatch.setattr(machine, "has_gpu", lambda: False)
    monkeypatch.setattr(environments, "make", lambda *args: pytest.fail("an environment was made"))
    assert cli.main(["--device", "gpu"], root=repo) == 1
    said = capsys.readouterr().err
    assert "no NVIDIA GPU here (no /dev/nvidiactl" in said and len(said.splitlines()) == 1


def test_a_release_too_old_for_todays_gpus_is_skipped_with_that_reason(repo, fake):
    fake_repo.edit(repo / "frameworks.toml", "gpu_check =", 'no_gpu = "wants CUDA 9"\ngpu_check =')
    assert run(repo, "--device", "gpu") == 1
    assert record(repo, "plain.round1.failed", "quick-gpu")["reason"] == "wants CUDA 9"


def test_what_a_row_needs_of_the_system_is_told(repo, fake):
    check = """check = "assert False, 'needs g++: apt-get install g++'"\ngpu_check ="""
    fake_repo.edit(repo / "frameworks.toml", "gpu_check =", check)
    assert run(repo, "--row", "plain", "two") == 0
    assert record(repo, "plain.round1.failed")["reason"] == "needs g++: apt-get install g++"


@pytest.mark.parametrize(("error", "status"), [("Unavailable", "skipped"), ("Broken", "failed")])
def test_an_environment_that_cannot_be_had_concerns_its_rows_alone(repo, fake, monkeypatch, error, status):
    def make(root, name, entry, device, say=print):
        if name == "old":
            raise getattr(environments, error)("environment old needs Python 3.7: pyenv install 3.7")
        return root / name

    monkeypatch.setattr(environments, "make", make)
    monkeypatch.setattr(environments, "interpreter", lambda prefix: sys.executable)
    assert cli.main(["--label", "here", "--row", "plain", "two"], root=repo) == (status == "failed")
    again = cli.main(["--label", "here", "--row", "plain", "two"], root=repo)
    assert again == (status == "failed"), "a second time, with nothing but the skipped row to run"
    told = record(repo, "two.round1.failed")
    assert (told["status"], "pyenv install" in told["reason"]) == (status, True)
    assert record(repo, "plain.round1")["status"] == "ok"


# -------------------------------------------------------------------------------------------------------- failures
def test_a_failed_row_leaves_its_record_and_the_rest_runs(repo, fake, capsys):
    fake.wrong = {"plain": "ValueError: no"}
    assert run(repo, "--row", "plain", "two", "--rounds", "2") == 1
    assert fake.names.count("plain.round1") == 1 and "plain.round2" not in fake.names, "it is not begun again"
    assert record(repo, "plain.round1.failed")["reason"] == "ValueError: no"
    assert record(repo, "two.round2")["status"] == "ok"
    assert "2 ok, 0 skipped, 1 failed" in capsys.readouterr().out
    fake.wrong = {}
    assert run(repo, "--row", "plain", "--rounds", "2") == 0
    assert not list(results(repo).glob("*.failed*"))


def test_the_success_of_one_repeat_leaves_the_failure_of_another(repo, fake):
    fake.wrong = {"plain": "ValueError: no"}
    run(repo, "--row", "plain")
    fake.wrong = {}
    (results(repo) / "plain.round1.failed.json").rename(results(repo) / "plain.round2.failed.json")
    assert run(repo, "--row", "plain") == 0
    assert (results(repo) / "plain.round2.failed.json").exists()


def test_a_round_that_proves_takes_a_failed_check_away(repo, fake):
    fake.wrong = {"plain": "ProofError: no"}
    assert run(repo, "--row", "plain", "--check") == 1
    assert [path.name for path in results(repo).glob("*.json")] == ["plain.proof.failed.json"]
    fake.wrong = {}
    assert run(repo, "--row", "plain") == 0
    assert not list(results(repo).glob("*.failed*"))


def test_a_failure_keeps_the_last_good_record(repo, fake):
    assert run(repo, "--row", "plain") == 0
    good = record(repo, "plain.round1")
    fake_repo.write_notebook(repo, "one", train="1 / 0")
    fake.wrong = {"plain": "ZeroDivisionError"}
    assert run(repo, "--row", "plain") == 1
    assert record(repo, "plain.round1") == good and (results(repo) / good["notebook"]["file"]).exists()


def test_a_job_that_dies_is_a_failure(repo, fake):
    fake.dies = {"plain"}
    assert run(repo) == 1
    assert "ended with status -9" in record(repo, "plain.round1.failed")["reason"]


def test_rows_whose_names_begin_alike_do_not_touch_each_other(tmp_path):
    fields = {"inputs": {"parameters": {}}, "parameters": {}, **dict.fromkeys(job.KEPT, "")}
    fields["inputs"] = {name: {} for name in SCHEMA["properties"]["inputs"]["required"]}
    for name in ("mlp", "mlp_batch", "mlp-bf16"):
        (tmp_path / "run.ipynb").write_text(name)
        job.keep(job.assemble(fields, "ok", ""), tmp_path / f"{name}.round1.json", tmp_path / "run.ipynb")
    (tmp_path / "run.ipynb").write_text("again")
    job.keep(job.assemble(fields, "ok", ""), tmp_path / "mlp.round1.json", tmp_path / "run.ipynb")
    assert len(list(tmp_path.glob("*.ipynb"))) == 3
    for path in tmp_path.glob("*.json"):
        assert (tmp_path / json.loads(path.read_text())["notebook"]["file"]).exists()


def test_a_crash_between_notebook_and_record_leaves_a_pair(tmp_path, monkeypatch):
    fields = {"parameters": {}, **dict.fromkeys(job.KEPT, "")}
    fields["inputs"] = {name: {} for name in SCHEMA["properties"]["inputs"]["required"]}
    place, output = tmp_path / "mlp.round1.json", tmp_path / "run.ipynb"
    output.write_text("first")
    job.keep(job.assemble(fields, "ok", ""), place, output)

    def crash(path, content):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(job, "write_json", crash)
    output.write_text("second")
    with pytest.raises(OSError):
        job.keep(job.assemble(fields, "ok", ""), place, output)
    named = json.loads(place.read_text())["notebook"]["file"]
    assert (tmp_path / named).read_text() == "first"


# ------------------------------------------------------------------------------------------------------- the job
def fields_of(repo, number):
    declared = Declarations(repo)
    (row,) = (row for row in declared.rows("quick", "cpu") if row.id == "plain")
    runs = batch.Batch(declared, results(repo).parent, sys.executable)
    return json.loads(json.dumps(runs.job(batch.Run(row, "round", number), FACTS, {}, 300)))


@pytest.fixture
def fields(repo):
    return fields_of(repo, 1)


def test_a_job_file_names_what_it_lacks_and_what_is_unknown(fields, tmp_path, capsys):
    del fields["kernel"], fields["timeout"]
    path = tmp_path / "job.json"
    path.write_text(json.dumps({**fields, "nope": 1}))
    assert job.main(str(path)) == 2
    assert capsys.readouterr().err == f"runner job: {path} is no job: it lacks kernel, timeout and has unknown nope\n"
    for content in ("{cut sho", "[]", "3"):
        path.write_text(content)
        assert job.main(str(path)) == 2
    assert job.main(str(tmp_path / "none.json")) == 2


def test_a_right_record_is_believed(fields):
    assert job.doubt(fields, own_part(fields), {}) == ""
    fields["inputs"]["parameters"].update(SECONDS=20, EPOCHS=5)
    own = own_part(fields)
    own["run"].update(samples=4, steps=1)
    assert job.doubt(fields, own, {}) == "", "a run of limited time is at least one batch"


def test_a_step_on_two_devices_takes_two_mini_batches(fields):
    fields["inputs"]["parameters"]["DEVICES"] = 2
    own = own_part(fields)
    assert "10 samples in 3 steps were trained; the parameters promise 10 in 2" in job.doubt(fields, own, {})
    own["run"].update(steps=2)
    assert job.doubt(fields, own, {}) == ""


def test_setup_is_the_import_and_each_cell_of_a_tag_counts(tmp_path):
    spent = [("setup", 2.0), ("setup", 0.5), ("data", 3.0), ("train", 9.0), ("data", None)]
    cells = [{"metadata": {"tags": [tag], "papermill": {"duration": seconds}}} for tag, seconds in spent]
    (tmp_path / "run.ipynb").write_text(json.dumps({"cells": cells}))
    found = job.durations(tmp_path / "run.ipynb")
    assert {name: one["values"] for name, one in found.items()} == {"import": [2.5], "data": [3.0]}


@pytest.mark.parametrize(("device", "label"), [("gpu", "nvidia-h100-80gb-hbm3"), ("cpu", "amd-epyc-9r14-2core")])
def test_a_column_is_named_after_what_computes(monkeypatch, device, label):
    monkeypatch.setattr(machine, "cpu", lambda: {"cpu": "AMD EPYC 9R14 96-Core Processor", "flags": []})
    monkeypatch.setattr(machine, "gpu", lambda: {"gpu": "NVIDIA H100 80GB HBM3", "driver": None, "cuda": None})
    monkeypatch.setattr(machine, "physical_cores", lambda: 2)
    assert machine.facts("", device)["label"] == label


def test_a_form_without_a_full_run_has_its_rounds_alone(repo):
    declared = Declarations(repo)
    rows = [replace(row, full=row.id != "compiled") for row in declared.rows("cpu", "cpu") if row.precision == "fp32"]
    plan = batch.Batch(declared, repo / "column", sys.executable).plan(rows, 1)
    assert "compiled" not in {one.row.id for one in plan if one.kind == "full"} >= {"plain", "two"}
    assert {"plain", "compiled", "two"} <= {one.row.id for one in plan if one.kind == "round"}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda own: own.clear(), "no record"),
        (lambda own: own["proof"]["parts"]["losses"].update(passed=False), "did not pass: loss at step 0"),
        (lambda own: own["proof"]["parts"].clear(), "other parts than workload.toml says: losses"),
        (lambda own: own.update(proof=None), "losses"),
        (lambda own: own["proof"]["parts"].update(more=own["proof"]["parts"]["losses"]), "more"),
        (lambda own: own["run"].update(samples=8), "8 samples in 3 steps were trained; the parameters promise 10 in 3"),
        (lambda own: own["run"].update(steps=2), "10 samples in 2 steps"),
        (lambda own: own["run"].update(weights="other"), "shared weights"),
        (lambda own: own.update(run=None), "no timed run"),
        (lambda own: own["measurements"]["training rate"].update(values=[1e12]), "faster than this machine's peak"),
    ],
)
def test_what_a_notebook_says_is_checked(fields, change, said):
    own = own_part(fields)
    change(own)
    fields["peaks"] = {"fp32": 1e9}
    assert said in job.doubt(fields, own, {"before": 1e10, "after": None})


@pytest.mark.parametrize(
    ("again", "others", "refused", "tries"),
    [(3e9, 0.0, False, 1), (1.5e9, 0.0, True, 1), (1.5e9, 0.5, False, 3), (3e9, 0.5, False, 1)],
    ids=["a higher peak", "the machine was its own", "the machine was busy all along", "a higher peak though busy"],
)
def test_a_right_run_is_not_refused_for_the_peak_of_a_busy_machine(
    fields, tmp_path, monkeypatch, again, others, refused, tries
):
    """The peak is measured again, and the larger kept; it is held against a run only where others were idle."""
    own, asked = own_part(fields), []
    own["measurements"]["training rate"].update(values=[1e9])  # 2e9 FLOP/s
    kept = tmp_path / "box" / "machine.json"
    fields |= {
        "peaks": {"fp32": 1e9, "bf16": 4e9},
        "record": str(kept.parent / "quick-cpu" / "toy" / "plain.round1.json"),
    }
    kept.parent.mkdir()
    kept.write_text(json.dumps({"cpu": "x", "peaks": {"cpu": {"fp32": 1e9, "bf16": 4e9, "by": "torch"}}}))
    assert job.doubt(fields, own, {}) == job.FASTER

    def peak(*what):
        asked.append(what)
        return {"fp32": again, "by": "torch, numpy", "of": "several"}

    monkeypatch.setattr(machine, "peak", peak)
    monkeypatch.setattr(machine, "shared", lambda: contextlib.nullcontext({"share": others}))
    assert job.doubted_again(fields, own, {}) == (job.FASTER if refused else "")
    assert len(asked) == tries
    assert json.loads(kept.read_text())["peaks"]["cpu"] == {
        "fp32": again, "bf16": 4e9, "by": "torch, numpy", "of": "several",
    }  # fmt: skip


def test_the_share_of_others_is_theirs_alone(monkeypatch):
    """Of ten seconds on two CPUs 8 were idle, 1 of them waiting; of the other 12, 9 were this process' and its children's."""
    names = "user nice system idle iowait irq softirq steal guest guest_nice"
    cpu = collections.namedtuple("cpu", names)
    times = iter([cpu(100, 0, 10, 500, 5, 0, 0, 0, 3, 0), cpu(107, 1, 11, 507, 6, 0, 1, 2, 4, 0)])
    mine = iter([(1.0, 0.5, 20.0, 2.0, 9.0), (1.5, 0.5, 28.0, 2.5, 19.0)])
    monkeypatch.setattr(psutil, "cpu_times", lambda: next(times))
    monkeypatch.setattr(os, "times", lambda: next(mine))
    with machine.shared() as others:
        pass
    assert others["share"] == pytest.approx(3 / 20)


def test_a_probe_alone_is_no_peak(fields):
    own = own_part(fields)
    own["measurements"]["training rate"].update(values=[1e12])
    assert not job.doubt({**fields, "peaks": {}}, own, {"before": 1e10, "after": None})


def test_two_gpus_may_compute_twice_what_one_can(fields):
    own, parameters = own_part(fields), fields["inputs"]["parameters"]
    flops = 1e9 / fields["speed"]["flops"]  # samples per second at that rate
    own["measurements"]["training rate"].update(values=[1.9 * flops])
    for device, devices, fast in (("gpu", 2, False), ("gpu", 1, True), ("cpu", 2, True)):
        one = {**fields, "device": device, "peaks": {"fp32": 1e9}}
        parameters["DEVICES"] = devices
        assert job.too_fast(one, own, {}, one["peaks"]) == fast, (device, devices)


def test_a_limited_run_that_saw_nothing_or_too_much(fields):
    fields["inputs"]["parameters"]["SECONDS"] = 20
    for samples, steps in ((0, 0), (11, 3), (10, 1)):
        own = own_part(fields)
        own["run"].update(samples=samples, steps=steps)
        assert "samples in" in job.doubt(fields, own, {})


def test_a_notebook_that_changed_since_the_batch_began_is_not_run(repo, fields):
    fake_repo.write_notebook(repo, "one", setup="import numpy as np\nx = 1")
    assert "was changed since" in job.run(fields)["reason"]
    assert record(repo, "plain.round1.failed")["status"] == "failed"


def test_a_record_that_breaks_the_schema_is_kept_as_a_failure(fields):
    own = {**own_part(fields), "measurements": {"training rate": {"unit": "1/s", "values": []}}}
    kept = job.assemble(fields, "ok", "", own)
    jsonschema.validate(kept, SCHEMA)
    assert kept["status"] == "failed" and "measurements.training rate.values" in kept["reason"]


# -------------------------------------------------------------------------------------------------------- kernels
@pytest.mark.kernels
def test_a_real_run_leaves_a_whole_record_and_a_second_round_works_without_the_proof(repo, monkeypatch):
    """The first run goes through job file, process and kernel; the second, of several rounds, through the probe."""
    monkeypatch.setenv("SECRET", "of the user's shell")
    fake_repo.write_notebook(repo, "one", setup="import os\n\nimport numpy as np\n\nprint(*os.environ)")
    assert run(repo, "--row", "plain") == 0
    first, second = record(repo, "plain.round1"), job.run({**fields_of(repo, 2), "probe": {}})
    assert first["probe"] is None and second == record(repo, "plain.round2")
    assert second["probe"]["before"] > 0 and second["probe"]["after"] > 0
    for kept in (first, second):
        jsonschema.validate(kept, SCHEMA)
        assert kept["run"]["samples"] == 10 and kept["measurements"]["data"]["unit"] == "s"
        assert "training rate" in kept["measurements"] and "import" in kept["measurements"]
        assert kept["threads"]["given"] == 1 and "THREADS" not in kept["inputs"]["parameters"]
    assert list(first["proof"]["parts"]) == ["losses"] and second["proof"] is None
    executed = json.loads((results(repo) / second["notebook"]["file"]).read_text())
    tagged = {tag: cell for cell in executed["cells"] for tag in cell["metadata"].get("tags", [])}
    names = "".join(tagged["setup"]["outputs"][0]["text"]).split()
    assert {"PATH", "PYTHONPATH", "OMP_NUM_THREADS", "CACHE"} <= set(names) and "SECRET" not in names
    assert "referee" in tagged and not {"run", "show", "more"} & set(tagged)
    assert not list(results(repo).glob(".running*"))


@pytest.mark.parametrize(
    ("train", "timeout", "reasons"),
    [
        ("raise ValueError('BATCH_SIZE must be at least 1')", 100, ["ValueError: BATCH_SIZE", "## Training"]),
        ("import os; os.kill(os.getpid(), 9)", 100, ["kernel was killed", "## Training"]),
        ("import time; time.sleep(600)", 4, ["time limit of 4 s"]),
    ],
    ids=["exception", "kill", "time limit"],
)
@pytest.mark.kernels
def test_a_notebook_that_fails_leaves_its_reason(repo, fields, train, timeout, reasons):
    fake_repo.write_notebook(repo, "one", train=train)
    kept = job.run({**fields, "timeout": timeout, "inputs": fields_of(repo, 1)["inputs"]})
    assert kept["status"] == "failed" and all(reason in kept["reason"] for reason in reasons), kept["reason"]
    assert record(repo, "plain.round1.failed") == kept
    assert not (results(repo) / "plain.round1.json").exists() and not list(results(repo).glob(".running*"))


@pytest.mark.parametrize(("deaths", "status"), [(1, "ok"), (2, "failed")])
@pytest.mark.kernels
def test_a_kernel_that_does_not_start_is_started_once_more(repo, fields, tmp_path, deaths, status):
    python, said = tmp_path / "python", "zmq.error.ZMQError: Address already in use"
    python.write_text(
        f"#!/bin/sh\necho begun >> {tmp_path}/starts\n"
        f'[ "$(wc -l < {tmp_path}/starts)" -gt {deaths} ] || {{ echo "{said}" >&2; exit 1; }}\n'
        f'exec {sys.executable} "$@"\n'
    )
    python.chmod(0o755)
    argv = [str(python), *fields["kernel"]["argv"][1:]]
    kept = job.run({**fields, "kernel": {**fields["kernel"], "argv": argv}})
    assert kept["status"] == status and (tmp_path / "starts").read_text().count("begun") == 2
    assert kept["reason"] == (f"{job.NOT_STARTED}: {said}" if deaths == 2 else "")


def wait_for(path, process):
    while not path.exists():
        assert process.poll() is None, process.communicate()
        time.sleep(0.1)


@pytest.mark.kernels
def test_an_interrupted_run_keeps_what_is_finished_and_another_batch_is_refused_meanwhile(repo, tmp_path, capsys):
    pid_file = tmp_path / "kernel.pid"
    wait = f"import os, pathlib, time; pathlib.Path({str(pid_file)!r}).write_text(str(os.getpid())); time.sleep(600)"
    fake_repo.write_notebook(repo, "two", train=wait)
    process = start(repo, "--row", "two")
    try:
        wait_for(pid_file, process)
        time.sleep(0.5)
        assert run(repo, "--row", "plain") == 1, "it measures"
        assert f"process {process.pid} holds {tmp_path / 'lock'}" in capsys.readouterr().err
        assert run(repo, "--row", "plain", "--check") == 1, "proofs would disturb it"
        assert not files_of(repo)
    finally:
        process.send_signal(signal.SIGTERM)
        said, _ = process.communicate(timeout=60)
    assert process.returncode == 128 + signal.SIGTERM and "again to go on" in said
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid_file.read_text()), 0)
    assert record(repo, "two.round1.failed")["status"] == "interrupted"
    assert not list(results(repo).glob(".running*"))


# ----------------------------------------------------------------------------------------------------------- locks
def test_who_may_work_beside_whom(tmp_path):
    paths = [tmp_path / "machine", tmp_path / "folder" / "lock"]
    with alone.hold(False, paths), alone.hold(False, paths):
        with pytest.raises(alone.Busy, match=f"process {os.getpid()} holds"), alone.hold(True, paths):
            pass
    for own in ([paths[0]], [paths[1]]):
        with alone.hold(True, own):
            for measuring in (True, False):
                with pytest.raises(alone.Busy, match=f"process {os.getpid()} holds"), alone.hold(measuring, paths):
                    pass
    with alone.hold(True, paths):
        pass


def test_a_closed_terminal_interrupts_but_not_below_nohup():
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    try:
        with pytest.raises(job.Interrupted), job.interruptible():
            os.kill(os.getpid(), signal.SIGHUP)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        with job.interruptible():
            os.kill(os.getpid(), signal.SIGHUP)
    finally:
        signal.signal(signal.SIGHUP, before)


@pytest.mark.kernels
def test_parameters_reach_the_notebook_as_they_are(repo, fields):
    """A number such as 5e-05, which YAML takes for a text where it stands like this."""
    fake_repo.write_notebook(
        repo, "one", train=f"{fake_repo.CELLS['train']}\n        assert LEARNING_RATE == 5e-5, LEARNING_RATE\n"
    )
    given = fields_of(repo, 1)
    given["inputs"]["parameters"]["LEARNING_RATE"] = given["parameters"]["LEARNING_RATE"] = 5e-5
    kept = job.run(given)
    assert kept["status"] == "ok", kept["reason"]


@pytest.mark.kernels
def test_settings_in_the_users_home_do_not_count(repo, fields):
    check = (
        "import os; assert os.environ['THEANORC'] == os.devnull and os.environ['HOME'] not in os.environ['KERAS_HOME']"
    )
    fake_repo.write_notebook(repo, "one", train=f"{fake_repo.CELLS['train']}\n        {check}\n")
    kept = job.run(fields_of(repo, 1))
    assert kept["status"] == "ok", kept["reason"]


def test_ctrl_c_ends_the_jobs_and_goes_on(repo, fake, monkeypatch, capsys):
    def interrupted(jobs, workers):
        yield *next(jobs), os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(batch, "execute", interrupted)
    assert run(repo) == 128 + signal.SIGINT
    assert "again to go on" in capsys.readouterr().err
    monkeypatch.setattr(batch, "execute", fake)
    assert run(repo) == 0 and fake.names == ["plain.round1"]


# ----------------------------------------------------------------------------------------------------------- disks
def test_results_that_cannot_be_written_are_told_before_work_starts(repo, fake, capsys):
    (repo / "results").write_text("a file in the way")
    assert run(repo) == 1
    assert "cannot write to" in capsys.readouterr().err and not fake.jobs


def test_a_full_disk_is_told_before_work_starts(repo, fake, capsys, monkeypatch):
    def full(*args):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    assert run(repo) == 1
    assert "No space left" in capsys.readouterr().err and not fake.jobs
    monkeypatch.undo()
    assert not [p for p in (repo / "results").rglob("*") if p.is_file()]


def test_too_little_room_is_told_before_work_starts(repo, fake, capsys, monkeypatch):
    monkeypatch.setattr(machine, "LEAST_FREE", 2**60)
    assert run(repo) == 1
    assert "are needed" in capsys.readouterr().err and not fake.jobs


def test_a_disk_that_fills_while_a_record_is_written_stops_the_batch(repo, fake, capsys, monkeypatch):
    assert run(repo) == 0
    fake_repo.write_notebook(repo, "one", train_step="def train_step(x, y): return 0.0")
    good = record(repo, "plain.round1")

    def full(path, content):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(job, "write_json", full)
    assert run(repo) == 1
    assert "No space left" in capsys.readouterr().err and record(repo, "plain.round1") == good


def test_a_data_set_without_a_network_is_told_with_the_remedy(repo, capsys, monkeypatch):
    from common.data import files

    def fetch():
        raise files.DataError("could not download toy. Without a network: put it there by hand")

    monkeypatch.setattr(cli.importlib, "import_module", lambda name: type(name, (), {"fetch": staticmethod(fetch)}))
    assert run(repo, "--data", "toy") == 1
    assert "by hand" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["nope", "files"])
def test_a_data_set_that_is_not_there(repo, capsys, name):
    with pytest.raises(SystemExit) as ended:
        run(repo, "--data", name)
    said = capsys.readouterr().err
    assert ended.value.code == 2 and "one of chestxray, cifar10," in said and f"not '{name}'" in said


# --------------------------------------------------------------------------------------------------------- machine
def test_machine_facts_name_no_host_and_hold_the_flags():
    facts = machine.facts("", "cpu")
    assert facts["physical_cores"] >= 1 and facts["cpu"] and facts["label"].endswith("core")
    assert {"vendor", "family", "model", "flags"} <= set(facts)
    assert not any(os.uname().nodename in value for value in facts.values() if isinstance(value, str))


@pytest.mark.parametrize("without", [[], ["torch"]], ids=["torch", "numpy"])
def test_the_probe_measures_what_can_be_measured(monkeypatch, without):
    for name in without:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setattr(machine, "SIZE", {"cpu": 128})
    monkeypatch.setattr(machine, "COPIED", 2**12)
    monkeypatch.setattr(machine, "seconds", lambda work, *more: (work(), 0.001)[1])
    found = machine.speeds("cpu", 1, ["fp32", "fp64", "bf16", "copy"])
    assert set(found) == {"fp32", "fp64", "copy", "by"} | ({"bf16"} if not without else set())
    assert found["fp32"] == found["fp64"] == 2 * 128**3 / 0.001 and found["copy"] == 8 * 2**12 / 0.001


@pytest.fixture
def small_products(monkeypatch):
    """Small products, each of which has taken as many seconds as said by its position, of every precision anew."""
    said = {}

    def seconds(work, synchronize, about, choose):
        assert choose is min, "the shortest time: what else ran on the machine counts for nothing"
        work()
        said["asked"] += 1
        return said["seconds"][said["asked"] % len(said["seconds"])]

    said |= {"seconds": [0.001], "asked": -1}
    monkeypatch.setattr(machine, "SIZE", {"cpu": 64})
    monkeypatch.setattr(machine, "SIDES", {"cpu": [16, 32]})
    monkeypatch.setattr(machine, "CONVOLUTIONS", {"cpu": [(2, 3, 5, 7)]})
    monkeypatch.setattr(machine, "seconds", seconds)
    return said


def test_the_peak_is_that_of_the_fastest_product(small_products):
    im2col = 2 * (2 * 2 * 5 * 5) * (3 * 3 * 3) * 7  # of the convolution: with two threads twice the images
    for fastest, flop in enumerate([2 * 16**3, 2 * 32**3, im2col]):
        small_products["seconds"] = [0.005, *(1e-6 if k == fastest else 0.005 for k in range(3))]
        found = machine.fastest("torch", "cpu", 2, ["fp32", "bf16"])
        assert found.keys() == {"by", "fp32", "bf16"} and found["by"].startswith("torch ")
        assert found["fp32"] == found["bf16"] == pytest.approx(flop / 1e-6)
    for library in ("torch", "numpy"):
        small_products |= {"seconds": [0.005, 0.005, 1e-6], "asked": -1}
        assert machine.fastest(library, "cpu", 1, ["fp64"])["fp64"] == pytest.approx(2 * 32**3 / 1e-6), "no convolution"
    found = machine.fastest("numpy", "cpu", 1, ["fp32", "bf16"])
    assert found.keys() == {"by", "fp32"} and found["by"] == f"numpy {np.__version__}", "NumPy has no bf16"


def test_no_large_product_of_a_format_that_is_emulated(small_products):
    small_products["seconds"] = [0.02]
    assert machine.fastest("torch", "cpu", 1, ["bf16"])["bf16"] == 2 * 8**3 / 0.02 and small_products["asked"] == 0


def test_the_peak_is_that_of_the_fastest_library(monkeypatch):
    said = {"torch": {"by": "torch 1", "fp32": 2e9, "bf16": 9e9, "copy": 1e10}, "numpy": {"by": "numpy 2", "fp32": 3e9}}
    monkeypatch.setattr(machine, "_asked", lambda library, *more: said.get(library, {}))  # {}: it failed
    of = "the fastest of several products"
    best = {"by": "torch 1, numpy 2", "fp32": 3e9, "bf16": 9e9, "copy": 1e10, "of": of}
    assert machine.peak("cpu", 1, "fp32", "bf16", "copy") == best
    assert machine.peak("gpu", 1, "fp32") == {**said["torch"], "of": of}, "NumPy knows no GPU"
    assert machine.larger(best, {"by": "numpy 2", "fp32": 1e9, "fp64": 1e9}) == {**best, "fp64": 1e9}
    assert machine.larger({}, {}) == {}
    said.clear()
    assert machine.peak("cpu", 1, "fp32") == {}


def test_a_peak_is_measured_by_a_process_of_its_own(monkeypatch):
    monkeypatch.setattr(machine, "PEAK", {"cpu": ["numpy"]})
    found = machine.peak("cpu", 1, "fp64")
    assert found["by"] == f"numpy {np.__version__}" and found["fp64"] > 1e8
    monkeypatch.setattr(machine, "PEAK", {"cpu": ["no such library"]})
    assert machine.peak("cpu", 1, "fp64") == {}


def test_peaks_are_measured_once_and_a_label_stands_for_one_machine(repo, fake, capsys, monkeypatch):
    calls = []
    for name in ("measure", "peak"):
        monkeypatch.setattr(machine, name, lambda *args: calls.append(args) or {"by": "x", "fp32": 1e15, "of": "all"})
    assert run(repo) == 0 and run(repo, "--row", "two") == 0
    kept = json.loads((repo / "results/local/here/machine.json").read_text())
    assert kept["peaks"]["cpu"]["fp32"] == 1e15 and kept["flags"] == ["avx2"]
    assert calls == [("cpu", 1, "fp32", "bf16", "copy")]
    monkeypatch.setattr(machine, "facts", lambda label, device: {**FACTS, "label": label, "cpu": "B"})
    assert run(repo, "--row", "compiled") == 1
    assert "--label" in capsys.readouterr().err
