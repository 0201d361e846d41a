"""Mistakes planted in mlp_mnist's MXNet notebook: {name: (changes of the text, what must be said)}."""

IN_PLACE = ('FORM = "autograd"', 'FORM = "inplace"')
LOSS = "return F.square(a - y).sum(axis=1).mean() / 2"
HIDDEN = 'in_units=784, activation="sigmoid")'
OUTPUT = 'in_units=30, activation="sigmoid")'
RATE = 'options = {"learning_rate": learning_rate}'

PLANTS = {
    "float32 arithmetic": ([('"fp64": "float64"', '"fp64": "float32"')], r"gradient of \w+\.\w+: off by \d\S*e-0[5-8]"),
    "inputs rounded to float32": (
        [
            ("ctx=ctx, dtype=dtype) / 255", "ctx=ctx) / 255).astype(dtype)"),
            ("return nd.array(im", "return (nd.array(im"),
        ],
        r"gradient of",
    ),
    "the mean by the optimizer, its divisor in float32": (
        [
            (LOSS, LOSS.replace("mean()", "sum()")),
            ("    optimizer.step(1)\n    return value", "    optimizer.step(len(x))\n    return value / len(x)"),
            ("parameter(model, name).grad().asnumpy()", "parameter(model, name).grad().asnumpy() / 8"),
        ],
        r"loss at step \d+:|change of",
    ),
    "the learning rate divided by the batch": (
        [("    optimizer.step(1)", "    optimizer.step(len(x))")],
        r"wrong loss at step 1:",
    ),
    "the mean over the batch taken twice": ([(LOSS, LOSS + " / 8")], r"gradient of"),
    "the loss without its half": ([(LOSS, LOSS.replace(" / 2", ""))], r"gradient of"),
    "the mean over the outputs, Gluon's L2Loss": (
        [
            (
                "loss = HalfSquares()",
                "class Mean(nn.HybridBlock):\n    def __init__(self):\n        super().__init__()\n        self.one = gluon.loss.L2Loss()\n\n    def hybrid_forward(self, F, a, y):\n        return self.one(a, y).mean()\n\n\nloss = Mean()",
            )
        ],
        r"gradient of",
    ),
    "tanh in the hidden layer": ([(HIDDEN, HIDDEN.replace("sigmoid", "tanh"))], r"gradient of"),
    "no activation at the end": ([(OUTPUT, "in_units=30)")], r"gradient of"),
    "labels in another order": (
        [("return nd.take(x, i), nd.take(y, i)", "return nd.take(x, i), y[: len(i)]")],
        r"wrong loss at step 0:",
    ),
    "labels in another order, in place": (
        [IN_PLACE, ("nd.take(y, i, out=ys)", "y[: len(i)]")],
        r"wrong loss at step 0:",
    ),
    "labels of the run in another order": (
        [
            (
                "train_epoch(model, optimizer, x_train, y_train, to_integers(order))",
                "train_epoch(model, optimizer, x_train, y_train[::-1], to_integers(order))",
            )
        ],
        r"the run cell must call train_epoch\(\.\.\., x_train, y_train",
    ),
    "the same order in every epoch": (
        [("x_train, y_train, to_integers(order))", "x_train, y_train, to_integers(np.arange(len(x_train))))")],
        r"the run cell must hand each order",
    ),
    "the short last batch dropped": (
        [("gather(x, y, i)) for i in parts]", "gather(x, y, i)) for i in parts if len(i) in (8, BATCH_SIZE)]")],
        r"20 losses were handed in, the reference has 21",
    ),
    "momentum": ([(RATE, RATE[:-1] + ', "momentum": 0.1}')], r"wrong loss at step 2:|change of"),
    "weight decay": ([(RATE, RATE[:-1] + ', "wd": 1e-9}')], r"loss at step \d+:|change of"),
    "gradients that add up": (
        [
            (
                "    model.hybridize(static",
                '    model.collect_params().setattr("grad_req", "add")\n    model.hybridize(static',
            )
        ],
        r"wrong loss at step 2:|change of",
    ),
    "width and height exchanged": (
        [("images.reshape(len(images), -1)", "images.transpose(0, 2, 1).reshape(len(images), -1)")],
        r"gradient of hidden\.weight",
    ),
    "pixels divided by 256": ([("dtype=dtype) / 255", "dtype=dtype) / 256")], r"gradient of"),
    "training digits of another scale": (
        [("x_train, x_test = to_inputs(data.x_train),", "x_train, x_test = to_inputs(data.x_train) * (255 / 256),")],
        r"loss of the first training samples off",
    ),
    "the accuracy of a part": (
        [("(predict(model, x) == y)", "(predict(model, x[:100]) == y[:100])")],
        r"accuracy 0\.\d+, reference",
    ),
    "classes of the smallest output": ([(".argmax(axis=1)", ".argmin(axis=1)")], r"[1-9]\d* of 150 classes differ"),
    "the slope of the wrong layer, in place": (
        [IN_PLACE, ("times_slope(d1, a1, s1)", "times_slope(d1, a1.sqrt(), s1)")],
        r"gradient of hidden",
    ),
    "an update between the two gradients, in place": (
        [
            IN_PLACE,
            (
                "    times_slope(d2, a2, s2)\n",
                "    times_slope(d2, a2, s2)\n    w = model.output.weight.data()\n    w -= optimizer.learning_rate * nd.dot(d2, a1, transpose_a=True)\n",
            ),
        ],
        r"loss at step 1:|change of",
    ),
    "a view of the wrong rows, in place": (
        [IN_PLACE, ("nd.elemwise_sub(a2, y, out=d2)", 'nd.elemwise_sub(buffers["a2"][-len(x):], y, out=d2)')],
        r"gradient of",
    ),
    "the sum instead of the mean, in place": ([IN_PLACE, ("    d2 /= len(x)\n", "")], r"gradient of"),
}
