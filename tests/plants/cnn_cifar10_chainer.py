"""Mistakes for tests/plant.py to plant in the lesson notebooks/cnn_cifar10/chainer.ipynb: see tests/plants/cnn_cifar10.py."""

from tests.plants import cnn_cifar10 as cnn

SGD = "chainer.optimizers.MomentumSGD(lr=LEARNING_RATE, momentum=MOMENTUM)"
RUN = "train_epoch(model, optimizer, train_iter)"

PLANTS = {
    **cnn.SHARED,
    **cnn.averaged(),
    **cnn.own_run("train_epoch(model, optimizer, train_iter)"),
    cnn.HALF: ([(RUN, "train_epoch(model, optimizer, list(train_iter)[::2])")], cnn.STEPS),
    cnn.LABELS: ([("TupleDataset(x_train, y_train)", "TupleDataset(x_train, np.roll(y_train, 7))")], cnn.LEARNED),
    **cnn.counted("(predict(model, x) == y).mean()", "for i in range(0, len(x), BATCH_SIZE)"),
    "dropout before the first pooling": (
        [
            ("x = F.relu(F.max_pooling_2d(self.conv2(x), 2))", "x = F.relu(F.max_pooling_2d(dropout(self.conv2(x), DROPOUT[0]), 2))"),
            ("self.conv3(dropout(x, DROPOUT[0]))", "self.conv3(x)"),
        ],
        cnn.DROPOUT,
    ),
    "dropout before the second pooling": (
        [
            ("x = F.relu(F.max_pooling_2d(self.conv4(x), 2))", "x = F.relu(F.max_pooling_2d(dropout(self.conv4(x), DROPOUT[1]), 2))"),
            ("self.dense1(dropout(x, DROPOUT[1]))", "self.dense1(x)"),
        ],
        cnn.DROPOUT,
    ),
    "dropout on in evaluation": ([('chainer.using_config("train", False), ', "")], cnn.EVALUATION),
    "iDeep's own dropout, whose masks repeat": ([('with chainer.using_config("use_ideep", "never"):', "if True:")], cnn.MASKS),
    "last partial batch dropped in training": ([("    for batch in batches:\n", "    for batch in batches:\n        if len(batch) < BATCH_SIZE:\n            continue\n")], cnn.SHORT_TRAINING),
    "labels of a batch in another order": ([("train_step(model, optimizer, x, y))", "train_step(model, optimizer, x, y[::-1]))")], cnn.FIRST_LOSS),
    "momentum forgotten": ([(SGD, "chainer.optimizers.SGD(lr=LEARNING_RATE)")], cnn.CHANGE),
    "Nesterov's momentum": ([(SGD, "chainer.optimizers.NesterovAG(lr=LEARNING_RATE, momentum=MOMENTUM)")], cnn.CHANGE),
    "weight decay": ([(".setup(model)", ".setup(model)\noptimizer.add_hook(chainer.optimizer_hooks.WeightDecay(1e-4))")], cnn.CHANGE),
}
