"""Mistakes for tests/plant.py to plant in notebooks/cnn_cifar10/caffe2.ipynb. Plain Python 3.6."""

from tests.plants import cnn_cifar10 as cnn

IMAGES = "x_train, x_test = data.x_train, data.x_test"
WHOLE = "[: len(x) // BATCH_SIZE * BATCH_SIZE]"
LOGITS = 'net.SoftmaxWithLoss(["dense2", "label"], ["softmax", "loss"]'

PLANTS = {
    **cnn.dropouts(),
    "dropout on in evaluation": ([("dict(scope, is_test=1)", "scope")], cnn.EVALUATION),
    "dropout off in training": ([('"is_test": 0', '"is_test": 1')], "the masks repeat"),
    "RunNetOnce, which seeds dropout anew in every step": (
        [("RunNet(model.train.net)", "RunNetOnce(model.train.net)")],
        "the masks repeat",
    ),
    "last partial batch dropped in predict and evaluate": (
        [
            ("np.split(x, range(BATCH_SIZE, len(x), BATCH_SIZE))", "np.split(x" + WHOLE + ", len(x) // BATCH_SIZE)"),
            ("(model, x) == y)", "(model, x) == y" + WHOLE + ")"),
        ],
        cnn.SHORT_PREDICTION,
    ),
    "last partial batch dropped in evaluate": (
        [("(predict(model, x) == y)", "(predict(model, x) == y)" + WHOLE)],
        cnn.SHORT_EVALUATION,
    ),
    **cnn.gathered(),
    "build_sgd's own Nesterov momentum": ([(", nesterov=0", "")], cnn.CHANGE),
    **cnn.dampened("build_sgd(train, learning_rate"),
    "no momentum": ([("momentum=momentum, nesterov", "momentum=0.0, nesterov")], cnn.CHANGE),
    "a learning rate that decays": ([('policy="fixed"', 'policy="exp", gamma=0.99')], cnn.CHANGE),
    "weight decay": (
        [
            (
                "    sgd = build_sgd(",
                "    from caffe2.python.optimizer import add_weight_decay\n"
                "    if learning_rate:\n"
                "        add_weight_decay(train, 1e-4)\n"
                "    sgd = build_sgd(",
            )
        ],
        cnn.CHANGE,
    ),
    "the weights filled again by the optimizer's net": (
        [('    train.param_init_net = core.Net("optimizer_init")\n', "")],
        cnn.FIRST_LOSS,
    ),
    "softmax applied twice": (
        [(LOGITS, LOGITS.replace('"dense2"', 'net.Softmax("dense2", "probabilities")'))],
        "gradient of",
    ),
    "the loss times 2": ([(LOGITS, LOGITS + ", scale=2.0")], "gradient of"),
    "padding on one side": ([("pad=1", "pad_t=2, pad_l=2, pad_b=0, pad_r=0")], "gradient of"),
    "average pooling": ([("brew.max_pool(", "brew.average_pool(")], "gradient of"),
    "kernels turned by half a turn": (
        [("FeedBlob(blob(name), w)", "FeedBlob(blob(name), w[..., ::-1, ::-1].copy() if w.ndim == 4 else w)")],
        "gradient of",
    ),
    "width and height swapped in Data": (
        [(IMAGES, "x_train, x_test = data.x_train.swapaxes(2, 3).copy(), data.x_test.swapaxes(2, 3).copy()")],
        cnn.EVALUATION,
    ),
    "width and height swapped in the training images": (
        [(IMAGES, "x_train, x_test = data.x_train.swapaxes(2, 3).copy(), data.x_test")],
        cnn.TRAINING_IMAGES,
    ),
}
