"""What the tests of lessons share: which they are, and the job of one under the referee."""

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
LESSONS = sorted(ROOT.glob("notebooks/*/*.ipynb"))


def rows_of(path, profile="quick"):
    """The CPU rows of a lesson in its workload's own precision, the default one first; on GPUs, if all are there."""
    for rows in (kernels.rows(profile), kernels.rows("gpu", "gpu")):
        own = [row for row in rows if row.notebook == path and row.id == row.name]
        if own:
            return sorted(own, key=lambda row: not row.default)
    return []


def job(row):
    """What a Session takes for a row of the profile quick, less the lesson's place, and its module."""
    asked = {name: getattr(row, name) for name in ("workload", "framework", "precision", "device", "reference", "data")}
    packages = batch.packages(row, kernels.declarations())
    timed = {name.lower(): row.parameters.get(name, default) for name, default in TIMED.items()}
    proof = {"session": SESSIONS[kernels.declarations().workloads[row.workload].proof], "parts": row.proof_parts}
    asked |= {"check": f"checks/{Notebook(row.notebook).check.name}", "record": ""}
    return {**asked, **timed, **proof, "row": row.id, "changed": [], "threads": 1, "packages": packages}
