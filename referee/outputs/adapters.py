"""What a check of a lesson that only computes outputs has: images in, features and logits out."""

import numpy as np

from ..adapters import Adapters

FEATURES, CLASSES = 2048, 1000


class OutputAdapters(Adapters):
    """Adapters of a lesson without training. ``stages`` and ``alone`` are None where the check has none."""

    REQUIRED = ("tensors", "data", "load", "features", "logits")
    OPTIONAL = ("synchronize", "peak_memory", "stages", "alone")

    def tensors(self, photos):
        """Photos, uint8 (N, 224, 224, 3), red first, as the lesson's network takes them."""
        found = self._call("tensors", photos)
        if found is None:
            self._wrong("tensors", "None", "what features takes")
        return found

    def data(self):
        """(images, labels): the lesson's own, as NumPy, images float (N, 224, 224, 3), blue first, less the mean."""
        found = self._call("data")
        if not isinstance(found, (tuple, list)) or len(found) != 2:
            self._wrong("data", type(found).__name__, "(images, labels)")
        x, y = [self._array("data", one) for one in found]
        if x.ndim != 4 or x.shape[3] != 3:
            self._wrong("data", "images {}".format(x.shape), "(N, height, width, 3)")
        return x, y

    def features(self, x, images):
        """The features of ``images`` images by the lesson's own function: NumPy floats (images, 2048), all computed."""
        return self._rows("features", self._call("features", x), (images, FEATURES))

    def logits(self, features):
        """The logits of features, NumPy floats (N, 2048) as ``features`` gives them: NumPy floats (N, 1000)."""
        return self._rows("logits", self._call("logits", features), (len(features), CLASSES))

    def stages_of(self, x):
        """{stage: output (N, H, W, C)} on the way to the features."""
        found = self._call("stages", x)
        if not isinstance(found, dict):
            self._wrong("stages", type(found).__name__, "a dict of arrays by stage")
        return {name: self._array("stages", one) for name, one in found.items()}

    def alone_with(self):
        """{name: plain value} that the lesson's cells need where they run alone, such as the path of its file."""
        found = self._call("alone")
        if not isinstance(found, dict):
            self._wrong("alone", type(found).__name__, "a dict of plain values by name")
        return found

    def _rows(self, adapter, found, shape):
        values = self._array(adapter, found)
        if values.shape != shape or values.dtype.kind != "f":
            self._wrong(adapter, "{} of shape {}".format(values.dtype, values.shape), "floats {}".format(shape))
        if not np.all(np.isfinite(values)):
            row = int(np.flatnonzero(~np.isfinite(values).all(axis=1))[0])
            self._wrong(adapter, "values that are not finite, first of image {}".format(row), "finite numbers")
        return values
