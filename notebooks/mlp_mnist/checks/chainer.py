# %% tags=["check"]
# Chainer's lesson as the referee sees it: arrays in and out. The shared weights have Chainer's layout.
def to_shared(name):  # "/hidden/W" -> "hidden.weight"
    return name[1:].replace("/W", ".weight").replace("/b", ".bias")


class check:
    def images(x):  # 0..1 -> bytes; what was no byte stays as it is, to be seen
        values = x.reshape(-1, 28, 28) * 255
        whole = np.round(values)
        return whole.astype(np.uint8) if np.max(np.abs(values - whole)) < 1e-9 else values

    def classes(y):  # of targets or of labels
        return y.argmax(axis=1) if y.ndim == 2 else y

    def tensors(x, y):
        return to_inputs(x), one_hot(y)

    def data():
        return [(check.images(x), check.classes(y)) for x, y in ((x_train, y_train), (x_test, y_test))]

    def load(weights):
        for name, parameter in model.namedparams():
            parameter.array[...] = weights[to_shared(name)]

    def read():
        return {to_shared(name): p.array.copy() for name, p in model.namedparams()}

    def gradients(x, y):  # a step leaves them behind
        train_step(model, optimizer, x, y, np.arange(len(x)))
        return {to_shared(name): p.grad for name, p in model.namedparams()}

    def train(x, y, order):
        return train_epoch(model, optimizer, x, y, order)

    def loss(x, y):
        with chainer.no_backprop_mode():
            return float(loss_fn(model(x), y).array)

    def predict(x):
        return predict(model, x)

    def evaluate(x, y):
        return evaluate(model, x, check.classes(y))
