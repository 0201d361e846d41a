# %% tags=["check"]
# Chainer's lesson as the referee sees it: arrays in and out. The shared weights have Chainer's layout.
from referee.data import to_bytes


def to_shared(name):  # "/conv1/W" -> "conv1.weight"
    return name[1:].replace("/W", ".weight").replace("/b", ".bias")


class check:
    def tensors(x, y):
        return to_images(x), y.astype(np.int32)

    def data():
        return [(to_bytes(x.reshape(-1, 28, 28)), y) for x, y in ((x_train, y_train), (x_test, y_test))]

    def load(weights):
        for name, parameter in model.namedparams():
            parameter.array[...] = weights[to_shared(name)]

    def read():
        return {to_shared(name): np.array(p.array) for name, p in model.namedparams()}

    def gradients(x, y):  # a step leaves them behind
        train_step(model, optimizer, x, y)
        return {to_shared(name): np.array(p.grad) for name, p in model.namedparams()}

    def exact():  # Chainer adds Adam's epsilon before it corrects the bias, the reference after
        update = optimizer.update

        def corrected():
            optimizer.eps = 1e-8 * (1 - optimizer.beta2 ** (optimizer.t + 1)) ** 0.5
            update()

        optimizer.update = corrected

    def train(x, y, order):
        return train_epoch(model, optimizer, x, y, order)

    def loss(x, y):
        with chainer.no_backprop_mode():
            return float(loss_fn(model(x), y).array)

    def predict(x):
        return predict(model, x)

    def evaluate(x, y):
        return evaluate(model, x, y)

    def profile():  # of the lesson's own cells, where they have run: in milliseconds
        return {kind: 1e3 * time for kind, time in times.items()} if "times" in globals() else None
