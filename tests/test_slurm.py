"""A real Slurm of two nodes on this machine runs twelve units, while a task, a node and the waiting command are ended.

It needs Debian's packages slurmctld, slurmd, slurm-client and munge; the rest of Slurm's part is in test_shards.py.
"""

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import time
from pathlib import Path

import psutil
import pytest

REPOSITORY = Path(__file__).resolve().parent.parent
LACKING = [program for program in ("slurmctld", "slurmd", "sbatch", "munged") if not shutil.which(program)]
pytestmark = [
    pytest.mark.notebooks,
    pytest.mark.first,
    pytest.mark.skipif(bool(LACKING), reason=f"no {', '.join(LACKING)}: apt-get install slurmctld slurmd munge"),
]
WORKLOADS = ["affine_transfer", "cnn_mnist", "mlp_mnist", "mlp_mnist_batch"]
ROWS = ["--workload", *WORKLOADS, "--row", "numpy", "numpy-batched"]
LEFT_OUT = shutil.ignore_patterns(".git", ".environments", "results", "__pycache__", ".*_cache", ".hypothesis")
OF_THE_RUN = {"started", "wall", "machine", "probe", "order", "notebook", "measurements", "tables", "threads", "commit"}


@pytest.fixture
def cluster(tmp_path, monkeypatch):
    """A copy of the checkout, and a Slurm: the function that calls tests/slurm.sh."""
    shutil.copytree(REPOSITORY, tmp_path / "rosetta", ignore=LEFT_OUT, symlinks=True)
    (tmp_path / "rosetta" / ".environments").symlink_to((REPOSITORY / ".environments").resolve())
    folder = tmp_path / "slurm"
    monkeypatch.setenv("SLURM_CONF", str(folder / "slurm.conf"))

    def call(what, *more):
        command = ["bash", str(REPOSITORY / "tests" / "slurm.sh"), what, str(folder), *more]
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        assert done.returncode == 0, done.stderr

    call("start")
    yield call
    subprocess.run(["scancel", "--user", str(os.getuid())], check=False)
    time.sleep(1)
    call("stop")


def start(root, *argv, **variables):
    command, environ = ["./run_all.sh", "--label", "nodes", *ROWS, *argv], {**os.environ, **variables}
    return subprocess.Popen(command, cwd=root, env=environ, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def running():
    """{node: task of the array, such as "17_3"} of what runs."""
    asked = ["squeue", "--noheader", "--states=RUNNING", "--format=%N %F_%K"]
    return dict(line.split() for line in subprocess.run(asked, capture_output=True, text=True).stdout.splitlines())


def wait(condition, what, seconds=120):
    end = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < end, what
        time.sleep(0.5)
    return found


def fail(node, folder):
    """Ends all processes of a node at once, as a power cut would."""
    mine = [psutil.Process(int(Path(folder, f"{node}.pid").read_text()))]
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error, KeyError):
            if process.environ()["SLURMD_NODENAME"] == node and process.environ()["SLURM_CONF"].startswith(folder):
                step = process.parent()  # before its script, or it would tell how that ended
                mine += [step, process] if "slurmstepd" in step.name() else [process]
    for process in mine:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.kill()


def test_a_batch_on_two_nodes_survives_a_node_a_task_and_its_own_end(cluster, tmp_path):
    root, folder = tmp_path / "rosetta", str(tmp_path / "slurm")
    first = start(root, "--rounds", "3", "--executor", "slurm")
    task = wait(lambda: running().get("n1") and len(running()) == 2 and running()["n1"], "two tasks at work")
    subprocess.run(["scancel", task], check=True)
    assert wait(lambda: running().get("n2"), "a task on n2")
    first.send_signal(signal.SIGKILL)
    said, _ = first.communicate()
    assert "Slurm's array" in said and "tasks: 12" in said
    fail("n2", folder)
    second = start(root, "--rounds", "3", "--executor", "slurm")
    array = task.partition("_")[0]
    lost = ["squeue", "--noheader", "--array", "--states=PENDING", "--format=%i %r"]
    held = wait(lambda: re.findall(r"(\S+) BeginTime", subprocess.run(lost, capture_output=True, text=True).stdout),
                "the lost task is queued again")  # fmt: skip
    for one in held:  # Slurm would wait two minutes
        subprocess.run(["scontrol", "update", f"JobId={one}", "StartTime=now"], check=True)
    cluster("node", "2")
    said, _ = second.communicate(timeout=1200)
    assert second.returncode == 0, said
    assert f"array {array} is at work on this column: waiting for it" in said and "tasks: 1;" in said, said
    assert re.search(r"CANCELLED on n1 \(.*status 143", said) and "n2 lost it, Slurm has queued it again" in said, said
    column = root / "results" / "local" / "nodes" / "quick-cpu"
    records = [json.loads(path.read_text()) for path in sorted(column.glob("*/*.json"))]
    assert sorted((r["workload"], r["round"]) for r in records) == [
        (w, k) for w in sorted(WORKLOADS) for k in (1, 2, 3)
    ]
    assert all(record["status"] == "ok" for record in records)
    logs = "".join(path.read_text() for path in column.parent.glob(".slurm-*/*.log"))
    assert len(re.findall(r"^\[1/1\] .*: ok", logs, re.MULTILINE)) == 12, "each was finished once"
    assert (column / "tables.md").exists() and not list(column.parent.glob(".units*/*"))

    # under a name of its own, as what else runs on this machine may hold its lock
    here = start(root, "--rounds", "1", "--label", "alone", SLURMD_NODENAME="alone")
    said, _ = here.communicate(timeout=300)
    assert here.returncode == 0, said
    for path in sorted((root / "results" / "local" / "alone" / "quick-cpu").glob("*/*.json")):
        same = column / path.relative_to(path.parents[1])
        ours, theirs = (
            {k: v for k, v in json.loads(p.read_text()).items() if k not in OF_THE_RUN} for p in (path, same)
        )
        assert ours == theirs
