# %% tags=["check"]
"""The adapters through which the referee sees numpy.ipynb. The shared weights have this lesson's layout."""

from referee.data import to_bytes


class check:
    def tensors(x, y):
        return to_inputs(x), y

    def data():
        return [(to_bytes(x.reshape(-1, 28, 28)), y) for x, y in ((x_train, y_train), (x_test, y_test))]

    def load(weights):
        for name, w in model.items():
            w[...] = weights[name]

    def read():
        return dict(model)

    def gradients(x, y):
        hidden, logits = forward(model, x)
        return backward(model, x, hidden, loss_fn(logits, y)[1])

    def train(x, y, order):  # a step takes all digits, in whatever order
        if len(order) < len(x):
            x, y = x[order], y[order]
        return train_step(model, optimizer, x, y)

    def loss(x, y):
        return loss_fn(forward(model, x)[1], y)[0]

    def predict(x):
        return predict(model, x)

    def evaluate(x, y):
        return evaluate(model, x, y)

    def profile():  # of the lesson's own cells, where they have run: in milliseconds
        return {kind: 1e3 * time for kind, time in times.items()} if "times" in globals() else None
