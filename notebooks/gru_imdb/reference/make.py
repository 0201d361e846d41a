"""Compute what the lessons of this workload are compared with: the same network by hand in NumPy, in float64.

    python notebooks/gru_imdb/reference/make.py [PART ...]

PART is one of gradients, losses, change, evaluation and after; without any, all are computed (ten minutes on one
core). Parts that are not named stay as they are stored. PYTHONPATH must hold the project's folder.

The weights of the proof keep memory: the update gates' biases are spread from 0 to 6, so that some units forget a word
at once and others hold the first of 150 to the end. So a first state that is not zero, a state that stays from one
mini-batch to the next, or a first word that is not read changes gradients and losses (docs/method.md).

A bound is ten times the largest error of eight float32 runs from weights perturbed by one part in ten million, and at
least 2e-6. Where weights after steps are compared, these runs compute Adam's corrections of the bias in float32, as
some frameworks do: there 1 - 0.999 keeps four of its seven digits. Large gradients are rounded to float32 when
they are stored.
"""

import sys

import numpy as np

from referee import weights
from referee.proof import writing
from referee.proof.reference import Reference

UNITS = 100
RUNS = 8  # perturbed ones in float32
LARGEST = 1e-5  # no loss may be off by more, relative
LARGE = 1000  # values: a gradient of more is stored in float32
BETAS, EPSILON = (0.9, 0.999), 1e-8  # Adam's


# ---- the network; words come first: x (T, N), states (T + 1, N, 100)


def sigmoid(a):
    return 0.5 * np.tanh(0.5 * a) + 0.5  # exp(-a) would overflow


def forward(w, x):
    """Tokens (N, T) -> logits (N, 2), and what the way back needs."""
    words = w["embedding"][x.T]
    states, kept = [np.zeros((len(x), UNITS), words.dtype)], []
    for word in words:
        h = states[-1]
        a = word @ w["gru.weight_ih"].T + w["gru.bias_ih"]
        b = h @ w["gru.weight_hh"].T + w["gru.bias_hh"]
        r, z = np.split(sigmoid(a[:, : 2 * UNITS] + b[:, : 2 * UNITS]), 2, axis=1)
        m = b[:, 2 * UNITS :]  # the state's part of the candidate, before the reset gate
        n = np.tanh(a[:, 2 * UNITS :] + r * m)
        states.append((1 - z) * n + z * h)
        kept.append((r, z, n, m))
    return states[-1] @ w["dense.weight"].T + w["dense.bias"], (x, words, states, kept)


def cross_entropy(logits, labels):
    """The mean loss, and its gradient."""
    shifted, each = logits - logits.max(axis=1, keepdims=True), np.arange(len(labels))
    total = np.exp(shifted).sum(axis=1, keepdims=True)
    grad = np.exp(shifted) / total
    grad[each, labels] -= 1
    return (np.log(total[:, 0]) - shifted[each, labels]).mean(), grad / len(labels)


def backward(w, x, y):
    """The mean loss and its gradients; that of the embedding as (rows, their gradients)."""
    logits, (x, words, states, kept) = forward(w, x)
    loss, grad = cross_entropy(logits, y)
    found = {"dense.weight": grad.T @ states[-1], "dense.bias": grad.sum(axis=0)}
    for name in ("gru.weight_ih", "gru.weight_hh", "gru.bias_ih", "gru.bias_hh"):
        found[name] = np.zeros_like(w[name])
    d, d_words = grad @ w["dense.weight"], np.empty_like(words)
    for t in reversed(range(len(words))):
        (r, z, n, m), h = kept[t], states[t]
        d_n = d * (1 - z) * (1 - n * n)
        d_z = d * (h - n) * z * (1 - z)
        d_r = d_n * m * r * (1 - r)
        of_word = np.concatenate([d_r, d_z, d_n], axis=1)  # of W x + b: all three gates
        of_state = np.concatenate([d_r, d_z, d_n * r], axis=1)  # of W h + b
        found["gru.weight_ih"] += of_word.T @ words[t]
        found["gru.weight_hh"] += of_state.T @ h
        found["gru.bias_ih"] += of_word.sum(axis=0)
        found["gru.bias_hh"] += of_state.sum(axis=0)
        d_words[t] = of_word @ w["gru.weight_ih"]
        d = d * z + of_state @ w["gru.weight_hh"]
    flat = x.T.ravel()
    order = np.argsort(flat, kind="stable")
    tokens, first = np.unique(flat[order], return_index=True)  # a token's gradients are added up
    return loss, found, (tokens, np.add.reduceat(d_words.reshape(len(flat), -1)[order], first))


class Adam:
    """Changes ``w``; the embedding's rows that no mini-batch had are left alone, as they have no running mean.

    ``rounded``: the betas and the bias corrections in float32.
    """

    def __init__(self, w, rate, rounded):
        self.w, self.rate, self.count, self.seen = w, rate, 0, np.zeros(len(w["embedding"]), bool)
        self.mean = {name: np.zeros_like(p) for name, p in w.items()}
        self.square = {name: np.zeros_like(p) for name, p in w.items()}
        self.betas = np.float32(BETAS) if rounded else np.float64(BETAS)

    def step(self, grads, embedding):
        self.count += 1
        tokens, rows = embedding
        self.seen[tokens] = True
        table = np.zeros((len(self.seen), rows.shape[1]), rows.dtype)
        table[tokens] = rows
        one, two = self.betas
        first, second = 1 - one**self.count, np.sqrt(1 - two**self.count)
        for name, p in self.w.items():
            at = self.seen if name == "embedding" else slice(None)
            g = (table if name == "embedding" else grads[name])[at]
            mean = self.mean[name][at] = one * self.mean[name][at] + (1 - one) * g
            square = self.square[name][at] = two * self.square[name][at] + (1 - two) * g * g
            p[at] -= (self.rate / first * mean / (np.sqrt(square) / second + EPSILON)).astype(p.dtype)


# ---- what is done with it


def train(w, x, y, batches, rate, rounded=False):
    """Adam on mini-batches of sample numbers; changes ``w``; the losses."""
    losses, optimizer = [], Adam(w, rate, rounded)
    for i in batches:
        loss, *grads = backward(w, x[i], y[i])
        losses.append(loss)
        optimizer.step(*grads)
    return np.array(losses)


def batches(order, size):
    """The sample numbers of each mini-batch; the last may be shorter."""
    return [order[k : k + size] for k in range(0, len(order), size)]


class Maker:
    """The parts; each gives what is stored of it, {key: value}."""

    def __init__(self, reference):
        self.known, self.spec, self.start = reference, reference.spec, reference.weights()
        self.runs = [weights.perturbed(self.start, 1e-7, [2018, number]) for number in range(RUNS)]

    def here(self, tensors, dtype=np.float64):
        return {name: w.astype(dtype) for name, w in tensors.items()}

    def gradients(self):
        known, i = self.known, self.known.first
        _, found, (tokens, rows) = backward(self.here(self.start), known.x[i], known.y[i])
        found["embedding"] = np.zeros(self.start["embedding"].shape)
        found["embedding"][tokens] = rows
        stored = writing.gradients(found, rows=["embedding"])
        large = {key for key, value in stored.items() if value.size > LARGE and value.dtype.kind == "f"}
        return {key: value.astype(np.float32) if key in large else value for key, value in stored.items()}

    def losses(self):
        def computed(start, dtype):
            parts = batches(self.known.order, self.known.batch_size)
            return train(self.here(start, dtype), self.known.x, self.known.y, parts, self.known.learning_rate)

        exact = computed(self.start, np.float64)
        runs = [computed(run, np.float32) for run in self.runs]
        print("float32 strays by", np.max(np.abs(np.array(runs) - exact) / exact, axis=0))
        return {"losses": exact, "loss_bounds": writing.bound(exact, runs, largest=LARGEST)}

    def stepped(self, start, dtype, part):
        """The weights after steps on the first samples, as many and as large as the spec says for ``part``."""
        w, i, asked = self.here(start, dtype), self.known.first, self.spec[part]
        steps = [np.arange(len(i))] * asked.get("steps", 2)
        train(w, self.known.x[i], self.known.y[i], steps, asked["learning_rate"], rounded=dtype == np.float32)
        return w

    def change(self):
        """Each run's change is measured from its own, perturbed weights: those of tokens that occur nowhere stay."""

        def moved(run):
            after = self.stepped(run, np.float32, "change")
            return {name: w + (after[name].astype(np.float64) - run[name]) for name, w in self.start.items()}

        exact = self.stepped(self.start, np.float64, "change")
        return writing.change(self.start, exact, [moved(run) for run in self.runs])

    def tested(self, w):
        """Logits of the test samples, and the mean loss of each of their mini-batches."""
        x, y = self.known.x_test, self.known.y_test
        parts = batches(np.arange(len(y)), self.known.batch_size)
        logits = np.concatenate([forward(w, x[i])[0] for i in parts])
        return logits, np.array([cross_entropy(logits[i], y[i])[0] for i in parts])

    def judged(self, exact, runs):
        """Classes, margins, right answers and losses of the test samples; ``runs``: losses of the perturbed runs.

        The mini-batches share a bound: they are of one kind.
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
            return cross_entropy(forward(w, self.known.x_first)[0], self.known.y_first)[0]

        def scaled(start, dtype=np.float32):
            return self.here(weights.scaled(start, self.spec.get("scale", 1.0)), dtype)

        w, runs = scaled(self.start, np.float64), [scaled(run) for run in self.runs]
        found = self.judged(self.tested(w), [self.tested(run)[1] for run in runs])
        found["test_losses"], found["test_loss_bounds"] = found.pop("losses"), found.pop("loss_bounds")
        found["loss"] = first(w)
        found["loss_bound"] = writing.bound(np.array([found["loss"]]), [[first(run)] for run in runs])[0]
        return found

    def after(self):
        runs = [self.tested(self.stepped(run, np.float32, "after"))[1] for run in self.runs]
        found = self.judged(self.tested(self.stepped(self.start, np.float64, "after")), runs)
        return {"after." + key: value for key, value in found.items()}


PARTS = ("gradients", "losses", "change", "evaluation", "after")


def main(*parts):
    """Compute the parts and store them beside this file."""
    reference = Reference("gru_imdb")
    maker, found = Maker(reference), dict(reference.results) if parts else {}
    for part in parts or PARTS:
        found.update(getattr(maker, part)())
        print(part, flush=True)
    writing.write(reference, **found)


if __name__ == "__main__":
    main(*sys.argv[1:])
