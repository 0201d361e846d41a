"""One row, run once: `python -m runner job JOB.json` leaves one record and the executed notebook that it names."""

import contextlib
import hashlib
import json
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

import jsonschema
import psutil
import yaml

from catalog.inputs import Notebook
from referee.record import SCHEMA, write_json
from runner import compose, environments
from runner.hosts import alone, machine

VALID = jsonschema.Draft202012Validator(json.loads((environments.ROOT / "referee/record.schema.json").read_text()))
# Of a job's fields, those that its record repeats, and those that only the run needs.
KEPT = "workload row framework title precision device profile kind round part order inputs machine commit".split()
NEEDED = "notebook proves probe parameters weights speed peaks kernel timeout record referee".split()
OWN = "parameters data versions threads measurements tables proof run".split()  # the referee's part of the record
ABOVE_PEAK = 1.1  # a rate may exceed the measured peak by this much: a shared machine's speed changes
ALONE = 0.1  # share of the CPUs' time that others may take while a peak is measured that a run is refused for
FASTER = "faster than this machine's peak, which was measured again: was work left out?"
NOT_STARTED = "the kernel ended before the first cell"
START = 300  # seconds that a kernel may take to start: Julia compiles much of its own on a slow machine
NOT_OK = 3  # exit status: a record was left, and it is not ok


class JobError(ValueError):
    """A job's file does not say all that is needed."""


class Interrupted(BaseException):
    """Ctrl-C, SIGTERM or a closed terminal; its one argument is the signal's number."""


@contextlib.contextmanager
def interruptible():
    """SIGINT, SIGTERM and SIGHUP raise Interrupted within; one more while it is cleaned up after is ignored.

    Not SIGHUP where it is ignored already, as below nohup.
    """

    def stop(number, _frame):
        for which in before:
            signal.signal(which, signal.SIG_IGN)
        raise Interrupted(number)

    hangup = [signal.SIGHUP] * (signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN)
    before = {which: signal.signal(which, stop) for which in (signal.SIGINT, signal.SIGTERM, *hangup)}
    try:
        yield
    finally:
        for which, handler in before.items():
            signal.signal(which, handler)


def end_tree(process: subprocess.Popen):
    """Ends a process and all it started: kernels live in sessions of their own, so a group is not enough."""
    with contextlib.suppress(psutil.NoSuchProcess):
        tree = [*psutil.Process(process.pid).children(recursive=True), psutil.Process(process.pid)]
        for member in tree:
            with contextlib.suppress(psutil.NoSuchProcess):
                member.kill()
        psutil.wait_procs(tree, timeout=10)
    process.wait()


# ----------------------------------------------------------------------------------------------------- the notebook
def execute(notebook: Path, output: Path, folder: Path, parameters: dict, environ: dict, timeout: float) -> str:
    """Executes `notebook` in `folder` with the kernel "rosetta"; returns the reason why it failed, "" if it did not.

    The kernel inherits `environ` from papermill. Raises Interrupted with kernel and papermill ended.
    """
    log, given = output.with_suffix(".log"), yaml.safe_dump(parameters)
    program = str(Path(__file__).with_name("languages") / "papermill.py")
    # papermill fills in what stands between such brackets
    places = [str(path).replace("{", "{{").replace("}", "}}") for path in (notebook, output)]
    command = [sys.executable, "-P", program, *places, "-y", given, "-k", "rosetta"]
    command += ["--cwd", str(folder), "--no-progress-bar", "--autosave-cell-every", "0", "--start-timeout", str(START)]
    with open(log, "w") as said:
        process = subprocess.Popen(command, env=environ, stdout=said, stderr=said, start_new_session=True)
        try:
            process.wait(timeout=timeout)
        except subprocess.TimeoutExpired:
            return f"over its time limit of {timeout:g} s, in {heading(output)}"
        finally:
            end_tree(process)
    if process.returncode == 0:
        return ""
    text = log.read_text(errors="replace")
    if "Kernel died before" in text:
        said = text.partition("Error occurred while starting")[0].strip().splitlines()[2:]  # less papermill's two lines
        return f"{NOT_STARTED}: {said[-1] if said else 'it said nothing'}"
    if "Kernel didn't respond in" in text:
        return f"the kernel did not start within {START} s"
    if "DeadKernelError" in text or "Kernel died" in text:
        return f"the kernel was killed or died (out of memory?), in {heading(output)}"
    errors = [out for cell in cells(output) for out in cell.get("outputs", []) if out["output_type"] == "error"]
    if errors:
        return f"{errors[0]['ename']}: {errors[0]['evalue']} (in {heading(output)})"
    return f"papermill: {(text.strip().splitlines() or ['ended without a word'])[-1]}"


def cells(output: Path) -> list:
    """The cells of an executed notebook; [] without one."""
    with contextlib.suppress(OSError, ValueError):
        return json.loads(output.read_text(encoding="utf-8"))["cells"]
    return []


def heading(output: Path) -> str:
    """The last heading above the cell that ran last in an executed notebook."""
    found = cells(output)
    begun = [i for i, c in enumerate(found) if c["metadata"].get("papermill", {}).get("start_time")]
    above = ["".join(c["source"]) for c in found[: begun[-1] if begun else 0] if c["cell_type"] == "markdown"]
    lines = re.findall(r"^#+ .*$", "\n".join(above), re.MULTILINE)
    return f'"{lines[-1]}"' if lines else "its first cells"


def durations(output: Path) -> dict:
    """The seconds that the cells tagged setup and data took, as the measurements "import" and "data"."""
    taken, names = {}, {"setup": "import", "data": "data"}
    for about in [cell["metadata"] for cell in cells(output)]:
        for tag in names.keys() & {*about.get("tags", [])}:
            taken[names[tag]] = taken.get(names[tag], 0.0) + (about.get("papermill", {}).get("duration") or 0.0)
    return {name: {"unit": "s", "values": [seconds]} for name, seconds in taken.items()}


# -------------------------------------------------------------------------------------------------------- the record
def doubt(job: dict, own: dict, probe: dict) -> str:
    """Why the referee's part of the record is not believed; "" where it holds what the job promises."""
    if not own:
        return "the referee wrote no record"
    if job["proves"]:
        parts = (own.get("proof") or {"parts": {}})["parts"]
        if wrong := [part["text"] for part in parts.values() if not part["passed"]]:
            return f"the proof did not pass: {'; '.join(wrong)}"
        if differing := sorted(set(parts) ^ set(job["referee"]["parts"])):
            return f"the proof has other parts than workload.toml says: {', '.join(differing)}"
    run, promised = own.get("run"), job["inputs"]["parameters"]
    if job["kind"] == "round" and "EPOCHS" in promised and not run:
        return "the record holds no timed run"
    size, batch, epochs = (promised.get(name) for name in ("TRAIN_SAMPLES", "BATCH_SIZE", "EPOCHS"))
    if run and size and batch and epochs:
        batch *= promised.get("DEVICES", 1)  # each has a mini-batch of its own
        ran, whole = (run["samples"], run["steps"]), (epochs * size, epochs * -(-size // batch))
        limited = promised.get("SECONDS") and 0 < ran[0] <= min(whole[0], ran[1] * batch)
        if ran != whole and not limited:
            return "{} samples in {} steps were trained; the parameters promise {} in {}".format(*ran, *whole)
    if run and job["weights"] not in (None, run["weights"]):
        return "the run did not start from the shared weights"
    return FASTER if too_fast(job, own, probe, job["peaks"]) else ""


def too_fast(job: dict, own: dict, probe: dict, peaks: dict) -> bool:
    """Whether the run's speed exceeds the peak of its precision, and the products measured beside it, by ABOVE_PEAK."""
    rates = own["measurements"].get(job["speed"]["from"], {}).get("values") if job["speed"] else []
    # a probe alone is no peak: a batch of full runs measures none, and other work may go on beside it
    peak = peaks.get(job["precision"]) or max((v for k, v in peaks.items() if k not in machine.WORDS), default=None)
    if not rates or peak is None:
        return False
    known = [peak, *filter(None, (probe.get("before"), probe.get("after")))]
    gpus = job["inputs"]["parameters"].get("DEVICES", 1) if job["device"] == "gpu" else 1
    return statistics.median(rates) * job["speed"]["flops"] > ABOVE_PEAK * gpus * max(known)


def doubted_again(job: dict, own: dict, probe: dict) -> str:
    """FASTER where the run exceeds peaks that are measured once more, the larger kept; "" where it does not.

    The first may be of a busy machine. So may this one: on a CPU it counts only where others left it nearly alone, and
    nothing is held against a run whose peak could not be measured in three tries. machine.json beside the column holds
    the peaks then.
    """
    for _ in range(3):
        with machine.shared() as others:
            again = machine.peak(job["device"], job["machine"]["physical_cores"], job["precision"])
        with contextlib.suppress(OSError, ValueError):
            machine.keep(Path(job["record"]).parents[2], {}, {job["device"]: again})
        job = {**job, "peaks": machine.larger(job["peaks"], again)}
        if not (reason := doubt(job, own, probe)) or job["device"] == "gpu" or others["share"] <= ALONE:
            return reason
    return ""


def assemble(job: dict, status: str, reason: str, own=None, started="", wall=0.0, probe=None) -> dict:
    """The whole record of a job, valid by the schema: it fails without the referee's part where that is not."""
    record = {
        **{"schema": SCHEMA, "status": status, "reason": reason, "probe": probe or None, "notebook": None},
        **{"data": None, "threads": None, "proof": None, "run": None, "versions": {}, "measurements": {}, "tables": {}},
        **{"parameters": {**job["inputs"]["parameters"], **job["parameters"]}},
        **{name: own[name] for name in OWN if own and name in own},
        **{name: job[name] for name in KEPT},
        **{"started": started or now(), "wall": round(wall, 3)},
    }
    error = jsonschema.exceptions.best_match(VALID.iter_errors(record))
    if error is None or not own:
        return record
    reason = f"the record is not valid: {'.'.join(map(str, error.absolute_path)) or 'it'}: {error.message[:200]}"
    return assemble(job, "failed", reason, None, started, wall, probe)


def now() -> str:
    """The time of day in UTC."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def running() -> str:
    """How the names of this host's folders of running jobs begin: another host never removes them."""
    return f".running-{alone.host()}="


def failed_path(path: Path) -> Path:
    """Where the record of a run lies that was not good: it never takes a good one's place."""
    return path.with_suffix(".failed.json")


def forget_failed(path: Path):
    """Removes the record of a run that was not good, and its notebook: a later run did what that one could not."""
    failed = failed_path(path)
    for old in (failed, *path.parent.glob(f"{failed.stem}-????????.ipynb")):
        old.unlink(missing_ok=True)


def keep(record: dict, path: Path, output: Path | None = None) -> dict:
    """Puts a record in its place, and before it the executed notebook that it names by digest. Raises OSError.

    Then notebooks that no record names any more are removed, and the failed record after a good run.
    """
    place = path if record["status"] == "ok" else failed_path(path)
    if output and output.exists():
        with open(output, "rb") as file:
            sha = hashlib.file_digest(file, "sha256").hexdigest()
            os.fsync(file.fileno())
        record = {**record, "notebook": {"file": f"{place.stem}-{sha[:8]}.ipynb", "sha256": sha}}
        os.replace(output, place.with_name(record["notebook"]["file"]))
    write_json(place, record)
    if place == path:
        forget_failed(path)
    for old in path.parent.glob(f"{place.stem}-????????.ipynb"):
        if old.name != (record["notebook"] or {}).get("file"):
            old.unlink(missing_ok=True)
    return record


# ----------------------------------------------------------------------------------------------------------- the job
def run(job: dict) -> dict:
    """Runs a job; returns its record, which is on the disk then.

    Raises Interrupted (its record is, too), BrokenFile for a lesson or check that cannot be read, OSError.
    """
    started, begin, path, notebook = now(), time.monotonic(), Path(job["record"]), Path(job["notebook"])
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(None, running(), path.parent, ignore_cleanup_errors=True) as scratch:
        scratch = Path(scratch)
        output, written, composed = scratch / "run.ipynb", scratch / "record.json", scratch / notebook.name

        def finish(reason, probe=None, status="failed"):
            own = {}
            with contextlib.suppress(OSError, ValueError):
                own = json.loads(written.read_text())
            said = reason or doubt(job, own, probe or {})
            reason = doubted_again(job, own, probe or {}) if said == FASTER else said
            status = status if reason else "ok"
            if own and job["kind"] == "proof":  # it may have run beside others: its record holds no speed and no times
                own |= {"measurements": {}, "tables": {}, "threads": {**own["threads"], "busy": None}}
            elif own:
                own["measurements"] |= durations(output)
            return keep(assemble(job, status, reason, own, started, time.monotonic() - begin, probe), path, output)

        source = Notebook(notebook)
        if source.digests() != job["inputs"]["cells"]:
            return finish("the notebook was changed since its inputs were taken: run again")
        content, about = executed(job, source, written), source.content["metadata"]
        said = {"language_info": {"name": source.language, **about.get("language_info", {})}}  # papermill asks for it
        composed.write_text(json.dumps({**content, "metadata": {**about, **said}}), encoding="utf-8")
        environ = {name: value.replace("{scratch}", str(scratch)) for name, value in job["kernel"]["environ"].items()}
        argv, language = job["kernel"]["argv"], source.language
        jupyter = environments.write_kernel(scratch / "jupyter", "rosetta", argv, language)
        environ |= environments.own_settings(scratch) | {"JUPYTER_PATH": str(jupyter), "PYTHONUNBUFFERED": "1"}
        try:
            before = job["probe"] or probed(job)
            for _ in range(2):  # of two kernels that start at once, one may find that the other took its port
                reason = execute(composed, output, notebook.parent, job["parameters"], environ, job["timeout"])
                if not reason.startswith(NOT_STARTED):
                    break
            after = {} if reason else probed(job)
        except Interrupted as stop:
            finish(f"{signal.Signals(stop.args[0]).name} received", status="interrupted")
            raise
        name, by = job["precision"], before.get("by")
        probe = {"before": before.get(name), "after": after.get(name), "unit": "FLOP/s", "by": by}
        return finish(reason, probe if by else None)


def executed(job, source, written) -> dict:
    """The notebook that the kernel executes, as JSON has it: the lesson's with the referee behind it."""
    asked = {**job["referee"], "lesson": job["notebook"], "check": f"checks/{source.check.name}"}
    asked |= {name: job[name] for name in ("workload", "row", "framework", "precision", "device")}
    asked |= {"record": str(written)}
    return compose.compose(source.content, job["kind"], job["proves"], source.check, asked, source.language)


def probed(job) -> dict:
    """How fast the machine is just now, in the row's precision; {} where the job wants no probe."""
    threads = job["machine"]["physical_cores"]
    return {} if job["probe"] is None else machine.measure(job["device"], threads, job["precision"])


def read(path) -> dict:
    """A job's file. Raises JobError, one sentence, unless it has all the fields it needs and no other."""
    try:
        job = json.loads(Path(path).read_text(encoding="utf-8"))
        fields = {"lacks": {*KEPT, *NEEDED} - set(job), "has unknown": set(job) - {*KEPT, *NEEDED}}
    except (OSError, ValueError, TypeError) as error:
        raise JobError(f"{path} is no job: {error}") from None
    if said := [f"{what} {', '.join(sorted(names))}" for what, names in fields.items() if names]:
        raise JobError(f"{path} is no job: it {' and '.join(said)}")
    return job


def main(path: str) -> int:
    """Runs the job of a file: 0 ok, NOT_OK, 1 no record could be left, 2 no job, 128 + N after signal N."""
    try:
        with interruptible():
            record = run(read(path))
    except (ValueError, OSError) as error:
        print(f"runner job: {error}", file=sys.stderr)
        return 2 if isinstance(error, JobError) else 1
    except Interrupted as stop:
        return 128 + stop.args[0]
    print(record["status"], record["reason"])
    return 0 if record["status"] == "ok" else NOT_OK
