# %% tags=["check"]
"""The adapters through which the referee sees jax.ipynb."""


class check:
    def tensors(x, y):
        return jnp.asarray(x), jnp.asarray(y)

    def data():
        return (np.asarray(x_train), np.asarray(y_train)), (np.asarray(x_test), np.asarray(y_test))

    def parameters(tree):  # of the model or of its gradients: {tensor: an nnx.Param}
        cell = tree.gru.cell if FORM == "layer" else tree.gru
        return {
            "embedding": tree.embedding.embedding,
            "gru.weight_ih": cell.dense_i.kernel,
            "gru.weight_hh": cell.dense_h.kernel,
            "gru.bias_ih": cell.dense_i.bias,
            "gru.bias_hh": cell.dense_h.bias,
            "dense.weight": tree.dense.kernel,
            "dense.bias": tree.dense.bias,
        }

    def shared(tree):  # copies: a step deletes the arrays that it is given
        arrays = {name: np.array(parameter[...]) for name, parameter in check.parameters(tree).items()}
        return {name: w if name == "embedding" else w.T for name, w in arrays.items()}

    def load(weights):
        global optimizer
        if FORM == "layer" and model.gru.cell.dense_h.bias is None:  # Flax's GRUCell lacks the reference's second bias
            model.gru.cell.dense_h = nnx.Linear(100, 300, rngs=rngs)
            optimizer = nnx.Optimizer(model, optimizer.tx, wrt=optimizer.wrt)
        for name, parameter in check.parameters(model).items():
            w = weights[name]
            parameter[...] = jnp.array(w if name == "embedding" else w.T)

    def read():
        return check.shared(model)

    def gradients(x, y):
        return check.shared(nnx.jit(nnx.grad(loss_fn))(model, x, y))

    def train(x, y, order):
        return train_epoch(model, optimizer, minibatches(x, y, order))

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
