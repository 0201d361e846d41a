"""Mistakes for tests/plant.py to plant in notebooks/cnn_cifar10/lasagne.ipynb. Plain Python 3.6."""

from tests.plants import cnn_cifar10 as cnn

WHOLE = "[: len(x) // BATCH_SIZE * BATCH_SIZE]"
UPDATES = "lasagne.updates.momentum(cost, params, learning_rate, momentum)"
PENALTY = "lasagne.regularization.regularize_network_params(model, lasagne.regularization.l2)"
IMAGES = "x_train, x_test = data.x_train, data.x_test"

PLANTS = {
    **cnn.dropouts(),
    "dropout on in evaluation": (
        [("layers.get_output(model, images, deterministic=True)", "layers.get_output(model, images)")],
        cnn.EVALUATION,
    ),
    "dropout off in training": (
        [("layers.get_output(model, images), labels", "layers.get_output(model, images, deterministic=True), labels")],
        "the masks repeat",
    ),
    "dropout without scaling": ([("dropout[2])", "dropout[2], rescale=False)")], "standard errors off"),
    "last partial batch dropped in predict and evaluate": (
        [
            ("[step(batch) for batch in batches]", "[step(batch) for batch in batches if len(batch) == BATCH_SIZE]"),
            ("(model, x) == y)", "(model, x) == y" + WHOLE + ")"),
        ],
        cnn.SHORT_PREDICTION,
    ),
    "last partial batch dropped in evaluate": (
        [("np.mean(predict(model, x) == y)", "np.mean((predict(model, x) == y)" + WHOLE + ")")],
        cnn.SHORT_EVALUATION,
    ),
    **cnn.gathered(),
    "the updates forgotten": ([(", updates=optimizer(cost))", ")")], cnn.SECOND_LOSS),
    **cnn.dampened(UPDATES),
    "Nesterov's momentum": ([(UPDATES, UPDATES.replace("momentum(", "nesterov_momentum("))], cnn.CHANGE),
    "no momentum": ([(UPDATES, "lasagne.updates.sgd(cost, params, learning_rate)")], cnn.CHANGE),
    "momentum of another default": ([(UPDATES, UPDATES.replace(", momentum)", ", 0.99)"))], cnn.CHANGE),
    "weight decay": ([(UPDATES, UPDATES.replace("(cost,", "(cost + 1e-4 * " + PENALTY + ","))], cnn.CHANGE),
    "kernels not flipped": ([("w[:, :, ::-1, ::-1] if w.ndim", "w if w.ndim")], "gradient of"),
    "softmax left out": (
        [("layers.DenseLayer(net, 10, nonlinearity=lasagne.nonlinearities.softmax)", "layers.DenseLayer(net, 10)")],
        "gradient of",
    ),
    "softmax applied twice": (
        [("crossentropy(probabilities, y)", "crossentropy(T.nnet.softmax(probabilities), y)")],
        "gradient of",
    ),
    "the sum instead of the mean": ([("(probabilities, y).mean()", "(probabilities, y).sum()")], "gradient of"),
    "average pooling": (
        [("layers.MaxPool2DLayer(net, 2)", 'layers.Pool2DLayer(net, 2, mode="average_inc_pad")')],
        "gradient of",
    ),
    **cnn.swapped(IMAGES),
}
