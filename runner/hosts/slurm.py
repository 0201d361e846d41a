"""Has Slurm run the shards of a batch, with plain sbatch and squeue: a job array whose tasks are the same command on a
node each, `run_all.sh ... --shard K/N`.

The command that submits only waits and tells: when it ends, the array goes on; started again, it takes the array up.
Slurm needs no accounting for it. What a task came to is in two files that its script writes, and in the records.
"""

import collections
import contextlib
import hashlib
import os
import re
import shlex
import subprocess
import time
from pathlib import Path

from catalog import files
from runner import environments
from runner.hosts import shards

PAUSE = 15.0  # seconds between two looks at most; squeue still tells of tasks that ended up to MinJobAge, 300 s, before
MOST = 1000  # tasks of an array: MaxArraySize is 1001 where nobody chose another
TRIES = 3  # submissions of a unit by one command
DROPPED = {"--executor": 1, "--slurm": 1, "--publish": 0}  # of the command line, with so many values
NO_HOST = "is this a host from which Slurm takes jobs?"
FINAL = set("BOOT_FAIL CANCELLED COMPLETED DEADLINE FAILED NODE_FAIL OUT_OF_MEMORY PREEMPTED REVOKED TIMEOUT".split())
# --requeue: a task whose node fails, or that is preempted, begins anew, and what has a record is not run again.
# --exclusive --mem=0: a measurement has its node alone. Later options, the user's, override earlier ones.
SCRIPT = """#!/bin/bash
#SBATCH --job-name={name}
#SBATCH --array={array}
#SBATCH --nodes=1
#SBATCH --ntasks=1
#SBATCH --exclusive
#SBATCH --mem=0
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output="{logs}/%A_%a.log"
#SBATCH --export=ALL
{options}
note={quoted}/"$SLURM_ARRAY_JOB_ID"_"$SLURM_ARRAY_TASK_ID"
rm -f "$note.ended"
echo "$SLURMD_NODENAME" >"$note.began"
trap : TERM INT
cd {root} && {devices}./run_all.sh {arguments} --shard "$SLURM_ARRAY_TASK_ID"/{count}
status=$?
echo "$status" >"$note.ended"
exit "$status"
"""
# With --exclusive a job sees all GPUs of a node, whatever it asked for.
DEVICES = 'export CUDA_VISIBLE_DEVICES="$(cut -d, -f-{count} <<<"${{CUDA_VISIBLE_DEVICES:-0}}")"; '


class Refused(RuntimeError):
    """Slurm does not take the job; the message is Slurm's."""


def arguments(argv, python) -> list:
    """The options as they were given, less those for the command that waits."""
    kept, skip = [], 0
    for word in argv:
        name, found, _ = word.partition("=")
        if skip:
            skip -= 1
        elif name in DROPPED:
            skip = 0 if found else DROPPED[name]
        else:
            kept.append(word)
    return kept + (["--python", python] if python else [])  # the last counts: by its whole path


def provide(declared, runs, python, say=print):
    """Makes the environments that runs need: nodes often reach no network. What fails is told."""
    wanted = {(name, run.row.device) for run in runs for name in ("main", run.row.environment)}
    for name, device in sorted(wanted) if not python else ():
        try:
            environments.make(declared.root, name, declared.environments[name], device)
        except (environments.Unavailable, OSError, ValueError) as error:
            say(f"environment {name}: {error}", flush=True)


class Array:
    """The tasks of a column: submitted, found again by name, and watched."""

    def __init__(self, column: Path, root: Path, everything, say=print):
        self.column, self.root, self.say = column, root, say
        self.logs = column.parent / f".slurm-{column.name}"
        where = hashlib.sha256(str(column).encode()).hexdigest()[:6]
        self.name = f"rosetta-{column.parent.name}-{column.name}-{where}"
        self.count = min(len(everything), MOST)
        self.units = collections.defaultdict(list)  # {task: units}
        for which, task in shards.places(everything, self.count).items():
            self.units[task].append(" ".join(which))

    def submit(self, tasks, argv, python, options, gpus: int) -> str:
        """The array's number. `gpus`: how many each task sees at most, 0 where the rows want none. Raises Refused."""
        self.logs.mkdir(parents=True, exist_ok=True)
        own = [f"--gres=gpu:{gpus}"] if gpus and not any(re.match("--(gres|gpus)", o) for o in options) else []
        given = {"name": self.name, "array": ",".join(map(str, tasks)), "logs": self.logs, "count": self.count}
        # sbatch splits the lines as a shell does, and ends at the first word that is no option
        given |= {"options": "\n".join(f"#SBATCH {shlex.quote(option)}" for option in [*own, *options])}
        given |= {"quoted": shlex.quote(str(self.logs)), "root": shlex.quote(str(self.root))}
        given |= {"devices": DEVICES.format(count=gpus) if gpus else ""}
        script = self.logs / "job.sh"
        script.write_text(SCRIPT.format(**given, arguments=shlex.join(arguments(argv, python))))
        try:
            done = asked("sbatch", "--parsable", str(script))
        except OSError as error:
            raise Refused(f"{error.strerror}: {error.filename}; {NO_HOST}") from None
        found = re.findall(r"^([0-9]+)(?:;.*)?$", done.stdout, re.MULTILINE)
        if done.returncode or not found:
            raise Refused(done.stderr.strip() or f"it ended with {done.returncode} and named no job")
        return found[-1]

    def tasks(self) -> dict:
        """{(array's number, task): (state, node, reason)} of what squeue tells. Slurm may be out for a while.

        Raises Refused where there is no squeue.
        """
        told = ""
        while True:
            command = ["squeue", "--me", "--array", "--noheader", "--states=all", "--name", self.name]
            try:
                done = asked(*command, "--format=%F|%K|%T|%N|%r")
                said = (done.stderr.strip() or f"it ended with {done.returncode}") if done.returncode else ""
            except FileNotFoundError as error:
                raise Refused(f"{error.strerror}: {error.filename}; {NO_HOST}") from None
            except OSError as error:
                said = f"{error.strerror}: {error.filename}"
            if not said:
                break
            if said != told:
                self.say(f"squeue does not answer ({said.splitlines()[-1]}): asking on", flush=True)
            told = said
            time.sleep(PAUSE)
        lines = [line.split("|") for line in done.stdout.splitlines() if line.count("|") == 4]
        return {(array, int(task)): (*rest,) for array, task, *rest in lines if task.isdecimal()}

    def number(self) -> str:
        """Of the array that is at work or waits; "" where none does. Raises Refused where there is no squeue."""
        return next((array for (array, _), (state, *_) in self.tasks().items() if state not in FINAL), "")

    def code(self, number, task):
        """The exit status that a task's script has noted; None where it was ended from outside before it could."""
        with contextlib.suppress(OSError, ValueError):
            return int((self.logs / f"{number}_{task}.ended").read_text())

    def node(self, number, task) -> str:
        """The node on which a task began last; "" where it has not begun."""
        with contextlib.suppress(OSError):
            return (self.logs / f"{number}_{task}.began").read_text().strip()
        return ""

    def watch(self, number) -> dict:
        """Waits for an array, and tells what begins, ends and goes wrong; {task: its last (state, node, reason)}."""
        last, seen, summary, news = {}, self._records(), "", time.monotonic()
        while True:
            now = {task: about for (array, task), about in self.tasks().items() if array == number}
            for task, (state, node, reason) in sorted(now.items()):
                before = last.get(task, ("", "", ""))
                node = node or before[1] or self.node(number, task)
                if (state, node) != before[:2]:
                    self._tell(number, task, before, state, node, reason)
                last[task] = (state, node, reason)
            for task in sorted({task for task, about in last.items() if about[0] not in FINAL} - set(now)):
                last[task] = ("COMPLETED" if self.code(number, task) == 0 else "FAILED", *last[task][1:])
                self._tell(number, task, last[task], *last[task][:2], "seen by its notes alone")
            for file in sorted(new := {f: t for f, t in self._records().items() if seen.get(f) != t}):
                with contextlib.suppress(OSError, ValueError, KeyError):
                    record = files.as_json(file)
                    reason = f": {record['reason'].splitlines()[0]}" if record["reason"] else ""
                    self.say(f"  {record['workload']} {file.stem.removesuffix('.failed')}: {record['status']}{reason}")
            seen |= new
            active = [about for about in last.values() if about[0] not in FINAL]
            states = collections.Counter("at work" if s == "RUNNING" else f"{s.lower()} ({r})" for s, _, r in active)
            line = ", ".join([f"{n} {what}" for what, n in sorted(states.items())])
            if not active:
                return last
            if line != summary:
                news = time.monotonic()
                self.say(f"{number}: {line}, {len(last) - len(active)} of {len(last)} ended", flush=True)
            summary = line
            time.sleep(min(PAUSE, 1 + (time.monotonic() - news) / 10))

    def _records(self):
        found = {}
        for file in self.column.glob("*/*.json"):
            with contextlib.suppress(OSError):
                found[file] = file.stat().st_mtime_ns
        return found

    def _tell(self, number, task, before, state, node, reason):
        what = f"task {task}, {'; '.join(self.units[task])}"
        code = self.code(number, task)
        if state == "RUNNING":
            lost = f", which {before[1]} has lost" if before[1] not in ("", node) else ""
            self.say(f"{node} begins {what}{lost}", flush=True)
        elif state == "PENDING" and before[0] not in ("", "PENDING"):
            self.say(f"{what}: {node} lost it, Slurm has queued it again ({reason})", flush=True)
        elif state in FINAL and state != "COMPLETED":
            log = self.logs / f"{number}_{task}.log"
            ended = f", status {code}" if code is not None else ""
            self.say(f"{what}: {state} on {node or 'no node'} ({reason}{ended}); {os.path.relpath(log, self.root)}")


def run(array: Array, plan, submit, say=print) -> tuple:
    """Submits the tasks that `plan()` says are needed, with `submit(tasks)`, and waits until nothing is left to try.

    `plan()` gives each run's task, and where the record lies if the run is not good. Returns ({tasks that are left},
    whether somebody cancelled the whole). Tasks that ended by themselves are not submitted again by this command: their
    rows failed, and their records say why. Raises Refused.
    """
    tried, ended, begun = collections.Counter(), set(), time.time()

    def needed():
        return {task for task, failed in plan() if not skipped(failed, begun)}

    while True:
        if number := array.number():
            if not tried:  # an earlier command's: what was skipped in it counts, too
                begun = (array.logs / "job.sh").stat().st_mtime
            say(f"Slurm's array {number} is at work on this column: waiting for it", flush=True)
        else:
            left = needed()
            tasks = sorted(task for task in left - ended if tried[task] < TRIES)
            if not tasks:
                return left, False
            tried.update(tasks)
            number = submit(tasks)
            again = " again" if max(tried.values()) > 1 else ""
            say(
                f"Slurm's array {number}, tasks{again}: {len(tasks)}; logs in {os.path.relpath(array.logs, array.root)}"
            )
        last = array.watch(number)
        if tried:  # of an earlier command's array the numbers may stand for other units
            codes = {task: array.code(number, task) for task in last}
            ended |= {task for task, code in codes.items() if code is not None and code < 128}
        cut = {task for task, about in last.items() if about[0] == "CANCELLED"}
        unfinished = {task for task in last if (code := array.code(number, task)) is None or code >= 128}
        if any(not array.node(number, task) for task in cut) or len(cut) > 1 and cut == unfinished:
            return needed(), True  # one that waited, or all that were left: nobody does so who wants the rest


def skipped(failed: Path, since: float) -> bool:
    """Whether a record says that its run was skipped at `since`, in seconds since 1970, or later."""
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
        return failed.stat().st_mtime >= since and files.as_json(failed)["status"] == "skipped"
    return False


def asked(*command) -> subprocess.CompletedProcess:
    """Runs sbatch or squeue without the variables that choose other options, or that are for this host alone."""
    ours = re.compile(
        "SBATCH_(JOB_NAME|ARRAY|EXPORT|OPEN_MODE|OUTPUT|ERROR|NO_REQUEUE|REQUEUE|WAIT)|SQUEUE_|SLURM_(?!CONF)"
    )
    kept = {k: v for k, v in os.environ.items() if not ours.match(k) and not k.startswith("PYTHON") and k != "TMPDIR"}
    return subprocess.run(command, check=False, capture_output=True, text=True, env=kept)
