"""Mistakes for tests/plant.py to plant in the lesson notebooks/cnn_cifar10/mxnet_module.ipynb: see tests/plants/cnn_cifar10.py."""

from tests.plants import cnn_cifar10 as cnn

SETTINGS = 'optimizer_params = {"learning_rate": LEARNING_RATE, "momentum": MOMENTUM, "rescale_grad": 1}'
POOLED = (
    'net = mx.sym.Pooling(net, pool_type="max", kernel=(2, 2), stride=(2, 2))  # (N, {0})\n'
    'net = mx.sym.Activation(net, act_type="relu")\n'
    "net = mx.sym.Dropout(net, p=DROPOUT[{1}])\n"
)
BEFORE = (
    "net = mx.sym.Dropout(net, p=DROPOUT[{0}])\n"
    'net = mx.sym.Pooling(net, pool_type="max", kernel=(2, 2), stride=(2, 2))\n'
    'net = mx.sym.Activation(net, act_type="relu")\n'
)
FIT = """
def remembering(fit):
    def fitting(*given, **named):
        globals()["earlier"] = check.read() if "check" in globals() and model.params_initialized else None
        return fit(*given, **named)

    return fitting


model.fit = remembering(model.fit)
"""

PLANTS = {
    **cnn.SHARED,
    "averaged weights in predict": (
        [("model = mx.mod.Module(mx.sym.Group([softmax, loss]), context=ctx)", "model = mx.mod.Module(mx.sym.Group([softmax, loss]), context=ctx)" + FIT), ("def evaluate(", cnn.AVERAGED)],
        cnn.AFTER,
    ),
    "dropout before the first pooling": ([(POOLED.format("50, 16, 16", 0), BEFORE.format(0))], cnn.DROPOUT),
    "dropout before the second pooling": ([(POOLED.format("100, 8, 8", 1), BEFORE.format(1))], cnn.DROPOUT),
    "dropout on in evaluation": ([("net = mx.sym.Dropout(net, p=DROPOUT[2])", 'net = mx.sym.Dropout(net, p=DROPOUT[2], mode="always")')], cnn.EVALUATION),
    "the accuracy of the first 300 samples": ([("model.score(Minibatches(x, y, BATCH_SIZE)", "model.score(Minibatches(x[:300], y[:300], BATCH_SIZE)")], cnn.SHARE),
    "last partial batch dropped in predict": (
        [("probabilities, _ = model.predict(Minibatches(x, labels, BATCH_SIZE))", "n = len(x) // BATCH_SIZE * BATCH_SIZE\n    probabilities, _ = model.predict(Minibatches(x[:n], labels[:n], BATCH_SIZE))")],
        cnn.SHORT_PREDICTION,
    ),
    "last partial batch filled up in training": ([("        if batch.pad:", "        if False:")], "loss at step 20|losses; expected"),
    cnn.LABELS: ([("Minibatches(x_train, y_train, BATCH_SIZE, shuffle=True)", "Minibatches(x_train, mx.nd.array(np.roll(y_train.asnumpy(), 7)), BATCH_SIZE, shuffle=True)")], cnn.LEARNED),
    cnn.HALF: ([("    Minibatches(x_train, y_train, BATCH_SIZE, shuffle=True),", "    Minibatches(x_train[:640], y_train[:640], BATCH_SIZE, shuffle=True),")], cnn.STEPS),
    cnn.THREE_POINTS: ([("train_accuracy, test_accuracy))", "train_accuracy, test_accuracy + 0.03))")], cnn.COUNT),
    "gradients not divided by the batch": ([(', normalization="batch", name="softmax")', ', name="softmax")')], cnn.CHANGE),
    "an update divided by the batch once more": ([(', "rescale_grad": 1}', "}")], cnn.CHANGE),
    "momentum forgotten": ([(SETTINGS, SETTINGS.replace('"momentum": MOMENTUM, ', ""))], cnn.CHANGE),
    "Nesterov's momentum": ([('optimizer = "sgd"', 'optimizer = "nag"')], cnn.CHANGE),
    "weight decay": ([(SETTINGS, SETTINGS[:-1] + ', "wd": 1e-4}')], cnn.CHANGE),
}
