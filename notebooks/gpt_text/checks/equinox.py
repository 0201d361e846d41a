# %% tags=["check"]
"""The adapters through which the referee sees equinox.ipynb. Equinox' weights are (out, in), the shared ones (in, out)."""


class check:
    def tensors(x, y):
        return jnp.asarray(x, jnp.int32), jnp.asarray(y, jnp.int32)

    def data():
        return (np.asarray(x_train), np.asarray(y_train)), (np.asarray(x_test), np.asarray(y_test))

    def leaves(tree):  # of the model or of its gradients: {tensor: array}
        layers = {"norm": tree.norm}
        for number, block in enumerate(tree.blocks):
            inner = {name: getattr(block, name) for name in ("norm1", "norm2", "up", "down")}
            for name in ("query", "key", "value", "output"):
                inner[name] = getattr(block.attention, name + "_proj")
            layers.update({f"blocks.{number}.{name}": layer for name, layer in inner.items()})
        found = {
            f"{name}.{kind}": getattr(layer, kind) for name, layer in layers.items() for kind in ("weight", "bias")
        }
        return {"tokens": tree.tokens.weight, "positions": tree.positions.weight, **found}

    def turned(name, w):  # between the two layouts, either way
        return w.T if name.endswith(".weight") else w

    def shared(tree):  # copies: a step deletes the arrays that it is given
        return {name: check.turned(name, np.array(w)) for name, w in check.leaves(tree).items()}

    def load(weights):
        global model
        given = [jnp.array(check.turned(name, weights[name])) for name in check.leaves(model)]
        model = eqx.tree_at(lambda tree: list(check.leaves(tree).values()), model, given)

    def read():
        return check.shared(model)

    def gradients(x, y):
        return check.shared(eqx.filter_jit(eqx.filter_grad(loss_fn))(model, x, y, key))

    def train(x, y, order):
        global model, opt_state, key
        key, epoch_key = jax.random.split(key)
        model, opt_state, losses = train_epoch(model, opt_state, minibatches(x, y, order), epoch_key)
        return losses

    def logits(x):
        return eqx.filter_jit(forward)(eqx.nn.inference_mode(model), x)

    def evaluate(x, y):
        return evaluate(model, x, y)

    def generate(prompt, count, temperature, cache):
        global key
        key, text_key = jax.random.split(key)
        return generate(model, prompt, count, temperature, cache, key=text_key)

    def synchronize():
        jax.block_until_ready(eqx.filter(model, eqx.is_array))

    def peak_memory():
        return (jax.devices()[0].memory_stats() or {}).get("peak_bytes_in_use")
