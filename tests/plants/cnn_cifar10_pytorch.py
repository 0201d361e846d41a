"""Mistakes for tests/plant.py to plant in notebooks/cnn_cifar10/pytorch.ipynb.

Each name maps to the replacements in the text of the code cells and to a regular expression, which the answer of the
proof, or of the test of cells where the mistake is in the run cell, must match.
"""

RATES = (0.25, 0.25, 0.5)


def _dropout(number, rate):
    wrong = RATES[:number] + (rate,) + RATES[number + 1 :]
    return [(f"dropout={RATES}", f"dropout={wrong}")], r"mean loss of 24 passes .* standard errors off"


WHOLE = "[: len(x) // BATCH_SIZE * BATCH_SIZE]"

PLANTS = {
    f"dropout {number + 1} at {rate} instead of {RATES[number]}": _dropout(number, rate)
    for number in range(3)
    for rate in (0, 0.25, 0.5, 0.75)
    if rate != RATES[number]
}
PLANTS.update(
    {
        "dropout on in evaluation": ([("    model.eval()\n", "")], r"[1-9]\d* of 150 classes differ"),
        "dropout off in every epoch after an evaluation": ([("    model.train()\n", "")], "the masks repeat"),
        "last partial batch dropped in predict and evaluate": (
            [("in x.split(", f"in x{WHOLE}.split("), ("(model, x) == y)", f"(model, x) == y{WHOLE})")],
            "128 classes were predicted for 150 samples",
        ),
        "last partial batch dropped in evaluate": (
            [("(predict(model, x) == y)", f"(predict(model, x) == y){WHOLE}")],
            r"0 of 150 classes differ; accuracy 0\.\d+, reference 0\.\d+",
        ),
        "last partial batch dropped in training": (
            [("in order.split(BATCH_SIZE)]", "in order.split(BATCH_SIZE) if len(i) == BATCH_SIZE]")],
            "20 losses were handed in, the reference has 21",
        ),
        "labels of the timed loop in another order": (
            [("optimizer, x_train, y_train, to_device", "optimizer, x_train, y_train.flip(0), to_device")],
            "y_train",
        ),
        "labels of a batch in another order": ([("y[i])", "y[i.sort().values])")], "the first wrong loss at step 0"),
        "labels not indexed by the order": ([("y[i])", "y[: len(i)])")], "the first wrong loss at step 0"),
        "gradients not cleared": ([("    optimizer.zero_grad()\n", "")], "the first wrong loss at step 1"),
        "momentum with dampening": ([("momentum=momentum)", "momentum=momentum, dampening=0.1)")], "two steps' change"),
        "Nesterov's momentum": ([("momentum=momentum)", "momentum=momentum, nesterov=True)")], "two steps' change"),
        "weight decay": ([("momentum=momentum)", "momentum=momentum, weight_decay=1e-4)")], "two steps' change"),
        "width and height swapped in Data": (
            [
                ("to_images(data.x_train)", "to_images(data.x_train.swapaxes(2, 3))"),
                ("to_images(data.x_test)", "to_images(data.x_test.swapaxes(2, 3))"),
            ],
            r"[1-9]\d* of 150 classes differ",
        ),
        "width and height swapped in the training images": (
            [("to_images(data.x_train)", "to_images(data.x_train.swapaxes(2, 3))")],
            "loss of the first training samples off by",
        ),
    }
)
