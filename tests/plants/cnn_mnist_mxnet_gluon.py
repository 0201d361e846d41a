"""Mistakes planted in cnn_mnist's MXNet notebook: {name: (changes of the text, what must be said)}."""

FIRST = "x = self.relu(self.pool(self.conv1(x)))"
SECOND = "x = self.relu(self.pool(self.conv2(x)))"
LOSS = "return F.negative(F.pick(F.log_softmax(logits, temperature=1), labels).mean())"
TAKE = "nd.take(x, i), nd.take(y, i)) for i in parts]"
FP64 = ('PRECISION = "fp32"     #', 'PRECISION = "fp64"     #')

PLANTS = {
    "the activation of one layer exchanged": (
        [(SECOND, SECOND.replace("self.relu(", "F.LeakyReLU(").replace("(x)))", "(x)), slope=0.01)"))],
        r"gradient of",
    ),
    "no activation in one layer": ([(FIRST, FIRST.replace("self.relu(", "("))], r"gradient of"),
    "the mean over the batch taken twice": ([(LOSS, LOSS + " / 8")], r"gradient of"),
    "the mean over the batch taken twice, in the step of fp64": (
        [FP64, ("optimizer.step(1)", "optimizer.step(len(x))")],
        r"loss at step \d+:|change of",
    ),
    "pooling with padding, of the same size": (
        [
            (SECOND, 'x = self.relu(F.Pooling(self.conv2(x), kernel=(2, 2), stride=(2, 2), pad=(1, 1), pool_type="max"))'),
            (
                "        return self.dense(x)",
                "        x = F.slice(x, begin=(None, None, 0, 0), end=(None, None, 6, 6))\n        return self.dense(x)",
            ),
        ],
        r"gradient of",
    ),
    "average pooling": ([("nn.MaxPool2D(2)", "nn.AvgPool2D(2)")], r"gradient of"),
    "float32 arithmetic in fp64": (
        [
            FP64,
            ('dtype = {"fp32": "float32", "fp64": "float64"}[PRECISION]', 'dtype = "float32"'),
            ('model.cast({"fp32": "float32", "fp64": "float64"}[precision])', 'model.cast("float32")'),
        ],
        r"gradient of \w+\.\w+: off by \d\S*e-0[5-8]",
    ),
    "MXNet's own Adam in fp64, its rates in float32": (
        [FP64, ('adam = CorrectedAdam if PRECISION == "fp32" else Float64Adam', "adam = CorrectedAdam")],
        r"loss at step \d+:|change of",
    ),
    "the same order in every epoch": (
        [
            (
                "to_integers(order)) for order in reference.orders]",
                "to_integers(reference.order)) for _ in reference.orders]",
            )
        ],
        r"loss at step 2:",
    ),
    "the same order in every epoch of the run": (
        [("x_train, y_train, to_integers(order))", "x_train, y_train, to_integers(np.arange(len(x_train))))")],
        r"the run cell must hand each order",
    ),
    "labels in another order": ([(TAKE, TAKE.replace("nd.take(y, i)", "y[: len(i)]"))], r"wrong loss at step 0:"),
    "the short last batch dropped": (
        [(TAKE, TAKE.replace("parts]", "parts if len(i) in (8, BATCH_SIZE)]"))],
        r"10 losses were handed in, the reference has 20",
    ),
    "Keras' epsilon, 1e-7 inside the bias correction": (
        [("self.epsilon = 1e-8 * (1 - self.beta2 ** step) ** 0.5", "self.epsilon = 1e-7")],
        r"loss at step \d+:|change of",
    ),
    "epsilon inside the bias correction, in fp64": (
        [
            FP64,
            ("(square / (1 - self.beta2 ** step)).sqrt() + 1e-8", "(square / (1 - self.beta2 ** step) + 1e-16).sqrt()"),
        ],
        r"loss at step \d+:|change of",
    ),
    "another beta": ([("np.float32(0.999)", "np.float32(0.99)")], r"loss at step \d+:|change of"),
    "weight decay": (
        [("super().__init__(learning_rate", "super().__init__(wd=1e-3, learning_rate")],
        r"loss at step \d+:|change of",
    ),
    "gradients that add up": (
        [
            (
                "    model.hybridize(static",
                '    model.collect_params().setattr("grad_req", "add")\n    model.hybridize(static',
            )
        ],
        r"loss at step \d+:|change of",
    ),
    "width and height exchanged": ([("images[:, None]", "images.transpose(0, 2, 1)[:, None]")], r"gradient of"),
    "pixels divided by 256": ([("dtype=dtype) / 255", "dtype=dtype) / 256")], r"gradient of"),
    "the accuracy of a part": (
        [("(predict(model, x) == y)", "(predict(model, x[:100]) == y[:100])")],
        r"accuracy 0\.\d+, reference",
    ),
    "classes of the smallest output": ([(".argmax(axis=1)", ".argmin(axis=1)")], r"[1-9]\d* of 150 classes differ"),
}
