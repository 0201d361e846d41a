"""Mistakes planted in mlp_mnist's Chainer notebook: {name: (changes of the text, what must be said)}."""

STATIC = ('FORM = "autograd" ', 'FORM = "static" ')
FORWARD = "return F.sigmoid(self.output(F.sigmoid(self.hidden(x))))"
WRITTEN = "return sigmoid(self.output(sigmoid(self.hidden(x))))"
LOSS = "return 5 * F.mean_squared_error(a, y)"
SGD = "chainer.optimizers.SGD(learning_rate)"
SETUP = "    return " + SGD + ".setup(model)"
HOOK = "    optimizer = " + SGD + ".setup(model)\n    optimizer.add_hook({})\n    return optimizer"
STEP = "y[i]) for i in batches]"

PLANTS = {
    "float32 arithmetic": ([('"fp64": np.float64', '"fp64": np.float32')], r"gradient of \w+\.\w+: off by \d\S*e-0[5-8]"),
    "float32 in the first layer alone": (
        [(FORWARD, FORWARD.replace("self.hidden(x)", "F.cast(F.cast(self.hidden(x), 'f'), 'd')"))],
        r"gradient of \w+\.\w+: off by",
    ),
    "the learning rate divided by the batch": (
        [(SGD, SGD.replace("learning_rate", "learning_rate / BATCH_SIZE"))],
        r"wrong loss at step 1:",
    ),
    "the mean over the batch taken twice": ([(LOSS, LOSS + " / len(y)")], r"gradient of"),
    "the loss without its half": ([(LOSS, LOSS.replace("5", "10"))], r"gradient of"),
    "the mean over the outputs": ([(LOSS, LOSS.replace("5 * ", ""))], r"gradient of"),
    "tanh in the hidden layer": ([(FORWARD, FORWARD.replace("(F.sigmoid(", "(F.tanh("))], r"gradient of"),
    "no activation at the end": ([(FORWARD, "return self.output(F.sigmoid(self.hidden(x)))")], r"gradient of"),
    "hard sigmoid": ([(FORWARD, FORWARD.replace("F.sigmoid(self.output", "F.hard_sigmoid(self.output"))], r"gradient of"),
    "labels in another order": ([(STEP, STEP.replace("y[i]", "y[: len(i)]"))], r"wrong loss at step 0:"),
    "labels of the run in another order": (
        [("optimizer, x_train, y_train, order", "optimizer, x_train, y_train[::-1], order")],
        r"the run cell must call train_epoch\(\.\.\., x_train, y_train",
    ),
    "the same order in every epoch": (
        [("optimizer, x_train, y_train, order))", "optimizer, x_train, y_train, np.arange(len(x_train))))")],
        r"the run cell must hand each order",
    ),
    "the short last batch dropped": (
        [(STEP, STEP.replace("in batches", "in batches if len(i) in (8, BATCH_SIZE)"))],
        r"20 losses were handed in, the reference has 21",
    ),
    "momentum": (
        [(SGD, "chainer.optimizers.MomentumSGD(learning_rate, 0.1)")],
        r"wrong loss at step 2:|change of",
    ),
    "weight decay": (
        [(SETUP, HOOK.format("chainer.optimizer_hooks.WeightDecay(1e-9)"))],
        r"loss at step \d+:|change of",
    ),
    "gradients clipped": (
        [(SETUP, HOOK.format("chainer.optimizer_hooks.GradientClipping(0.5)"))],
        r"loss at step \d+:|change of",
    ),
    "a bias not trained": (
        [(SETUP, "    optimizer = " + SGD + ".setup(model)\n    model.output.b.update_rule.enabled = False\n    return optimizer")],
        r"loss at step \d+:|change of",
    ),
    "gradients not cleared": ([("    model.cleargrads()\n    value", "    value")], r"gradient of|loss at step \d+:"),
    "the update forgotten": ([("    optimizer.update()\n", "")], r"wrong loss at step 1:"),
    "width and height exchanged": (
        [("images.reshape(len(images), -1)", "images.transpose(0, 2, 1).reshape(len(images), -1)")],
        r"gradient of hidden\.weight",
    ),
    "pixels divided by 256": ([("astype(DTYPES[PRECISION]) / 255", "astype(DTYPES[PRECISION]) / 256")], r"gradient of"),
    "training digits of another scale": (
        [("to_inputs(data.x_train), to_inputs", "to_inputs(data.x_train) * 255 / 256, to_inputs")],
        r"loss of the first training samples off",
    ),
    "the accuracy of a part": (
        [("(predict(model, x) == y)", "(predict(model, x[:100]) == y[:100])")],
        r"accuracy 0\.\d+, reference",
    ),
    "classes of the smallest output": ([(".argmax(1)", ".argmin(1)")], r"[1-9]\d* of 150 classes differ"),
    "F.sigmoid in a static graph": (
        [STATIC, (WRITTEN, FORWARD)],
        r"wrong loss at step 2:|change of",
    ),
    "the short last batch dropped, static": (
        [STATIC, (STEP, STEP.replace("in batches", "in batches if len(i) in (8, BATCH_SIZE)"))],
        r"20 losses were handed in, the reference has 21",
    ),
    "one sigmoid left out, static": ([STATIC, (WRITTEN, "return self.output(sigmoid(self.hidden(x)))")], r"gradient of"),
}
