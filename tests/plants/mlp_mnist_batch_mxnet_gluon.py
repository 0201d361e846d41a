"""Mistakes planted in the lesson notebooks/mlp_mnist_batch/mxnet_gluon.ipynb: see mlp_mnist_batch.py."""

from tests.plants import mlp_mnist_batch as batch
from tests.plants.cnn_mnist_mxnet_gluon import ADAM, LOSS, UPDATE

LAYERS = 'nn.Dense(32, activation="relu"), nn.Dense(10)'
CALLED = "loss = loss_fn(model(x), y)"

PLANTS = {
    **batch.SHARED,
    **batch.averaged(),
    **batch.own_run(
        ("for epoch in range(EPOCHS):", "for epoch in range(EPOCHS // 2):"),
        ("trainer, x_train, y_train).asscalar()", "trainer, x_train, to_integers(np.roll(data.y_train, 7))).asscalar()"),
    ),
    "no activation": ([(LAYERS, "nn.Dense(32), nn.Dense(10)")], batch.GRADIENT),
    "sigmoid in the hidden layer": ([(LAYERS, LAYERS.replace("relu", "sigmoid"))], batch.GRADIENT),
    "half of the digits in each step": ([(CALLED, "loss = loss_fn(model(x[: len(x) // 2]), y[: len(x) // 2])")], batch.GRADIENT),
    "a loss of twice the size": ([(LOSS, LOSS[:-1] + "weight=2)")], batch.GRADIENT),
    "labels of the batch in another order": ([(CALLED, "loss = loss_fn(model(x), y[::-1])")], batch.GRADIENT),
    "last partial batch dropped in predict": ([("    return model(x).argmax", "    return model(x[: len(x) // 25 * 25]).argmax")], batch.SHORT_PREDICTION),
    "classes of the smallest logit": ([("argmax(axis=1)", "argmin(axis=1)")], batch.EVALUATION),
    "the accuracy of the first 100 samples": ([("(predict(model, x) == y).sum().asscalar() / len(y)", "(predict(model, x[:100]) == y[:100]).sum().asscalar() / 100")], batch.SHARE),
    "an update divided by another number of samples": ([(UPDATE, "    trainer.step(10 * len(x))\n")], batch.LATER),
    "weight decay": ([(ADAM, ADAM[:-2] + ', "wd": 1e-3})')], batch.LATER),
    "momentum of another size": ([(ADAM, ADAM[:-2] + ', "beta1": 0.8})')], batch.LATER),
    "gradients that add up": ([(ADAM, 'model.collect_params().setattr("grad_req", "add")\n' + ADAM)], batch.LATER),
}
