# %% tags=["check"]
# How the referee reaches into cntk.ipynb: arrays in and out, in the layout of the shared weights.
class check:
    layers = "conv1", "conv2", "conv3", "conv4", "dense1", "dense2"

    def tensors(x, y):
        return x, y

    def data():
        return (x_train, y_train), (x_test, y_test)

    def parameters():  # {"conv1.weight": parameter, ...}
        found = {n: getattr(model, n) for n in check.layers}
        return {
            "{}.{}".format(n, k): p for n, layer in found.items() for k, p in (("weight", layer.W), ("bias", layer.b))
        }

    def shared(name, w):  # CNTK's dense weights are (in, out), biases of convolutions (out, 1, 1)
        if name.endswith("bias"):
            return w.ravel()
        return w.reshape(-1, w.shape[-1]).T if name.startswith("dense") else w

    def load(weights):
        for name, own in check.parameters().items():
            w = weights[name].T if name.startswith("dense") else weights[name]
            own.value = np.ascontiguousarray(w.reshape(own.shape))

    def read():
        return {name: check.shared(name, own.value) for name, own in check.parameters().items()}

    def gradients(x, y):  # CNTK gives their sums over the images
        given = check.parameters()
        sums = loss.grad({features: x, labels: C.Value.one_hot(y, 10)}, wrt=list(given.values()))
        return {name: check.shared(name, sums[own]) / len(x) for name, own in given.items()}

    def train(x, y, order):
        batches = np.split(order, range(BATCH_SIZE, len(order), BATCH_SIZE))
        return train_epoch(trainer, ((x[i], y[i]) for i in batches))

    def loss(x, y):
        return loss.eval({features: x, labels: C.Value.one_hot(y, 10)}).mean()

    def predict(x):
        return predict(model, x)

    def evaluate(x, y):
        return evaluate(model, x, y)
