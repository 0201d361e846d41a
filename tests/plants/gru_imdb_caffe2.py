"""Mistakes for tests/plant.py to plant in notebooks/gru_imdb/caffe2.ipynb. Plain Python 3.6."""

from tests.plants.gru_imdb import AT_END, CHANGE, CLASSES, FIRST_LOSS, GRADIENT, LOSS, SHIFTED, SWAP, WHOLE, define

MERGED = """    bias = workspace.FetchBlob("gru/i2h_b")
    for k, name in enumerate(["gru/reset_gate_t_b", "gru/update_gate_t_b"]):
        bias[100 * k : 100 * k + 100] += workspace.FetchBlob(name)
        workspace.FeedBlob(name, np.zeros(100, np.float32))
    workspace.FeedBlob("gru/i2h_b", bias)
    return model
"""

LAZY = """    table, gradient = workspace.FetchBlob("embedding_w"), workspace.FetchBlob("embedding_w_grad")
    optimizer.step()
    absent = np.abs(gradient).sum(1) == 0
    moved = workspace.FetchBlob("embedding_w")
    moved[absent] = table[absent]
    workspace.FeedBlob("embedding_w", moved)
"""

DATA = "x_train, x_test = data.x_train, data.x_test"
FED = '    workspace.FeedBlob("tokens", {}.T'
LENGTHS = '    workspace.FeedBlob("lengths", (x > 0).sum(1).astype(np.int32))\n'
LOAD = "def load_weights"
STEP = "    optimizer.step()\n"
ADAM = "        for weight, gradient in self.gradients.items():\n"
SPLIT = "np.split(weights[name], len(parts))"
JOIN = "np.concatenate([fetch(p) for p in parts])"
LOGITS = 'net.SoftmaxWithLoss(["dense", "label"], ["softmax", "loss"]'
FORGET = "            if str(weight) in {}:\n                continue\n"


def _changed(gradient):
    """The replacement that changes the gradients in front of Adam: ``gradient`` computes w's from w and g."""
    lines = "            w, g = workspace.FetchBlob(weight), workspace.FetchBlob(gradient)\n"
    return ADAM, ADAM + lines + "            workspace.FeedBlob(gradient, {})\n".format(gradient)


PLANTS = {
    "gates r and z swapped, loading": (
        [define(SWAP, LOAD), (SPLIT, "np.split(swap(weights[name]), len(parts))")],
        GRADIENT,
    ),
    "gates r and z swapped, loading and reading": (
        [
            define(SWAP, LOAD),
            (SPLIT, "np.split(swap(weights[name]), len(parts))"),
            (JOIN, "swap(" + JOIN + ")"),
        ],
        GRADIENT,
    ),
    "reset gate before the product": ([("linear_before_reset=True, ", "")], GRADIENT),
    "time axis reversed": ([("x.T.ravel()", "x.T[::-1].ravel()")], GRADIENT),
    "reviews and words mixed up": ([("x.T.ravel()", "x.ravel()")], GRADIENT),
    "a GRU that starts from another state": ([("np.zeros(100, np.float32)", "np.ones(100, np.float32)")], FIRST_LOSS),
    "a mask applied": (
        [
            define(AT_END, "def feed_reviews"),
            (FED.format("x"), LENGTHS + FED.format("at_end(x)")),
            ("model, words, None,", 'model, words, "lengths",'),
            ('for name in "tokens",', 'for name in "tokens", "lengths",'),
        ],
        FIRST_LOSS,
    ),
    "the padding not trained": (
        [_changed("np.concatenate([0 * g[:1], g[1:]]) if len(g) == 30000 else g")],
        CHANGE + " of embedding",
    ),
    "Adam's epsilon inside the bias correction": (
        [("1e-8 * math.sqrt(1 - 0.999**self.steps)", "1e-8")],
        LOSS,
    ),
    "Adam's epsilon 1e-7": ([("1e-8 * math.sqrt", "1e-7 * math.sqrt")], LOSS),
    "Adam one step ahead, as in build_adam": (
        [("np.array([self.steps], np.int64)", "np.array([self.steps + 1], np.int64)")],
        LOSS,
    ),
    "lazy Adam": ([(STEP, LAZY)], LOSS),
    "weight decay": ([_changed("g + 1e-6 * w")], CHANGE),
    "the second bias not trained": (
        [(ADAM, ADAM + FORGET.format("PARTS['gru.bias_hh']"))],
        CHANGE + " of gru.bias_hh",
    ),
    "the two biases merged": (
        [
            ("    return model\n\n\ndef stacked", MERGED + "\n\ndef stacked"),
            (ADAM, ADAM + FORGET.format("PARTS['gru.bias_hh'][:2]")),
        ],
        LOSS,
    ),
    "padding at the end": (
        [define(AT_END, DATA), (DATA, "x_train, x_test = at_end(data.x_train), at_end(data.x_test)")],
        FIRST_LOSS,
    ),
    "padding at the end of the test reviews": (
        [define(AT_END, DATA), (DATA, "x_train, x_test = data.x_train, at_end(data.x_test)")],
        CLASSES,
    ),
    "reviews shifted by one word": (
        [define(SHIFTED, DATA), (DATA, "x_train, x_test = shifted(data.x_train), shifted(data.x_test)")],
        FIRST_LOSS,
    ),
    "one review shifted by one word": (
        [define(SHIFTED, DATA), (DATA, "x_train, x_test = shifted(data.x_train, 5), data.x_test")],
        FIRST_LOSS,
    ),
    "test reviews shifted by one word": (
        [define(SHIFTED, DATA), (DATA, "x_train, x_test = data.x_train, shifted(data.x_test)")],
        CLASSES,
    ),
    "last partial batch dropped in training": (
        [("y[i]) for i in batches]", "y[i]) for i in batches if len(i) == BATCH_SIZE]")],
        "20 losses were handed in, the reference has 21",
    ),
    "last partial batch dropped in predict and evaluate": (
        [
            ("np.split(x, range(BATCH_SIZE, len(x), BATCH_SIZE))", "np.split(x" + WHOLE + ", len(x) // BATCH_SIZE)"),
            ("(model, x) == y)", "(model, x) == y" + WHOLE + ")"),
        ],
        "128 classes were predicted for 150 samples",
    ),
    "last partial batch dropped in evaluate": (
        [("(predict(model, x) == y)", "(predict(model, x) == y)" + WHOLE)],
        r"0 of 150 classes differ; accuracy 0\.\d+, reference 0\.\d+",
    ),
    "labels not indexed by the order": ([("y[i])", "y[: len(i)])")], LOSS),
    "labels of the timed loop in another order": (
        [("optimizer, x_train, y_train, order", "optimizer, x_train, y_train[::-1], order")],
        "y_train",
    ),
    "the update forgotten": ([(STEP, "")], LOSS + " 1"),
    "softmax applied twice": (
        [(LOGITS, LOGITS.replace('"dense"', 'net.Softmax("dense", "probabilities")'))],
        GRADIENT,
    ),
    "the loss times 2": ([(LOGITS, LOGITS + ", scale=2.0")], GRADIENT),
}
