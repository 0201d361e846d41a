"""Mistakes planted in the lesson notebooks/cnn_mnist/tensorflow1.ipynb: see cnn_mnist.py."""

from tests.plants import cnn_mnist as cnn

LOSS = "loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)"
ADAM = "optimizer = tf.train.AdamOptimizer(LEARNING_RATE)"
FED = "{images: x, labels: y})\n    return value"
RUN = "train_epoch(minibatches(x_train, y_train))"
FIRST = "h = tf.nn.relu(tf.layers.max_pooling2d(h, 2, 2))  # (N, 13, 13, 16)"
FLAT = "tf.layers.flatten(h)"

PLANTS = {
    **cnn.SHARED,
    **cnn.averaged(),
    **cnn.own_run((RUN, "train_epoch(list(minibatches(x_train, y_train))[::2])"), (RUN, "train_epoch(minibatches(x_train, np.roll(y_train, 7)))")),
    "width and height swapped in the model": ([(FLAT, "tf.layers.flatten(tf.transpose(h, (0, 2, 1, 3)))")], cnn.GRADIENT),
    "average pooling": ([(FIRST, FIRST.replace("max_pooling2d", "average_pooling2d"))], cnn.GRADIENT),
    "pooling that keeps the last row": ([(FIRST, 'h = tf.nn.relu(tf.layers.max_pooling2d(h, 2, 2, padding="same"))[:, 1:, 1:]')], cnn.GRADIENT),
    "no ReLU behind the first pooling": ([(FIRST, "h = tf.layers.max_pooling2d(h, 2, 2)")], cnn.GRADIENT),
    "the sum of a batch's losses": ([(LOSS, LOSS[:-1] + ", reduction=tf.losses.Reduction.SUM)")], cnn.GRADIENT),
    "labels of a batch in another order": ([(FED, FED.replace("labels: y", "labels: y[::-1]"))], cnn.FIRST_LOSS),
    "last partial batch dropped in training": ([("for x, y in batches])", "for x, y in batches if len(x) in (8, BATCH_SIZE)])")], cnn.SHORT_TRAINING),
    "last partial batch dropped in predict": ([("    batches = [x[k : k + BATCH_SIZE]", "    x = x[: len(x) // 25 * 25]\n    batches = [x[k : k + BATCH_SIZE]")], cnn.SHORT_PREDICTION),
    "classes of the smallest logit": ([("tf.argmax(logits", "tf.argmin(logits")], cnn.EVALUATION),
    "the accuracy of the first 100 samples": ([("(predict(x) == y).mean()", "(predict(x[:100]) == y[:100]).mean()")], cnn.SHARE),
    "momentum of another size": ([(ADAM, ADAM[:-1] + ", beta1=0.8)")], cnn.LATER),
    "the update of another rate of squares": ([(ADAM, ADAM[:-1] + ", beta2=0.99)")], cnn.LATER),
    "weight decay": ([(LOSS, LOSS + "\nloss = loss + 1e-6 * tf.add_n([tf.nn.l2_loss(v) for v in tf.trainable_variables()])")], cnn.FIRST_LOSS + "|gradient of|" + cnn.LATER),
}
