"""Mistakes for tests/plant.py to plant in the lesson notebooks/cnn_cifar10/caffe2.ipynb: see tests/plants/cnn_cifar10.py."""

from tests.plants import cnn_cifar10 as cnn

SGD = 'build_sgd(train_model, LEARNING_RATE, policy="fixed", momentum=MOMENTUM, nesterov=0)'

PLANTS = {
    **cnn.SHARED,
    **cnn.averaged(),
    **cnn.own_run("minibatches(x_train, y_train)"),
    **cnn.counted("(predict(x) == y).mean()", "for start in range(0, len(x), BATCH_SIZE):\n        workspace"),
    "dropout before the first pooling": (
        [
            ('brew.max_pool(model, "conv2", "pool1"', 'brew.dropout(model, "conv2", "drop1", ratio=float(DROPOUT[0]))\n    brew.max_pool(model, "drop1", "pool1"'),
            ('    brew.dropout(model, "relu1", "drop1", ratio=float(DROPOUT[0]))  # refuses the integer 0\n', ""),
            ('conv(model, "drop1", "conv3"', 'conv(model, "relu1", "conv3"'),
        ],
        cnn.DROPOUT,
    ),
    "dropout before the second pooling": (
        [
            ('brew.max_pool(model, "conv4", "pool2"', 'brew.dropout(model, "conv4", "drop2", ratio=float(DROPOUT[1]))\n    brew.max_pool(model, "drop2", "pool2"'),
            ('    brew.dropout(model, "relu2", "drop2", ratio=float(DROPOUT[1]))\n', ""),
            ('brew.fc(model, "drop2", "dense1"', 'brew.fc(model, "relu2", "dense1"'),
        ],
        cnn.DROPOUT,
    ),
    "dropout on in evaluation": ([('test_scope = {"order": "NCHW", "is_test": 1}', 'test_scope = {"order": "NCHW", "is_test": 0}')], cnn.EVALUATION),
    "last partial batch dropped in training": ([("for x, y in batches]", "for x, y in batches if len(x) == BATCH_SIZE]")], cnn.SHORT_TRAINING),
    "labels of a batch in another order": ([('FeedBlob("label", y)', 'FeedBlob("label", y[::-1].copy())')], cnn.FIRST_LOSS),
    "the net made anew in every step, whose masks repeat": ([("workspace.RunNet(train_model.net)", "workspace.RunNetOnce(train_model.net)")], cnn.MASKS),
    "momentum forgotten": ([(SGD, SGD.replace("momentum=MOMENTUM", "momentum=0.0"))], cnn.CHANGE),
    "Nesterov's momentum": ([(SGD, SGD.replace("nesterov=0", "nesterov=1"))], cnn.CHANGE),
}
