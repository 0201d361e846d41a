"""Mistakes planted in mlp_mnist_batch's Keras notebook: {name: (changes of the text, what must be said)}."""

HIDDEN, OUTPUT = 'layers.Dense(32, activation="relu"),', "layers.Dense(10),  # logits"
LOSS = "loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)"
TWICE = """
mean = keras.losses.SparseCategoricalCrossentropy(from_logits=True)


def loss(y, logits):
    return mean(y, logits) / ops.cast(ops.shape(logits)[0], FLOATX)
"""
ADAM = "= Adam(learning_rate, epsilon=1e-8)"
ROOT = "root = ops.sqrt(v / c2) + self.epsilon"
STEPS = "[float(train_step(model, optimizer, x, y)) for _ in order]"
IN_FP64 = ('PRECISION = "fp32"  ', 'PRECISION = "fp64"  ')

PLANTS = {
    "the activation exchanged": ([(HIDDEN, HIDDEN.replace("relu", "sigmoid"))], r"gradient of"),
    "no activation": ([(HIDDEN, "layers.Dense(32),")], r"gradient of"),
    "an activation at the end": ([(OUTPUT, 'layers.Dense(10, activation="relu"),')], r"gradient of"),
    "the mean over the batch taken twice": ([(LOSS, TWICE)], r"gradient of"),
    "the sum over the batch": ([(LOSS, LOSS.replace("=True)", '=True, reduction="sum")'))], r"gradient of"),
    "logits taken for probabilities": ([(LOSS, LOSS.replace("from_logits=True", ""))], r"gradient of"),
    "float32 arithmetic in fp64": (
        [IN_FP64, ('"fp64": "float64"', '"fp64": "float32"')],
        r"gradient of \w+\.\w+: off by \d\S*e-0[5-8]",
    ),
    "one layer in float32 in fp64": (
        [IN_FP64, (HIDDEN, 'layers.Dense(32, activation="relu", dtype="float32"),')],
        r"gradient of",
    ),
    "labels in another order": ([("train_on_batch(x, y,", "train_on_batch(x, y[::-1],")], r"gradient of"),
    "the last step left out": (
        [(STEPS, STEPS.replace("in order", "in order[: max(1, len(order) - 1)]"))],
        r"19 losses were handed in, the reference has 20",
    ),
    "half of the digits": (
        [(STEPS, STEPS.replace("x, y)", "x[: 1 + len(x) // 2], y[: 1 + len(x) // 2])"))],
        r"wrong loss at step 0:",
    ),
    "epsilon inside the bias correction": (
        [(ROOT, "root = (ops.sqrt(v) + self.epsilon) / ops.sqrt(c2)")],
        r"loss at step \d+:|change of",
    ),
    "Keras' own Adam": ([(ADAM, ADAM.replace("Adam", "keras.optimizers.Adam"))], r"loss at step \d+:|change of"),
    "Keras' own epsilon": ([(ADAM, "= Adam(learning_rate)")], r"loss at step \d+:|change of"),
    "another beta": ([(ADAM, "= Adam(learning_rate, 0.9, 0.99, epsilon=1e-8)")], r"loss at step \d+:|change of"),
    "weight decay": (
        [(ADAM, "= Adam(learning_rate, epsilon=1e-8, weight_decay=0.004)")],
        r"loss at step \d+:|change of",
    ),
    "the step counter one too high": ([("self.iterations + 1", "self.iterations + 2")], r"loss at step 1:|change of"),
    "width and height exchanged": (
        [("images.reshape(", "images.transpose(0, 2, 1).reshape(")],
        r"gradient of hidden\.weight",
    ),
    "pixels divided by 256": ([("astype(FLOATX) / 255)", "astype(FLOATX) / 256)")], r"gradient of"),
    "the accuracy of a part": (
        [("(predict(model, x) == y)", "(predict(model, x[:100]) == y[:100])")],
        r"accuracy 0\.\d+, reference",
    ),
    "classes of the smallest output": ([(".argmax(axis=1)", ".argmin(axis=1)")], r"[1-9]\d* of 150 classes differ"),
}
