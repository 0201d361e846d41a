"""Which rows, pasted cells and plants the tests run by default: a sample that turns from day to day.

    python -m tests.sample [NUMBER]      the rows of today's (or that number's) sample, as --row takes them

One row of each environment, one in a lower precision than its workload's own, and of the main environment as many as
make fourteen in all: the time does not grow with the rows.
Rows whose workload's folder changed since the last commit but one come first; NUMBER turns the others.
"""

import datetime
import subprocess
import sys

from catalog import languages
from tests import kernels

ROWS = 14


def turned(items, number, count):
    """``count`` of the items, beginning where the ``number``-th turn stands; all where there are fewer."""
    items = list(items)
    start = number * count % max(1, len(items))
    return (items[start:] + items[:start])[:count]


def changed():
    """Paths below notebooks/ that differ from the last commit but one, committed or not; none without git."""
    done = subprocess.run(
        ["git", "diff", "--name-only", "HEAD~1", "--", "notebooks"],
        cwd=kernels.ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    return set(done.stdout.split())


def is_changed(row, paths):
    """Whether one of the paths belongs to the row: its notebook or check, its workload's declaration or reference."""
    folder, name = row.notebook.parent.relative_to(kernels.ROOT).as_posix(), row.notebook.stem
    own = {f"{folder}/{name}.ipynb", f"{folder}/workload.toml"}
    own |= {f"{folder}/checks/{name}{suffix}" for suffix in languages.SUFFIXES.values()}
    return bool(own & paths) or any(path.startswith(f"{folder}/reference/") for path in paths)


def rows(number, paths=None):
    """The sample of rows in the profile quick."""
    paths = changed() if paths is None else paths
    groups = {}
    for row in kernels.rows():
        own = row.precision == kernels.declarations().workloads[row.workload].precisions[0]
        groups.setdefault(row.environment if own else "lower precision", []).append(row)
    chosen = []
    for name, group in groups.items():
        count = max(1, ROWS - len(groups) + 1) if name == "main" else 1
        group = sorted(turned(group, number, count) + group, key=lambda row: not is_changed(row, paths))
        chosen += list(dict.fromkeys((row.workload, row.id) for row in group))[:count]
    return [kernels.row(*one) for one in chosen]


def pasted(path, number):
    """Whether a notebook's cells are pasted today: one notebook of each environment, by rotation."""
    environment = kernels.environment_of(path)
    group = [
        one for one in sorted(kernels.ROOT.glob("notebooks/*/*.ipynb")) if kernels.environment_of(one) == environment
    ]
    return path == group[number % len(group)]


def main(number):
    print(*(f"{row.workload}/{row.id}" for row in rows(number)))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else datetime.date.today().toordinal())
