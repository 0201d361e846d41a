"""The proof of a lesson that trains, part by part: docs/method.md describes each."""

import numpy as np

from . import Proof, ProofError, relative_error
from .reference import fingerprint

GRADIENT_BOUND = 1e-4  # 2-norm, relative, per tensor; a workload's spec may set another, so far always a smaller one
STANDARD_ERRORS = 4.5  # of the mean loss under dropout: a right lesson fails 1 time in 150,000
# Standard errors of the logarithm of the deviation under dropout, each 1 / sqrt(2 (passes - 1)). If losses are normal
# and the reference's deviation is exact, a right lesson fails 1 time in 960,000 with 80 passes, 1 in 270,000 with 40.
SPREAD = 5.5
MARGIN = 1e-3  # between the two largest logits: below it float32 may pick either class


class TrainingProof(Proof):
    """Collects the parts; each method takes what the lesson computed and returns the proof."""

    kind = "training"

    def gradients(self, gradients):
        """``gradients``: {tensor: array} of the mean loss at step 0 on the first samples.

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

    def evaluation(self, classes, accuracy, loss, test_losses=None):
        """At the reference's scaled weights, with the real dropout rates.

        ``classes``: ``predict`` of the first test samples, all that the reference has or, where ``test_losses`` are
        given, somewhat fewer; ``accuracy``: ``evaluate`` of the same; ``loss``: the mean evaluation loss of the
        reference's ``x_first``; ``test_losses``: of each mini-batch of all test samples, where the reference has them.
        Raises ProofError for another number of classes or of test losses.
        """
        known = self.reference.results
        losses, bounds = (
            {"the first training samples": loss},
            {"the first training samples": float(known["loss_bound"])},
        )
        exact = {"the first training samples": float(known["loss"])}
        if test_losses is not None and "test_losses" in known:
            self._batches(test_losses, known["test_losses"], known["test_loss_bounds"], losses, exact, bounds)
        self._evaluated("evaluation", classes, accuracy, "", test_losses, losses, exact, bounds)
        return self

    def after(self, classes, accuracy, test_losses):
        """The same of the test samples after steps from the shared weights: the weights of now are evaluated."""
        known, losses, exact, bounds = self.reference.results, {}, {}, {}
        self._batches(test_losses, known["after.losses"], known["after.loss_bounds"], losses, exact, bounds)
        self._evaluated("after", classes, accuracy, "after.", test_losses, losses, exact, bounds)
        return self

    def _batches(self, ours, known, limits, losses, exact, bounds):
        """Add the losses of mini-batches, theirs and their bounds, to three dicts by name."""
        if len(ours) != len(known):
            raise ProofError(
                "{} losses of test batches were handed in, the reference has {}".format(len(ours), len(known))
            )
        for number, (our, one, limit) in enumerate(zip(ours, known, limits)):
            name = "test batch {}".format(number)
            losses[name], exact[name], bounds[name] = our, float(one), float(limit)

    def _evaluated(self, part, classes, accuracy, prefix, test_losses, losses, exact, bounds):
        """Add a part that holds where the sure classes are the reference's, the accuracy is theirs, and the losses."""
        known = self.reference.results
        classes = np.asarray(classes).ravel()
        count, there = len(classes), known[prefix + "classes"]
        if count > len(there) or (test_losses is None and count != len(there)):
            raise ProofError("{} classes were predicted for {} samples".format(count, len(there)))
        sure, there = known[prefix + "margins"][:count] > MARGIN, there[:count]
        wrong = int(np.sum((classes != there) & sure))
        right, theirs = float(accuracy) * count, float(known[prefix + "right"])
        if count < len(known[prefix + "classes"]):
            theirs = float(np.sum(there == self.reference.y_test[:count]))
        off = not abs(right - theirs) <= np.sum(~sure) + 1e-3  # evaluate may round a fraction in fp32; NaN is off
        errors = {name: abs(losses[name] - exact[name]) / abs(exact[name]) for name in losses}
        worst = max(errors, key=lambda name: errors[name] / bounds[name] if np.isfinite(errors[name]) else np.inf)
        text = "{}{} of {} classes differ; accuracy {:.4f}, reference {:.4f}; ".format(
            "after two steps, " if prefix else "", wrong, len(classes), float(accuracy), theirs / len(classes)
        )
        text += "loss of {} off by {:.2g} (bound {:.1e})".format(worst, errors[worst], bounds[worst])
        failed = float("inf") if wrong or off else float(errors[worst])
        where = "predict" if wrong else "evaluate" if off else worst
        self.add(part, failed, bounds[worst], where, text)

    def dropout(self, losses):
        """``losses``: of the training-mode passes at learning rate 0, from ``reference.dropout_weights()``.

        (A lesson about text starts from ``reference.weights()``.) Raises ProofError unless there is one for each pass.
        """
        known, losses = self.reference.results, np.asarray(losses, np.float64).ravel()
        passes = self.reference.spec["dropout"]["passes"]
        if len(losses) != passes:
            raise ProofError("{} dropout losses were handed in, not {}".format(len(losses), passes))
        mean, deviation = float(known["dropout_mean"]), float(known["dropout_deviation"])
        own = deviation / np.sqrt(passes)
        error = abs(losses.mean() - mean) / np.hypot(own, float(known["dropout_error"]))
        text = "mean loss of {} passes {:.4f}, reference {:.4f}: {:.1f} standard errors off (bound {})".format(
            passes, losses.mean(), mean, error, STANDARD_ERRORS
        )
        where, found = "mean loss", losses.std(ddof=1)
        if "one_sided" in self.reference.spec["dropout"]:
            spread = abs(np.log(found / deviation)) * np.sqrt(2.0 * (passes - 1)) if found > 0 else float("inf")
            text += "; their deviation {:.3f}, reference {:.3f}: {:.1f} off (bound {})".format(
                found, deviation, spread, SPREAD
            )
            where = where if error / STANDARD_ERRORS >= spread / SPREAD else "deviation"
            error = max(error, spread * STANDARD_ERRORS / SPREAD)  # beside the bound of the mean
        distinct = len(set(losses.tolist()))
        if distinct < 0.8 * passes:
            error = float("inf")
            text += "; only {} of the {} losses differ: the masks repeat".format(distinct, passes)
        self.dropout_losses = losses
        self.add("dropout", error, STANDARD_ERRORS, where, text)
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
        from common import plots

        return plots.proof(self)


def fingerprint_error(ours, known):
    """The largest difference of norm and projections, relative to the reference's norm ``known[0]`` (1 if it is 0)."""
    error = float(np.max(np.abs(ours - known)) / (known[0] if known[0] else 1.0))
    return error if np.isfinite(error) else float("inf")
