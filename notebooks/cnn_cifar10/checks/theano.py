# %% tags=["check"]
# Theano's lesson as the referee sees it: arrays in and out, in the layout of the shared weights.
def _transposed(name, w):  # from the shared layout, or back
    return w.T if name.startswith("dense") else w


class check:
    def tensors(images, labels):  # the step finds its images in x_train: see train
        return images, labels

    def data():
        return (x_train.get_value(borrow=True), y_train.get_value(borrow=True)), (x_test, y_test)

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
        (kept_x, kept_y), _ = check.data()  # other samples take the place of the lesson's
        x_train.set_value(images, borrow=True), y_train.set_value(labels, borrow=True)
        try:
            return train_epoch(batches)
        finally:
            x_train.set_value(kept_x, borrow=True), y_train.set_value(kept_y, borrow=True)

    def loss(images, labels):
        if not hasattr(model, "evaluation_loss"):  # kept with the model: eval compiles an expression once
            model.evaluation_loss = loss_fn(model(x, train=False), y)
        return float(model.evaluation_loss.eval({x: images, y: labels}))

    def predict(images):
        return predict(images)

    def evaluate(images, labels):
        return evaluate(images, labels)
