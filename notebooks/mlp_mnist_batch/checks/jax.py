# %% tags=["check"]
"""The adapters through which the referee sees jax.ipynb. Kernels are (in, out), the shared weights (out, in)."""

from referee.data import to_bytes


class check:
    names = [f"{layer}.{kind}" for layer in ("hidden", "output") for kind in ("weight", "bias")]
    correction = getattr(optax.tree.bias_correction, "own", optax.tree.bias_correction)

    def parameters(tree):  # of the model or of its gradients: the nnx.Params, by the shared names
        parts = [name.replace("weight", "kernel").split(".") for name in check.names]
        return {name: getattr(getattr(tree, layer), kind) for name, (layer, kind) in zip(check.names, parts)}

    def shared(tree):  # copies: a step deletes the arrays that it is given
        return {name: np.array(parameter[...]).T for name, parameter in check.parameters(tree).items()}

    def tensors(x, y):
        return to_inputs(x), jnp.asarray(y)

    def data():
        pairs = (x_train, y_train), (x_test, y_test)
        return [(to_bytes(np.asarray(x).reshape(-1, 28, 28)), np.asarray(y)) for x, y in pairs]

    def load(weights):
        optax.tree.bias_correction = check.correction
        for name, parameter in check.parameters(model).items():
            parameter[...] = jnp.array(weights[name].T)

    def read():
        return check.shared(model)

    def gradients(x, y):
        return check.shared(nnx.jit(nnx.grad(loss_fn))(model, x, y))

    def exact():  # Optax rounds 0.999 to float32 in the bias correction alone; this has 1 - 0.999**t as it is
        def corrected(moments, decay, count):
            return jax.tree.map(lambda moment: moment / -jnp.expm1(count * float(np.log(decay))), moments)

        corrected.own = check.correction
        optax.tree.bias_correction = corrected  # until the next load

    def train(x, y, order):  # a step takes all digits, in whatever order
        if len(order) < len(x):
            x, y = x[order], y[order]
        return train_step(model, optimizer, x, y)

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
