"""Mistakes planted in mlp_mnist_batch's NumPy notebook: {name: (changes of the text, what must be said)}."""

from tests.plants.reference import UNCOMPARED

RELU = "np.maximum(hidden, 0, out=hidden)"
ADAM = "(np.sqrt(v / second) + 1e-8)"
STEPS = "[train_step(model, optimizer, x, y) for _ in order]"
RUN = "x_train, y_train, order))"
FP64 = ('PRECISION = "fp32"     #', 'PRECISION = "fp64"     #')

PLANTS = {
    "the activation exchanged": ([UNCOMPARED, (RELU, "np.tanh(hidden, out=hidden)")], r"gradient of"),
    "no activation on the way back": ([("    d *= hidden > 0", "    d *= 1")], r"gradient of hidden"),
    "the mean over the batch taken twice": ([("d /= len(labels)", "d /= len(labels) ** 2")], r"gradient of"),
    "float32 arithmetic in fp64": (
        [FP64, UNCOMPARED, ('"fp64": np.float64}', '"fp64": np.float32}')],
        r"gradient of \w+\.\w+: off by \d\S*e-0[5-8]",
    ),
    "one product in float32 in fp64": (
        [FP64, UNCOMPARED, (RELU, "hidden = np.maximum(hidden.astype(np.float32), 0).astype(x.dtype)")],
        r"gradient of \w+\.\w+: off by \d\S*e-0[5-8]",
    ),
    "the last step left out": (
        [(STEPS, STEPS.replace("in order", "in order[: max(1, len(order) - 1)]"))],
        r"19 losses were handed in, the reference has 20",
    ),
    "half of the digits": (
        [(STEPS, STEPS.replace("x, y)", "x[: 1 + len(x) // 2], y[: 1 + len(x) // 2])"))],
        r"wrong loss at step 0:",
    ),
    "the run's steps again and again": (
        [(RUN, RUN.replace("order", "range(STEPS)"))],
        r"the run cell must hand each order",
    ),
    "epsilon inside the bias correction": (
        [(ADAM, "((np.sqrt(v) + 1e-8) / np.sqrt(second))")],
        r"loss at step \d+:|change of",
    ),
    "classes of the smallest output": (
        [("forward(model, x)[1].argmax(axis=1)", "forward(model, x)[1].argmin(axis=1)")],
        r"[1-9]\d* of 150 classes differ",
    ),
}
