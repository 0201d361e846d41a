"""Mistakes planted in mlp_mnist's NumPy notebook, in each of its three forms: {name: (changes, what must be said)}."""

from tests.plants.reference import UNCOMPARED

BUFFERS = "np.empty((rows, 784)), np.empty((rows, 10))"
SINGLE = [
    ('{"fp64": np.float64}', '{"fp64": np.float32}'),
    ("reshape(len(images), -1) / 255.0", "reshape(len(images), -1) / np.float32(255)"),
    ("np.eye(10)", "np.eye(10, dtype=np.float32)"),
    ("np.zeros(w.shape)", "np.zeros_like(w)"),
    ("np.empty(size)", "np.empty(size, np.float32)"),
    (BUFFERS, BUFFERS.replace("))", "), np.float32)")),
]
TANH = {
    "first": [("a1 = sigmoid(z1)", "a1 = np.tanh(z1)")],
    "inplace": [
        (
            'a1 = layer(model["hidden.weight"], model["hidden.bias"], x, k["a1"])',
            'a1 = np.tanh(np.dot(model["hidden.weight"], x) + model["hidden.bias"])',
        )
    ],
    "batched": [UNCOMPARED, ("a1 = sigmoid(x @", "a1 = np.tanh(x @")],
}
RATE = {
    "first": ("* gradient\n", "* gradient / len(y)\n"),
    "inplace": ('gradient *= optimizer["learning_rate"]', 'gradient *= optimizer["learning_rate"] / len(y)'),
}
RATE["batched"] = RATE["inplace"]
BATCHES = "x, y, i)) for i in batches]"
RUN = "x_train, y_train, order))"


def of(form):
    """The plants of one form, which is a parameter of the notebook."""
    chosen = [('FORM = "inplace"', 'FORM = "{}"'.format(form))]
    plants = {
        "float32 arithmetic": (SINGLE, r"gradient of \w+\.\w+: off by \d\S*e-0[5-8]"),
        "the learning rate divided by the batch": ([RATE[form]], r"wrong loss at step 1:"),
        "tanh in the hidden layer": (TANH[form], r"gradient of"),
        "the short last batch dropped": (
            [(BATCHES, BATCHES[:-1] + " if len(i) in (8, BATCH_SIZE)]")],
            r"20 losses were handed in, the reference has 21",
        ),
        "the same order in every epoch": (
            [(RUN, RUN.replace("order", "np.arange(len(x_train))"))],
            r"the run cell must hand each order",
        ),
    }
    return {"{}, {}".format(name, form): (chosen + changes, said) for name, (changes, said) in plants.items()}


PLANTS = {
    **of("first"),
    **of("inplace"),
    **of("batched"),
    "gradients that add up, inplace": (
        [
            ("        gradient.fill(0)\n", "        pass\n"),
            ('found["sum"] = {name: np.empty_like(w)', 'found["sum"] = {name: np.zeros_like(w)'),
        ],
        r"wrong loss at step 2:",
    ),
    "the slope of the wrong layer, inplace": (
        [("times_slope(d1, a1,", "times_slope(d1, np.sqrt(a1),")],
        r"gradient of hidden",
    ),
    "labels not indexed by the order, inplace": (
        [("np.take(y, i, 0,", "np.take(y, range(len(i)), 0,")],
        r"wrong loss at step 0:",
    ),
    "classes of the smallest output": (
        [("forward(model, x)[1].argmax(axis=1)", "forward(model, x)[1].argmin(axis=1)")],
        r"[1-9]\d* of 150 classes differ",
    ),
}
