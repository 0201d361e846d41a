"""Mistakes for tests/plant.py to plant in the lesson notebooks/gpt_text/numpy.ipynb: see tests/plants/gpt_text.py."""

from tests.plants import gpt_text as gpt

MASK = "np.triu(np.ones(scores.shape[-2:], bool), 1 + k.shape[2] - q.shape[2])"
SCALE = " / np.float32(np.sqrt(q.shape[-1]))"
BACK = " / np.float32(np.sqrt(WIDTH / HEADS))"
SOFTMAX = "    return softmax(np.where(later, np.float32(-np.inf), scores))"
OVER_QUERIES = """    weights = softmax(np.where(later, np.float32(-1e30), scores).swapaxes(2, 3)).swapaxes(2, 3)
    return np.where(later, np.float32(0), weights)"""
JOIN = "x.swapaxes(1, 2).reshape(x.shape[0], x.shape[2], -1)"
SPLIT = "x.reshape(*x.shape[:2], HEADS, -1).swapaxes(1, 2)"
FORWARD = "            x = x + forward(branch, x)\n"
BACKWARD = "            grad = grad + backward(branch, grad)\n"
CLIP = "grad = grad * np.float32(min(1, 1 / norm))"
DECAY = "                if p.ndim > 1:\n                    p -= rate * np.float32(WEIGHT_DECAY) * p\n"
LATE = """        self.count = max(0, self.count - 1)
        rate, (one, two) = np.float32(self.rate()), self.betas
        self.taken = getattr(self, "taken", 0) + 1
        self.count = self.taken
"""
GONE = """class Gone(Dropout):
    def forward(self, x):
        self.mask = np.float32(1)
        return x


class Block:"""
STEP = "    model.backward(grad)\n    optimizer.step()\n"

PLANTS = {
    **gpt.SHARED,
    **gpt.averaged("def generate("),
    "mask off by one": ([(MASK, MASK.replace(", 1 +", ", 2 +"))], gpt.GRADIENT),
    "mask the other way round": ([(MASK, MASK.replace("triu", "tril").replace(", 1 +", ", -1 +"))], gpt.GRADIENT),
    "scale 1/d": ([(SCALE, " / np.float32(q.shape[-1])"), (BACK, " / np.float32(WIDTH / HEADS)")], gpt.GRADIENT),
    "scale left out": ([(SCALE, ""), (BACK, "")], gpt.GRADIENT),
    "scale left out in the backward pass": ([(BACK, "")], gpt.GRADIENT),
    "softmax over queries": ([(SOFTMAX, OVER_QUERIES)], gpt.GRADIENT),
    "heads merged in another order": (
        [
            (JOIN, "x.transpose(0, 2, 3, 1).reshape(x.shape[0], x.shape[2], -1)"),
            (SPLIT, "x.reshape(*x.shape[:2], -1, HEADS).transpose(0, 3, 1, 2)"),
        ],
        gpt.GRADIENT,
    ),
    "post-norm for pre-norm": (
        [
            (FORWARD, "            x = branch[0].forward(x + forward(branch[1:], x))\n"),
            (
                BACKWARD,
                "            grad = branch[0].backward(grad)\n            grad = grad + backward(branch[1:], grad)\n",
            ),
        ],
        gpt.GRADIENT,
    ),
    "erf GELU for tanh": (
        [
            ("t = np.tanh(root * x * (1 + np.float32(0.044715) * x * x))", "t = erf(x / np.float32(2**0.5))"),
            (
                "0.5 * x * (1 - t * t) * root * (1 + np.float32(0.134145) * x * x)",
                "0.5 * x * root * np.exp(-0.5 * x * x)",
            ),
            ("import numpy as np\n", "import numpy as np\nfrom scipy.special import erf\n"),
        ],
        gpt.GRADIENT,
    ),
    "epsilon 1e-6": ([("np.float32(1e-5)", "np.float32(1e-6)")], gpt.GRADIENT),
    "untied embedding": ([("[np.tensordot(grad, self.last, ((0, 1), (0, 1))), ", "[np.zeros_like(tokens), ")], gpt.GRADIENT),
    "positions shifted by one": (
        [("positions[first : first + x.shape[1]]", "np.roll(positions, -1, axis=0)[first : first + x.shape[1]]")],
        gpt.GRADIENT,
    ),
    "gradients of equal tokens counted once": (
        [("np.add.at(self.grads[0], self.x, g)", "self.grads[0][self.x] += g")],
        gpt.GRADIENT,
    ),
    "a term of the layer norm's gradient left out": ([(" - g.mean(axis=-1, keepdims=True) - along", " - along")], gpt.GRADIENT),
    "decay on biases and norms": ([("                if p.ndim > 1:\n    ", "                if p.ndim > 0:\n    ")], gpt.CHANGE),
    "L2 for decoupled decay": (
        [(CLIP, CLIP + " + np.float32(WEIGHT_DECAY) * p * (p.ndim > 1)"), (DECAY, "")],
        gpt.MOVED,
    ),
    "Adam's second momentum": ([("betas=(0.9, 0.95)", "betas=(0.9, 0.999)")], gpt.MOVED),
    "Adam's epsilon": ([("epsilon=1e-8", "epsilon=1e-6")], gpt.MOVED),
    "Adam's first correction left out": ([("(mean / first)", "mean")], gpt.MOVED),
    "clipping per tensor": ([(CLIP, "grad = grad * np.float32(min(1, 1 / np.sqrt(np.vdot(grad, grad))))")], gpt.CHANGE),
    "clipping left out": ([(CLIP, "grad = grad * np.float32(1)")], gpt.CHANGE),
    "schedule one step late": (
        [("        rate, (one, two) = np.float32(self.rate()), self.betas\n        self.count += 1\n", LATE)],
        gpt.MOVED,
    ),
    "cosine that ends one step early": ([("(self.total - WARMUP + 1)", "(self.total - WARMUP)")], gpt.LATER),
    "one update in ten left out": (
        [(STEP, "    model.backward(grad)\n    model.n = getattr(model, 'n', 0) + 1\n    if model.n % 10:\n        optimizer.step()\n")],
        gpt.LATER,
    ),
    "cache that forgets the first token": (
        [("self.cache.append((self.k, self.v))", "self.cache.append([a[:, :, not self.cache :] for a in (self.k, self.v)])")],
        gpt.CACHED,
    ),
    "cache at the place before": ([("model.forward(np.array([text[read:]]), read)", "model.forward(np.array([text[read:]]), max(0, read - 1))")], gpt.CACHED),
    "dropout in generation": ([("    Dropout.on = False\n    text = ", "    text = ")], gpt.GENERATED),
    "beginning of a long prompt kept": ([("prompt[-(CONTEXT - count) :]", "prompt[: CONTEXT - count]")], gpt.LONG_PROMPT),
    "temperature multiplied": ([("/ temperature)", "* temperature)")], gpt.SAMPLED),
    "temperature left out": ([(" / temperature)", ")")], gpt.SAMPLED),
    "temperature below 0 taken": ([("temperature < 0 or ", "")], "temperature of -1"),
    "dropout of the attention weights left out": (
        [("self.dropped = self.drop.forward(self.weights)", "self.dropped, self.drop.mask = self.weights, 1")],
        gpt.DROPOUT,
    ),
    "dropout of the embeddings left out": (
        [
            ("h = self.drop.forward(tokens[x]", "h = (tokens[x]"),
            ("g = self.drop.backward(backward(self.blocks,", "g = (backward(self.blocks,"),
        ],
        gpt.DROPOUT,
    ),
    "dropout of the attention's branch left out": ([("Dense(WIDTH, WIDTH), Dropout()]", "Dense(WIDTH, WIDTH), Gone()]"), ("class Block:", GONE)], gpt.DROPOUT),
    "dropout of the network's branch left out": ([("Dense(4 * WIDTH, WIDTH), Dropout()]", "Dense(4 * WIDTH, WIDTH), Gone()]"), ("class Block:", GONE)], gpt.DROPOUT),
    "dropout on in evaluation": ([("Dropout.on, nats = False, 0.0", "Dropout.on, nats = True, 0.0")], gpt.BITS),
    "the mean of the mini-batches": (
        [("part)[0]) * part.size", "part)[0]) * y.size / -(-len(x) // BATCH_SIZE)")],
        gpt.BITS,
    ),
    "nats for bits": ([("return nats / y.size / np.log(2)", "return nats / y.size")], gpt.BITS),
    "last partial batch dropped in training": (
        [("for i in batches]", "for i in batches if len(i) == BATCH_SIZE]")],
        gpt.SHORT_TRAINING,
    ),
    "labels of a batch in another order": ([("loss_fn(model.forward(x), y)\n    model", "loss_fn(model.forward(x), y[::-1])\n    model")], gpt.FIRST_LOSS),
    gpt.HALF: (
        [("rng.permutation(len(x_train)))\n", "rng.permutation(len(x_train))[::2])\n")],
        gpt.STEPS.replace("200", "160"),
    ),
    gpt.LABELS: ([("x[i], y[i]) for i", "x[i], y[np.roll(i, 7)]) for i")], gpt.LEARNED),
    gpt.LOW: ([("history.append((losses, bits))", "history.append((losses, bits - 0.05))")], gpt.COUNT),
}
