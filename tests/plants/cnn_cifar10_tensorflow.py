"""Mistakes for tests/plant.py to plant in the lesson notebooks/cnn_cifar10/tensorflow.ipynb: see tests/plants/cnn_cifar10.py."""

from tests.plants import cnn_cifar10 as cnn

SGD = "tf.keras.optimizers.SGD(LEARNING_RATE, momentum=MOMENTUM)"
POOLED = [
    ("    layers.MaxPooling2D(),\n    layers.ReLU(),\n    layers.Dropout(DROPOUT[%d]),\n", "    layers.Dropout(DROPOUT[%d]),\n    layers.MaxPooling2D(),\n    layers.ReLU(),\n")
]

PLANTS = {
    **cnn.SHARED,
    **cnn.averaged(),
    "dropout before the first pooling": ([(POOLED[0][0] % 0, POOLED[0][1] % 0)], cnn.DROPOUT),
    "dropout before the second pooling": ([(POOLED[0][0] % 1, POOLED[0][1] % 1)], cnn.DROPOUT),
    "dropout on in evaluation": ([("tf.argmax(model(x, training=False), axis=1)", "tf.argmax(model(x, training=True), axis=1)")], cnn.EVALUATION),
    "one seed for all dropout layers": ([("layers.Dropout(DROPOUT[%d])" % i, "layers.Dropout(DROPOUT[%d], seed=SEED)" % i) for i in range(3)], cnn.MASKS),
    "the accuracy of the first 300 samples": (
        [("tf.data.Dataset.from_tensor_slices((x, y)).batch(BATCH_SIZE):", "tf.data.Dataset.from_tensor_slices((x[:300], y[:300])).batch(BATCH_SIZE):")],
        cnn.SHARE,
    ),
    "last partial batch dropped in predict": (
        [("tf.data.Dataset.from_tensor_slices(x).batch(BATCH_SIZE)", "tf.data.Dataset.from_tensor_slices(x).batch(BATCH_SIZE, drop_remainder=True)")],
        cnn.SHORT_PREDICTION,
    ),
    "last partial batch dropped in training": ([("for x, y in batches]", "for x, y in batches if len(x) == BATCH_SIZE]")], cnn.SHORT_TRAINING),
    "labels of a batch in another order": ([("train_step(model, optimizer, x, y) for", "train_step(model, optimizer, x, y[::-1]) for")], cnn.FIRST_LOSS),
    cnn.LABELS: ([("from_tensor_slices((x, y)).shuffle(len(x))", "from_tensor_slices((x, tf.roll(y, 7, 0))).shuffle(len(x))")], cnn.LEARNED),
    cnn.HALF: ([("train_epoch(model, optimizer, batches)\n    train_accuracy", "train_epoch(model, optimizer, list(batches)[::2])\n    train_accuracy")], cnn.STEPS),
    cnn.THREE_POINTS: ([("history.append((losses, train_accuracy, test_accuracy))", "history.append((losses, train_accuracy, test_accuracy + 0.03))")], cnn.COUNT),
    "momentum forgotten": ([(SGD, "tf.keras.optimizers.SGD(LEARNING_RATE)")], cnn.CHANGE),
    "Nesterov's momentum": ([(SGD, SGD[:-1] + ", nesterov=True)")], cnn.CHANGE),
    "weight decay": ([(SGD, SGD[:-1] + ", weight_decay=1e-4)")], cnn.CHANGE),
    "gradients clipped before the update": ([(SGD, SGD[:-1] + ", clipnorm=1.0)")], cnn.CHANGE),
}
