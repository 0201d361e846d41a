"""The proof of a training notebook, in five parts: docs/method.md describes each."""

import numpy as np

from . import Proof, ProofError, relative_error
from .reference import fingerprint

GRADIENT_BOUND = 1e-4  # 2-norm, relative, per tensor; a workload's spec may demand less
STANDARD_ERRORS = 4.5  # of the mean loss under dropout: a right notebook fails 1 time in 150,000
MARGIN = 1e-3  # between the two largest logits: below it float32 may pick either class


class TrainingProof(Proof):
    """Collects the five parts; each method takes what the notebook computed and returns the proof."""

    kind = "training"

    def gradients(self, gradients):
        """``gradients``: {tensor: array} of the mean loss at step 0 on the first samples, in fp32.

        Raises ProofError for a tensor that is missing or has another shape.
        """
        errors, bound = {}, self.reference.spec.get("gradient_bound", GRADIENT_BOUND)
        for name, shape, _ in self.reference.spec["tensors"]:
            if name not in gradients:
                raise ProofError("no gradient of {} was handed in".format(name))
            ours = np.asarray(gradients[name])
            if list(ours.shape) != list(shape):
                raise ProofError("gradient of {} has shape {}, the reference {}".format(name, ours.shape, shape))
            errors[name] = relative_error(ours, self.reference.gradient(name))
        self.gradient_errors, self.gradient_bound = errors, bound
        self.largest("gradients", errors, dict.fromkeys(errors, bound), "gradient of")
        wrong = [name for name, error in errors.items() if not error <= bound]
        if wrong:
            self.parts["gradients"]["text"] += "; over the bound: " + ", ".join(wrong)
        return self

    def losses(self, losses):
        """``losses``: one value for each batch, through the loop that is timed, dropout off."""
        bounds = self.reference.results["loss_bounds"]
        losses = np.asarray(losses, np.float64).ravel()
        if losses.shape != bounds.shape:
            raise ProofError(
                "{} losses were handed in, the reference has {}, of batches of {} (BATCH_SIZE)".format(
                    len(losses), len(bounds), self.reference.batch_size
                )
            )
        self.ours = losses
        self.loss_errors, self.loss_bounds = self.reference.relative_errors(losses), bounds
        over = np.flatnonzero(~(self.loss_errors <= bounds))
        worst = int(over[0]) if len(over) else int(np.argmax(self.loss_errors / bounds))
        text = "{}loss at step {}: off by {:.2g} (bound {:.1e})".format(
            "the first wrong " if len(over) else "", worst, self.loss_errors[worst], bounds[worst]
        )
        self.add("losses", self.loss_errors[worst], bounds[worst], "step {}".format(worst), text)
        return self

    def evaluation(self, classes, accuracy, loss):
        """With the scaled weights, the real dropout rates, and tensors as the Data section made them.

        ``classes``: ``predict`` of the first test samples; ``accuracy``: ``evaluate`` of the same;
        ``loss``: the mean evaluation loss of the first batch of the training samples.
        """
        known = self.reference.results
        sure = known["margins"] > MARGIN
        classes = np.asarray(classes).ravel()
        if classes.shape != known["classes"].shape:
            raise ProofError("{} classes were predicted for {} samples".format(len(classes), len(known["classes"])))
        wrong = int(np.sum((classes != known["classes"]) & sure))
        right = float(accuracy) * len(classes) - float(known["right"])
        off = not abs(right) <= np.sum(~sure) + 1e-3  # evaluate may round a fraction in fp32; NaN is off
        error = float(abs(loss - known["loss"]) / abs(known["loss"]))
        bound = float(known["loss_bound"])
        text = "{} of {} classes differ; accuracy {:.4f}, reference {:.4f}; ".format(
            wrong, len(classes), float(accuracy), float(known["right"]) / len(classes)
        )
        text += "loss of the first training samples off by {:.2g} (bound {:.1e})".format(error, bound)
        failed = float("inf") if wrong or off else error
        where = "predict" if wrong else "evaluate" if off else "loss"
        self.add("evaluation", failed, bound, where, text)
        return self

    def dropout(self, losses):
        """``losses``: of the training-mode passes at learning rate 0 from the scaled weights."""
        known, losses = self.reference.results, np.asarray(losses, np.float64).ravel()
        passes = self.reference.spec["dropout"]["passes"]
        if len(losses) != passes:
            raise ProofError("{} dropout losses were handed in, not {}".format(len(losses), passes))
        mean, deviation = float(known["dropout_mean"]), float(known["dropout_deviation"])
        own = deviation / np.sqrt(passes)
        error = abs(losses.mean() - mean) / np.hypot(own, float(known["dropout_error"]))
        text = "mean loss of {} passes {:.4f}, reference {:.4f}: {:.1f} standard errors off".format(
            passes, losses.mean(), mean, error
        )
        distinct = len(set(losses.tolist()))
        if distinct < 0.8 * passes:
            error = float("inf")
            text += "; only {} of the {} losses differ: the masks repeat".format(distinct, passes)
        self.dropout_losses = losses
        text += " (bound {})".format(STANDARD_ERRORS)
        self.add("dropout", error, STANDARD_ERRORS, "mean loss", text)
        return self

    def change(self, tensors):
        """``tensors``: {name: array} after two steps on the first samples at a large learning rate.

        Weights, and whatever else training moves, in the layout of the shared weights.
        """
        before, errors, bounds = self.reference.weights(), {}, {}
        for name, _, _ in self.reference.spec["tensors"]:
            if name not in tensors:
                raise ProofError("no tensor {} was handed in".format(name))
            moved = np.asarray(tensors[name], np.float64) - before[name]
            known = self.reference.results["change." + name]
            errors[name] = fingerprint_error(fingerprint(moved, name), known)
            bounds[name] = float(self.reference.results["change_bound." + name])
        self.change_errors, self.change_bounds = errors, bounds
        self.largest("change", errors, bounds, "two steps' change of")
        return self

    def plot(self):
        """Losses on the reference's, errors beside their bounds: a picture."""
        from .. import plots

        return plots.proof(self)


def fingerprint_error(ours, known):
    """The largest difference of norm and projections, relative to the reference's norm ``known[0]``."""
    error = float(np.max(np.abs(ours - known)) / (known[0] if known[0] else 1.0))
    return error if np.isfinite(error) else float("inf")
