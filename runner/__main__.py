"""Runs the notebooks, each in its own kernel, and has the comparison tables written.

examples:
  ./run_all.sh                                     NumPy, PyTorch, TensorFlow, Keras and JAX on small samples: minutes
  ./run_all.sh --profile cpu --all                 the whole data sets, for a CPU column of your own: about a day
  ./run_all.sh --profile gpu --label my-h100       the original epochs on a GPU, six rounds
  ./run_all.sh --framework pytorch jax             all rows of these frameworks, in every precision
  ./run_all.sh --row pytorch-compiled --rounds 3   this row only, three times
  ./run_all.sh --check --all --jobs 2              only the proofs, two at a time
  ./run_all.sh --python $(which python)            in the Python you have: a conda environment, a GPU image
  ./run_all.sh --profile cpu --all --shard 2/3      the second third of it: the others run on other machines
  ./run_all.sh --profile cpu --all --label epyc --executor slurm --slurm=--partition=cpu --slurm=--time=8:00:00
  ./run_all.sh --list                              the rows, and how each stands
  ./run_all.sh --why pytorch-eager                 what changed since its records were made
  ./run_all.sh report                              draw the pages again from results/published/
  ./run_all.sh phrasebook                          execute the phrasebook's pages, and say what disagrees
  ./run_all.sh phrasebook clip_gradients           one page of it
  ./run_all.sh site --serve                        build the site into .site/, with your own column, and show it
  ./run_all.sh job JOB.json                        run one row as the file says, and leave its record

What is up to date is not run again, and what was interrupted goes on: run the same command again. Records, executed
notebooks, tables and figures go to results/local/LABEL/PROFILE-DEVICE/. Full data sets are downloaded to the folder
that ROSETTA_DATA names. Exit status: 0 rows ok (or some skipped; with --shard, or all); 1 a row failed, all were
skipped, or work could not start; 2 a wrong option; 128 + N after signal N (Ctrl-C: 130). job: 3 where its record is not
ok, 2 where the file is no job.
"""

# Any Python 3.11 or later gets as far as the main environment, and goes on in it: up to there, the standard library.
import signal

if __name__ == "__main__" and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C during imports ends it without a traceback

import argparse
import ast
import contextlib
import gc
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from catalog import checkout, files, locks, selection
from catalog.inputs import Inputs, digest, fetchable
from runner import environments
from runner.hosts import machine, shards
from runner.languages import kernels

COMMANDS = ("run", "job", "report", "phrasebook", "site")
ENTERED = "ROSETTA_ENTERED"  # set for the one restart in another interpreter
NEEDED = "papermill ipykernel psutil jsonschema numpy pandas jinja2 matplotlib".split()


def parser() -> argparse.ArgumentParser:
    """The options. Names are compared with the declarations later, in the main environment."""
    about, more = __doc__.split("\n\n", 1)
    looks = {"epilog": more, "formatter_class": argparse.RawDescriptionHelpFormatter}
    p = argparse.ArgumentParser(prog="run_all.sh", description=about, allow_abbrev=False, **looks)
    p.add_argument("command", nargs="?", choices=COMMANDS, default="run", help="run is the default")
    p.add_argument("names", nargs="*", metavar="NAME", help="the job's file, or pages of the phrasebook")
    names = {"nargs": "+", "action": "extend", "metavar": "NAME", "default": []}
    for what in ("workload", "framework", "row", "precision"):
        alone = ", or WORKLOAD/ROW for that of one workload" if what == "row" else ""
        p.add_argument(f"--{what}", help=f"only these {what}s{alone}", **names)
    p.add_argument("--today", action="store_true", help="all rows of today's frameworks, in every precision")
    p.add_argument("--all", action="store_true", help="all rows")
    p.add_argument("--profile", default="quick", help="how much of the data (default: quick)")
    p.add_argument("--device", choices=["cpu", "gpu"], help="default: the profile's")
    p.add_argument("--check", action="store_true", help="run the proofs only")
    p.add_argument("--jobs", type=int, metavar="N", help="so many at a time, with --check, --rounds 0 or phrasebook")
    p.add_argument("--rounds", type=int, metavar="N", help="timed runs of each row; 0: no rounds")
    p.add_argument("--seed", type=int, metavar="N", help="one full run with another seed: how the accuracy varies")
    setting = {"action": "append", "default": [], "metavar": "NAME=VALUE", "type": name_and_value}
    p.add_argument("--set", help="a parameter; results in a column apart", **setting)
    p.add_argument("--label", default="", help="the machine's name in the tables (default: made from its CPU or GPU)")
    p.add_argument("--shard", metavar="K/N", help="only the K-th of N parts, each of which any host can run")
    p.add_argument("--executor", choices=["here", "slurm"], default="here", help="slurm: an array of all parts")
    p.add_argument("--slurm", metavar="OPTION", action="append", default=[], help="one more option of sbatch's")
    p.add_argument("--python", metavar="PATH", help="run in this interpreter and make no environment")
    p.add_argument("--data", metavar="NAME", help="fetch and convert a whole data set ahead of time, run nothing")
    p.add_argument("--list", action="store_true", help="show the rows and how each stands, run nothing")
    p.add_argument("--why", metavar="ROW", help="name the parts that changed since the row's records were made")
    p.add_argument("--publish", action="store_true", help="then publish the column and draw the pages again")
    p.add_argument(
        "--serve", type=int, nargs="?", const=8000, metavar="PORT", help="with site: show it (default: 8000)"
    )
    return p


def settle():
    """Settles what this process's variables leave open, for itself and all that it starts."""
    if home := not os.environ.get("HOME") and os.path.expanduser("~"):
        os.environ["HOME"] = home if os.path.isdir(home) else tempfile.gettempdir()
    if data := os.environ.pop("ROSETTA_DATA", ""):  # kernels run in other folders
        os.environ["ROSETTA_DATA"] = os.path.abspath(os.path.expanduser(data))
    if (scratch := os.environ.get("TMPDIR")) and not os.access(scratch, os.W_OK):
        print(f"TMPDIR is no folder that can be written to ({scratch}): it does not count", file=sys.stderr)
        del os.environ["TMPDIR"]


def name_and_value(text: str) -> tuple:
    """The name and the value that "NAME=VALUE" gives; a value that is no Python literal is a text."""
    name, found, value = text.partition("=")
    if not found:
        raise argparse.ArgumentTypeError(f"NAME=VALUE, not {text!r}")
    with contextlib.suppress(ValueError, SyntaxError):
        value = ast.literal_eval(value)
    return name, value


def main(argv=None, root: Path = environments.ROOT) -> int:
    """Runs the command; returns the exit status."""
    argv, root, options = sys.argv[1:] if argv is None else argv, Path(root).resolve(), parser()
    args = options.parse_args(argv)
    settle()
    if args.jobs is None:
        args.jobs = len(os.sched_getaffinity(0)) if args.command == "phrasebook" else 1
    args.python = args.python and os.path.abspath(shutil.which(args.python) or args.python)
    for wrong, said in [
        (
            args.command != "phrasebook" and len(args.names) != (args.command == "job"),
            "the command job takes one file, phrasebook names of pages, the others none",
        ),
        (re.search(r"[^\w.+-]|^\.", args.label, re.ASCII), f"argument --label: a plain name, not {args.label!r}"),
        (args.jobs < 1, "argument --jobs: at least 1"),
        (
            args.jobs > 1 and not (args.check or args.rounds == 0 or args.command == "phrasebook"),
            "argument --jobs: only with --check, --rounds 0 or phrasebook, as rows side by side cannot be timed",
        ),
        (args.rounds is not None and args.rounds < 0, "argument --rounds: at least 0"),
        (args.seed is not None and (args.check or args.seed < 0), "argument --seed: at least 0, without --check"),
        (args.shard and not shards.parse(args.shard), f"argument --shard: K/N with 1 <= K <= N, not {args.shard!r}"),
        (args.shard and args.publish, "argument --publish: not with --shard, as the other parts are elsewhere"),
        (args.shard and args.executor == "slurm", "argument --executor: slurm chooses the shards itself"),
        (args.executor == "slurm" and not args.label, "argument --executor: give the kind of node a name with --label"),
        (args.slurm and args.executor != "slurm", "argument --slurm: only with --executor slurm"),
        (args.publish and args.set, "argument --publish: not with --set"),
        (args.serve is not None and args.command != "site", "argument --serve: only with site"),
        ({"DEVICE", "PRECISION"} & {*dict(args.set)}, "argument --set: --device and --precision choose these"),
    ]:
        if wrong:
            options.error(said)
    try:
        if args.command != "job" or not all(map(importlib.util.find_spec, NEEDED)):
            enter(args, argv, root)
        if args.command != "job":
            does = phrasebook if args.command == "phrasebook" else work
            return report(root) if args.command == "report" else does(args, argv, root)
    except (KeyError, IndexError):  # no wrong option: a mistake of this program's
        raise
    except LookupError as error:
        options.error(error.args[0])
    except BrokenPipeError:  # nobody reads on
        raise
    except (environments.Unavailable, OSError, ValueError, ImportError, RuntimeError) as error:
        print(f"run_all.sh: {error}", file=sys.stderr)
        return 1
    from runner import job

    return job.main(args.names[0])


def enter(args, argv, root):
    """Goes on in the main environment, made if need be, or in that of --python; as the site's builder in the site's.

    Raises LookupError for a profile that is not declared, or jobs that would share a GPU; Unavailable, OSError,
    ValueError or RuntimeError where work cannot start.
    """
    table = files.as_toml(root / "frameworks.toml")
    if args.profile not in table["profiles"]:
        raise LookupError(f"argument --profile: one of {', '.join(table['profiles'])}, not {args.profile!r}")
    args.device = args.device or table["profiles"][args.profile]["device"]
    if args.device == "gpu" and args.jobs > 1:
        raise LookupError("argument --jobs: 1 on a GPU, as JAX takes most of its memory for itself")
    runs = args.command == "run" and not (args.list or args.why or args.data or args.executor == "slurm")
    if runs and args.device == "gpu" and not machine.has_gpu():
        raise RuntimeError("every chosen row is skipped: no NVIDIA GPU here (no /dev/nvidiactl, nor WSL's /dev/dxg)")
    name, device = "site" if args.command == "site" else "main", args.device if machine.has_gpu() else "cpu"
    python = args.python or environments.interpreter(environments.make(root, name, table["environments"][name], device))
    if said := environments.probe(python, "import sys; sys.exit(sys.version_info < (3, 11))"):
        raise RuntimeError(f"--python needs a Python 3.11 or later that runs; {python}: {said}")
    prefix = locks.output(python, "import sys; print(sys.prefix)").strip()
    before = os.environ.pop(ENTERED, None)
    there = prefix and Path(prefix).resolve() == Path(sys.prefix).resolve()
    if name == "site" or not there:
        if before or not prefix:
            raise RuntimeError(f"{python} does not say where it is: {prefix or 'nothing'}; run by it: {sys.prefix}")
        shown = [] if args.serve is None else ["--serve", str(args.serve)]
        argv = ["website", "--root", str(root), *shown] if name == "site" else ["runner", *argv]
        environ = {**os.environ, "PYTHONPATH": str(environments.ROOT)} | ({} if name == "site" else {ENTERED: python})
        os.execve(python, [python, "-P", "-m", *argv], environ)
    if missing := environments.missing_modules(python, NEEDED):
        raise RuntimeError(f"{python} lacks what the runner needs: pip install {' '.join(sorted(missing))}")


def work(args, argv, root) -> int:
    """Does what the options ask for, in the main environment; the exit status.

    Raises LookupError for names that are not declared; OSError, ValueError, ImportError or RuntimeError where work
    cannot start.
    """
    from catalog.declarations import DeclarationError, Declarations

    gc.set_threshold(100_000)  # sources are read into many objects and no cycles: looking for these takes as long again
    if args.data:
        from common.data.files import data_directory

        if args.data not in (known := fetchable(root)):
            raise LookupError(f"argument --data: one of {', '.join(known)}, not {args.data!r}")
        importlib.import_module(f"common.data.{args.data}").fetch()
        print(data_directory() / args.data)
        return 0
    declared, changes = Declarations(root), dict(args.set)
    apart = f"-set-{digest(json.dumps(changes, sort_keys=True, default=repr))[:6]}" if changes else ""
    name, local = f"{args.profile}-{args.device}{apart}", root / "results" / "local"
    wanted = {"workload": args.workload, "framework": args.framework, "precision": args.precision}
    wanted["row"] = args.row + [args.why] * bool(args.why)

    def chosen():
        nodes = machine.known(local / args.label, {}) if args.executor == "slurm" else {}
        everything = declared.rows(args.profile, args.device, nodes.get("flags") or machine.cpu()["flags"])
        return selection.chosen(declared, everything, wanted, every=args.all or args.list, today=args.today)

    rows = chosen()
    try:
        for workload in dict.fromkeys(row.workload for row in rows):
            declared.check_parameters(declared.workloads[workload], changes)
    except DeclarationError as error:
        raise LookupError(f"argument --set: {str(error).partition(': ')[2]} ({workload})") from None
    if args.list or args.why:
        inputs, schema = Inputs(declared, args.python), environments.ROOT / "referee" / "record.schema.json"
        number = files.as_json(schema)["properties"]["schema"]["const"]
        print("\n".join(selection.standing(inputs, rows, f"{args.label or '*'}/{name}", args.list, number, changes)))
        return 0
    from runner import batch, job  # with much that the lines above do without
    from runner.hosts import alone

    facts, profile = machine.facts(args.label, args.device), declared.profiles[args.profile]
    folder = local / facts["label"]
    column, rounds = folder / name, profile["rounds"] if args.rounds is None else args.rounds
    runs, units = batch.Batch(declared, column, args.python, changes), shards.units(rows, rounds, args.check, args.seed)
    shard = shards.parse(args.shard or "")

    def plan():
        k, n = shard or (1, 1)
        runs.again = shards.torn(column, [one for one, part in shards.places(units, n).items() if part == k])
        return shards.of((k, n), runs.plan(rows, rounds, args.check, args.seed), units)

    def plan_anew():
        runs.inputs = Inputs(declared, args.python)  # hours may have passed
        return runs.plan(chosen(), rounds, args.check, args.seed)

    if args.executor == "slurm":
        return submit(args, argv, runs, plan_anew, units, rows)
    machine.known(folder, facts)  # the label of another machine is refused before anything is asked
    needed, records = plan(), []
    part = f", part {args.shard} of {len(units)} units" if shard else ""
    print(f"{facts['label']}, {column.name}{part}{'' if needed else f': all is up to date, rows: {len(rows)}'}")
    if needed:
        check_publishable(args, root)
        runs.announce(needed)
        machine.check_room(column)
        runs.fetch(needed)
        measuring = any(run.kind == "round" for run in needed)
        try:
            with alone.hold(measuring, alone.places(local), wait=bool(shard)), job.interruptible():
                kept = machine.known(folder, facts)  # another part may have measured while this one waited
                if measuring and "of" not in kept["peaks"].get(args.device, {}):
                    print("measuring this machine's peaks (once, half a minute)", flush=True)
                    what = [*(name for name, p in declared.precisions.items() if args.device in p["devices"]), "copy"]
                    kept["peaks"][args.device] = machine.peak(args.device, facts["physical_cores"], *what)
                peaks = machine.keep(folder, facts, kept["peaks"])["peaks"].get(args.device, {})
                if shard:  # and the same command, typed twice, may have run what this one has
                    runs.inputs = Inputs(declared, args.python)
                    needed = plan()
                # a batch without parts ends the rounds, too, that a part began
                with shards.noted(column, needed if shard or shards.notes(column).exists() else []) as ended:
                    records = runs.run(needed, facts, peaks, profile["timeout"], args.jobs, ended)
        except job.Interrupted as stop:
            print("\ninterrupted: what is finished is kept. Run the same command again to go on.", file=sys.stderr)
            return 128 + stop.args[0]
    if shard:  # the tables are drawn where all parts are
        return 1 if any(record["status"] == "failed" for record in records) else 0
    return finish(root, column, rows, records, args.publish)


def check_publishable(args, root):
    """Raises RuntimeError where --publish is asked for and the checkout has changes, or is none of git's."""
    if args.publish and (checkout.commit(root) or "+").endswith("+"):
        raise RuntimeError("--publish: only from a checkout that `git status` knows and in which nothing differs")


def submit(args, argv, runs, plan, units, rows) -> int:
    """Has Slurm run what is needed, waits for it, and has the tables drawn; the exit status.

    Raises RuntimeError where Slurm takes no job.
    """
    from runner import job
    from runner.hosts import slurm

    array, root, column = slurm.Array(runs.column, runs.root, units), runs.root, runs.column
    place = shards.places(units, array.count)
    needed, gpus = plan(), max(row.parameters.get("DEVICES", 1) for row in rows) if args.device == "gpu" else 0
    print(f"{args.label}, {column.name}{'' if needed else f': all is up to date, rows: {len(rows)}'}", flush=True)
    check_publishable(args, root)
    machine.check_room(column)

    def planned():
        return [(place[shards.unit(run)], job.failed_path(runs.path(run))) for run in plan()]

    def ask(tasks):
        return array.submit(tasks, argv, args.python, args.slurm, gpus)

    try:
        if needed and not array.number():
            runs.announce(needed)
            slurm.provide(runs.declarations, needed, args.python)
            runs.fetch(needed)
        try:
            left, stopped = slurm.run(array, planned, ask)
        except KeyboardInterrupt:  # before, while an environment is made, there may be no array
            print(f"\na submitted array goes on: type the same again, or scancel --name {array.name}", file=sys.stderr)
            return 130
    except slurm.Refused as error:
        raise RuntimeError(f"Slurm: {error}") from None
    if stopped:
        print("the array was cancelled: run the same command again to go on", file=sys.stderr)
    for task in sorted(left):
        print(f"not done: {'; '.join(array.units[task])}", file=sys.stderr)
    status = report(root, "local", str(column)) if needed or not shards.drawn(column) else 0
    if args.publish and not left and not status:
        return report(root, "publish", str(column))
    return 1 if left else status


def finish(root, column, rows, records, publish) -> int:
    """Counts what ended, has the tables drawn where anything ran, and publishes; the exit status.

    Raises RuntimeError where every chosen row was skipped.
    """
    counts = {status: sum(r["status"] == status for r in records) for status in ("ok", "skipped", "failed")}
    if {(r["workload"], r["row"]) for r in records if r["status"] == "skipped"} == {(r.workload, r.id) for r in rows}:
        raise RuntimeError(f"every chosen row was skipped: {records[0]['reason']}")
    if records:
        print(", ".join(f"{count} {name}" for name, count in counts.items()), flush=True)
    drawn = report(root, "local", str(column)) if records or not shards.drawn(column) else 0
    status = drawn or int(counts["failed"] > 0)
    return report(root, "publish", str(column)) if publish and not status else status


def report(root, *arguments) -> int:
    """Starts the report, a program of its own: its exit status."""
    return subprocess.run([sys.executable, "-m", "report", *arguments], cwd=root, check=False).returncode


def phrasebook(args, _argv, root) -> int:
    """Executes the phrasebook's pages, or those named, and draws its index; the exit status.

    Raises LookupError for a page that is not there, ValueError for one that cannot be read.
    """
    from catalog.declarations import Declarations
    from phrases import execute

    entry = Declarations(root).environments["main"]
    with tempfile.TemporaryDirectory() as folder:
        scratch, prefix = Path(folder), Path(sys.executable).parent.parent
        argv = kernels.argv("python", prefix, sys.executable)
        specs = environments.write_kernel(scratch, execute.KERNEL, argv) / "kernels"
        environ = environments.kernel_environ(entry, prefix, 1, scratch)
        environ |= environments.own_settings(scratch) | {"MPLCONFIGDIR": f"{scratch}/matplotlib"}
        wrong = execute.execute(root, args.names, specs, environ, args.jobs)
    if wrong:
        print(f"{wrong} {'page disagrees' if wrong == 1 else 'pages disagree'}: nothing of theirs is stored")
        return 1
    return report(root)


if __name__ == "__main__":
    for stream in filter(None, (sys.stdout, sys.stderr)):  # in a pipe, too: os.execve drops what is buffered
        stream.reconfigure(line_buffering=True, errors="backslashreplace")  # a terminal may lack a letter
    if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        sys.exit(main())
    except KeyboardInterrupt:  # while an environment is made: it is marked incomplete and made anew
        print("\ninterrupted: run the same command again to go on.", file=sys.stderr)
        sys.exit(130)
    except BrokenPipeError:  # `| head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(128 + signal.SIGPIPE)
