"""The proof of a lesson that only computes outputs, part by part."""

from common.data import resnet50

from ..proof import ProofError
from ..proof.outputs import OutputsProof
from ..proof.prove import REDUCED, Prover

# What is made anew for each part: not what loads the lesson's own weights, since the check loads others.
ANEW = ("setup", "model", "infer")


class OutputsProver(Prover):
    """Computes the parts of an OutputsProof. bf16 has no bound: its distance from the reference is what is shown."""

    PROOF = OutputsProof
    PARTS = {"drawn": ["features", "logits"], "photos": ["photos", "top-1"]}

    def methods(self, parts):
        """Those that compute the ``parts``, in their order, and in reduced precision how far off it is."""
        return super().methods(parts) + [self.deviation] * (self.precision in REDUCED)

    def _features(self, weights, images, **settings):
        """(features of all images, what leads to those of the first ones) with these weights."""
        few = self.reference.spec["stage_images"]
        self.lesson.rerun(*ANEW, **dict(self.own, **settings))
        self.adapters.load(weights)
        found = self.adapters.features(self.adapters.tensors(images), len(images))
        stages = (
            (lambda: self.adapters.stages_of(self.adapters.tensors(images[:few]))) if self.adapters.stages else None
        )
        return found, stages

    def drawn(self):
        """Features and logits of noise at drawn weights, in which every bias and every digit of a kernel counts."""
        found, stages = self._features(resnet50.draw(), self.reference.noise)
        self.proof.outputs("features", found, stages)
        self.proof.outputs("logits", self.adapters.logits(found))

    def photos(self):
        """Features and classes of the fifty photos at Keras' weights."""
        found, stages = self._features(resnet50.load(), self.data.x_test)
        self.proof.outputs("photos", found, stages)
        self.proof.classes("top-1", self.adapters.logits(found).argmax(axis=1))

    def deviation(self):
        """How far features in the row's own precision are from the reference's.

        Raises ProofError where every image is within the bound of fp32: nothing was computed in that precision then.
        """
        full = self.data.source == "full"
        name, images = ("photos", self.data.x_test) if full else ("features", self.reference.noise)
        weights = resnet50.load(self.data.source)
        found, _ = self._features(weights, images, PRECISION=self.precision)
        errors = self.proof.deviation = self.proof.relative_errors(name, found)
        if errors.max() <= float(self.reference.results[name + ".bound"]):
            said = "in {} the features are as near the reference's as in fp32: is anything computed in it?"
            raise ProofError(said.format(self.precision))
        print("{}: off by {:.2g}".format(self.precision, errors.max()))
