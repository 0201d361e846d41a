"""The proof: a lesson's computation against the stored results of a float64 NumPy reference."""

import numpy as np


class ProofError(AssertionError):
    """The computation is not the reference's; the message says in which part it first shows."""


def relative_error(ours, theirs):
    """2-norm of the difference over that of ``theirs``, which counts as 1 if it is 0; infinite where not finite."""
    norm = np.linalg.norm(theirs)
    error = np.linalg.norm(np.asarray(ours, np.float64) - theirs) / (norm if norm else 1.0)
    return float(error) if np.isfinite(error) else float("inf")


class Proof(object):
    """The parts of a proof, each an error beside its bound. A subclass adds the parts of its kind."""

    kind = ""

    def __init__(self, reference):
        self.reference = reference
        self.parts = {}  # name: dict of passed, error, bound, where, text
        self.deviation = None  # of reduced precision: relative, one value for each of some losses

    def add(self, name, error, bound, where, text):
        """Add a part that holds where ``error`` is at most ``bound``; ``where`` names the largest."""
        error = float(error) if np.isfinite(error) else 1e308  # JSON has no infinity
        passed = bool(error <= bound)
        self.parts[name] = {"passed": passed, "error": error, "bound": float(bound), "where": where, "text": text}

    def largest(self, name, errors, bounds, what):
        """Add a part from {where: error} and {where: bound}: the largest error over its bound."""
        where = max(errors, key=lambda key: errors[key] / bounds[key])
        text = "{} {}: off by {:.2g} (bound {:.1e})".format(what, where, errors[where], bounds[where])
        self.add(name, errors[where], bounds[where], str(where), text)

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

    def failures(self):
        """One sentence for each part that does not hold; [] when all hold."""
        return [part["text"] for part in self.parts.values() if not part["passed"]]

    def require(self):
        """Print each part with its error and bound; raise ProofError with those that do not hold."""
        if not self.parts:
            raise ProofError("nothing was proven: no part of the proof was handed in")
        print(self)
        if self.failures():
            raise ProofError("not the reference's computation: " + "; ".join(self.failures()))

    def __repr__(self):
        return "\n".join("{:10} {}".format(name, part["text"]) for name, part in self.parts.items())

    def plot(self):
        """A picture of it; None where its kind has none."""
        return None

    def summary(self):
        """The proof's part of the record: a dict of plain values; None where no part was run."""
        if not self.parts:
            return None
        return {
            "kind": self.kind,
            "passed": not self.failures(),
            "parts": dict(self.parts),
            "deviation": None if self.deviation is None else float(np.max(self.deviation)),
        }
