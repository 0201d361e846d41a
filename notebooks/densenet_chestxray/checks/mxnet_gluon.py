# Gluon's lesson as the referee needs it: NumPy arrays in and out, in the layout of the shared weights, which is MXNet's
# own.

# %% tags=["check"]
KINDS = {"gamma": "weight", "beta": "bias", "running_var": "running_var"}


class check:
    variance, shared, pair = "biased", False, None

    def parameters(model):  # {shared name: parameter}; blocks.0.3.norm1.gamma -> denseblock1.denselayer4.norm1.weight
        found = {}
        for name, parameter in model._collect_params_with_prefix().items():
            *parts, kind = name.split(".")
            if parts[0] == "blocks":
                number = int(parts[1])
                layer = (
                    [f"transition{number // 2 + 1}"]
                    if number % 2
                    else [f"denseblock{number // 2 + 1}", f"denselayer{int(parts[2]) + 1}"]
                )
                parts = layer + parts[-1:]
            found[".".join(parts + [KINDS.get(kind, kind)])] = parameter
        return found

    def tensors(x, y):
        return nd.array(x, ctx=ctx), nd.array(y, ctx=ctx)

    def load(weights):
        parameters = check.parameters(model)
        for name, array in weights.items():
            parameters[name].set_data(nd.array(array))

    def read():
        return {name: parameter.data().asnumpy() for name, parameter in check.parameters(model).items()}

    def gradients(x, y):
        with autograd.record():
            loss = loss_fn(model(x), y).mean()
        loss.backward()
        return {name: p.grad().asnumpy() for name, p in check.parameters(model).items() if p.grad_req != "null"}

    def batched(x, y, order=None, size=None):
        dataset = gluon.data.ArrayDataset(x, y)
        return gluon.data.DataLoader(dataset, size or BATCH_SIZE, sampler=None if order is None else order.tolist())

    def exact():  # MXNet adds Adam's epsilon before it corrects the bias, the reference after
        optimizer = trainer.optimizer
        update, beta = optimizer.update, optimizer.beta2

        def corrected(index, *arrays):
            step = optimizer._index_update_count.get(index, optimizer.begin_num_update) + 1
            optimizer.epsilon = 1e-8 * (1 - beta**step) ** 0.5
            update(index, *arrays)

        optimizer.update = corrected

    def train(x, y, order):
        return train_epoch(model, trainer, check.batched(x, y, order))

    def train_files(paths, y):
        return train_epoch(model, trainer, loader(paths, y, training=True))

    def predict(x):
        return predict(model, check.batched(x, x))

    def predict_files(paths, y):
        return predict(model, loader(paths, y, training=False))

    def batches(paths, y, training):
        return loader(paths, y, training)

    def as_arrays(x, y):
        return x.asnumpy(), y.asnumpy()

    def score(y, probabilities):
        return auc(y, probabilities)

    def on_pair(**options):  # (a copy of the model on two of the contexts, its trainer)
        parallel, weights = make_model(contexts[:2]), check.read()
        for name, parameter in check.parameters(parallel).items():
            parameter.set_data(nd.array(weights[name]))
        settings = {"learning_rate": LEARNING_RATE}
        return parallel, gluon.Trainer(parallel.collect_params(), "adam", settings, **options)

    def devices(x, y):  # a trainer that keeps what it hands to the optimizer
        parallel, keeping = check.on_pair(update_on_kvstore=False)
        train_epoch_on(contexts[:2], parallel, keeping, [(x, y)])
        trained = {name: p for name, p in check.parameters(parallel).items() if p.grad_req != "null"}
        return {name: p.grad(contexts[0]).asnumpy() * keeping.optimizer.rescale_grad for name, p in trained.items()}

    def kept():  # what on_pair made for the lesson's present model
        if check.pair is None or check.pair[0] is not model:
            check.pair = (model, *check.on_pair())
        return check.pair[1:]

    def train_devices(x, y, order, size):
        return train_epoch_on(contexts[:2], *check.kept(), check.batched(x, y, order, size))

    def train_files_devices(paths, y, size):
        return train_epoch_on(contexts[:2], *check.kept(), loader(paths, y, training=True, batch_size=size))

    def synchronize():
        nd.waitall()
