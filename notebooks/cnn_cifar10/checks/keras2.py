# %% tags=["check"]
"""The adapters through which the referee sees keras2.ipynb, on each backend and in both image formats."""

names = [
    "{}.{}".format(layer, kind)
    for layer in "conv1 conv2 conv3 conv4 dense1 dense2".split()
    for kind in ("weight", "bias")
]


class check:
    def tensors(x, y):
        return (x if DATA_FORMAT == "channels_first" else np.ascontiguousarray(x.transpose(0, 2, 3, 1))), y

    def data():
        def shared(x):
            return x if DATA_FORMAT == "channels_first" else x.transpose(0, 3, 1, 2)

        return (shared(x_train), y_train), (shared(x_test), y_test)

    def flipped(w):  # Theano's convolution turns the kernel (height, width, in, out) around
        return w[::-1, ::-1] if BACKEND == "theano" else w

    def load(weights):
        def native(name, w):
            if name == "dense1.weight":  # in either format Flatten runs over (height, width, channel)
                w = w.reshape(512, 100, 8, 8).transpose(0, 2, 3, 1).reshape(512, 6400)
            return np.ascontiguousarray(check.flipped(w.transpose(2, 3, 1, 0)) if w.ndim == 4 else w.T)

        model.set_weights([native(name, weights[name]) for name in names])

    def read():
        def shared(name, w):
            w = check.flipped(w).transpose(3, 2, 0, 1) if w.ndim == 4 else w.T
            return w.reshape(512, 8, 8, 100).transpose(0, 3, 1, 2).reshape(512, 6400) if name == "dense1.weight" else w

        return {name: shared(name, w).copy() for name, w in zip(names, model.get_weights())}

    def gradients(x, y):  # on every backend: the first step of SGD at rate 1 subtracts them, whatever the momentum
        before = check.read()
        keras.backend.set_value(model.optimizer.learning_rate, 1.0)
        model.train_on_batch(x, y)
        after = check.read()
        return {name: before[name] - after[name] for name in names}

    def train(x, y, order):
        if BACKEND == "cntk" and len(model.metrics_names) > 1:  # a metric costs a second forward pass there
            model.compile(model.optimizer, model.loss)
        losses = []
        collect = keras.callbacks.LambdaCallback(on_batch_end=lambda batch, logs: losses.append(logs["loss"]))
        model.fit(x[order], y[order], batch_size=BATCH_SIZE, shuffle=False, verbose=0, callbacks=[collect])
        return losses

    def loss(x, y):
        return np.ravel(model.evaluate(x, y, batch_size=BATCH_SIZE, verbose=0))[0]  # metrics may follow

    def predict(x):
        return predict(model, x)

    def evaluate(x, y):
        return evaluate(model, x, y)
