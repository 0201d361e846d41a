"""Mistakes planted in mlp_mnist's TensorFlow notebook: {name: (changes of the text, what must be said)}."""

WHOLE = ("WHOLE_EPOCH = False", "WHOLE_EPOCH = True")
LOSS = "tf.nn.l2_loss(a - y) / tf.cast(tf.shape(y)[0], y.dtype)"
STEP = "train_batch(model, optimizer, x, y, i) for i in batches]"
INSIDE = "return train_step(model, optimizer, tf.gather(x, i), tf.gather(y, i))\n"
LATER = r"loss at step \d+:|change of"

PLANTS = {
    "the inputs of the model left in float32": ([("set_floatx(dtype)", 'set_floatx("float32")')], r"gradient of"),
    "float32 arithmetic": (
        [('"fp64": "float64"', '"fp64": "float32"')],
        r"gradient of \w+\.\w+: off by \d\S*e-0[5-8]",
    ),
    "the digits rounded to float32": (
        [("dense(30)", 'layers.Lambda(lambda x: tf.cast(tf.cast(x, "float32"), "float64")), dense(30)')],
        r"gradient of hidden\.weight",
    ),
    "the learning rate divided by the batch": (
        [("return SGD(learning_rate)", "return SGD(learning_rate / BATCH_SIZE)")],
        r"wrong loss at step 1:",
    ),
    "the mean over the batch taken twice": ([(LOSS, LOSS + " / tf.cast(tf.shape(y)[0], y.dtype)")], r"gradient of"),
    "the loss without its half": ([(LOSS, "2 * " + LOSS)], r"gradient of"),
    "Keras' mean over the outputs": ([(LOSS, "keras.losses.MeanSquaredError()(y, a)")], r"gradient of"),
    "another activation": ([('units, "sigmoid"', 'units, "sigmoid" if units == 10 else "tanh"')], r"gradient of"),
    "no activation at the end": ([('units, "sigmoid"', 'units, "sigmoid" if units == 30 else None')], r"gradient of"),
    "labels in another order": ([(INSIDE, INSIDE.replace("tf.gather(y, i)", "y[:tf.size(i)]"))], r"wrong loss at step 0:"),
    "labels in another order, in the graph of the epoch": (
        [WHOLE, (INSIDE, INSIDE.replace("tf.gather(y, i)", "y[:tf.size(i)]"))],
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
    "the short last batch dropped": (
        [(STEP, STEP.replace("in batches", "in batches if len(i) in (8, BATCH_SIZE)"))],
        r"20 losses were handed in, the reference has 21",
    ),
    "the short last batch dropped, in the graph of the epoch": (
        [WHOLE, ("tf.range(0, tf.size(order), BATCH_SIZE)", "tf.range(0, tf.size(order) - 7, BATCH_SIZE)")],
        r"20 losses were handed in, the reference has 21",
    ),
    "the mini-batches in another order, in the graph of the epoch": (
        [WHOLE, ("tf.range(0, tf.size(order), BATCH_SIZE)", "tf.range(0, tf.size(order), BATCH_SIZE)[::-1]")],
        r"wrong loss at step \d+:",
    ),
    "no update, in the graph of the epoch": (
        [
            WHOLE,
            (INSIDE, "return loss(tf.gather(y, i), model(tf.gather(x, i)))\n"),
        ],
        r"wrong loss at step 1:",
    ),
    "Keras' own SGD, with momentum": (
        [
            (
                "return SGD(learning_rate)",
                "optimizer = keras.optimizers.SGD(learning_rate, momentum=0.1)\n"
                "    optimizer.build(model.trainable_variables)\n    return optimizer",
            )
        ],
        LATER,
    ),
    "weight decay": (
        [("            tf.raw_ops", "            w.assign_sub(1e-9 * w)\n            tf.raw_ops")],
        LATER,
    ),
    "biases at another rate": (
        [("alpha=self.learning_rate,", "alpha=self.learning_rate * (1 if len(w.shape) == 2 else 1 + 1e-8),")],
        r"loss at step \d+:|change of \w+\.bias",
    ),
    "width and height exchanged": (
        [("tf.reshape(images, (-1, 784))", "tf.reshape(images.transpose(0, 2, 1), (-1, 784))")],
        r"gradient of hidden\.weight",
    ),
    "pixels divided by 256": ([("dtype) / 255", "dtype) / 256")], r"gradient of"),
    "the accuracy of a part": (
        [("predict(model, x) == y).numpy() / len(y)", "predict(model, x[:100]) == y[:100]).numpy() / 100")],
        r"accuracy 0\.\d+, reference",
    ),
    "classes of the smallest output": ([("tf.argmax(", "tf.argmin(")], r"[1-9]\d* of 150 classes differ"),
}
