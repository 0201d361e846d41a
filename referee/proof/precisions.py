"""A reference whose proof trains several epochs, with bounds for each precision: for small, smooth networks."""

import numpy as np

from .reference import Reference


class SmoothReference(Reference):
    """The shared weights and samples of ``workload``, trained over ``epochs`` of the spec, proven in ``precision``.

    ``orders``: a permutation for each epoch, no two alike; ``order`` is the first. ``steps`` counts the batches of
    all epochs. Where ``bounds`` of the spec has a number for the precision, it takes the place of each bound. The
    results are of float64 whatever the precision; the shared weights are float32 numbers, so that each precision
    starts from the same ones.
    """

    def __init__(self, workload, precision="fp32", variant="results"):
        Reference.__init__(self, workload, variant)
        epochs, rng = self.spec["epochs"], np.random.default_rng(self.spec["order_seed"])
        self.orders = [rng.permutation(self.spec["train_samples"]) for _ in range(epochs)]
        self.steps *= epochs
        bound = self.spec["bounds"].get(precision)
        if bound is not None:
            self.spec["gradient_bound"] = bound
            limited = [key for key in self.results if "bound" in key]
            self.results.update({key: np.full_like(self.results[key], bound) for key in limited})
