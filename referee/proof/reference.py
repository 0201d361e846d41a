"""What every lesson of a workload starts from in its proof, and is checked against.

``notebooks/WORKLOAD/reference/spec.json`` declares tensors, samples and settings; ``results.npz``
holds what ``make.py`` beside it found with them in float64 NumPy, and the bounds. A variant, such as
other samples for frameworks whose kernels differ, has its results in ``VARIANT.npz``.
"""

import importlib
import json
import zlib

import numpy as np

from .. import weights as shared
from ..parameters import NOTEBOOKS

PROJECTIONS = 8


class Reference(object):
    """The shared weights and samples of ``workload``, and the stored results.

    Attributes: ``spec``, the declaration; ``batch_size``, ``learning_rate``, ``momentum``, None where the spec has
    none; ``gradient_samples``; ``results``: dict of stored arrays, {} before they were made. Where the spec has
    train_samples, also: ``x``, ``y``: the proof's samples, as the data module gives them; ``orders``: the fixed orders
    in which they are trained, int64, one for each epoch; ``order``: the first of them; ``first``: the sample numbers of
    the gradients and the change; ``x_first``, ``y_first``: the data set's first mini-batch, or as many samples as the
    spec's first_samples says; ``x_test``, ``y_test``: its first test samples, for the evaluation; ``steps``: batches of
    all epochs, the short last ones included; with dropout ``repeated``: the samples of all dropout passes, one pass
    after the other.
    """

    def __init__(self, workload, variant="results"):
        self.folder = NOTEBOOKS / workload / "reference"
        self.variant = variant
        with open(str(self.folder / "spec.json"), encoding="utf-8") as stream:
            self.spec = json.load(stream)
        self.path = self.folder / (variant + ".npz")
        self.results = {}
        if self.path.exists():
            with np.load(str(self.path), allow_pickle=False) as npz:
                self.results = {key: npz[key] for key in npz.files}
        self.batch_size = self.spec.get("batch_size")
        self.learning_rate = self.spec.get("learning_rate")
        self.momentum = self.spec.get("momentum")
        self.gradient_samples = self.spec.get("gradient_samples", 8)
        if "train_samples" in self.spec:
            self._samples()

    def _samples(self):
        module = importlib.import_module("common.data." + self.spec["data"])
        count = self.spec["train_samples"]
        chosen = self.results.get("samples")  # of a variant: which of the sample's, int64
        tested = self.spec.get("test_samples", 150)
        sample = module.load("sample", int(chosen.max()) + 1 if chosen is not None else count, tested)
        self.x_test, self.y_test = sample.x_test, sample.y_test
        first = self.spec.get("first_samples", self.batch_size)
        self.x_first, self.y_first = sample.x_train[:first], sample.y_train[:first]
        chosen = np.arange(count) if chosen is None else chosen
        self.x, self.y = self._chosen(sample.x_train, chosen), sample.y_train[chosen]
        rng = np.random.default_rng(self.spec["order_seed"])
        self.orders = [rng.permutation(count) for _ in range(self.spec.get("epochs", 1))]
        self.order = self.orders[0]
        self.first = np.arange(self.gradient_samples)
        self.steps = len(self.orders) * -(-count // self.batch_size)
        dropout = self.spec.get("dropout")
        if dropout:
            self.repeated = np.tile(np.arange(dropout["samples"]), dropout["passes"])

    def _chosen(self, samples, chosen):
        """Those of the samples with the numbers ``chosen``."""
        return samples[chosen]

    def weights(self):
        """The shared initial weights: a dict of arrays, in the order and layout of ``spec``."""
        dtype = np.dtype(self.spec.get("dtype", "float32"))
        return shared.draw(self.spec["tensors"], self.spec["seed"], dtype)

    def scaled_weights(self):
        """The weights of evaluation: scaled up, so that the classes of untrained weights differ."""
        return shared.scaled(self.weights(), self.spec.get("scale", 1.0))

    def dropout_weights(self):
        """The weights of the dropout part: scaled, and some of them with one sign only (docs/method.md)."""
        asked = self.spec["dropout"]
        scaled = shared.scaled(self.weights(), asked.get("scale", self.spec.get("scale", 1.0)))
        return shared.one_sided(scaled, asked.get("one_sided", {}))

    def gradient(self, name):
        """The reference's gradient of the mean loss on the first samples, float64, as ``weights``.

        Large ones are stored as the two factors of a product, or as the rows that are not zero.
        """
        key = "gradient." + name
        if key + ".left" in self.results:
            return self.results[key + ".left"].T.dot(self.results[key + ".right"])
        if key + ".rows" in self.results:
            shape = {tensor[0]: tensor[1] for tensor in self.spec["tensors"]}[name]
            full = np.zeros(shape)
            full[self.results[key + ".rows"]] = self.results[key + ".values"]
            return full
        return self.results[key]

    def relative_errors(self, losses):
        """|loss - reference| / |reference| of the first steps; not finite becomes infinite."""
        known = self.results["losses"][: len(losses)]
        errors = np.abs(np.asarray(losses, np.float64) - known) / np.abs(known)
        return np.where(np.isfinite(errors), errors, np.inf)


def fingerprint(array, name):
    """The 2-norm of ``array`` and its products with 8 fixed random vectors: float64 (9,).

    A vector's entries are uniform with mean 0 and variance 1, so that a product is about as large as
    the norm. They depend on ``name`` alone.
    """
    flat = np.asarray(array, np.float64).ravel()
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    width = np.sqrt(12.0)
    products = [flat.dot((rng.random(flat.size) - 0.5) * width) for _ in range(PROJECTIONS)]
    return np.array([np.linalg.norm(flat)] + products)
