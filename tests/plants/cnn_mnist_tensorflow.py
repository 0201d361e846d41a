"""Mistakes planted in the lesson notebooks/cnn_mnist/tensorflow.ipynb: see cnn_mnist.py."""

from tests.plants import cnn_mnist as cnn

LOSS = "tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits))"
ADAM = "optimizer = tf.keras.optimizers.Adam(LEARNING_RATE)"
GATHERED = "tf.gather(x, i), tf.gather(y, i))"
STARTS = "for k in range(0, len(order), BATCH_SIZE)]\n    losses"
UPDATE = "    optimizer.apply(grads, model.trainable_variables)\n"
FIRST = "    layers.MaxPooling2D(2),  # (N, 13, 13, 16)\n    layers.ReLU(),\n"

PLANTS = {
    **cnn.SHARED,
    **cnn.averaged(),
    **cnn.own_run(
        ("order = tf.random.shuffle(tf.range(len(x_train)))", "order = tf.random.shuffle(tf.range(len(x_train)))[::2]"),
        ("optimizer, x_train, y_train, order)", "optimizer, x_train, tf.roll(y_train, 7, axis=0), order)"),
    ),
    "width and height swapped in the model": ([("    layers.Flatten(),", "    layers.Permute((2, 1, 3)),\n    layers.Flatten(),")], cnn.GRADIENT),
    "pooling that keeps the last row": ([(FIRST, "    layers.MaxPooling2D(2, padding='same'),\n    layers.ReLU(),\n    layers.Cropping2D(((1, 0), (1, 0))),\n")], cnn.GRADIENT),
    "average pooling": ([(FIRST, FIRST.replace("MaxPooling2D", "AveragePooling2D"))], cnn.GRADIENT),
    "no ReLU behind the first pooling": ([(FIRST, "    layers.MaxPooling2D(2),\n")], cnn.GRADIENT),
    "a softmax at the end": ([("    layers.Dense(10),\n", "    layers.Dense(10, activation='softmax'),\n")], cnn.GRADIENT),
    "the sum of a batch's losses": ([(LOSS, LOSS.replace("reduce_mean", "reduce_sum"))], cnn.GRADIENT),
    "labels of a batch in another order": ([(GATHERED, "tf.gather(x, i), tf.gather(y, i[::-1]))")], cnn.FIRST_LOSS),
    "the order of the samples ignored": ([("batches = [order[k", "batches = [tf.sort(order)[k")], cnn.FIRST_LOSS),
    "last partial batch dropped in training": ([(STARTS, "for k in range(0, max(1, len(order) - 960), BATCH_SIZE)]\n    losses")], cnn.SHORT_TRAINING),
    "last partial batch dropped in predict": ([("for k in range(0, len(x), BATCH_SIZE)], axis=0)", "for k in range(0, len(x), BATCH_SIZE)], axis=0)[: len(x) // 25 * 25]")], cnn.SHORT_PREDICTION),
    "classes of the smallest logit": ([("tf.argmax(model(x)", "tf.argmin(model(x)")], cnn.EVALUATION),
    "the accuracy of the first 100 samples": ([("predict(model, x) == y).numpy() / len(y)", "predict(model, x[:100]) == y[:100]).numpy() / 100")], cnn.SHARE),
    "an update with beta_2 0.99": ([(ADAM, ADAM[:-1] + ", beta_2=0.99)")], cnn.LATER),
    "weight decay": ([(ADAM, ADAM[:-1] + ", weight_decay=0.01)")], cnn.LATER),
    "momentum of another size": ([(ADAM, ADAM[:-1] + ", beta_1=0.8)")], cnn.LATER),
    "an update that is never made": ([(UPDATE, "")], cnn.SECOND_LOSS),
    "one bias without an update": ([(UPDATE, "    grads[-1] = 0 * grads[-1]\n" + UPDATE)], cnn.SECOND_LOSS),
}
