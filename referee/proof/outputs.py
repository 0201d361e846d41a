"""The proof of a lesson that only computes outputs."""

import numpy as np

from . import Proof, ProofError
from .reference import PROJECTIONS


class OutputsProof(Proof):
    """Collects outputs and classes; each method returns the proof."""

    kind = "outputs"

    def __init__(self, reference):
        super().__init__(reference)
        self.errors = {}  # of each sample, by the outputs' name

    def outputs(self, name, values, stages=None):
        """``values`` (N, ...): each sample within the bound of its reference, 2-norm, relative.

        ``stages``: a function that returns {stage: values (n, ...)} of what leads to the outputs, in order, for the
        first n samples; it is called where the bound does not hold, to name the first stage that diverges.
        Raises ProofError for another shape.
        """
        errors, bound = self.relative_errors(name, values), float(self.reference.results[name + ".bound"])
        worst = int(np.argmax(errors))
        self.errors[name] = errors
        text = "{}: sample {} is off by {:.2g} (bound {:.1e})".format(name, worst, errors[worst], bound)
        if stages and errors[worst] > bound:
            text += "; " + self._first_stage(name, stages(), bound)
        self.add(name, errors[worst], bound, "sample {}".format(worst), text)
        return self

    def relative_errors(self, name, values, numbers=None):
        """Each sample's error against what the reference stores as ``name``: float64 (N,).

        The reference holds each sample's norm and its products with fixed random vectors; their
        root mean square estimates the norm of a difference. ``numbers``: which of the reference's samples these
        are, where they are not all of them in order. Raises ProofError for another shape.
        """
        known, values = self.reference.results, np.asarray(values, np.float64)
        shape = tuple(known[name + ".shape"])
        numbers = np.arange(shape[0]) if numbers is None else numbers
        if values.shape != (len(numbers),) + shape[1:]:
            raise ProofError("{} has shape {}, the reference {}".format(name, values.shape, shape))
        difference = project(values) - known[name + ".projected"][numbers]
        errors = np.sqrt(np.mean(difference**2, axis=1)) / known[name + ".norms"][numbers]
        return np.where(np.isfinite(errors), errors, np.inf)

    def _first_stage(self, name, stages, bound):
        for stage, values in stages.items():
            worst = self.relative_errors(name + "." + stage, values).max()
            if worst > bound:
                return "the first stage that diverges: {}, off by {:.2g}".format(stage, worst)
        return "no stage diverges, only what follows the last one"

    def classes(self, name, values):
        """``values`` (N,): each sample's class, as stored under ``name``."""
        known = self.reference.results[name]
        wrong = np.flatnonzero(np.asarray(values) != known)
        where = "sample {}".format(wrong[0]) if len(wrong) else ""
        text = "{}: {} of {} differ{}".format(name, len(wrong), len(known), where and ", first " + where)
        self.add(name, len(wrong), 0, where, text)
        return self

    def plot(self):
        """Errors of all samples beside their bound: a picture."""
        from common import plots

        return plots.outputs(self)


def project(values):
    """Products of each sample of ``values`` (N, ...) with 8 fixed random vectors: (N, 8)."""
    flat = np.asarray(values, np.float64).reshape(len(values), -1)
    rng = np.random.default_rng(2018)
    return flat.dot((rng.random((flat.shape[1], PROJECTIONS)) - 0.5) * np.sqrt(12.0))
