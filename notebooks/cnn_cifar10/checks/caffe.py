# %% tags=["check"]
# How the referee reaches into caffe.ipynb: arrays in and out. Caffe's layout is that of the shared weights.
class check:
    def tensors(x, y):
        return x, y

    def data():
        return (x_train, y_train), (x_test, y_test)

    def blobs(net):  # {"conv1.weight": blob, ...}
        kinds = "weight", "bias"
        return {"{}.{}".format(n, kind): blob for n, pair in net.params.items() for kind, blob in zip(kinds, pair)}

    def load(weights):
        for name, blob in check.blobs(model).items():  # the solver's net shares them
            blob.data[...] = weights[name]

    def read():
        return {name: blob.data.copy() for name, blob in check.blobs(model).items()}

    def feed(net, x, y):
        for name, array in ("data", x), ("label", y):
            net.blobs[name].reshape(*array.shape)
            net.blobs[name].data[...] = array

    def gradients(x, y):
        net = solver.net
        check.feed(net, x, y)
        net.clear_param_diffs()
        net.forward()
        net.backward()
        return {name: blob.diff.copy() for name, blob in check.blobs(net).items()}

    def train(x, y, order):
        batches = np.split(order, range(BATCH_SIZE, len(order), BATCH_SIZE))
        return train_epoch(solver, ((x[i], y[i]) for i in batches))

    def loss(x, y):  # the solver's net ends with the loss: one more net of its definition, in phase TEST
        net = caffe.Net(os.path.join(folder.name, "train.prototxt"), caffe.TEST)
        net.share_with(model)
        check.feed(net, x, y)
        return net.forward()["loss"]

    def predict(x):
        return predict(model, x)

    def evaluate(x, y):
        return evaluate(model, x, y)
