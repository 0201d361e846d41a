"""The same computation: shared weights and samples, the float64 referee's results, and the check against them.

``references/WORKLOAD.json`` says which tensors there are, the seed they are drawn from, the samples and the settings;
``references/WORKLOAD.npz`` holds what the float64 NumPy notebook of the workload found with them, and the bounds.
"""

import json
from pathlib import Path

import numpy as np

REFERENCES = Path(__file__).resolve().parent / "references"
SAMPLES = Path(__file__).resolve().parent / "samples"

GRADIENT_BOUND = 1e-4  # 2-norm, relative, per tensor: ten times what float32 was allowed when the samples were chosen
SMALLEST_LOSS_BOUND = 2e-6  # relative; below this, the bound would measure the order of summation


class ProofError(AssertionError):
    """The computation is not the reference's; the message says in which tensor or step it first shows."""


class Reference(object):
    """What every notebook of ``workload`` starts from and is checked against.

    Attributes: ``x`` and ``y``, the proof's samples in their order, as the workload's data set gives them;
    ``batch_size``, ``steps``, ``learning_rate``, ``momentum``: the proof's settings; ``gradient_samples``: how many of the
    first samples the gradients are taken on; ``losses`` and ``loss_bounds``, float64 (steps,).
    """

    def __init__(self, workload):
        with open(str(REFERENCES / (workload + ".json"))) as stream:
            self.spec = json.load(stream)
        for name in ("batch_size", "steps", "learning_rate", "momentum", "gradient_samples"):
            setattr(self, name, self.spec[name])
        with np.load(str(SAMPLES / self.spec["samples"]), allow_pickle=False) as npz:
            count = self.batch_size * self.steps
            self.x = npz["x_train"][:count].astype(np.float32) / np.float32(self.spec["divide_by"])
            self.y = npz["y_train"][:count].astype(np.int64)
        self.path = REFERENCES / (workload + ".npz")
        self.results = {}
        if self.path.exists():
            with np.load(str(self.path), allow_pickle=False) as npz:
                self.results = {key: npz[key] for key in npz.files}
        self.losses, self.loss_bounds = self.results.get("losses"), self.results.get("loss_bounds")

    def batches(self):
        """The proof's mini-batches in order: a list of (x, y) pairs."""
        cuts = [slice(k * self.batch_size, (k + 1) * self.batch_size) for k in range(self.steps)]
        return [(self.x[cut], self.y[cut]) for cut in cuts]

    def weights(self):
        """The shared initial weights: a dict of float32 arrays, in the order of the network.

        Kernels are (out, in, height, width), dense weights (out, in) with inputs flattened from (channel, height, width).
        Weights are Glorot uniform (Glorot and Bengio 2010, eq. 16): limit = sqrt(6 / (fan_in + fan_out)); biases zero.
        """
        rng = np.random.default_rng(self.spec["seed"])
        weights = {}
        for name, shape in self.spec["tensors"]:
            if len(shape) == 1:
                weights[name] = np.zeros(shape, np.float32)
                continue
            receptive = int(np.prod(shape[2:]))
            limit = np.sqrt(6.0 / ((shape[0] + shape[1]) * receptive))
            weights[name] = rng.uniform(-limit, limit, shape).astype(np.float32)
        return weights

    def gradient(self, name):
        """The referee's gradient of the mean loss on the first samples, float64, in the layout of ``weights``.

        On n samples a dense layer's gradient has rank n, so the large ones are stored as their two factors.
        """
        if name + ".left" in self.results:
            return self.results[name + ".left"].T.dot(self.results[name + ".right"])
        return self.results[name]

    def check(self, gradients, losses):
        """Compare ``gradients`` (dict of arrays as in ``weights``) and ``losses`` (steps,) with the referee's: a Proof.

        Raises ProofError when a tensor is missing or has another shape, or when the number of losses differs.
        """
        errors = {}
        for name, shape in self.spec["tensors"]:
            if name not in gradients:
                raise ProofError("no gradient of {} was handed in".format(name))
            ours, theirs = np.asarray(gradients[name], np.float64), self.gradient(name)
            if list(ours.shape) != list(shape):
                raise ProofError("gradient of {} has shape {}, the reference {}".format(name, ours.shape, shape))
            errors[name] = float(np.linalg.norm(ours - theirs) / np.linalg.norm(theirs))
        losses = np.asarray(losses, np.float64)
        if losses.shape != self.losses.shape:
            raise ProofError("{} losses were handed in, the reference has {}".format(losses.shape, self.losses.shape))
        return Proof(errors, self.relative_errors(losses), self.loss_bounds, len(self.x))

    def relative_errors(self, losses):
        """|loss - reference| / |reference| of the first steps; not finite becomes infinite. float64, as long as ``losses``."""
        known = self.losses[:len(losses)]
        errors = np.abs(np.asarray(losses, np.float64) - known) / np.abs(known)
        return np.where(np.isfinite(errors), errors, np.inf)

    def write(self, losses, gradients, perturbed_losses, factors):
        """Store the referee's results; for the float64 notebook alone.

        ``losses`` (steps,) and ``gradients`` (dict) in float64; ``perturbed_losses`` (runs, steps) from float32 runs;
        ``factors`` maps a dense weight to (left, right) with gradient = left.T @ right.
        """
        spread = np.max([self.spread(run, losses) for run in perturbed_losses], axis=0)
        bounds = np.maximum(10 * np.maximum.accumulate(spread), SMALLEST_LOSS_BOUND)
        results = {name: value for name, value in gradients.items() if name not in factors}
        for name, (left, right) in factors.items():
            results[name + ".left"], results[name + ".right"] = left, right
        np.savez_compressed(str(self.path), losses=losses, loss_bounds=bounds, **results)

    @staticmethod
    def spread(run, losses):
        return np.abs(np.asarray(run) - losses) / np.abs(losses)


class Proof(object):
    """Errors and bounds of one notebook's check.

    ``gradient_errors``: dict, relative 2-norm per tensor; ``loss_errors`` and ``loss_bounds``: relative, (steps,);
    ``samples``: how many samples the steps ran over.
    """

    def __init__(self, gradient_errors, loss_errors, loss_bounds, samples):
        self.gradient_errors, self.loss_errors, self.loss_bounds = gradient_errors, loss_errors, loss_bounds
        self.samples, self.deviation = samples, None

    def failures(self):
        """One sentence for each tensor over its bound, then one for the first step over its own; [] when all hold."""
        found = [
            "gradient of {} is off by {:.2g} (bound {:.0e})".format(name, error, GRADIENT_BOUND)
            for name, error in self.gradient_errors.items() if not error <= GRADIENT_BOUND
        ]
        over = np.flatnonzero(~(self.loss_errors <= self.loss_bounds))
        if len(over):
            found.append("loss first leaves its bound at step {}: off by {:.2g} (bound {:.1e})".format(
                over[0], self.loss_errors[over[0]], self.loss_bounds[over[0]]))
        return found

    def require(self):
        """Raise ProofError with every failure, or print that the bounds hold."""
        if self.failures():
            raise ProofError("not the same computation as the reference: " + "; ".join(self.failures()))
        summary = self.summary()
        print("the same computation: gradients within {:.1e} (bound {:.0e}), {} losses within {:.2f} of their bounds".format(
            summary["gradient_error"], GRADIENT_BOUND, summary["steps"], summary["loss_error_over_bound"]))

    def summary(self):
        """The proof's part of the record: a dict of plain numbers and strings."""
        ratios = self.loss_errors / self.loss_bounds
        tensor = max(self.gradient_errors, key=self.gradient_errors.get)
        return {
            "passed": not self.failures(),
            "gradient_error": self.gradient_errors[tensor], "gradient_bound": GRADIENT_BOUND, "gradient_tensor": tensor,
            "loss_error_over_bound": float(ratios.max()), "loss_step": int(ratios.argmax()),
            "steps": len(self.loss_errors), "samples": self.samples,
            "deviation": None if self.deviation is None else float(np.max(self.deviation)),
        }

    def plot(self):
        """Gradient error per tensor and loss error per step, each beside its bound: a picture."""
        from . import plots

        return plots.proof(self, GRADIENT_BOUND)
