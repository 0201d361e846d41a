"""Runs rows: each notebook in a fresh kernel through papermill, one at a time, its record kept under its key."""

import ast
import contextlib
import dataclasses
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

from runner import environments, files
from runner.matrix import Row

THREAD_VARIABLES = ["OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMEXPR_NUM_THREADS"]


# ---------------------------------------------------------------------------------------------------------- keys
def without_comments(source: str) -> str:
    """Python source without comments and docstrings: an edit of those alone makes no result out of date."""
    tree = ast.parse(source)
    documented = [ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef]
    for node in ast.walk(tree):
        if type(node) in documented and ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:] or [ast.Pass()]
    return ast.unparse(tree)


def common_digest(root: Path, data: str, reference: str) -> str:
    """Digest of common/ as a row sees it: the code, its reference and that one's samples, its data set's samples."""
    digest = hashlib.sha256()
    for path in sorted((root / "common").rglob("*.py")):
        digest.update(f"{path.name}\n{without_comments(path.read_text(encoding='utf-8'))}".encode())
    seen = {*root.glob(f"common/samples/{data}*"), *root.glob(f"common/references/{reference}*")}
    for spec in root.glob(f"common/references/{reference}.json"):
        seen.add(root / "common" / "samples" / json.loads(spec.read_text())["samples"])
    for path in sorted(seen):
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()


def key_of(row: Row, parameters: dict, lock: str, common: str) -> str:
    """What a result depends on, as one sha256: code cells' sources and tags, parameters, environment, data, common.

    The full data sets' checksums stand in common/datasets.py, so `common` covers them.
    """
    cells = json.loads(row.notebook.read_text(encoding="utf-8"))["cells"]
    code = [
        ["".join(cell["source"]).rstrip(), sorted(cell["metadata"].get("tags", []))]
        for cell in cells
        if cell["cell_type"] == "code"
    ]
    parts = [code, {k: v for k, v in parameters.items() if k != "RECORD_PATH"}, lock, row.data, common]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


# ----------------------------------------------------------------------------------------------------- one notebook
class Interrupted(BaseException):
    """Ctrl-C or SIGTERM; signal: its number."""

    def __init__(self, number):
        super().__init__(number)
        self.signal = number


@contextlib.contextmanager
def interruptible():
    """SIGINT and SIGTERM raise Interrupted within; a second one while the first is cleaned up after is ignored."""

    def stop(number, _frame):
        for which in (signal.SIGINT, signal.SIGTERM):
            signal.signal(which, signal.SIG_IGN)
        raise Interrupted(number)

    before = {which: signal.signal(which, stop) for which in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for which, handler in before.items():
            signal.signal(which, handler)


def end_tree(process: subprocess.Popen):
    """Ends a process and all it started: kernels live in sessions of their own, so a group is not enough."""
    import psutil

    with contextlib.suppress(psutil.NoSuchProcess):
        tree = [*psutil.Process(process.pid).children(recursive=True), psutil.Process(process.pid)]
        for member in tree:
            with contextlib.suppress(psutil.NoSuchProcess):
                member.kill()
        psutil.wait_procs(tree, timeout=10)
    process.wait()


def run_notebook(notebook: Path, output: Path, parameters: dict, kernel: str, environ: dict, timeout: float, tick):
    """Executes a copy of `notebook` in a kernel of its own; returns the reason why it failed, "" if it did not.

    tick() is called about once a second. Raises Interrupted with kernel and papermill ended.
    """
    settings = output.with_suffix(".json")
    settings.write_text(json.dumps(parameters))  # JSON is YAML
    command = [
        sys.executable,
        "-m",
        "papermill",
        str(notebook),
        str(output),
        "-f",
        str(settings),
        "-k",
        kernel,
    ]
    command += ["--cwd", str(notebook.parent), "--no-progress-bar", "--autosave-cell-every", "0"]
    log = output.with_suffix(".log")
    end = time.monotonic() + timeout
    with open(log, "w") as said:
        process = subprocess.Popen(command, env=environ, stdout=said, stderr=said, start_new_session=True)
        try:
            while process.poll() is None:
                if time.monotonic() > end:
                    return f"over its time limit of {timeout:g} s, in {last_heading(output)}"
                tick()
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(timeout=1)
        finally:
            end_tree(process)
    if process.returncode == 0:
        return ""
    text = log.read_text(errors="replace")
    if "DeadKernelError" in text or "Kernel died" in text:
        return f"the kernel was killed or died (out of memory?), in {last_heading(output)}"
    return raised(output) or f"papermill: {(text.strip().splitlines() or ['ended without a word'])[-1]}"


def _cells(output: Path):
    try:
        return json.loads(output.read_text(encoding="utf-8"))["cells"]
    except (OSError, ValueError):
        return []


def _heading(cells) -> str:
    found = re.findall(r"^#+ .*$", "\n".join("".join(c["source"]) for c in cells if c["cell_type"] == "markdown"), re.M)
    return f'"{found[-1]}"' if found else "its first cells"


def last_heading(output: Path) -> str:
    """The heading of the cell that ran last in a notebook that papermill was executing."""
    cells = _cells(output)
    begun = [i for i, c in enumerate(cells) if c["metadata"].get("papermill", {}).get("start_time")]
    return _heading(cells[: begun[-1]] if begun else [])


def raised(output: Path) -> str:
    """Name and message of the exception in an executed notebook, and the heading it stands under; "" without one."""
    cells = [c for c in _cells(output) if "papermill-error-cell-tag" not in c["metadata"].get("tags", [])]
    for index, cell in enumerate(cells):
        for out in cell.get("outputs", []):
            if out["output_type"] == "error":
                return f"{out['ename']}: {out['evalue']} (in {_heading(cells[:index])})"
    return ""


# ------------------------------------------------------------------------------------------------------- the batch
@dataclasses.dataclass
class Job:
    """One row, one repeat, or one other seed: what is needed to run it and where its results lie."""

    row: Row
    repeat: int
    folder: Path
    parameters: dict
    seed: int | None = None  # another than the notebook's: for the spread of its accuracy
    key: str = ""
    kernel: str = ""
    reason: str = ""  # why it is skipped
    broken: str = ""  # why its environment could not be made: it fails

    @property
    def stem(self) -> str:
        """What the names of its files begin with."""
        return self.row.id if self.seed is None else f"{self.row.id}.s{self.seed}"

    @property
    def record(self) -> Path:
        """The last good record."""
        return self.folder / f"{self.stem}.r{self.repeat}.json"

    @property
    def notebook(self) -> Path:
        """The last good run's executed notebook."""
        return self.folder / f"{self.stem}.ipynb"

    @property
    def failed(self) -> Path:
        """The newest run's record where it was not good."""
        return self.folder / f"{self.stem}.failed.json"

    def up_to_date(self) -> bool:
        """Whether the last good record was made from the same sources."""
        try:
            record = json.loads(self.record.read_text())
        except (OSError, ValueError):
            return False
        return record.get("status") == "ok" and record.get("key") == self.key

    def forget_old_failure(self):
        """Removes the failed record of a run from other sources than the good one's, once those are back."""
        with contextlib.suppress(OSError, ValueError, KeyError):
            if json.loads(self.failed.read_text())["key"] != self.key:
                self.failed.unlink()
                self.failed.with_suffix(".ipynb").unlink()

    def last_wall(self):
        """Seconds that the last good run took; None if there was none."""
        try:
            return json.loads(self.record.read_text())["wall"]
        except (OSError, ValueError, KeyError):
            return None


class Batch:
    """Prepares and runs the jobs of one column (label, profile, device)."""

    def __init__(self, matrix, machine: dict, column: Path, python, timeout, say=print):
        self.matrix, self.machine, self.column, self.python = matrix, machine, column, python
        self.root, self.timeout, self.say = matrix.root, timeout, say
        self.commit = git_commit(self.root)
        self.jupyter = []
        self._environments, self._missing, self._checks, self._common = {}, {}, {}, {}

    def jobs(self, rows, repeats: int, seed=None) -> list[Job]:
        """The jobs of `rows`, keyed, with their environments made; those of another seed lie in a folder of their own."""
        jobs = []
        for repeat in range(1, repeats + 1):
            for row in rows:
                parameters = {**row.parameters, "THREADS": self.machine["physical_cores"]}
                folder = self.column / row.workload
                if seed is not None:
                    parameters["SEED"], folder = seed, folder / "seeds"
                jobs.append(self._prepare(Job(row, repeat, folder, parameters, seed)))
        return jobs

    def _prepare(self, job: Job) -> Job:
        row = job.row
        if row.device == "gpu" and row.no_gpu:
            job.reason = row.no_gpu
            return job
        entry = self.matrix.environments[row.environment]
        place = self._environment(row.environment, entry, row.device)
        if isinstance(place, environments.Unavailable):
            job.reason = str(place)
            return job
        if isinstance(place, environments.Broken):
            job.broken = str(place)
            return job
        python, job.kernel, lock = place
        sources = (row.data, row.reference)
        if sources not in self._common:
            self._common[sources] = common_digest(self.root, *sources)
        job.key = key_of(row, job.parameters, lock, self._common[sources])
        missing = [m for m in row.modules if m in self._missing[row.environment]]
        if missing:
            job.reason = f"{python} has no {', '.join(missing)}"
        elif not job.up_to_date():
            said = self._check(python, row.check)
            if not said and row.device == "gpu":
                said = self._check(python, row.gpu_check)
                said = f"{row.title} sees no GPU here: {said}" if said else ""
            job.reason = said
        return job

    def _check(self, python, snippet):
        """What a snippet says in an interpreter, asked once; "" where it ends well or there is none."""
        if snippet and (python, snippet) not in self._checks:
            self._checks[python, snippet] = environments.probe(python, snippet).removeprefix("AssertionError: ")
        return self._checks.get((python, snippet), "")

    def _environment(self, name, entry, device):
        """(interpreter, kernel name, lock) of an environment, or the exception that says why there is none."""
        if name not in self._environments:
            try:
                self._environments[name] = self._make_environment(name, entry, device)
            except (environments.Unavailable, environments.Broken) as error:
                self._environments[name] = error
        return self._environments[name]

    def _make_environment(self, name, entry, device):
        modules = {m for row in self.matrix.every_row() if row.environment == name for m in row.modules}
        if self.python:
            python, folder, kernel = self.python, self.root / ".environments" / "python", "python"
            lock = environments.installed_packages(python)
            self._missing[name] = environments.missing_modules(python, modules)
        else:
            prefix = environments.make(self.root, name, entry, device, self.say)
            python, folder, kernel = environments.interpreter(prefix), prefix, prefix.name
            lock = environments.lock_file(self.root, entry, device).read_text()
            self._missing[name] = set()
        threads = dict.fromkeys(THREAD_VARIABLES, str(self.machine["physical_cores"]))
        variables = {**threads, **environments.variables(entry, folder)}
        path = environments.write_kernel(self.root, kernel, python, variables, folder)
        self.jupyter.append(str(path))
        return python, f"rosetta-{kernel}", lock

    def run(self, job: Job, tick=lambda: None) -> dict:
        """Runs a job and returns its record, which is on the disk then. Raises Interrupted (its record is, too)."""
        started = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        begin = time.monotonic()
        job.folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=job.folder, prefix=".running-") as scratch:
            output, written = Path(scratch) / "run.ipynb", Path(scratch) / "record.json"

            def finish(status, reason):
                own = {}
                with contextlib.suppress(OSError, ValueError):
                    own = json.loads(written.read_text())
                if status == "ok" and not own:
                    status, reason = "failed", "the notebook wrote no record (its Record cell)"
                elif status == "ok" and own.get("proof", {}).get("passed") is False:
                    status, reason = "failed", "the proof did not pass (## The same computation)"
                wall = round(time.monotonic() - begin, 3)
                record = self._record(job, own, status, reason, started, wall)
                keep(job, record, output)
                return record

            if job.broken:
                return finish("failed", job.broken)
            if job.reason:
                return finish("skipped", job.reason)
            environ = {**os.environ, "JUPYTER_PATH": os.pathsep.join(self.jupyter), "PYTHONUNBUFFERED": "1"}
            environ.update(dict.fromkeys(THREAD_VARIABLES, str(job.parameters["THREADS"])))
            caches = self.matrix.environments[job.row.environment].get("caches", {})
            environ.update({name: value.replace("{scratch}", scratch) for name, value in caches.items()})
            parameters = {**job.parameters, "RECORD_PATH": str(written)}
            try:
                reason = run_notebook(job.row.notebook, output, parameters, job.kernel, environ, self.timeout, tick)
            except Interrupted as stop:
                finish("interrupted", f"{signal.Signals(stop.signal).name} received")
                raise
            if reason.startswith("ModuleNotFoundError") and not self.python:
                entry = self.matrix.environments[job.row.environment]
                prefix = environments.prefix_of(self.root, job.row.environment, entry, job.row.device)
                reason += f": environment {job.row.environment} is broken? Remove {prefix}, run again: it is made anew"
            return finish("failed" if reason else "ok", reason)

    def _record(self, job, own, status, reason, started, wall) -> dict:
        row = job.row
        facts = {
            "schema": 1,
            "workload": row.workload,
            "framework": row.framework,
            "row": row.id,
            "title": row.title,
            "precision": row.precision,
            "repeat": job.repeat,
            "profile": row.profile,
            "device": row.device,
            "partial": row.partial,
            "status": status,
            "reason": reason,
            "machine": {k: v for k, v in self.machine.items() if k != "peaks"},
            "commit": self.commit,
            "started": started,
            "wall": wall,
            "key": job.key,
        }
        parameters = {k: v for k, v in (own.get("parameters") or job.parameters).items() if k != "RECORD_PATH"}
        work = self.matrix.workloads[row.workload]
        return {"flops_per_sample": work["flops_per_sample"], **own, **facts, "parameters": parameters}


def keep(job: Job, record: dict, output: Path):
    """Puts a finished run in its place: a good one as ROW.rN.json and ROW.ipynb, any other as ROW.failed.*."""
    last = job.failed.with_suffix(".ipynb")
    if record["status"] == "ok":
        os.replace(output, job.notebook)
        files.write_json(job.record, record)
        job.failed.unlink(missing_ok=True)
        last.unlink(missing_ok=True)
    else:
        last.unlink(missing_ok=True)
        if output.exists():
            os.replace(output, last)
        files.write_json(job.failed, record)


def git_commit(root: Path):
    """The commit that is checked out, "+" behind it where files differ from it; None without git."""
    git = ["git", "-C", str(root)]
    if not shutil.which("git"):
        return None
    head = subprocess.run([*git, "rev-parse", "--short=12", "HEAD"], check=False, capture_output=True, text=True)
    if head.returncode:
        return None
    status = subprocess.run([*git, "status", "--porcelain"], check=False, capture_output=True, text=True)
    return head.stdout.strip() + ("+" if status.stdout.strip() else "")
