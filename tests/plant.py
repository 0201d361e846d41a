"""Plants mistakes in a notebook, runs its proof with each, and prints what noticed them: a JSON object.

    PYTHONPATH=. python tests/plant.py NOTEBOOK PLANTS.py [PARAMETER=VALUE]... [--only NAME]...

PLANTS.py has PLANTS = {name: ([(text, replacement), ...], expected)}: what is changed in the text of the cells, and a
regular expression for what the notebook or the test of cells must say. "none", the notebook as it is, must pass.
Cells are executed from the parameters to the proof; where that notices nothing, the run too. A mistake counts as
noticed by "cells" (the contract's test, nothing is executed), by "proof" (ProofError) or by "run" (timing.Run);
another exception is none of these. Of the proof's losses, only as many are computed as the expected words need. Runs in
the notebook's own environment, on Python 3.6 too. Exit status 1 where a plant is not noticed as expected.
"""

import argparse
import gc
import json
import re
import runpy
import sys
import traceback
import types
from pathlib import Path

from common import proof, timing
from common.proof import reference
from tests import cells


def planted(found, changes):
    """The cells with the changes; raises ValueError for a text that is in none of them."""
    for text, replacement in changes:
        if not any(text in source for source, _ in found):
            raise ValueError("the text to change is not in the notebook: {!r}".format(text))
        found = [(source.replace(text, replacement), tags) for source, tags in found]
    return found


def first_batches(expected):
    """How many of the proof's batches must run before ``expected`` can show: all where it is about their number."""
    if re.search(r"loss at step(?! \d)|losses were handed in", expected) or not expected:
        return None
    step = re.search(r"loss at step (\d+)", expected)
    return int(step.group(1)) + 1 if step else 1


def shortened(whole, batches):
    """Reference.__init__ that trains the first ``batches`` of its losses alone; all where it is None.

    Small networks, whose reference is a subclass, train all their batches.
    """

    def begin(self, *names):
        whole(self, *names)
        if type(self) is reference.Reference and batches and "loss_bounds" in self.results:
            if "train_samples" in self.spec and self.batch_size:
                self.steps, self.order = batches, self.order[: batches * self.batch_size]
                for name in ("losses", "loss_bounds"):
                    self.results[name] = self.results[name][:batches]

    return begin


def noticed(found, overrides, expected, until):
    """(by, message): what noticed the mistake in the cells, or ("", "") where nothing did."""
    module = types.ModuleType("__main__")
    sys.modules["__main__"] = module  # frameworks look a function's module up
    gc.collect()  # the network of the plant before may hold a gigabyte
    module.__dict__["display"] = lambda *_: None
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
            cells.execute(source, module.__dict__)
            if "parameters" in tags:
                module.__dict__.update(overrides)
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


def answer(path, changes, expected, overrides):
    """What noticed one plant: {"by", "message", "expected", "as_expected"}."""
    by, message, found = "", "", cells.code_cells(path)
    try:
        before, found = cells.mistakes(found), planted(found, changes)
        if changes and any("train_step" in tags for _, tags in found):
            said = [sentence for sentence in cells.mistakes(found) if sentence not in before]
            by, message = ("cells", "; ".join(said)) if said else ("", "")
        if not by:
            by, message = noticed(found, overrides, expected, "run" if changes else "proof")
    except Exception as error:  # the plant broke the notebook, which proves nothing
        by, message = "crash", "{}: {}".format(type(error).__name__, error)
    good = bool(re.search(expected, message)) and by in ("cells", "proof", "run") if changes else not by
    return {"by": by, "message": message, "expected": expected, "as_expected": good}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("notebook")
    parser.add_argument("plants")
    parser.add_argument("overrides", nargs="*", metavar="PARAMETER=VALUE")
    parser.add_argument("--only", action="append")
    options = parser.parse_args()
    overrides = {key: json.loads(value) for key, value in (word.split("=", 1) for word in options.overrides)}
    plants = dict({"none": ([], "")}, **runpy.run_path(options.plants)["PLANTS"])
    unknown = set(options.only or []) - set(plants)
    if unknown:
        parser.error("there is no plant {}".format(", ".join(sorted(unknown))))
    answers = {
        name: answer(options.notebook, list(plants[name][0]), plants[name][1], overrides)
        for name in options.only or plants
    }
    print(json.dumps(answers))
    return 0 if all(one["as_expected"] for one in answers.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
