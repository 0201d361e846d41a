"""Mistakes planted in cnn_mnist's Chainer notebook: {name: (changes of the text, what must be said)}."""

FIRST = "x = F.relu(F.max_pooling_2d(self.conv1(x), 2, cover_all=False))"
SECOND = "x = F.relu(F.max_pooling_2d(self.conv2(x), 2, cover_all=False))"
LOSS = "loss = F.softmax_cross_entropy\n"
STEP = "y[i]) for i in batches]"
ADAM = "chainer.optimizers.Adam(learning_rate)"
HOOK = '    optimizer.add_hook(correct_epsilon, timing="pre")\n'
NUMPY = ('BACKEND = "ideep"', 'BACKEND = "numpy"')
FP64 = ('PRECISION = "fp32"     #', 'PRECISION = "fp64"     #')

PLANTS = {
    "the activation of one layer exchanged": ([(SECOND, SECOND.replace("relu", "leaky_relu"))], r"gradient of"),
    "no activation in one layer": ([(FIRST, FIRST.replace("F.relu(", "("))], r"gradient of"),
    "the mean over the batch taken twice": (
        [(LOSS, "def loss(x, y):\n    return F.softmax_cross_entropy(x, y) / len(y)\n")],
        r"gradient of",
    ),
    "softmax applied twice": (
        [(LOSS, "def loss(x, y):\n    return F.softmax_cross_entropy(F.softmax(x), y)\n")],
        r"gradient of",
    ),
    "pooling that rounds up, Chainer's default": (
        [
            (FIRST, FIRST.replace(", cover_all=False", "")),
            (SECOND, SECOND.replace(", cover_all=False", "")),
            ("self.dense(x)", "self.dense(x[:, :, 1:, 1:])"),
        ],
        r"gradient of",
    ),
    "pooling with padding, of the same size": (
        [(SECOND, SECOND.replace("2, cover_all=False", "2, pad=1)[:, :, :6, :6]").replace("]))", "])"))],
        r"gradient of",
    ),
    "average pooling": (
        [
            (
                FIRST,
                FIRST.replace(
                    "max_pooling_2d(self.conv1(x), 2, cover_all=False)", "average_pooling_2d(self.conv1(x), 2)"
                ),
            )
        ],
        r"gradient of",
    ),
    "pooling's gradient for every largest value, with NumPy": (
        [
            NUMPY,
            (
                "class CNN(chainer.Chain):",
                "def ties(x):\n    n, c, h, w = x.shape\n    h, w = h // 2, w // 2\n"
                "    x = F.reshape(x[:, :, : 2 * h, : 2 * w], (n, c, h, 2, w, 2))\n    return F.max(x, axis=(3, 5))\n\n\n"
                "class CNN(chainer.Chain):",
            ),
            (FIRST, "x = F.relu(ties(self.conv1(x)))"),
        ],
        r"gradient of conv1\.bias",
    ),
    "kernels turned by half a turn": (
        [("{chainer_name(name): w for", "{chainer_name(name): w[..., ::-1, ::-1].copy() if w.ndim == 4 else w for")],
        r"gradient of",
    ),
    "float32 arithmetic in fp64": (
        [NUMPY, FP64, ('"fp64": np.float64', '"fp64": np.float32')],
        r"gradient of \w+\.\w+: off by \d\S*e-0[5-8]",
    ),
    "float32 arithmetic in one layer in fp64": (
        [
            NUMPY,
            FP64,
            (
                "F.relu(F.max_pooling_2d(self.conv1(x), 2,",
                "F.relu(F.max_pooling_2d(F.cast(F.cast(self.conv1(x), 'f'), 'd'), 2,",
            ),
        ],
        r"gradient of",
    ),
    "the same order in every epoch": (
        [("y, order) for order in reference.orders]", "y, reference.order) for _ in reference.orders]")],
        r"loss at step 2:",
    ),
    "the same order in every epoch of the run": (
        [("optimizer, x_train, y_train, order))", "optimizer, x_train, y_train, np.arange(len(x_train))))")],
        r"the run cell must hand each order",
    ),
    "labels in another order": ([(STEP, STEP.replace("y[i]", "y[: len(i)]"))], r"wrong loss at step 0:"),
    "the short last batch dropped": (
        [(STEP, STEP.replace("in batches", "in batches if len(i) in (8, BATCH_SIZE)"))],
        r"10 losses were handed in, the reference has 20",
    ),
    "epsilon inside the bias correction": ([(HOOK, "")], r"loss at step \d+:|change of"),
    "epsilon of the step before in fp64": (
        [NUMPY, FP64, ("step = optimizer.t + 1", "step = max(optimizer.t, 1)")],
        r"loss at step \d+:|change of",
    ),
    "weight decay": (
        [(HOOK, HOOK + "    optimizer.add_hook(chainer.optimizer_hooks.WeightDecay(1e-4))\n")],
        r"loss at step \d+:|change of",
    ),
    "another beta": ([(ADAM, ADAM.replace("rate)", "rate, beta2=0.99)"))], r"loss at step \d+:|change of"),
    "gradients not cleared": ([("    model.cleargrads()\n", "")], r"gradient of|loss at step \d+:"),
    "width and height exchanged": ([("images[:, None]", "images.transpose(0, 2, 1)[:, None]")], r"gradient of"),
    "pixels divided by 256": ([("astype(DTYPES[PRECISION]) / 255", "astype(DTYPES[PRECISION]) / 256")], r"gradient of"),
    "the accuracy of a part": (
        [("(predict(model, x) == y)", "(predict(model, x[:100]) == y[:100])")],
        r"accuracy 0\.\d+, reference",
    ),
    "the last partial batch dropped in evaluation": (
        [
            ("for batch in batches]", "for batch in np.split(x, range(100, len(x), 100)) if len(batch) == 100]"),
            ("(model, x) == y)", "(model, x) == y[: len(x) // 100 * 100])"),
        ],
        r"100 classes were predicted for 150",
    ),
    "classes of the smallest output": ([(".argmax(1)", ".argmin(1)")], r"[1-9]\d* of 150 classes differ"),
}
