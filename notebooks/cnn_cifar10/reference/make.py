"""Compute what the lessons of this workload are compared with: the same network by hand in NumPy, in float64.

    python notebooks/cnn_cifar10/reference/make.py [VARIANT [PART ...]]

VARIANT is "results" (the default) or "untied", whose training images have no equal values in a pooling window. PART is
one of gradients, losses, change, evaluation, after and dropout; without any, all are computed (half an hour on one
core). Parts that are not named stay as they are stored. PYTHONPATH must hold the project's folder.

A bound is ten times the largest error of eight float32 runs from weights perturbed by one part in ten million, and at
least 2e-6 (docs/method.md). Means and deviations under dropout come from many masks in float32. Large gradients are
rounded to float32 when they are stored: 6e-8 beside a bound of 1e-4.
"""

import sys

import numpy as np

from referee import weights
from referee.proof import writing
from referee.proof.reference import Reference

CORNERS = [(0, 0), (0, 1), (1, 0), (1, 1)]  # of a 2x2 pooling window
RATES = (0.25, 0.25, 0.5)  # of dropout, where it is on
RUNS = 8  # perturbed ones in float32
MASKS = 1000  # passes with dropout
LARGE = 1000  # values: a gradient of more is stored in float32


# ---- the network; images are (N, H, W, C), so that all channels of a pixel lie side by side


def triples(x):
    """(N, H, W, C) -> (N, H+2, W, 3C): each pixel with its left and right neighbour, zeros beyond the border."""
    n, h, w, c = x.shape
    out = np.zeros((n, h + 2, w, 3, c), x.dtype)
    out[:, 1:-1, 1:, 0], out[:, 1:-1, :, 1], out[:, 1:-1, :-1, 2] = x[:, :, :-1], x, x[:, :, 1:]
    return out.reshape(n, h + 2, w, 3 * c)


def rows(patches, i):
    """(N, H*W, 3C): the triples one row above each pixel (i = 0), beside it (1), below it (2)."""
    return patches[:, i : i + patches.shape[1] - 2].reshape(len(patches), -1, patches.shape[3])


def conv(x, kernel):
    """x (N, H, W, C), kernel (3, 3, C, O) -> (N, H, W, O) and the triples, for the way back."""
    patches, kernel = triples(x), kernel.reshape(3, -1, kernel.shape[3])
    out = rows(patches, 0) @ kernel[0]
    out += rows(patches, 1) @ kernel[1]
    out += rows(patches, 2) @ kernel[2]
    return out.reshape(x.shape[:3] + (-1,)), patches


def conv_backward(grad, patches, kernel):
    """The gradient of the output (N, H, W, O) -> those of kernel and bias."""
    flat = grad.reshape(len(grad), -1, grad.shape[3])
    found = [(rows(patches, i).transpose(0, 2, 1) @ flat).sum(axis=0) for i in range(3)]
    return np.reshape(found, kernel.shape), flat.sum(axis=(0, 1))


def conv_input(grad, kernel):
    """The gradient of the output -> that of the input: a convolution with the kernel turned by 180 degrees."""
    return conv(grad, np.ascontiguousarray(kernel[::-1, ::-1].swapaxes(2, 3)))[0]


def pool(x):
    """(N, H, W, C) -> (N, H/2, W/2, C): the largest of each 2x2 window."""
    return np.max([x[:, i::2, j::2] for i, j in CORNERS], axis=0)


def pool_backward(grad, x, pooled):
    """The gradient goes to the largest value of a window; where there are two, to the first."""
    out, free = np.empty_like(x), np.ones(pooled.shape, bool)
    for i, j in CORNERS:
        winner = free & (x[:, i::2, j::2] == pooled)
        out[:, i::2, j::2] = grad * winner
        free &= ~winner
    return out


def block(w, x, first, second):
    """Two convolutions, the second pooled, each with ReLU -> the output, and what the way back needs."""
    hidden, patches1 = conv(x, w[first + ".weight"])
    hidden = np.maximum(hidden + w[first + ".bias"], 0)
    whole, patches2 = conv(hidden, w[second + ".weight"])
    whole = whole + w[second + ".bias"]
    pooled = pool(whole)
    return np.maximum(pooled, 0), (patches1, hidden, patches2, whole, pooled)


def block_backward(w, grad, cache, first, second):
    """The gradient of a block's output -> {tensor: gradient}, and the gradient of the first convolution's output."""
    patches1, hidden, patches2, whole, pooled = cache
    grad, found = pool_backward(grad * (pooled > 0), whole, pooled), {}
    found[second + ".weight"], found[second + ".bias"] = conv_backward(grad, patches2, w[second + ".weight"])
    grad = conv_input(grad, w[second + ".weight"]) * (hidden > 0)
    found[first + ".weight"], found[first + ".bias"] = conv_backward(grad, patches1, w[first + ".weight"])
    return found, grad


def dense(w, x):
    """The two dense layers without dropout: logits (N, 10), and what the way back needs."""
    flat = x.reshape(len(x), -1)
    hidden = np.maximum(flat @ w["dense1.weight"] + w["dense1.bias"], 0)
    return hidden @ w["dense2.weight"] + w["dense2.bias"], (flat, hidden)


def cross_entropy(logits, labels):
    """The mean loss, and its gradient."""
    shifted, each = logits - logits.max(axis=1, keepdims=True), np.arange(len(labels))
    total = np.exp(shifted).sum(axis=1, keepdims=True)
    grad = np.exp(shifted) / total
    grad[each, labels] -= 1
    return (np.log(total[:, 0]) - shifted[each, labels]).mean(), grad / len(labels)


def forward(w, x):
    """Logits, and what the way back needs."""
    x, cache1 = block(w, x, "conv1", "conv2")
    x, cache2 = block(w, x, "conv3", "conv4")
    logits, cache3 = dense(w, x)
    return logits, (cache1, cache2, cache3)


def backward(w, x, y):
    """The mean loss, its gradients, and the two factors of that of dense1.weight."""
    logits, (cache1, cache2, (flat, hidden)) = forward(w, x)
    loss, grad = cross_entropy(logits, y)
    found = {"dense2.weight": hidden.T @ grad, "dense2.bias": grad.sum(axis=0)}
    inner = grad @ w["dense2.weight"].T * (hidden > 0)
    found["dense1.weight"], found["dense1.bias"] = flat.T @ inner, inner.sum(axis=0)
    grad = (inner @ w["dense1.weight"].T).reshape(cache2[-1].shape)
    more, grad = block_backward(w, grad, cache2, "conv3", "conv4")
    found.update(more)
    found.update(block_backward(w, conv_input(grad, w["conv3.weight"]), cache1, "conv1", "conv2")[0])
    return loss, found, (inner, flat)


# ---- what is done with it


def here(tensors, dtype=np.float64):
    """Weights in the shared layout -> as this network has them: kernels (3, 3, C, O), dense weights (in, out)."""
    found = {}
    for name, w in tensors.items():
        if name == "dense1.weight":  # inputs are (channel, height, width) there, (height, width, channel) here
            w = w.reshape(512, 100, 8, 8).transpose(2, 3, 1, 0).reshape(6400, 512)
        elif w.ndim > 1:
            w = w.transpose(2, 3, 1, 0) if w.ndim == 4 else w.T
        found[name] = np.array(w, dtype, order="C")
    return found


def there(tensors):
    """The other way round; of whatever has a tensor's shape."""
    found = {}
    for name, w in tensors.items():
        if name == "dense1.weight":
            w = w.reshape(8, 8, 100, 512).transpose(3, 2, 0, 1).reshape(512, 6400)
        elif w.ndim > 1:
            w = w.transpose(3, 2, 0, 1) if w.ndim == 4 else w.T
        found[name] = np.array(w)
    return found


def images(x, dtype):
    """(N, C, H, W) as float32 -> (N, H, W, C) as ``dtype``."""
    return np.ascontiguousarray(x.transpose(0, 2, 3, 1).astype(dtype))


def train(w, x, y, batches, rate, momentum):
    """SGD with momentum on mini-batches of sample numbers; changes ``w``; the losses."""
    losses, velocity = [], {name: np.zeros_like(p) for name, p in w.items()}
    for i in batches:
        loss, grads, _ = backward(w, x[i], y[i])
        losses.append(loss)
        for name, p in w.items():
            velocity[name] = momentum * velocity[name] + grads[name]
            p -= rate * velocity[name]
    return np.array(losses)


def batches(order, size):
    """The sample numbers of each mini-batch; the last may be shorter."""
    return [order[k : k + size] for k in range(0, len(order), size)]


class Maker:
    """The parts; each gives what is stored of it, {key: value}."""

    def __init__(self, reference):
        self.known, self.spec, self.start = reference, reference.spec, reference.weights()
        self.runs = [weights.perturbed(self.start, 1e-7, [2018, number]) for number in range(RUNS)]

    def gradients(self):
        known, i = self.known, self.known.first
        _, found, (left, right) = backward(here(self.start), images(known.x[i], np.float64), known.y[i])
        right = right.reshape(-1, 8, 8, 100).transpose(0, 3, 1, 2).reshape(len(i), -1)
        stored = writing.gradients(there(found), {"dense1.weight": (left, right)})
        return {key: value.astype(np.float32) if value.size > LARGE else value for key, value in stored.items()}

    def losses(self):
        def computed(start, dtype):
            parts = batches(self.known.order, self.known.batch_size)
            given = images(self.known.x, dtype), self.known.y, parts, self.known.learning_rate, self.known.momentum
            return train(here(start, dtype), *given)

        exact = computed(self.start, np.float64)
        return {"losses": exact, "loss_bounds": writing.bound(exact, [computed(run, np.float32) for run in self.runs])}

    def stepped(self, start, dtype, part):
        """The weights after steps on the first samples, as many and as large as the spec says for ``part``."""
        w, i, asked = here(start, dtype), self.known.first, self.spec[part]
        x, steps = images(self.known.x[i], dtype), [np.arange(len(i))] * asked.get("steps", 2)
        train(w, x, self.known.y[i], steps, asked["learning_rate"], self.known.momentum)
        return w

    def change(self):
        runs = [there(self.stepped(run, np.float32, "change")) for run in self.runs]
        return writing.change(self.start, there(self.stepped(self.start, np.float64, "change")), runs)

    def tested(self, w):
        """Logits of the test samples, and the mean loss of each of their mini-batches."""
        x, y = images(self.known.x_test, w["conv1.weight"].dtype), self.known.y_test
        parts = batches(np.arange(len(y)), self.known.batch_size)
        logits = np.concatenate([forward(w, x[i])[0] for i in parts])
        return logits, np.array([cross_entropy(logits[i], y[i])[0] for i in parts])

    def judged(self, exact, runs):
        """Classes, margins, right answers and losses of the test samples; ``runs``: losses of the perturbed runs.

        The five mini-batches share a bound: they are of one kind.
        """
        logits, losses = exact
        ordered, classes = np.sort(logits, axis=1), logits.argmax(axis=1)
        return {
            "classes": classes,
            "margins": ordered[:, -1] - ordered[:, -2],
            "right": int(np.sum(classes == self.known.y_test)),
            "losses": losses,
            "loss_bounds": np.full(len(losses), writing.bound(losses, runs)[-1]),
        }

    def evaluation(self):
        def first(w):
            x = images(self.known.x_first, w["conv1.weight"].dtype)
            return cross_entropy(forward(w, x)[0], self.known.y_first)[0]

        w = here(weights.scaled(self.start, self.spec["scale"]))
        runs = [here(weights.scaled(run, self.spec["scale"]), np.float32) for run in self.runs]
        found = self.judged(self.tested(w), [self.tested(run)[1] for run in runs])
        found["test_losses"], found["test_loss_bounds"] = found.pop("losses"), found.pop("loss_bounds")
        found["loss"] = first(w)
        found["loss_bound"] = writing.bound(np.array([found["loss"]]), [[first(run)] for run in runs])[0]
        return found

    def after(self):
        runs = [self.tested(self.stepped(run, np.float32, "after"))[1] for run in self.runs]
        found = self.judged(self.tested(self.stepped(self.start, np.float64, "after")), runs)
        return {"after." + key: value for key, value in found.items()}

    def dropout(self):
        """Mean and deviation of the loss under many masks; the convolutions before the first are computed once."""
        w, i = here(self.known.dropout_weights(), np.float32), np.arange(self.spec["dropout"]["samples"])
        x, y, rng = images(self.known.x[i], np.float32), self.known.y[i], np.random.default_rng(self.spec["seed"])

        def drop(x, rate):
            return x * (rng.random(x.shape, np.float32) >= rate) / np.float32(1 - rate)

        first, losses = block(w, x, "conv1", "conv2")[0], []
        for _ in range(MASKS):
            second = block(w, drop(first, RATES[0]), "conv3", "conv4")[0]
            hidden = dense(w, drop(second, RATES[1]))[1][1]
            logits = drop(hidden, RATES[2]) @ w["dense2.weight"] + w["dense2.bias"]
            losses.append(cross_entropy(logits, y)[0])
        return writing.dropout(losses)


PARTS = ("gradients", "losses", "change", "evaluation", "after", "dropout")


def main(variant="results", *parts):
    """Compute the parts and store them beside this file."""
    reference = Reference("cnn_cifar10", variant)
    maker, found = Maker(reference), dict(reference.results) if parts else {}
    for part in parts or PARTS:
        found.update(getattr(maker, part)())
        print(part, flush=True)
    writing.write(reference, **found)


if __name__ == "__main__":
    main(*sys.argv[1:])
