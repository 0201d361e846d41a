"""Runs the notebooks, each in its own kernel, and has the comparison tables written.

examples:
  ./run_all.sh                                     today's default rows on the small samples here: minutes
  ./run_all.sh --profile cpu --all                 the whole data sets, for a CPU column of your own: a night
  ./run_all.sh --profile gpu --label my-h100       the original epochs on a GPU, six rounds
  ./run_all.sh --framework pytorch jax             these notebooks only
  ./run_all.sh --row pytorch-compiled --rounds 3   this row only, three times
  ./run_all.sh --check --all --jobs 2              only the proofs, two at a time
  ./run_all.sh --python $(which python)            in the Python you have: a conda environment, a GPU image
  ./run_all.sh --list                              the rows, and how each stands
  ./run_all.sh --why pytorch-eager                 what changed since its records were made
  ./run_all.sh report                              draw the pages again from results/published/
  ./run_all.sh job JOB.json                        run one row as the file says, and leave its record

What is up to date is not run again, and what was interrupted goes on: run the same command again. Records, executed
notebooks, tables and figures go to results/local/LABEL/PROFILE-DEVICE/. Full data sets are downloaded to the folder
that ROSETTA_DATA names. Exit status: 0 rows ok (or some skipped); 1 a row failed, all were skipped, or work could
not start; 2 a wrong option; 130 interrupted.
"""

# Any Python 3.11 or later gets as far as the main environment, and goes on in it: up to there, the standard library.
import argparse
import ast
import importlib
import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

from runner import environments, machine
from runner.inputs import Inputs, digest, why

ROOT = Path(__file__).resolve().parent.parent
NEEDED = "papermill ipykernel psutil jsonschema numpy pandas jinja2 matplotlib".split()


def parser() -> argparse.ArgumentParser:
    """The options. Names are compared with the declarations later, in the main environment."""
    about, more = __doc__.split("\n\n", 1)
    looks = {"epilog": more, "formatter_class": argparse.RawDescriptionHelpFormatter}
    p = argparse.ArgumentParser(prog="run_all.sh", description=about, allow_abbrev=False, **looks)
    names = {"nargs": "+", "action": "extend", "metavar": "NAME", "default": []}
    p.add_argument(
        "command", nargs="?", choices=["run", "job", "report"], default="run", help="run (default), job or report"
    )
    p.add_argument("file", nargs="?", help="of the command job")
    for what in ("workload", "framework", "row", "precision"):
        p.add_argument(f"--{what}", help=f"only these {what}s", **names)
    p.add_argument("--today", action="store_true", help="all rows of today's frameworks, in every precision")
    p.add_argument("--all", action="store_true", help="all rows")
    p.add_argument("--profile", default="quick", help="how much of the data (default: quick)")
    p.add_argument("--device", choices=["cpu", "gpu"], help="default: the profile's")
    p.add_argument("--check", action="store_true", help="run the proofs only")
    p.add_argument("--jobs", type=at_least(1), default=1, metavar="N", help="so many at a time, with --check")
    p.add_argument(
        "--rounds",
        type=at_least(0),
        metavar="N",
        help="timed runs of each row; 0: full runs alone (default: the profile's)",
    )
    p.add_argument(
        "--seed", type=int, metavar="N", help="one full run with another seed: for the spread of the accuracy"
    )
    p.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="a parameter; results in a column apart"
    )
    p.add_argument("--label", default="", help="the machine's name in the tables (default: made from its CPU or GPU)")
    p.add_argument("--timeout", type=at_least(1), metavar="S", help="seconds for one notebook (default: the profile's)")
    p.add_argument("--python", metavar="PATH", help="run in this interpreter and make no environment")
    p.add_argument("--data", metavar="NAME", help="fetch and convert a whole data set ahead of time, run nothing")
    p.add_argument("--list", action="store_true", help="show the rows and how each stands, run nothing")
    p.add_argument("--why", metavar="ROW", help="name the parts that changed since the row's records were made")
    p.add_argument(
        "--publish", action="store_true", help="then copy the column to results/published/ and draw the pages again"
    )
    return p


def at_least(least: int):
    """Converts an option's text into a whole number of at least `least`."""

    def number(text: str) -> int:
        if int(text) < least:
            raise argparse.ArgumentTypeError(f"must be at least {least}, not {text}")
        return int(text)

    return number


def main(argv=None, root: Path = ROOT) -> int:
    """Runs the command; returns the exit status."""
    argv, root, options = sys.argv[1:] if argv is None else argv, Path(root).resolve(), parser()
    args = options.parse_args(argv)
    for wrong, said in {
        (args.file is None) == (args.command == "job"): "the command job takes one file, the others none",
        "/" in args.label or args.label.startswith("."): f"argument --label: a plain name, not {args.label!r}",
        args.jobs > 1
        and not args.check: "argument --jobs: only with --check, as rows that run at once cannot be timed",
        args.publish and bool(args.set): "argument --publish: not with --set",
    }.items():
        if wrong:
            options.error(said)
    if args.command == "job":
        from runner import job

        return job.main(args.file)
    try:
        table = tomllib.loads((root / "frameworks.toml").read_text(encoding="utf-8"))
        if args.profile not in table["profiles"]:
            options.error(f"argument --profile: one of {', '.join(table['profiles'])}, not {args.profile!r}")
        args.device = args.device or table["profiles"][args.profile]["device"]
        if (
            args.device == "gpu"
            and args.command == "run"
            and not (args.list or args.why or args.data or machine.has_gpu())
        ):
            return complain("every chosen row is skipped: this machine shows no NVIDIA GPU (/dev/nvidiactl)")
        entry = table["environments"]["main"]
        python = args.python or environments.interpreter(environments.make(root, "main", entry, args.device))
    except (environments.Unavailable, environments.Broken, OSError, tomllib.TOMLDecodeError, KeyError) as error:
        return complain(error)
    said = environments.probe(python, "import sys; sys.exit(sys.version_info < (3, 11))")
    if said:
        return complain(f"--python needs a Python 3.11 or later that runs; {python}: {said}")
    prefix = environments.output(python, "import sys; print(sys.prefix)").strip()
    if Path(prefix).resolve() != Path(sys.prefix).resolve():
        paths = os.pathsep.join([str(root), os.environ.get("PYTHONPATH", "")]).strip(":")
        os.execve(python, [python, "-m", "runner", *argv], {**os.environ, "PYTHONPATH": paths})
    missing = environments.missing_modules(python, NEEDED)
    if missing:
        return complain(f"{python} lacks what the runner needs: pip install {' '.join(sorted(missing))}")
    return report(root) if args.command == "report" else work(args, options, root)


def complain(error) -> int:
    """Says why work cannot start."""
    print(f"run_all.sh: {error}", file=sys.stderr)
    return 1


def work(args, options, root) -> int:
    """Does what the options ask for, in the main environment."""
    from runner import batch, job
    from runner.declarations import DeclarationError, Declarations

    try:
        if args.data:
            print(importlib.import_module(f"common.data.{args.data}").fetch())
            return 0
        declared = Declarations(root)
        rows = chosen(declared, args)
        changes = given(declared, args, {row.workload for row in rows})
        if args.list or args.why:
            return show(declared, rows, args)
        facts = machine.facts(args.label, args.device)
        folder, profile = root / "results" / "local" / facts["label"], declared.profiles[args.profile]
        apart = f"-set-{digest(json.dumps(changes, sort_keys=True))[:6]}" if changes else ""
        column, kept = folder / f"{args.profile}-{args.device}{apart}", machine.known(folder, facts)
        runs = batch.Batch(declared, column, args.python, changes)
        rounds = profile["rounds"] if args.rounds is None else args.rounds
        needed, records = runs.plan(rows, rounds, args.check, args.seed), []
        print(f"{facts['label']}, {column.name}{'' if needed else f': all is up to date, rows: {len(rows)}'}")
        if needed:
            runs.announce(needed)
            batch.check_room(folder.parent, batch.LEAST_FREE)
            measuring = any(run.kind == "round" for run in needed)
            with batch.lock(measuring), job.interruptible():
                peaks = kept.get("peaks", {}).get(args.device, {})
                if measuring and not peaks:
                    print("measuring this machine's peaks (once)", flush=True)
                    precisions = [
                        name for name, entry in declared.precisions.items() if args.device in entry["devices"]
                    ]
                    peaks = machine.measure(args.device, facts["physical_cores"], *precisions, "copy")
                    kept = {**kept, **facts, "peaks": {**kept.get("peaks", {}), args.device: peaks}}
                    batch.write_json(folder / "machine.json", kept)
                records = runs.run(needed, facts, peaks, args.timeout or profile["timeout"], args.jobs)
    except LookupError as error:
        options.error(error.args[0])
    except job.Interrupted as stop:
        print("\ninterrupted: what is finished is kept. Run the same command again to go on.", file=sys.stderr)
        return 128 + stop.args[0]
    except (DeclarationError, batch.Busy, OSError, ValueError, ImportError, RuntimeError) as error:
        return complain(error)
    return finish(root, column, records, args.publish)


def finish(root, column, records, publish) -> int:
    """Counts what ended, has the tables drawn where anything ran, and publishes; the exit status."""
    counts = {status: sum(r["status"] == status for r in records) for status in ("ok", "skipped", "failed")}
    if records and counts["skipped"] == len(records):
        return complain(f"every chosen row was skipped: {records[0]['reason']}")
    status = 1 if counts["failed"] else 0
    if records:
        print(", ".join(f"{count} {name}" for name, count in counts.items()), flush=True)
    if records or not (column / "tables.md").exists():
        status = report(root, "local", str(column)) or status
    return report(root, "publish", str(column)) if publish and not status else status


def report(root, *arguments) -> int:
    """Starts the report, a program of its own: its exit status."""
    environ = {**os.environ, "PYTHONPATH": str(root)}
    return subprocess.run([sys.executable, "-m", "report", *arguments], cwd=root, env=environ, check=False).returncode


def chosen(declared, args) -> list:
    """The rows that the options select. Raises LookupError where a name is not declared, or nothing fits."""
    everything = declared.rows(args.profile, args.device, machine.cpu()["flags"])
    wanted = {name: list(getattr(args, name)) for name in ("workload", "framework", "row", "precision")}
    wanted["row"] += [args.why] if args.why else []
    known = {
        **{"workload": declared.workloads, "framework": declared.frameworks, "precision": declared.precisions},
        "row": dict.fromkeys(row.id for row in everything),
    }
    for what, names in wanted.items():
        for name in set(names) - set(known[what]):
            raise LookupError(f"argument --{what}: one of {', '.join(known[what])}, not {name!r}")
    every = args.all or args.list or any(wanted[what] for what in ("framework", "row", "precision"))
    rows = [row for row in everything if every or (row.today and (args.today or row.default))]
    for what, names in wanted.items():
        rows = [row for row in rows if not names or getattr(row, {"row": "id"}.get(what, what)) in names]
    if not rows:
        raise LookupError("no row fits these options; --list shows what there is")
    return rows


def given(declared, args, workloads) -> dict:
    """The parameters of --set, checked for each of the workloads. Raises LookupError or DeclarationError."""
    changes = {}
    for text in args.set:
        name, found, value = text.partition("=")
        if not found:
            raise LookupError(f"argument --set: NAME=VALUE, not {text!r}")
        try:
            changes[name] = ast.literal_eval(value)
        except (ValueError, SyntaxError):
            changes[name] = value
        for workload in workloads:
            declared.check_parameter(declared.workloads[workload], name, changes[name], ("parameters", name))
    return changes


def show(declared, rows, args) -> int:
    """--list: the rows, and how each stands in the columns of results/local/; --why: the parts that changed."""
    inputs = Inputs(declared, args.python)
    for row in rows:
        stand = []
        column = (
            declared.root / "results" / "local" / (args.label or "*") / f"{args.profile}-{args.device}" / row.workload
        )
        for path in sorted(declared.root.glob(f"{column.relative_to(declared.root)}/{row.id}.*.json")):
            try:
                record = json.loads(path.read_text(encoding="utf-8"))
                good = record["status"] == "ok"
                found = why(inputs, row, record) if good else {path.stem: [f"{record['status']}: {record['reason']}"]}
            except (OSError, ValueError, KeyError, TypeError) as error:
                found = {path.name: [f"is no record of today's: {error!r}"]}
            stand += [(path.parents[2].name, what, "; ".join(said) or "up to date") for what, said in found.items()]
        if args.why:
            print(
                "\n".join(f"{row.workload} {label}, {what}: {said}" for label, what, said in stand)
                or f"{row.workload}: not run yet"
            )
        else:
            current = sum(said == "up to date" for _, _, said in stand)
            how = f"{current} of {len(stand)} up to date" if stand else "not run yet"
            print(f"  {row.workload:<18} {row.id:<24} {how}")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:  # while an environment is made: it is marked incomplete and made anew
        print("\ninterrupted: run the same command again to go on.", file=sys.stderr)
        sys.exit(130)
