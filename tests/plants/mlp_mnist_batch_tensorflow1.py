"""Mistakes planted in mlp_mnist_batch's TensorFlow 1 notebook: {name: (changes of the text, what must be said)}."""

MEAN = "return tf.reduce_mean(losses)"
STEPS = "[train_step(model, optimizer, x, y) for _ in order]"
IN_FP64 = ('PRECISION = "fp32"     #', 'PRECISION = "fp64"     #')
RELU, OUTPUT = "activation=tf.nn.relu, ", 'tf.layers.dense(hidden, 10, name="output")'
LATER = r"loss at step \d+:|change of"

PLANTS = {
    "the activation exchanged": ([(RELU, "activation=tf.sigmoid, ")], r"gradient of"),
    "no activation": ([(RELU, "")], r"gradient of"),
    "an activation at the end": ([(OUTPUT, "tf.nn.relu({})".format(OUTPUT))], r"gradient of"),
    "a softmax before the loss": ([(OUTPUT, "tf.nn.softmax({})".format(OUTPUT))], r"gradient of"),
    "the mean over the batch taken twice": (
        [(MEAN, MEAN + " / tf.cast(tf.shape(labels)[0], logits.dtype)")],
        r"gradient of",
    ),
    "the sum over the batch": ([(MEAN, "return tf.reduce_sum(losses)")], r"gradient of"),
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
    "the learning rate in float32 in fp64": ([IN_FP64, ("number(learning_rate)", "learning_rate")], LATER),
    "the last step left out": (
        [(STEPS, STEPS.replace("for _ in order", "for _ in order[: max(1, len(order) - 1)]"))],
        r"19 losses were handed in, the reference has 20",
    ),
    "half of the digits": (
        [(STEPS, STEPS.replace("x, y)", "x[: 1 + len(x) // 2], y[: 1 + len(x) // 2])"))],
        r"loss at step 0:",
    ),
    "labels in another order": ([(STEPS, STEPS.replace("x, y)", "x, y[::-1])"))], r"loss at step 0:"),
    "epsilon inside the bias correction": ([("epsilon=1e-8 * tf.sqrt(c)", "epsilon=1e-8")], LATER),
    "another beta": ([("number(0.999), epsilon", "number(0.99), epsilon")], LATER),
    "updates not counted, in fp64": (
        [IN_FP64, ("minimize(model.loss, global_step=step)", "minimize(model.loss)")],
        LATER,
    ),
    "weight decay": (
        [
            (
                "loss(model.y, model.logits)",
                "loss(model.y, model.logits) + 1e-3 * sum(tf.reduce_sum(v * v) for v in model.variables)",
            )
        ],
        r"gradient of",
    ),
    "width and height exchanged": (
        [("images.reshape(-1, 784)", "images.transpose(0, 2, 1).reshape(-1, 784)")],
        r"gradient of hidden\.weight",
    ),
    "pixels divided by 256": ([("784), 255, out", "784), 256, out")], r"gradient of"),
    "the accuracy of a part": (
        [("(predict(model, x) == y)", "(predict(model, x[:100]) == y[:100])")],
        r"accuracy 0\.\d+, reference",
    ),
    "classes of the smallest output": ([("tf.argmax(", "tf.argmin(")], r"[1-9]\d* of 150 classes differ"),
}
