"""Parts of a batch that several hosts share: `--shard K/N` runs every N-th of its units, from the K-th on.

A *unit* stays on one host: a whole round of a workload in a precision, with its reference row; a full run; the proofs
of a workload in a precision. Units are counted from the rows and options alone, so each host counts them alike.
"""

import contextlib
import re
from pathlib import Path

from catalog import files
from runner.hosts import alone


def parse(text: str):
    """(K, N) of "K/N"; None where it says no shard."""
    found = re.fullmatch(r"([0-9]+)/([0-9]+)", text, re.ASCII)
    return (int(found[1]), int(found[2])) if found and 1 <= int(found[1]) <= int(found[2]) else None


def unit(run) -> tuple:
    """The unit that a run belongs to: (workload, precision or row, "round 3", "full" or "proofs")."""
    if run.kind == "full":
        return run.row.workload, run.row.id, "full"
    return run.row.workload, run.row.precision, f"round {run.round}" if run.kind == "round" else "proofs"


def units(rows, rounds: int, check=False, seed=None) -> list:
    """All units that these rows and options can need, whatever is up to date and whatever this host is."""
    groups = list(dict.fromkeys((row.workload, row.precision) for row in rows))
    found = [] if check or seed is not None else [(*g, f"round {k}") for k in range(1, rounds + 1) for g in groups]
    found += [] if check else [(row.workload, row.id, "full") for row in rows]
    return found + [(*group, "proofs") for group in groups if seed is None]


def places(everything, n: int) -> dict:
    """{unit: the part, of 1 to `n`, that has it}."""
    return {one: number % n + 1 for number, one in enumerate(everything)}


def of(shard, needed, everything) -> list:
    """The runs of `needed` that a shard (K, N) has."""
    k, n = shard
    place = places(everything, n)
    return [run for run in needed if place[unit(run)] == k]


def drawn(column: Path) -> bool:
    """Whether a column's tables are younger than all its records, whichever host made them.

    A copy keeps the time of a file's last change, so the time of its status counts, which is that of its arrival.
    """
    tables = column / "tables.md"
    return tables.exists() and all(file.stat().st_ctime <= tables.stat().st_ctime for file in column.glob("*/*.json"))


# --------------------------------------------------------------------------------------------- units that were torn
def notes(column: Path) -> Path:
    """Where there is a file for each round that was begun and has not ended: beside the column, no record of it."""
    return column.parent / f".units-{column.name}"


def _note(column, which):
    return notes(column) / f"{'.'.join(which).replace(' ', '')}.json"


def torn(column: Path, everything) -> set:
    """(workload, name) of the runs of rounds that another host began and has not ended.

    What it has measured of them is measured again, with the rest: the rows of a round are compared with each other.
    """
    found = set()
    for which in everything:
        with contextlib.suppress(OSError, ValueError, KeyError):
            note = files.as_json(_note(column, which))
            if note["host"] != alone.host():
                found |= {(which[0], name) for name in note["runs"]}
    return found


@contextlib.contextmanager
def noted(column: Path, runs):
    """Notes for each round of `runs` which host begins it; the note goes when the last of its runs has ended.

    Gives a function of a run that has ended. The notes of what was interrupted stay.
    """
    from referee.record import write_json  # with NumPy, which the first Python may lack

    left = {}
    for run in runs:
        if run.kind == "round":
            left.setdefault(unit(run), []).append(run.name)
    for which, names in left.items():
        before = {}
        with contextlib.suppress(OSError, ValueError):
            before = files.as_json(_note(column, which))
        mine = before.get("runs", []) if before.get("host") == alone.host() else []  # goes on with what it began
        write_json(_note(column, which), {"host": alone.host(), "runs": [*dict.fromkeys([*mine, *names])]})

    def ended(run):
        names = left.get(unit(run), [])
        if run.name in names:
            names.remove(run.name)
            if not names:
                _note(column, unit(run)).unlink(missing_ok=True)

    yield ended
    for which in left:  # a row that fails is not begun in later rounds
        _note(column, which).unlink(missing_ok=True)
