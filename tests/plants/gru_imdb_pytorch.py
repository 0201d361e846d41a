"""Mistakes for tests/plant.py to plant in the lesson notebooks/gru_imdb/pytorch.ipynb: see tests/plants/cnn_cifar10.py."""

from tests.plants import gru_imdb as gru

GRU = "self.gru(self.embedding(x))"
ADAM = "torch.optim.Adam(model.parameters(), lr=LEARNING_RATE, fused=True)"
STEP = "    optimizer.step()\n"
MODEL = "class ReviewClassifier(nn.Module):"
CARRIED = """
class Carried(nn.GRU):
    kept = torch.zeros(1, 64, 100)

    def forward(self, words):
        states, last = super().forward(words, self.kept[:, : len(words)].contiguous())
        self.kept = torch.cat([last.detach().clone(), self.kept[:, len(words) :]], 1)
        return states, last


"""
RESET_BEFORE = """
class ResetBefore(nn.GRU):
    def forward(self, words):
        w, b, h = self.weight_hh_l0, self.bias_hh_l0, words.new_zeros(len(words), 100)
        for a in (words @ self.weight_ih_l0.T + self.bias_ih_l0).unbind(1):
            r, z = torch.sigmoid(a[:, :200] + h @ w[:200].T + b[:200]).chunk(2, 1)
            n = torch.tanh(a[:, 200:] + (r * h) @ w[200:].T + b[200:])
            h = n + z * (h - n)
        return None, h[None]


"""
PACKED = """
def packed(x, embedding):
    lengths = (x > 0).sum(1)
    x = torch.stack([tokens.roll(int(length)) for tokens, length in zip(x, lengths)])
    return nn.utils.rnn.pack_padded_sequence(embedding(x), lengths.cpu(), batch_first=True, enforce_sorted=False)


"""
EPSILON_INSIDE = """
class EpsilonInside(torch.optim.Adam):
    count = 0

    def step(self):
        self.count += 1
        self.param_groups[0]["eps"] = 1e-8 / (1 - 0.999**self.count) ** 0.5
        super().step()


"""
LAZY = """
class Lazy(torch.optim.Adam):
    def step(self):
        table = self.param_groups[0]["params"][0]
        absent, old = table.grad.abs().sum(1) == 0, table.detach().clone()
        super().step()
        with torch.no_grad():
            table[absent] = old[absent]


"""


def adam(name, definition):
    """The changes that put another Adam in the place of PyTorch's."""
    return [(ADAM, ADAM.replace("torch.optim.Adam", name)), (MODEL, definition.lstrip("\n") + MODEL)]


PLANTS = {
    **gru.SHARED,
    **gru.averaged(),
    **gru.own_run("minibatches(x_train, y_train)"),
    gru.LABELS: ([("yield x[i], y[i]", "yield x[i], y[i.roll(7)]")], gru.LEARNED),
    "the accuracy of the first 100 samples": (
        [("(predict(model, x) == y).sum().item() / len(y)", "(predict(model, x[:100]) == y[:100]).sum().item() / 100")],
        gru.SHARE,
    ),
    "last partial batch dropped in predict": (
        [("in x.split(", "in x[: len(x) // BATCH_SIZE * BATCH_SIZE].split(")],
        gru.SHORT_PREDICTION,
    ),
    "a first state of ones": ([(GRU, GRU[:-1] + ", torch.ones(1, len(x), 100, device=x.device))")], gru.FORWARD),
    "a state carried over between batches": (
        [("nn.GRU(125", "Carried(125"), (MODEL, CARRIED.lstrip("\n") + MODEL)],
        gru.FORWARD,
    ),
    "a first token dropped": ([(GRU, "self.gru(self.embedding(x[:, 1:]))")], gru.FORWARD),
    "the reset gate before the product": (
        [("nn.GRU(125", "ResetBefore(125"), (MODEL, RESET_BEFORE.lstrip("\n") + MODEL)],
        gru.GRADIENT,
    ),
    "words first, reviews second": ([(", batch_first=True)", ")"), ("last[0])", "states[:, -1])")], gru.GRADIENT),
    "the state after the first word": ([("last[0])", "states[:, 0])")], gru.GRADIENT),
    "zeros skipped": (
        [(GRU, "self.gru(packed(x, self.embedding))"), (MODEL, PACKED.lstrip("\n") + MODEL)],
        gru.GRADIENT,
    ),
    "the row of the zeros not trained": (
        [("nn.Embedding(30000, 125)", "nn.Embedding(30000, 125, padding_idx=0)")],
        gru.GRADIENT,
    ),
    "a second softmax": ([("loss_fn(model(x), y)", "loss_fn(model(x).softmax(1), y)")], gru.FIRST_LOSS),
    "last partial batch dropped in training": (
        [("for x, y in batches])", "for x, y in batches if len(x) == BATCH_SIZE])")],
        gru.SHORT_TRAINING,
    ),
    "labels of a batch in another order": (
        [("train_step(model, optimizer, x, y) for", "train_step(model, optimizer, x, y.flip(0)) for")],
        gru.FIRST_LOSS,
    ),
    "one update in ten left out": (
        [
            (
                STEP,
                "    optimizer.n = getattr(optimizer, 'n', 0) + 1\n    if optimizer.n % 10:\n        optimizer.step()\n",
            )
        ],
        gru.LATER,
    ),
    "gradients not cleared": ([("    optimizer.zero_grad()\n", "")], gru.LATER + "|" + gru.CHANGE),
    "gradients cut off": (
        [(STEP, "    nn.utils.clip_grad_norm_(model.parameters(), 0.1)\n" + STEP)],
        gru.LATER + "|" + gru.CHANGE,
    ),
    "weight decay": ([(ADAM, ADAM.replace("fused", "weight_decay=1e-4, fused"))], gru.LATER + "|" + gru.CHANGE),
    "Adam's second momentum": (
        [(ADAM, ADAM.replace("fused", "betas=(0.9, 0.99), fused"))],
        gru.LATER + "|" + gru.CHANGE,
    ),
    "Adam's epsilon inside the root's correction": (
        adam("EpsilonInside", EPSILON_INSIDE),
        gru.LATER + "|" + gru.CHANGE,
    ),
    "an update of the words that occur alone": (adam("Lazy", LAZY), gru.LATER),
}
