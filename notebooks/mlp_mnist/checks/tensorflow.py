# %% tags=["check"]
"""The adapters through which the referee sees tensorflow.ipynb."""


class check:
    names = [f"{layer}.{kind}" for layer in ("hidden", "output") for kind in ("weight", "bias")]

    def images(x):  # 0..1 -> bytes; what was no byte stays as it is, to be seen
        values = tf.reshape(x, (-1, 28, 28)) * 255
        whole = tf.round(values)
        near = tf.reduce_max(tf.abs(values - whole)) < 1e-9
        return (tf.cast(whole, tf.uint8) if near else values).numpy()

    def classes(y):  # of targets or of labels
        return tf.argmax(y, axis=1) if len(y.shape) == 2 else y

    def tensors(x, y):
        return to_inputs(x), one_hot(y)

    def data():
        pairs = (x_train, y_train), (x_test, y_test)
        return [(check.images(x), check.classes(y).numpy()) for x, y in pairs]

    def shared(arrays):
        return {name: w.T for name, w in zip(check.names, arrays)}

    def load(weights):
        model.set_weights([weights[name].T for name in check.names])

    def read():
        return check.shared(model.get_weights())

    def gradients(x, y):
        with tf.GradientTape() as tape:
            loss = loss_fn(y, model(x, training=True))
        return check.shared([g.numpy() for g in tape.gradient(loss, model.trainable_variables)])

    def train(x, y, order):
        return train_epoch(x, y, order)

    def loss(x, y):
        return loss_fn(y, model(x)).numpy()

    def predict(x):
        return predict(model, x).numpy()

    def evaluate(x, y):
        return evaluate(model, x, check.classes(y))

    def synchronize():
        tf.test.experimental.sync_devices()

    def peak_memory():
        gpus = tf.config.list_logical_devices("GPU")
        return tf.config.experimental.get_memory_info("GPU:0")["peak"] if gpus else None
