# %% tags=["check"]
"""The adapters through which the referee sees keras.ipynb, on each backend and in both image formats.

The shared weights have PyTorch's layout: kernels (out, in, height, width), the dense layer (out, in) with its inputs in
the order (channel, height, width). Keras' kernels are (height, width, in, out); Flatten runs over (height, width,
channel) in either format.
"""

import importlib

from referee.data import to_bytes


class check:
    names = [f"{layer}.{kind}" for layer in ("conv1", "conv2", "dense") for kind in ("weight", "bias")]

    def shared(arrays):  # in the model's order -> {the shared name: array in the shared layout}
        found = {name: keras.ops.convert_to_numpy(w) for name, w in zip(check.names, arrays)}
        found["dense.weight"] = found["dense.weight"].reshape(6, 6, 8, 10).transpose(3, 2, 0, 1).reshape(10, 288)
        return {name: (w.transpose(3, 2, 0, 1) if w.ndim == 4 else w).copy() for name, w in found.items()}

    def tensors(x, y):
        return to_images(x), y

    def data():
        return [(to_bytes(x.reshape(-1, 28, 28)), y) for x, y in ((x_train, y_train), (x_test, y_test))]

    def load(weights):
        own = {name: w.transpose(2, 3, 1, 0) if w.ndim == 4 else w for name, w in weights.items()}
        own["dense.weight"] = weights["dense.weight"].reshape(10, 8, 6, 6).transpose(2, 3, 1, 0).reshape(288, 10)
        model.set_weights([own[name] for name in check.names])

    def read():
        return check.shared(model.get_weights())

    def gradients(x, y):  # on every backend: a first step leaves a tenth of them as Adam's first moments
        model.train_on_batch(x, y)
        moments = check.shared(model.optimizer._momentums)
        return {name: moment / (1 - model.optimizer.beta_1) for name, moment in moments.items()}

    def exact():  # Keras adds an epsilon of 1e-7 before it corrects Adam's bias, the reference 1e-8 after it
        optimizer = model.optimizer
        apply = optimizer.apply  # and it rounds the rates in the correction alone: here they are rounded everywhere
        optimizer.beta_1, optimizer.beta_2 = [float(np.float32(b)) for b in (optimizer.beta_1, optimizer.beta_2)]

        def corrected(grads, variables=None):
            step = keras.ops.cast(optimizer.iterations + 1, "float32")
            epsilon = 1e-8 * keras.ops.sqrt(1 - optimizer.beta_2**step)
            optimizer.epsilon = float(epsilon) if BACKEND == "torch" else epsilon
            apply(grads, variables)

        optimizer.apply = corrected

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

    def profile():  # of the lesson's own cells, where they have run: in milliseconds
        unit = 1e-3 if BACKEND == "torch" else 1e3
        return {kind: unit * time for kind, time in times.items()} if "times" in globals() else None
