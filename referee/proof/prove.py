"""What computes the parts of a proof through the lesson's own cells: of every kind, and of a training lesson."""

import numpy as np

from . import Proof, ProofError, masks
from .training import TrainingProof

REDUCED = {"tf32", "bf16"}  # beside the workload's own precision, in which all is proven
BUT = 10  # test samples that predict and evaluate are not given: so the last of their mini-batches is smaller


class Prover(object):
    """Computes the parts of a PROOF, ``proof``. PARTS: which of them each method computes, in their order.

    ``lesson``: a ``lesson.Lesson``; ``adapters``: ``adapters.Adapters``; ``reference``: a ``Reference``; ``data``: the
    data set; ``precision``: the row's; ``changed``: names of the settings that the user set otherwise for this run.
    ``own``: settings that are set for every part: those that the spec has, ``changed`` as the lesson's file has them,
    and PRECISION "fp32" for a row in reduced precision. All others are as given. Methods raise what lesson and adapters
    raise.
    """

    PROOF, PARTS = Proof, {}

    def __init__(self, lesson, adapters, reference, data=None, precision="fp32", changed=()):
        self.lesson, self.adapters, self.reference, self.data = lesson, adapters, reference, data
        self.precision, self.proof = precision, self.PROOF(reference)
        self.own = {name: lesson.defaults[name] for name in changed}
        self.own.update(reference.spec.get("settings", {}))
        if "PRECISION" in lesson.defaults and precision in REDUCED:
            self.own["PRECISION"] = "fp32"

    def methods(self, parts):
        """Those that compute the ``parts``, in their order."""
        return [getattr(self, name) for name, computed in self.PARTS.items() if set(computed) & set(parts)]

    def prove(self, parts):
        """The proof with the ``parts``, a list of names.

        Where an adapter fails, the parts before it are printed: they say how far the lesson is right.
        """
        try:
            for compute in self.methods(parts):
                compute()
        except Exception:
            print(self.proof)
            raise
        return self.proof


class TrainingProver(Prover):
    """Computes the parts of a TrainingProof."""

    PROOF = TrainingProof
    PARTS = {
        "gradients": ["gradients"],
        "losses": ["losses"],
        "evaluation": ["evaluation"],
        "dropout": ["dropout"],
        "masks": ["masks"],
        "change": ["change"],
        "after": ["after"],
    }

    def __init__(self, *given):
        super().__init__(*given)
        self.still = dict(self.own)  # without dropout
        if "dropout" in self.reference.spec:
            rates = self.lesson.defaults.get("DROPOUT", ())
            self.still["DROPOUT"] = 0.0 if np.isscalar(rates) else (0.0,) * len(rates)
        self.x, self.y = self.adapters.tensors(self.reference.x, self.reference.y)

    def _start(self, weights, settings, **more):
        self.lesson.rerun(**dict(settings, **more))
        self.adapters.load(weights)
        if self.adapters.exact:
            self.adapters.exact()

    def _train(self, order):
        return self.adapters.train(self.x, self.y, order, -(-len(order) // self.reference.batch_size))

    def _epochs(self):
        return np.concatenate([self._train(order) for order in self.reference.orders])

    def _step(self, part):
        """From the shared weights, on the first samples, as large and as often as the spec says for the part."""
        asked = self.reference.spec[part]
        self._start(self.reference.weights(), self.still, LEARNING_RATE=asked["learning_rate"])
        for _ in range(asked.get("steps", 2)):
            self._train(self.reference.first)

    def gradients(self):
        """Those of the first samples, at the shared weights."""
        count = self.reference.gradient_samples
        self._start(self.reference.weights(), self.still)
        given = self.adapters.tensors(self.reference.x[:count], self.reference.y[:count])
        self.proof.gradients(self.adapters.gradients(*given))

    def losses(self):
        """Of all mini-batches of the proof's samples; in reduced precision also how far off, without an upper bound.

        Raises ProofError in bf16 where every loss is within its bound of fp32: nothing was computed in bf16 then.
        """
        self._start(self.reference.weights(), self.still)
        self.proof.losses(self._epochs())
        if self.precision in REDUCED:
            self._start(self.reference.weights(), self.still, PRECISION=self.precision)
            deviation = self.proof.deviation = self.reference.relative_errors(self._epochs())
            if self.precision == "bf16" and (deviation <= self.reference.results["loss_bounds"]).all():
                said = "in {} the losses are as near the reference's as in fp32: is anything computed in it?"
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
        masks.judge(self.proof, losses)

    def change(self):
        """What two steps at a large learning rate move."""
        self._step("change")
        self.proof.change(self.adapters.read())

    def after(self):
        """The evaluation after two steps of a usual size."""
        self._step("after")
        self.proof.after(*self._evaluated())
