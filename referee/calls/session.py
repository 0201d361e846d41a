"""One run of a lesson about repeated calls, under the referee."""

import numpy as np
from common import timing

from .. import session, timed
from ..data import DataMismatch
from ..lesson import LessonError
from . import prove
from .adapters import CallAdapters
from .reference import CallReference, placed

SPEED = "all kept"  # the form whose calls per second are the row's speed
# How far the mean of drawn matrices may be off 0, and their deviation off 1, in 1 / sqrt(values): that is one standard
# error of the mean, and 1.4 of the deviation.
DRAW = 6


class ApartTimer(timing.Timer):
    """Of work in another process than this one, whose CPU time says nothing about it."""

    busy = None


class Session(session.Session):
    """As ``session.Session``; the parts of the proof are the lesson's forms, and what is counted."""

    REFERENCE, ADAPTERS, PROVER = CallReference, CallAdapters, prove.CallsProver

    def prove(self):
        """As every session; what the profiles of the forms say is a table of the record."""
        picture = super().prove()
        self.tables["profile"] = (prove.COLUMNS, self.proof.lines)
        return picture

    def measure(self):
        """Each form's seconds, called so often as the settings say; a call before the clock prepares what it needs.

        The clock stops when y has become NumPy's and the device has nothing left to do.
        """
        adapters, calls = self.adapters(), self.lesson.given["CALLS"]
        forms = adapters.names(self.job["parts"])
        self.look(adapters)
        self.lesson.rerun()
        given = [placed(one) for one in self.reference.drawn(self.lesson.given["SIZE"])]
        handed = adapters.matrices(*given)
        clock = (ApartTimer if self.space.apart else timing.Timer)(adapters.synchronize)
        with clock.phase("first call"):
            adapters.compute(forms[1], handed, 1)
        found = {}
        for form in forms:
            adapters.compute(form, handed, 1)
            with clock.phase(form):
                found[form] = adapters.compute(form, handed, calls)
            print("{:16} {:7.2f} s for {} calls".format(form, clock.seconds[form][0], calls))
        clock.peak_memory_bytes = timed.peak_memory(adapters)
        self._right(adapters, given, found)
        self.timer = clock
        self.measured["rate"] = ("1/s", [calls / clock.seconds[SPEED][0]])

    def judge(self):
        """What the lesson's own run came to: its matrices, what each form makes of them, and its profiles.

        Raises LessonError for a profile without a product and a sum in every call, DataMismatch for other matrices.
        """
        adapters, calls = self.adapters(), self.lesson.given["CALLS"]
        forms = adapters.names(self.job["parts"])
        self.look(adapters)
        self.lesson.named("profiles")
        profiles, lines = self.space.value("profiles"), []
        for form in forms:
            if form not in profiles:
                if form == prove.NUMPY:
                    continue
                said = "{}: its profiles lack {!r}; they have {}"
                raise LessonError(said.format(self.lesson.name, form, ", ".join(map(str, profiles)) or "none"))
            rows = adapters.rows("profiles", profiles[form])
            for part, have in prove.totals(rows).items():
                if have != calls:
                    said = "{}: its profile of {!r} has {} {}; the settings promise {}"
                    raise LessonError(said.format(self.lesson.name, form, have, part, calls))
            lines += prove.table(form, rows)
        given = self.reference.drawn(self.lesson.given["SIZE"])
        handed = adapters.matrices(*given)
        self._right(adapters, given, {form: adapters.compute(form, handed, 1) for form in forms})
        self.tables["profile"] = (prove.COLUMNS, lines)
        self.timer = timing.Timer()
        print("{} products and sums in each of {} profiles".format(calls, len({line[0] for line in lines})))

    def _right(self, adapters, given, found):
        """Raise LessonError unless each y of {form: y} is m x + b in float32.

        No value may be off by 1e-5 times the root of SIZE, which is the standard deviation of the values of m x.
        """
        m, x, b = [one.astype(np.float64) for one in given]
        exact = m.dot(x) + b
        for form, y in found.items():
            off = np.max(np.abs(adapters.looked_at(y, exact.shape) - exact)) / np.sqrt(len(exact))
            if not off < 1e-5:
                said = "{}: y of {!r} is off by {:.1e} times the root of {}"
                raise LessonError(said.format(self.lesson.name, form, off, len(exact)))

    def look(self, adapters):
        """Look at the lesson's own matrices. Raises DataMismatch.

        Another language draws other numbers: there they must be a draw from N(0, 1).
        """
        known = self.reference.drawn(self.lesson.given["SIZE"])
        for name, theirs in zip(("m", "x", "b"), known):
            self.lesson.named(name)
            ours = np.asarray(self.space.value(name))
            if ours.dtype != theirs.dtype or ours.shape != theirs.shape:
                said = "{} is {} of shape {}; the workload's is {} of shape {}"
                raise DataMismatch(said.format(name, ours.dtype, ours.shape, theirs.dtype, theirs.shape))
            if self.space.apart:
                mean, deviation = np.mean(ours, dtype=np.float64), np.std(ours, dtype=np.float64)
                if not max(abs(mean), abs(deviation - 1)) <= DRAW / np.sqrt(ours.size):
                    said = "{} is no draw from N(0, 1): its mean is {:.3g}, its deviation {:.3g}"
                    raise DataMismatch(said.format(name, mean, deviation))
            elif not np.array_equal(ours, theirs):
                row = int(np.argmax(np.any(ours != theirs, axis=1)))
                raise DataMismatch(
                    "{} is not the workload's matrix: row {} is the first that differs".format(name, row)
                )
