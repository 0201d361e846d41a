# %% tags=["check"]
"""The adapters through which the referee sees keras.ipynb, on each backend.

fit hands out the mean loss of the epoch so far, and with several steps per execution only now and then. So a metric
beside the lesson's own keeps the loss of each mini-batch on the device.
"""

import importlib

names = [f"{layer}.{kind}" for layer in ("hidden", "output") for kind in ("weight", "bias")]


class Losses(keras.metrics.Metric):
    """The losses of an epoch of at most ``slots`` mini-batches."""

    def __init__(self, loss, slots):
        super().__init__(name="losses")
        self.loss = loss
        self.values = self.add_variable((slots,), "zeros", name="values")
        self.count = self.add_variable((), "zeros", dtype="int", name="count")

    def update_state(self, y_true, y_pred, sample_weight=None):
        each = self.loss(y_true, y_pred)
        mean = ops.sum(each) / ops.cast(ops.size(each), each.dtype)  # ops.mean is float32 on JAX
        place = ops.reshape(self.count, (1, 1))
        self.values.assign(ops.scatter_update(self.values, place, ops.reshape(mean, (1,))))
        self.count.assign_add(1)

    def result(self):
        return ops.convert_to_tensor(self.count)


class check:
    watched = kept = None

    def images(x):  # 0..1 -> bytes; what was no byte stays as it is, to be seen
        values = x.reshape(-1, 28, 28) * 255
        whole = np.round(values)
        return whole.astype(np.uint8) if np.max(np.abs(values - whole)) < 1e-9 else values

    def tensors(x, y):
        return to_inputs(x), one_hot(y)

    def data():
        return [(check.images(x), y.argmax(axis=1)) for x, y in ((x_train, y_train), (x_test, y_test))]

    def load(weights):
        model.set_weights([weights[name].T for name in names])

    def read():
        return {name: w.T.copy() for name, w in zip(names, model.get_weights())}

    def gradients(x, y):  # on every backend: a step of SGD at rate 1 subtracts them
        before = check.read()
        model.optimizer.learning_rate = 1.0
        model.train_on_batch(x, y)
        after = check.read()
        return {name: before[name] - after[name] for name in names}

    def watch():  # the lesson's own optimizer, loss and options, with one metric more
        if check.watched is not model:
            check.watched, check.kept = model, Losses(model.loss, -(-60000 // BATCH_SIZE))
            own = {"jit_compile": model.jit_compile, "steps_per_execution": model.steps_per_execution}
            model.compile(model.optimizer, model.loss, metrics=["accuracy", check.kept], **own)

    def train(x, y, order):
        check.watch()
        check.kept.reset_state()  # TensorFlow's first fit of a model would not
        model.fit(x[order], y[order], batch_size=BATCH_SIZE, shuffle=False, verbose=0)
        return ops.convert_to_numpy(check.kept.values)[: int(ops.convert_to_numpy(check.kept.count))]

    def loss(x, y):
        return model.evaluate(x, y, batch_size=len(x), verbose=0, return_dict=True)["loss"]

    def predict(x):
        return predict(model, x)

    def evaluate(x, y):
        return evaluate(model, x, y)

    def synchronize():  # a copy of a weight waits for the last update
        keras.ops.convert_to_numpy(model.weights[0])

    def peak_memory():  # of a GPU; 0 without one
        framework = importlib.import_module(BACKEND)
        if BACKEND == "jax":
            return (framework.devices()[0].memory_stats() or {}).get("peak_bytes_in_use", 0)
        on_gpu = framework.config.list_physical_devices("GPU")
        return framework.config.experimental.get_memory_info("GPU:0")["peak"] if on_gpu else 0
