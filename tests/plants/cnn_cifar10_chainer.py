"""Mistakes for tests/plant.py to plant in notebooks/cnn_cifar10/chainer.ipynb. Plain Python 3.6."""

from tests.plants import cnn_cifar10 as cnn

SGD = "chainer.optimizers.MomentumSGD(learning_rate, momentum)"
SETUP = "    return " + SGD + ".setup(model)"
HOOK = "    optimizer = " + SGD + ".setup(model)\n    optimizer.add_hook({})\n    return optimizer"
IMAGES = "x_train, x_test = data.x_train, data.x_test"
WHOLE = "[: len(x) // BATCH_SIZE * BATCH_SIZE]"

PLANTS = {
    **cnn.dropouts(),
    "dropout on in evaluation": (
        [('    with chainer.using_config("train", False), chainer', "    with chainer")],
        cnn.EVALUATION,
    ),
    "dropout off in training": (
        [
            (
                "value = loss(model(x), y)",
                'with chainer.using_config("train", False):\n        value = loss(model(x), y)',
            )
        ],
        "the masks repeat",
    ),
    "every mask drawn from the same seed, as iDeep's within a second": (
        [
            (
                '    with chainer.using_config("use_ideep"',
                '    np.random.seed(1)\n    with chainer.using_config("use_ideep"',
            )
        ],
        "the masks repeat",
    ),
    "last partial batch dropped in predict and evaluate": (
        [
            ("for batch in batches]", "for batch in batches if len(batch) == BATCH_SIZE]"),
            ("(model, x) == y)", "(model, x) == y" + WHOLE + ")"),
        ],
        cnn.SHORT_PREDICTION,
    ),
    "last partial batch dropped in evaluate": (
        [("(predict(model, x) == y)", "(predict(model, x) == y)" + WHOLE)],
        cnn.SHORT_EVALUATION,
    ),
    **cnn.gathered(),
    "gradients not cleared": ([("    model.cleargrads()\n    value", "    value")], cnn.SECOND_LOSS),
    "the update forgotten": ([("    optimizer.update()\n", "")], cnn.SECOND_LOSS),
    **cnn.dampened(SGD),
    "Nesterov's momentum": ([(SGD, "chainer.optimizers.NesterovAG(learning_rate, momentum)")], cnn.CHANGE),
    "no momentum": ([(SGD, "chainer.optimizers.SGD(learning_rate)")], cnn.CHANGE),
    "weight decay": ([(SETUP, HOOK.format("chainer.optimizer_hooks.WeightDecay(1e-4)"))], cnn.CHANGE),
    "gradients clipped": ([(SETUP, HOOK.format("chainer.optimizer_hooks.GradientClipping(0.5)"))], cnn.CHANGE),
    "softmax applied twice": (
        [("loss = F.softmax_cross_entropy", "loss = lambda x, y: F.softmax_cross_entropy(F.softmax(x), y)")],
        "gradient of",
    ),
    "the sum instead of the mean": (
        [("loss = F.softmax_cross_entropy", 'loss = lambda x, y: F.sum(F.softmax_cross_entropy(x, y, reduce="no"))')],
        "gradient of",
    ),
    "average pooling": ([("F.max_pooling_2d(", "F.average_pooling_2d(")], "gradient of"),
    "kernels turned by half a turn": (
        [("{chainer_name(name): w for", "{chainer_name(name): w[..., ::-1, ::-1].copy() if w.ndim == 4 else w for")],
        "gradient of",
    ),
    **cnn.swapped(IMAGES),
}
