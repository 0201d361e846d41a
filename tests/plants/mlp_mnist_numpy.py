"""Mistakes planted in the lesson notebooks/mlp_mnist/numpy.ipynb, in each of its four forms: see mlp_mnist.py."""

from tests.plants import cnn_cifar10 as cnn
from tests.plants import mlp_mnist as mlp

SUMS = {
    "first": [("a / len(batch) for name, a", "a for name, a")],
    "inplace": [("        grad /= n\n", "        pass\n")],
    "batched": [(" * (1 - a2) / len(batch)", " * (1 - a2)")],
    "batched-inplace": [("    d2 /= n\n", "")],
}
# There are no square matrices here: only a reshape takes the place of a transposition.
TRANSPOSED = {
    "first": [('np.dot(model["output.weight"].T, d2) *', 'np.dot(model["output.weight"].reshape(30, 10), d2) *')],
    "inplace": [('np.dot(d2, model["output.weight"], out=k.d1[0])', 'np.dot(d2, model["output.weight"].reshape(30, 10).T, out=k.d1[0])')],
    "batched": [('d1 = d2 @ model["output.weight"] *', 'd1 = d2 @ model["output.weight"].reshape(30, 10).T *')],
    "batched-inplace": [('np.dot(d2, model["output.weight"], out=k.d1[:n])', 'np.dot(d2, model["output.weight"].reshape(30, 10).T, out=k.d1[:n])')],
}
SLOPE = {
    "first": [("return sigmoid(z) * (1 - sigmoid(z))", "return sigmoid(z) * (1 - sigmoid(z) ** 2)")],
    "inplace": [("times_slope(d1, a1, k.s1[0])", "times_slope(d1, np.sqrt(a1), k.s1[0])")],
    "batched": [(" * a1 * (1 - a1)", " * (1 - a1 ** 2)")],
    "batched-inplace": [("times_slope(d1, a1, k.s1[:n])", "times_slope(d1, np.sqrt(a1), k.s1[:n])")],
}
ORDER = {
    "first": [("zip(x[batch], y[batch])", "zip(x[: len(batch)], y[: len(batch)])")],
    "inplace": [("np.take(x, batch, 0, k.x[:n], mode=\"clip\"), np.take(y, batch,", "np.take(x, np.sort(batch), 0, k.x[:n], mode=\"clip\"), np.take(y, np.sort(batch) - 1,")],
    "batched": [("xs, ys = x[batch], y[batch]", "xs, ys = x[: len(batch)], y[: len(batch)]")],
}
ORDER["batched-inplace"] = ORDER["inplace"]
LABELS = {
    "first": [("zip(x[batch], y[batch])", "zip(x[batch], y[batch[::-1]])")],
    "inplace": [("np.take(y, batch, 0,", "np.take(y, batch[::-1], 0,")],
    "batched": [("x[batch], y[batch]  # copies", "x[batch], y[batch[::-1]]")],
}
LABELS["batched-inplace"] = LABELS["inplace"]
FLOAT32 = {
    "first": [("z1 = np.dot(", "z1 = np.float32(1) * np.dot(np.float32(1) * x.astype(np.float32), np.float32(1) * model[\"hidden.weight\"].T.astype(np.float32)) + 0 * np.dot(")],
    "inplace": [("    np.dot(x, w.T, out=a)\n", "    a[:] = np.dot(x.astype(np.float32), w.T.astype(np.float32))\n")],
    "batched": [("a1 = sigmoid(x @ model", "x = x.astype(np.float32)\n    a1 = sigmoid(x @ model"), ('model["hidden.weight"].T + model', 'model["hidden.weight"].T.astype(np.float32) + model')],
}
FLOAT32["batched-inplace"] = FLOAT32["inplace"]
RATE = {
    "first": [("model[name] - self.learning_rate * grad", "model[name] - self.learning_rate * grad / (10 if name == 'hidden.bias' else 1)")],
    "inplace": [("            grad *= self.learning_rate\n", "            grad *= self.learning_rate / (10 if name == 'hidden.bias' else 1)\n")],
}
RATE["batched"] = RATE["batched-inplace"] = RATE["inplace"]
BATCHES = "for batch in batches]"


def of(form):
    """The plants of one form, which is a setting of the lesson."""
    chosen = [('FORM = "inplace"', 'FORM = "{}"'.format(form))]
    plants = {
        "the sum of a batch's gradients for their mean": (SUMS[form], mlp.GRADIENT),
        "a transposed operand": (TRANSPOSED[form], "gradient of hidden"),
        "a sigmoid's slope that is wrong": (SLOPE[form], mlp.GRADIENT),
        "the order of the samples ignored": (ORDER[form], mlp.FIRST_LOSS),
        "labels of a batch in another order": (LABELS[form], mlp.FIRST_LOSS + "|gradient of"),
        "float32 in one product": (FLOAT32[form], mlp.FLOAT32),
        "a rate that is a tenth for one tensor": (RATE[form], mlp.SECOND_LOSS),
        "last partial batch dropped in training": ([(BATCHES, BATCHES[:-1] + " if len(batch) == BATCH_SIZE]")], cnn.SHORT_TRAINING),
    }
    return {"{}, {}".format(name, form): (chosen + changes, said) for name, (changes, said) in plants.items()}


PLANTS = {
    **mlp.SHARED,
    **mlp.averaged(),
    **{name: plant for form in SUMS for name, plant in of(form).items()},
    **mlp.own_run(
        ("rng.permutation(len(x_train)))", "rng.permutation(len(x_train))[::2])"),
        ("optimizer, x_train, y_train, rng", "optimizer, x_train, np.roll(y_train, 7, axis=0), rng"),
    ),
    "gradients that add up in a buffer": ([("        grad.fill(0)\n", "        pass\n"), ("= [{name: np.empty(shape)", "= [{name: np.zeros(shape)")], "the first wrong loss at step"),
    "a tensor that never moves": ([("        for name, grad in grads.items():\n            grad *=", "        for name, grad in list(grads.items())[:-1]:\n            grad *=")], mlp.SECOND_LOSS),
    "one update in five left out": ([("    update(model, grads)\n", "    batch[0] % 5 == 0 or update(model, grads)\n")], "the first wrong loss at step"),
    "weight decay": ([("            model[name] -= grad\n", "            model[name] -= grad + 1e-9 * model[name]\n")], mlp.LATER),
    "the rate divided by the batch": ([("SGD(LEARNING_RATE)", "SGD(LEARNING_RATE / BATCH_SIZE)")], mlp.SECOND_LOSS),
    "tanh in the hidden layer": ([('a1 = layer(model["hidden.weight"], model["hidden.bias"], x, k.a1[0])', 'a1 = np.tanh(np.dot(model["hidden.weight"], x) + model["hidden.bias"])')], mlp.GRADIENT),
    "pixels divided by 256": ([("-1) / 255", "-1) / 256")], cnn.SAMPLES + "|gradient of"),
    "classes of the smallest output": ([("[1].argmax(axis=1)", "[1].argmin(axis=1)")], mlp.EVALUATION),
    "the accuracy of the first 100 samples": ([("np.mean(predict(model, x) == labels)", "np.mean(predict(model, x[:100]) == labels[:100])")], mlp.SHARE),
    "last partial batch dropped in predict": ([("    return forward(model, x)[1].argmax", "    x = x[: len(x) // 25 * 25]\n    return forward(model, x)[1].argmax")], mlp.SHORT_PREDICTION),
}
