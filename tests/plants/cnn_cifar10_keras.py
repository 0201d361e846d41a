"""Mistakes for tests/plant.py to plant in notebooks/cnn_cifar10/keras.ipynb.

Each name maps to the replacements in the text of the code cells and to a regular expression, which the answer of the
proof, or of the test of cells where the mistake is in the run cell, must match.
"""

from tests.plants import cnn_cifar10 as cnn

FULL = "len({0}) // BATCH_SIZE * BATCH_SIZE"
WHOLE = "[: " + FULL.format("x") + "]"
SGD = "SGD(learning_rate, momentum)"
BATCH = "return self.x[i], self.y[i]"
PREDICT = "model.predict(x, "
EVALUATE = "model.evaluate(x, y, "
METRIC = "    def update_state(self, *args, **kwargs):\n        self.reset_state()  # forget the earlier mini-batches\n"
SOFTMAX = """def softmax(x):
    return keras.ops.exp(x) / keras.ops.sum(keras.ops.exp(x), axis=-1, keepdims=True)


def make_model("""
LAST = 'layers.Dense(10, dtype="float32")'

PLANTS = {
    **cnn.dropouts(),
    "dropout on in evaluation": (
        [(f"{PREDICT}batch_size=BATCH_SIZE, verbose=0)", "keras.ops.convert_to_numpy(model(x, training=True))")],
        cnn.EVALUATION,
    ),
    "dropout off in training": (
        [
            ("layers.Dropout(dropout[2])", "layers.Dropout(0)"),
            ("layers.Dropout(dropout[", "layers.Dropout(0 * dropout["),
        ],
        "the masks repeat",
    ),
    "last partial batch dropped in predict and evaluate": (
        [(PREDICT, f"model.predict(x{WHOLE}, "), (EVALUATE, f"model.evaluate(x{WHOLE}, y{WHOLE}, ")],
        cnn.SHORT_PREDICTION,
    ),
    "last partial batch dropped in evaluate": (
        [(EVALUATE, f"model.evaluate(x{WHOLE}, y{WHOLE}, ")],
        cnn.SHORT_EVALUATION,
    ),
    "accuracy of the last mini-batch": (
        [
            ('metrics = ["accuracy", ', "metrics = [BatchAccuracy(name='accuracy'), "),
            (
                "class BatchLoss(",
                "class BatchAccuracy(keras.metrics.SparseCategoricalAccuracy):\n"
                + METRIC
                + "        super().update_state(*args, **kwargs)\n\n\nclass BatchLoss(",
            ),
        ],
        cnn.SHORT_EVALUATION,
    ),
    "last partial batch dropped in training": (
        [("        return len(self.parts)", "        return sum(len(i) == BATCH_SIZE for i in self.parts)")],
        cnn.SHORT_TRAINING,
    ),
    "labels of the timed loop in another order": (
        [("optimizer, x_train, y_train, order", "optimizer, x_train, y_train[::-1], order")],
        "y_train",
    ),
    "labels of a batch in another order": ([(BATCH, "return self.x[i], self.y[np.sort(i)]")], cnn.FIRST_LOSS),
    "labels not indexed by the order": ([(BATCH, "return self.x[i], self.y[: len(i)]")], cnn.FIRST_LOSS),
    # Shows at any step; six are run, because a single one cannot be shuffled.
    "fit shuffles the mini-batches": (
        [("fit(batches, shuffle=False, ", "fit(batches, ")],
        r"the first wrong loss at step 5|the first wrong loss at step \d",
    ),
    "running means for losses": ([('logs["batch_loss"]', 'logs["loss"]')], cnn.SECOND_LOSS),
    **cnn.keras_sgd(SGD),
    "logits taken for probabilities": ([("(from_logits=True)", "()")], cnn.GRADIENT),
    # Written by hand: for activation="softmax" Keras on TensorFlow finds the logits again (and warns).
    "softmax applied twice": (
        [
            ("        " + LAST, "        " + LAST.replace("10, ", "10, activation=softmax, ")),
            ("def make_model(", SOFTMAX),
        ],
        cnn.GRADIENT,
    ),
    "sum instead of mean": ([("(from_logits=True)", '(from_logits=True, reduction="sum")')], cnn.GRADIENT),
    "bf16 in the proof": ([('if precision == "bf16" else "float32"', "")], cnn.GRADIENT),
}
