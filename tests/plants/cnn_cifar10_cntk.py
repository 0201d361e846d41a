"""Mistakes for tests/plant.py to plant in the lesson notebooks/cnn_cifar10/cntk.ipynb: see tests/plants/cnn_cifar10.py."""

from tests.plants import cnn_cifar10 as cnn

LEARNER = "C.momentum_sgd(model.parameters, learning_rate, momentum, unit_gain=False)"
POOLED = "        C.layers.MaxPooling((2, 2), strides=2, pad=False),  # ({0})\n        C.relu,\n        C.layers.Dropout(DROPOUT[{1}]),\n"
BEFORE = "        C.layers.Dropout(DROPOUT[{0}]),\n        C.layers.MaxPooling((2, 2), strides=2, pad=False),\n        C.relu,\n"

PLANTS = {
    **cnn.SHARED,
    **cnn.averaged(),
    **cnn.own_run("minibatches(x_train, y_train)"),
    **cnn.counted("(predict(model, x) == y).mean()", "for k in range(0, len(x), BATCH_SIZE)"),
    "dropout before the first pooling": ([(POOLED.format("50, 16, 16", 0), BEFORE.format(0))], cnn.DROPOUT),
    "dropout before the second pooling": ([(POOLED.format("100, 8, 8", 1), BEFORE.format(1))], cnn.DROPOUT),
    "dropout on in evaluation": (
        [("model(batch).argmax(axis=1)", "np.array(list(model.forward({features: batch}, model.outputs, set(model.outputs))[1].values())[0]).argmax(axis=1)")],
        cnn.EVALUATION,
    ),
    "last partial batch dropped in training": ([("for x, y in batches]", "for x, y in batches if len(x) == BATCH_SIZE]")], cnn.SHORT_TRAINING),
    "labels of a batch in another order": ([("C.Value.one_hot(y, 10)", "C.Value.one_hot(y[::-1], 10)")], cnn.FIRST_LOSS),
    "momentum of unit gain": ([(LEARNER, LEARNER.replace("unit_gain=False", "unit_gain=True"))], cnn.CHANGE),
    "momentum forgotten": ([(LEARNER, "C.sgd(model.parameters, learning_rate)")], cnn.CHANGE),
    "Nesterov's momentum": ([(LEARNER, LEARNER.replace("momentum_sgd", "nesterov"))], cnn.CHANGE),
    "weight decay": ([(LEARNER, LEARNER[:-1] + ", l2_regularization_weight=1e-4)")], cnn.CHANGE),
}
