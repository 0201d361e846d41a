"""Mistakes planted in mlp_mnist's Keras notebook: {name: (changes of the text, what must be said)}."""

LOSS = "ops.sum(ops.square(a - y), axis=-1) / 2"
LAYERS = "keras.Input((784,)), dense(30), dense(10)"
SGD = "keras.optimizers.SGD(learning_rate)"
BATCHES = "x[order], y[order], batch_size"
IN_CALLS = ("STEPS_PER_EXECUTION = 1 ", "STEPS_PER_EXECUTION = 50 ")

PLANTS = {
    "one layer in float32": (
        [(LAYERS, LAYERS.replace("dense(30)", 'layers.Dense(30, "sigmoid", dtype="float32")'))],
        r"gradient of \w+\.\w+: off by",
    ),
    "the learning rate divided by the batch": (
        [(SGD, "keras.optimizers.SGD(learning_rate / BATCH_SIZE)")],
        r"gradient of",
    ),
    "the mean over the batch taken twice": (
        [(LOSS, LOSS + " / ops.cast(ops.shape(a)[0], FLOATX)")],
        r"gradient of",
    ),
    "the loss without its half": ([(LOSS, LOSS.replace(" / 2", ""))], r"gradient of"),
    "the mean over the outputs": ([(LOSS, LOSS.replace("sum", "mean"))], r"gradient of"),
    "tanh in the hidden layer": (
        [(LAYERS, LAYERS.replace("dense(30)", 'layers.Dense(30, "tanh")'))],
        r"gradient of",
    ),
    "no activation at the end": ([(LAYERS, LAYERS.replace("dense(10)", "layers.Dense(10)"))], r"gradient of"),
    "labels in another order": (
        [(BATCHES, BATCHES.replace("y[order]", "y[: len(order)]"))],
        r"wrong loss at step 0:",
    ),
    "labels in another order, 50 steps per call": (
        [IN_CALLS, (BATCHES, BATCHES.replace("y[order]", "y[: len(order)]"))],
        r"wrong loss at step 0:",
    ),
    "labels of the run in another order": (
        [("optimizer, x_train, y_train, order", "optimizer, x_train, y_train[::-1], order")],
        r"the run cell must call train_epoch\(\.\.\., x_train, y_train",
    ),
    "the same order in every epoch": (
        [("x_train, y_train, order))", "x_train, y_train, np.arange(len(x_train))))")],
        r"the run cell must hand each order",
    ),
    "fit shuffles": ([("shuffle=False, ", "")], r"wrong loss at step \d+:"),
    "the short last batch dropped": (
        [(BATCHES, BATCHES.replace("[order]", "[order[: max(8, len(order) // 10 * 10)]]"))],
        r"20 losses were handed in, the reference has 21",
    ),
    "momentum": ([(SGD, "keras.optimizers.SGD(learning_rate, 0.1)")], r"wrong loss at step 2:|change of"),
    "weight decay": (
        [(SGD, "keras.optimizers.SGD(learning_rate, weight_decay=1e-9)")],
        r"gradient of|loss at step \d+:|change of",
    ),
    "width and height exchanged": (
        [("images.reshape(", "images.transpose(0, 2, 1).reshape(")],
        r"gradient of hidden\.weight",
    ),
    "pixels divided by 256": ([("astype(FLOATX) / 255", "astype(FLOATX) / 256")], r"gradient of"),
    "training digits of another scale": (
        [("to_inputs(data.x_train), to", "to_inputs(data.x_train) * 255 / 256, to")],
        r"loss of the first training samples off",
    ),
    "the accuracy of a part": (
        [("(predict(model, x) == y)", "(predict(model, x[:100]) == y[:100])")],
        r"accuracy 0\.\d+, reference",
    ),
    "classes of the smallest output": ([(".argmax(axis=1)", ".argmin(axis=1)")], r"[1-9]\d* of 150 classes differ"),
}
