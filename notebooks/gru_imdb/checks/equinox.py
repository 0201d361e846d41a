# %% tags=["check"]
"""The adapters through which the referee sees equinox.ipynb."""


class _Biases(eqx.Module):
    """The reference's two of r and z, in the place of their sum: Adam moves the sum of two twice as fast."""

    ih: jax.Array  # (300,): of n, too
    hh: jax.Array  # (200,)

    def __radd__(self, product):  # (300,)
        return product + self.ih + jnp.pad(self.hh, (0, 100))


class check:
    def tensors(x, y):
        return jnp.asarray(x), jnp.asarray(y)

    def data():
        return (np.asarray(x_train), np.asarray(y_train)), (np.asarray(x_test), np.asarray(y_test))

    def leaves(tree):  # of the model or of its gradients
        cell, dense = tree.cell, tree.dense
        weights = tree.embedding.weight, cell.weight_ih, cell.weight_hh, dense.weight, dense.bias
        return [*weights, cell.bias.ih, cell.bias.hh, cell.bias_n]

    def shared(tree):  # copies: a step deletes the arrays that it is given
        *weights, ih, hh, n = [np.array(w) for w in check.leaves(tree)]
        names = "embedding", "gru.weight_ih", "gru.weight_hh", "dense.weight", "dense.bias"
        return {**dict(zip(names, weights)), "gru.bias_ih": ih, "gru.bias_hh": np.append(hh, n)}

    def load(weights):
        global model, opt_state
        w = {name: jnp.array(one) for name, one in weights.items()}
        biases = _Biases(w["gru.bias_ih"], w["gru.bias_hh"][:200])
        model = eqx.tree_at(lambda tree: tree.cell.bias, model, biases)
        names = "embedding", "gru.weight_ih", "gru.weight_hh", "dense.weight", "dense.bias"
        given = [*[w[name] for name in names], biases.ih, biases.hh, w["gru.bias_hh"][200:]]
        model = eqx.tree_at(check.leaves, model, given)
        opt_state = optimizer.init(eqx.filter(model, eqx.is_inexact_array))

    def read():
        return check.shared(model)

    def gradients(x, y):
        return check.shared(eqx.filter_jit(eqx.filter_grad(loss_fn))(model, x, y))

    def train(x, y, order):
        global model, opt_state
        model, opt_state, losses = train_epoch(model, opt_state, minibatches(x, y, order))
        return losses

    def loss(x, y):
        return eqx.filter_jit(loss_fn)(model, x, y).item()

    def predict(x):
        return predict(model, x)

    def evaluate(x, y):
        return evaluate(model, x, y)

    def synchronize():
        jax.block_until_ready(eqx.filter(model, eqx.is_array))

    def peak_memory():
        return (jax.devices()[0].memory_stats() or {}).get("peak_bytes_in_use")
