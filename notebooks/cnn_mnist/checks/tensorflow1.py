# %% tags=["check"]
# TensorFlow 1's lesson as the referee sees it: arrays in and out, weights in the shared layout.
from referee.data import to_bytes


def native(name, w):  # kernels (height, width, in, out), dense weights (in, out)
    if name == "dense.weight":  # inputs in the order (height, width, channel)
        return w.reshape(10, 8, 6, 6).transpose(2, 3, 1, 0).reshape(288, 10)
    return w.transpose(2, 3, 1, 0) if w.ndim == 4 else w


def shared(arrays):  # of the trainable variables, in their order -> {"conv1.weight": array}
    named = {}
    for variable, w in zip(tf.trainable_variables(), arrays):  # "conv1/kernel:0"
        name = variable.op.name.replace("/kernel", ".weight").replace("/bias", ".bias")
        if name == "dense.weight":
            w = w.reshape(6, 6, 8, 10).transpose(3, 2, 0, 1).reshape(10, 288)
        named[name] = w.transpose(3, 2, 0, 1) if w.ndim == 4 else w
    return named


class check:
    def tensors(x, y):
        return to_images(x), y

    def data():
        return [(to_bytes(x[..., 0]), y) for x, y in ((x_train, y_train), (x_test, y_test))]

    def load(weights):
        names = shared(session.run(tf.trainable_variables()))
        for name, variable in zip(names, tf.trainable_variables()):
            variable.load(native(name, weights[name]), session)

    def read():
        return shared(session.run(tf.trainable_variables()))

    def gradients(x, y):
        found = tf.gradients(loss, tf.trainable_variables())
        return shared(session.run(found, {images: x, labels: y}))

    def exact():  # AdamOptimizer adds epsilon before the bias correction, the reference after
        global train_op
        _, power = optimizer._get_beta_accumulators()
        optimizer._epsilon = 1e-8 * tf.sqrt(1 - power)
        train_op = optimizer.minimize(loss)  # with the moments that are there

    def train(x, y, order):
        batches = np.split(order, range(BATCH_SIZE, len(order), BATCH_SIZE))
        return train_epoch((x[i], y[i]) for i in batches)

    def loss(x, y):
        return session.run(loss, {images: x, labels: y})

    def predict(x):
        return predict(x)

    def evaluate(x, y):
        return evaluate(x, y)

    def profile():  # of the lesson's own cells, where they have run: in milliseconds
        return {kind: time / 1e3 for kind, time in times.items()} if "times" in globals() else None
