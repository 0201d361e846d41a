"""The proof of a lesson about repeated calls: each form's results, and how often it computed product and sum."""

import numpy as np

from ..proof.outputs import OutputsProof
from . import counted

COUNTS = ("products", "sums")  # parts beside those of the forms
NUMPY = "NumPy"  # the form that no framework's profiler sees: its operations are counted by the referee
FEW = 2  # calls of a form whose results alone are looked at
COLUMNS = ["step", "operation", "calls", "total, ms", "share, %", "average, us", "kind"]


class CallsProof(OutputsProof):
    """Collects results and counts."""

    kind = "calls"

    def results(self, form, found):
        """``found``: [(number of the set of matrices, y), ...], in the order in which they were computed."""
        errors = [self.relative_errors("y{}".format(number), y) for number, y in found]
        bounds = [float(self.reference.results["y{}.bound".format(number)]) for number, _ in found]
        worst = max(range(len(found)), key=lambda k: errors[k].max() / bounds[k])
        row, error = int(np.argmax(errors[worst])), float(np.max(errors[worst]))
        self.errors = dict(getattr(self, "errors", {}), **{form: np.concatenate(errors)})
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


def prove(lesson, adapters, reference, forms, calls):
    """(a CallsProof, the lines of the profile's table) of the lesson's ``forms``, each profiled over ``calls`` calls.

    Each form computes with every set of the reference's matrices, in turn, so that a result that was kept, or made
    from what a form was first given, is another's. Where an adapter fails, the parts before it are printed.
    """
    proof, found, lines = CallsProof(reference), {part: {} for part in COUNTS}, []
    lesson.rerun()
    sets = [(number, arrays) for number, arrays in enumerate(reference.sets())]
    handed = [adapters.matrices(*arrays) for _, arrays in sets]
    shape = sets[0][1][2].shape
    try:
        for form in forms:
            results = [
                (number, adapters.looked_at(adapters.compute(form, handed[number], FEW), shape)) for number, _ in sets
            ]
            if form == NUMPY:
                seen, asked = counted.operations(lambda arrays: adapters.compute(form, arrays, FEW), sets[0][1]), FEW
            else:
                y, rows = adapters.profile(form, handed[0], calls, shape)
                seen, asked = totals(rows), calls
                results.append((0, y))
                lines += table(form, rows)
            proof.results(form, results)
            for part in COUNTS:
                found[part][form] = seen[part], asked
        for part in COUNTS:
            proof.counts(part, found[part])
    except Exception:
        print(proof)
        raise
    return proof, lines
