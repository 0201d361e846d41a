"""Mistakes for tests/plant.py to plant in the lesson notebooks/gru_imdb/chainer.ipynb: see tests/plants/cnn_cifar10.py."""

from tests.plants import gru_imdb as gru

MODEL, LAYER = "class ReviewClassifier(chainer.Chain):", "L.NStepGRU(1, 125"
GRU, WORDS = "self.gru(None, reviews)", "F.separate(self.embedding(x))"
ADAM, SETUP = "chainer.optimizers.Adam(alpha=LEARNING_RATE)", ".setup(model)"
RUN = "train_epoch(model, optimizer, train_iter)\n    training_accuracy"
LOOP = ('FORM = "layer" ', 'FORM = "loop" ')
CANDIDATE, ZEROS = "n = F.tanh(n_word + r * n_state)", "self.xp.zeros((len(x), 100), np.float32)"
CARRIED = """class Carried(L.NStepGRU):
    kept = np.zeros((1, 64, 100), np.float32)

    def forward(self, h, reviews):
        count = len(reviews)
        last, states = super().forward(self.kept[:, :count].copy(), reviews)
        self.kept = np.concatenate([last.array, self.kept[:, count:]], axis=1)
        return last, states


"""
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
LAZY = """class Lazy(chainer.optimizers.Adam):
    def update(self):
        table = self.target.embedding.W
        absent, old = np.abs(table.grad).sum(1) == 0, table.array.copy()
        super().update()
        table.array[absent] = old[absent]


"""


def layer(name, definition):
    """The changes that put another layer in the place of L.NStepGRU."""
    return [(MODEL, definition + MODEL), (LAYER, LAYER.replace("L.NStepGRU", name))]


def adam(change, expected=gru.LATER + "|" + gru.CHANGE):
    """A plant of another Adam."""
    return [(ADAM, change)], expected


PLANTS = {
    **gru.SHARED,
    **gru.averaged(),
    gru.HALF: ([(RUN, RUN.replace("train_iter)", "list(train_iter)[::2])"))], gru.STEPS),
    gru.LABELS: ([("TupleDataset(x_train, y_train)", "TupleDataset(x_train, np.roll(y_train, 7))")], gru.LEARNED),
    gru.THREE_POINTS: ([("training_accuracy, test_accuracy))", "training_accuracy, test_accuracy + 0.03))")], gru.COUNT),
    **gru.counted("(predict(model, x) == y).mean()", "for i in range(0, len(x), BATCH_SIZE)"),
    "last partial batch dropped in training": (
        [("    for batch in batches:\n", "    for batch in batches:\n        if len(batch) < BATCH_SIZE:\n            continue\n")],
        gru.SHORT_TRAINING,
    ),
    "labels of a batch in another order": (
        [("train_step(model, optimizer, x, y))", "train_step(model, optimizer, x, y[::-1]))")],
        gru.FIRST_LOSS,
    ),
    "a first state of ones": ([(GRU, GRU.replace("None", "np.ones((1, len(x), 100), np.float32)"))], gru.FORWARD),
    "a first state of ones in the loop": ([LOOP, (ZEROS, ZEROS.replace("zeros", "ones"))], gru.FORWARD),
    "a state carried over between batches": (layer("Carried", CARRIED), gru.FORWARD),
    "a first token dropped": ([(WORDS, WORDS.replace("(x)", "(x[:, 1:])"))], gru.FORWARD),
    "a first token dropped in the loop": ([LOOP, ("self.embedding(x.T)", "self.embedding(x.T[1:])")], gru.FORWARD),
    "the reset gate before the product": (layer("ResetBefore", RESET_BEFORE), gru.GRADIENT),
    "the reset gate before the product in the loop": (
        [LOOP, (CANDIDATE, "n = F.tanh(n_word + F.linear(r * h, w_state[200:], b_state[200:]))")],
        gru.GRADIENT,
    ),
    "the reset gate over both biases in the loop": (
        [LOOP, (CANDIDATE, "n = F.tanh(n_word + (r - 1) * F.broadcast_to(b[200:], r.shape) + r * n_state)")],
        gru.GRADIENT,
    ),
    "the update gate turned round in the loop": (
        [LOOP, ("F.linear_interpolate(z, h, n)", "F.linear_interpolate(z, n, h)")],
        gru.GRADIENT,
    ),
    "reviews read from their ends": ([(WORDS, WORDS.replace("(x)", "(x[:, ::-1])"))], gru.GRADIENT),
    "the state after the first word": (
        [("last, _ =", "_, states ="), ("self.dense(last[0])", "self.dense(F.stack([s[0] for s in states]))")],
        gru.GRADIENT,
    ),
    "zeros skipped": ([(WORDS, "[self.embedding(tokens[tokens > 0]) for tokens in x]")], gru.GRADIENT),
    "the row of the zeros not trained": (
        [("L.EmbedID(30000, 125,", "L.EmbedID(30000, 125, ignore_label=0,")],
        gru.GRADIENT,
    ),
    "a second softmax": ([("loss_fn(model(x), y)", "loss_fn(F.softmax(model(x)), y)")], gru.FIRST_LOSS),
    "gradients not cleared": ([("    model.cleargrads()\n", "")], gru.LATER + "|" + gru.CHANGE),
    "weight decay": (
        [(SETUP, SETUP + "\noptimizer.add_hook(chainer.optimizer_hooks.WeightDecay(1e-4))")],
        gru.LATER + "|" + gru.CHANGE,
    ),
    "Adam's own weight decay": adam(ADAM[:-1] + ", weight_decay_rate=0.01)"),
    "Adam's second momentum": adam(ADAM[:-1] + ", beta2=0.99)"),
    "Adam's epsilon": adam(ADAM[:-1] + ", eps=1e-7)"),
    "AMSGrad": adam(ADAM[:-1] + ", amsgrad=True)"),
    "an update of the words that occur alone": (
        [(MODEL, LAZY + MODEL), (ADAM, ADAM.replace("chainer.optimizers.Adam", "Lazy"))],
        gru.LATER,
    ),
}
