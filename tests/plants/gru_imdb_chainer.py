"""Mistakes for tests/plant.py to plant in notebooks/gru_imdb/chainer.ipynb. Plain Python 3.6."""

from tests.plants.gru_imdb import AT_END, CHANGE, CLASSES, FIRST_LOSS, GRADIENT, LOSS, SHIFTED, WHOLE, define

RESET_BEFORE = """class ResetBefore(L.NStepGRU):
    def forward(self, h, reviews):
        w, b, h = self.ws[0], self.bs[0], np.zeros((len(reviews), 100), np.float32)
        for x in F.separate(F.stack(reviews), axis=1):
            r = F.sigmoid(F.linear(x, w[0], b[0]) + F.linear(h, w[3], b[3]))
            z = F.sigmoid(F.linear(x, w[1], b[1]) + F.linear(h, w[4], b[4]))
            n = F.tanh(F.linear(x, w[2], b[2]) + F.linear(r * h, w[5], b[5]))
            h = F.linear_interpolate(z, h, n)
        return F.stack([h]), None


"""

LAZY = """class LazyAdam(chainer.optimizers.Adam):
    def update(self):
        table = self.target.embedding.W
        absent, old = np.abs(table.grad).sum(1) == 0, table.array.copy()
        super().update()
        table.array[absent] = old[absent]


"""

MERGED = """    layer = model.gru[0]
    for word, state in ((layer.b0, layer.b3), (layer.b1, layer.b4)):
        word.array += state.array
        state.array[:] = 0
    return model
"""

DATA = "x_train, x_test = data.x_train, data.x_test"
MODEL, OPTIMIZER = "class ReviewClassifier(chainer.Chain)", "def make_optimizer"
ADAM = "chainer.optimizers.Adam(learning_rate)"
SETUP = "    optimizer = " + ADAM + ".setup(model)\n"
HOOK = '    optimizer.add_hook(correct_epsilon, timing="pre")\n'
CANDIDATE = "n = F.tanh(n_word + r * n_state)"
LOOP = ('FORM = "layer" ', 'FORM = "loop" ')


def _frozen(*names):
    """The replacement after which Adam leaves these parameters of the GRU alone."""
    lines = ["    model.gru[0].{}.update_rule.enabled = False\n".format(name) for name in names]
    return SETUP, SETUP + "".join(lines)


PLANTS = {
    "gates r and z swapped, loading": (
        [
            (
                "zip(parts, np.split(weights[name], len(parts)))",
                'zip(parts[1::-1] + parts[2:] if "gru" in name else parts, np.split(weights[name], len(parts)))',
            )
        ],
        GRADIENT,
    ),
    "gates r and z swapped, loading and reading": (
        [
            ('["gru/0/w0", "gru/0/w1"', '["gru/0/w1", "gru/0/w0"'),
            ('["gru/0/w3", "gru/0/w4"', '["gru/0/w4", "gru/0/w3"'),
            ('["gru/0/b0", "gru/0/b1"', '["gru/0/b1", "gru/0/b0"'),
            ('["gru/0/b3", "gru/0/b4"', '["gru/0/b4", "gru/0/b3"'),
        ],
        GRADIENT,
    ),
    "reset gate before the product": (
        [(MODEL, RESET_BEFORE + MODEL), ("L.NStepGRU(1, 125", "ResetBefore(1, 125")],
        GRADIENT,
    ),
    "reset gate before the product, in the loop": (
        [LOOP, (CANDIDATE, "n = F.tanh(n_word + F.linear(r * h, w_state[200:], b_state[200:]))")],
        GRADIENT,
    ),
    "reset gate over both biases, in the loop": (
        [LOOP, (CANDIDATE, "n = F.tanh(n_word + (r - 1) * F.broadcast_to(b[200:], r.shape) + r * n_state)")],
        GRADIENT,
    ),
    "update gate turned round, in the loop": (
        [LOOP, ("F.linear_interpolate(z, h, n)", "F.linear_interpolate(z, n, h)")],
        GRADIENT,
    ),
    "time axis reversed": ([("self.embedding(x))", "self.embedding(x[:, ::-1]))")], GRADIENT),
    "the first state read instead of the last": (
        [
            ("last, _ = self.gru(None, reviews)", "_, states = self.gru(None, reviews)"),
            ("self.dense(last[0])", "self.dense(F.stack([state[0] for state in states]))"),
        ],
        GRADIENT,
    ),
    "the padding masked": (
        [("F.separate(self.embedding(x))", "[self.embedding(tokens[tokens > 0]) for tokens in x]")],
        CHANGE + " of embedding",
    ),
    "the padding ignored by the embedding": (
        [("L.EmbedID(30000, 125)", "L.EmbedID(30000, 125, ignore_label=0)")],
        CHANGE + " of embedding",
    ),
    "Adam's epsilon inside the bias correction": ([(HOOK, "")], LOSS),
    "Adam's epsilon 1e-7": ([("1e-8 * math.sqrt", "1e-7 * math.sqrt")], LOSS),
    "lazy Adam": ([(OPTIMIZER, LAZY + OPTIMIZER), (ADAM, "LazyAdam(learning_rate)")], LOSS),
    "weight decay": (
        [(HOOK, HOOK + "    optimizer.add_hook(chainer.optimizer_hooks.WeightDecay(1e-6))\n")],
        CHANGE,
    ),
    "the second bias not trained": ([_frozen("b3", "b4", "b5")], CHANGE + " of gru.bias_hh"),
    "the two biases merged": (
        [("    return model\n\n\ndef stacked", MERGED + "\n\ndef stacked"), _frozen("b3", "b4")],
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
            ("for batch in batches]", "for batch in batches if len(batch) == BATCH_SIZE]"),
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
    "gradients not cleared": ([("    model.cleargrads()\n    value", "    value")], LOSS + " 1"),
    "the update forgotten": ([("    optimizer.update()\n", "")], LOSS + " 1"),
    "softmax applied twice": (
        [("loss = F.softmax_cross_entropy", "loss = lambda x, y: F.softmax_cross_entropy(F.softmax(x), y)")],
        GRADIENT,
    ),
    "the sum instead of the mean": (
        [("loss = F.softmax_cross_entropy", 'loss = lambda x, y: F.sum(F.softmax_cross_entropy(x, y, reduce="no"))')],
        GRADIENT,
    ),
}
