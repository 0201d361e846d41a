"""Mistakes for tests/plant.py to plant in notebooks/cnn_cifar10/pytorch.ipynb.

Each name maps to the replacements in the text of the code cells and to a regular expression, which the answer of the
proof, or of the test of cells where the mistake is in the run cell, must match.
"""

from tests.plants import cnn_cifar10 as cnn

WHOLE = "[: len(x) // BATCH_SIZE * BATCH_SIZE]"

PLANTS = {
    **cnn.dropouts(),
    "dropout on in evaluation": ([("    model.eval()\n", "")], cnn.EVALUATION),
    "dropout off in every epoch after an evaluation": ([("    model.train()\n", "")], "the masks repeat"),
    "last partial batch dropped in predict and evaluate": (
        [("in x.split(", f"in x{WHOLE}.split("), ("(model, x) == y)", f"(model, x) == y{WHOLE})")],
        cnn.SHORT_PREDICTION,
    ),
    "last partial batch dropped in evaluate": (
        [("(predict(model, x) == y)", f"(predict(model, x) == y){WHOLE}")],
        cnn.SHORT_EVALUATION,
    ),
    "last partial batch dropped in training": (
        [("in order.split(BATCH_SIZE)]", "in order.split(BATCH_SIZE) if len(i) == BATCH_SIZE]")],
        cnn.SHORT_TRAINING,
    ),
    "labels of the timed loop in another order": (
        [("optimizer, x_train, y_train, to_device", "optimizer, x_train, y_train.flip(0), to_device")],
        "y_train",
    ),
    "labels of a batch in another order": ([("y[i])", "y[i.sort().values])")], cnn.FIRST_LOSS),
    "labels not indexed by the order": ([("y[i])", "y[: len(i)])")], cnn.FIRST_LOSS),
    "gradients not cleared": ([("    optimizer.zero_grad()\n", "")], cnn.SECOND_LOSS),
    "momentum with dampening": ([("momentum=momentum)", "momentum=momentum, dampening=0.1)")], cnn.CHANGE),
    "Nesterov's momentum": ([("momentum=momentum)", "momentum=momentum, nesterov=True)")], cnn.CHANGE),
    "weight decay": ([("momentum=momentum)", "momentum=momentum, weight_decay=1e-4)")], cnn.CHANGE),
    **cnn.swapped("to_images(data.x_train)", "to_images(data.x_test)"),
}
