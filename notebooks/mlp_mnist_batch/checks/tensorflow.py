# %% tags=["check"]
"""The adapters through which the referee sees tensorflow.ipynb. Kernels are (in, out), the shared weights (out, in)."""

import numpy as np

from referee.data import to_bytes


class check:
    names = [f"{layer}.{kind}" for layer in ("hidden", "output") for kind in ("weight", "bias")]

    def shared(arrays):  # in the model's order -> {the shared name: array in the shared layout}
        return {name: np.asarray(w).T for name, w in zip(check.names, arrays)}

    def tensors(x, y):
        return to_inputs(x), tf.constant(y)

    def data():
        return [(to_bytes(x.numpy().reshape(-1, 28, 28)), y.numpy()) for x, y in ((x_train, y_train), (x_test, y_test))]

    def load(weights):
        model.set_weights([weights[name].T for name in check.names])

    def read():
        return check.shared(model.get_weights())

    def gradients(x, y):
        with tf.GradientTape() as tape:
            loss = loss_fn(y, model(x, training=True))
        return check.shared(tape.gradient(loss, model.trainable_variables))

    def exact():  # Keras adds an epsilon of 1e-7 before it corrects Adam's bias, the reference 1e-8 after it
        apply = optimizer.apply  # and it rounds the rates in the correction alone: here they are rounded everywhere
        optimizer.beta_1, optimizer.beta_2 = [float(np.float32(b)) for b in (optimizer.beta_1, optimizer.beta_2)]

        def corrected(grads, variables):
            step = tf.cast(optimizer.iterations + 1, grads[0].dtype)
            optimizer.epsilon = 1e-8 * tf.sqrt(1 - optimizer.beta_2**step)
            apply(grads, variables)

        optimizer.apply = corrected

    def train(x, y, order):  # a step takes all digits, in whatever order
        if len(order) < len(x):
            x, y = tf.gather(x, order), tf.gather(y, order)
        return train_step(model, optimizer, x, y).numpy()

    def loss(x, y):
        return loss_fn(y, model(x)).numpy()

    def predict(x):
        return predict(model, x).numpy()

    def evaluate(x, y):
        return evaluate(model, x, y)

    def synchronize():
        tf.test.experimental.sync_devices()

    def peak_memory():
        gpus = tf.config.list_logical_devices("GPU")
        return tf.config.experimental.get_memory_info("GPU:0")["peak"] if gpus else None

    def profile():  # of the lesson's own cells, where they have run: in milliseconds
        return {kind: 1e3 * time for kind, time in times.items()} if "times" in globals() else None
