"""Mistakes for tests/plant.py to plant in notebooks/gru_imdb/pytorch.ipynb.

Each name maps to the replacements in the text of the code cells and to a regular expression, which the answer of the
proof, or of the test of cells where the mistake is in the run cell, must match.
"""

from tests.plants.gru_imdb import AT_END, CLASSES, FIRST_LOSS, GRADIENT, LOSS, SHIFTED, SWAP, WHOLE, define

RESET_BEFORE = """
class ResetBefore(nn.GRU):
    def forward(self, words):
        w, b, h = self.weight_hh_l0, self.bias_hh_l0, words.new_zeros(len(words), 100)
        for a in (words @ self.weight_ih_l0.T + self.bias_ih_l0).unbind(1):
            rz = torch.sigmoid(a[:, :200] + h @ w[:200].T + b[:200])
            r, z = rz.chunk(2, 1)
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
class LazyAdam(torch.optim.Adam):
    def step(self):
        table = self.param_groups[0]["params"][0]
        absent, old = table.grad.abs().sum(1) == 0, table.detach().clone()
        super().step()
        with torch.no_grad():
            table[absent] = old[absent]
"""

SPARSE = """
class Both:
    def __init__(self, parameters, lr, eps, fused):
        table, *others = parameters
        sparse = torch.optim.SparseAdam([table], lr=lr, eps=eps)
        self.parts = sparse, torch.optim.Adam(others, lr=lr, eps=eps, fused=fused)

    def zero_grad(self):
        [part.zero_grad() for part in self.parts]

    def step(self):
        [part.step() for part in self.parts]
"""


TRAIN, TEST = "to_device(data.x_train,", "to_device(data.x_test,"
MODEL, OPTIMIZER, DATA = "class ReviewClassifier", "def make_optimizer", "def to_device"
ADAM = "torch.optim.Adam(model.parameters(), "

PLANTS = {
    "gates r and z swapped, loading": (
        [define(SWAP, "def load_weights"), ("torch.from_numpy(w) for", "torch.from_numpy(swap(w)) for")],
        GRADIENT,
    ),
    "gates r and z swapped, loading and reading": (
        [
            define(SWAP, "def load_weights"),
            ("torch.from_numpy(w) for", "torch.from_numpy(swap(w)) for"),
            (".grad.cpu() for", ".grad.cpu()[torch.from_numpy(swap(np.arange(len(reference.weights()[name]))))] for"),
            (".cpu().numpy().copy() for", ".cpu().numpy().copy()[swap(np.arange(len(reference.weights()[name])))] for"),
        ],
        GRADIENT,
    ),
    "reset gate before the product": (
        [define(RESET_BEFORE, MODEL), ("nn.GRU(125", "ResetBefore(125")],
        GRADIENT,
    ),
    "Adam's epsilon inside the bias correction": (
        [define(EPSILON_INSIDE, OPTIMIZER), (ADAM, "EpsilonInside(model.parameters(), ")],
        LOSS,
    ),
    "Adam's epsilon 1e-7": ([("eps=1e-8", "eps=1e-7")], LOSS),
    "lazy Adam": ([define(LAZY, OPTIMIZER), (ADAM, "LazyAdam(model.parameters(), ")], LOSS),
    "SparseAdam": (
        [
            define(SPARSE, OPTIMIZER),
            (ADAM, "Both(model.parameters(), "),
            ("nn.Embedding(30000, 125)", "nn.Embedding(30000, 125, sparse=True)"),
            (".grad.cpu()", ".grad.to_dense().cpu()"),
        ],
        LOSS,
    ),
    "weight decay": ([("eps=1e-8", "eps=1e-8, weight_decay=1e-6")], "two steps' change"),
    "AMSGrad": ([("eps=1e-8", "eps=1e-8, amsgrad=True")], LOSS),
    "the second bias not trained": (
        [(ADAM, 'torch.optim.Adam([p for n, p in model.named_parameters() if "bias_hh" not in n], ')],
        "two steps' change of gru.bias_hh",
    ),
    "the two biases merged": (
        [
            (
                "    return model\n\n\ndef read_weights",
                "    with torch.no_grad():\n"
                "        model.gru.bias_ih_l0[:200] += model.gru.bias_hh_l0[:200]\n"
                "        model.gru.bias_hh_l0[:200] = 0\n"
                "    model.gru.bias_hh_l0.register_hook(lambda g: torch.cat([0 * g[:200], g[200:]]))\n"
                "    return model\n\n\ndef read_weights",
            )
        ],
        LOSS,
    ),
    "time axis reversed": ([("self.embedding(x)", "self.embedding(x.flip(1))")], GRADIENT),
    "a mask applied": (
        [define(PACKED, MODEL), ("self.gru(self.embedding(x))", "self.gru(packed(x, self.embedding))")],
        FIRST_LOSS,
    ),
    "padding not trained": (
        [("Embedding(30000, 125)", "Embedding(30000, 125, padding_idx=0)")],
        "two steps' change of embedding",
    ),
    "the first state read instead of the last": ([("self.dense(last[0])", "self.dense(states[:, 0])")], GRADIENT),
    "padding at the end": (
        [define(AT_END, DATA), (TRAIN, "to_device(at_end(data.x_train),"), (TEST, "to_device(at_end(data.x_test),")],
        FIRST_LOSS,
    ),
    "padding at the end of the test reviews": (
        [define(AT_END, DATA), (TEST, "to_device(at_end(data.x_test),")],
        CLASSES,
    ),
    "reviews shifted by one word": (
        [
            define(SHIFTED, DATA),
            (TRAIN, "to_device(shifted(data.x_train),"),
            (TEST, "to_device(shifted(data.x_test),"),
        ],
        FIRST_LOSS,
    ),
    "one review shifted by one word": (
        [define(SHIFTED, DATA), (TRAIN, "to_device(shifted(data.x_train, 5),")],
        FIRST_LOSS,
    ),
    "test reviews shifted by one word": (
        [define(SHIFTED, DATA), (TEST, "to_device(shifted(data.x_test),")],
        CLASSES,
    ),
    "last partial batch dropped in training": (
        [("in order.split(BATCH_SIZE)]", "in order.split(BATCH_SIZE) if len(i) == BATCH_SIZE]")],
        "20 losses were handed in, the reference has 21",
    ),
    "last partial batch dropped in predict and evaluate": (
        [("in x.split(", f"in x{WHOLE}.split("), ("(model, x) == y)", f"(model, x) == y{WHOLE})")],
        "128 classes were predicted for 150 samples",
    ),
    "last partial batch dropped in evaluate": (
        [("(predict(model, x) == y)", f"(predict(model, x) == y){WHOLE}")],
        r"0 of 150 classes differ; accuracy 0\.\d+, reference 0\.\d+",
    ),
    "labels not indexed by the order": ([("y[i])", "y[: len(i)])")], LOSS),
    "labels of the timed loop in another order": (
        [("optimizer, x_train, y_train, to_order", "optimizer, x_train, y_train.flip(0), to_order")],
        "y_train",
    ),
    "gradients not cleared": ([("    optimizer.zero_grad()\n", "")], LOSS + " 1"),
}
