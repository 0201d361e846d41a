"""The proof of a lesson about repeated calls: each form's results, and how often it computed product and sum."""

from functools import partial

import numpy as np

from ..proof.outputs import OutputsProof
from ..proof.prove import Prover
from . import counted
from .adapters import COUNTS

NUMPY = "NumPy"  # the form that no framework's profiler sees: its operations are counted by the referee
FEW = 2  # calls of a form whose results alone are looked at
COLUMNS = ["step", "operation", "calls", "total, ms", "share, %", "average, us", "kind"]


class CallsProof(OutputsProof):
    """Collects results and counts, and the ``lines`` of the profile's table."""

    kind = "calls"

    def __init__(self, reference):
        super().__init__(reference)
        self.lines = []

    def results(self, form, found):
        """``found``: [(number of the set of matrices, y), ...], in the order in which they were computed."""
        errors = [self.relative_errors("y{}".format(number), y) for number, y in found]
        bounds = [float(self.reference.results["y{}.bound".format(number)]) for number, _ in found]
        worst = max(range(len(found)), key=lambda k: errors[k].max() / bounds[k])
        row, error = int(np.argmax(errors[worst])), float(np.max(errors[worst]))
        self.errors[form] = np.concatenate(errors)
        said = "{}: row {} of y with matrices {} is off by {:.2g} (bound {:.1e})"
        text = said.format(form, row, found[worst][0], error, bounds[worst])
        self.add(form, error, bounds[worst], "row {}".format(row), text)

    def counts(self, part, found):
        """``found``: {form: (how often it computed it, how often it must)}."""
        form = max(found, key=lambda name: abs(found[name][0] - found[name][1]))
        have, must = found[form]
        text = "{}: {} computes {} in {} calls".format(part, form, have, must)
        self.add(part, abs(have - must), 0, form, text)


def totals(rows):
    """{"products": calls, "sums": calls} of a profile's rows [(operation, kind, calls, milliseconds), ...]."""
    kinds = {"products": ("product", "product and sum"), "sums": ("sum", "product and sum")}
    return {part: sum(row[2] for row in rows if row[1] in those) for part, those in kinds.items()}


def table(form, rows):
    """The lines of the record's table for a form."""
    whole = sum(row[3] for row in rows) or 1.0
    return [[form, name, calls, ms, 100 * ms / whole, 1e3 * ms / max(calls, 1), kind] for name, kind, calls, ms in rows]


class CallsProver(Prover):
    """Computes the parts of a CallsProof: the row's forms, and what is counted in them.

    Each form computes with every set of the reference's matrices, in turn, so that a result that was kept, or made
    from what a form was first given, is another's.
    """

    PROOF = CallsProof

    def __init__(self, *given):
        super().__init__(*given)
        self.lesson.rerun(**self.own)
        self.sets, self.found = self.reference.sets(), {part: {} for part in COUNTS}
        self.handed = [self.adapters.matrices(*arrays) for arrays in self.sets]

    def methods(self, parts):
        """One for each form among the ``parts``, then the counts. Raises AdapterError where the lesson has others."""
        return [partial(self.form, name) for name in self.adapters.names(parts)] + [self.counts]

    def form(self, name):
        """Its results; and how often it computed product and sum, in all calls that the settings ask for."""
        shape, calls = self.sets[0][2].shape, self.lesson.given["CALLS"]
        computed = [self.adapters.compute(name, arrays, FEW) for arrays in self.handed]
        results = [(number, self.adapters.looked_at(y, shape)) for number, y in enumerate(computed)]
        if name == NUMPY:
            calls = FEW
            seen = counted.operations(lambda arrays: self.adapters.compute(name, arrays, calls), self.sets[0])
        else:
            y, rows = self.adapters.profile(name, self.handed[0], calls, shape)
            seen = totals(rows)
            results.append((0, y))
            self.proof.lines += table(name, rows)
        self.proof.results(name, results)
        for part in COUNTS:
            self.found[part][name] = seen[part], calls

    def counts(self):
        """Of each part, the form whose count is furthest off."""
        for part in COUNTS:
            self.proof.counts(part, self.found[part])
