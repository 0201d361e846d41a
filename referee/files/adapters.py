"""What a check of a lesson about files has beside what every check has: loader, score, devices."""

import numpy as np

from ..adapters import AdapterError, Adapters


class FileAdapters(Adapters):
    """Adapters of a lesson that reads files; weights come and go with the running statistics.

    ``variance``: "biased" or "unbiased", the kind that the framework's running variances are. ``shared``: whether
    devices normalize with the statistics of their common batch; None where there is no adapter ``devices``.
    ``processes``: whether the devices belong to several processes, so that this one's CPU time tells little.
    """

    REQUIRED = ("tensors", "load", "read", "gradients", "train", "train_files", "predict", "batches", "score")
    OPTIONAL = ("synchronize", "peak_memory", "exact", "double", "devices")  # and train_devices, train_files_devices

    def __init__(self, check, name, lesson, reference):
        super().__init__(check, name, lesson, reference)
        self.trained, self.findings = dict(self.shapes), reference.y.shape[1]
        self.shapes.update((one[0], tuple(one[1])) for one in reference.spec["statistics"])
        self.variance, self.shared = getattr(check, "variance", None), getattr(check, "shared", None)
        self.processes = bool(getattr(check, "processes", False))
        if self.variance not in ("biased", "unbiased"):
            self._wrong("variance", repr(self.variance), '"biased" or "unbiased": which the running variance is')
        if self.devices and not isinstance(self.shared, bool):
            self._wrong("shared", repr(self.shared), "True or False: whether devices share a batch's statistics")

    def require(self, adapter, what):
        """Raise AdapterError unless the check has an optional adapter, which ``what`` needs."""
        if not callable(getattr(self.check, adapter, None)):
            raise AdapterError("{} lacks the adapter {}, which {} needs".format(self.name, adapter, what))

    def gradients(self, x, y):
        """{trained tensor: gradient of the mean loss over x, y, in training mode}."""
        return self._named("gradients", self._call("gradients", x, y), self.trained)

    def on_devices(self, x, y):
        """The same from the lesson's step on two devices, of which each has half of x, y."""
        return self._named("devices", self._call("devices", x, y), self.trained)

    def predict(self, x, samples):
        """Probabilities (samples, findings) in evaluation mode."""
        found = self._array("predict", self._call("predict", x), np.float64)
        if found.shape != (samples, self.findings) or not np.all((found >= 0) & (found <= 1)):
            got = "{} of shape {}".format(found.dtype, found.shape)
            self._wrong("predict", got, "probabilities ({}, {})".format(samples, self.findings))
        return found

    def train_files(self, paths, y, size, batches):
        """One pass through the lesson's loop, fed by its own loader: float64 losses of its ``batches`` mini-batches.

        ``size`` is that of a mini-batch: the lesson's own.
        """
        return self._losses("train_files", (paths, y), batches)

    def train_devices(self, x, y, order, size, batches):
        """One pass over the samples ``order`` of x, y on several devices, ``size`` images in all of them: losses."""
        return self._losses("train_devices", (x, y, order, size), batches)

    def train_files_devices(self, paths, y, size, batches):
        """The same, fed by the lesson's own loader."""
        return self._losses("train_files_devices", (paths, y, size), batches)

    def batches(self, paths, y, training):
        """One pass of the lesson's own loader: a list of (images float64 (n, 3, H, W), findings (n, findings))."""
        found = []
        for batch in self._call("batches", paths, y, training):
            if not isinstance(batch, (tuple, list)) or len(batch) != 2:
                self._wrong("batches", type(batch).__name__, "(images, findings) of each mini-batch")
            images, findings = [self._array("batches", one, np.float64) for one in batch]
            if images.ndim != 4 or images.shape[1] != 3 or findings.shape != (len(images), self.findings):
                got = "images {} and findings {}".format(images.shape, findings.shape)
                self._wrong("batches", got, "(n, 3, H, W) and (n, {})".format(self.findings))
            found.append((images, findings))
        if sum(len(images) for images, _ in found) != len(paths):
            got = "{} images".format(sum(len(images) for images, _ in found))
            self._wrong("batches", got, "{}, each file once".format(len(paths)))
        return found

    def score(self, y, probabilities, names):
        """{finding: area under its ROC curve} by the lesson's own function."""
        found = self._call("score", y, probabilities)
        if not isinstance(found, dict) or sorted(found) != sorted(names):
            self._wrong("score", found, "{} areas by finding: {}".format(len(names), ", ".join(names)))
        return {name: float(self._floats("score", found[name])[0]) for name in names}
