# %% tags=["check"]
# Chainer's lesson as the referee sees it: arrays in and out, weights in the shared layout, whose gates are stacked.
parts = {  # the arrays of Chainer that make up each shared tensor
    "embedding": ["embedding/W"],
    "gru.weight_ih": ["gru/0/w0", "gru/0/w1", "gru/0/w2"],
    "gru.weight_hh": ["gru/0/w3", "gru/0/w4", "gru/0/w5"],
    "gru.bias_ih": ["gru/0/b0", "gru/0/b1", "gru/0/b2"],
    "gru.bias_hh": ["gru/0/b3", "gru/0/b4", "gru/0/b5"],
    "dense.weight": ["dense/W"],
    "dense.bias": ["dense/b"],
}


class check:
    def tensors(x, y):
        return x, y.astype(np.int32)

    def data():
        return (x_train, y_train), (x_test, y_test)

    def load(weights):
        own = {path[1:]: parameter for path, parameter in model.namedparams()}
        for name, paths in parts.items():
            for path, gate in zip(paths, np.split(weights[name], len(paths))):
                own[path].array[...] = gate

    def stacked(of):  # {shared name: array}; of: what of each parameter
        own = {path[1:]: of(parameter) for path, parameter in model.namedparams()}
        return {name: np.concatenate([own[path] for path in paths]) for name, paths in parts.items()}

    def read():
        return check.stacked(lambda parameter: parameter.array)

    def exact():  # Chainer adds epsilon before it corrects Adam's bias, the reference after it
        epsilon = optimizer.eps

        def correct(adam):
            adam.eps = epsilon * (1 - adam.beta2 ** (adam.t + 1)) ** 0.5

        optimizer.add_hook(correct, timing="pre")

    def gradients(x, y):
        model.cleargrads()
        loss_fn(model(x), y).backward()
        return check.stacked(lambda parameter: parameter.grad)

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
