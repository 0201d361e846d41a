# %% tags=["check"]
# Gluon's lesson as the referee sees it: arrays in and out, weights in the shared layout, which is MXNet's own.
names = "embedding gru.weight_ih gru.weight_hh gru.bias_ih gru.bias_hh dense.weight dense.bias".split()


class OwnSoftmax:  # mx.nd or mx.sym with MXNet's own log_softmax: oneDNN's is less exact
    def __init__(self, F):
        self.F = F

    def __getattr__(self, name):
        return getattr(self.F, name)

    def log_softmax(self, x, axis):
        return self.F.log_softmax(x, axis=axis, temperature=1)


class check:
    def tensors(x, y):
        return nd.array(x, dtype="int32"), nd.array(y, dtype="int32")

    def data():
        return (x_train.asnumpy(), y_train.asnumpy()), (x_test.asnumpy(), y_test.asnumpy())

    def parameters():  # in the order of the layers
        return zip(names, model.collect_params().values(), strict=True)

    def load(weights):
        for name, parameter in check.parameters():
            parameter.set_data(nd.array(weights[name]))

    def read():
        return {name: parameter.data().asnumpy() for name, parameter in check.parameters()}

    def exact():  # MXNet adds epsilon before it corrects Adam's bias, the reference after it
        adam, forward = trainer._optimizer, loss_fn.hybrid_forward
        update, epsilon = adam.update, adam.epsilon

        def corrected(index, *given):
            step = adam._index_update_count.get(index, 0) + 1
            adam.epsilon = epsilon * (1 - adam.beta2**step) ** 0.5
            update(index, *given)

        adam.update = corrected
        loss_fn.hybrid_forward = lambda F, *given: forward(OwnSoftmax(F), *given)

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
