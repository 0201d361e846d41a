# %% tags=["check"]
"""The adapters through which the referee sees jax.ipynb. Flax's queries, keys and values are (128, 4, 32)."""


class check:
    def tensors(x, y):
        return jnp.asarray(x, jnp.int32), jnp.asarray(y, jnp.int32)

    def data():
        return (np.asarray(x_train), np.asarray(y_train)), (np.asarray(x_test), np.asarray(y_test))

    def parameters(tree):  # of the model or of its gradients: {tensor: an nnx.Param}
        found = {"tokens": tree.tokens.embedding, "positions": tree.positions.embedding}
        layers = {"norm": tree.norm}
        for number in range(BLOCKS):
            block = tree.blocks[number]
            inner = {name: getattr(block, name) for name in ("norm1", "norm2", "up", "down")}
            inner.update({name: getattr(block.attention, name) for name in ("query", "key", "value")})
            inner["output"] = block.attention.out
            layers.update({f"blocks.{number}.{name}": layer for name, layer in inner.items()})
        for name, layer in layers.items():
            found[name + ".weight"] = layer.scale if "norm" in name else layer.kernel
            found[name + ".bias"] = layer.bias
        return found

    def shared(tree):  # copies: a step deletes the arrays that it is given
        found = {}
        for name, parameter in check.parameters(tree).items():
            w = np.array(parameter[...])
            if name.endswith("output.weight"):
                w = w.reshape(WIDTH, WIDTH)
            elif w.ndim == 3:
                w = w.reshape(len(w), -1)
            elif name.endswith(".bias"):
                w = w.ravel()
            found[name] = w
        return found

    def load(weights):
        for name, parameter in check.parameters(model).items():
            parameter[...] = jnp.array(weights[name]).reshape(parameter.shape)

    def read():
        return check.shared(model)

    def gradients(x, y):
        return check.shared(nnx.jit(nnx.grad(loss_fn))(model, x, y, rngs))

    def train(x, y, order):
        return train_epoch(model, optimizer, rngs, minibatches(x, y, order))

    def logits(x):
        return nnx.jit(lambda model, x: model(x))(nnx.view(model, deterministic=True), x)

    def evaluate(x, y):
        return evaluate(model, x, y)

    def generate(prompt, count, temperature, cache):
        return generate(model, prompt, count, temperature, cache, rngs)

    def synchronize():
        jax.block_until_ready(nnx.state(model))

    def peak_memory():
        return (jax.devices()[0].memory_stats() or {}).get("peak_bytes_in_use")
