# %% tags=["check"]
"""The adapters through which the referee sees jax.ipynb.

The shared weights have PyTorch's layout: kernels (out, in, height, width), the dense layer (out, in) with its inputs in
the order (channel, height, width). Flax' kernels are (height, width, in, out).
"""

from referee.data import to_bytes


class check:
    names = [f"{layer}.{kind}" for layer in ("conv1", "conv2", "dense") for kind in ("weight", "bias")]
    correction = getattr(optax.tree.bias_correction, "own", optax.tree.bias_correction)

    def parameters(tree):  # of the model or of its gradients: the nnx.Params, by the shared names
        parts = [name.replace("weight", "kernel").split(".") for name in check.names]
        return {name: getattr(getattr(tree, layer), kind) for name, (layer, kind) in zip(check.names, parts)}

    def shared(tree):  # copies: a step deletes the arrays that it is given
        found = {name: np.array(parameter[...]) for name, parameter in check.parameters(tree).items()}
        found["dense.weight"] = found["dense.weight"].reshape(6, 6, 8, 10).transpose(3, 2, 0, 1).reshape(10, 288)
        return {name: w.transpose(3, 2, 0, 1) if w.ndim == 4 else w for name, w in found.items()}

    def tensors(x, y):
        return to_images(x), jnp.asarray(y)

    def data():
        pairs = (x_train, y_train), (x_test, y_test)
        return [(to_bytes(np.asarray(x)[..., 0]), np.asarray(y)) for x, y in pairs]

    def load(weights):
        optax.tree.bias_correction = check.correction
        own = {name: w.transpose(2, 3, 1, 0) if w.ndim == 4 else w for name, w in weights.items()}
        own["dense.weight"] = weights["dense.weight"].reshape(10, 8, 6, 6).transpose(2, 3, 1, 0).reshape(288, 10)
        for name, parameter in check.parameters(model).items():
            parameter[...] = jnp.array(own[name])

    def read():
        return check.shared(model)

    def gradients(x, y):
        return check.shared(nnx.jit(nnx.grad(loss_fn))(model, x, y))

    def exact():  # Optax rounds 0.999 to float32 in the bias correction alone; this has 1 - 0.999**t as it is
        def corrected(moments, decay, count):
            return jax.tree.map(lambda moment: moment / -jnp.expm1(count * float(np.log(decay))), moments)

        corrected.own = check.correction
        optax.tree.bias_correction = corrected  # until the next load

    def train(x, y, order):
        return train_epoch(model, optimizer, x, y, order)

    def loss(x, y):
        return nnx.jit(loss_fn)(model, x, y).item()

    def predict(x):
        return predict(model, x)

    def evaluate(x, y):
        return evaluate(model, x, y)

    def synchronize():
        jax.block_until_ready(nnx.state(model))

    def peak_memory():
        return (jax.devices()[0].memory_stats() or {}).get("peak_bytes_in_use")

    def profile():  # of the lesson's own cells, where they have run: in milliseconds
        return {kind: 1e3 * time for kind, time in times.items()} if "times" in globals() else None
