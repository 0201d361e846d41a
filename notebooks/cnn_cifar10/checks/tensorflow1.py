# %% tags=["check"]
# TensorFlow 1's lesson as the referee sees it: arrays in and out, weights in the shared layout.
def native(name, w):  # kernels (height, width, in, out), dense weights (in, out)
    if name == "dense1.weight":  # inputs in the order (height, width, channel)
        return w.reshape(512, 100, 8, 8).transpose(2, 3, 1, 0).reshape(6400, 512)
    return w.transpose(2, 3, 1, 0) if w.ndim == 4 else w.T


def shared(arrays):  # of the trainable variables, in their order -> {"conv1.weight": array}
    named = {}
    for variable, w in zip(tf.trainable_variables(), arrays):  # "conv1/kernel:0"
        name = variable.op.name.replace("/kernel", ".weight").replace("/bias", ".bias")
        if name == "dense1.weight":
            w = w.reshape(8, 8, 100, 512).transpose(2, 0, 1, 3).reshape(6400, 512)
        named[name] = w.transpose(3, 2, 0, 1) if w.ndim == 4 else w.T
    return named


class check:
    def tensors(x, y):
        return np.ascontiguousarray(x.transpose(0, 2, 3, 1)), y

    def data():
        return (x_train.transpose(0, 3, 1, 2), y_train), (x_test.transpose(0, 3, 1, 2), y_test)

    def load(weights):
        names = shared(session.run(tf.trainable_variables()))
        for name, variable in zip(names, tf.trainable_variables()):
            variable.load(native(name, weights[name]), session)

    def read():
        return shared(session.run(tf.trainable_variables()))

    def gradients(x, y):
        found = tf.gradients(loss, tf.trainable_variables())
        return shared(session.run(found, {images: x, labels: y, training: True}))

    def train(x, y, order):
        batches = np.split(order, range(BATCH_SIZE, len(order), BATCH_SIZE))
        return train_epoch((x[i], y[i]) for i in batches)

    def loss(x, y):
        return session.run(loss, {images: x, labels: y})

    def predict(x):
        return predict(x)

    def evaluate(x, y):
        return evaluate(x, y)
