"""Mistakes planted in the lesson notebooks/cnn_mnist/numpy.ipynb: see cnn_mnist.py."""

from tests.plants import cnn_mnist as cnn

BATCHES = "for k in range(0, len(order), BATCH_SIZE)]\n    return"
STEP = "train_step(model, optimizer, x[i], y[i])"
MEAN = "d / len(labels)"
UPDATE = "w -= self.learning_rate / first * m / (np.sqrt(v / second) + 1e-8)"

PLANTS = {
    **cnn.SHARED,
    **cnn.averaged(),
    **cnn.own_run(
        ("rng.permutation(len(x_train)))", "rng.permutation(len(x_train))[::2])"),
        ("optimizer, x_train, y_train, rng", "optimizer, x_train, np.roll(y_train, 7), rng"),
    ),
    "float16 in the products": ([("out = rows.reshape(-1, len(kernel)) @ kernel", "out = (rows.reshape(-1, len(kernel)).astype('f2') @ kernel.astype('f2')).astype(kernel.dtype)")], cnn.GRADIENT),
    "the corners in another order": ([("CORNERS = [(0, 0), (0, 1), (1, 0), (1, 1)]", "CORNERS = [(0, 0), (1, 0), (0, 1), (1, 1)]")], cnn.GRADIENT),
    "the corners of a patch taken at one pixel": ([("d_x[:, i : i + h, j : j + w] += d", "d_x[:, i : i + h, j : j + w] = d")], "gradient of conv1"),
    "every equal corner gets the gradient": ([("        free &= ~winner\n", "")], "gradient of conv"),
    "the first row left out of the windows": ([("x[:, i:h:2, j:w:2] for i", "x[:, x.shape[1] % 2 + i :: 2, j:w:2] for i")], cnn.GRADIENT),
    "the slope of ReLU left out": ([("d.reshape(pooled.shape) * (pooled > 0)", "d.reshape(pooled.shape)")], "gradient of conv"),
    "no ReLU behind the pooling": ([("x = np.maximum(pooled, 0)", "x = pooled")], cnn.GRADIENT),
    "the sum of a batch's gradients for their mean": ([(MEAN, "d")], cnn.GRADIENT),
    "the loss of the batch without its mean": ([("shifted[each, labels]).mean(), d", "shifted[each, labels]).sum(), d")], cnn.FIRST_LOSS),
    "labels of a batch in another order": ([(STEP, "train_step(model, optimizer, x[i], y[i[::-1]])")], cnn.FIRST_LOSS),
    "the order of the samples ignored": ([("batches = [order[k", "batches = [np.sort(order)[k")], cnn.FIRST_LOSS),
    "last partial batch dropped in training": ([(BATCHES, "for k in range(0, max(1, len(order) - 960), BATCH_SIZE)]\n    return")], cnn.SHORT_TRAINING),
    "last partial batch dropped in predict": ([("parts = [x[k : k + BATCH_SIZE]", "x = x[: len(x) // 25 * 25]\n    parts = [x[k : k + BATCH_SIZE]")], cnn.SHORT_PREDICTION),
    "classes of the smallest logit": ([("[0].argmax(axis=1)", "[0].argmin(axis=1)")], cnn.EVALUATION),
    "the accuracy of the first 100 samples": ([("np.mean(predict(model, x) == y)", "np.mean(predict(model, x[:100]) == y[:100])")], cnn.SHARE),
    "an update without its correction": ([("first, second = 1 - 0.9**self.steps, 1 - 0.999**self.steps", "first, second = 1, 1")], cnn.SECOND_LOSS),
    "weight decay": ([(UPDATE, UPDATE + "\n            w *= 1 - 1e-5")], cnn.LATER),
    "momentum of another size": ([("m += 0.1 * (g - m)", "m += 0.2 * (g - m)")], cnn.LATER),
    "the update of a step before": ([("            m += 0.1 * (g - m)\n", ""), (UPDATE, UPDATE + "\n            m += 0.1 * (g - m)")], cnn.SECOND_LOSS),
}
