# Paddle's lesson as the referee needs it: NumPy arrays in and out. Linear weights are (in, out); the shared ones (out, in).


# %% tags=["check"]
class check:
    names = {"gru." + name: name + "_l0" for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")}

    def own():  # shared name -> the lesson's parameter
        found = {name: getattr(model.gru, own) for name, own in check.names.items()}
        found.update({"embedding": model.embedding.weight})
        found.update({"dense.weight": model.dense.weight, "dense.bias": model.dense.bias})
        return found

    def shared(tensors):  # {shared name: tensor in Paddle's layout} -> shared
        arrays = {name: tensor.numpy() for name, tensor in tensors.items()}
        return {name: w.T.copy() if name == "dense.weight" else w.copy() for name, w in arrays.items()}

    def tensors(x, y):
        return paddle.to_tensor(x), paddle.to_tensor(y)

    def data():
        return [(x.numpy(), y.numpy()) for x, y in ((x_train, y_train), (x_test, y_test))]

    def load(weights):
        for name, parameter in check.own().items():
            parameter.set_value(weights[name].T if name == "dense.weight" else weights[name])

    def read():
        return check.shared(check.own())

    def gradients(x, y):
        loss_fn(model(x), y).backward()
        return check.shared({name: p.grad for name, p in check.own().items()})

    def train(x, y, order):
        batches = [paddle.to_tensor(order[k : k + BATCH_SIZE]) for k in range(0, len(order), BATCH_SIZE)]
        return train_epoch(model, optimizer, ((x[i], y[i]) for i in batches)).numpy()

    @paddle.no_grad()
    def loss(x, y):
        model.eval()
        return loss_fn(model(x), y).item()

    def predict(x):
        return predict(model, x).numpy()

    def evaluate(x, y):
        return evaluate(model, x, y)
