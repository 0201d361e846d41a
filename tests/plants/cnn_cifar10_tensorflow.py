"""Mistakes for tests/plant.py to plant in notebooks/cnn_cifar10/tensorflow.ipynb.

Each name maps to the replacements in the text of the code cells and to a regular expression, which the answer of the
proof, or of the test of cells where the mistake is in the run cell, must match.
"""

from tests.plants import cnn_cifar10 as cnn

FULL = "len({0}) // BATCH_SIZE * BATCH_SIZE"
WHOLE = "[: " + FULL.format("x") + "]"
SGD = "SGD(learning_rate, momentum)"
LABELS = "tf.gather(y, i)) for i"
DROP = "model(x, training={})"

PLANTS = {
    **cnn.dropouts(),
    "dropout on in evaluation": ([(DROP.format(False), DROP.format(True))], cnn.EVALUATION),
    "dropout off in training": ([(DROP.format(True), DROP.format(False))], "the masks repeat"),
    "training=True forgotten": ([(DROP.format(True), "model(x)")], "the masks repeat"),
    "last partial batch dropped in predict and evaluate": (
        [("range(0, len(x), ", f"range(0, {FULL.format('x')}, "), ("(model, x) == y)", f"(model, x) == y{WHOLE})")],
        cnn.SHORT_PREDICTION,
    ),
    "last partial batch dropped in evaluate": (
        [("predict(model, x) == y)", f"(predict(model, x) == y){WHOLE})")],
        cnn.SHORT_EVALUATION,
    ),
    "last partial batch dropped in training": (
        [("range(0, len(order), ", f"range(0, {FULL.format('order')}, ")],
        cnn.SHORT_TRAINING,
    ),
    "labels of the timed loop in another order": (
        [("optimizer, x_train, y_train, order", "optimizer, x_train, y_train[::-1], order")],
        "y_train",
    ),
    "labels of a batch in another order": ([(LABELS, "tf.gather(y, sorted(i))) for i")], cnn.FIRST_LOSS),
    "labels not indexed by the order": ([(LABELS, "y[:len(i)]) for i")], cnn.FIRST_LOSS),
    **cnn.keras_sgd(SGD),
    "logits taken for probabilities": ([("from_logits=True", "from_logits=False")], cnn.GRADIENT),
    # An activation="softmax" in the last layer is none: Keras finds the logits behind it and warns.
    "ReLU of the logits": (
        [('layers.Dense(10, dtype="float32")', 'layers.Dense(10, activation="relu", dtype="float32")')],
        cnn.GRADIENT,
    ),
    "sum instead of mean": ([("(from_logits=True)", '(from_logits=True, reduction="sum")')], cnn.GRADIENT),
    "bf16 in the proof": ([('if precision == "bf16" else "float32"', "")], cnn.GRADIENT),
}
