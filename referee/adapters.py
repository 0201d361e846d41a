"""The check's functions as the referee calls them: each result is looked at before anything is made of it."""

import numpy as np

TIMES = ("kind", "total, ms")  # what a profile says: the kind of work, and how long it took


class AdapterError(ValueError):
    """An adapter is missing, or gave what cannot be right; the message names the file and what was expected."""


class Adapters(object):
    """The adapters of the object ``check``, defined in the file ``name``, of the lesson in the file ``lesson``.

    ``reference``: a Reference, whose spec has the tensors' shapes. Raises AdapterError for a check that lacks one of
    REQUIRED; one of OPTIONAL that it lacks is None here.
    """

    REQUIRED = ("tensors", "data", "load", "read", "gradients", "train", "loss", "predict", "evaluate")
    OPTIONAL = ("synchronize", "peak_memory", "allocations", "profile", "exact")

    def __init__(self, check, name, lesson, reference):
        self.check, self.name, self.lesson = check, name, lesson
        self.shapes = {tensor[0]: tuple(tensor[1]) for tensor in reference.spec.get("tensors", ())}
        lacking = [one for one in self.REQUIRED if not callable(getattr(check, one, None))]
        if lacking:
            names = [", ".join(one) for one in (lacking, self.REQUIRED)]
            raise AdapterError("{} lacks the adapter {}: `check` must have {}".format(name, *names))
        for one in self.OPTIONAL:
            setattr(self, one, getattr(check, one, None))

    def _call(self, adapter, *arguments):
        try:
            return getattr(self.check, adapter)(*arguments)
        except NameError as error:
            raise AdapterError(
                "{}, {}(): {}: {} must define it".format(self.name, adapter, error, self.lesson)
            ) from error

    def _wrong(self, adapter, got, expected):
        raise AdapterError("{}, {}() gave {}; expected: {}".format(self.name, adapter, got, expected))

    def _array(self, adapter, found, dtype=None):
        """What an adapter gave as NumPy's; an array of a framework may refuse in its own way."""
        try:
            return np.asarray(found, dtype)
        except Exception as error:
            self._wrong(adapter, "{}, and {}".format(type(found).__name__, error), "what NumPy takes for numbers")

    def tensors(self, x, y):
        """NumPy samples and labels as the lesson has them."""
        found = self._call("tensors", x, y)
        if not isinstance(found, tuple) or len(found) != 2:
            self._wrong("tensors", type(found).__name__, "(samples, labels)")
        return found

    def data(self):
        """((x_train, y_train), (x_test, y_test)): the lesson's own arrays as NumPy, in the shared layout."""
        found = self._call("data")
        try:
            (a, b), (c, d) = found
        except (TypeError, ValueError):
            self._wrong("data", type(found).__name__, "((x_train, y_train), (x_test, y_test))")
        a, b, c, d = [self._array("data", one) for one in (a, b, c, d)]
        return (a, b), (c, d)

    def load(self, weights):
        """Put weights in the shared layout into the lesson's model."""
        self._call("load", weights)

    def _named(self, adapter, found, shapes=None):
        """{tensor: array} with the spec's names and ``shapes``, finite."""
        shapes = shapes or self.shapes
        if not isinstance(found, dict):
            self._wrong(adapter, type(found).__name__, "a dict of arrays by tensor")
        arrays = {}
        for name, shape in shapes.items():
            if name not in found:
                self._wrong(adapter, "no tensor {}".format(name), ", ".join(shapes))
            arrays[name] = self._array(adapter, found[name])
            if arrays[name].shape != shape:
                self._wrong(adapter, "{} of shape {}".format(name, arrays[name].shape), "shape {}".format(shape))
            if not np.all(np.isfinite(arrays[name])):
                self._wrong(adapter, "values of {} that are not finite".format(name), "finite numbers")
        return arrays

    def read(self):
        """The model's weights in the shared layout: copies."""
        return {name: np.array(w) for name, w in self._named("read", self._call("read")).items()}

    def gradients(self, x, y):
        """{tensor: gradient of the mean loss over x, y}."""
        return self._named("gradients", self._call("gradients", x, y))

    def train(self, x, y, order, batches):
        """One pass through the lesson's loop in that order: float64 losses of its ``batches`` mini-batches.

        They are NumPy's when this returns: nothing is left to compute.
        """
        return self._losses("train", (x, y, order), batches)

    def _losses(self, adapter, arguments, batches):
        losses = self._floats(adapter, self._call(adapter, *arguments))
        if len(losses) != batches:
            self._wrong(adapter, "{} losses".format(len(losses)), "{}, one for each mini-batch".format(batches))
        return losses

    def loss(self, x, y):
        """The mean loss in evaluation mode: float."""
        found = self._floats("loss", self._call("loss", x, y))
        if len(found) != 1:
            self._wrong("loss", "{} values".format(len(found)), "one number")
        return float(found[0])

    def predict(self, x, samples):
        """Classes of ``samples`` samples by the lesson's own ``predict``: int64."""
        found = self._array("predict", self._call("predict", x))
        if (
            found.shape != (samples,)
            or found.dtype.kind not in "iuf"
            or not np.all(np.isfinite(found))
            or np.any(found != np.floor(found))
        ):
            got = "{} of shape {}".format(found.dtype, found.shape)
            self._wrong("predict", got, "{} classes, whole numbers".format(samples))
        return found.astype(np.int64)

    def evaluate(self, x, y):
        """The share of right answers by the lesson's own ``evaluate``: float in 0..1."""
        found = self._floats("evaluate", self._call("evaluate", x, y))
        if len(found) != 1 or not -1e-6 <= found[0] <= 1 + 1e-6:
            self._wrong("evaluate", found[:3].tolist(), "one share from 0 to 1")
        return float(found[0])

    def count_allocations(self):
        """(number, bytes) that an epoch of the lesson's loop asks for, as its language counts; None without a count."""
        if not self.allocations:
            return None
        found = self._floats("allocations", self._call("allocations"))
        if len(found) != 2 or np.any(found < 0):
            self._wrong("allocations", found[:3].tolist(), "(number, bytes)")
        return int(found[0]), int(found[1])

    def profiled(self):
        """(columns, rows) of where the time of some steps goes, with the columns "kind" and "total, ms"; None without.

        The adapter gives either such a table or {kind: milliseconds}, or None where the lesson's profile was not made.
        """
        found = self._call("profile") if self.profile else None
        if found is None:
            return None
        table = (TIMES, list(found.items())) if isinstance(found, dict) else found
        try:
            columns, rows = list(table[0]), [list(row) for row in table[1]]
            times = [row[columns.index(TIMES[1])] for row in rows if isinstance(row[columns.index(TIMES[0])], str)]
        except (TypeError, ValueError, IndexError, KeyError):
            times = []
        if not times or len(times) != len(rows) or min(self._floats("profile", times)) < 0:
            expected = "times by kind, or (columns, rows) with the columns {!r} and {!r}".format(*TIMES)
            self._wrong("profile", found, expected)
        return columns, sorted(rows, key=lambda row: -row[columns.index(TIMES[1])])

    def _floats(self, adapter, found):
        values = self._array(adapter, found, np.float64).ravel()
        if not np.all(np.isfinite(values)):
            where = int(np.flatnonzero(~np.isfinite(values))[0])
            self._wrong(adapter, "{} as value {}".format(values[where], where), "finite numbers")
        return values
