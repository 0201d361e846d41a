# %% tags=["check"]
"""The adapters through which the referee sees mxnet_gluon.ipynb. The shared weights have MXNet's layout."""


class check:
    names = [f"{layer}.{kind}" for layer in ("hidden", "output") for kind in ("weight", "bias")]

    def images(x):  # 0..1 -> bytes; what was no byte stays as it is, to be seen
        values = x.asnumpy().reshape(-1, 28, 28) * 255
        whole = np.round(values)
        return whole.astype(np.uint8) if np.max(np.abs(values - whole)) < 1e-9 else values

    def classes(y):  # of targets or of labels
        return y.argmax(axis=1).astype("int32") if y.ndim == 2 else y

    def tensors(x, y):
        return to_inputs(x), one_hot(y)

    def data():
        pairs = (x_train, y_train), (x_test, y_test)
        return [(check.images(x), check.classes(y).asnumpy()) for x, y in pairs]

    def parameters():
        return zip(check.names, model.collect_params().values(), strict=True)

    def load(weights):
        for name, parameter in check.parameters():
            parameter.set_data(nd.array(weights[name], dtype="float64"))

    def read():
        return {name: parameter.data().asnumpy() for name, parameter in check.parameters()}

    def gradients(x, y):  # of either form: a step leaves them behind
        train_step(model, optimizer, x, y, to_integers(np.arange(len(x))))
        return {name: parameter.grad().asnumpy() for name, parameter in check.parameters()}

    def train(x, y, order):
        return train_epoch(model, optimizer, x, y, to_integers(order))

    def loss(x, y):
        return loss_fn(model(x), y).mean().asscalar()

    def predict(x):
        return predict(model, x).asnumpy()

    def evaluate(x, y):
        return evaluate(model, x, check.classes(y))

    def synchronize():
        nd.waitall()
