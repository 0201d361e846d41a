"""Mistakes for tests/plant.py to plant in notebooks/cnn_cifar10/jax.ipynb.

Each name maps to the replacements in the text of the code cells and to a regular expression, which the answer of the
proof, or of the test of cells where the mistake is in the run cell, must match.
"""

from tests.plants import cnn_cifar10 as cnn

WHOLE = "len(x) // BATCH_SIZE * BATCH_SIZE"
TRAIN_VIEW = "nnx.view(model, deterministic=False)"
EVAL_VIEW = "eval_model = nnx.view(model, deterministic=True)  # dropout off"
CACHED = "nnx.cached_partial(train_step, train_model, optimizer)"
SGD = "optax.sgd(learning_rate, momentum)"
LABELS = "jnp.take(y, i, axis=0)"

PLANTS = {
    **cnn.dropouts(),
    "dropout on in evaluation": ([(EVAL_VIEW, "eval_model = nnx.view(model, deterministic=False)")], cnn.EVALUATION),
    "modes switched in place, and training after an evaluation": (
        [(EVAL_VIEW, "model.eval(); eval_model = model"), (TRAIN_VIEW, "model")],
        "the masks repeat",
    ),
    "dropout off in training": ([(TRAIN_VIEW, "nnx.view(model, deterministic=True)")], "the masks repeat"),
    "the same key of dropout in every step": (
        [
            ("drop1(nnx.relu(x))", "drop1(nnx.relu(x), rngs=jax.random.key(1))"),
            ("drop2(nnx.relu(x))", "drop2(nnx.relu(x), rngs=jax.random.key(2))"),
            ("drop3(nnx.relu(self.dense1(x)))", "drop3(nnx.relu(self.dense1(x)), rngs=jax.random.key(3))"),
        ],
        "the masks repeat",
    ),
    "last partial batch dropped in predict and evaluate": (
        [
            ("starts = range(0, len(x), BATCH_SIZE)", "starts = range(0, %s, BATCH_SIZE)" % WHOLE),
            ("(model, x) == np.asarray(y))", "(model, x) == np.asarray(y[: %s]))" % WHOLE),
        ],
        cnn.SHORT_PREDICTION,
    ),
    "last partial batch dropped in evaluate": (
        [("(predict(model, x) == np.asarray(y))", "(predict(model, x) == np.asarray(y))[: %s]" % WHOLE)],
        cnn.SHORT_EVALUATION,
    ),
    "last partial batch dropped in training": (
        [("in range(0, len(order), BATCH_SIZE):", "in range(0, len(order) - BATCH_SIZE + 1, BATCH_SIZE):")],
        cnn.SHORT_TRAINING,
    ),
    "labels of the timed loop in another order": (
        [("optimizer, x_train, y_train, order", "optimizer, x_train, y_train[::-1], order")],
        "y_train",
    ),
    "labels of a batch in another order": ([(LABELS, "jnp.take(y, np.sort(i), axis=0)")], cnn.FIRST_LOSS),
    "labels not indexed by the order": ([(LABELS, "y[: len(i)]")], cnn.FIRST_LOSS),
    "Nesterov's momentum": ([(SGD, "optax.sgd(learning_rate, momentum, nesterov=True)")], cnn.CHANGE),
    "momentum as a moving average": (
        [(SGD, "optax.chain(optax.ema(momentum, debias=False), optax.sgd(learning_rate))")],
        cnn.SECOND_LOSS,
    ),
    "momentum of a moving average, its scale put right": (
        [(SGD, "optax.chain(optax.ema(momentum), optax.sgd(learning_rate))")],
        cnn.CHANGE,
    ),
    "weight decay": ([(SGD, "optax.chain(optax.add_decayed_weights(1e-4), %s)" % SGD)], cnn.CHANGE),
    **cnn.swapped("to_images(data.x_train)", "to_images(data.x_test)"),
    "a step in jax.jit, which loses the update": (
        [
            ('@nnx.jit(donate_argnames=("model", "optimizer"))', "@jax.jit"),
            (CACHED, "lambda x, y: train_step(train_model, optimizer, x, y)"),
        ],
        cnn.SECOND_LOSS,
    ),
    "kernels transposed": (
        [("transpose(2, 3, 1, 0)", "transpose(3, 2, 1, 0)"), ("transpose(3, 2, 0, 1)", "transpose(3, 2, 1, 0)")],
        "gradient of conv",
    ),
    "features flattened in PyTorch's order": ([('name == "dense1.weight"', 'name == "no such tensor"')], "gradient of"),
    "softmax applied twice": ([("return self.dense2(x)  #", "return nnx.softmax(self.dense2(x))  #")], cnn.FIRST_LOSS),
    "the sum of a batch's losses": ([("(model(x), y).mean()", "(model(x), y).sum()")], "gradient of"),
    "images padded by their other edge": (
        [("nnx.Conv(50, 50, (3, 3), ", 'nnx.Conv(50, 50, (3, 3), padding="CIRCULAR", ')],
        "gradient of",
    ),
    "bf16 where fp32 was asked for": ([('if precision == "bf16" else', 'if precision != "tf32" else')], "gradient of"),
}
