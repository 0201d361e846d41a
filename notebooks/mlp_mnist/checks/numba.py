# %% tags=["check"]
# How the referee reaches into numba.ipynb: arrays in and out. The model's arrays have the shared layout.
class check:
    def images(x):  # 0..1 -> bytes; what was no byte stays as it is, to be seen
        values = np.asarray(x).reshape(-1, 28, 28) * 255
        whole = np.round(values)
        return whole.astype(np.uint8) if np.max(np.abs(values - whole)) < 1e-9 else values

    def classes(y):  # of targets or of labels
        return np.argmax(y, axis=1) if np.ndim(y) == 2 else y

    def tensors(x, y):
        return to_inputs(x), one_hot(y)

    def data():
        return (check.images(x_train), check.classes(y_train)), (check.images(x_test), check.classes(y_test))

    def shared(tensors):  # a field's name cannot have a dot
        return {field.replace("_", "."): w.copy() for field, w in tensors._asdict().items()}

    def load(weights):
        for field, w in model._asdict().items():
            w[...] = weights[field.replace("_", ".")]

    def read():
        return check.shared(model)

    def gradients(x, y):
        gradients_of(model, optimizer, x, y, np.arange(len(x)))
        return check.shared(optimizer.grads)

    def train(x, y, order):
        return train_epoch(model, optimizer, x, y, order)

    def loss(x, y):  # with the gradients, which nobody takes
        return gradients_of(model, optimizer, x, y, np.arange(len(x)))

    def predict(x):
        return predict(model, x)

    def evaluate(x, y):
        return evaluate(model, x, check.classes(y))
