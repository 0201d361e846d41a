# JAX's lesson as the referee needs it: NumPy arrays in and out, in the layout of the shared weights.

# %% tags=["check"]
class check:
    variance, shared = "biased", True
    KINDS = {"kernel": "weight", "scale": "weight", "bias": "bias", "mean": "running_mean", "var": "running_var"}
    LAYERS = [  # of the lesson's list
        name
        for block, count in enumerate((6, 12, 24, 16), start=1)
        for name in [*(f"denseblock{block}.denselayer{k + 1}" for k in range(count)), f"transition{block}"]
    ]
    streams = {}  # by the lesson's loader, its files in any order, and the mini-batch: what the next call goes on with

    def tensors(x, y):
        return jnp.asarray(x.transpose(0, 2, 3, 1)), jnp.asarray(y)

    def name(path):  # of an array of the lesson, in the shared layout
        *owner, kind = path
        owner = [check.LAYERS[owner[1]], owner[2]] if owner[0] == "layers" else owner
        return ".".join([*owner, check.KINDS[kind]])

    def shared_layout(name, w):
        return w.T if name == "classifier.weight" else w.transpose(3, 2, 0, 1) if w.ndim == 4 else w

    def own_layout(w):
        return w.transpose(2, 3, 1, 0) if w.ndim == 4 else w.T

    def arrays():  # {path: variable}
        return dict(nnx.to_flat_state(nnx.state(model, (nnx.Param, nnx.BatchStat))))

    def named(arrays):
        names = {path: check.name(path) for path in arrays}
        return {names[path]: check.shared_layout(names[path], np.asarray(w)) for path, w in arrays.items()}

    def load(weights):
        global optimizer
        while check.streams:  # ends their worker processes
            check.streams.popitem()[1].close()
        flat = check.arrays()
        for path, variable in flat.items():
            variable.set_value(jnp.asarray(check.own_layout(weights[check.name(path)])))
        nnx.update(model, nnx.from_flat_state(flat))
        optimizer = nnx.Optimizer(model, optimizer.tx, wrt=optimizer.wrt)  # with moments of the weights' dtype

    def read():
        return check.named({path: variable[...] for path, variable in check.arrays().items()})

    def quickly(function):  # XLA optimizes little what the proof calls a few times
        options = {"xla_backend_optimization_level": 0, "xla_llvm_disable_expensive_passes": True}
        ready = {}  # by the size of a mini-batch

        def call(model, *given):
            if len(given[-1]) not in ready:
                program = function.lower(model, *given)
                ready[len(given[-1])] = program.compile({**options, "xla_cpu_use_fusion_emitters": False})
            return ready[len(given[-1])](model, *given)

        return call

    def exact():  # called before the proof's steps
        global train_step
        train_step = check.quickly(train_step)

    def gradients(x, y):
        grads = check.quickly(nnx.jit(nnx.grad(loss_fn)))(model, x, y)
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
