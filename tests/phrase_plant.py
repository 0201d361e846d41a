"""python -m tests.phrase_plant PAGE...: plants a wrong value for each result of each framework; its checks must notice.

A result is a name that ends in a framework's, such as ``moved_pytorch``. Exit status 1 where a plant is not noticed.
"""

import contextlib
import io
import linecache
import sys
from pathlib import Path

import numpy as np

from phrases import pages as phrases


def wrong(value):
    """Another value of the same kind; of a container each part is another."""
    if isinstance(value, (bool, np.bool_)):
        return not value
    if isinstance(value, str):
        return value + "?"
    if isinstance(value, dict):
        return {key: wrong(one) for key, one in value.items()}
    if isinstance(value, (list, tuple, set)):
        return type(value)(map(wrong, value)) if value else ["?"]
    if value is None:
        return 0
    if isinstance(value, np.ndarray) and value.dtype == bool:
        return ~value
    return np.where(value != value, 0, value + 1)  # NaN, which differs from itself, becomes a number


def results(space):
    """{name: framework} of what the cells left."""
    own = {name: name.rpartition("_")[2] for name in space if "_" in name.strip("_")}
    return {name: framework for name, framework in own.items() if framework in phrases.FRAMEWORKS}


def run(source, name, space):
    """Executes a cell; its text is kept under ``name``, where AutoGraph looks for that of a function."""
    linecache.cache[name] = len(source), None, source.splitlines(keepends=True), name
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(source, name, "exec"), space)


def unnoticed(page):
    """The results of a page that its check cells do not look at."""
    space, found = {"__name__": "__main__"}, []
    for number, (tag, source) in enumerate(page.cells):
        run(source, f"{page.path.name}, {tag}, cell {number}", space)
    checks = [source for tag, source in page.cells if tag.startswith("check")]
    for name in results(space):
        planted = {**space, name: wrong(space[name])}
        try:
            for source in checks:
                run(source, f"{page.path.name}, check", planted)
            found.append(name)
        except AssertionError:
            pass
    missing = set(phrases.FRAMEWORKS) - set(results(space).values())
    return found + [f"no result of {framework}" for framework in sorted(missing)]


def main(paths):
    for path in paths:
        missed = unnoticed(phrases.read(Path(path).resolve()))
        print(f"{path}: {'not noticed: ' + ', '.join(missed) if missed else 'every plant is noticed'}", flush=True)
        if missed:
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
