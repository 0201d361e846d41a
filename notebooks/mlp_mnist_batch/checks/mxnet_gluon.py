# %% tags=["check"]
"""The adapters through which the referee sees mxnet_gluon.ipynb. The shared weights have MXNet's layout."""

import numpy as np

from referee.data import to_bytes


class check:
    names = [f"{layer}.{kind}" for layer in ("hidden", "output") for kind in ("weight", "bias")]

    def tensors(x, y):
        return to_inputs(x), to_integers(y)

    def data():
        pairs = (x_train, y_train), (x_test, y_test)
        return [(to_bytes(x.asnumpy().reshape(-1, 28, 28)), y.asnumpy()) for x, y in pairs]

    def parameters():  # in the order of the layers
        return zip(check.names, model.collect_params().values(), strict=True)

    def load(weights):
        for name, parameter in check.parameters():
            parameter.set_data(nd.array(weights[name]))

    def read():
        return {name: parameter.data().asnumpy() for name, parameter in check.parameters()}

    def gradients(x, y):  # a step leaves those of the sum behind
        train_step(model, trainer, x, y)
        return {name: parameter.grad().asnumpy() / len(x) for name, parameter in check.parameters()}

    def exact():  # MXNet adds epsilon before it corrects Adam's bias, the reference after; its kernel rounds the rates
        optimizer = trainer.optimizer
        optimizer.beta1, optimizer.beta2 = [float(np.float32(b)) for b in (optimizer.beta1, optimizer.beta2)]
        update, beta = optimizer.update, optimizer.beta2

        def corrected(index, *arrays):
            step = optimizer._index_update_count.get(index, optimizer.begin_num_update) + 1
            optimizer.epsilon = 1e-8 * (1 - beta**step) ** 0.5
            update(index, *arrays)

        optimizer.update = corrected

    def train(x, y, order):  # a step takes all digits, in whatever order
        if len(order) < len(x):
            x, y = nd.take(x, to_integers(order)), nd.take(y, to_integers(order))
        return train_step(model, trainer, x, y).asnumpy()

    def loss(x, y):
        return loss_fn(model(x), y).mean().asscalar()

    def predict(x):
        return predict(model, x).asnumpy()

    def evaluate(x, y):
        return evaluate(model, x, y)

    def synchronize():
        nd.waitall()

    def profile():  # of the lesson's own cells, where they have run: in milliseconds
        return dict(times) if "times" in globals() else None
