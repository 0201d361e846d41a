"""Mistakes for tests/plant.py to plant in notebooks/cnn_cifar10/cntk.ipynb. Plain Python 3.6."""

from tests.plants import cnn_cifar10 as cnn

SGD = "C.momentum_sgd(model.parameters"
IGNORE = "minibatch_size=C.learners.IGNORE"
IMAGES = "x_train, x_test = data.x_train, data.x_test"
STEP = "    trainer.train_minibatch"
KEPT = "list(model.forward({'x': batch}, keep_for_backward=model.outputs)[1].values())[0]"
WHOLE = "[: len(x) // BATCH_SIZE * BATCH_SIZE]"

PLANTS = {
    **cnn.dropouts(),
    "dropout on in evaluation: outputs kept for a backward pass": ([("model(batch)", KEPT)], cnn.EVALUATION),
    "a new trainer for every step: its dropout starts anew": (
        [(STEP, "    trainer = C.Trainer(None, loss(model), list(trainer.parameter_learners))\n" + STEP)],
        "the masks repeat",
    ),
    "a new learner for every epoch: the velocity forgotten": (
        [("    batches = [order", "    trainer = make_optimizer(model)\n    batches = [order")],
        cnn.CHANGE,
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
    **cnn.gathered("trainer"),
    "momentum with unit gain, CNTK's default": ([("unit_gain=False, ", "")], cnn.SECOND_LOSS),
    "Nesterov's momentum": ([(SGD, "C.nesterov(model.parameters")], cnn.CHANGE),
    "no momentum": (
        [(SGD + ", learning_rate, momentum,", "C.sgd(model.parameters, learning_rate,"), ("unit_gain=False, ", "")],
        cnn.CHANGE,
    ),
    "weight decay": ([(IGNORE, IGNORE + ", l2_regularization_weight=1e-4")], cnn.CHANGE),
    "rate and momentum for 64 images": ([(IGNORE, "minibatch_size=BATCH_SIZE")], cnn.CHANGE),
    "rate and momentum for one image": ([(IGNORE, "minibatch_size=1")], cnn.SECOND_LOSS),
    "momentum for 64 images": (
        [("learning_rate, momentum,", "learning_rate, C.momentum_schedule(momentum, minibatch_size=64),")],
        cnn.CHANGE,
    ),
    "momentum as the time constant of 64 images": (
        [("learning_rate, momentum,", "learning_rate, C.momentum_as_time_constant_schedule(-64 / np.log(momentum)),")],
        cnn.CHANGE,
    ),
    "softmax applied twice": ([("z = model(x)", "z = C.softmax(model(x))")], "gradient of"),
    "ReLU on the logits, from default_options": ([("10, activation=None", "10")], "gradient of"),
    "average pooling": ([("MaxPooling", "AveragePooling")], "gradient of"),
    "gradients summed": ([(" / len(first) for name", " for name")], "gradient of"),
    "dense weights not transposed": ([("(w.T if name.startswith", "(w if name.startswith")], "gradient of"),
    "kernels transposed": (
        [('startswith("dense") else w)', 'startswith("dense") else w.swapaxes(-1, -2) if w.ndim == 4 else w)')],
        "gradient of",
    ),
    **cnn.swapped(IMAGES),
}
