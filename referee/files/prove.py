"""The proof of a lesson that reads files, part by part."""

import shutil
import tempfile

import numpy as np

from ..proof import Proof, relative_error
from ..proof.prove import Prover
from ..proof.reference import fingerprint
from ..proof.training import fingerprint_error
from . import augmentation, images
from .score import area

CROP = 56  # of the loader's parts, from files of 64 x 64
PIXEL = 2e-6  # of a normalized value: float32 holds it to 3e-7
AREA = 1e-6  # of an area under a curve


class FileProof(Proof):
    """Collects the parts; each method takes what the lesson computed."""

    kind = "files"

    def prints(self, part, key, names, tensors, what):
        """``tensors``: {name: array}, each beside its fingerprint stored as ``key``, in the order of ``names``."""
        known, bounds = self.reference.results[key], self.reference.results[key + "_bound"]
        errors = {name: fingerprint_error(fingerprint(tensors[name], name), one) for name, one in zip(names, known)}
        self.largest(part, errors, dict(zip(names, map(float, bounds))), what)

    def evaluation(self, probabilities):
        """(N, findings) of the test images, at stored statistics."""
        known, bound = self.reference.results["evaluation.outputs"], self.reference.results["evaluation.outputs_bound"]
        errors = [relative_error(our, one) for our, one in zip(probabilities, known)]
        worst = int(np.argmax(errors))
        text = "probabilities of test image {}: off by {:.2g} (bound {:.1e})".format(worst, errors[worst], float(bound))
        self.add("evaluation", errors[worst], bound, "image {}".format(worst), text)

    def worst(self, part, off, bound, said):
        """A part from {what was looked at: how far off, in its own unit}."""
        where = max(off, key=lambda name: off[name] if np.isfinite(off[name]) else np.inf)
        self.add(part, off[where], bound, where, said.format(where=where, off=off[where], bound=bound))

    def fault(self, part, said):
        """A part that cannot hold: ``said`` is what was found."""
        self.add(part, float("inf"), 0.0, said, "{}: {}".format(part, said))


class FileProver(Prover):
    """Computes the parts of a FileProof."""

    PROOF = FileProof
    PARTS = {
        "gradients": ["gradients"],
        "losses": ["losses"],
        "statistics": ["means", "variances"],
        "evaluation": ["evaluation"],
        "score": ["score"],
        "loader": ["loader"],
        "augmentation": ["augmentation"],
        "change": ["change, early", "change, late"],
        "devices": ["devices"],
        "compiled": ["devices, compiled"],
    }
    dtype = np.float32

    def methods(self, parts):
        """Those that compute the ``parts``, in their order. Raises AdapterError where an adapter is lacking."""
        found = super().methods(parts)
        for adapter, method in (
            ("double", self.change),
            ("devices", self.devices),
            ("devices_compiled", self.compiled),
        ):
            if method in found:
                self.adapters.require(adapter, "the part {} of the proof".format(method.__name__))
        return found

    def _start(self):
        """A new model with the shared weights, and its optimizer."""
        self.lesson.rerun(**self.own)
        self._load(self.reference.start())

    def _load(self, weights):
        self.adapters.load({name: array.astype(self.dtype) for name, array in weights.items()})

    def _exact(self):
        """Have the optimizer put its epsilon where the reference has it, in a framework that has it elsewhere."""
        if self.adapters.exact:
            self.adapters.exact()

    def _tensors(self, x, y):
        return self.adapters.tensors(x.astype(self.dtype), y.astype(self.dtype))

    def _train(self, order):
        given = self._tensors(self.reference.x, self.reference.y)
        return self.adapters.train(given[0], given[1], order, -(-len(order) // self.reference.batch_size))

    def _first(self):
        first = self.reference.first
        return self._tensors(self.reference.x[first], self.reference.y[first])

    def gradients(self):
        """Those of the first samples, at the shared weights, normalized with their own statistics."""
        self._start()
        names = [one[0] for one in self.reference.spec["tensors"]]
        self.proof.prints("gradients", "whole.gradients", names, self.adapters.gradients(*self._first()), "gradient of")

    def losses(self):
        """Of all mini-batches of the proof's samples, through the lesson's loop."""
        self._start()
        self._exact()
        self.proof.losses(self._train(self.reference.order))

    def statistics(self):
        """The running ones that the steps of the losses left."""
        found = self.adapters.read()
        for part, key, ending in (
            ("means", "running.mean", "running_mean"),
            ("variances", "running." + self.adapters.variance, "running_var"),
        ):
            names = [one[0] for one in self.reference.statistics if one[0].endswith(ending)]
            what = (
                "running {} {} of".format(self.adapters.variance, part) if part == "variances" else "running means of"
            )
            self.proof.prints(part, key, names, found, what)

    def evaluation(self):
        """At stored statistics, from the lesson's own predict: of the model that the losses trained, if they did."""
        if not self.proof.parts:
            self._start()
        self._load(self.reference.evaluated())
        x, y = self.reference.x_test, self.reference.y_test
        self.proof.evaluation(self.adapters.predict(self._tensors(x, y)[0], len(x)))

    def score(self):
        """The lesson's areas under the ROC curves, of numbers with ties, beside those by ranks."""
        rng = np.random.RandomState(2018)
        truth = (rng.uniform(size=(97, len(self.data.classes))) < 0.3).astype(np.float32)
        scores = np.round(np.clip(0.3 * truth + 0.7 * rng.uniform(size=truth.shape), 0, 1), 2)
        self.lesson.rerun("evaluate")
        found = self.adapters.score(truth, scores, self.data.counted)
        places = {name: self.data.classes.index(name) for name in self.data.counted}
        off = {name: abs(found[name] - area(truth[:, k], scores[:, k])) for name, k in places.items()}
        self.proof.worst("score", off, AREA, "area of {where}: off by {off:.2g} (bound {bound:.0e})")

    def loader(self):
        """Each file of the test list once, in order, cut in the middle, normalized, with its findings."""
        self.lesson.rerun("setup", "loader", CROP=CROP)
        paths, y = self.data.x_test, self.data.y_test
        off = {}
        for x, findings in self.adapters.batches(paths, y, False):  # each beside its files: all may not fit into memory
            start, end = len(off), len(off) + len(x)
            if x.shape[2:] != (CROP, CROP):
                return self.proof.fault(
                    "loader", "images of {} x {} pixels; CROP is {}".format(x.shape[2], x.shape[3], CROP)
                )
            wrong = np.flatnonzero(np.any(findings != y[start:end], axis=1))
            if len(wrong):
                return self.proof.fault("loader", "the findings of file {} are another's".format(start + wrong[0]))
            known = images.grey(paths[start:end])
            low = (known.shape[1] - CROP) // 2
            exact = images.normalized(known[:, low : low + CROP, low : low + CROP])
            for number, (our, one) in enumerate(zip(x, exact), start):
                off["file {}".format(number)] = float(np.max(np.abs(our - one)))
        self.proof.worst("loader", off, PIXEL, "pixels of {where}: off by {off:.2g} (bound {bound:.0e})")

    def augmentation(self):
        """Crops and flips of coded files, over several epochs."""
        self.lesson.rerun("setup", "loader", CROP=CROP)
        folder, epochs = tempfile.mkdtemp(), []
        try:
            paths, y = augmentation.write_files(folder)
            for _ in range(augmentation.EPOCHS):
                epoch = []
                for x, findings in self.adapters.batches(paths, y, True):
                    top, left, flip, fault = augmentation.read(x, CROP)
                    if fault:
                        return self.proof.fault("augmentation", fault)
                    epoch.append((findings.dot(1 << np.arange(findings.shape[1])).astype(int), top, left, flip))
                if sorted(np.concatenate([batch[0] for batch in epoch]).tolist()) != list(range(len(paths))):
                    return self.proof.fault("augmentation", "an epoch that has not every file once")
                epochs.append(epoch)
        finally:
            shutil.rmtree(folder)
        orders = [tuple(np.concatenate([batch[0] for batch in epoch])) for epoch in epochs]
        if len(set(orders)) < len(orders) or list(orders[0]) == sorted(orders[0]):
            return self.proof.fault("augmentation", "files in the same order in two epochs, or not shuffled")
        off = {name: abs(z) for name, z in augmentation.deviates(epochs, augmentation.SIDE - CROP).items()}
        said = "{where}: {off:.1f} deviations off uniform and independent (bound {bound:.0f})"
        self.proof.worst("augmentation", off, augmentation.BOUND, said)

    def change(self):
        """What Adam changes in two and in all steps, in float64."""
        self.dtype = np.float64
        with self.adapters.double():
            self._start()
            self._exact()
            start, names = self.reference.weights(), [one[0] for one in self.reference.spec["tensors"]]
            for part, orders in (("early", self.reference.parts[:2]), ("late", self.reference.parts[2:])):
                self._train(np.concatenate(orders))
                found = self.adapters.read()
                moved = {name: found[name] - start[name].astype(np.float64) for name in names}
                self.proof.prints("change, " + part, "change." + part, names, moved, "change of")
        self.dtype = np.float32

    def devices(self):
        """The gradients of a step on two devices, beside those that their kind of statistics makes right."""
        self._devices("devices", self.adapters.on_devices, "gradient on two devices of")

    def compiled(self):
        """The same of the compiled step."""
        self._devices("devices, compiled", self.adapters.on_devices_compiled, "gradient compiled for two devices of")

    def _devices(self, part, gradients, what):
        self._start()
        names = [one[0] for one in self.reference.spec["tensors"]]
        key = "whole" if self.adapters.shared else "halves"
        self.proof.prints(part, key + ".gradients", names, gradients(*self._first()), what)
