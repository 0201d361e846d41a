"""Plants mistakes in a lesson, runs it with each under the referee, and prints what noticed them: a JSON object.

    PYTHONPATH=. python tests/plant.py WORKLOAD ROW [--only NAME]...      in the main environment

tests/plants/WORKLOAD_FRAMEWORK.py has PLANTS = {name: ([(text, replacement), ...], expected)}: what is changed in the
text of the cells, and a regular expression for what the referee must say. "none", the lesson as it is, must pass, and
so must a plant that expects "". Each is planted in a copy of the lesson; then come its proof, a round, and its own run.
A mistake counts as noticed by "proof" (ProofError, AdapterError), "data" (DataMismatch) or "run" (LessonError); another
exception is none of these. Exit status 1 where a plant is not noticed as expected.

Plants of a lesson in Python are run in one process of the row's own environment, on Python 3.6 too; there what must
notice the mistake comes first, a part of the proof or the lesson's own run, with as many losses and epochs as the
expected words need. A lesson in R or Julia runs in its own kernel, as the runner composes it.
"""

import argparse
import contextlib
import gc
import importlib
import io
import json
import re
import runpy
import subprocess
import sys
import tempfile
import types
from pathlib import Path

from referee import data, proof
from referee import lesson as lessons
from referee.adapters import AdapterError
from referee.proof import reference
from tests import cells

# What the referee raises, and what noticed the mistake then.
NOTICED = {proof.ProofError: "proof", AdapterError: "proof", data.DataMismatch: "data", lessons.LessonError: "run"}
OF_RUN = r"(^|\|)its |a table of how frequent"  # what the referee says of a lesson's own run
OF_EPOCH = r"its history (holds|ends)"  # of these, what the fewest epochs are enough for
TIMEOUT = 900  # seconds of a run in a kernel
PARTS = [  # words of what is expected, and the parts of the proof that say them
    ("bytes are others|sampling", ["generation"]),
    ("bits per byte, reference|logits", ["evaluation"]),
    ("not independent", ["masks"]),
    ("mean loss of|masks repeat", ["dropout"]),
    ("after two steps|two steps' change", ["change", "after"]),
    ("classes differ|expected: 3.0 classes|test batch", ["evaluation"]),
    ("gradient on two devices", ["devices"]),
    ("gradient compiled for two devices", ["devices, compiled"]),
    ("gradient of", ["gradients"]),
    ("loss at step|losses; expected", ["losses"]),
    ("running (means|biased|unbiased)", ["losses", "means", "variances"]),
    ("probabilities", ["evaluation"]),
    ("area", ["score"]),
    ("pixels of|findings of file|CROP is", ["loader"]),
    ("deviations off|no crop|normalized pixels|same order|every file once|each file once", ["augmentation"]),
    ("change of", ["change, early", "change, late"]),
]
LONG = {  # of a lesson's own run, by the workload's name or its kind of proof: as many steps as must have learned
    "training": {"TRAIN_SAMPLES": 1280, "EPOCHS": 10},
    "files": {"TRAIN_SAMPLES": 96, "EPOCHS": 2},
    "outputs": {},
    "calls": {},
    "text": {"TRAIN_SAMPLES": 320, "BATCH_SIZE": 4, "EPOCHS": 4},
    "cnn_mnist": {"TRAIN_SAMPLES": 1280, "EPOCHS": 25},
}


def planted(content, changes):
    """The notebook, as JSON has it, with the changes; raises ValueError for a text that is in none of its cells."""
    content = json.loads(json.dumps(content))
    code = [cell for cell in content["cells"] if cell["cell_type"] == "code"]
    for text, replacement in changes:
        if not any(text in "".join(cell["source"]) for cell in code):
            raise ValueError("the text to change is not in the notebook: {!r}".format(text))
        for cell in code:
            cell["source"] = "".join(cell["source"]).replace(text, replacement)
    return content


def answered(content, plants, run):
    """Print what noticed each plant, {name: {"by", "message", "expected", "as_expected"}}; the exit status.

    ``run``: a function of a planted notebook and what is expected; returns (by, message). A crash notices nothing.
    """
    answers = {}
    for name, (changes, expected) in plants.items():
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                by, message = run(planted(content, changes), expected)
        except Exception as error:  # the plant broke the notebook, which proves nothing
            by, message = "crash", "{}: {}".format(type(error).__name__, error)
        good = bool(re.search(expected, message)) and by in NOTICED.values() if expected else not by
        answers[name] = {"by": by, "message": message, "expected": expected, "as_expected": good}
        sign = "as expected" if good else "NOT AS EXPECTED"
        print("{}: {}, {}: {}".format(name, sign, by or "nothing", message[:300]), file=sys.stderr, flush=True)
    print(json.dumps(answers))
    return 0 if all(one["as_expected"] for one in answers.values()) else 1


# ---- in the kernel of a lesson in Python


def first_batches(expected):
    """How many of the proof's batches must run before ``expected`` can show: all where it is about their number."""
    if re.search(r"loss at step(?! \d)|losses were handed in|losses; expected", expected) or not expected:
        return None
    step = re.search(r"loss at step (\d+)", expected)
    return int(step.group(1)) + 1 if step else 1


def shortened(whole, batches):
    """Reference.__init__ that trains the first ``batches`` of its losses alone; all where it is None.

    A reference that trains several epochs, of small networks, trains all its batches.
    """

    def begin(self, *names):
        whole(self, *names)
        if type(self) is reference.Reference and batches and "loss_bounds" in self.results:
            if "train_samples" in self.spec and self.batch_size and len(self.orders) == 1:
                self.steps, self.order = batches, self.order[: batches * self.batch_size]
                self.orders = [self.order]
                for name in ("losses", "loss_bounds"):
                    self.results[name] = self.results[name][:batches]

    return begin


def runs(kind, given, long, short, expected):
    """[(kind, settings)] of a round, of this ``kind``, and of the lesson's own run: first what must notice the mistake.

    ``short``: settings beside ``long`` where the fewest epochs are enough. A round's timed run stands behind its proof.
    """
    if re.search(OF_EPOCH, expected):
        long = dict(long, **short)
    found = [(kind, given), ("full", long)]
    return found[::-1] if re.search(OF_RUN, expected) else found


def here(content, expected, path, job, given, long, short):
    """(by, message): what notices the mistake in a planted notebook; ("", "") where nothing does.

    ``path``: the lesson's; ``given``: settings of the row; ``long``: those of its own run; ``short``: see ``runs``.
    """
    add, whole = proof.Proof.add, reference.Reference.__init__

    def add_and_stop(self, *args):  # later parts need not be computed once the expected one has failed
        add(self, *args)
        said = "not the reference's computation: " + "; ".join(self.failures())
        if expected and self.failures() and re.search(expected, said):
            raise proof.ProofError(said)

    check = path.parent / job["check"]
    with tempfile.TemporaryDirectory() as folder:
        lesson = Path(folder) / path.name  # the planted text is what the referee runs again
        lesson.write_text(json.dumps(content), encoding="utf-8")
        job = dict(job, lesson=str(lesson))
        module = job.pop("session")
        proof.Proof.add, reference.Reference.__init__ = add_and_stop, shortened(whole, first_batches(expected))
        try:
            for kind, settings in runs("proof", given, dict(given, **long), short, expected):
                space = kernel()
                for source, tags in cells.of(content):
                    if not set(tags) & (cells.OWN - {"run"} if kind == "full" else cells.OWN):
                        cells.execute(source, space)
                        if "parameters" in tags:
                            space.update(settings)
                session = importlib.import_module(module).Session(job, space)
                cells.execute(check.read_text(encoding="utf-8"), space)
                if kind == "proof":
                    if session.PROVER.PARTS:  # else the proof is one computation
                        expected_part(session, expected)
                    session.prove()
                    session.measure()
                else:
                    session.judge()
                session.record()
        except tuple(NOTICED) as error:
            return NOTICED[type(error)], str(error)
        finally:
            proof.Proof.add, reference.Reference.__init__ = add, whole
    return "", ""


def expected_part(session, expected):
    """Compute the part of the proof alone that must notice the mistake; the whole proof comes after, if it does not."""
    parts = next((parts for words, parts in PARTS if re.search(words, expected)), None)
    if parts:
        adapters = session.adapters()
        session.look(adapters)
        failures = session.prover(adapters).prove(parts).failures()
        if failures:
            raise proof.ProofError("not the reference's computation: " + "; ".join(failures))


def kernel():
    """The namespace of a new __main__, as a kernel has one."""
    module = types.ModuleType("__main__")
    sys.modules["__main__"] = module  # frameworks look a function's module up
    gc.collect()  # the network of the plant before may hold a gigabyte
    module.__dict__["display"] = lambda *_: None
    return module.__dict__


# ---- in the main environment


def in_its_kernel(content, expected, row, job, given, long, short):
    """As ``here``, of a lesson in another language: papermill executes what the runner composes."""
    from catalog.inputs import Notebook
    from runner import compose, environments
    from runner import job as jobs
    from runner.languages import kernels as commands
    from tests import kernels

    notebook, noticed = Notebook(row.notebook), {error.__name__: by for error, by in NOTICED.items()}
    python, environ = kernels.of(row.environment)
    argv = commands.argv(notebook.language, Path(python).parent.parent, python)
    with tempfile.TemporaryDirectory() as folder:
        lesson = Path(folder) / row.notebook.name
        lesson.write_text(json.dumps(content))
        jupyter = environments.write_kernel(lesson.with_name("jupyter"), "rosetta", argv, notebook.language)
        environ = {**environ, **kernels.variables(row), "PYTHONPATH": str(kernels.ROOT), "JUPYTER_PATH": str(jupyter)}
        for kind, settings in runs("round", given, {**given, **long}, short, expected):
            asked, proves = {**job, "lesson": str(lesson)}, kind == "round"
            composed = compose.compose(content, kind, proves, notebook.check, asked, notebook.language)
            run = lesson.with_name(f"{kind}.ipynb")
            run.write_text(json.dumps(composed))
            output = run.with_suffix(".out.ipynb")
            message = jobs.execute(run, output, row.notebook.parent, settings, environ, TIMEOUT)
            if message:
                named = re.search(rf"\b({'|'.join(noticed)}): ", message)
                return noticed[named[1]] if named else "crash", message
    return "", ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("workload")
    parser.add_argument("row")
    parser.add_argument("--only", action="append", metavar="NAME")
    parser.add_argument("--here", action="store_true", help="in the row's own environment; the rest is read from stdin")
    options = parser.parse_args()
    if options.here:
        path, plants, *asked = json.load(sys.stdin)
        content = json.loads(Path(path).read_text(encoding="utf-8"))
        return answered(content, plants, lambda *one: here(*one, Path(path), *asked))

    from catalog.inputs import Notebook
    from tests import kernels
    from tests import lessons as known

    row = kernels.row(options.workload, options.row)
    module = kernels.ROOT / "tests" / "plants" / "{}_{}.py".format(row.workload, row.framework)
    plants = dict({"none": ([], "")}, **runpy.run_path(str(module))["PLANTS"])
    unknown = set(options.only or []) - set(plants)
    if unknown:
        parser.error("there is no plant {}".format(", ".join(sorted(unknown))))
    plants = {name: plants[name] for name in options.only or plants}
    notebook, workload = Notebook(row.notebook), kernels.declarations().workloads[row.workload]
    # a plant may change a setting: those that are the lesson's own already are not set again
    own = notebook.parameters
    given = {name: value for name, value in row.parameters.items() if name in own and value != own[name]}
    short = {"EPOCHS": workload.parameters["EPOCHS"]["min"]} if "EPOCHS" in own else {}
    asked = known.job(row), given, LONG.get(row.workload, LONG[workload.proof]), short
    if notebook.language != "python":
        return answered(notebook.content, plants, lambda *one: in_its_kernel(*one, row, *asked))
    python, environ = kernels.of(row.environment)
    environ = {**environ, **kernels.variables(row), "PYTHONPATH": str(kernels.ROOT)}
    command = [python, __file__, row.workload, row.id, "--here"]
    told = json.dumps([str(row.notebook), plants, *asked])
    return subprocess.run(command, cwd=row.notebook.parent, env=environ, input=told.encode()).returncode


if __name__ == "__main__":
    sys.exit(main())
