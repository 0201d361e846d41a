# %% tags=["check"]
# How the referee reaches into numpy.ipynb: arrays in and out. Here weights are (in, out).
class check:
    names = "embedding", "gru.weight_ih", "gru.weight_hh", "gru.bias_ih", "gru.bias_hh", "dense.weight", "dense.bias"

    def tensors(x, y):
        return x, y

    def data():
        return (x_train, y_train), (x_test, y_test)

    def turned(arrays):  # {name: array}, weights turned from (in, out) to (out, in); the table stays
        arrays = [array for layer in arrays for array in layer]
        return {name: w if name == "embedding" else w.T for name, w in zip(check.names, arrays)}

    def load(weights):
        for name, p in check.turned(layer.params for layer in model).items():
            p[...] = weights[name]

    def read():
        return {name: p.copy() for name, p in check.turned(layer.params for layer in model).items()}

    def gradients(x, y):
        backward(model, loss_fn(forward(model, x), y)[1])
        return check.turned(layer.grads for layer in model)

    def train(x, y, order):
        return train_epoch(model, optimizer, x, y, order)

    def loss(x, y):
        return loss_fn(forward(model, x), y)[0]

    def predict(x):
        return predict(model, x)

    def evaluate(x, y):
        return evaluate(model, x, y)
