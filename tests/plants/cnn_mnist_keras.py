"""Mistakes planted in cnn_mnist's Keras notebook: {name: (changes of the text, what must be said)}."""

FIRST = "layers.MaxPooling2D(2),  # (N, 13, 13, 16)\n        layers.ReLU(),"
SECOND = "layers.MaxPooling2D(2),  # (N, 6, 6, 8)\n        layers.ReLU(),"
LOSS = "loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)"
TWICE = """
mean = keras.losses.SparseCategoricalCrossentropy(from_logits=True)


def loss(y, logits):
    return mean(y, logits) / ops.cast(ops.shape(logits)[0], FLOATX)
"""
ADAM = "= Adam(learning_rate, epsilon=1e-8)"
ROOT = "root = ops.sqrt(v / c2) + self.epsilon"
BATCHES = "x[order], y[order], batch_size"

PLANTS = {
    "the activation of one layer exchanged": ([(SECOND, SECOND.replace("ReLU", "LeakyReLU"))], r"gradient of"),
    "no activation in one layer": ([(FIRST, "layers.MaxPooling2D(2),")], r"gradient of"),
    "the mean over the batch taken twice": ([(LOSS, TWICE)], r"gradient of"),
    "pooling with padding": ([(SECOND, "layers.ZeroPadding2D(((1, 0), (1, 0)))," + SECOND)], r"gradient of"),
    "logits taken for probabilities": ([(LOSS, LOSS.replace("from_logits=True", ""))], r"gradient of"),
    "average pooling": ([(FIRST, FIRST.replace("Max", "Average"))], r"gradient of"),
    "float32 arithmetic in fp64": (
        [('PRECISION = "fp32"  ', 'PRECISION = "fp64"  '), ('"fp64": "float64"', '"fp64": "float32"')],
        r"gradient of \w+\.\w+: off by \d\S*e-0[5-8]",
    ),
    "the same order in every epoch": (
        [("x, y, order) for order in reference.orders]", "x, y, reference.order) for _ in reference.orders]")],
        r"loss at step 2:",
    ),
    "the same order in every epoch of the run": (
        [("x_train, y_train, order))", "x_train, y_train, np.arange(len(x_train))))")],
        r"the run cell must hand each order",
    ),
    "fit shuffles": ([("shuffle=False, ", "")], r"wrong loss at step 0:"),
    "labels in another order": (
        [(BATCHES, BATCHES.replace("y[order]", "y[: len(order)]"))],
        r"wrong loss at step 0:",
    ),
    "the short last batch dropped": (
        [(BATCHES, BATCHES.replace("[order]", "[order[:BATCH_SIZE]]"))],
        r"wrong loss at step 1:",
    ),
    "running means for losses": ([('logs["batch_loss"]', 'logs["loss"]')], r"wrong loss at step 1:"),
    "epsilon inside the bias correction": (
        [(ROOT, "root = (ops.sqrt(v) + self.epsilon) / ops.sqrt(c2)")],
        r"loss at step \d+:|change of",
    ),
    "Keras' own Adam": ([(ADAM, ADAM.replace("Adam", "keras.optimizers.Adam"))], r"loss at step \d+:|change of"),
    "another beta": ([(ADAM, "= Adam(learning_rate, 0.9, 0.99, epsilon=1e-8)")], r"loss at step \d+:|change of"),
    "weight decay": (
        [(ADAM, "= Adam(learning_rate, epsilon=1e-8, weight_decay=0.004)")],
        r"loss at step \d+:|change of",
    ),
    "the inputs of the dense layer in PyTorch's order": (
        [("w.reshape(10, 8, 6, 6).transpose(2, 3, 1, 0).reshape(288, 10)", "w.T")],
        r"gradient of",
    ),
    "width and height exchanged": ([("(images, CHANNELS)", "(images.transpose(0, 2, 1), CHANNELS)")], r"gradient of"),
    "pixels divided by 256": ([("astype(FLOATX) / 255", "astype(FLOATX) / 256")], r"gradient of"),
    "the accuracy of a part": (
        [("(predict(model, x) == y)", "(predict(model, x[:100]) == y[:100])")],
        r"accuracy 0\.\d+, reference",
    ),
    "classes of the smallest output": ([(".argmax(axis=1)", ".argmin(axis=1)")], r"[1-9]\d* of 150 classes differ"),
}
