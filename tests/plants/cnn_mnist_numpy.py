"""Mistakes planted in cnn_mnist's NumPy notebook: {name: (changes of the text, what must be said)}."""

from tests.plants.reference import UNCOMPARED

RELU = "x = np.maximum(pooled, 0)"
OUT = "out.reshape(*rows.shape[:3], -1)"
BACK = 'pool_backward(d, kept[name + ".out"], pooled)'
ADAM = "(np.sqrt(v / second) + 1e-8)"
BATCHES = "    batches = [order[k"
STEP = "x[i], y[i]) for i in batches]"
RUN = "x_train, y_train, order))"
FP64 = ('PRECISION = "fp32"     #', 'PRECISION = "fp64"     #')

PLANTS = {
    "the activation of one layer exchanged": (
        [UNCOMPARED, (RELU, RELU + ' if name == "conv1" else np.tanh(pooled)')],
        r"gradient of",
    ),
    "the mean over the batch taken twice": ([("d / len(labels)", "d / len(labels) ** 2")], r"gradient of"),
    "pooling with padding, of the same size": (
        [
            UNCOMPARED,
            ("    kept = {}\n", '    kept, padding = {}, {"conv1": (0, 0), "conv2": (1, 0)}\n'),
            (OUT, "np.pad(" + OUT + ", [(0, 0), padding[name], padding[name], (0, 0)])"),
            (BACK, BACK + '[:, int(name == "conv2") :, int(name == "conv2") :]'),
        ],
        r"gradient of",
    ),
    "pooling hands its gradient to every largest value": (
        [('        if VARIANT != "ties":\n', "        if False:\n")],
        r"gradient of",
    ),
    "float32 arithmetic in fp64": (
        [FP64, UNCOMPARED, ('"fp64": np.float64}', '"fp64": np.float32}')],
        r"gradient of \w+\.\w+: off by \d\S*e-0[5-8]",
    ),
    "one layer rounded to float32 in fp64": (
        [FP64, UNCOMPARED, (RELU, RELU + ".astype(np.float32).astype(pooled.dtype)")],
        r"gradient of \w+\.\w+: off by \d\S*e-0[5-8]",
    ),
    "the same order in every epoch": (
        [(BATCHES, '    order = optimizer.setdefault("order", order)\n' + BATCHES)],
        r"loss at step 2:",
    ),
    "the same order in every epoch of the run": (
        [(RUN, RUN.replace("order", "np.arange(len(x_train))"))],
        r"the run cell must hand each order",
    ),
    "labels not indexed by the order": ([(STEP, STEP.replace("y[i]", "y[: len(i)]"))], r"wrong loss at step 0:"),
    "the short last batch dropped": (
        [(STEP, STEP[:-1] + " if len(i) in (8, BATCH_SIZE)]")],
        r"10 losses were handed in, the reference has 20",
    ),
    "epsilon inside the bias correction": (
        [(ADAM, "((np.sqrt(v) + 1e-8) / np.sqrt(second))")],
        r"loss at step \d+:|change of",
    ),
}
