# %% tags=["check"]
# Chainer's lesson as the referee sees it: arrays in and out, weights in the shared layout.
def to_shared(name):  # "/conv1/W" -> "conv1.weight"
    return name[1:].replace("/W", ".weight").replace("/b", ".bias")


class check:
    def tensors(x, y):
        return x, y.astype(np.int32)

    def data():
        return (x_train, y_train), (x_test, y_test)

    def load(weights):
        model.to_device("@numpy")  # the arrays of iDeep take some kernels in a wrong order
        for name, parameter in model.namedparams():
            parameter.array[...] = weights[to_shared(name)]
        model.to_device("@intel64")

    def read():
        return {to_shared(name): np.array(p.array) for name, p in model.namedparams()}

    def gradients(x, y):
        model.cleargrads()
        loss_fn(model(x), y).backward()
        return {to_shared(name): np.array(p.grad) for name, p in model.namedparams()}

    def train(x, y, order):
        batches = np.split(order, range(BATCH_SIZE, len(order), BATCH_SIZE))
        return train_epoch(model, optimizer, (list(zip(x[i], y[i])) for i in batches))

    def loss(x, y):
        with chainer.using_config("train", False), chainer.no_backprop_mode():
            return float(loss_fn(model(x), y).array)

    def predict(x):
        return predict(model, x)

    def evaluate(x, y):
        return evaluate(model, x, y)
