"""Plants mistakes in a lesson in R or Julia: each is run as the runner composes it, in its own kernel.

    PYTHONPATH=. python tests/plant_foreign.py WORKLOAD ROW [--only NAME]...

The plants are those of tests/plants, and what is printed is what plant.py prints: a JSON object. It runs in the main
environment; papermill executes the proof with a short timed run, then the lesson's own run.
"""

import argparse
import json
import re
import sys
import tempfile
from pathlib import Path

from catalog.inputs import Notebook
from referee.parameters import physical_cores
from runner import compose, environments, job
from runner.languages import kernels as commands
from tests import kernels, lessons
from tests.plant import LONG, NOTICED, answered, judged

BY = {error.__name__: by for error, by in NOTICED.items()}
TIMEOUT = 900  # seconds of one run


def planted(content, changes):
    """The notebook with the changes; raises ValueError for a text that is in none of its cells."""
    content = json.loads(json.dumps(content))
    code = [cell for cell in content["cells"] if cell["cell_type"] == "code"]
    for text, replacement in changes:
        if not any(text in "".join(cell["source"]) for cell in code):
            raise ValueError(f"the text to change is not in the notebook: {text!r}")
        for cell in code:
            cell["source"] = "".join(cell["source"]).replace(text, replacement)
    return content


def answer(row, changes, expected) -> dict:
    """What noticed one plant: {"by", "message", "expected", "as_expected"}."""
    notebook, declared = Notebook(row.notebook), kernels.declarations()
    entry = declared.environments[row.environment]
    prefix = environments.make(kernels.ROOT, row.environment, entry, "cpu")
    long = LONG.get(row.workload, LONG[declared.workloads[row.workload].proof])
    python, message, by = environments.interpreter(prefix), "", ""
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        lesson = folder / row.notebook.name
        lesson.write_text(json.dumps(planted(notebook.content, changes)))
        asked = {**lessons.job(row), "lesson": str(lesson), "check": f"checks/{notebook.check.name}", "record": ""}
        argv = commands.argv(notebook.language, prefix, python)
        jupyter = environments.write_kernel(folder / "jupyter", "rosetta", argv, notebook.language)
        environ = environments.kernel_environ(entry, prefix, physical_cores(), folder)
        environ |= {"PYTHONPATH": str(kernels.ROOT), "JUPYTER_PATH": str(jupyter), **row.variables}
        for kind in ("round", "full"):
            content = compose.compose(
                json.loads(lesson.read_text()), kind, kind == "round", notebook.check, asked, notebook.language
            )
            (folder / f"{kind}.ipynb").write_text(json.dumps(content))
            given = {**row.parameters, **(long if kind == "full" else {})}
            own, planted_own = notebook.parameters, Notebook(lesson).parameters  # a plant may set the form that trains
            kept = [name for name in planted_own if planted_own[name] == own.get(name)]
            given = {name: value for name, value in given.items() if name in kept}
            where = folder / f"{kind}.ipynb", folder / f"{kind}.out.ipynb", row.notebook.parent
            message = job.execute(*where, given, environ, TIMEOUT)
            if message:
                named = re.search(rf"\b({'|'.join(BY)}): ", message)
                by = BY[named[1]] if named else "crash"
                break
    return judged(by, message, expected)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("workload")
    parser.add_argument("row")
    parser.add_argument("--only", action="append")
    options = parser.parse_args()
    row = kernels.row(options.workload, options.row)
    module = kernels.ROOT / "tests" / "plants" / f"{row.workload}_{row.framework}.py"
    return answered(module, options.only, lambda changes, expected: answer(row, changes, expected))


if __name__ == "__main__":
    sys.exit(main())
