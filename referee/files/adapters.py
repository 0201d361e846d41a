"""What a check of a lesson about files has beside what every check has: loader, score, devices."""

import numpy as np

from ..adapters import AdapterError, Adapters


class FileAdapters(Adapters):
    """Adapters of a lesson that reads files; weights come and go with the running statistics.

    ``variance``: "biased" or "unbiased", the kind that the framework's running variances are. ``shared``: whether
    devices normalize with the statistics of their common batch; None where there is no adapter ``devices``.
    ``processes``: whether the devices belong to several processes, so that this one's CPU time tells little.
    """

    REQUIRED = tuple(
        "tensors load read gradients train train_files predict predict_files batches as_arrays score".split()
    )
    OPTIONAL = ("synchronize", "peak_memory", "exact", "double", "devices", "devices_compiled")
    # and train_devices, train_files_devices

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

    def on_devices_compiled(self, x, y):
        """The same through the step as it is timed, where ``devices`` runs it eagerly: compiling may take a minute."""
        return self._named("devices_compiled", self._call("devices_compiled", x, y), self.trained)

    def predict(self, x, samples):
        """Probabilities in evaluation mode: float64 (samples, findings)."""
        return self._probabilities("predict", (x,), samples)

    def predict_files(self, paths, y):
        """The same of files, in their order, fed by the lesson's own loader: float64 (files, findings).

        ``paths``: a list of str; ``y``: float32 (files, findings). The images are never all in memory.
        """
        return self._probabilities("predict_files", (paths, y), len(paths))

    def _probabilities(self, adapter, arguments, samples):
        found = self._array(adapter, self._call(adapter, *arguments), np.float64)
        if found.shape != (samples, self.findings) or not np.all((found >= 0) & (found <= 1)):
            got = "{} of shape {}".format(found.dtype, found.shape)
            self._wrong(adapter, got, "probabilities ({}, {})".format(samples, self.findings))
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
        """One pass of the lesson's own loader: yields (images, findings), float64 (n, 3, H, W) and (n, findings).

        ``paths``: a list of str; ``y``: float32 (files, findings). A mini-batch becomes NumPy's when its turn comes and
        is kept no longer than by who asked for it: all of an epoch can be more than the memory holds.
        """
        for batch in self._pass(paths, y, training):
            found = self._call("as_arrays", *batch)
            self._pair("as_arrays", found)
            images, findings = [self._array("as_arrays", one, np.float64) for one in found]
            if images.ndim != 4 or images.shape[1] != 3 or findings.shape != (len(images), self.findings):
                got = "images {} and findings {}".format(images.shape, findings.shape)
                self._wrong("as_arrays", got, "(n, 3, H, W) and (n, {})".format(self.findings))
            yield images, findings

    def count_loaded(self, paths, y):
        """One pass of the loader alone, as training has it: how many images, each of which is dropped at once.

        ``paths``: a list of str; ``y``: float32 (files, findings). Nothing is converted that training would not.
        """
        return sum(len(findings) for _, findings in self._pass(paths, y, True))

    def _pass(self, paths, y, training):
        """Yields the lesson's own mini-batches of one pass, in its layout and types: each file once, by their number.

        It ends as soon as there are more than files, since a loader may be endless.
        """
        seen = 0
        try:
            for batch in self._call("batches", paths, y, training):
                seen += self._pair("batches", batch)
                if seen > len(paths):
                    break
                yield batch
        except NameError as error:  # of a generator it comes when it runs, not when it is called
            raise AdapterError("{}, batches(): {}: {} must define it".format(self.name, error, self.lesson)) from error
        if seen != len(paths):
            self._wrong("batches", "{} images".format(seen), "{}, each file once".format(len(paths)))

    def _pair(self, adapter, batch):
        """How many images are in (images, findings). Raises AdapterError for what is no such pair."""
        try:
            images, findings = map(len, batch)
        except (TypeError, ValueError):  # not two, or what has no length
            self._wrong(adapter, type(batch).__name__, "(images, findings) of each mini-batch")
        if images != findings:
            self._wrong(adapter, "{} images and {} rows of findings".format(images, findings), "equally many")
        return images

    def score(self, y, probabilities, names):
        """{finding: area under its ROC curve} by the lesson's own function."""
        found = self._call("score", y, probabilities)
        if not isinstance(found, dict) or sorted(found) != sorted(names):
            self._wrong("score", found, "{} areas by finding: {}".format(len(names), ", ".join(names)))
        return {name: float(self._floats("score", found[name])[0]) for name in names}
