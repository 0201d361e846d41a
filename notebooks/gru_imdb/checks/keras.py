# %% tags=["check"]
"""The adapters through which the referee sees keras.ipynb, on each backend.

fit hands out the mean loss of the epoch so far, from which the loss of a short last mini-batch comes out rounded. So a
metric beside the lesson's own keeps the loss of each mini-batch.
"""

import importlib

names = ["embedding", "gru.weight_ih", "gru.weight_hh", "gru.bias_ih", "gru.bias_hh", "dense.weight", "dense.bias"]


def swap(w):  # the gates r, z, n to z, r, n, and back; they are stacked along the first axis
    return np.concatenate([w[100:200], w[:100], w[200:]])


class Losses(keras.metrics.Metric):
    """The losses of an epoch of at most ``slots`` mini-batches."""

    def __init__(self, slots):
        super().__init__(name="losses")
        self.values = self.add_variable((slots,), "zeros", name="values")
        self.count = self.add_variable((), "zeros", dtype="int", name="count")

    def update_state(self, y_true, y_pred, sample_weight=None):
        place, value = keras.ops.reshape(self.count, (1, 1)), keras.ops.reshape(loss_fn(y_true, y_pred), (1,))
        self.values.assign(keras.ops.scatter_update(self.values, place, value))
        self.count.assign_add(1)

    def result(self):
        return keras.ops.convert_to_tensor(self.count)


class check:
    watched = kept = None

    def tensors(x, y):
        return x, y

    def data():
        return (x_train, y_train), (x_test, y_test)

    def load(weights):
        embedding, w_ih, w_hh, b_ih, b_hh, w, b = [weights[name] for name in names]
        model.set_weights([embedding, swap(w_ih).T, swap(w_hh).T, np.stack([swap(b_ih), swap(b_hh)]), w.T, b])

    def read():
        embedding, kernel, recurrent, bias, w, b = model.get_weights()
        arrays = embedding, swap(kernel.T), swap(recurrent.T), swap(bias[0]), swap(bias[1]), w.T, b
        return {name: w.copy() for name, w in zip(names, arrays)}

    def exact():  # Keras adds an epsilon of 1e-7 before it corrects Adam's bias, the reference 1e-8 after it
        apply, own = optimizer.apply, optimizer.epsilon

        def corrected(grads, trainable_variables=None):
            step = keras.ops.cast(optimizer.iterations + 1, "float32")
            optimizer.epsilon = 1e-8 * keras.ops.sqrt(1 - 0.999**step)
            if BACKEND == "tensorflow":  # dense: the sum of a word's rows
                grads = [importlib.import_module(BACKEND).convert_to_tensor(grad) for grad in grads]
            apply(grads, trainable_variables)
            optimizer.epsilon = own

        optimizer.apply = corrected

    def gradients(x, y):  # a step of plain SGD subtracts them; at rate 1024 it is large beside the rounding
        model.compile(keras.optimizers.SGD(1024.0), loss_fn, jit_compile=model.jit_compile)
        before = check.read()
        model.train_on_batch(x, y)
        after = check.read()
        return {name: (before[name] - after[name]) / 1024 for name in names}

    def watch():  # the lesson's own optimizer, loss and compilation, with one metric more
        if check.watched is not model:
            check.watched, check.kept = model, Losses(-(-25000 // BATCH_SIZE))
            own = {"jit_compile": model.jit_compile}
            model.compile(model.optimizer, model.loss, metrics=["accuracy", check.kept], **own)

    def train(x, y, order):
        check.watch()
        check.kept.reset_state()  # TensorFlow's first fit of a model would not
        model.fit(x[order], y[order], batch_size=BATCH_SIZE, shuffle=False, verbose=0)
        return keras.ops.convert_to_numpy(check.kept.values)[: int(keras.ops.convert_to_numpy(check.kept.count))]

    def loss(x, y):
        return model.evaluate(x, y, batch_size=BATCH_SIZE, verbose=0, return_dict=True)["loss"]

    def predict(x):
        return predict(model, x)

    def evaluate(x, y):
        return evaluate(model, x, y)

    def synchronize():  # a copy of a weight waits for the last update
        keras.ops.convert_to_numpy(model.weights[-1])

    def peak_memory():  # of a GPU; 0 without one
        framework = importlib.import_module(BACKEND)
        if BACKEND == "torch":
            return framework.cuda.max_memory_allocated()
        if BACKEND == "jax":
            return (framework.devices()[0].memory_stats() or {}).get("peak_bytes_in_use", 0)
        on_gpu = framework.config.list_physical_devices("GPU")
        return framework.config.experimental.get_memory_info("GPU:0")["peak"] if on_gpu else 0
