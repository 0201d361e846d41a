"""Mistakes for tests/plant.py to plant in the lesson notebooks/cnn_cifar10/lasagne.ipynb: see tests/plants/cnn_cifar10.py."""

from tests.plants import cnn_cifar10 as cnn

UPDATES = "lasagne.updates.momentum(loss, params, LEARNING_RATE, MOMENTUM)"
POOLED = "net = layers.NonlinearityLayer(layers.MaxPool2DLayer(net, 2))  # (N, {0})\nnet = layers.DropoutLayer(net, DROPOUT[{1}])\n"
BEFORE = "net = layers.DropoutLayer(net, DROPOUT[{0}])\nnet = layers.NonlinearityLayer(layers.MaxPool2DLayer(net, 2))\n"

PLANTS = {
    **cnn.SHARED,
    **cnn.averaged(),
    **cnn.own_run("iterate_minibatches(x_train, y_train)"),
    **cnn.counted("np.mean(predict(x) == y)", "for k in range(0, len(x), BATCH_SIZE)"),
    "dropout before the first pooling": ([(POOLED.format("50, 16, 16", 0), BEFORE.format(0))], cnn.DROPOUT),
    "dropout before the second pooling": ([(POOLED.format("100, 8, 8", 1), BEFORE.format(1))], cnn.DROPOUT),
    "dropout on in evaluation": ([("layers.get_output(model, deterministic=True)", "layers.get_output(model)")], cnn.EVALUATION),
    "last partial batch dropped in training": ([("for x, y in batches])", "for x, y in batches if len(x) == BATCH_SIZE])")], cnn.SHORT_TRAINING),
    "labels of a batch in another order": ([("train_step(x, y) for", "train_step(x, y[::-1]) for")], cnn.FIRST_LOSS),
    "momentum forgotten": ([(UPDATES, "lasagne.updates.sgd(loss, params, LEARNING_RATE)")], cnn.CHANGE),
    "Nesterov's momentum": ([(UPDATES, UPDATES.replace("momentum(", "nesterov_momentum("))], cnn.CHANGE),
    "weight decay": ([(UPDATES, UPDATES.replace("(loss,", "(loss + 5e-5 * lasagne.regularization.regularize_network_params(model, lasagne.regularization.l2, {'trainable': True}),"))], cnn.CHANGE),
}
