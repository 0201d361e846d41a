# %% tags=["check"]
# Theano's lesson as the referee sees it: arrays in and out, in the layout of the shared weights.
def _transposed(name, w):  # from the shared layout, or back
    return w if name == "embedding" else w.T


class check:
    def tensors(reviews, labels):  # the step finds its reviews in x_train: see train
        return reviews, labels

    def data():
        return (x_train.get_value(borrow=True), y_train.get_value(borrow=True)), (x_test, y_test)

    def load(weights):
        for p in model.params:
            p.set_value(np.ascontiguousarray(_transposed(p.name, weights[p.name])))

    def read():
        return {p.name: _transposed(p.name, p.get_value()) for p in model.params}

    def gradients(reviews, labels):
        found = theano.function([x, y], T.grad(loss, model.params))(reviews, labels)
        return {p.name: _transposed(p.name, g) for p, g in zip(model.params, found)}

    def train(reviews, labels, order):
        batches = np.split(order, range(BATCH_SIZE, len(order), BATCH_SIZE))
        if reviews is x_train and labels is y_train:
            return train_epoch(batches)
        (kept_x, kept_y), _ = check.data()  # other samples take the place of the lesson's
        x_train.set_value(reviews, borrow=True), y_train.set_value(labels, borrow=True)
        try:
            return train_epoch(batches)
        finally:
            x_train.set_value(kept_x, borrow=True), y_train.set_value(kept_y, borrow=True)

    def loss(reviews, labels):  # the network is the same in training and in evaluation
        return float(loss.eval({x: reviews, y: labels}))

    def predict(reviews):
        return predict(reviews)

    def evaluate(reviews, labels):
        return evaluate(reviews, labels)
