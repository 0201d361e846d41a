# JAX's lesson as the referee needs it: NumPy arrays in and out, in the layout of the shared weights. The lesson stacks a
# block's dense layers, and their norm1 and conv1 have room for feature maps that come later: the shared layout has none.

# %% tags=["check"]
class check:
    variance, shared = "biased", True
    KINDS = {"kernel": "weight", "scale": "weight", "bias": "bias", "mean": "running_mean", "var": "running_var"}
    streams = {}  # by the lesson's loader, its files in any order, and the mini-batch: what the next call goes on with

    def tensors(x, y):
        return jnp.asarray(x.transpose(0, 2, 3, 1)), jnp.asarray(y)

    def places(path, shape):  # of an array of the lesson: [(name in the shared layout, where it lies), ...]
        *owner, kind = path
        if owner[0] != "blocks":
            return [(f"{owner[0]}.{check.KINDS[kind]}", ...)]
        number = owner[1] // 2 + 1
        if owner[1] % 2:
            return [(f"transition{number}.{owner[2]}.{check.KINDS[kind]}", ...)]
        name = f"denseblock{number}.denselayer{{}}.{owner[3]}.{check.KINDS[kind]}"
        ends = [shape[1] - 32 * later if owner[3].endswith("1") else None for later in range(shape[0], 0, -1)]
        return [(name.format(k + 1), (k, slice(end))) for k, end in enumerate(ends)]

    def shared_layout(name, w):
        if w.ndim == 2:
            return w.T if name == "classifier.weight" else w.T[:, :, None, None]
        return w.transpose(3, 2, 0, 1) if w.ndim == 4 else w

    def own_layout(w, axes):
        w = w.transpose(2, 3, 1, 0) if w.ndim == 4 else w.T
        return w.reshape(w.shape[-axes:])

    def arrays():  # {path: variable}
        return dict(nnx.to_flat_state(nnx.state(model, (nnx.Param, nnx.BatchStat))))

    def named(arrays):
        found = {}
        for path, w in arrays.items():
            for name, where in check.places(path, w.shape):
                found[name] = check.shared_layout(name, np.asarray(w)[where])
        return found

    def load(weights):
        global optimizer
        while check.streams:  # ends their worker processes
            check.streams.popitem()[1].close()
        flat, dtype = check.arrays(), weights["conv0.weight"].dtype
        for path, variable in flat.items():
            w = np.full(variable.shape, float(path[-1] in ("scale", "var")), dtype)
            for name, where in check.places(path, w.shape):
                w[where] = check.own_layout(weights[name], w[where].ndim)
            variable.set_value(jnp.asarray(w))
        nnx.update(model, nnx.from_flat_state(flat))
        optimizer = nnx.Optimizer(model, optimizer.tx, wrt=optimizer.wrt)  # with moments of the weights' dtype

    def read():
        return check.named({path: variable[...] for path, variable in check.arrays().items()})

    def gradients(x, y):
        lowered = nnx.jit(nnx.grad(loss_fn)).lower(model, x, y)
        grads = lowered.compile({"xla_backend_optimization_level": 0})(model, x, y)  # it runs once: compile quickly
        return check.named({path: grad[...] for path, grad in nnx.to_flat_state(grads)})

    def batched(x, y, order, size=None):  # gathers each mini-batch when its turn comes
        size = size or BATCH_SIZE
        return ((x[part], y[part]) for part in np.split(order, range(size, len(order), size)))

    def train(x, y, order):
        return train_epoch(model, optimizer, check.batched(x, y, order))

    def stream(paths, y, size=None):  # as many mini-batches of the lesson's endless loader, whose workers go on
        size, wanted = size or BATCH_SIZE, len(paths)
        if set(paths) <= set(data.x_train):  # the clock stops within epochs, too; the loader does not start anew then
            paths, y = data.x_train, data.y_train
        key = loader, tuple(sorted(paths)), size
        if key not in check.streams:
            check.streams[key] = iter(loader(paths, y, training=True, batch_size=size))
        return itertools.islice(check.streams[key], math.ceil(wanted / size))

    def train_files(paths, y):
        return train_epoch(model, optimizer, check.stream(paths, y))

    def train_devices(x, y, order, size):
        return train_on_devices(model, optimizer, check.batched(x, y, order, size))

    def train_files_devices(paths, y, size):
        return train_on_devices(model, optimizer, check.stream(paths, y, size))

    def predict(x):
        return predict(model, check.batched(x, x, np.arange(len(x))))

    def predict_files(paths, y):
        return predict(model, loader(paths, y, training=False))

    def batches(paths, y, training):
        return check.stream(paths, y) if training else loader(paths, y, training)

    def as_arrays(x, y):
        return x.transpose(0, 3, 1, 2), y

    def score(y, probabilities):
        return auc(y, probabilities)

    def devices(x, y):  # after one step Adam's first moment is a tenth of the gradient
        train_on_devices(model, optimizer, [(x, y)])
        flat = dict(nnx.to_flat_state(nnx.state(optimizer)))
        moments = {path[path.index("mu") + 1 :]: moment[...] for path, moment in flat.items() if "mu" in path}
        return {name: moment / (1 - 0.9) for name, moment in check.named(moments).items()}

    def double():
        return jax.enable_x64(True)

    def synchronize():
        jax.block_until_ready(nnx.state(model))

    def peak_memory():
        return (jax.devices()[0].memory_stats() or {}).get("peak_bytes_in_use")
