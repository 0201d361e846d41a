"""Mistakes planted in mlp_mnist_batch's Chainer notebook: {name: (changes of the text, what must be said)}."""

FORWARD = "return self.output(F.relu(self.hidden(x)))"
LOSS = "loss = F.softmax_cross_entropy\n"
STEPS = "train_step(model, optimizer, x, y) for _ in order]"
ADAM = "chainer.optimizers.Adam(learning_rate)"
HOOK = '    optimizer.add_hook(correct_epsilon, timing="pre")\n'
FP64 = ('PRECISION = "fp32"     #', 'PRECISION = "fp64"     #')

PLANTS = {
    "the activation exchanged": ([(FORWARD, FORWARD.replace("F.relu", "F.leaky_relu"))], r"gradient of"),
    "no activation": ([(FORWARD, FORWARD.replace("F.relu", ""))], r"gradient of"),
    "an activation at the end": ([(FORWARD, "return F.relu(self.output(F.relu(self.hidden(x))))")], r"gradient of"),
    "the mean over the batch taken twice": (
        [(LOSS, "def loss(x, y):\n    return F.softmax_cross_entropy(x, y) / len(y)\n")],
        r"gradient of",
    ),
    "the sum over the batch": (
        [(LOSS, 'def loss(x, y):\n    return F.sum(F.softmax_cross_entropy(x, y, reduce="no"))\n')],
        r"gradient of",
    ),
    "softmax applied twice": (
        [(LOSS, "def loss(x, y):\n    return F.softmax_cross_entropy(F.softmax(x), y)\n")],
        r"gradient of",
    ),
    "a class left out, as ignore_label does": (
        [(LOSS, "def loss(x, y):\n    return F.softmax_cross_entropy(x, y, ignore_label=int(y[0]))\n")],
        r"gradient of",
    ),
    "float32 arithmetic in fp64": (
        [FP64, ('"fp64": np.float64', '"fp64": np.float32')],
        r"gradient of \w+\.\w+: off by \d\S*e-0[5-8]",
    ),
    "float32 in one product in fp64": (
        [
            FP64,
            (
                FORWARD,
                "hidden = F.linear(F.cast(x, np.float32), *[F.cast(p, np.float32) for p in (self.hidden.W, self.hidden.b)])\n"
                "        return self.output(F.relu(F.cast(hidden, np.float64)))",
            ),
        ],
        r"gradient of",
    ),
    "the last step left out": (
        [(STEPS, STEPS.replace("in order", "in order[: max(1, len(order) - 1)]"))],
        r"19 losses were handed in, the reference has 20",
    ),
    "half of the digits": (
        [(STEPS, STEPS.replace("x, y)", "x[: 1 + len(x) // 2], y[: 1 + len(x) // 2])"))],
        r"gradient of",
    ),
    "labels in another order": (
        [(STEPS, STEPS.replace("x, y)", "x, y[::-1])"))],
        r"gradient of",
    ),
    "labels of the run in another order": (
        [("optimizer, x_train, y_train, order", "optimizer, x_train, y_train[::-1], order")],
        r"the run cell must call train_epoch\(\.\.\., x_train, y_train",
    ),
    "epsilon inside the bias correction": ([(HOOK, "")], r"loss at step \d+:|change of"),
    "epsilon of the step before in fp64": (
        [FP64, ("step = optimizer.t + 1", "step = max(optimizer.t, 1)")],
        r"loss at step \d+:|change of",
    ),
    "epsilon inside the bias correction in fp64": ([FP64, (HOOK, "")], r"loss at step \d+:|change of"),
    "weight decay": (
        [(HOOK, HOOK + "    optimizer.add_hook(chainer.optimizer_hooks.WeightDecay(1e-4))\n")],
        r"loss at step \d+:|change of",
    ),
    "another beta": ([(ADAM, ADAM.replace("rate)", "rate, beta2=0.99)"))], r"loss at step \d+:|change of"),
    "gradients not cleared": ([("    model.cleargrads()\n", "")], r"gradient of|loss at step \d+:"),
    "the update forgotten": ([("    optimizer.update()\n", "")], r"wrong loss at step 1:"),
    "width and height exchanged": (
        [("images.reshape(len(images), -1)", "images.transpose(0, 2, 1).reshape(len(images), -1)")],
        r"gradient of hidden\.weight",
    ),
    "pixels divided by 256": ([("astype(DTYPES[PRECISION]) / 255", "astype(DTYPES[PRECISION]) / 256")], r"gradient of"),
    "the accuracy of a part": (
        [("(predict(model, x) == y)", "(predict(model, x[:100]) == y[:100])")],
        r"accuracy 0\.\d+, reference",
    ),
    "classes of the smallest output": ([(".argmax(1)", ".argmin(1)")], r"[1-9]\d* of 150 classes differ"),
}
