# %% tags=["check"]
"""The adapters through which the referee sees keras.ipynb, on each backend. Queries, keys and values are (128, 4, 32).

fit hands out the mean loss of the epoch so far, from which the loss of a short last mini-batch comes out rounded. So a
metric keeps the loss of each mini-batch.
"""

import importlib


class Losses(keras.metrics.Metric):
    """The losses of an epoch of at most ``slots`` mini-batches."""

    def __init__(self, slots=8192):
        super().__init__(name="losses")
        self.values = self.add_variable((slots,), "zeros", name="values")
        self.count = self.add_variable((), "zeros", dtype="int", name="count")

    def update_state(self, y_true, y_pred, sample_weight=None):
        place, value = ops.reshape(self.count, (1, 1)), ops.reshape(loss_fn(y_true, y_pred), (1,))
        self.values.assign(ops.scatter_update(self.values, place, value))
        self.count.assign_add(1)

    def result(self):
        return ops.convert_to_tensor(self.count)


class check:
    watched = kept = None

    def tensors(x, y):
        return x.astype("int32"), y.astype("int32")

    def data():
        return (x_train, y_train), (x_test, y_test)

    def variables():  # {tensor: the lesson's variable}
        found = {"tokens": model.tokens.embeddings, "positions": model.positions.embeddings}
        layers = {"norm": model.norm}
        for number, block in enumerate(model.blocks):
            inner = {name: getattr(block, name) for name in ("norm1", "norm2", "up", "down")}
            inner.update(
                {name: getattr(block.attention, name + "_dense") for name in ("query", "key", "value", "output")}
            )
            layers.update({f"blocks.{number}.{name}": layer for name, layer in inner.items()})
        for name, layer in layers.items():
            weight, bias = (layer.gamma, layer.beta) if "norm" in name else (layer.kernel, layer.bias)
            found[name + ".weight"], found[name + ".bias"] = weight, bias
        return found

    def shared(name, w):
        if name.endswith(".bias"):
            return w.reshape(-1)
        return w.reshape(WIDTH, WIDTH) if w.ndim == 3 else w

    def load(weights):
        for name, variable in check.variables().items():
            variable.assign(weights[name].reshape(variable.shape))

    def read():
        found = {name: np.array(ops.convert_to_numpy(variable)) for name, variable in check.variables().items()}
        return {name: check.shared(name, w) for name, w in found.items()}

    def exact():  # Keras adds epsilon before it corrects Adam's bias, the reference after it
        apply, own = optimizer.apply, optimizer.epsilon

        def corrected(grads, trainable_variables=None):
            step = ops.cast(optimizer.iterations + 1, "float32")
            optimizer.epsilon = own * ops.sqrt(1 - 0.95**step)
            apply(grads, trainable_variables)
            optimizer.epsilon = own

        optimizer.apply = corrected

    def gradients(x, y):  # a step of plain SGD subtracts them; at rate 1024 it is large beside the rounding
        model.compile(keras.optimizers.SGD(1024.0), loss_fn, jit_compile=model.jit_compile)
        before = check.read()
        model.train_on_batch(x, y)
        after = check.read()
        return {name: (w - after[name]) / 1024 for name, w in before.items()}

    def watch():  # the lesson's own optimizer, loss and compilation, with one metric more
        if check.watched is not model:
            check.watched, check.kept = model, Losses()
            model.compile(model.optimizer, model.loss, metrics=[check.kept], jit_compile=model.jit_compile)

    def train(x, y, order):
        check.watch()
        check.kept.reset_state()  # TensorFlow's first fit of a model would not
        model.fit(x[order], y[order], batch_size=BATCH_SIZE, shuffle=False, verbose=0)
        return ops.convert_to_numpy(check.kept.values)[: int(ops.convert_to_numpy(check.kept.count))]

    def logits(x):
        return model.predict(x, batch_size=BATCH_SIZE, verbose=0).astype("float32")

    def evaluate(x, y):
        return evaluate(model, x, y)

    def generate(prompt, count, temperature, cache):
        return generate(model, prompt, count, temperature, cache)

    def synchronize():  # a copy of a weight waits for the last update
        ops.convert_to_numpy(model.tokens.embeddings)

    def peak_memory():  # of a GPU; 0 without one
        framework = importlib.import_module(BACKEND)
        if BACKEND == "torch":
            return framework.cuda.max_memory_allocated()
        if BACKEND == "jax":
            return (framework.devices()[0].memory_stats() or {}).get("peak_bytes_in_use", 0)
        on_gpu = framework.config.list_physical_devices("GPU")
        return framework.config.experimental.get_memory_info("GPU:0")["peak"] if on_gpu else 0
