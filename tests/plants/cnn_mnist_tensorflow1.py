"""Mistakes planted in cnn_mnist's TensorFlow 1 notebook: {name: (changes of the text, what must be said)}."""

MEAN = "return tf.reduce_mean(losses)"
STEP = "x[i], y[i]) for i in batches]"
IN_FP64 = ('PRECISION = "fp32"     #', 'PRECISION = "fp64"     #')
POOL = "tf.nn.relu(tf.layers.max_pooling2d(x, 2, 2))"
FIRST, SECOND = POOL + "  # (N, 13, 13, 16)", POOL + "  # (N, 6, 6, 8)"
LATER = r"loss at step \d+:|change of"

PLANTS = {
    "the activation of one layer exchanged": ([(SECOND, SECOND.replace("relu", "leaky_relu"))], r"gradient of"),
    "no activation in one layer": ([(FIRST, FIRST.replace("tf.nn.relu(", "("))], r"gradient of"),
    "the mean over the batch taken twice": (
        [(MEAN, MEAN + " / tf.cast(tf.shape(labels)[0], logits.dtype)")],
        r"gradient of",
    ),
    "pooling with padding": (
        [(FIRST, "tf.nn.relu(tf.layers.max_pooling2d(x, 2, 2, padding='same')[:, 1:, 1:])")],
        r"gradient of",
    ),
    "pooling with padding, of the same size": (
        [(SECOND, SECOND.replace("(x,", "(tf.pad(x, ((0, 0), (1, 0), (1, 0), (0, 0))),"))],
        r"gradient of",
    ),
    "average pooling": ([(FIRST, FIRST.replace("max_pooling2d", "average_pooling2d"))], r"gradient of"),
    "float32 arithmetic in fp64": (
        [IN_FP64, ('"fp64": np.float64', '"fp64": np.float32')],
        r"gradient of \w+\.\w+: off by \d\S*e-0[5-8]",
    ),
    "TensorFlow's own loss, in float32, in fp64": (
        [IN_FP64, (MEAN, "return tf.losses.sparse_softmax_cross_entropy(labels, logits)")],
        r"gradient of|loss at step \d+:",
    ),
    "the betas in float32 in fp64": (
        [IN_FP64, ("number(0.9), number(0.999), epsilon=1e-8 * tf.sqrt(c)", "0.9, 0.999, epsilon=1e-8 * tf.sqrt(c)")],
        LATER,
    ),
    "the same order in every epoch": (
        [("x, y, order) for order in reference.orders]", "x, y, reference.order) for _ in reference.orders]")],
        r"loss at step 2:",
    ),
    "the same order in every epoch of the run": (
        [("x_train, y_train, order))", "x_train, y_train, np.arange(len(x_train))))")],
        r"the run cell must hand each order",
    ),
    "labels in another order": ([(STEP, STEP.replace("y[i]", "y[:len(i)]"))], r"loss at step 0:"),
    "the short last batch dropped": (
        [(STEP, STEP.replace("in batches", "in batches if len(i) in (8, BATCH_SIZE)"))],
        r"10 losses were handed in, the reference has 20",
    ),
    "epsilon inside the bias correction": ([("epsilon=1e-8 * tf.sqrt(c)", "epsilon=1e-8")], LATER),
    "another beta": ([("number(0.999), epsilon", "number(0.99), epsilon")], LATER),
    "updates not counted, in fp64": (
        [IN_FP64, ("minimize(model.loss, global_step=step)", "minimize(model.loss)")],
        LATER,
    ),
    "flattened in PyTorch's order": (
        [("tf.layers.flatten(x)", "tf.layers.flatten(tf.transpose(x, (0, 3, 1, 2)))")],
        r"gradient of",
    ),
    "width and height exchanged": (
        [("np.divide(images[..., None]", "np.divide(images.transpose(0, 2, 1)[..., None]")],
        r"gradient of",
    ),
    "pixels divided by 256": ([("images[..., None], 255", "images[..., None], 256")], r"gradient of"),
    "the accuracy of a part": (
        [("(predict(model, x) == y)", "(predict(model, x[:100]) == y[:100])")],
        r"accuracy 0\.\d+, reference",
    ),
    "classes of the smallest output": ([("tf.argmax(", "tf.argmin(")], r"[1-9]\d* of 150 classes differ"),
}
