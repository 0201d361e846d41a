"""Parts of a batch on several hosts, and Slurm's part in it, with an sbatch and a squeue of the tests' own.

tests/test_slurm.py runs a real Slurm.
"""

import contextlib
import itertools
import json
import os
import random
import shlex
import sys

import pytest

from catalog.declarations import Declarations
from runner import __main__ as cli
from runner import batch
from runner.hosts import alone, machine, shards, slurm
from tests import kernels
from tests.fixtures import fake_repo
from tests.test_runner import FACTS, Executor, fake, files_of, repo, results, run  # noqa: F401


# ------------------------------------------------------------------------------------------------------------ shards
@pytest.mark.parametrize("text", ["", "0/2", "3/2", "1", "1/0", "a/b", "1/2/3", "-1/2", "1/2 ", "٣/٤"])
def test_what_is_no_shard_is_refused(repo, text):
    with pytest.raises(SystemExit) as stop:
        run(repo, f"--shard={text}" if text else "--shard= ")
    assert stop.value.code == 2 and shards.parse(text) is None


ASKED = [
    [],
    ["--profile", "cpu"],
    ["--check"],
    ["--seed", "3"],
    ["--rounds", "0", "--profile", "cpu"],
    ["--rounds", "5"],
]


def planned(repo, argv):
    """(all units, the runs that are needed), as the command finds them."""
    args = cli.parser().parse_args(["--all", *argv])
    declared = Declarations(repo)
    rows = declared.rows(args.profile, "cpu", FACTS["flags"])
    rounds = declared.profiles[args.profile]["rounds"] if args.rounds is None else args.rounds
    runs = batch.Batch(declared, repo / "results/local/here" / f"{args.profile}-cpu", sys.executable)
    return shards.units(rows, rounds, args.check, args.seed), runs.plan(rows, rounds, args.check, args.seed)


@pytest.mark.parametrize("argv", ASKED, ids=" ".join)
def test_all_shards_together_are_the_plan_exactly_once(repo, argv):
    everything, needed = planned(repo, argv)
    assert needed and len(set(everything)) == len(everything)
    for n in (1, 2, 3, 7, 100):
        parts = [shards.of((k, n), needed, everything) for k in range(1, n + 1)]
        assert sorted(one.name for part in parts for one in part) == sorted(one.name for one in needed)
        assert all(part == [one for one in needed if one in part] for part in parts), "in the plan's order"
        place = {(*one.key, one.name): k for k, part in enumerate(parts) for one in part}
        for group in {(r.row.workload, r.row.precision, r.round) for r in needed if r.kind == "round"}:
            hosts = {place[*r.key, r.name] for r in needed if (r.row.workload, r.row.precision, r.round) == group}
            assert len(hosts) == 1, "a round with both runs of its reference row stays on one host"


def test_units_are_counted_alike_whatever_is_up_to_date_and_whatever_the_cpu_is(repo, fake):
    before, _ = planned(repo, ["--profile", "cpu"])
    assert run(repo, "--profile", "cpu", "--row", "plain", "two") == 0
    assert planned(repo, ["--profile", "cpu"])[0] == before
    declared = Declarations(repo)
    for flags in ([], ["avx512_bf16"]):
        assert shards.units(declared.rows("cpu", "cpu", flags), 3) == before
    assert sum("round" in which[2] for which in before) == 6, "3 rounds in 2 precisions"


def test_shards_one_after_the_other_leave_what_one_batch_leaves(repo, fake):
    for k in (2, 1, 3):
        assert run(repo, "--profile", "cpu", "--all", "--shard", f"{k}/3") == 0
    apart, names = files_of(repo, "cpu-cpu"), list(fake.names)
    assert not (results(repo, "cpu-cpu").parent / "tables.md").exists(), "no shard draws tables"
    assert run(repo, "--profile", "cpu", "--all", "--label", "there") == 0
    whole = sorted(path.name for path in (repo / "results/local/there/cpu-cpu/toy").glob("*.json"))
    assert apart == whole and sorted(names) == sorted(fake.names[len(names) :])
    assert run(repo, "--profile", "cpu", "--all") == 0 and len(fake.names) == 2 * len(names), "all is up to date"


def test_a_shard_says_which_part_it_has_and_fails_where_a_row_does(repo, fake, capsys):
    fake.wrong = {"two": "ValueError: no"}
    parts = [run(repo, "--row", "plain", "two-bf16", "two", "--shard", f"{k}/2") for k in (1, 2)]
    assert sorted(parts) == [0, 1] and "part 1/2 of" in capsys.readouterr().out


def test_a_shard_waits_for_the_machine(tmp_path, monkeypatch):
    said, path = [], tmp_path / "lock"
    holder = alone.hold(True, [path])
    holder.__enter__()
    monkeypatch.setattr(alone.time, "sleep", lambda seconds: holder.__exit__(None, None, None))
    with alone.hold(True, [path], wait=True, say=lambda text, **_: said.append(text)):
        pass
    assert len(said) == 1 and said[0].startswith(f"waiting: process {os.getpid()} holds {path}")


def test_a_shard_that_waited_takes_the_peaks_that_were_measured_meanwhile(repo, fake, monkeypatch):
    @contextlib.contextmanager
    def waited(*args, **more):
        machine.keep(repo / "results/local/here", FACTS, {"cpu": {"fp32": 7e15, "by": "another", "of": "several"}})
        yield

    monkeypatch.setattr(alone, "hold", waited)
    monkeypatch.setattr(machine, "peak", lambda *args: pytest.fail("measured again"))
    assert run(repo, "--row", "plain", "--shard", "1/1") == 0
    assert fake.jobs[0]["peaks"] == {"fp32": 7e15}


def test_a_shard_that_waited_runs_only_what_is_still_missing(repo, fake, monkeypatch):
    argv, free = ["--row", "plain", "--shard", "1/1"], alone.hold

    @contextlib.contextmanager
    def waited(*args, **more):
        monkeypatch.setattr(alone, "hold", free)
        assert run(repo, *argv) == 0  # the same command, which was there first
        yield

    monkeypatch.setattr(alone, "hold", waited)
    assert run(repo, *argv) == 0
    assert fake.names and len(fake.names) == len({*fake.names})


def test_tables_older_than_a_record_are_drawn_again(repo, fake, monkeypatch):
    assert run(repo, "--row", "plain") == 0
    column, asked = results(repo).parent, []
    (column / "tables.md").write_text("drawn")
    monkeypatch.setattr(cli, "report", lambda root, *arguments: asked.append(arguments) or 0)
    assert run(repo, "--row", "plain") == 0 and not asked
    other = next(column.glob("*/*.json"))
    other.write_bytes(other.read_bytes())  # as a copy from another host leaves it
    assert run(repo, "--row", "plain") == 0 and asked == [("local", str(column))]


@pytest.mark.parametrize("more", [["--shard", "1/1"], []], ids=["a shard", "no shard"])
@pytest.mark.parametrize(("then", "ran"), [("n1", 1), ("n2", 2)])
def test_a_round_goes_on_where_it_was_begun_and_is_measured_anew_on_another_host(
    repo, fake, monkeypatch, then, ran, more
):
    argv = ["--profile", "cpu", "--row", "plain", "compiled", "--rounds", "1", "--shard", "1/1"]
    notes = shards.notes(results(repo, "cpu-cpu").parent)

    def stopped(jobs, workers):
        yield next(fake(jobs, workers))
        raise OSError(28, "the node has failed")

    with monkeypatch.context() as patch:
        patch.setattr(alone, "host", lambda: "n1")
        patch.setattr(batch, "execute", stopped)
        assert run(repo, *argv) == 1 and len(fake.names) == 1 == len(list(notes.iterdir()))
    monkeypatch.setattr(alone, "host", lambda: then)
    assert run(repo, *argv[:-2], *more) == 0 and not list(notes.iterdir())
    rounds = [name for name in fake.names[1:] if "round" in name]
    assert len(rounds) == ran and {*rounds, fake.names[0]} == {"plain.round1", "compiled.round1"}


# ------------------------------------------------------------------------------------------ a Slurm of the tests' own
class Slurm:
    """sbatch and squeue, by an array that runs while squeue is asked.

    fate: {task: what happens, once}: "cancel", "timeout", "node", "kill"; a look runs one task of each node.
    """

    def __init__(self, repo, column, execute):
        self.repo, self.column, self.execute = repo, column, execute
        self.arrays, self.scripts, self.fate, self.refuses, self.out = {}, [], {}, "", 0
        self.nodes = ["n1", "n2"]

    def __call__(self, *command):
        if command[0] == "sbatch":
            return self.answer("", self.refuses) if self.refuses else self.sbatch(open(command[-1]).read())
        if self.out:
            self.out -= 1
            return self.answer("", "slurm_load_jobs error: Unable to contact slurm controller")
        return self.squeue(command[command.index("--name") + 1])

    @staticmethod
    def answer(out, err=""):
        return type("Done", (), {"returncode": int(bool(err)), "stdout": out, "stderr": err})

    def sbatch(self, script):
        self.scripts.append(script)
        options = dict(
            line.removeprefix("#SBATCH --").partition("=")[::2] for line in script.splitlines() if "SBATCH" in line
        )
        number = str(100 + len(self.scripts))
        self.arrays[number] = {
            "name": options["job-name"], "script": script,
            "tasks": {int(k): ["PENDING", "", "Resources"] for k in options["array"].split(",")},
        }  # fmt: skip
        return self.answer(f"a site's greeting\n{number};cluster\n")

    def squeue(self, name):
        lines = []
        for number, array in self.arrays.items():
            if array["name"] == name:
                lines += [f"{number}|{task}|{'|'.join(about)}" for task, about in array["tasks"].items()]
                self.turn(number, array)
        return self.answer("\n".join(lines) + "\n")

    def turn(self, number, array):
        tasks = array["tasks"]
        waiting = [item for item in tasks.items() if item[1][0] == "PENDING"]
        for task, about in [item for item in tasks.items() if item[1][0] == "RUNNING"]:
            self.end(number, task, about)
        for node, (task, about) in zip(self.nodes, waiting, strict=False):
            about[:] = ["RUNNING", node, "None"]
            self.note(number, task, "began", node)

    def note(self, number, task, what, text):
        (self.column.parent / f".slurm-{self.column.name}" / f"{number}_{task}.{what}").write_text(f"{text}\n")

    def end(self, number, task, about):
        happens = self.fate.pop(task, "")
        if happens == "cancel":
            about[0] = "CANCELLED"
            self.note(number, task, "ended", 143)
        elif happens == "timeout":
            about[0] = "TIMEOUT"
        elif happens == "node":
            about[:] = ["PENDING", "", "BeginTime"]
        elif happens == "kill":
            about[:] = ["FAILED", about[1], "NonZeroExitCode"]
            self.note(number, task, "ended", 137)
        else:
            [line] = [line for line in self.arrays[number]["script"].splitlines() if "run_all.sh" in line]
            words = line.partition("run_all.sh ")[2].replace('"$SLURM_ARRAY_TASK_ID"', str(task)).split()
            status = self.execute(words)
            about[0] = "COMPLETED" if status == 0 else "FAILED"
            self.note(number, task, "ended", status)


@pytest.fixture
def cluster(repo, fake, monkeypatch):
    """A Slurm that runs shards in this process."""
    monkeypatch.setattr(slurm.time, "sleep", lambda seconds: None)
    column = repo / "results/local/epyc/cpu-cpu"
    stub = Slurm(repo, column, lambda words: cli.main(words, root=repo))
    monkeypatch.setattr(slurm, "asked", stub)
    return stub


ARGV = ["--python", sys.executable, "--label", "epyc", "--profile", "cpu", "--row", "plain", "compiled"]
SUBMIT = [*ARGV, "--executor", "slurm", "--slurm=--partition=long", "--slurm=--time=9"]


def records_of(cluster):
    return sorted(path.name for path in cluster.column.glob("toy/*.json"))


WHOLE = sorted(
    [f"{row}.round{k}.json" for row in ("plain", "compiled") for k in (1, 2, 3)]
    + [f"plain.round{k}b.json" for k in (1, 2, 3)]
    + ["plain.full.json", "compiled.full.json"]
)


def test_on_slurm_a_skipped_row_is_not_undone_and_a_failed_one_is(cluster, repo, fake, capsys):
    fake_repo.edit(repo / "frameworks.toml", 'modules = ["string"]', 'modules = ["no_such_framework"]')
    both = [*ARGV, "two", *SUBMIT[len(ARGV) :]]
    assert cli.main(both, root=repo) == 0
    said = capsys.readouterr()
    assert "toy two.round1: skipped" in said.out and "not done" not in said.err
    fake.wrong = {"plain": "ValueError: no"}
    fake_repo.write_notebook(repo, "one", train="1")
    assert cli.main(both, root=repo) == 1
    assert "not done" in capsys.readouterr().err


def test_slurm_runs_all_units_and_the_tables_are_drawn_once(cluster, repo, fake, capsys):
    assert cli.main(SUBMIT, root=repo) == 0
    assert records_of(cluster) == WHOLE and len(fake.names) == len(WHOLE)
    said = capsys.readouterr().out
    assert said.count("report local") == 1 and "n1 begins task 1, toy fp32 round 1" in said
    assert "toy plain.round1: ok" in said and "at work" in said
    [script] = cluster.scripts
    assert "#SBATCH --partition=long\n#SBATCH --time=9\n" in script and "--exclusive" in script
    assert cli.main(SUBMIT, root=repo) == 0 and len(cluster.scripts) == 1, "nothing is left to submit"
    assert "all is up to date" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("fate", "said"),
    [("cancel", "CANCELLED on n2 (None, status 143)"), ("timeout", "TIMEOUT on n2"), ("kill", "FAILED on n2 (NonZeroExit"),
     ("node", "n2 lost it, Slurm has queued it again (BeginTime)")],
)  # fmt: skip
def test_a_unit_that_was_ended_from_outside_is_told_and_runs_again(cluster, repo, fake, capsys, fate, said):
    cluster.fate = {2: fate}
    assert cli.main(SUBMIT, root=repo) == 0
    out = capsys.readouterr().out
    assert f"task 2, toy fp32 round 2: {said}" in out and records_of(cluster) == WHOLE
    assert len(fake.names) == len(WHOLE), "what had ended did not run again"
    arrays = [array["tasks"].keys() for array in cluster.arrays.values()]
    assert [*map(len, arrays)] == ([5] if fate == "node" else [5, 1])


def test_a_unit_that_is_ended_again_and_again_is_given_up(cluster, repo, fake, capsys):
    fates = itertools.repeat("timeout")
    cluster.fate = type("Always", (dict,), {"pop": lambda self, task, default: next(fates) if task == 2 else default})()
    assert cli.main(SUBMIT, root=repo) == 1
    said = capsys.readouterr()
    assert "not done: toy fp32 round 2" in said.err and len(cluster.scripts) == slurm.TRIES and "report" in said.out


def test_a_row_that_fails_is_not_submitted_again(cluster, repo, fake, capsys):
    fake.wrong = {"compiled": "ValueError: no"}
    assert cli.main(SUBMIT, root=repo) == 1
    assert len(cluster.scripts) == 1 and "compiled.round1: failed: ValueError: no" in capsys.readouterr().out
    fake.wrong = {}
    assert cli.main(SUBMIT, root=repo) == 0 and records_of(cluster) == WHOLE


def test_ctrl_c_leaves_the_array_running_and_the_next_call_takes_it_up(cluster, repo, fake, capsys, monkeypatch):
    looks = []

    def interrupted(seconds):
        looks.append(seconds)
        if len(looks) == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr(slurm.time, "sleep", interrupted)
    assert cli.main(SUBMIT, root=repo) == 130
    assert "goes on" in (said := capsys.readouterr().err) and "scancel --name rosetta-epyc-cpu-cpu-" in said
    assert 0 < len(records_of(cluster)) < len(WHOLE)
    assert cli.main(SUBMIT, root=repo) == 0 and len(cluster.scripts) == 1
    assert "array 101 is at work on this column" in capsys.readouterr().out
    assert records_of(cluster) == WHOLE and len(fake.names) == len(WHOLE)


def test_an_array_that_was_cancelled_as_a_whole_is_not_begun_again(cluster, repo, capsys):
    real = cluster.squeue

    def cancelled(name):
        said = real(name)
        for array in cluster.arrays.values():
            for about in array["tasks"].values():
                about[0] = about[0] if about[0] == "COMPLETED" else "CANCELLED"
        return said

    cluster.squeue = cancelled
    assert cli.main(SUBMIT, root=repo) == 1 and len(cluster.scripts) == 1
    assert "the array was cancelled" in capsys.readouterr().err


def test_an_array_that_was_cancelled_while_all_its_tasks_ran_is_not_begun_again(cluster, repo, capsys):
    cluster.nodes, cluster.fate = [f"n{k}" for k in range(9)], dict.fromkeys(range(1, 10), "cancel")
    assert cli.main(SUBMIT, root=repo) == 1
    assert len(cluster.scripts) == 1 and "the array was cancelled" in capsys.readouterr().err


def test_what_sbatch_refuses_is_told(cluster, repo, fake, capsys):
    cluster.refuses = "sbatch: error: invalid partition specified: long"
    assert cli.main(SUBMIT, root=repo) == 1
    assert "invalid partition specified: long" in capsys.readouterr().err and not fake.jobs


def test_a_squeue_that_fails_for_a_while_is_asked_on_and_nothing_is_submitted_twice(cluster, repo, fake, capsys):
    cluster.out = 3
    assert cli.main(SUBMIT, root=repo) == 0
    said = capsys.readouterr().out
    assert said.count("squeue does not answer (slurm_load_jobs error: Unable to contact slurm controller)") == 1
    assert len(cluster.scripts) == 1 and records_of(cluster) == WHOLE


def test_without_slurm_one_line_says_so(repo, fake, capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert cli.main(SUBMIT, root=repo) == 1
    said = capsys.readouterr().err
    assert "squeue" in said and "takes jobs" in said and len(said.splitlines()) == 1


def test_options_for_the_command_that_waits_do_not_reach_the_nodes(cluster, repo):
    assert cli.main([*SUBMIT, "--framework", "one"], root=repo) == 0
    [line] = [line for line in cluster.scripts[0].splitlines() if "run_all.sh" in line]
    words = line.partition("run_all.sh ")[2].split()
    assert words == [*ARGV, "--framework", "one", "--python", sys.executable, "--shard", '"$SLURM_ARRAY_TASK_ID"/6']


def test_options_and_folders_with_spaces_reach_sbatch_as_one_word(repo):
    """sbatch splits #SBATCH lines as a shell does, and reads nothing behind the first word that is no option."""
    column = repo / "my results" / "box" / "cpu-cpu"
    with pytest.raises(slurm.Refused):
        slurm.Array(column, repo, [("toy", "fp32", "round 1")]).submit([1], [], None, ["--comment=two # words"], 0)
    lines = (column.parent / ".slurm-cpu-cpu" / "job.sh").read_text().splitlines()
    words = [shlex.split(line.removeprefix("#SBATCH"), comments=True) for line in lines if line.startswith("#SBATCH")]
    assert all(len(line) == 1 for line in words) and ["--comment=two # words"] in words
    assert [f"--output={column.parent}/.slurm-cpu-cpu/%A_%a.log"] in words


def test_a_command_that_waited_for_the_array_of_another_submits_its_own(cluster, repo, fake, monkeypatch):
    """The numbers of the other's tasks stand for other units."""

    def gone(seconds):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(slurm.time, "sleep", gone)
        assert cli.main(SUBMIT, root=repo) == 130
    other = [word if word != "plain" else "two" for word in SUBMIT]
    assert cli.main(other, root=repo) == 0 and len(cluster.scripts) == 2
    assert any(name.startswith("two.round") for name in records_of(cluster))


@pytest.mark.parametrize(
    ("argv", "said"),
    [(["--executor", "slurm"], "--label"), (["--slurm=--x"], "--executor slurm"),
     (["--executor", "slurm", "--label", "x", "--shard", "1/2"], "--executor"), (["--executor", "dask"], "here")],
)  # fmt: skip
def test_wrong_options_of_the_executor(repo, capsys, argv, said):
    with pytest.raises(SystemExit) as stop:
        cli.main(argv, root=repo)
    assert stop.value.code == 2 and said in capsys.readouterr().err


def test_variables_of_this_host_and_of_other_options_do_not_reach_slurm(monkeypatch, tmp_path):
    program = tmp_path / "squeue"
    program.write_text("#!/bin/sh\n/usr/bin/env\n")
    program.chmod(0o755)
    theirs = "SQUEUE_FORMAT SQUEUE_STATES SBATCH_ARRAY_INX SBATCH_EXPORT SBATCH_JOB_NAME SLURM_JOB_ID TMPDIR PYTHONPATH"
    for name in [*theirs.split(), "SLURM_CONF", "SBATCH_PARTITION", "ROSETTA_DATA"]:
        monkeypatch.setenv(name, "given")
    monkeypatch.setenv("PATH", str(tmp_path))
    said = {line.partition("=")[0] for line in slurm.asked("squeue").stdout.splitlines()}
    assert not said & {*theirs.split()} and {"SLURM_CONF", "SBATCH_PARTITION", "ROSETTA_DATA"} <= said


def test_a_gpu_column_asks_for_as_many_gpus_as_its_rows_use(cluster, repo, monkeypatch):
    monkeypatch.setattr(machine, "has_gpu", lambda: False)  # the host that submits has none
    array = slurm.Array(cluster.column, repo, [("toy", "fp32", "round 1")])
    array.submit([1], ["--label", "h100"], None, [], 2)
    array.submit([1], ["--label", "h100"], None, ["--gres=gpu:h100:2"], 2)
    first, second = cluster.scripts
    assert "#SBATCH --gres=gpu:2\n" in first and "-f-2" in first and "--gres=gpu:2" not in second
    shown = (
        'CUDA_VISIBLE_DEVICES=4,5,6,7; export CUDA_VISIBLE_DEVICES="$(cut -d, -f-2 <<<"${CUDA_VISIBLE_DEVICES:-0}")"'
    )
    assert shown.partition("; ")[2] in first
    done = os.popen(f"bash -c '{shown}; echo $CUDA_VISIBLE_DEVICES'").read()
    assert done == "4,5\n"


def test_more_units_than_an_array_may_have_share_tasks(repo):
    everything = [("toy", "fp32", f"round {k}") for k in range(1, 2501)]
    array = slurm.Array(repo / "results/local/x/cpu-cpu", repo, everything)
    assert array.count == slurm.MOST and sum(map(len, array.units.values())) == 2500
    some = random.Random(0).sample(range(2500), 50)
    assert all(" ".join(everything[k]) in array.units[k % array.count + 1] for k in some)


@pytest.mark.parametrize(
    "profile, row, made",
    [
        ("cpu", "resnet50_features/numpy", ["imagenet_samples.fetch()", "resnet50.fetch()"]),
        ("cpu", "densenet_chestxray/pytorch", ["chestxray.load('small')"]),
        ("cpu", "mlp_mnist/julia-inplace", ["mnist.fetch()"]),
        ("cpu", "affine_transfer/numpy", []),
        ("quick", "densenet_chestxray/pytorch", []),
    ],
)
def test_data_is_fetched_before_anything_runs(monkeypatch, tmp_path, profile, row, made):
    """Weights that a lesson loads beside its data count, and what no lesson in Julia imports; of a data set, a part."""

    class Module:
        def __init__(self, name):
            self.name = name.rpartition(".")[2]

        def fetch(self):
            seen.append(f"{self.name}.fetch()")

        def load(self, source):
            seen.append(f"{self.name}.load({source!r})")

    seen, declared = [], Declarations(kernels.ROOT)
    monkeypatch.setattr(batch.importlib, "import_module", Module)
    rows = [r for r in declared.rows(profile, "cpu") if f"{r.workload}/{r.id}" == row]
    batch.Batch(declared, tmp_path).fetch([batch.Run(r, "full") for r in rows])
    assert rows and seen == made


def test_the_flags_of_the_nodes_decide_what_is_up_to_date(cluster, repo, fake, monkeypatch):
    """The host that submits may emulate a precision that the nodes have."""
    argv = [*SUBMIT[:6], "--row", "two-bf16", "--executor", "slurm"]
    node = {**FACTS, "flags": ["avx512_bf16"], "label": "epyc"}
    cluster.execute = lambda words: with_flags(monkeypatch, node, lambda: cli.main(words, root=repo))
    assert cli.main(argv, root=repo) == 0
    assert json.loads((cluster.column.parent / "machine.json").read_text())["flags"] == node["flags"]
    assert "two-bf16.full.json" in records_of(cluster), "it is known after the first array that the nodes need it"
    submitted = len(cluster.scripts)
    assert cli.main(argv, root=repo) == 0 and len(cluster.scripts) == submitted == 2


def with_flags(monkeypatch, node, work):
    with monkeypatch.context() as patch:
        patch.setattr(machine, "facts", lambda label, device: node)
        patch.setattr(machine, "cpu", lambda: {"flags": node["flags"]})
        return work()
