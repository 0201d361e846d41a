# %% tags=["check"]
"""The adapters through which the referee sees keras.ipynb, on each backend and in both image formats."""

import importlib

names = [f"{layer}.{kind}" for layer in "conv1 conv2 conv3 conv4 dense1 dense2".split() for kind in ("weight", "bias")]


class check:
    def tensors(x, y):
        last = np.ascontiguousarray(x.transpose(0, 2, 3, 1))
        return (last.transpose(0, 3, 1, 2) if DATA_FORMAT == "channels_first" else last), y

    def data():
        def shared(x):
            return x if DATA_FORMAT == "channels_first" else x.transpose(0, 3, 1, 2)

        return (shared(x_train), y_train), (shared(x_test), y_test)

    def load(weights):
        def native(name, w):
            if name == "dense1.weight":  # in either format Flatten runs over (height, width, channel)
                w = w.reshape(512, 100, 8, 8).transpose(0, 2, 3, 1).reshape(512, 6400)
            return w.transpose(2, 3, 1, 0) if w.ndim == 4 else w.T

        model.set_weights([native(name, weights[name]) for name in names])

    def read():
        def shared(name, w):
            w = w.transpose(3, 2, 0, 1) if w.ndim == 4 else w.T
            return w.reshape(512, 8, 8, 100).transpose(0, 3, 1, 2).reshape(512, 6400) if name == "dense1.weight" else w

        return {name: shared(name, w).copy() for name, w in zip(names, model.get_weights())}

    def gradients(x, y):  # on every backend: the first step of SGD at rate 1 subtracts them, whatever the momentum
        before = check.read()
        model.optimizer.learning_rate = 1.0
        model.train_on_batch(x, y)
        after = check.read()
        return {name: before[name] - after[name] for name in names}

    def train(x, y, order):  # the loss in fit's logs is the mean so far; its differences are the mini-batches' own
        means = {}
        collect = keras.callbacks.LambdaCallback(
            on_train_batch_end=lambda batch, logs: means.update({batch: logs["loss"]}), async_safe=True
        )
        model.fit(x[order], y[order], batch_size=BATCH_SIZE, shuffle=False, verbose=0, callbacks=[collect])
        seen = np.minimum(BATCH_SIZE * np.arange(1, len(means) + 1), len(order))
        return np.diff(seen * [means[batch] for batch in sorted(means)], prepend=0) / np.diff(seen, prepend=0)

    def loss(x, y):
        return model.evaluate(x, y, batch_size=BATCH_SIZE, verbose=0, return_dict=True)["loss"]

    def predict(x):
        return predict(model, x)

    def evaluate(x, y):
        return evaluate(model, x, y)

    def synchronize():  # a copy of a weight waits for the last update
        keras.ops.convert_to_numpy(model.weights[0])

    def peak_memory():  # of a GPU; 0 without one
        framework = importlib.import_module(BACKEND)
        if BACKEND == "torch":
            return framework.cuda.max_memory_allocated()
        if BACKEND == "jax":
            return (framework.devices()[0].memory_stats() or {}).get("peak_bytes_in_use", 0)
        on_gpu = framework.config.list_physical_devices("GPU")
        return framework.config.experimental.get_memory_info("GPU:0")["peak"] if on_gpu else 0
