"""Mistakes planted in mlp_mnist_batch's TensorFlow notebook: {name: (changes of the text, what must be said)}."""

LOSS = "tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits))"
STEPS = "losses = [train_step(model, optimizer, x, y) for _ in order]"
IN_FP64 = ('PRECISION = "fp32"     #', 'PRECISION = "fp64"     #')
XLA = ("JIT_COMPILE = False", "JIT_COMPILE = True")
LATER = r"loss at step \d+:|change of"

PYTHON_COUNTS = """self.count = getattr(self, "count", 0) + 1
        step = tf.cast(self.count, self.steps.dtype)"""

PLANTS = {
    "the activation exchanged": ([('activation="relu"', 'activation="sigmoid"')], r"gradient of"),
    "no activation": ([(', activation="relu"', "")], r"gradient of"),
    "an activation at the end": ([("layers.Dense(10)", 'layers.Dense(10, activation="relu")')], r"gradient of"),
    "a softmax before the loss": ([("layers.Dense(10)", 'layers.Dense(10, activation="softmax")')], r"gradient of"),
    "the mean over the batch taken twice": (
        [(LOSS, LOSS + " / tf.cast(tf.shape(labels)[0], logits.dtype)")],
        r"gradient of",
    ),
    "the sum over the batch": ([(LOSS, LOSS.replace("reduce_mean", "reduce_sum"))], r"gradient of"),
    "the inputs of the model left in float32 in fp64": ([IN_FP64, ("set_floatx(dtype)", 'set_floatx("float32")')], r"gradient of"),
    "the policy left in float32 in fp64": (
        [IN_FP64, ("set_dtype_policy(dtype)", 'set_dtype_policy("float32")')],
        r"gradient of",
    ),
    "float32 arithmetic in fp64": (
        [IN_FP64, ('"fp64": "float64"', '"fp64": "float32"')],
        r"gradient of \w+\.\w+: off by \d\S*e-0[5-8]",
    ),
    "Keras' own loss, left in float32, in fp64": (
        [
            IN_FP64,
            (
                "return " + LOSS,
                "return keras.losses.SparseCategoricalCrossentropy("
                'from_logits=True, dtype="float32")(labels, logits)',
            ),
        ],
        r"gradient of",
    ),
    "one layer in float32 in fp64": (
        [IN_FP64, ('activation="relu")', 'activation="relu", dtype="float32")')],
        r"gradient of",
    ),
    "the last step left out": (
        [(STEPS, STEPS.replace("for _ in order", "for _ in order[: max(1, len(order) - 1)]"))],
        r"19 losses were handed in, the reference has 20",
    ),
    "half of the digits": (
        [(STEPS, STEPS.replace("x, y)", "x[: 1 + len(x) // 2], y[: 1 + len(x) // 2])"))],
        r"loss at step 0:",
    ),
    "labels in another order": ([(STEPS, STEPS.replace("x, y)", "x, y[::-1])"))], r"loss at step 0:"),
    "epsilon inside the bias correction": ([("1e-8 * tf.sqrt(1 - power2)", "1e-8")], LATER),
    "epsilon inside the bias correction, with XLA": ([XLA, ("1e-8 * tf.sqrt(1 - power2)", "1e-8")], LATER),
    "Keras' epsilon": ([("epsilon = 1e-8", "epsilon = 1e-7")], LATER),
    "Keras' own Adam": (
        [
            (
                "return Adam(model.trainable_variables, learning_rate)",
                "optimizer = keras.optimizers.Adam(learning_rate)\n"
                "    optimizer.build(model.trainable_variables)\n    return optimizer",
            )
        ],
        LATER,
    ),
    "another beta": ([("beta2=0.999", "beta2=0.99")], LATER),
    "steps counted while tracing only": ([("step = self.steps.assign_add(1)", PYTHON_COUNTS)], LATER),
    "weight decay": (
        [("            tf.raw_ops", "            w.assign_sub(0.1 * self.learning_rate * w)\n            tf.raw_ops")],
        LATER,
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
