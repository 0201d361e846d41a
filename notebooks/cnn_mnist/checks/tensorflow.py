# %% tags=["check"]
"""The adapters through which the referee sees tensorflow.ipynb.

The shared weights have PyTorch's layout: kernels (out, in, height, width), the dense layer (out, in) with its inputs in
the order (channel, height, width). Keras' kernels are (height, width, in, out).
"""

import numpy as np

from referee.data import to_bytes


class check:
    names = [f"{layer}.{kind}" for layer in ("conv1", "conv2", "dense") for kind in ("weight", "bias")]

    def shared(arrays):  # in the model's order -> {the shared name: array in the shared layout}
        found = dict(zip(check.names, [np.asarray(w) for w in arrays]))
        found["dense.weight"] = found["dense.weight"].reshape(6, 6, 8, 10).transpose(3, 2, 0, 1).reshape(10, 288)
        return {name: w.transpose(3, 2, 0, 1) if w.ndim == 4 else w for name, w in found.items()}

    def tensors(x, y):
        return to_images(x), tf.constant(y)

    def data():
        return [(to_bytes(x.numpy()[..., 0]), y.numpy()) for x, y in ((x_train, y_train), (x_test, y_test))]

    def load(weights):
        own = {name: w.transpose(2, 3, 1, 0) if w.ndim == 4 else w for name, w in weights.items()}
        own["dense.weight"] = weights["dense.weight"].reshape(10, 8, 6, 6).transpose(2, 3, 1, 0).reshape(288, 10)
        model.set_weights([own[name] for name in check.names])

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

    def train(x, y, order):
        return train_epoch(model, optimizer, x, y, order)

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
