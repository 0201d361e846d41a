"""What a check of a lesson about repeated calls has: the lesson's forms, and its profile of one of them."""

import numpy as np
from common.plots import OPERATIONS  # what an operation of a profile does

from ..adapters import Adapters

COUNTS = ("products", "sums")  # parts of the proof beside the forms


class CallAdapters(Adapters):
    """Adapters of a lesson whose *forms*, ways to place the matrices, compute y = m x + b many times."""

    REQUIRED = ("forms", "compute", "profile")
    OPTIONAL = ("tensors", "synchronize", "peak_memory")

    def names(self, parts):
        """The names of the lesson's forms, in the order of the proof's ``parts``. Raises AdapterError for others."""
        promised = [part for part in parts if part not in COUNTS]
        found = list(self._call("forms"))
        if sorted(found) != sorted(promised):
            self._wrong("forms", ", ".join(map(str, found)) or "nothing", ", ".join(promised))
        return promised

    def matrices(self, *arrays):
        """NumPy's m, x, b as the lesson's language has them: of Python's as they are."""
        return self._call("tensors", *arrays) if self.tensors else arrays

    def compute(self, form, arrays, calls):
        """y after so many calls, as NumPy has it: nothing is left to compute. Whoever takes it looks at it."""
        return self._array("compute", self._call("compute", form, *(tuple(arrays) + (calls,))))

    def looked_at(self, y, shape, adapter="compute"):
        """The same y, float32 and finite."""
        if y.shape != shape or y.dtype != np.float32:
            self._wrong(adapter, "{} of shape {}".format(y.dtype, y.shape), "float32 of shape {}".format(shape))
        if not np.all(np.isfinite(y)):
            self._wrong(adapter, "{} values that are not finite".format(np.sum(~np.isfinite(y))), "finite numbers")
        return y

    def profile(self, form, arrays, calls, shape):
        """(y, [(operation, kind, calls, milliseconds), ...]) of a form, as the framework's profiler saw it."""
        found = self._call("profile", form, *(tuple(arrays) + (calls,)))
        if not isinstance(found, tuple) or len(found) != 2:
            self._wrong("profile", type(found).__name__, "(y, rows of the profile)")
        y = self.looked_at(self._array("profile", found[0]), shape, "profile")
        return y, self.rows("profile", found[1])

    def rows(self, adapter, rows):
        """A profile's rows, looked at: [(operation, kind, calls, milliseconds), ...]."""
        looked = []
        for row in rows:
            if not isinstance(row, (tuple, list)) or len(row) != 4 or row[1] not in OPERATIONS:
                expected = "(operation, kind, calls, milliseconds), a kind of {}".format(", ".join(OPERATIONS))
                self._wrong(adapter, "the row {!r}".format(row), expected)
            calls, spent = self._floats(adapter, row[2:])
            looked.append((str(row[0]), row[1], int(calls), float(spent)))
        return looked
