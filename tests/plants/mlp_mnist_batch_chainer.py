"""Mistakes planted in the lesson notebooks/mlp_mnist_batch/chainer.ipynb: see mlp_mnist_batch.py."""

from tests.plants import mlp_mnist_batch as batch
from tests.plants.cnn_mnist_chainer import ADAM, LOSS, UPDATE

FORWARD = "return self.output(F.relu(self.hidden(x)))"
CALLED = "loss = loss_fn(model(x), y)"

PLANTS = {
    **batch.SHARED,
    **batch.averaged(),
    **batch.own_run(
        ("for epoch in range(EPOCHS):", "for epoch in range(EPOCHS // 2):"),
        ("optimizer, x_train, y_train)\n    train_acc", "optimizer, x_train, np.roll(y_train, 7))\n    train_acc"),
    ),
    "no activation": ([(FORWARD, "return self.output(self.hidden(x))")], batch.GRADIENT),
    "ReLU that leaks": ([(FORWARD, FORWARD.replace("F.relu", "F.leaky_relu"))], batch.GRADIENT),
    "softmax taken twice": ([(FORWARD, "return F.softmax(self.output(F.relu(self.hidden(x))))")], batch.GRADIENT),
    "the sum of the losses": ([(LOSS, "def loss_fn(z, y):\n    return F.softmax_cross_entropy(z, y) * len(y)")], batch.GRADIENT),
    "labels of the batch in another order": ([(CALLED, "loss = loss_fn(model(x), y[::-1])")], batch.GRADIENT),
    "half of the digits in each step": ([(CALLED, "loss = loss_fn(model(x[::2]), y[::2])")], batch.GRADIENT),
    "last partial batch dropped in predict": ([("        return model(x).array", "        return model(x[: len(x) // 25 * 25]).array")], batch.SHORT_PREDICTION),
    "classes of the smallest logit": ([("array.argmax(axis=1)", "array.argmin(axis=1)")], batch.EVALUATION),
    "the accuracy of the first 100 samples": ([("(predict(model, x) == y)", "(predict(model, x[:100]) == y[:100])")], batch.SHARE),
    "weight decay": ([(ADAM, ADAM + "\noptimizer.add_hook(chainer.optimizer_hooks.WeightDecay(1e-3))")], batch.LATER),
    "momentum of another size": ([(ADAM, ADAM.replace("Adam(LEARNING_RATE)", "Adam(LEARNING_RATE, beta1=0.8)"))], batch.LATER),
    "gradients not cleared": ([("    model.cleargrads()\n    loss", "    loss")], "gradient of|loss at step|NaN|nan"),
    "an update that is never made": ([(UPDATE, "")], batch.SECOND_LOSS),
}
