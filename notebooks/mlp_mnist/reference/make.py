"""Compute what the lessons of this workload are compared with: the same network by hand in NumPy, in float64.

    python notebooks/mlp_mnist/reference/make.py [--compare]

PYTHONPATH must hold the project's folder. It takes a second. With --compare nothing is stored: it prints how far the
results of now are from the stored ones.

A bound is ten times the largest error of eight float64 runs from weights perturbed by one part in 10^16, and at least
1e-13; that of a loss is at most 1e-10 (docs/method.md). The bound of the gradients stands in spec.json. The gradients
are also compared with a central difference of the loss, and nothing is stored where the two differ.
"""

import sys

import numpy as np

from referee import weights
from referee.proof import writing
from referee.proof.reference import Reference

RUNS = 8  # perturbed ones
PERTURBED = 1e-16  # relative: each weight of these runs is off by about so much
SMALLEST, LARGEST = 1e-13, 1e-10  # of a bound; the largest is of the losses alone
STEP, AGREE = 1e-6, 1e-8  # of the central difference: how far to each side, how near it must come
TESTED = 150  # test samples of the evaluation


# ---- the network


def sigmoid(z):
    return 1 / (1 + np.exp(-z))


def inputs(images):
    """Bytes (N, 28, 28) -> (N, 784) in 0..1."""
    return images.reshape(len(images), -1) / 255.0


def one_hot(labels):
    """(N,) -> (N, 10)."""
    return np.eye(10)[labels]


def forward(w, x):
    """The outputs of both layers, (N, 30) and (N, 10)."""
    hidden = sigmoid(x @ w["hidden.weight"].T + w["hidden.bias"])
    return hidden, sigmoid(hidden @ w["output.weight"].T + w["output.bias"])


def mean_loss(outputs, targets):
    """Half the squared distance, averaged over the samples."""
    return np.sum((outputs - targets) ** 2) / (2 * len(targets))


def backward(w, x, y):
    """The mean loss and its gradients, by tensor."""
    hidden, outputs = forward(w, x)
    delta2 = (outputs - y) * outputs * (1 - outputs) / len(x)
    delta1 = delta2 @ w["output.weight"] * hidden * (1 - hidden)
    found = {"hidden.weight": delta1.T @ x, "hidden.bias": delta1.sum(axis=0)}
    found.update({"output.weight": delta2.T @ hidden, "output.bias": delta2.sum(axis=0)})
    return mean_loss(outputs, y), found


def train(w, x, y, batches, rate):
    """SGD on mini-batches of sample numbers; changes ``w``; the losses."""
    losses = []
    for i in batches:
        loss, grads = backward(w, x[i], y[i])
        losses.append(loss)
        for name, p in w.items():
            p -= rate * grads[name]
    return np.array(losses)


def batches(order, size):
    """The sample numbers of each mini-batch; the last may be shorter."""
    return [order[k : k + size] for k in range(0, len(order), size)]


# ---- what is done with it


class Maker:
    """The parts; each gives what is stored of it, {key: value}."""

    def __init__(self, reference):
        self.known, self.spec, self.start = reference, reference.spec, reference.weights()
        self.x, self.y = inputs(reference.x), one_hot(reference.y)
        self.runs = [weights.perturbed(self.start, PERTURBED, [2018, number]) for number in range(RUNS)]

    def gradients(self):
        """Raises AssertionError where they are not the slope of the loss."""
        i = self.known.first
        _, found = backward(self.start, self.x[i], self.y[i])
        slope, difference = self.slopes(found)
        np.testing.assert_allclose(difference, slope, rtol=AGREE)
        return writing.gradients(found)

    def slopes(self, gradients):
        """The slope of the loss along a random direction, for each tensor: by its gradient, by a central difference."""
        rng, i = np.random.default_rng(0), self.known.first
        found = []
        for name, start in self.start.items():
            direction = rng.standard_normal(start.shape)

            def loss(distance, name=name, start=start, direction=direction):
                moved = {**self.start, name: start + distance * direction}
                return mean_loss(forward(moved, self.x[i])[1], self.y[i])

            found.append((np.sum(gradients[name] * direction), (loss(STEP) - loss(-STEP)) / (2 * STEP)))
        return np.transpose(found)

    def losses(self):
        parts = batches(self.known.order, self.known.batch_size)

        def computed(start):
            return train({name: w.copy() for name, w in start.items()}, self.x, self.y, parts, self.known.learning_rate)

        exact = computed(self.start)
        bounds = writing.bound(exact, [computed(run) for run in self.runs], SMALLEST, LARGEST)
        return {"losses": exact, "loss_bounds": bounds}

    def change(self):
        def stepped(start):
            w = {name: w.copy() for name, w in start.items()}
            train(w, self.x, self.y, [self.known.first] * 2, self.spec["change"]["learning_rate"])
            return w

        return writing.change(self.start, stepped(self.start), [stepped(run) for run in self.runs], SMALLEST)

    def evaluation(self):
        """With smaller weights the sigmoids saturate less, and the outputs of the classes differ."""

        def scaled(start):
            return weights.scaled(start, self.spec["scale"])

        def first(start):
            return mean_loss(forward(scaled(start), inputs(self.known.x_first))[1], one_hot(self.known.y_first))

        outputs = forward(scaled(self.start), inputs(self.known.x_test[:TESTED]))[1]
        runs = [first(run) for run in self.runs]
        return writing.evaluation(outputs, self.known.y_test[:TESTED], first(self.start), runs, SMALLEST)


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
    reference = Reference("mlp_mnist")
    if how == "--compare":
        compare(made(reference), reference.results)
    else:
        writing.write(reference, **made(reference))


if __name__ == "__main__":
    main(*sys.argv[1:])
