"""Plants mistakes in a notebook, runs its proof with each, and prints what noticed them: a JSON object.

    PYTHONPATH=. python tests/plant.py NOTEBOOK PLANTS.py [PARAMETER=VALUE]... [--only NAME]...

PLANTS.py has PLANTS = {name: ([(text, replacement), ...], expected)}: what is changed in the text of the cells, and a
regular expression for what the notebook or the test of cells must say. "none", the notebook as it is, must pass.
Cells are executed from the parameters to the proof; where that notices nothing, the run too. A mistake counts as
noticed by "cells" (the contract's test, nothing is executed; never of a lesson), by "proof" (ProofError, AdapterError),
by "data" (DataMismatch) or by "run" (timing.Run, or what the referee says of a lesson's own run); another exception is
none of these. A plant that expects "" is no mistake and must pass. Of the proof's losses, only as many are computed as
the expected words need. Runs in the notebook's own environment, on Python 3.6 too. Exit status 1 where a plant is not
noticed as expected.
"""

import argparse
import contextlib
import gc
import importlib
import io
import json
import re
import runpy
import sys
import tempfile
import traceback
import types
from pathlib import Path

from common import timing
from referee import data, proof
from referee import lesson as lessons
from referee.adapters import AdapterError
from referee.proof import reference
from referee.proof.prove import Prover
from tests import cells

# What the referee raises, and what noticed the mistake then.
NOTICED = {proof.ProofError: "proof", AdapterError: "proof", data.DataMismatch: "data", lessons.LessonError: "run"}
OWN = {"run", "synthetic", "show", "more"}  # cells of a lesson's own run
PARTS = [  # words of what is expected, and the part of the proof that says them
    ("bytes are others|sampling", "generation"),
    ("bits per byte, reference|logits", "evaluation"),
    ("not independent", "masks"),
    ("mean loss of|masks repeat", "dropout"),
    ("after two steps|two steps' change", "change"),
    ("classes differ|expected: 3.0 classes|test batch", "evaluation"),
    ("gradient of", "gradients"),
    ("loss at step|losses; expected", "losses"),
]
FILES = [  # the same of a lesson that reads files
    ("gradient on two devices", ["devices"]),
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
    "text": {"TRAIN_SAMPLES": 320, "BATCH_SIZE": 4, "EPOCHS": 2},
    "cnn_mnist": {"TRAIN_SAMPLES": 1280, "EPOCHS": 25},
}


def planted(found, changes):
    """The cells with the changes; raises ValueError for a text that is in none of them."""
    for text, replacement in changes:
        if not any(text in source for source, _ in found):
            raise ValueError("the text to change is not in the notebook: {!r}".format(text))
        found = [(source.replace(text, replacement), tags) for source, tags in found]
    return found


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


def noticed(found, overrides, expected, until):
    """(by, message): what noticed the mistake in the cells, or ("", "") where nothing did."""
    space = kernel()
    add, whole = proof.Proof.add, reference.Reference.__init__

    def add_and_stop(self, *args):  # later parts need not be computed once the expected one has failed
        add(self, *args)
        said = "not the reference's computation: " + "; ".join(self.failures())
        if expected and self.failures() and re.search(expected, said):
            raise proof.ProofError(said)

    proof.Proof.add, reference.Reference.__init__ = add_and_stop, shortened(whole, first_batches(expected))
    try:
        for source, tags in found:
            if set(tags) & {"show", "record"}:
                continue
            cells.execute(source, space)
            if "parameters" in tags:
                space.update(overrides)
            if tags == [until] and not any(until in later for _, later in found[found.index((source, tags)) + 1 :]):
                break
    except proof.ProofError as error:
        return "proof", str(error)
    except ValueError as error:
        frame = traceback.extract_tb(error.__traceback__)[-1]
        if Path(frame[0]).name == Path(timing.__file__).name:
            return "run", str(error)
        raise
    finally:
        proof.Proof.add, reference.Reference.__init__ = add, whole
    return "", ""


def noticed_in_lesson(path, found, overrides, job, expected):
    """The same for a lesson: its proof, then a round, then its own run, each as the runner composes it."""
    add, whole = proof.Proof.add, reference.Reference.__init__

    def add_and_stop(self, *args):
        add(self, *args)
        said = "not the reference's computation: " + "; ".join(self.failures())
        if expected and self.failures() and re.search(expected, said):
            raise proof.ProofError(said)

    check = (path.parent / "checks" / (path.stem + ".py")).read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        lesson = Path(folder) / path.name  # the planted text is what the referee runs again
        planted_cells = [{"cell_type": "code", "metadata": {"tags": tags}, "source": source} for source, tags in found]
        lesson.write_text(json.dumps({"cells": planted_cells}), encoding="utf-8")
        job = dict(job, lesson=str(lesson), check="checks/{}.py".format(path.stem), record="")
        module = job.pop("session")
        proven = next((kind for kind in ("files", "outputs", "calls", "text") if kind in module), "training")
        long = LONG.get(job["workload"], LONG[proven])
        proof.Proof.add, reference.Reference.__init__ = add_and_stop, shortened(whole, first_batches(expected))
        try:
            for kind in ("proof", "full"):  # a round's timed run stands behind its proof
                space = kernel()
                for source, tags in found:
                    if not set(tags) & (OWN - {"run"} if kind == "full" else OWN):
                        cells.execute(source, space)
                        if "parameters" in tags:
                            space.update(overrides, **(long if kind == "full" else {}))
                session = importlib.import_module(module).Session(job, space)
                cells.execute(check, space)
                if kind == "proof":
                    first = {"files": expected_of_files, "training": expected_part, "text": expected_part}.get(proven)
                    if first:  # the proof of others is one computation
                        first(session, expected)
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
    adapters = session.adapters()
    session.look(adapters)
    name = next((name for words, name in PARTS if re.search(words, expected)), None)
    if name:
        whole = getattr(session, "prover", None)  # of a lesson about text
        prover = whole(adapters) if whole else Prover(session.lesson, adapters, session.reference)
        prover.parts()[name]()
        if prover.proof.failures():
            raise proof.ProofError("not the reference's computation: " + "; ".join(prover.proof.failures()))


def expected_of_files(session, expected):
    """The same of a lesson that reads files."""
    parts = next((parts for words, parts in FILES if re.search(words, expected)), None)
    if parts:
        whole, session.job["parts"] = session.job["parts"], parts
        session.prove()
        session.job["parts"] = whole


def kernel():
    """The namespace of a new __main__, as a kernel has one."""
    module = types.ModuleType("__main__")
    sys.modules["__main__"] = module  # frameworks look a function's module up
    gc.collect()  # the network of the plant before may hold a gigabyte
    module.__dict__["display"] = lambda *_: None
    return module.__dict__


def answer(path, changes, expected, overrides, job=None):
    """What noticed one plant: {"by", "message", "expected", "as_expected"}; ``job``: of a lesson."""
    by, message, found = "", "", cells.code_cells(path)
    try:
        before, found = [] if job else cells.mistakes(found), planted(found, changes)
        if job:
            by, message = noticed_in_lesson(path, found, overrides, job, expected)
        elif changes and any("train_step" in tags for _, tags in found):
            said = [sentence for sentence in cells.mistakes(found) if sentence not in before]
            by, message = ("cells", "; ".join(said)) if said else ("", "")
        if not by and not job:
            by, message = noticed(found, overrides, expected, "run" if changes else "proof")
    except Exception as error:  # the plant broke the notebook, which proves nothing
        by, message = "crash", "{}: {}".format(type(error).__name__, error)
    return judged(by, message, expected)


def judged(by, message, expected):
    """{"by", "message", "expected", "as_expected"}: a crash notices nothing."""
    good = bool(re.search(expected, message)) and by in ("cells", "proof", "data", "run") if expected else not by
    return {"by": by, "message": message, "expected": expected, "as_expected": good}


def answered(path, only, answer_one):
    """Answer the plants of a module, or those named in ``only``, one by one, and print them; the exit status."""
    plants = dict({"none": ([], "")}, **runpy.run_path(str(path))["PLANTS"])
    unknown = set(only or []) - set(plants)
    if unknown:
        sys.exit("there is no plant {}".format(", ".join(sorted(unknown))))
    answers = {}
    for name in only or plants:
        changes, expected = plants[name]
        with contextlib.redirect_stdout(io.StringIO()):
            answers[name] = one = answer_one(list(changes), expected)
        sign = "as expected" if one["as_expected"] else "NOT AS EXPECTED"
        print("{}: {}, {}: {}".format(name, sign, one["by"] or "nothing", one["message"][:300]), file=sys.stderr)
    print(json.dumps(answers))
    return 0 if all(one["as_expected"] for one in answers.values()) else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("notebook")
    parser.add_argument("plants")
    parser.add_argument("overrides", nargs="*", metavar="PARAMETER=VALUE")
    parser.add_argument("--only", action="append")
    parser.add_argument("--job", type=json.loads, help="of a lesson: what referee.session.Session takes, as JSON")
    options = parser.parse_args()
    overrides = {key: json.loads(value) for key, value in (word.split("=", 1) for word in options.overrides)}
    path, job = Path(options.notebook), options.job
    return answered(options.plants, options.only, lambda changes, said: answer(path, changes, said, overrides, job))


if __name__ == "__main__":
    sys.exit(main())
