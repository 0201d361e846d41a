"""The reference's samples: grey PNG files as arrays, normalized as the lessons' networks take them."""

import numpy as np
from PIL import Image

from ..proof.reference import Reference

MEAN, DEVIATION = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)  # ImageNet's as in torchvision: red, green, blue in 0..1


def grey(paths):
    """Grey PNG files of one size: uint8 (N, H, W)."""
    found = []
    for path in paths:
        with Image.open(path) as file:
            found.append(np.asarray(file))
    return np.stack(found)


def normalized(pixels):
    """uint8 (N, H, W) -> float64 (N, 3, H, W): three equal colours, less ImageNet's mean, over its deviation."""
    return (pixels[:, None] / 255.0 - np.reshape(MEAN, (3, 1, 1))) / np.reshape(DEVIATION, (3, 1, 1))


class ImageReference(Reference):
    """A Reference of files: ``x``, ``x_test`` float64 (N, 3, H, W), normalized; ``y`` float32 (N, findings)."""

    def _samples(self):
        super()._samples()
        self.x, self.x_test, self.x_first = [normalized(grey(paths)) for paths in (self.x, self.x_test, self.x_first)]
        self.parts = np.split(self.order, range(self.batch_size, len(self.order), self.batch_size))

    def _chosen(self, values, chosen):
        return [values[number] for number in chosen] if isinstance(values, list) else values[chosen]

    def start(self):
        """Weights and running statistics before the first step: {name: float32 array}."""
        found = self.weights()
        found.update((name, np.full(shape, float(init == "ones"), np.float32)) for name, shape, init in self.statistics)
        return found

    @property
    def statistics(self):
        """[[name, shape, "zeros" or "ones"], ...] of the running statistics."""
        return self.spec["statistics"]

    def evaluated(self):
        """Weights of the start with the stored statistics of a training."""
        found = self.start()
        stored = np.split(self.results["evaluation.statistics"], np.cumsum([one[1][0] for one in self.statistics])[:-1])
        found.update((name, part.astype(np.float32)) for (name, _, _), part in zip(self.statistics, stored))
        return found
