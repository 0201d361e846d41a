"""Mistakes for tests/plant.py to plant in notebooks/cnn_cifar10/tensorflow1.ipynb: see cnn_cifar10_pytorch.py."""

from tests.plants import cnn_cifar10 as cnn

WHOLE = "[: len(x) // BATCH_SIZE * BATCH_SIZE]"
BATCHES = "x[i], y[i]) for i in batches]"

PLANTS = {
    **cnn.dropouts(),
    "dropout on in evaluation": (
        [("default(False, (), \"training\")", "default(True, (), \"training\")")],
        cnn.EVALUATION,
    ),
    "dropout off in training": ([("model.training: True}\n    _,", "model.training: False}\n    _,")], "the masks repeat"),
    "last partial batch dropped in predict and evaluate": (
        [("np.split(x, range(BATCH_SIZE, len(x), BATCH_SIZE))", "np.split(x" + WHOLE + ", len(x) // BATCH_SIZE)"),
         ("(predict(model, x) == y)", "(predict(model, x) == y" + WHOLE + ")")],
        cnn.SHORT_PREDICTION,
    ),
    "last partial batch dropped in evaluate": (
        [("(predict(model, x) == y)", "(predict(model, x) == y)" + WHOLE)],
        cnn.SHORT_EVALUATION,
    ),
    "last partial batch dropped in training": (
        [(BATCHES, "x[i], y[i]) for i in batches if len(i) == BATCH_SIZE]")],
        cnn.SHORT_TRAINING,
    ),
    "labels of the timed loop in another order": (
        [("optimizer, x_train, y_train, order", "optimizer, x_train, y_train[::-1], order")],
        "y_train",
    ),
    "labels of a batch in another order": ([(BATCHES, "x[i], y[np.sort(i)]) for i in batches]")], cnn.FIRST_LOSS),
    "labels not indexed by the order": ([(BATCHES, "x[i], y[:len(i)]) for i in batches]")], cnn.FIRST_LOSS),
    **cnn.dampened("MomentumOptimizer(learning_rate, momentum)"),
    "Nesterov's momentum": (
        [("Optimizer(learning_rate, momentum)", "Optimizer(learning_rate, momentum, use_nesterov=True)")],
        cnn.CHANGE,
    ),
    "plain SGD": ([("MomentumOptimizer(learning_rate, momentum)", "GradientDescentOptimizer(learning_rate)")], cnn.CHANGE),
    "weight decay": (
        [("loss(model.y, model.logits)",
          "loss(model.y, model.logits) + sum(5e-5 * tf.reduce_sum(v * v) for v in model.variables)")],
        cnn.CHANGE,
    ),
    "sum of the losses": (
        [("loss = tf.losses.sparse_softmax_cross_entropy\n",
          "loss = lambda y, z: tf.losses.sparse_softmax_cross_entropy(y, z, reduction='weighted_sum')\n")],
        "gradient of",
    ),
    "softmax applied twice": (
        [("    return tf.layers.dense(x, 10, name=\"dense2\")",
          "    return tf.nn.softmax(tf.layers.dense(x, 10, name=\"dense2\"))")],
        "gradient of",
    ),
    "padding at two sides only": (
        [('tf.layers.conv2d(x, 100, 3, padding="same", activation=tf.nn.relu, name="conv3")',
          'tf.layers.conv2d(tf.pad(x, ((0, 0), (0, 2), (0, 2), (0, 0))), 100, 3, activation=tf.nn.relu, name="conv3")')],
        "gradient of",
    ),
    **cnn.swapped("to_images(data.x_train)", "to_images(data.x_test)"),
}
