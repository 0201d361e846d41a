"""Mistakes planted in mlp_mnist's Numba notebook: {name: (changes of the text, what must be said)}."""

SIGMOID = "a[unit] = 1 / (1 + math.exp(-z))"
LAYER = "layer(model.hidden_weight, model.hidden_bias, xs, optimizer.a1)"
EPOCH = "losses = np.empty((len(order) + BATCH_SIZE - 1) // BATCH_SIZE)"

PLANTS = {
    "float32 arithmetic": (
        [
            ('{"fp64": np.float64}', '{"fp64": np.float32}'),
            ("*[np.empty(n) for n in", "*[np.empty(n, np.float32) for n in"),
        ],
        r"gradient of \w+\.\w+: off by \d\S*e-0[5-8]",
    ),
    "a sum in float32": (
        [
            ("z = b[unit]", "z = np.float32(b[unit])"),
            ("z += w[unit, k] * x[k]", "z = np.float32(z + w[unit, k] * x[k])"),
        ],
        r"gradient of",
    ),
    "the learning rate divided by the batch": (
        [("SGD(float(learning_rate),", "SGD(learning_rate / BATCH_SIZE,")],
        r"wrong loss at step 1:",
    ),
    "the mean over the batch taken twice": ([("(1 - a2[j]) / rows", "(1 - a2[j]) / rows**2")], r"gradient of"),
    "the sum over the batch": ([("(1 - a2[j]) / rows", "(1 - a2[j])")], r"gradient of"),
    "the loss without its half": ([("return value / 2", "return value")], r"wrong loss at step 0:"),
    "the mean over the outputs": ([("return value / 2", "return value / 10")], r"wrong loss at step 0:"),
    "tanh in the hidden layer": (
        [(LAYER, LAYER + "\n        optimizer.a1[...] = 2 * optimizer.a1 - 1")],
        r"gradient of",
    ),
    "a fast sigmoid": ([(SIGMOID, "a[unit] = 0.5 + 0.5 * z / (1 + abs(z))")], r"gradient of"),
    "the slope of the wrong layer": ([("back * a1[k] * (1 - a1[k])", "back * a1[k]")], r"gradient of hidden"),
    "gradients that add up": (
        [
            ("    g.hidden_weight[:], g.hidden_bias[:] = 0, 0\n", ""),
            ("[np.empty_like(w) for w in model]", "[np.zeros_like(w) for w in model]"),
        ],
        r"wrong loss at step 2:|change of",
    ),
    "a bias that is not trained": (
        [("    move(model.output_bias, g.output_bias, rate)\n", "")],
        r"loss at step \d+:|change of",
    ),
    "labels not indexed by the order": ([("x[i[n]], y[i[n]]", "x[i[n]], y[n]")], r"wrong loss at step 0:"),
    "the first batch again and again": (
        [("order[k * BATCH_SIZE : (k + 1) * BATCH_SIZE]", "order[:BATCH_SIZE]")],
        r"wrong loss at step 1:",
    ),
    "labels of the run in another order": (
        [("x_train, y_train, order))", "x_train, y_train[::-1], order))")],
        r"the run cell must call train_epoch\(\.\.\., x_train, y_train",
    ),
    "the same order in every epoch": (
        [("x_train, y_train, order))", "x_train, y_train, np.arange(len(x_train))))")],
        r"the run cell must hand each order",
    ),
    "the short last batch dropped": (
        [(EPOCH, "losses = np.empty(max(1, len(order) // BATCH_SIZE))")],
        r"20 losses were handed in, the reference has 21",
    ),
    "weight decay": (
        [("w[k] -= rate * gradient[k]", "w[k] -= rate * (gradient[k] + 1e-9 * w[k])")],
        r"loss at step \d+:|change of",
    ),
    "width and height exchanged": (
        [("images.reshape(len(images), -1)", "images.transpose(0, 2, 1).reshape(len(images), -1)")],
        r"gradient of hidden\.weight",
    ),
    "pixels divided by 256": ([("-1) / 255.0", "-1) / 256.0")], r"gradient of"),
    "training digits of another scale": (
        [
            (
                "to_inputs(data.x_train), to_inputs(data.x_test)",
                "to_inputs(data.x_train) * 255 / 256, to_inputs(data.x_test)",
            )
        ],
        r"loss of the first training samples off",
    ),
    "the accuracy of a part": (
        [("predict(model, x) == y)", "predict(model, x[:100]) == y[:100])")],
        r"accuracy 0\.\d+, reference",
    ),
    "classes of the smallest output": ([("a2.argmax()", "a2.argmin()")], r"[1-9]\d* of 150 classes differ"),
}
