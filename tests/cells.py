"""Reads and executes a notebook's cells. Plain Python 3.6: plant.py runs in every kernel."""

import itertools
import json
import linecache

EXECUTED = itertools.count()
OWN = {"run", "synthetic", "show", "more"}  # cells of a lesson's own run: catalog/inputs.py has the same


def code_cells(path):
    """[(source, tags)] of a notebook's code cells."""
    with open(str(path), encoding="utf-8") as stream:
        return of(json.load(stream))


def of(content):
    """The same of a notebook as JSON has it."""
    cells = [cell for cell in content["cells"] if cell["cell_type"] == "code"]
    return [("".join(cell["source"]), cell["metadata"].get("tags", [])) for cell in cells]


def execute(source, namespace):
    """Run a cell in a namespace (a dict), its source kept where inspect finds it: TensorFlow's AutoGraph reads it."""
    name = "<cell {}>".format(next(EXECUTED))
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    exec(compile(source, name, "exec"), namespace)
