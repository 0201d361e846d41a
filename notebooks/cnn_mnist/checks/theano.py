# %% tags=["check"]
# Theano's lesson as the referee sees it: arrays in and out, in the layout of the shared weights.
from referee.data import to_bytes


def _transposed(name, w):  # from the shared layout, or back
    return w.T if name.startswith("dense") else w


class check:
    def tensors(images, labels):  # the step finds its digits in x_train: see train
        return to_images(images), labels

    def data():
        pairs = (x_train.get_value(borrow=True), y_train.get_value(borrow=True)), (x_test, y_test)
        return [(to_bytes(images[:, 0]), labels) for images, labels in pairs]

    def load(weights):
        for p in model.params:
            p.set_value(np.ascontiguousarray(_transposed(p.name, weights[p.name])))

    def read():
        return {p.name: _transposed(p.name, p.get_value()) for p in model.params}

    def gradients(images, labels):
        found = theano.function([x, y], T.grad(loss, model.params))(images, labels)
        return {p.name: _transposed(p.name, g) for p, g in zip(model.params, found)}

    def train(images, labels, order):
        batches = np.split(order, range(BATCH_SIZE, len(order), BATCH_SIZE))
        if images is x_train and labels is y_train:
            return train_epoch(batches)
        kept = [v.get_value(borrow=True) for v in (x_train, y_train)]  # others take their place
        x_train.set_value(images, borrow=True), y_train.set_value(labels, borrow=True)
        try:
            return train_epoch(batches)
        finally:
            x_train.set_value(kept[0], borrow=True), y_train.set_value(kept[1], borrow=True)

    def loss(images, labels):
        if not hasattr(model, "evaluation_loss"):  # kept with the model: compiled once
            model.evaluation_loss = theano.function([x, y], loss)
        return float(model.evaluation_loss(images, labels))

    def predict(images):
        return predict(images)

    def evaluate(images, labels):
        return evaluate(images, labels)

    def profile():  # of the lesson's own cells, where they have run: in milliseconds
        return {kind: 1e3 * time for kind, time in times.items()} if "times" in globals() else None
