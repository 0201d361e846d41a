"""Mistakes for tests/plant.py to plant in the lesson notebooks/cnn_cifar10/tensorflow1.ipynb: see tests/plants/cnn_cifar10.py."""

from tests.plants import cnn_cifar10 as cnn

SGD = "tf.train.MomentumOptimizer(LEARNING_RATE, MOMENTUM)"

PLANTS = {
    **cnn.SHARED,
    **cnn.averaged(),
    **cnn.own_run("minibatches(x_train, y_train)"),
    **cnn.counted("(predict(x) == y).mean()", "for i in range(0, len(x), BATCH_SIZE)"),
    "dropout before the first pooling": (
        [
            ("h = tf.nn.relu(tf.layers.max_pooling2d(h, 2, 2))  # (N, 16, 16, 50)\nh = tf.layers.dropout(h, DROPOUT[0], training=training)",
             "h = tf.layers.dropout(h, DROPOUT[0], training=training)\nh = tf.nn.relu(tf.layers.max_pooling2d(h, 2, 2))"),
        ],
        cnn.DROPOUT,
    ),
    "dropout before the second pooling": (
        [
            ("h = tf.nn.relu(tf.layers.max_pooling2d(h, 2, 2))  # (N, 8, 8, 100)\nh = tf.layers.dropout(h, DROPOUT[1], training=training)",
             "h = tf.layers.dropout(h, DROPOUT[1], training=training)\nh = tf.nn.relu(tf.layers.max_pooling2d(h, 2, 2))"),
        ],
        cnn.DROPOUT,
    ),
    "dropout on in evaluation": ([("session.run(classes, {images: batch}) for", "session.run(classes, {images: batch, training: True}) for")], cnn.EVALUATION),
    "dropout off in training": ([("{images: x, labels: y, training: True}", "{images: x, labels: y}")], "the masks repeat|their deviation"),
    "last partial batch dropped in training": ([("for x, y in batches])", "for x, y in batches if len(x) == BATCH_SIZE])")], cnn.SHORT_TRAINING),
    "labels of a batch in another order": ([("labels: y, training", "labels: y[::-1], training")], cnn.FIRST_LOSS),
    "momentum forgotten": ([(SGD, "tf.train.GradientDescentOptimizer(LEARNING_RATE)")], cnn.CHANGE),
    "Nesterov's momentum": ([(SGD, SGD[:-1] + ", use_nesterov=True)")], cnn.CHANGE),
    "weight decay": ([("optimizer.minimize(loss)", "optimizer.minimize(loss + 5e-5 * sum(tf.reduce_sum(v ** 2) for v in tf.trainable_variables()))")], cnn.CHANGE),
}
