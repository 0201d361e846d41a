"""What a lesson that computes outputs starts from, and the images of its proof."""

from common.data import imagenet_samples

from ..proof.reference import Reference


class OutputsReference(Reference):
    """A Reference with images of noise, ``noise``, uint8 (N, 224, 224, 3): one more than a mini-batch of a lesson."""

    def __init__(self, workload, variant="results"):
        super().__init__(workload, variant)
        self.noise = imagenet_samples.noise(self.spec["images"])
