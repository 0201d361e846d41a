# %% tags=["check"]
# Gluon's lesson as the referee sees it: arrays in and out, weights in the shared layout, which is MXNet's own.
layers = "conv1 conv2 conv3 conv4 dense1 dense2".split()
names = [f"{layer}.{kind}" for layer in layers for kind in ("weight", "bias")]


class check:
    def tensors(x, y):
        return nd.array(x), nd.array(y, dtype="int32")

    def data():
        return (x_train.asnumpy(), y_train.asnumpy()), (x_test.asnumpy(), y_test.asnumpy())

    def parameters():  # in the order of the layers
        return zip(names, model.collect_params().values(), strict=True)

    def load(weights):
        for name, parameter in check.parameters():
            parameter.set_data(nd.array(weights[name]))

    def read():
        return {name: parameter.data().asnumpy() for name, parameter in check.parameters()}

    def gradients(x, y):
        with autograd.record():
            loss = loss_fn(model(x.as_in_context(ctx)), y.as_in_context(ctx)).mean()
        loss.backward()
        return {name: parameter.grad().asnumpy() for name, parameter in check.parameters()}

    def train(x, y, order):
        dataset = gluon.data.ArrayDataset(x, y)
        return train_epoch(model, trainer, gluon.data.DataLoader(dataset, BATCH_SIZE, sampler=order.tolist()))

    def loss(x, y):
        return loss_fn(model(x.as_in_context(ctx)), y.as_in_context(ctx)).mean().asscalar()

    def predict(x):
        return predict(model, x).asnumpy()

    def evaluate(x, y):
        return evaluate(model, x, y)

    def synchronize():
        nd.waitall()
