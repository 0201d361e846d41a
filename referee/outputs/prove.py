"""The proof of a lesson that only computes outputs, part by part."""

from common.data import resnet50

from ..proof import ProofError
from ..proof.outputs import OutputsProof

# What is made anew for each part: not what loads the lesson's own weights, since the check loads others.
ANEW = ("setup", "model", "infer")
# What each method of the prover computes, in its order.
PARTS = {"drawn": ["features", "logits"], "photos": ["photos", "top-1"]}


class OutputsProver(object):
    """Computes the parts of an OutputsProof, ``proof``, through the lesson's own cells, one method for each.

    ``lesson``: a ``lesson.Lesson``; ``adapters``: ``OutputAdapters``; ``reference``: an ``OutputsReference``;
    ``precision``: the row's; ``data``: the data set. Settings are the lesson's own defaults, but for ``changed``: names
    of those that the user set otherwise. bf16 has no bound: its distance from the reference is what is shown.
    """

    def __init__(self, lesson, adapters, reference, precision, data, changed=()):
        self.lesson, self.adapters, self.reference, self.data = lesson, adapters, reference, data
        self.precision, self.proof = precision, OutputsProof(reference)
        self.settings = {name: lesson.defaults[name] for name in changed}
        self.reduced = precision != "fp32"
        if self.reduced:
            self.settings["PRECISION"] = "fp32"

    def methods(self, asked):
        """Those that compute the parts ``asked``, in their order."""
        found = [name for name, parts in PARTS.items() if set(parts) & set(asked)]
        return [getattr(self, name) for name in found] + [self.deviation] * self.reduced

    def _features(self, weights, images, **settings):
        """(features of all images, what leads to those of the first ones) with these weights."""
        few = self.reference.spec["stage_images"]
        self.lesson.rerun(*ANEW, **dict(self.settings, **settings))
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
        """How far features in the row's own precision are from the reference's."""
        full = self.data.source == "full"
        name, images = ("photos", self.data.x_test) if full else ("features", self.reference.noise)
        weights = resnet50.load(self.data.source)
        found, _ = self._features(weights, images, PRECISION=self.precision)
        errors = self.proof.deviation = self.proof.relative_errors(name, found)
        if errors.max() <= float(self.reference.results[name + ".bound"]):
            said = "in {} the features are as near the reference's as in fp32: is anything computed in it?"
            raise ProofError(said.format(self.precision))
        print("{}: off by {:.2g}".format(self.precision, errors.max()))


def prove(prover, parts):
    """The proof with the ``parts``, a list of names. Where an adapter fails, the parts before it are printed."""
    try:
        for compute in prover.methods(parts):
            compute()
    except Exception:
        print(prover.proof)
        raise
    return prover.proof
