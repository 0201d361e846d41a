"""Mistakes for tests/plant.py to plant in the lesson notebooks/gru_imdb/paddle.ipynb: see tests/plants/gru_imdb.py."""

from tests.plants import gru_imdb as gru

GRU = "self.gru(self.embedding(x))"
ADAM = "paddle.optimizer.Adam(LEARNING_RATE, parameters=model.parameters())"
STEP = "    optimizer.step()\n"
MODEL = "class ReviewClassifier(nn.Layer):"
MOVED = gru.LATER + "|" + gru.CHANGE
CARRIED = """class Carried(nn.GRU):
    kept = [paddle.zeros([1, 64, 100])]

    def forward(self, words):
        states, last = super().forward(words, self.kept[0][:, : len(words)])
        self.kept[0] = paddle.concat([last.detach(), self.kept[0][:, len(words) :]], 1)
        return states, last


"""
RESET_BEFORE = """class ResetBefore(nn.GRU):
    def forward(self, words):
        w, b, h = self.weight_hh_l0, self.bias_hh_l0, paddle.zeros([len(words), 100])
        for a in (paddle.matmul(words, self.weight_ih_l0, transpose_y=True) + self.bias_ih_l0).unbind(1):
            r, z = F.sigmoid(a[:, :200] + paddle.matmul(h, w[:200], transpose_y=True) + b[:200]).chunk(2, 1)
            n = F.tanh(a[:, 200:] + paddle.matmul(r * h, w[200:], transpose_y=True) + b[200:])
            h = n + z * (h - n)
        return None, h.unsqueeze(0)


"""
EPSILON_INSIDE = """class EpsilonInside(paddle.optimizer.Adam):
    count = 0

    def step(self):
        self.count += 1
        self._epsilon = 1e-8 / (1 - 0.999**self.count) ** 0.5
        super().step()


"""
LAZY = """class Lazy(paddle.optimizer.Adam):
    def step(self):
        table = model.embedding.weight
        absent, old = table.grad.abs().sum(1, keepdim=True) == 0, table.clone()
        super().step()
        table.set_value(paddle.where(absent, old, table))


"""


def adam(name, definition):
    """The changes that put another Adam in the place of Paddle's."""
    return [(ADAM, ADAM.replace("paddle.optimizer.Adam", name)), (MODEL, definition + MODEL)]


PLANTS = {
    **gru.SHARED,
    **gru.averaged(),
    **gru.own_run("minibatches(x_train, y_train)"),
    **gru.counted("(predict(model, x) == y).sum().item() / len(y)", "range(0, len(x), BATCH_SIZE)])"),
    gru.LABELS: ([("yield x[i], y[i]", "yield x[i], y[i.roll(7)]")], gru.LEARNED),
    "a first state of ones": ([(GRU, "self.gru(self.embedding(x), paddle.ones([1, len(x), 100]))")], gru.FORWARD),
    "a state carried over between batches": ([("nn.GRU(125", "Carried(125"), (MODEL, CARRIED + MODEL)], gru.FORWARD),
    "a first token dropped": ([(GRU, "self.gru(self.embedding(x[:, 1:]))")], gru.FORWARD),
    "a last token dropped in evaluation": (
        [("concat([model(x[k : k + BATCH_SIZE])", "concat([model(x[k : k + BATCH_SIZE, :-1])")],
        gru.EVALUATION + "|" + gru.AFTER,
    ),
    "the reset gate before the product": (
        [("nn.GRU(125", "ResetBefore(125"), (MODEL, RESET_BEFORE + MODEL)],
        gru.GRADIENT,
    ),
    "words first, reviews second": (
        [("nn.GRU(125, 100)", "nn.GRU(125, 100, time_major=True)"), ("last[0])", "states[:, -1])")],
        gru.GRADIENT,
    ),
    "the state after the first word": ([("last[0])", "states[:, 0])")], gru.GRADIENT),
    "zeros skipped, at the wrong end": (
        [(GRU, 'self.gru(self.embedding(x), sequence_length=(x > 0).sum(1).astype("int32"))')],
        gru.GRADIENT,
    ),
    "the row of the zeros not trained": (
        [("nn.Embedding(30000, 125)", "nn.Embedding(30000, 125, padding_idx=0)")],
        gru.GRADIENT,
    ),
    "a second softmax": ([("loss_fn(model(x), y)\n", "loss_fn(F.softmax(model(x)), y)\n")], gru.FIRST_LOSS),
    "last partial batch dropped in training": (
        [("for x, y in batches])", "for x, y in batches if len(x) == BATCH_SIZE])")],
        gru.SHORT_TRAINING,
    ),
    "labels of a batch in another order": (
        [("train_step(model, optimizer, x, y) for", "train_step(model, optimizer, x, y.flip(0)) for")],
        gru.FIRST_LOSS,
    ),
    "one update in ten left out": (
        [(STEP, "    optimizer.n = getattr(optimizer, 'n', 0) + 1\n    if optimizer.n % 10:\n        optimizer.step()\n")],
        gru.LATER,
    ),
    "gradients not cleared": ([("    optimizer.clear_grad()\n", "")], MOVED),
    "gradients cut off": ([(ADAM, ADAM[:-1] + ", grad_clip=nn.ClipGradByGlobalNorm(0.1))")], MOVED),
    "weight decay": ([(ADAM, ADAM[:-1] + ", weight_decay=1e-4)")], MOVED),
    "Adam's second momentum": ([(ADAM, ADAM[:-1] + ", beta2=0.99)")], MOVED),
    "Adam's epsilon inside the root's correction": (adam("EpsilonInside", EPSILON_INSIDE), MOVED),
    "an update of the words that occur alone": (adam("Lazy", LAZY), gru.LATER),
    "an update from sparse gradients, lazily": (
        [("nn.Embedding(30000, 125)", "nn.Embedding(30000, 125, sparse=True)"), (ADAM, ADAM[:-1] + ", lazy_mode=True)")],
        r"gradients\(\) gave embedding of shape",
    ),
}
