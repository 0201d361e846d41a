"""The proof of a training lesson, part by part: which of its cells run again, with which settings and weights."""

import numpy as np

from . import ProofError, masks
from .training import TrainingProof

REDUCED = {"tf32", "bf16"}  # beside the workload's own precision, in which all is proven
BUT = 10  # test samples that predict and evaluate are not given: so the last of their mini-batches is smaller


class Prover(object):
    """Computes the parts of a TrainingProof, ``proof``, through the lesson's own cells: one method for each.

    ``lesson``: a ``lesson.Lesson``; ``adapters``: ``adapters.Adapters``; ``reference``: a ``Reference``; ``precision``:
    the row's. Settings are the lesson's own wherever the proof needs no other; ``changed`` names those that the user
    set otherwise for this run, which are as the lesson has them here. ``without`` names parts that are left out.
    Methods raise what lesson and adapters raise.
    """

    def __init__(self, lesson, adapters, reference, precision="fp32", changed=(), without=()):
        self.without = without
        self.lesson, self.adapters, self.reference, self.precision = lesson, adapters, reference, precision
        self.proof = TrainingProof(reference)
        self.own = {name: lesson.defaults[name] for name in changed}
        if "PRECISION" in lesson.defaults and precision in REDUCED:
            self.own["PRECISION"] = "fp32"
        self.still = dict(self.own)  # without dropout
        if "dropout" in reference.spec:
            self.still["DROPOUT"] = tuple(0.0 for _ in lesson.defaults.get("DROPOUT", ()))
        self.x, self.y = adapters.tensors(reference.x, reference.y)

    def parts(self):
        """{name: method} of the parts that the reference has, in their order."""
        names = ["gradients", "losses", "evaluation", "dropout", "masks", "change"]
        dropout = self.reference.spec.get("dropout")
        lacking = {"dropout": not dropout, "masks": "masks" not in (dropout or {})}
        return {name: getattr(self, name) for name in names if not lacking.get(name) and name not in self.without}

    def _start(self, weights, settings, **more):
        self.lesson.rerun(**dict(settings, **more))
        self.adapters.load(weights)
        if self.adapters.exact:
            self.adapters.exact()

    def _train(self, order):
        return self.adapters.train(self.x, self.y, order, -(-len(order) // self.reference.batch_size))

    def _epochs(self):
        return np.concatenate([self._train(order) for order in self.reference.orders])

    def gradients(self):
        """Those of the first samples, at the shared weights."""
        count = self.reference.gradient_samples
        self._start(self.reference.weights(), self.still)
        given = self.adapters.tensors(self.reference.x[:count], self.reference.y[:count])
        self.proof.gradients(self.adapters.gradients(*given))

    def losses(self):
        """Of all mini-batches of the proof's samples; in reduced precision also how far off, without a bound."""
        self._start(self.reference.weights(), self.still)
        self.proof.losses(self._epochs())
        if self.precision in REDUCED:
            self._start(self.reference.weights(), self.still, PRECISION=self.precision)
            deviation = self.proof.deviation = self.reference.relative_errors(self._epochs())
            if self.precision == "bf16" and deviation[0] <= self.reference.results["loss_bounds"][0]:
                said = "in {} the first loss is as near the reference's as in fp32: is anything computed in it?"
                raise ProofError(said.format(self.precision))

    def evaluation(self):
        """At scaled weights, with the real dropout rates in the model."""
        self._start(self.reference.scaled_weights(), self.own, LEARNING_RATE=0.0)
        classes, share, losses = self._evaluated()
        first = self.adapters.loss(*self.adapters.tensors(self.reference.x_first, self.reference.y_first))
        self.proof.evaluation(classes, share, first, losses)

    def _evaluated(self):
        """Classes, share of right answers, and the losses of mini-batches of the test samples.

        The lesson's predict comes first: the check's loss may leave the model in evaluation.
        """
        images, labels, size = self.reference.x_test, self.reference.y_test, self.reference.batch_size
        count = len(labels) - BUT
        given = self.adapters.tensors(images[:count], labels[:count])
        classes, share = self.adapters.predict(given[0], count), self.adapters.evaluate(*given)
        parts = np.split(np.arange(len(labels)), range(size, len(labels), size))
        losses = [self.adapters.loss(*self.adapters.tensors(images[i], labels[i])) for i in parts]
        return classes, share, losses

    def dropout(self):
        """Training passes over the same samples at learning rate 0, after an evaluation."""
        self._start(self.reference.dropout_weights(), self.own, LEARNING_RATE=0.0)
        few = self.adapters.tensors(self.reference.x_first[:8], self.reference.y_first[:8])
        self.adapters.predict(few[0], len(few[1]))  # must not leave dropout off
        self.proof.dropout(self._train(self.reference.repeated))

    def masks(self):
        """Training passes over a few samples at learning rate 0 and at weights whose losses show masks."""
        (x, y), order = masks.samples(self.reference), masks.order(self.reference)
        self._start(masks.weights(self.reference), self.own, LEARNING_RATE=0.0, BATCH_SIZE=len(y))
        losses = self.adapters.train(*self.adapters.tensors(x, y), order, len(order) // len(y))
        masks.judge(self.proof, self.reference, losses)

    def change(self):
        """What two steps at a large learning rate move; and after two steps of a usual size, the evaluation."""
        self._start(self.reference.weights(), self.still, LEARNING_RATE=self.reference.spec["change"]["learning_rate"])
        for _ in range(2):
            self._train(self.reference.first)
        self.proof.change(self.adapters.read())
        if "after" in self.reference.spec:
            asked = self.reference.spec["after"]
            self._start(self.reference.weights(), self.still, LEARNING_RATE=asked["learning_rate"])
            for _ in range(asked["steps"]):
                self._train(self.reference.first)
            self.proof.after(*self._evaluated())


def prove(lesson, adapters, reference, precision="fp32", changed=(), without=()):
    """A TrainingProof with all its parts; the arguments are those of ``Prover``, and so is what is raised.

    Where an adapter fails, the parts before it are printed: they say how far the lesson is right.
    """
    prover = Prover(lesson, adapters, reference, precision, changed, without)
    try:
        for part in prover.parts().values():
            part()
    except Exception:
        print(prover.proof)
        raise
    return prover.proof
