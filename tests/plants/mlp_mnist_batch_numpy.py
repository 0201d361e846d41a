"""Mistakes planted in the lesson notebooks/mlp_mnist_batch/numpy.ipynb: see mlp_mnist_batch.py."""

from tests.plants import mlp_mnist_batch as batch

MEAN = "    d /= len(labels)\n"
HIDDEN = 'hidden = x @ model["hidden.weight"].T'
UPDATE = "w -= self.learning_rate / first * m / (np.sqrt(v / second) + 1e-8)"

PLANTS = {
    **batch.SHARED,
    **batch.averaged(),
    **batch.own_run(
        ("for epoch in range(EPOCHS):", "for epoch in range(EPOCHS // 2):"),
        ("optimizer, x_train, y_train)\n    train_acc", "optimizer, x_train, np.roll(y_train, 7))\n    train_acc"),
    ),
    "float16 in the products": ([(HIDDEN, 'hidden = (x.astype("f2") @ model["hidden.weight"].T.astype("f2")).astype(x.dtype)')], batch.GRADIENT),
    "the sum of the gradients for their mean": ([(MEAN, "")], batch.GRADIENT),
    "the slope of ReLU left out": ([("    d *= hidden > 0  # (N, 32): through ReLU\n", "")], "gradient of hidden"),
    "no ReLU": ([("    np.maximum(hidden, 0, out=hidden)\n", "")], batch.GRADIENT),
    "labels of the batch in another order": ([("loss, d = loss_fn(logits, y)", "loss, d = loss_fn(logits, y[::-1])")], batch.FIRST_LOSS),
    "half of the digits in each step": ([("    hidden, logits = forward(model, x)\n    loss", "    x, y = x[::2], y[::2]\n    hidden, logits = forward(model, x)\n    loss")], batch.FIRST_LOSS),
    "the loss without its mean": ([("shifted[each, labels]).mean(), d", "shifted[each, labels]).sum(), d")], batch.FIRST_LOSS),
    "last partial batch dropped in predict": ([("    return forward(model, x)[1].argmax", "    return forward(model, x[: len(x) // 25 * 25])[1].argmax")], batch.SHORT_PREDICTION),
    "classes of the smallest logit": ([("[1].argmax(axis=1)", "[1].argmin(axis=1)")], batch.EVALUATION),
    "the accuracy of the first 100 samples": ([("np.mean(predict(model, x) == y)", "np.mean(predict(model, x[:100]) == y[:100])")], batch.SHARE),
    "an update without its correction": ([("first, second = 1 - 0.9**self.steps, 1 - 0.999**self.steps", "first, second = 1, 1")], batch.SECOND_LOSS),
    "weight decay": ([(UPDATE, UPDATE + "\n            w *= 1 - 1e-5")], batch.LATER),
    "momentum of another size": ([("m += 0.1 * (g - m)", "m += 0.2 * (g - m)")], batch.LATER),
    "the update of a step before": ([("            m += 0.1 * (g - m)\n", ""), (UPDATE, UPDATE + "\n            m += 0.1 * (g - m)")], batch.SECOND_LOSS),
}
