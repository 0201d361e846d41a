"""Mistakes for tests/plant.py to plant in notebooks/cnn_cifar10/numpy.ipynb: see cnn_cifar10_pytorch.py."""

from tests.plants import cnn_cifar10 as cnn
from tests.plants.reference import UNCOMPARED

WHOLE = "[: len(x) // BATCH_SIZE * BATCH_SIZE]"
DRAWN = "(model.rng.random(x.shape, np.float32) >= rate)"
STEP = 'p -= optimizer["learning_rate"] * v'

PLANTS = {
    **cnn.dropouts(),
    "dropout on in evaluation": ([("if not training or rate == 0:", "if rate == 0:")], cnn.EVALUATION),
    "dropout off in training": ([("forward(model, x, training=True)", "forward(model, x)")], "the masks repeat"),
    "the same masks in every step": (
        [(DRAWN, DRAWN.replace("model.rng", "np.random.default_rng(SEED)"))],
        "the masks repeat",
    ),
    "dropout without scaling": ([(DRAWN + " * x.dtype.type(1 / (1 - rate))", DRAWN)], "standard errors off"),
    "last partial batch dropped in predict and evaluate": (
        [
            ("for part in parts])", "for part in parts if len(part) == BATCH_SIZE])"),
            ("np.mean(predict(model, x) == y)", "np.mean(predict(model, x) == y" + WHOLE + ")"),
        ],
        cnn.SHORT_PREDICTION,
    ),
    "last partial batch dropped in evaluate": (
        [("np.mean(predict(model, x) == y)", "np.mean((predict(model, x) == y)" + WHOLE + ")")],
        cnn.SHORT_EVALUATION,
    ),
    **cnn.gathered(),
    "momentum with dampening": ([("v += gradient", "v += (1 - 0.1) * gradient")], cnn.CHANGE),
    "Nesterov's momentum": ([(STEP, STEP[:-1] + '(gradient + optimizer["momentum"] * v)')], cnn.CHANGE),
    **cnn.swapped("to_images(data.x_train)", "to_images(data.x_test)"),
    "pooling hands its gradient to every largest value": (
        [UNCOMPARED, ("        free &= ~winner\n", "")],
        cnn.GRADIENT,
    ),
    "kernels not turned on the way back": (
        [UNCOMPARED, ("kernel[::-1, ::-1].swapaxes(2, 3)", "kernel.swapaxes(2, 3)")],
        cnn.GRADIENT,
    ),
    "the first dense layer's inputs in PyTorch's order": (
        [UNCOMPARED, ('if name == "dense1.weight":', "if False:")],
        cnn.GRADIENT,
    ),
}
