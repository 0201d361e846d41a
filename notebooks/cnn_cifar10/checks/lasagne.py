# %% tags=["check"]
# Lasagne's lesson as the referee sees it: arrays in and out, in the layout of the shared weights.
_names = [
    layer + kind for layer in ("conv1", "conv2", "conv3", "conv4", "dense1", "dense2") for kind in (".weight", ".bias")
]


def _converted(w):  # from the shared layout, or back: kernels are flipped, dense weights transposed
    return np.ascontiguousarray(w[:, :, ::-1, ::-1] if w.ndim == 4 else w.T)


class check:
    def tensors(x, y):
        return x, y

    def data():
        return (x_train, y_train), (x_test, y_test)

    def load(weights):
        layers.set_all_param_values(model, [_converted(weights[name]) for name in _names])

    def read():
        return {name: _converted(w) for name, w in zip(_names, layers.get_all_param_values(model))}

    def gradients(x, y):
        found = theano.function([images, labels], T.grad(loss, params))(x, y)
        return {name: _converted(g) for name, g in zip(_names, found)}

    def train(x, y, order):
        batches = np.split(order, range(BATCH_SIZE, len(order), BATCH_SIZE))
        return train_epoch((x[i], y[i]) for i in batches)

    def loss(x, y):
        if not hasattr(model, "evaluation_loss"):  # kept with the model: eval compiles an expression once
            model.evaluation_loss = loss_fn(layers.get_output(model, deterministic=True), labels)
        return float(model.evaluation_loss.eval({images: x, labels: y}))

    def predict(x):
        return predict(x)

    def evaluate(x, y):
        return evaluate(x, y)
