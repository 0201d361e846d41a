# %% tags=["check"]
"""The adapters through which the referee sees keras.ipynb, on each backend."""

import importlib

from referee.data import to_bytes


class check:
    names = [f"{layer}.{kind}" for layer in ("hidden", "output") for kind in ("weight", "bias")]

    def shared(arrays):  # in the model's order -> {the shared name: array in the shared layout}
        return {name: keras.ops.convert_to_numpy(w).T.copy() for name, w in zip(check.names, arrays)}

    def tensors(x, y):
        return to_inputs(x), y

    def data():
        return [(to_bytes(x.reshape(-1, 28, 28)), y) for x, y in ((x_train, y_train), (x_test, y_test))]

    def load(weights):
        model.set_weights([weights[name].T for name in check.names])

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

    kept = [None, None]  # the last whole arrays, then the backend's tensors of them

    def converted(x, y):  # `fit` converts arrays once for all of its epochs, and the referee calls it for each
        if check.kept[0] is not x or check.kept[1] is not y:
            check.kept = [x, y, keras.ops.convert_to_tensor(x), keras.ops.convert_to_tensor(y)]
        return check.kept[2:]

    def train(x, y, order):  # a step takes all digits, in whatever order
        x, y = (x[order], y[order]) if len(order) < len(x) else check.converted(x, y)
        return model.fit(x, y, batch_size=len(x), shuffle=False, verbose=0).history["loss"]

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
        if BACKEND == "torch":
            return framework.cuda.max_memory_allocated()
        if BACKEND == "jax":
            return (framework.devices()[0].memory_stats() or {}).get("peak_bytes_in_use", 0)
        on_gpu = framework.config.list_physical_devices("GPU")
        return framework.config.experimental.get_memory_info("GPU:0")["peak"] if on_gpu else 0

    def profile():  # of the lesson's own cells, where they have run: in milliseconds
        unit = 1e-3 if BACKEND == "torch" else 1e3
        return {kind: unit * time for kind, time in times.items()} if "times" in globals() else None
