"""Compute what the lessons of this workload are compared with: the same network by hand in NumPy, in float64.

    python notebooks/cnn_mnist/reference/make.py [--compare]

PYTHONPATH must hold the project's folder. It takes a minute. With --compare nothing is stored: it prints how far
the results of now are from the stored ones.

A bound is ten times the largest error of eight float32 runs from weights perturbed by one part in 10^7, and at least
2e-6; that of a loss is at most 1e-5 (docs/method.md). These runs compute Adam's bias corrections in float32, as
frameworks do. The bound of the gradients stands in spec.json. The gradients are also compared with a central difference
of the loss, and nothing is stored where the two differ; those of the variant "ties" are not the slope of the loss. In
this variant a window that holds its largest value several times gives the gradient to each of them. Whoever wants to
prove a program in float64: the results are of float64, and 1e-10 in place of each bound is enough.
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
    """Bytes (N, 28, 28) -> (N, 28, 28, 1) in 0..1."""
    return images[..., None].astype(dtype) / 255


CORNERS = [(0, 0), (0, 1), (1, 0), (1, 1)]  # of a 2x2 window


def patches(x):
    """(N, H, W, C) -> (N, H-1, W-1, 4C)."""
    h, w = x.shape[1] - 1, x.shape[2] - 1
    return np.concatenate([x[:, i : i + h, j : j + w] for i, j in CORNERS], axis=3)


def patches_backward(d, c):
    """(N, H-1, W-1, 4C) -> (N, H, W, C): the sum of all uses of a pixel."""
    n, h, w, _ = d.shape
    d_x = np.zeros((n, h + 1, w + 1, c), d.dtype)
    for k, (i, j) in enumerate(CORNERS):
        d_x[:, i : i + h, j : j + w] += d[..., k * c : (k + 1) * c]
    return d_x


def windows(x):
    """(N, H, W, C) -> the four corners of all windows, each (N, H // 2, W // 2, C)."""
    h, w = x.shape[1] // 2 * 2, x.shape[2] // 2 * 2
    return [x[:, i:h:2, j:w:2] for i, j in CORNERS]


def pool_backward(d, x, pooled, ties):
    """The gradient goes to the first of a window's largest values; with ``ties`` to each of them, as Theano has it."""
    d_x, free = np.zeros_like(x), np.ones(pooled.shape, bool)
    for place, corner in zip(windows(d_x), windows(x), strict=True):
        winner = free & (corner == pooled)
        place[...] = d * winner
        if not ties:
            free &= ~winner
    return d_x


def columns(kernel):
    """A kernel (out, in, 2, 2) as a matrix (4 in, out)."""
    return kernel.transpose(2, 3, 1, 0).reshape(-1, len(kernel))


def forward(w, x):
    """Logits (N, 10), and by layer its patches, its output and that pooled."""
    kept = {}
    for name in ("conv1", "conv2"):
        rows = patches(x)  # (N, 27, 27, 4), (N, 12, 12, 64)
        out = rows @ columns(w[name + ".weight"]) + w[name + ".bias"]  # 16 channels, 8
        pooled = np.max(windows(out), axis=0)
        kept[name] = rows, out, pooled
        x = np.maximum(pooled, 0)
    flat = x.transpose(0, 3, 1, 2).reshape(len(x), -1)  # in the order (channel, height, width)
    return flat @ w["dense.weight"].T + w["dense.bias"], {"flat": flat, **kept}


def cross_entropy(logits, labels):
    """The mean loss, and its gradient (N, 10) with respect to the logits."""
    shifted, each = logits - logits.max(axis=1, keepdims=True), np.arange(len(labels))
    total = np.exp(shifted).sum(axis=1, keepdims=True)
    d = np.exp(shifted) / total
    d[each, labels] -= 1
    return (np.log(total[:, 0]) - shifted[each, labels]).mean(), d / len(labels)


def backward(w, x, y, ties=False):
    """The mean loss and its gradients, by tensor."""
    logits, kept = forward(w, x)
    loss, d = cross_entropy(logits, y)
    found = {"dense.weight": d.T @ kept["flat"], "dense.bias": d.sum(axis=0)}
    d = (d @ w["dense.weight"]).reshape(-1, 8, 6, 6).transpose(0, 2, 3, 1)
    for name in ("conv2", "conv1"):
        (rows, out, pooled), kernel = kept[name], w[name + ".weight"]
        d = pool_backward(d * (pooled > 0), out, pooled, ties)
        matrix = np.tensordot(rows, d, axes=[(0, 1, 2), (0, 1, 2)])
        found[name + ".weight"] = matrix.reshape(2, 2, -1, len(kernel)).transpose(3, 2, 0, 1)
        found[name + ".bias"] = d.sum(axis=(0, 1, 2))
        if name == "conv2":
            d = patches_backward(d @ columns(kernel).T, 16)
    return loss, {name: found[name] for name in w}


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


def train(w, x, y, batches, rate, ties=False):
    """Adam on batches of sample numbers; changes ``w``; the losses."""
    optimizer, losses = Adam(w, rate), []
    for i in batches:
        loss, grads = backward(w, x[i], y[i], ties)
        losses.append(loss)
        optimizer.update(w, grads)
    return np.array(losses)


# ---- what is done with it


class Maker:
    """The parts; each gives what is stored of it, {key: value}."""

    def __init__(self, reference):
        self.ties = reference.variant == "ties"
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
        return inputs(self.known.x, w["dense.bias"].dtype), self.known.y

    def gradients(self):
        """Raises AssertionError where they are not the slope of the loss."""
        i, (x, y) = self.known.first, self.samples(self.exact(self.start))
        _, found = backward(self.exact(self.start), x[i], y[i], self.ties)
        if not self.ties:
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
            return cross_entropy(forward(moved, x[i])[0], y[i])[0]

        slope = sum(np.sum(gradients[name] * d) for name, d in direction.items())
        return slope, (loss(STEP) - loss(-STEP)) / (2 * STEP)

    def losses(self):
        size = self.known.batch_size
        parts = [order[k : k + size] for order in self.known.orders for k in range(0, len(order), size)]

        def computed(w):
            return train(w, *self.samples(w), parts, self.known.learning_rate, self.ties)

        exact = computed(self.exact(self.start))
        runs = [computed(self.near(run)) for run in self.runs]
        return {"losses": exact, "loss_bounds": writing.bound(exact, runs, largest=LARGEST)}

    def change(self):
        def stepped(w):
            train(w, *self.samples(w), [self.known.first] * 2, self.spec["change"]["learning_rate"], self.ties)
            return w

        runs = [stepped(self.near(run)) for run in self.runs]
        return writing.change(self.start, stepped(self.exact(self.start)), runs)

    def evaluation(self):
        """With larger weights, so that the classes of untrained weights differ."""

        def first(start, dtype=np.float32):
            w = {name: p.astype(dtype) for name, p in weights.scaled(start, self.spec["scale"]).items()}
            return cross_entropy(forward(w, inputs(self.known.x_first, dtype))[0], self.known.y_first)[0]

        logits = forward(
            weights.scaled(self.exact(self.start), self.spec["scale"]), inputs(self.known.x_test[:TESTED])
        )[0]
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
    for variant in ("results", "ties"):
        reference = Reference("cnn_mnist", variant)
        if how == "--compare":
            compare(made(reference), reference.results)
        else:
            writing.write(reference, **made(reference))


if __name__ == "__main__":
    main(*sys.argv[1:])
