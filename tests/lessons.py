"""What the tests of lessons share: which they are, the job of one under the referee, the command of its plants."""

import json

from catalog.inputs import SESSIONS, TIMED, Notebook
from runner import batch
from tests import kernels

ROOT = kernels.ROOT
NEXT = """## Next

In PyTorch, TensorFlow, Keras and JAX, side by side:

- [A data set of your own](../../phrasebook/own_dataset.ipynb), and its loader
- [A learning-rate schedule](../../phrasebook/schedules.ipynb)
- [Clip gradients](../../phrasebook/clip_gradients.ipynb)
- [Freeze layers](../../phrasebook/freeze_layers.ipynb)
- [Several devices](../../phrasebook/two_devices.ipynb)"""  # of every lesson; a line on the framework's own may follow
LESSONS = sorted(path for path in ROOT.glob("notebooks/*/*.ipynb") if Notebook(path).check)


def rows_of(path, profile="quick"):
    """The CPU rows of a lesson in its workload's own precision, the default one first; on GPUs, if all are there."""
    for rows in (kernels.rows(profile), kernels.declarations().rows("gpu", "gpu")):
        own = [row for row in rows if row.notebook == path and row.id == row.name]
        if own:
            return sorted(own, key=lambda row: not row.default)
    return []


def job(row):
    """What a Session takes for a row of the profile quick, less the lesson's and the record's place, and its module."""
    asked = {name: getattr(row, name) for name in ("workload", "framework", "precision", "device", "reference", "data")}
    packages = batch.packages(row, kernels.declarations())
    timed = {name.lower(): value for name, value in TIMED.items()}
    proof = {"session": SESSIONS[kernels.declarations().workloads[row.workload].proof], "parts": row.proof_parts}
    return {**asked, **timed, **proof, "row": row.id, "changed": [], "threads": 1, "packages": packages}


def plant_command(row, names):
    """The arguments of tests/plant.py for some plants of a row's lesson (none: all), on the samples of quick."""
    notebook = Notebook(row.notebook)
    own = notebook.parameters
    # A plant may change a setting: those that are the lesson's own already are not set again.
    asked = {name: value for name, value in row.parameters.items() if name in own and value != own[name]}
    words = [f"{name}={json.dumps(value)}" for name, value in asked.items()]
    only = [word for name in names for word in ("--only", name)]
    if notebook.language != "python":
        return [str(ROOT / "tests" / "plant_foreign.py"), row.workload, row.id, *only]
    module = ROOT / "tests" / "plants" / f"{row.workload}_{row.framework}.py"
    return [
        str(ROOT / "tests" / "plant.py"),
        str(row.notebook),
        str(module),
        *words,
        *only,
        "--job",
        json.dumps(job(row)),
    ]
