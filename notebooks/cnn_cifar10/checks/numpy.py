# %% tags=["check"]
# How the referee reaches into numpy.ipynb: arrays in and out. Here channels come last and kernels are (3, 3, in, out).
class check:
    names = "conv1", "conv2", "conv3", "conv4", "dense1", "dense2"

    def tensors(x, y):
        return np.ascontiguousarray(x.transpose(0, 2, 3, 1)), y

    def data():
        return (x_train.transpose(0, 3, 1, 2), y_train), (x_test.transpose(0, 3, 1, 2), y_test)

    def layers():  # [("conv1", layer), ...]
        return list(zip(check.names, [layer for layer in model if hasattr(layer, "params")]))

    def load(weights):
        for name, layer in check.layers():
            w = weights[name + ".weight"]
            if name == "dense1":  # its inputs are (height, width, channel) here
                w = w.reshape(512, 100, 8, 8).transpose(0, 2, 3, 1).reshape(512, 6400)
            layer.params[0][...] = w.transpose(2, 3, 1, 0) if w.ndim == 4 else w.T
            layer.params[1][...] = weights[name + ".bias"]

    def shared(arrays):  # {"conv1": [weight, bias], ...} -> {"conv1.weight": array, ...} in the shared layout
        found = {}
        for name, (w, bias) in arrays.items():
            w = w.transpose(3, 2, 0, 1) if w.ndim == 4 else w.T
            if name == "dense1":
                w = w.reshape(512, 8, 8, 100).transpose(0, 3, 1, 2).reshape(512, 6400)
            found[name + ".weight"], found[name + ".bias"] = w.copy(), bias.copy()
        return found

    def read():
        return check.shared({name: layer.params for name, layer in check.layers()})

    def gradients(x, y):
        backward(model, loss_fn(forward(model, x, training=True), y)[1])
        return check.shared({name: layer.grads for name, layer in check.layers()})

    def train(x, y, order):
        return train_epoch(model, optimizer, x, y, order)

    def loss(x, y):
        return loss_fn(forward(model, x), y)[0]

    def predict(x):
        return predict(model, x)

    def evaluate(x, y):
        return evaluate(model, x, y)
