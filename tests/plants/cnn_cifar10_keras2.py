"""Mistakes for tests/plant.py to plant in notebooks/cnn_cifar10/keras2.ipynb: see cnn_cifar10_pytorch.py."""

from tests.plants import cnn_cifar10 as cnn

WHOLE = "[: len(x) // BATCH_SIZE * BATCH_SIZE]"
ITEM = "        return self.x[i], self.y[i]"
PARTS = "        self.parts = np.split(order, range(BATCH_SIZE, len(order), BATCH_SIZE))\n"

PLANTS = {
    **cnn.dropouts(),
    "dropout on in evaluation": (
        [("layers.Dropout(dropout[0])", "layers.Lambda(lambda x: keras.backend.dropout(x, 0.25))")],
        cnn.EVALUATION,
    ),
    "last partial batch dropped in predict and evaluate": (
        [("model.predict(x, ", "model.predict(x" + WHOLE + ", "),
         ("(predict(model, x) == y)", "(predict(model, x) == y" + WHOLE + ")")],
        cnn.SHORT_PREDICTION,
    ),
    "last partial batch dropped in evaluate": (
        [("(predict(model, x) == y)", "(predict(model, x) == y)" + WHOLE)],
        cnn.SHORT_EVALUATION,
    ),
    "last partial batch dropped in training": (
        [(PARTS, PARTS + "        self.parts = [i for i in self.parts if len(i) == BATCH_SIZE]\n")],
        cnn.SHORT_TRAINING,
    ),
    "labels of the timed loop in another order": (
        [("optimizer, x_train, y_train, order", "optimizer, x_train, y_train[::-1], order")],
        "y_train",
    ),
    "labels of a batch in another order": ([(ITEM, "        return self.x[i], self.y[np.sort(i)]")], cnn.FIRST_LOSS),
    "labels not indexed by the order": ([(ITEM, "        return self.x[i], self.y[:len(i)]")], cnn.FIRST_LOSS),
    "mini-batches shuffled by fit": ([("shuffle=False, verbose=0, workers=0", "verbose=0")], "the first wrong loss at step"),
    **cnn.dampened("SGD(learning_rate, momentum)"),
    "Nesterov's momentum": (
        [("SGD(learning_rate, momentum)", "SGD(learning_rate, momentum, nesterov=True)")],
        cnn.CHANGE,
    ),
    "a decaying learning rate": (
        [("SGD(learning_rate, momentum)", "SGD(learning_rate, momentum, decay=1e-3)")],
        cnn.CHANGE,
    ),
    "weight decay": (
        [('layers.Dense(512, activation="relu")',
          'layers.Dense(512, activation="relu", kernel_regularizer=keras.regularizers.l2(5e-5))')],
        "gradient of",
    ),
    "softmax applied twice": ([("layers.Dense(10)", 'layers.Dense(10, activation="softmax")')], "gradient of"),
    "probabilities expected": ([("from_logits=True", "from_logits=False")], "gradient of"),
    "padding left out": (
        [('layers.Conv2D(100, 3, padding="same"),', "layers.ZeroPadding2D(((0, 2), (0, 2))), layers.Conv2D(100, 3),")],
        "gradient of",
    ),
    "kernels flipped": ([('w[::-1, ::-1] if BACKEND == "theano"', 'w[::-1, ::-1] if BACKEND != "theano"')], cnn.FIRST_LOSS),
    **cnn.swapped("to_images(data.x_train)", "to_images(data.x_test)"),
}
