# Chainer's lesson as the referee needs it: NumPy arrays in and out, in the layout of the shared weights, which is
# Chainer's own.

# %% tags=["check"]
import contextlib

KINDS = {"W": "weight", "b": "bias", "gamma": "weight", "beta": "bias"}
KINDS.update(avg_mean="running_mean", avg_var="running_var")
LAYERS = [f"denseblock{block}.denselayer{k + 1}" for block, k in ((1, 6), (2, 12), (3, 24), (4, 16)) for k in range(k)]
for place, number in ((6, 1), (19, 2), (44, 3)):
    LAYERS.insert(place, f"transition{number}")


class check:
    variance, shared, pair = "unbiased", False, None

    def shared_name(name):  # /blocks/3/norm1/gamma -> denseblock1.denselayer4.norm1.weight
        *parts, kind = name[1:].split("/")
        if parts[0] == "blocks":
            parts[:2] = [LAYERS[int(parts[1])]]
        return ".".join(parts + [KINDS[kind]])

    def arrays():  # {shared name: array} of weights and running statistics
        found = {check.shared_name(name): p.array for name, p in model.namedparams()}
        for name, link in model.namedlinks():
            if isinstance(link, L.BatchNormalization):
                for kind in ("avg_mean", "avg_var"):
                    found[check.shared_name(name + "/" + kind)] = getattr(link, kind)
        return found

    def grads(model):
        return {check.shared_name(name): np.array(p.grad) for name, p in model.namedparams()}

    def tensors(x, y):
        return x, y.astype(np.int32)

    def load(weights):
        model.to_device("@numpy")  # the arrays of iDeep take some kernels in a wrong order
        for name, array in check.arrays().items():
            array[...] = weights[name]
        model.to_device("@intel64")

    def read():
        return {name: np.array(array) for name, array in check.arrays().items()}

    def gradients(x, y):
        model.cleargrads()
        loss_fn(model(x), y).backward()
        return check.grads(model)

    def batched(x, y, order=None):
        order = np.arange(len(x)) if order is None else order
        return (list(zip(x[i], y[i])) for i in np.split(order, range(BATCH_SIZE, len(order), BATCH_SIZE)))

    def exact():  # Chainer adds Adam's epsilon before it corrects the bias, the reference after
        update = optimizer.update

        def corrected():
            optimizer.eps = 1e-8 * (1 - optimizer.beta2 ** (optimizer.t + 1)) ** 0.5
            update()

        optimizer.update = corrected

    def train(x, y, order):
        return train_epoch(model, optimizer, check.batched(x, y, order))

    def train_files(paths, y):
        batches = loader(paths, y, training=True)
        losses = train_epoch(model, optimizer, batches)
        batches.finalize()
        return losses

    def predict(x):
        return predict(model, check.batched(x, x))

    def predict_files(paths, y):
        batches = loader(paths, y, training=False)
        probabilities = predict(model, batches)
        batches.finalize()
        return probabilities

    def batches(paths, y, training):  # concatenated, as the lesson's loop begins
        batches = loader(paths, y, training)
        try:
            yield from map(concat_examples, batches)
        finally:  # whoever asked may want no more
            batches.finalize()

    def as_arrays(x, y):
        return x, y

    def score(y, probabilities):
        return auc(y, probabilities)

    def on_pair(batches):  # the lesson's function, with copies of its present model that are kept
        if check.pair is None or check.pair[0] is not model:
            pair = {name: chainer.get_device("@numpy") for name in ("main", "second")}
            models = copies(pair, model.copy("copy"))
            check.pair = (model, pair, models, chainer.optimizers.Adam(alpha=LEARNING_RATE).setup(models["main"]))
        return train_epoch_on(*check.pair[1:], batches)

    def devices(x, y):  # the updater deals them out in turn
        check.pair, order = None, np.arange(len(x)).reshape(2, -1).T.ravel()
        check.on_pair(SerialIterator(TupleDataset(x[order], y[order]), len(x), repeat=False, shuffle=False))
        return check.grads(check.pair[2]["main"].predictor)

    def train_devices(x, y, order, size):
        dataset = TupleDataset(x, y)
        return check.on_pair(SerialIterator(dataset, size, repeat=False, order_sampler=lambda *_: order))

    def train_files_devices(paths, y, size):
        batches = loader(paths, y, training=True, batch_size=size)
        losses = check.on_pair(batches)
        batches.finalize()
        return losses

    @contextlib.contextmanager
    def double():
        with chainer.using_config("dtype", np.float64):
            yield
