"""Compute what the lessons of this workload are compared with: the same network by hand in NumPy, in float64.

    python notebooks/gpt_text/reference/make.py [PART ...]

PART is one of gradients, losses, logits, dropout, change and generation; without any, all are computed (four minutes on
one core). Parts that are not named stay as they are stored. PYTHONPATH must hold the project's folder.

The gradients are checked by central differences first, along a random direction of each tensor. The weights of the
proof are larger than those of a new network, so that attention, GELU and the norm's epsilon show, and so that gradients
are clipped. Of gradients and changes the norm and eight projections are stored. The keys' biases have a gradient of
zero: they add the same to all scores of a query. What float32 makes of zero is bounded absolutely.

A bound is ten times the largest error of eight float32 runs from weights perturbed by one part in ten million, and at
least 2e-6; that of the gradients stands in spec.json. These runs compute Adam's corrections of the bias in float32, as
some frameworks do.
"""

import sys

import numpy as np

from referee import weights
from referee.proof import writing
from referee.proof.reference import Reference, fingerprint

BLOCKS, HEADS, EPSILON = 4, 4, 1e-5  # epsilon: of the layer norm
BETAS, ADAM_EPSILON, DECAY, CLIP = (0.9, 0.95), 1e-8, 0.1, 1.0
RUNS, PASSES = 8, 240  # perturbed ones in float32; masks whose mean loss is the reference of dropout
RATE = 0.1  # of dropout
MARGIN = 1e-3  # between the two largest logits of every byte that is written greedily


# ---- the network: x (N, T) -> logits (N, T, 256)


def layer_norm(x, gain, bias):
    centred = x - x.mean(axis=-1, keepdims=True)
    deviation = np.sqrt((centred**2).mean(axis=-1, keepdims=True) + x.dtype.type(EPSILON))
    normal = centred / deviation
    return normal * gain + bias, (normal, deviation)


def layer_norm_back(grad, gain, kept):
    """Gradients of x, gain and bias."""
    normal, deviation = kept
    g = grad * gain
    of_x = (g - g.mean(axis=-1, keepdims=True) - normal * (g * normal).mean(axis=-1, keepdims=True)) / deviation
    return of_x, (grad * normal).sum(axis=(0, 1)), grad.sum(axis=(0, 1))


def gelu(x):
    """In its tanh form, and its slope."""
    root = x.dtype.type(np.sqrt(2 / np.pi))
    t = np.tanh(root * (x + x.dtype.type(0.044715) * x * x * x))
    slope = 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * root * (1 + x.dtype.type(3 * 0.044715) * x * x)
    return 0.5 * x * (1 + t), slope


def split(x):
    """(N, T, D) -> (N, heads, T, D / heads)."""
    return x.reshape(*x.shape[:2], HEADS, -1).swapaxes(1, 2)


def joined(x):
    """The way back."""
    return x.swapaxes(1, 2).reshape(x.shape[0], x.shape[2], -1)


def softmax(scores):
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


class Network:
    """The network with weights ``w``. ``drop``: a function of a shape that gives a mask, 0 or 1 / (1 - rate)."""

    def __init__(self, w, drop=None):
        self.w, self.drop = w, drop or (lambda shape: 1)

    def dense(self, name, x):
        return x @ self.w[name + ".weight"] + self.w[name + ".bias"]

    def norm(self, name, x):
        return layer_norm(x, self.w[name + ".weight"], self.w[name + ".bias"])

    def forward(self, x):
        """Logits; what the way back needs stays in ``self.kept``."""
        w, (count, length) = self.w, x.shape
        mask = self.drop((count, length, w["tokens"].shape[1]))
        h, self.kept = (w["tokens"][x] + w["positions"][:length]) * mask, [(x, mask)]
        hidden = np.triu(np.ones((length, length), bool), 1)
        for block in range(BLOCKS):
            name = f"blocks.{block}."
            a, kept1 = self.norm(name + "norm1", h)
            q, k, v = [split(self.dense(name + part, a)) for part in ("query", "key", "value")]
            scores = q @ k.swapaxes(2, 3) / a.dtype.type(np.sqrt(q.shape[-1]))
            chances = softmax(np.where(hidden, -np.inf, scores))
            mask = self.drop(chances.shape)
            mixed = joined((chances * mask) @ v)
            out_mask = self.drop(h.shape)
            h = h + self.dense(name + "output", mixed) * out_mask
            b, kept2 = self.norm(name + "norm2", h)
            up, slope = gelu(self.dense(name + "up", b))
            down_mask = self.drop(h.shape)
            h = h + self.dense(name + "down", up) * down_mask
            self.kept.append((a, kept1, q, k, v, chances, mask, mixed, out_mask, b, kept2, up, slope, down_mask))
        last, kept = self.norm("norm", h)
        self.kept.append((last, kept))
        return last @ w["tokens"].T

    def dense_back(self, name, x, grad, found):
        """The gradient of x; that of weight and bias goes into ``found``."""
        found[name + ".weight"] = x.reshape(-1, x.shape[-1]).T @ grad.reshape(-1, grad.shape[-1])
        found[name + ".bias"] = grad.sum(axis=(0, 1))
        return grad @ self.w[name + ".weight"].T

    def norm_back(self, name, grad, kept, found):
        of_x, found[name + ".weight"], found[name + ".bias"] = layer_norm_back(grad, self.w[name + ".weight"], kept)
        return of_x

    def backward(self, grad):
        """Gradients of all tensors from ``grad``, of the logits."""
        w, found = self.w, {}
        last, kept = self.kept[-1]
        found["tokens"] = grad.reshape(-1, grad.shape[-1]).T @ last.reshape(-1, last.shape[-1])
        g = self.norm_back("norm", grad @ w["tokens"], kept, found)
        for block in reversed(range(BLOCKS)):
            name = f"blocks.{block}."
            a, kept1, q, k, v, chances, mask, mixed, out_mask, b, kept2, up, slope, down_mask = self.kept[1 + block]
            of_up = self.dense_back(name + "down", up, g * down_mask, found)
            g = g + self.norm_back(name + "norm2", self.dense_back(name + "up", b, of_up * slope, found), kept2, found)
            of_mixed = split(self.dense_back(name + "output", mixed, g * out_mask, found))
            of_v = (chances * mask).swapaxes(2, 3) @ of_mixed
            of_chances = of_mixed @ v.swapaxes(2, 3) * mask
            of_scores = chances * (of_chances - (of_chances * chances).sum(axis=-1, keepdims=True))
            of_scores = of_scores / a.dtype.type(np.sqrt(q.shape[-1]))
            parts = {"query": of_scores @ k, "key": of_scores.swapaxes(2, 3) @ q, "value": of_v}
            of_a = sum(self.dense_back(name + part, a, joined(of), found) for part, of in parts.items())
            found[name + "key.bias"] = np.zeros_like(w[name + "key.bias"])  # exactly: a query's scores shift together
            g = g + self.norm_back(name + "norm1", of_a, kept1, found)
        x, mask = self.kept[0]
        g = g * mask
        np.add.at(found["tokens"], x, g)
        found["positions"] = np.zeros_like(w["positions"])
        found["positions"][: x.shape[1]] = g.sum(axis=0)
        return found


def cross_entropy(logits, y):
    """The mean loss, and its gradient."""
    shifted = logits - logits.max(axis=-1, keepdims=True)
    logs = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    grad, each = np.exp(logs), y[..., None].astype(np.int64)
    np.put_along_axis(grad, each, np.take_along_axis(grad, each, -1) - 1, -1)
    return -np.take_along_axis(logs, each, -1).mean(), grad / y.size


def gradients_of(w, x, y):
    """The mean loss and its gradients."""
    network = Network(w)
    loss, grad = cross_entropy(network.forward(x), y)
    return loss, network.backward(grad)


# ---- AdamW, its rates, and clipping


def rate(step, peak, warmup, total):
    """Of an update before which there were ``step`` others."""
    if step < warmup:
        return peak * (step + 1) / warmup
    return peak * 0.5 * (1 + np.cos(np.pi * (step - warmup + 1) / (total - warmup + 1)))


class AdamW:
    """Changes ``w``; the decay is decoupled and of tensors with two axes. ``rounded``: betas in float32."""

    def __init__(self, w, peak, warmup, total, rounded):
        self.w, self.count, self.schedule = w, 0, (peak, warmup, total)
        self.mean = {name: np.zeros_like(p) for name, p in w.items()}
        self.square = {name: np.zeros_like(p) for name, p in w.items()}
        self.betas = np.float32(BETAS) if rounded else np.float64(BETAS)

    def step(self, grads):
        now, (one, two) = rate(self.count, *self.schedule), self.betas
        self.count += 1
        norm = np.sqrt(sum(np.sum(g.astype(np.float64) ** 2) for g in grads.values()))
        clip = min(1.0, CLIP / norm)
        for name, p in self.w.items():
            g = grads[name] * p.dtype.type(clip)
            self.mean[name] = (one * self.mean[name] + (1 - one) * g).astype(p.dtype)
            self.square[name] = (two * self.square[name] + (1 - two) * g * g).astype(p.dtype)
            mean = self.mean[name] / (1 - one**self.count)
            move = mean / (np.sqrt(self.square[name] / (1 - two**self.count)) + ADAM_EPSILON)
            if p.ndim > 1:
                move = move + DECAY * p
            p -= (now * move).astype(p.dtype)
        return norm


def batches(order, size):
    """The sample numbers of each mini-batch; the last may be shorter."""
    return [order[k : k + size] for k in range(0, len(order), size)]


def written(w, prompt, count):
    """``count`` bytes after those of ``prompt``, greedily, and the smallest margin between two largest logits."""
    context, least = len(w["positions"]), np.inf
    found = list(prompt[max(0, len(prompt) - (context - count)) :])
    for _ in range(count):
        logits = Network(w).forward(np.array([found]))[0, -1]
        least = min(least, np.diff(np.sort(logits)[-2:])[0])
        found.append(int(logits.argmax()))
    return np.array(found[-count:], np.uint8), least


class Maker:
    """The parts; each gives what is stored of it, {key: value}."""

    def __init__(self, reference):
        self.known, self.spec, self.start = reference, reference.spec, reference.weights()
        self.runs = [weights.perturbed(self.start, 1e-7, [2018, number]) for number in range(RUNS)]

    def here(self, tensors, dtype=np.float64):
        return {name: w.astype(dtype) for name, w in tensors.items()}

    def check(self):
        """Raise AssertionError unless slopes along a random direction of each tensor are central differences."""
        w, rng, x, y = self.here(self.start), np.random.default_rng(1), self.known.x[:2, :32], self.known.y[:2, :32]
        _, found = gradients_of(w, x, y)
        step, worst = 1e-5, 0.0
        for name, start in w.items():
            direction = rng.standard_normal(start.shape)
            losses = [
                cross_entropy(Network(dict(w, **{name: start + move * direction})).forward(x), y)[0]
                for move in (step, -step)
            ]
            slope, difference = np.sum(found[name] * direction), (losses[0] - losses[1]) / (2 * step)
            worst = max(worst, abs(slope - difference) / max(abs(slope), 1e-2))
        print(f"central differences: off by {worst:.1e} at most")
        assert worst < 1e-6, worst

    def gradients(self):
        self.check()
        i = self.known.first
        _, exact = gradients_of(self.here(self.start), self.known.x[i], self.known.y[i])
        found = {"gradient." + name: fingerprint(gradient, name) for name, gradient in exact.items()}
        off = []
        for run in self.runs:
            _, rounded = gradients_of(self.here(run, np.float32), self.known.x[i], self.known.y[i])
            off.append(
                max(
                    np.max(np.abs(fingerprint(rounded[name], name) - found["gradient." + name]))
                    / (found["gradient." + name][0] or 1)
                    for name in exact
                )
            )
        print(f"float32 gradients stray by {max(off):.1e}")
        return found

    def trained(self, start, dtype, parts, peak):
        """(the weights after steps on mini-batches of sample numbers, losses, norms of the gradients)."""
        w, losses, norms, settings = self.here(start, dtype), [], [], self.spec["settings"]
        optimizer = AdamW(w, peak, settings["WARMUP"], self.known.steps, dtype == np.float32)
        for i in parts:
            loss, grads = gradients_of(w, self.known.x[i], self.known.y[i])
            losses.append(loss)
            norms.append(optimizer.step(grads))
        return w, np.array(losses), norms

    def losses(self):
        parts = batches(self.known.order, self.known.batch_size)
        given = parts, self.known.learning_rate
        _, exact, norms = self.trained(self.start, np.float64, *given)
        runs = [self.trained(run, np.float32, *given)[1] for run in self.runs]
        print("losses", exact[[0, -1]], "norms", np.round(norms, 2))
        print("float32 strays by", np.max(np.abs(np.array(runs) - exact) / exact, axis=0))
        return {"losses": exact, "loss_bounds": writing.bound(exact, runs)}

    def logits_of(self, w):
        parts = batches(np.arange(len(self.known.x_test)), self.known.batch_size)
        return np.concatenate([Network(w).forward(self.known.x_test[i]) for i in parts])

    def outputs(self, name, exact, runs):
        """What is stored of logits, with one bound for all samples: of 2-norms, relative."""
        norms = np.linalg.norm(exact.reshape(len(exact), -1), axis=1)
        off = [np.max(np.linalg.norm((run - exact).reshape(len(exact), -1), axis=1) / norms) for run in runs]
        print(name, f"float32 strays by {max(off):.1e}")
        return writing.outputs(name, exact, max(writing.FACTOR * max(off), writing.SMALLEST_BOUND))

    def logits(self):
        exact = self.logits_of(self.here(self.start))
        runs = [self.logits_of(self.here(run, np.float32)) for run in self.runs]
        return dict(self.outputs("logits", exact, runs), **self.bits("evaluation", exact, runs))

    def bits(self, part, exact, runs):
        """Bits per byte of the test samples from their logits, with a bound."""
        found = [cross_entropy(one, self.known.y_test)[0] / np.log(2) for one in [exact, *runs]]
        bound = writing.bound(np.array(found[:1]), [[one] for one in found[1:]])[0]
        return {part + ".bits": found[0], part + ".bound": bound}

    def dropout(self):
        """The labels are the likeliest bytes without dropout: then it raises the loss wherever it stands."""
        rng, w = np.random.default_rng(2026), self.here(self.start, np.float32)
        x = self.known.x[: self.spec["dropout"]["samples"]]
        y = Network(self.here(self.start)).forward(x).argmax(axis=-1).astype(np.uint8)

        def drop(shape):
            return (rng.random(shape, np.float32) >= RATE) / np.float32(1 - RATE)

        losses = [cross_entropy(Network(w, drop).forward(x), y)[0] for _ in range(PASSES)]
        plain = cross_entropy(Network(w).forward(x), y)[0]
        print(f"dropout: mean loss {np.mean(losses):.4f}, deviation {np.std(losses):.4f}; without {plain:.4f}")
        return dict(writing.dropout(losses), dropout_labels=y)

    def change(self):
        """Each run's change is measured from its own, perturbed weights."""
        parts, peak = [self.known.first] * 2, self.spec["change"]["learning_rate"]
        runs = [self.trained(run, np.float32, parts, peak)[0] for run in self.runs]
        exact = self.trained(self.start, np.float64, parts, peak)[0]
        moved = [
            {name: w + (after[name].astype(np.float64) - run[name]) for name, w in self.start.items()}
            for after, run in zip(runs, self.runs, strict=True)
        ]
        found = writing.change(self.start, exact, moved)
        for name in self.start:  # of a gradient of zero: no more than Adam can move, whatever rounding made of it
            if name.endswith("key.bias"):
                most = sum(rate(step, peak, self.spec["settings"]["WARMUP"], self.known.steps) for step in range(2))
                found["change_bound." + name] = 2 * most * np.sqrt(self.start[name].size)
        found.update(self.bits("after", self.logits_of(exact), [self.logits_of(run) for run in runs]))
        largest = sorted((float(value), key) for key, value in found.items() if "change_bound" in key)[-7:]
        print("largest bounds of the change:", largest)
        return found

    def generation(self):
        text, asked = self.known.x_test.ravel(), self.spec["generation"]
        found = [written(self.here(self.start), text[a : a + n], asked["count"]) for a, n in asked["prompts"]]
        for codes, least in found:
            print(least, len(set(codes.tolist())), codes.tolist())
        assert min(least for _, least in found) > MARGIN, "a byte that rounding could change: take another prompt"
        return {"generated": np.array([codes for codes, _ in found])}


PARTS = ("gradients", "losses", "logits", "dropout", "change", "generation")


def main(*parts):
    """Compute the parts and store them beside this file."""
    reference = Reference("gpt_text")
    maker, found = Maker(reference), dict(reference.results) if parts else {}
    for part in parts or PARTS:
        found.update(getattr(maker, part)())
        print(part, flush=True)
    writing.write(reference, **found)


if __name__ == "__main__":
    main(*sys.argv[1:])
