# %% tags=["check"]
# TensorFlow 1's lesson as the referee sees it: arrays in and out, weights in the shared layout.
from referee.data import to_bytes


def shared(arrays):  # of the trainable variables, in their order -> {"hidden.weight": array}
    named = {}
    for variable, w in zip(tf.trainable_variables(), arrays):  # "hidden/kernel:0", (in, out)
        named[variable.op.name.replace("/kernel", ".weight").replace("/bias", ".bias")] = w.T
    return named


class check:
    def tensors(x, y):
        return to_inputs(x), y

    def data():
        return [(to_bytes(x.reshape(-1, 28, 28)), y) for x, y in ((x_train, y_train), (x_test, y_test))]

    def load(weights):
        names = shared(session.run(tf.trainable_variables()))
        for name, variable in zip(names, tf.trainable_variables()):
            variable.load(weights[name].T, session)

    def read():
        return shared(session.run(tf.trainable_variables()))

    def gradients(x, y):
        found = tf.gradients(loss, tf.trainable_variables())
        return shared(session.run(found, {inputs: x, labels: y}))

    def exact():  # AdamOptimizer adds epsilon before the bias correction, the reference after
        global train_op
        _, power = optimizer._get_beta_accumulators()
        optimizer._epsilon = 1e-8 * tf.sqrt(1 - power)
        train_op = optimizer.minimize(loss)  # with the moments that are there

    def train(x, y, order):  # a step takes all digits, in whatever order
        if len(order) < len(x):
            x, y = x[order], y[order]
        return train_step(x, y)

    def loss(x, y):
        return session.run(loss, {inputs: x, labels: y})

    def predict(x):
        return predict(x)

    def evaluate(x, y):
        return evaluate(x, y)

    def profile():  # of the lesson's own cells, where they have run: in milliseconds
        return {kind: time / 1e3 for kind, time in times.items()} if "times" in globals() else None
