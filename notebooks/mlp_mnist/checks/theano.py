# %% tags=["check"]
# Theano's lesson as the referee sees it: arrays in and out, in the layout of the shared weights.
class check:
    def images(x):  # 0..1 -> bytes; what was no byte stays as it is, to be seen
        values = x.reshape(-1, 28, 28) * 255
        whole = np.round(values)
        return whole.astype(np.uint8) if np.max(np.abs(values - whole)) < 1e-9 else values

    def classes(y):  # of targets or of labels
        return y.argmax(axis=1) if y.ndim == 2 else y

    def tensors(images, labels):  # the step finds its digits in x_train: see train
        return to_inputs(images), one_hot(labels)

    def data():
        held = [v.get_value(borrow=True) for v in (x_train, y_train)]
        return [(check.images(x), check.classes(y)) for x, y in (held, (x_test, y_test))]

    def load(weights):
        for p in model.params:
            p.set_value(np.ascontiguousarray(weights[p.name].T))

    def read():
        return {p.name: p.get_value().T for p in model.params}

    def gradients(inputs, targets):
        a, y = T.matrix(), T.matrix()
        found = theano.function([a, y], T.grad(loss_fn(model(a), y), model.params))(inputs, targets)
        return {p.name: g.T for p, g in zip(model.params, found)}

    def train(inputs, targets, numbers):
        if inputs is x_train and targets is y_train:
            return train_epoch(numbers)
        kept = [v.get_value(borrow=True) for v in (x_train, y_train)]  # others take their place
        x_train.set_value(inputs, borrow=True), y_train.set_value(targets, borrow=True)
        try:
            return train_epoch(numbers)
        finally:
            x_train.set_value(kept[0], borrow=True), y_train.set_value(kept[1], borrow=True)

    def loss(inputs, targets):
        if not hasattr(model, "evaluation_loss"):  # kept with the model: compiled once
            y = T.matrix()
            model.evaluation_loss = theano.function([x, y], loss_fn(model(x), y))
        inputs, targets = [v.eval() if hasattr(v, "eval") else v for v in (inputs, targets)]
        return float(model.evaluation_loss(inputs, targets))

    def predict(inputs):
        return predict(inputs)

    def evaluate(inputs, targets):
        return evaluate(inputs, check.classes(targets))
