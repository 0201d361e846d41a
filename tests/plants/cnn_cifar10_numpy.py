"""Mistakes for tests/plant.py to plant in the lesson notebooks/cnn_cifar10/numpy.ipynb: see tests/plants/cnn_cifar10.py."""

from tests.plants import cnn_cifar10 as cnn

STEP = "                p -= self.learning_rate * v\n"

PLANTS = {
    **cnn.SHARED,
    **cnn.averaged(),
    **cnn.counted("np.mean(predict(model, x) == y)", "for k in range(0, len(x), BATCH_SIZE)"),
    cnn.HALF: ([("y_train, rng.permutation(len(x_train)))", "y_train, rng.permutation(len(x_train))[::2])")], cnn.STEPS),
    cnn.LABELS: ([("train_epoch(model, optimizer, x_train, y_train, rng", "train_epoch(model, optimizer, x_train, np.roll(y_train, 7), rng")], cnn.LEARNED),
    cnn.THREE_POINTS: ([("history.append((losses, train_accuracy, test_accuracy))", "history.append((losses, train_accuracy, test_accuracy + 0.03))")], cnn.COUNT),
    "dropout before the first pooling": ([("MaxPool(), ReLU(), Dropout(DROPOUT[0]),", "Dropout(DROPOUT[0]), MaxPool(), ReLU(),")], cnn.DROPOUT),
    "dropout before the second pooling": ([("MaxPool(), ReLU(), Dropout(DROPOUT[1]),", "Dropout(DROPOUT[1]), MaxPool(), ReLU(),")], cnn.DROPOUT),
    "dropout on in evaluation": ([("forward(model, batch).argmax(axis=1)", "forward(model, batch, training=True).argmax(axis=1)")], cnn.EVALUATION),
    "last partial batch dropped in training": ([("for i in batches]", "for i in batches if len(i) == BATCH_SIZE]")], cnn.SHORT_TRAINING),
    "labels of a batch in another order": ([("train_step(model, optimizer, x[i], y[i])", "train_step(model, optimizer, x[i], y[i][::-1])")], cnn.FIRST_LOSS),
    "one update in ten left out": ([(STEP, "                p -= self.learning_rate * v * (np.random.rand() > 0.1)\n")], "first wrong loss at step"),
    "momentum with dampening": ([("                v += grad\n", "                v += (1 - self.momentum) * grad\n")], cnn.CHANGE),
    "weight decay": ([("                v += grad\n", "                v += grad + 1e-4 * p\n")], cnn.CHANGE),
    "the gradient of max pooling to all equal values": ([("                free &= ~largest\n".replace("                ", "            "), "")], cnn.GRADIENT),
    "the kernel not turned in the gradient of the images": ([("kernel[::-1, ::-1].swapaxes(2, 3)", "kernel.swapaxes(2, 3)")], cnn.GRADIENT),
}
