"""Flax NNX's layers as its reference shows them, with donated buffers and a cached traversal; the loop of our own."""

from tests.bare.gru_imdb import LABELS, TOKENS


def bare(parameters):
    import jax
    import jax.numpy as jnp
    import optax
    from flax import nnx

    class Layer(nnx.Module):
        def __init__(self, rngs):
            self.embed, self.linear = nnx.Embed(30000, 125, rngs=rngs), nnx.Linear(100, 2, rngs=rngs)
            self.rnn = nnx.RNN(nnx.GRUCell(125, 100, rngs=rngs), return_carry=True, rngs=rngs)

        def __call__(self, x):
            carry, _ = self.rnn(self.embed(x))
            return self.linear(carry)

    class Scan(nnx.Module):
        def __init__(self, rngs):
            self.embed, self.linear = nnx.Embed(30000, 125, rngs=rngs), nnx.Linear(100, 2, rngs=rngs)
            self.inputs, self.hidden = nnx.Linear(125, 300, rngs=rngs), nnx.Linear(100, 300, rngs=rngs)

        def __call__(self, x):
            def step(h, a):
                b = self.hidden(h)
                r, z = jnp.split(nnx.sigmoid(a[:, :200] + b[:, :200]), 2, axis=1)
                n = nnx.tanh(a[:, 200:] + r * b[:, 200:])
                return n + z * (h - n), None

            inputs = self.inputs(self.embed(x.T))  # (150, N, 300)
            carry, _ = jax.lax.scan(step, jnp.zeros((len(x), 100)), inputs)
            return self.linear(carry)

    @nnx.jit(donate_argnames=("model", "optimizer"))
    def train_step(model, optimizer, x, y):
        def loss_fn(model):
            return optax.softmax_cross_entropy_with_integer_labels(model(x), y).mean()

        loss, grads = nnx.value_and_grad(loss_fn)(model)
        optimizer.update(model, grads)
        return loss

    model = {"layer": Layer, "scan": Scan}[parameters.get("FORM", "layer")](nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.adam(0.001), wrt=nnx.Param)
    cached_train_step = nnx.cached_partial(train_step, model, optimizer)
    x, y = jnp.asarray(TOKENS), jnp.asarray(LABELS)
    return lambda: cached_train_step(x, y).item()
