"""Which runs of which rows are needed, in which order, and their execution as jobs."""

import contextlib
import importlib
import itertools
import json
import os
import random
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

import psutil

from catalog import checkout, files
from catalog.declarations import Row
from catalog.inputs import SESSIONS, TIMED, Inputs, stale
from common.data.files import data_directory
from referee import weights
from referee.record import SCHEMA, write_json
from runner import environments, job
from runner.languages import kernels

SIZES = {"full": "DOWNLOAD_MB", "small": "SMALL_MB"}  # constants of data modules
UNKNOWN = 60.0  # seconds that a run is taken to last that never ran
NO_JOB = {"status": "failed", "wall": 0.0, "measurements": {}}  # what is told of a run whose files could not be read
OF_ROW = "workload framework title precision device profile part".split()  # fields of a job


class Newer(RuntimeError):
    """A record of a later make is in the way; the message says where."""


@dataclass(frozen=True)
class Run:
    """One run of a row: kind "round", "full" or "proof"."""

    row: Row
    kind: str
    round: int = 0
    second: bool = False  # the reference row's other run in the round
    seed: int | None = None  # another than the notebook's
    order: dict | None = None

    @property
    def name(self) -> str:
        """What its files are called."""
        number = f"{self.round}{'b' * self.second}" if self.kind == "round" else ""
        return f"{self.row.id}.{'' if self.seed is None else f'seed{self.seed}.'}{self.kind}{number}"

    @property
    def key(self) -> tuple:
        """The row's own name among all."""
        return self.row.workload, self.row.id

    @property
    def proves(self) -> bool:
        """Whether the proof runs: alone, and in the first round. A full run is the lesson as it stands."""
        return self.kind == "proof" or (self.kind == "round" and self.round == 1 and not self.second)


class Batch:
    """The runs of one column: a folder results/local/LABEL/PROFILE-DEVICE.

    python: the interpreter for every row, None for the environments; changes: parameters given by hand.
    """

    def __init__(self, declarations, column: Path, python=None, changes=None):
        self.declarations, self.root, self.column = declarations, declarations.root, column
        self.python, self.changes = python, changes or {}
        self.inputs = Inputs(declarations, python)
        self.again = set()  # (workload, name) of runs that are not up to date whatever their record says
        self._places, self._environments, self._weights, self._kernels, self._walls = {}, {}, {}, {}, {}

    # -------------------------------------------------------------------------------------------------- what to run
    def path(self, run: Run) -> Path:
        """Where the record of a good run lies."""
        return self.column / run.row.workload / f"{run.name}.json"

    def changed(self, run: Run) -> dict:
        """The parameters that are not the row's own."""
        return self.changes | ({} if run.seed is None else {"SEED": run.seed})

    def current(self, run: Run, kind=None) -> bool:
        """Whether there is a good record of the run as it is now; kind "proof": one whose proof is.

        Raises Newer where the record is of a later make than this checkout's: it is never overwritten.
        """
        if (run.row.workload, run.name) in self.again:
            return False
        try:
            record = json.loads(self.path(run).read_text(encoding="utf-8"))
            if record["schema"] > SCHEMA:
                raise Newer(f"{self.path(run)} is of a later make than this checkout: choose another --label")
            if (record["schema"], record["status"]) != (SCHEMA, "ok") or (kind == "proof" and not record["proof"]):
                return False
        except (OSError, ValueError, KeyError, TypeError):  # none, cut short, or of another make
            return False
        now = self.inputs.of(run.row, run.kind, self.changed(run))
        with contextlib.suppress(ValueError, KeyError, TypeError):
            return not stale(kind or run.kind, record["inputs"], now, self.inputs.equal(run.row))
        return False

    def plan(self, rows, rounds: int, check=False, seed=None) -> list:
        """The runs that are needed, in their order: rounds, full runs, proofs.

        In a round each row of a workload and precision runs once, shuffled by a seed that the records hold; with
        several rounds the reference row runs first and last. A row's first round proves it, if need be without the
        parts that take long; `check` asks for a proof of all parts.
        """
        needed = []
        for number in range(1, rounds + 1) if seed is None and not check else []:
            for group in dict.fromkeys((row.workload, row.precision) for row in rows):
                needed += self._round([r for r in rows if (r.workload, r.precision) == group], number, rounds > 1)
        whole = [r for r in rows if (r.shortened if seed is None else "SEED" in self.inputs.notebook(r).parameters)]
        whole = [r for r in whole if r.full and not (r.part and not r.default)]
        full = [] if check else [Run(row, "full", seed=seed) for row in whole]
        needed += [run for run in full if not self.current(run)]
        proven = {run.key for run in needed if run.proves}
        for row in rows if seed is None else []:
            whole = Run(row, "proof")
            runs = [whole] if check and row.without else [whole, Run(row, "round", 1)]
            if whole.key not in proven and not any(self.current(run, "proof") for run in runs):
                needed.append(whole)
        return needed

    def _round(self, rows, number, several):
        seed = random.SystemRandom().randrange(2**32)
        runs = [Run(row, "round", number) for row in rows]
        random.Random(seed).shuffle(runs)
        name = self.declarations.workloads[rows[0].workload].reference_row
        reference = [run for run in runs if several and run.row.name == name]
        runs = [*reference, *(r for r in runs if r not in reference), *(replace(r, second=True) for r in reference)]
        runs = [run for run in runs if not self.current(run)]
        return [replace(run, order={"seed": seed, "position": k}) for k, run in enumerate(runs, 1)]

    # ---------------------------------------------------------------------------------------------------- announcing
    def seconds(self, run: Run):
        """How long the run took last, here or in a published column; None where it never ran."""
        with contextlib.suppress(OSError, ValueError, KeyError):
            return json.loads(self.path(run).read_text(encoding="utf-8"))["wall"]
        return self._published(run.row.workload).get(run.name)

    def _published(self, workload) -> dict:
        """{name: seconds} of a workload's runs in the published columns of this profile and device, read once."""
        if workload not in self._walls:
            walls = self._walls[workload] = {}
            for path in sorted(self.root.glob(f"results/published/*/{self.column.name}/{workload}.jsonl")):
                for line in path.read_bytes().splitlines():
                    with contextlib.suppress(ValueError, KeyError, TypeError):  # no record
                        record = json.loads(line)
                        walls.setdefault(record["name"], record["wall"])
        return self._walls[workload]

    def announce(self, runs):
        """Says how many rows and runs there are, about how long they take, and what is made and downloaded."""
        known = [self.seconds(run) for run in runs]
        total = sum(UNKNOWN if seconds is None else seconds for seconds in known) / 60
        guess = f" ({known.count(None)} that never ran here count as {UNKNOWN:.0f} s each)" if None in known else ""
        print(f"rows: {len({run.key for run in runs})}; runs: {len(runs)}, about {total:.0f} min{guess}", flush=True)
        for name, device in sorted({(run.row.environment, run.row.device) for run in runs} if not self.python else []):
            size = environments.size(self.root, name, self.declarations.environments[name], device)
            if any(size.values()):
                much = f"{size['download_mb']} MB to download, {size['disk_mb']} MB of disk"
                print(f"environment to make: {name}, {much}")
        for name, source in self.data(runs):
            text = (self.root / f"common/data/{name}.py").read_text(encoding="utf-8")
            size = re.findall(rf"^{SIZES[source]} = (\d+)", text, re.MULTILINE)  # none: told with what it belongs to
            own = re.findall(rf'^FOLDERS = .*"{source}": "(\w+)"', text, re.MULTILINE)  # of a source that lies apart
            there = (data_directory() / name).glob((own or "*")[0])
            if size and all(path.name.startswith("sample") for path in there):  # those of the repository, unpacked
                print(f"data to download: {name}, {size[0]} MB, into {data_directory()}")

    def data(self, runs) -> list:
        """What runs load whole or in part, sorted, as `Inputs.data` has it."""
        return sorted(set().union(*(self.inputs.data(run.row, run.kind, self.changed(run)) for run in runs)))

    def fetch(self, runs):
        """Downloads and converts what runs load, before they begin: two jobs would do so at once, and nodes cannot.

        What fails is told; the records of the rows will say it, too.
        """
        for name, source in self.data(runs):
            try:
                module = importlib.import_module(f"common.data.{name}")
                module.fetch() if source == "full" else module.load(source)
            except (ImportError, RuntimeError, OSError) as error:
                print(f"data {name}: {error}", flush=True)

    # ------------------------------------------------------------------------------------------------------- running
    def place(self, row) -> tuple:
        """(status, reason, interpreter, the environment's folder) of a row; asked once.

        Where it cannot run here the status is "skipped" or "failed", else "".
        """
        key = (row.environment, *row.modules, row.check, row.gpu_check, row.no_gpu)
        if key not in self._places:
            try:
                self._places[key] = ("", "", *self._require(row))
            except environments.Unavailable as lacking:
                self._places[key] = (lacking.status, str(lacking), "", Path())
            except (OSError, ValueError, subprocess.SubprocessError) as error:  # no other row needs it
                self._places[key] = ("failed", f"environment {row.environment}: {error}", "", Path())
        return self._places[key]

    def _require(self, row):
        on_gpu, python, prefix = row.device == "gpu", self.python, self.root / ".environments" / "python"
        if on_gpu and row.no_gpu:
            raise environments.Unavailable(row.no_gpu)
        if not python:
            prefix = self._made(row.environment, row.device)
            python = environments.interpreter(prefix)
        elif language := self.declarations.environments[row.environment].get("language"):
            raise environments.Unavailable(f"{row.title}, in {language}, has an environment of its own: no --python")
        elif missing := environments.missing_modules(python, row.modules):
            raise environments.Unavailable(f"{python} has no {', '.join(sorted(missing))}")
        for snippet, what in ((row.check, ""), (on_gpu and row.gpu_check, f"{row.title} sees no GPU here: ")):
            if said := snippet and environments.probe(python, snippet):
                raise environments.Unavailable(what + said.replace("AssertionError: ", ""))
        self._argv(self.declarations.environments[row.environment].get("language", "python"), prefix, python)
        return python, prefix

    def _made(self, name, device):
        """The environment's folder; tried once, however many frameworks it serves."""
        key = (name, device)
        if key not in self._environments:
            try:
                self._environments[key] = environments.make(
                    self.root, name, self.declarations.environments[name], device
                )
            except environments.Unavailable as error:
                self._environments[key] = error
        if isinstance(made := self._environments[key], environments.Unavailable):
            raise made
        return made

    def job(self, run: Run, facts: dict, peaks: dict, timeout: float, workers=1) -> dict:
        """The fields of a run's job, from files as they are now; the row's environment is there, where it can be.

        workers: how many jobs share the cores. More threads than cores can cost many times the work, as they wait for
        each other.
        """
        row, work = run.row, self.declarations.workloads[run.row.workload]
        threads = max(1, facts["physical_cores"] // workers)
        inputs, (_, _, python, prefix) = Inputs(self.declarations, self.python), self.place(row)
        entry, changed = self.declarations.environments[row.environment], self.changed(run)
        environ = environments.kernel_environ(entry, prefix, threads, Path("{scratch}"), row.device)
        own = {name: value for name, value in row.variables.items() if not self.python or name != "XLA_FLAGS"}
        # XLA ends a process at a flag that its release does not know: the flags are the locked one's
        argv = self._argv(entry.get("language", "python"), prefix, python)
        kernel = {"python": python, "argv": argv, "environ": {**environ, **own, "PYTHONPATH": str(self.root)}}
        rate = "flops" in work.table and work.speed.unit == "1/s" and work.speed.over is None
        given = inputs.parameters(row, run.kind, changed)
        timed = {name.lower(): given.pop(name, default) for name, default in TIMED.items()}
        more = work.table.get("full_proof_parts", []) if given.get("DATA") == "full" else []
        parts = [part for part in [*row.proof_parts, *more] if run.kind != "round" or part not in row.without]
        return {
            **{name: getattr(row, name) for name in OF_ROW},
            **{"row": row.id, "kind": run.kind, "round": run.round, "order": run.order, "proves": run.proves},
            "probe": {} if run.kind == "round" and self.declarations.profiles[row.profile]["rounds"] > 1 else None,
            **{"machine": facts, "commit": checkout.commit(self.root), "kernel": kernel, "timeout": timeout},
            **{"notebook": str(row.notebook), "record": str(self.path(run))},
            "inputs": inputs.of(row, run.kind, changed),
            "parameters": given,
            "referee": {
                **{"data": row.data, "reference": row.reference, "changed": sorted({*changed} & {*given})},
                **{"session": SESSIONS[work.proof], "parts": parts},
                **{**timed, "threads": threads, "packages": packages(row, self.declarations)},
            },
            "weights": self._digest(row),
            "speed": {"from": work.speed.source, "flops": work.flops_of(row.profile)} if rate else None,
            "peaks": {name: value for name, value in peaks.items() if name in self.declarations.precisions},
        }

    def _argv(self, language, prefix, python):
        """The command of a kernel; asked once."""
        if (language, python) not in self._kernels:
            self._kernels[language, python] = kernels.argv(language, prefix, python) if python else []
        return self._kernels[language, python]

    def _digest(self, row):
        """Of the shared weights that the workload declares; None where it declares none to draw."""
        if row.workload not in self._weights:
            path = row.notebook.parent / "reference" / "spec.json"
            spec = files.as_json(path) if path.exists() else {}
            asked = [spec.get("tensors"), spec.get("seed"), spec.get("dtype", "float32")]
            self._weights[row.workload] = weights.digest(weights.draw(*asked)) if "seed" in spec else None
        return self._weights[row.workload]

    def run(self, runs, facts, peaks, timeout, workers=1, ended=lambda run: None) -> list:
        """Runs them; the list of their records. A row that cannot run or fails is told once and not begun again.

        What a run's probe finds behind it is the next one's before it: nothing lies between the two.
        ended: called with each run that has left its record.

        Raises Interrupted, with what ran marked as such, and OSError.
        """
        records, told, probe = [], set(), {}
        if any(run.kind == "round" for run in runs):  # nobody else is at work: what killed jobs left
            for left in self.column.glob(f"*/{job.running()}*"):
                shutil.rmtree(left, ignore_errors=True)

        def end(run, record):
            records.append(record)
            if run.key not in told:
                print(f"[{len(records)}/{len(runs)}] {self.line(run, record)}", flush=True)
            told.update([run.key] * (record["status"] != "ok"))
            if record["status"] == "ok" and run.proves:  # no other run would take the place of a proof that failed
                job.forget_failed(self.path(Run(run.row, "proof")))
            ended(run)

        jobs = []
        for run in runs:  # makes the environments, too, before anything is measured
            status, reason, *_ = self.place(run.row)
            if status:
                record = job.assemble(self.job(run, facts, peaks, timeout), status, reason)
                end(run, job.keep(record, self.path(run)))
            else:
                jobs.append(run)

        def begun():
            for run in jobs:
                if run.key not in told:
                    try:
                        fields = self.job(run, facts, peaks, timeout, workers)
                    except (OSError, ValueError) as error:  # a file that was changed since the batch began
                        end(run, {"workload": run.row.workload, "row": run.row.id, **NO_JOB, "reason": str(error)})
                        continue
                    if fields["probe"] is not None and run.row.precision in probe:
                        fields["probe"] = probe
                    print(f"  {run.row.workload} {self.what(run)} ...", flush=True)
                    yield run, fields

        for run, fields, code in execute(begun(), workers):
            if code not in (0, job.NOT_OK):
                job.keep(job.assemble(fields, "failed", f"the job ended with status {code}"), self.path(run))
            place = job.failed_path(self.path(run)) if code else self.path(run)
            record = json.loads(place.read_text(encoding="utf-8"))
            found = record["probe"] if workers == 1 else None
            probe = {record["precision"]: found["after"], "by": found["by"]} if found and found["after"] else {}
            end(run, record)
        return records

    @staticmethod
    def what(run) -> str:
        """The row and which of its runs this is."""
        return run.row.id + run.name.removeprefix(run.row.id).replace(".", " ")

    def line(self, run, record) -> str:
        """What one wants to know of a run: status, seconds, speed."""
        speed = self.declarations.workloads[run.row.workload].speed
        found = record["measurements"].get(speed.source)
        rate = f", {statistics.median(found['values']):.4g} {speed.title}" if found and speed.over is None else ""
        reason = f": {record['reason'].splitlines()[0]}" if record["reason"] else ""
        return f"{run.row.workload} {self.what(run)}: {record['status']}, {record['wall']:.0f} s{rate}{reason}"


def packages(row, declarations) -> dict:
    """{name in the tables: distributions, of which one is installed} of a row's packages.

    Where several distributions hold one package, such as tensorflow-cpu and tensorflow, they share its name.
    """
    known = {name for framework in declarations.frameworks.values() for name in [framework["package"]]}
    found = {}
    for one in row.packages:
        name = next((name for name in sorted(known, key=len) if name in one.split("-")), one)
        found.setdefault(name, []).append(one)
    return found


def execute(jobs, workers: int):
    """Runs an iterator's (run, job) pairs as processes, `workers` at a time; yields (run, job, exit status) of each.

    Raises Interrupted once all that ran have left their records.
    """
    environ, running = {**os.environ, "PYTHONPATH": str(environments.ROOT)}, {}
    with tempfile.TemporaryDirectory() as folder:
        try:
            while True:
                for run, fields in itertools.islice(jobs, workers - len(running)):
                    file = Path(folder) / f"{run.row.workload}.{run.name}.json"
                    write_json(file, fields)
                    command = [sys.executable, "-P", "-m", "runner", "job", str(file)]
                    # close_fds: the machine's lock is inherited, and held until the last job has ended
                    started = {"env": environ, "stdout": subprocess.DEVNULL, "start_new_session": True}
                    running[psutil.Popen(command, close_fds=False, **started)] = run, fields
                if not running:
                    return
                ended, _ = psutil.wait_procs(running, timeout=0.1)
                for process in ended:
                    yield *running.pop(process), process.returncode
        except BaseException as stop:
            number = stop.args[0] if isinstance(stop, job.Interrupted) else signal.SIGTERM
            for process in running:
                with contextlib.suppress(psutil.NoSuchProcess):
                    process.send_signal(number)
            psutil.wait_procs(running, timeout=30)
            for process in running:
                job.end_tree(process)
            raise
