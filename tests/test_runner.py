"""The runner on a repository in miniature: resume, keys, and every fault it has to live through."""

import errno
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner import __main__ as cli
from runner import execute, files, machine, matrix
from tests.fixtures import fake_repo

REPOSITORY = Path(__file__).resolve().parent.parent
HERE = ["--python", sys.executable, "--label", "here"]
# main() on another root, as a process of its own, so that signals and locks are real
CHILD = "import sys; from tests.test_runner import child; sys.exit(child(sys.argv[1], sys.argv[2:]))"


def quietly(patch):
    """Neither peaks (slow) nor tables (tested elsewhere) are the subject here."""
    patch.setattr(machine, "peaks", lambda device, threads: {})
    patch.setattr(machine, "machine_file", lambda *args, **more: {})
    from runner import tables

    patch.setattr(tables, "write_local", lambda column, published: "TABLES")


def child(root, argv):
    """What a process of its own runs."""
    patch = pytest.MonkeyPatch()
    quietly(patch)
    return cli.main([*HERE, *argv], root=Path(root))


def start(root, *argv):
    """Starts the runner in a process of its own."""
    environ = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    command = [sys.executable, "-c", CHILD, str(root), *argv]
    return subprocess.Popen(command, env=environ, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


@pytest.fixture
def repo(tmp_path, monkeypatch):
    quietly(monkeypatch)
    return fake_repo.make(tmp_path / "repo")


def results(repo):
    return repo / "results" / "local" / "here" / "quick-cpu" / "toy"


def run(repo, *argv):
    return cli.main([*HERE, *argv], root=repo)


def record(repo, name):
    return json.loads((results(repo) / name).read_text())


def stamps(repo):
    return {path.name: path.stat().st_mtime_ns for path in results(repo).glob("*.r1.json")}


def redone(before, after):
    return {name.split(".")[0] for name in after if before.get(name) != after[name]}


# ------------------------------------------------------------------------------------------------------- options
@pytest.mark.parametrize(
    ("argv", "names"),
    [
        (["--workload", "nope"], ["toy"]),
        (["--framework", "nope"], ["one", "two"]),
        (["--row", "nope"], ["one-plain", "two-bf16"]),
        (["--precision", "nope"], ["fp32", "bf16"]),
        (["--profile", "nope"], ["quick", "cpu"]),
        (["--device", "nope"], ["cpu", "gpu"]),
        (["--nope"], ["--workload", "--publish"]),
        (["--prof", "quick"], ["--profile"]),
        (["nope"], ["report"]),
        (["--repeats", "0"], ["at least 1"]),
        (["--label", "../up"], ["plain name"]),
    ],
)
def test_unknown_names_are_answered_with_the_valid_ones(repo, capsys, argv, names):
    with pytest.raises(SystemExit) as stop:
        cli.main(argv, root=repo)
    assert stop.value.code == 2
    said = capsys.readouterr().err
    assert all(name in said for name in names)


def test_a_selection_without_rows_is_refused(repo, capsys):
    assert run(repo, "--framework", "one", "--precision", "bf16") == 2
    assert "--list" in capsys.readouterr().err


def test_list_and_help_need_no_environment(repo):
    bare = [sys.executable, "-S", "-I", "-c"]  # no site-packages: nothing but the standard library
    code = f"import sys; sys.path.insert(0, {str(REPOSITORY)!r}); from runner.__main__ import main; main(sys.argv[1:])"
    for option in ("--list", "--help"):
        begin = time.monotonic()
        done = subprocess.run([*bare, code, option], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert time.monotonic() - begin < 3


def test_a_python_that_does_not_run_is_named(repo, capsys):
    assert cli.main(["--python", "/no/such/python"], root=repo) == 1
    assert "/no/such/python" in capsys.readouterr().err


# -------------------------------------------------------------------------------------------------------- matrix
def test_rows_of_a_profile(repo):
    rows = {row.id: row for row in matrix.Matrix(repo).rows("cpu", "cpu", cpu_flags=["avx2"])}
    assert list(rows) == ["one-plain", "one-compiled", "two", "two-bf16"]
    assert rows["one-compiled"].parameters["COMPILE"] is True
    assert not rows["two"].partial and rows["two"].parameters["TRAIN_SAMPLES"] == 80
    assert rows["two-bf16"].partial and rows["two-bf16"].parameters["TRAIN_SAMPLES"] == 16
    native = {row.id: row for row in matrix.Matrix(repo).rows("cpu", "cpu", cpu_flags=["avx512_bf16"])}
    assert not native["two-bf16"].partial
    assert [row.id for row in matrix.Matrix(repo).rows("quick", "gpu")] == [
        "one-plain",
        "one-compiled",
        "one-plain-tf32",
        "one-compiled-tf32",
    ]


def test_the_real_matrix_is_whole():
    real = matrix.Matrix(REPOSITORY)
    for profile in real.profiles:
        for device in ("cpu", "gpu"):
            rows = real.rows(profile, device)
            assert len({(row.workload, row.id) for row in rows}) == len(rows)
            assert all(row.environment in real.environments for row in rows)


# -------------------------------------------------------------------------------------------------------- resume
def test_resume_and_what_makes_a_row_out_of_date(repo, capsys):
    assert run(repo) == 0
    done = stamps(repo)
    assert set(done) == {f"{row}.r1.json" for row in ("one-plain", "one-compiled", "two", "two-bf16")}
    good = record(repo, "one-plain.r1.json")
    assert good["status"] == "ok" and good["toy"] == 1 and good["parameters"]["TRAIN_SAMPLES"] == 8
    assert (results(repo) / "one-plain.ipynb").exists()
    assert not list(results(repo).glob(".running*"))

    begin = time.monotonic()
    assert run(repo) == 0
    assert time.monotonic() - begin < 5
    assert redone(done, stamps(repo)) == set()
    assert "0 to run, 4 up to date" in capsys.readouterr().out

    # outputs and markdown, comments and docstrings of common: nothing
    path = repo / "notebooks" / "toy" / "one.ipynb"
    edited = json.loads(path.read_text())
    edited["cells"][0]["source"] = "# another title"
    edited["cells"][4]["outputs"] = [{"output_type": "stream", "name": "stdout", "text": "hello"}]
    path.write_text(json.dumps(edited))
    (repo / "common" / "toy.py").write_text("def value():\n    return 1\n")
    assert run(repo) == 0
    assert redone(done, stamps(repo)) == set()

    # one code cell: the rows of that notebook
    fake_repo.write_notebook(repo, "two", "x = 2")
    assert run(repo) == 0
    assert redone(done, stamps(repo)) == {"two", "two-bf16"}

    # code of common: all
    done = stamps(repo)
    (repo / "common" / "toy.py").write_text("def value():\n    return 2\n")
    assert run(repo) == 0
    assert redone(done, stamps(repo)) == {"one-plain", "one-compiled", "two", "two-bf16"}


def test_another_seed_lies_beside_the_rows_own_records(repo, capsys):
    assert run(repo) == 0
    done = stamps(repo)
    assert run(repo, "--row", "one-plain", "--row", "two", "--seed", "7") == 0
    assert redone(done, stamps(repo)) == set()
    assert sorted(path.name for path in (results(repo) / "seeds").iterdir()) == [
        "one-plain.s7.ipynb", "one-plain.s7.r1.json", "two.s7.ipynb", "two.s7.r1.json"]
    assert record(repo, "seeds/two.s7.r1.json")["parameters"]["SEED"] == 7
    capsys.readouterr()
    assert run(repo, "--row", "one-plain", "--seed", "7") == 0
    assert "0 to run, 1 up to date" in capsys.readouterr().out


def test_key_depends_on_each_part(repo):
    row = matrix.Matrix(repo).rows("quick", "cpu")[0]
    common = execute.common_digest(repo, "toy", "toy")
    base = execute.key_of(row, row.parameters, "lock", common)
    assert base == execute.key_of(row, {**row.parameters, "RECORD_PATH": "x"}, "lock", common)
    assert base != execute.key_of(row, {**row.parameters, "EPOCHS": 2}, "lock", common)
    assert base != execute.key_of(row, row.parameters, "another lock", common)
    (repo / "common" / "samples" / "toy.npz").write_bytes(b"altered")
    assert execute.common_digest(repo, "toy", "toy") != common
    samples, spec = repo / "common" / "samples" / "others.npz", repo / "common" / "references" / "other_toy.json"
    spec.parent.mkdir(exist_ok=True)
    spec.write_text('{"samples": "others.npz"}')
    digests = set()
    for content in (b"one", b"two"):
        samples.write_bytes(content)
        digests.add(execute.common_digest(repo, "toy", "other_toy"))
    assert len(digests) == 2, "a reference's own samples belong to it"
    tagged = json.loads(row.notebook.read_text())
    tagged["cells"][4]["metadata"]["tags"] = ["new"]
    row.notebook.write_text(json.dumps(tagged))
    assert base != execute.key_of(row, row.parameters, "lock", common)


@given(st.text(alphabet=st.characters(blacklist_categories=("Cs", "Cc"), blacklist_characters='"\\')))
def test_comments_and_docstrings_do_not_count(words):
    plain = "def f(x):\n    return x + 1\n"
    first = (words.splitlines() or [""])[0]
    told = f'"""{words} ."""\n# {first}\ndef f(x):\n    """{words} ."""\n    return x + 1  # why\n'
    assert execute.without_comments(told) == execute.without_comments(plain)
    assert execute.without_comments(plain) != execute.without_comments(plain.replace("1", "2"))


# -------------------------------------------------------------------------------------------------------- faults
@pytest.mark.parametrize(
    ("train", "options", "reasons"),
    [
        ("raise ValueError('BATCH_SIZE must be at least 1')", [], ["ValueError: BATCH_SIZE", "## Train"]),
        ("import os; os.kill(os.getpid(), 9)", [], ["kernel was killed", "## Train"]),
        ("import time; time.sleep(60)", ["--timeout", "6"], ["time limit of 6 s", "## Train"]),
        ("RECORD = 0; Path = None; raise SystemExit(3)", [], ["SystemExit", "## Train"]),
        ("import no_such_module", [], ["ModuleNotFoundError", "no_such_module"]),
    ],
)
def test_a_notebook_that_fails_leaves_its_reason_and_the_rest_runs(repo, capsys, train, options, reasons):
    fake_repo.write_notebook(repo, "one", train)
    assert run(repo, "--row", "one-plain", "two", *options) == 1
    failed = record(repo, "one-plain.failed.json")
    assert failed["status"] == "failed" and failed["key"]
    assert all(reason in failed["reason"] for reason in reasons), failed["reason"]
    assert not (results(repo) / "one-plain.r1.json").exists()
    assert record(repo, "two.r1.json")["status"] == "ok"
    assert "1 ok, 0 skipped, 1 failed" in capsys.readouterr().out
    # a failed record never satisfies resume; a later success removes it
    assert run(repo, "--row", "one-plain", *options) == 1
    fake_repo.write_notebook(repo, "one")
    assert run(repo, "--row", "one-plain") == 0
    assert not list(results(repo).glob("*.failed.*"))


def test_a_failure_keeps_the_last_good_record_and_goes_when_the_sources_are_back(repo):
    assert run(repo, "--row", "one-plain") == 0
    fake_repo.write_notebook(repo, "one", "1 / 0")
    assert run(repo, "--row", "one-plain") == 1
    assert record(repo, "one-plain.r1.json")["status"] == "ok"
    assert "ZeroDivisionError" in record(repo, "one-plain.failed.json")["reason"]
    fake_repo.write_notebook(repo, "one")
    assert run(repo, "--row", "one-plain") == 0
    assert not list(results(repo).glob("*.failed.*"))


def test_without_a_record_or_with_a_failed_proof_a_row_has_failed(repo):
    fake_repo.write_notebook(repo, "one", "import os; RECORD_PATH = os.devnull")
    fake_repo.write_notebook(repo, "two", "PASSED = False")
    assert run(repo, "--row", "one-plain", "two") == 1
    assert "no record" in record(repo, "one-plain.failed.json")["reason"]
    assert "proof" in record(repo, "two.failed.json")["reason"]


def test_a_missing_framework_is_skipped_with_the_reason(repo, capsys):
    toml = repo / "runner" / "matrix.toml"
    toml.write_text(toml.read_text().replace('package = "string"', 'package = "no_such_framework"'))
    assert run(repo, "--row", "one-plain", "two") == 0
    skipped = record(repo, "two.failed.json")
    assert skipped["status"] == "skipped" and "no_such_framework" in skipped["reason"]
    assert "1 ok, 1 skipped, 0 failed" in capsys.readouterr().out


def test_a_framework_that_sees_no_gpu_is_skipped_never_run_on_the_cpu(repo):
    assert run(repo, "--device", "gpu") == 0
    folder = repo / "results" / "local" / "here" / "quick-gpu" / "toy"
    assert not list(folder.glob("*.r1.json"))
    skipped = json.loads((folder / "one-plain.failed.json").read_text())
    assert skipped["status"] == "skipped" and "no GPU of any kind" in skipped["reason"]


def test_a_release_too_old_for_todays_gpus_is_skipped_with_that_reason(repo):
    toml = repo / "runner" / "matrix.toml"
    toml.write_text(toml.read_text().replace("gpu_check =", 'no_gpu = "wants CUDA 9"\ngpu_check ='))
    assert run(repo, "--device", "gpu") == 0
    skipped = json.loads((repo / "results/local/here/quick-gpu/toy/one-plain.failed.json").read_text())
    assert skipped["status"] == "skipped" and skipped["reason"] == "wants CUDA 9"


def test_what_a_row_needs_of_the_system_is_told_where_it_is_not_there(repo):
    toml = repo / "runner" / "matrix.toml"
    toml.write_text(toml.read_text().replace("gpu_check =", """check = "assert False, 'needs g++: apt-get install g++'"\ngpu_check ="""))
    assert run(repo, "--row", "one-plain") == 0
    skipped = record(repo, "one-plain.failed.json")
    assert skipped["status"] == "skipped" and skipped["reason"] == "needs g++: apt-get install g++"


def test_a_compilers_cache_is_empty_in_each_run(repo):
    toml = repo / "runner" / "matrix.toml"
    toml.write_text(toml.read_text().replace("[environments.main]", '[environments.main]\ncaches = { CACHE = "{scratch}/toy" }'))
    fake_repo.write_notebook(repo, "one", "import os; os.mkdir(os.environ['CACHE'])")  # fails where it is there already
    for repeats in ("1", "2"):
        assert run(repo, "--row", "one-plain", "--repeats", repeats) == 0
    assert {path.name for path in results(repo).iterdir()} == {"one-plain.ipynb", "one-plain.r1.json", "one-plain.r2.json"}


def wait_for(path, seconds=30):
    end = time.monotonic() + seconds
    while not path.exists():
        assert time.monotonic() < end, f"{path} did not appear"
        time.sleep(0.1)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_keeps_what_is_finished_and_goes_on(repo, tmp_path, number):
    pid_file = tmp_path / "kernel.pid"
    wait = f"import os, pathlib, time; pathlib.Path({str(pid_file)!r}).write_text(str(os.getpid())); time.sleep(99)"
    fake_repo.write_notebook(repo, "two", wait)
    process = start(repo, "--row", "one-plain", "two")
    wait_for(pid_file)
    time.sleep(0.5)
    process.send_signal(number)
    said, _ = process.communicate(timeout=20)
    assert process.returncode == 128 + number
    assert "again to go on" in said
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid_file.read_text()), 0)
    assert record(repo, "one-plain.r1.json")["status"] == "ok"
    assert record(repo, "two.failed.json")["status"] == "interrupted"
    assert not list(results(repo).glob(".running*"))
    before = stamps(repo)
    fake_repo.write_notebook(repo, "two")
    assert run(repo, "--row", "one-plain", "two") == 0
    assert redone(before, stamps(repo)) == {"two"}


def test_a_second_run_refuses_and_names_the_first(repo, tmp_path, capsys):
    begun = tmp_path / "begun"
    fake_repo.write_notebook(repo, "one", f"import pathlib, time; pathlib.Path({str(begun)!r}).touch(); time.sleep(99)")
    first = start(repo, "--row", "one-plain")
    try:
        wait_for(begun)
        assert run(repo, "--row", "two") == 1
        said = capsys.readouterr().err
        assert f"process {first.pid}" in said and ".lock" in said
        assert not (results(repo) / "two.r1.json").exists()
    finally:
        first.send_signal(signal.SIGINT)
        first.communicate(timeout=20)
    assert run(repo, "--row", "two") == 0


def test_results_that_cannot_be_written_are_told_before_work_starts(repo, capsys):
    (repo / "results").write_text("a file in the way")
    assert run(repo) == 1
    said = capsys.readouterr()
    assert "cannot write to" in said.err and "to run" not in said.out


def test_a_full_disk_is_told_before_work_starts(repo, capsys, monkeypatch):
    def full(*args):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    assert run(repo) == 1
    assert "No space left" in capsys.readouterr().err
    monkeypatch.undo()
    assert not [p for p in (repo / "results").rglob("*") if p.is_file()]


def test_too_little_room_is_told_before_work_starts(repo, capsys, monkeypatch):
    monkeypatch.setattr(cli, "LEAST_FREE", 2**60)
    assert run(repo) == 1
    assert "are needed" in capsys.readouterr().err


def test_writing_is_all_or_nothing(tmp_path, monkeypatch):
    path = tmp_path / "record.json"
    files.write_json(path, {"a": 1})

    def full(*args):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        files.write_json(path, {"a": 2})
    assert json.loads(path.read_text()) == {"a": 1}
    assert list(tmp_path.iterdir()) == [path]


# ------------------------------------------------------------------------------------------------------- machine
def test_machine_facts_name_no_host():
    facts = machine.facts("", "cpu")
    assert facts["physical_cores"] >= 1 and facts["cpu"] and facts["label"].endswith("core")
    assert os.uname().nodename not in json.dumps(facts)


def test_peaks_are_measured_once_and_a_label_stands_for_one_machine(tmp_path, monkeypatch):
    facts = {"label": "x", "cpu": "A", "physical_cores": 2, "gpu": None}
    calls = []

    def measured(*args, **more):
        calls.append(args)
        return subprocess.CompletedProcess(args, 0, stdout='{"fp32_flops": 1.0}\n', stderr="")

    monkeypatch.setattr(machine.subprocess, "run", measured)
    for _ in range(2):
        kept = machine.machine_file(tmp_path, facts, "cpu", sys.executable, {}, say=len)
    assert kept["peaks"]["cpu"] == {"fp32_flops": 1.0} and len(calls) == 1
    with pytest.raises(ValueError, match="--label"):
        machine.machine_file(tmp_path, {**facts, "cpu": "B"}, "cpu", sys.executable, {})
