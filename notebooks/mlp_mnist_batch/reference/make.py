"""Compute what the lessons of this workload are compared with: the same network by hand in NumPy, in float64.

    python notebooks/mlp_mnist_batch/reference/make.py [--compare]

PYTHONPATH must hold the project's folder. It takes a few seconds. With --compare nothing is stored: it prints how far
the results of now are from the stored ones.

A bound is ten times the largest error of eight float32 runs from weights perturbed by one part in 10^7, and at least
2e-6; that of a loss is at most 1e-5 (docs/method.md). These runs compute Adam's bias corrections in float32, as
frameworks do. The bound of the gradients stands in spec.json. The gradients are also compared with a central difference
of the loss, and nothing is stored where the two differ. Whoever wants to prove a program in float64: the results are of
float64, and 1e-10 in place of each bound is enough.
"""

import sys

import numpy as np

from referee import weights
from referee.proof import writing
from referee.proof.reference import Reference

RUNS = 8  # perturbed ones
PERTURBED = 1e-7  # relative: each weight of these runs is off by about so much
LARGEST = 1e-5  # of a loss's bound
STEP, AGREE = 1e-7, 1e-6  # of the central difference: how far to each side, how near it must come
TESTED = 150  # test samples of the evaluation


# ---- the network


def inputs(images, dtype=np.float64):
    """Bytes (N, 28, 28) -> (N, 784) in 0..1."""
    return images.reshape(len(images), -1).astype(dtype) / 255


def forward(w, x):
    """Hidden units (N, 32) and logits (N, 10)."""
    hidden = np.maximum(x @ w["hidden.weight"].T + w["hidden.bias"], 0)
    return hidden, hidden @ w["output.weight"].T + w["output.bias"]


def cross_entropy(logits, labels):
    """The mean loss, and its gradient (N, 10) with respect to the logits."""
    shifted, each = logits - logits.max(axis=1, keepdims=True), np.arange(len(labels))
    total = np.exp(shifted).sum(axis=1, keepdims=True)
    d = np.exp(shifted) / total
    d[each, labels] -= 1
    return (np.log(total[:, 0]) - shifted[each, labels]).mean(), d / len(labels)


def backward(w, x, y):
    """The mean loss and its gradients, by tensor."""
    hidden, logits = forward(w, x)
    loss, d = cross_entropy(logits, y)
    found = {"output.weight": d.T @ hidden, "output.bias": d.sum(axis=0)}
    d = (d @ w["output.weight"]) * (hidden > 0)
    return loss, {"hidden.weight": d.T @ x, "hidden.bias": d.sum(axis=0), **found}


class Adam:
    """As in the paper, arXiv:1412.6980: epsilon is added to the root of the corrected mean square."""

    def __init__(self, w, rate):
        self.rate, self.steps = rate, 0
        self.means = {name: np.zeros_like(p) for name, p in w.items()}
        self.squares = {name: np.zeros_like(p) for name, p in w.items()}

    def update(self, w, grads):
        """Change ``w``; of float32 weights the bias corrections are float32, too."""
        self.steps += 1
        for name, p in w.items():
            b1, b2 = np.array([0.9, 0.999], p.dtype)
            m, v, g = self.means[name], self.squares[name], grads[name]
            m += (1 - b1) * (g - m)
            v += (1 - b2) * (g * g - v)
            p -= self.rate / (1 - b1**self.steps) * m / (np.sqrt(v / (1 - b2**self.steps)) + 1e-8)


def train(w, x, y, batches, rate):
    """Adam on batches of sample numbers; changes ``w``; the losses."""
    optimizer, losses = Adam(w, rate), []
    for i in batches:
        loss, grads = backward(w, x[i], y[i])
        losses.append(loss)
        optimizer.update(w, grads)
    return np.array(losses)


# ---- what is done with it


class Maker:
    """The parts; each gives what is stored of it, {key: value}."""

    def __init__(self, reference):
        self.known, self.spec, self.start = reference, reference.spec, reference.weights()
        self.runs = [weights.perturbed(self.start, PERTURBED, [2018, number]) for number in range(RUNS)]

    def exact(self, start):
        """Copies of the weights in float64."""
        return {name: w.astype(np.float64) for name, w in start.items()}

    def near(self, start):
        """Copies of the weights as they are, in float32."""
        return {name: w.copy() for name, w in start.items()}

    def samples(self, w):
        """The proof's samples in the type of weights ``w``."""
        return inputs(self.known.x, w["output.bias"].dtype), self.known.y

    def gradients(self):
        """Raises AssertionError where they are not the slope of the loss."""
        i, (x, y) = self.known.first, self.samples(self.exact(self.start))
        _, found = backward(self.exact(self.start), x[i], y[i])
        slope, difference = self.slopes(found)
        np.testing.assert_allclose(difference, slope, rtol=AGREE)
        return writing.gradients(found)

    def slopes(self, gradients):
        """The slope of the loss along a random direction, by the gradients and by a central difference."""
        rng, i, start = np.random.default_rng(0), self.known.first, self.exact(self.start)
        x, y = self.samples(start)
        direction = {name: rng.standard_normal(w.shape) for name, w in start.items()}

        def loss(distance):
            moved = {name: w + distance * direction[name] for name, w in start.items()}
            return cross_entropy(forward(moved, x[i])[1], y[i])[0]

        slope = sum(np.sum(gradients[name] * d) for name, d in direction.items())
        return slope, (loss(STEP) - loss(-STEP)) / (2 * STEP)

    def losses(self):
        def computed(w):
            return train(w, *self.samples(w), self.known.orders, self.known.learning_rate)

        exact = computed(self.exact(self.start))
        runs = [computed(self.near(run)) for run in self.runs]
        return {"losses": exact, "loss_bounds": writing.bound(exact, runs, largest=LARGEST)}

    def change(self):
        def stepped(w):
            train(w, *self.samples(w), [self.known.first] * 2, self.spec["change"]["learning_rate"])
            return w

        runs = [stepped(self.near(run)) for run in self.runs]
        return writing.change(self.start, stepped(self.exact(self.start)), runs)

    def evaluation(self):
        """With larger weights, so that the classes of untrained weights differ."""

        def first(start, dtype=np.float32):
            w = {name: p.astype(dtype) for name, p in weights.scaled(start, self.spec["scale"]).items()}
            return cross_entropy(forward(w, inputs(self.known.x_first, dtype))[1], self.known.y_first)[0]

        logits = forward(
            weights.scaled(self.exact(self.start), self.spec["scale"]), inputs(self.known.x_test[:TESTED])
        )[1]
        runs = [first(run) for run in self.runs]
        return writing.evaluation(logits, self.known.y_test[:TESTED], first(self.start, np.float64), runs)


def made(reference):
    """All parts: what is stored, {key: value}."""
    maker, found = Maker(reference), {}
    for part in (maker.gradients, maker.losses, maker.change, maker.evaluation):
        found.update(part())
    return found


def compare(found, stored):
    """Print how far each result is from the stored one, relative to the largest of its values."""
    assert set(found) == set(stored), sorted(set(found) ^ set(stored))
    for key, value in found.items():
        largest = np.max(np.abs(stored[key])) or 1
        print(f"{key:26} {np.max(np.abs(value - stored[key])) / largest:.1e}")


def main(how=""):
    """Compute the parts and store them beside this file, or compare them with what is stored."""
    reference = Reference("mlp_mnist_batch")
    if how == "--compare":
        compare(made(reference), reference.results)
    else:
        writing.write(reference, **made(reference))


if __name__ == "__main__":
    main(*sys.argv[1:])
