"""Mistakes planted in mlp_mnist_batch's MXNet notebook: {name: (changes of the text, what must be said)}."""

FORWARD = "return self.output(self.hidden(x))"
HIDDEN = 'in_units=784, activation="relu")'
LOSS = "return F.negative(F.pick(F.log_softmax(logits, temperature=1), labels).mean())"
STEPS = "losses = [train_step(model, optimizer, x, y) for _ in order]"
FP64 = ('PRECISION = "fp32"     #', 'PRECISION = "fp64"     #')

PLANTS = {
    "the activation exchanged": ([(HIDDEN, HIDDEN.replace("relu", "sigmoid"))], r"gradient of"),
    "no activation": ([(HIDDEN, "in_units=784)")], r"gradient of"),
    "an activation at the end": ([(FORWARD, "return F.relu(self.output(self.hidden(x)))")], r"gradient of"),
    "the mean over the batch taken twice": ([(LOSS, LOSS + " / 8")], r"gradient of"),
    "the mean over the batch taken twice, in the step of fp64": (
        [FP64, ("optimizer.step(1)", "optimizer.step(len(x))")],
        r"loss at step \d+:|change of",
    ),
    "the sum over the batch": ([(LOSS, LOSS.replace(".mean()", ".sum()"))], r"gradient of"),
    "float32 arithmetic in fp64": (
        [
            FP64,
            ('dtype = {"fp32": "float32", "fp64": "float64"}[PRECISION]', 'dtype = "float32"'),
            ('model.cast({"fp32": "float32", "fp64": "float64"}[precision])', 'model.cast("float32")'),
        ],
        r"gradient of \w+\.\w+: off by \d\S*e-0[5-8]",
    ),
    "inputs rounded to float32 in fp64": (
        [
            FP64,
            ("ctx=ctx, dtype=dtype) / 255", "ctx=ctx) / 255).astype(dtype)"),
            ("return nd.array(im", "return (nd.array(im"),
        ],
        r"gradient of",
    ),
    "MXNet's own Adam in fp64, its rates in float32": (
        [FP64, ('adam = CorrectedAdam if PRECISION == "fp32" else Float64Adam', "adam = CorrectedAdam")],
        r"loss at step \d+:|change of",
    ),
    "the last step left out": (
        [(STEPS, STEPS.replace("for _ in order", "for _ in order[: max(1, len(order) - 1)]"))],
        r"19 losses were handed in, the reference has 20",
    ),
    "half of the digits": (
        [(STEPS, STEPS.replace("x, y)", "x[: 1 + len(x) // 2], y[: 1 + len(x) // 2])"))],
        r"gradient of",
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
    "labels in another order": (
        [("y_train), to_integers(data.y_test)", "y_train[::-1].copy()), to_integers(data.y_test)")],
        r"loss of the first training samples off",
    ),
    "width and height exchanged": (
        [("images.reshape(len(images), -1)", "images.transpose(0, 2, 1).reshape(len(images), -1)")],
        r"gradient of hidden\.weight",
    ),
    "pixels divided by 256": ([("dtype=dtype) / 255", "dtype=dtype) / 256")], r"gradient of"),
    "the accuracy of a part": (
        [("(predict(model, x) == y)", "(predict(model, x[:100]) == y[:100])")],
        r"accuracy 0\.\d+, reference",
    ),
    "classes of the smallest output": ([(".argmax(axis=1)", ".argmin(axis=1)")], r"[1-9]\d* of 150 classes differ"),
}
