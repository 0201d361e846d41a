"""Mistakes planted in the lesson notebooks/mlp_mnist/numba.ipynb: see mlp_mnist.py."""

from tests.plants import cnn_cifar10 as cnn
from tests.plants import mlp_mnist as mlp

SLOPE = "d2[j] = (a2[j] - y[j]) * a2[j] * (1 - a2[j]) / rows"
VIEWS = "xs, ys = x[batch[n]], y[batch[n]]"
BIAS = "    move(model.output_bias, grads.output_bias, rate)\n"
MOVE = "w[k] -= rate * grad[k]"
LOSSES = "losses = np.empty((len(order) + BATCH_SIZE - 1) // BATCH_SIZE)"

PLANTS = {
    **mlp.SHARED,
    **mlp.averaged("@njit\ndef train_epoch(", "@remember\n@njit\ndef train_epoch("),
    **mlp.own_run(
        ("rng.permutation(len(x_train)))", "rng.permutation(len(x_train))[::2].copy())"),
        ("optimizer, x_train, y_train, rng", "optimizer, x_train, np.roll(y_train, 7, axis=0), rng"),
    ),
    "the sum of a batch's gradients for their mean": ([(SLOPE, SLOPE.replace(" / rows", ""))], mlp.GRADIENT),
    "a transposed operand": ([("model.output_weight[j, k] * d2[j]", "model.output_weight.reshape(30, 10)[k, j] * d2[j]")], "gradient of hidden"),
    "the slope of the wrong layer": ([("back * a1[k] * (1 - a1[k])", "back * (1 - a1[k] ** 2)")], "gradient of hidden"),
    "gradients that add up": ([("    grads.hidden_weight[:], grads.hidden_bias[:] = 0, 0\n", "")], "the first wrong loss at step"),
    "the order of the samples ignored": ([(VIEWS, "xs, ys = x[n], y[n]")], mlp.FIRST_LOSS),
    "labels of a batch in another order": ([(VIEWS, "xs, ys = x[batch[n]], y[batch[len(batch) - 1 - n]]")], mlp.FIRST_LOSS + "|gradient of"),
    "the loss without its half": ([("    return loss / 2\n", "    return loss\n")], mlp.FIRST_LOSS),
    "last partial batch dropped in training": ([(LOSSES, "losses = np.empty(max(1, len(order) // BATCH_SIZE))")], cnn.SHORT_TRAINING),
    "last partial batch dropped in predict": ([("    classes = np.empty(len(x), np.int64)\n", "    x = x[: len(x) // 25 * 25]\n    classes = np.empty(len(x), np.int64)\n")], mlp.SHORT_PREDICTION),
    "classes of the smallest output": ([("a2.argmax()", "a2.argmin()")], mlp.EVALUATION),
    "the accuracy of the first 100 samples": ([("np.mean(predict(model, x) == labels)", "np.mean(predict(model, x[:100]) == labels[:100])")], mlp.SHARE),
    "a tensor that never moves, one update in four left out": ([(BIAS, "")], mlp.SECOND_LOSS),
    "weight decay": ([(MOVE, "w[k] -= rate * grad[k] + 1e-9 * w[k]")], mlp.LATER),
    "the rate divided by the batch": ([("SGD(float(LEARNING_RATE)", "SGD(float(LEARNING_RATE) / BATCH_SIZE")], mlp.SECOND_LOSS),
}
