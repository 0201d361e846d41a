"""The command line of the runner: `./run_all.sh` or `python -m runner`."""

import argparse
import os
import sys
import time
from pathlib import Path

from runner import environments
from runner.matrix import Matrix

ROOT = Path(__file__).resolve().parent.parent
LEAST_FREE = 500 * 2**20  # bytes free before work starts

EXAMPLES = """
examples:
  ./run_all.sh                                     every row on the small samples in the repository: minutes
  ./run_all.sh --profile cpu                       the whole data sets, for a CPU column of your own: hours
  ./run_all.sh --profile gpu --label my-h100       the original epochs on a GPU, three repeats
  ./run_all.sh --framework pytorch jax             these notebooks only
  ./run_all.sh --row pytorch-compiled --repeats 3  this row only, three times
  ./run_all.sh --python $(which python)            in the Python you have: a conda environment, a GPU image
  ./run_all.sh --list                              the rows, and how each stands
  ./run_all.sh report                              regenerate the README pages from results/published/

What is up to date is not run again, and what was interrupted goes on: run the same command again. Records, executed
notebooks, tables and figures go to results/local/LABEL/PROFILE-DEVICE/. Full data sets are downloaded to the folder
that ROSETTA_DATA names. Exit status: 0 all rows ok or skipped; 1 a row failed or work could not start;
2 a wrong option; 130 interrupted.
"""


def parser(matrix: Matrix) -> argparse.ArgumentParser:
    """The options, with the matrix's names as choices."""
    p = argparse.ArgumentParser(
        prog="run_all.sh",
        description="Runs the notebooks, each in its own kernel, and writes the comparison tables.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    names = {"nargs": "+", "action": "extend", "metavar": "NAME", "default": []}
    p.add_argument("command", nargs="?", choices=["run", "report"], default="run", help="run (default) or report")
    p.add_argument("--workload", choices=matrix.workloads, help="of " + ", ".join(matrix.workloads), **names)
    p.add_argument("--framework", choices=matrix.frameworks, help="of " + ", ".join(matrix.frameworks), **names)
    p.add_argument("--row", choices=matrix.row_names(), help="single rows, as --list shows them", **names)
    p.add_argument("--precision", choices=matrix.precisions, help="of " + ", ".join(matrix.precisions), **names)
    p.add_argument("--profile", choices=matrix.profiles, default="quick", help="how much of the data (default: quick)")
    p.add_argument("--device", choices=["cpu", "gpu"], help="default: gpu for the profile gpu, else cpu")
    p.add_argument("--repeats", type=positive, metavar="N", help="runs of each row (default: the profile's)")
    p.add_argument("--label", default="", help="the machine's name in the tables (default: made from its CPU or GPU)")
    p.add_argument("--timeout", type=positive, metavar="S", help="seconds for one notebook (default: the profile's)")
    p.add_argument("--seed", type=int, help="another seed: for the spread of the accuracy, beside the rows' own records")
    p.add_argument("--python", metavar="PATH", help="run in this interpreter and make no environment")
    p.add_argument("--publish", action="store_true", help="then move the column to results/published/, update README.md")
    p.add_argument("--list", action="store_true", help="show the rows and how each stands, run nothing")
    return p


def positive(text: str) -> int:
    """A whole number of at least 1."""
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"must be at least 1, not {value}")
    return value


def main(argv=None, root: Path = ROOT) -> int:
    """Runs the command; returns the exit status."""
    argv = sys.argv[1:] if argv is None else argv
    root = Path(root).resolve()
    matrix = Matrix(root)
    options = parser(matrix)
    args = options.parse_args(argv)
    args.device = args.device or matrix.profiles[args.profile]["device"]
    if "/" in args.label or args.label.startswith("."):
        options.error(f"argument --label: a plain name, not {args.label!r}")
    if args.list:
        return show_rows(matrix, args)
    entry = matrix.environments["main"]
    try:
        # So far any Python will do; from here on it is the main environment's, made on first use.
        python = args.python or environments.interpreter(environments.make(root, "main", entry, args.device))
    except (environments.Unavailable, environments.Broken, OSError) as error:
        return complain(error)
    said = environments.probe(python, "import sys; print(sys.prefix); sys.exit(sys.version_info < (3, 11))")
    if said:
        return complain(f"--python needs a Python 3.11 or later that runs; {python}: {said}")
    prefix = environments.output(python, "import sys; print(sys.prefix)").strip()
    if Path(prefix).resolve() != Path(sys.prefix).resolve():
        environ = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(root), os.environ.get("PYTHONPATH", "")]).strip(":"),
        }
        os.execve(python, [python, "-m", "runner", *argv], environ)
    needed = ["papermill", "ipykernel", "rich", "psutil", "filelock", "pandas", "jinja2", "matplotlib"]
    missing = environments.missing_modules(python, needed)
    if missing:
        return complain(f"{python} lacks what the runner needs: pip install {' '.join(sorted(missing))}")
    if args.command == "report":
        from runner import publish

        publish.regenerate(root)
        return 0
    return run(matrix, args)


def complain(error) -> int:
    """Says why work cannot start."""
    print(f"run_all.sh: {error}", file=sys.stderr)
    return 1


def chosen(matrix, args, cpu_flags=None):
    """The rows that the options select."""
    return [
        row
        for row in matrix.rows(args.profile, args.device, cpu_flags)
        if (not args.workload or row.workload in args.workload)
        and (not args.framework or row.framework in args.framework)
        and (not args.row or row.id in args.row)
        and (not args.precision or row.precision in args.precision)
    ]


def show_rows(matrix, args) -> int:
    """--list: the rows of the profile on the device, and the columns in results/local/ that hold each."""
    rows = chosen(matrix, args)
    print(f"profile {args.profile}, device {args.device}: {len(rows)} rows")
    for row in rows:
        folders = f"{args.label or '*'}/{args.profile}-{args.device}/{row.workload}"
        good = [p.parents[2].name for p in matrix.root.glob(f"results/local/{folders}/{row.id}.r1.json")]
        bad = [p.parents[2].name for p in matrix.root.glob(f"results/local/{folders}/{row.id}.failed.json")]
        stand = [f"done: {', '.join(good)}"] * bool(good) + [f"not done: {', '.join(bad)}"] * bool(bad)
        print(f"  {row.workload:<18} {row.id:<24} {'; '.join(stand) or 'not run yet'}")
    return 0


def run(matrix, args) -> int:
    """Runs the selected rows under the lock of results/local/, then writes tables and summary."""
    import filelock

    from runner import execute, files, machine

    local = matrix.root / "results" / "local"
    rows = chosen(matrix, args, machine.cpu_flags())
    if not rows:
        print("run_all.sh: no row fits these options; ./run_all.sh --list shows what there is", file=sys.stderr)
        return 2
    try:
        files.check_room(local, LEAST_FREE)
    except OSError as error:
        return complain(error)
    lock = filelock.FileLock(local / ".lock", timeout=0)
    holder = local / ".lock.pid"
    try:
        lock.acquire()
    except filelock.Timeout:
        pid = holder.read_text().strip() if holder.exists() else "unknown"
        return complain(f"another run (process {pid}) holds {local / '.lock'}: wait for it or stop it")
    try:
        holder.write_text(str(os.getpid()))
        with execute.interruptible():
            return run_locked(matrix, args, rows, local)
    except execute.Interrupted as stop:
        print("\ninterrupted: what is finished is kept. Run the same command again to go on.", file=sys.stderr)
        return 128 + stop.signal
    except (OSError, ValueError) as error:
        return complain(error)
    finally:
        holder.unlink(missing_ok=True)
        lock.release()


def run_locked(matrix, args, rows, local) -> int:
    """The run itself: prepares, runs what is not up to date, reports."""
    from runner import execute, machine

    profile = matrix.profiles[args.profile]
    facts = machine.facts(args.label, args.device)
    folder = local / facts["label"]
    column = folder / f"{args.profile}-{args.device}"
    batch = execute.Batch(matrix, facts, column, args.python, args.timeout or profile["timeout"])
    machine.machine_file(folder, facts, args.device, sys.executable, os.environ)
    jobs = batch.jobs(rows, args.repeats or profile["repeats"], args.seed)
    todo = [job for job in jobs if not job.up_to_date()]
    done = [job for job in jobs if job not in todo]
    for job in done:
        job.forget_old_failure()
    print(f"{facts['label']}, {column.name}: {len(todo)} to run, {len(done)} up to date", flush=True)
    records = run_jobs(batch, todo)
    counts = {status: [r for r in records if r["status"] == status] for status in ("ok", "skipped", "failed")}
    from runner import tables

    print(tables.write_local(column, matrix.root / "results" / "published"))
    for status in ("skipped", "failed"):
        for record in counts[status]:
            print(f"{status}: {record['workload']} {record['row']}: {record['reason']}")
    summary = ", ".join(f"{len(found)} {status}" for status, found in counts.items())
    print(f"{summary}, {len(done)} up to date; tables: {(column / 'tables.md').relative_to(matrix.root)}")
    if counts["failed"]:
        if args.publish:
            print("not published: rows failed")
        return 1
    if args.publish:
        from runner import publish

        try:
            print(publish.publish(column, matrix.root) or "published")
        except publish.PublishError as error:
            return complain(f"not published: {error}")
    return 0


def run_jobs(batch, jobs) -> list:
    """Runs jobs one after the other with a progress display (plain lines where there is no terminal)."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(highlight=False, soft_wrap=True)
    columns = [
        TextColumn("{task.description}"),
        BarColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[left]}"),
    ]
    records = []
    # Two refreshes a second: drawing must not take time from what is being measured.
    with Progress(*columns, console=console, refresh_per_second=2, disable=not console.is_terminal) as progress:
        bar = progress.add_task("", total=len(jobs), left="")
        for number, job in enumerate(jobs, 1):
            name = f"[{number}/{len(jobs)}] {job.row.workload} {job.row.id}" + f" r{job.repeat}" * (job.repeat > 1)
            begin = time.monotonic()

            def tick(number=number, begin=begin):
                spent = time.monotonic() - begin
                left = estimate(jobs[number - 1 :], records) - spent
                progress.update(bar, left=f"about {max(left, 0) / 60:.0f} min left" if records else "")

            progress.update(bar, description=name.replace("[", r"\["))
            record = batch.run(job, tick)
            records.append(record)
            reason = f": {record['reason'].splitlines()[0]}" if record["reason"] else ""
            console.print(f"{name} {record['status']} {record['wall']:.0f} s{reason}", markup=False)
            progress.advance(bar)
    return records


def estimate(jobs, records) -> float:
    """Seconds that `jobs` will take: as last time, or as the mean of this run so far."""
    walls = [record["wall"] for record in records if record["status"] == "ok"]
    mean = sum(walls) / len(walls) if walls else 60.0
    return sum(job.last_wall() or mean for job in jobs)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:  # while an environment is made: it is marked incomplete and made anew
        print("\ninterrupted: run the same command again to go on.", file=sys.stderr)
        sys.exit(130)
