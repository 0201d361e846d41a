"""Equinox' example "Train RNN" with its cell in lax.scan, an embedding and donated buffers.

As in the notebook the losses are read once, behind ten steps.
"""

from tests.bare.gru_imdb import LABELS, TOKENS


def bare(parameters):
    import equinox as eqx
    import jax
    import jax.numpy as jnp
    import jax.random as jr
    import optax

    class RNN(eqx.Module):
        embedding: eqx.nn.Embedding
        cell: eqx.nn.GRUCell
        linear: eqx.nn.Linear

        def __init__(self, key):
            ekey, ckey, lkey = jr.split(key, 3)
            self.embedding, self.cell = eqx.nn.Embedding(30000, 125, key=ekey), eqx.nn.GRUCell(125, 100, key=ckey)
            self.linear = eqx.nn.Linear(100, 2, key=lkey)

        def __call__(self, tokens):
            def f(carry, inp):
                return self.cell(inp, carry), None

            out, _ = jax.lax.scan(f, jnp.zeros(100), jax.vmap(self.embedding)(tokens))
            return self.linear(out)

    @eqx.filter_value_and_grad
    def compute_loss(model, x, y):
        return optax.softmax_cross_entropy_with_integer_labels(jax.vmap(model)(x), y).mean()

    @eqx.filter_jit(donate="all-except-first")
    def make_step(batch, model, opt_state):
        loss, grads = compute_loss(model, *batch)
        updates, opt_state = optim.update(grads, opt_state)
        return eqx.apply_updates(model, updates), opt_state, loss

    optim, model = optax.adam(0.001), RNN(jr.key(0))
    state = [model, optim.init(eqx.filter(model, eqx.is_inexact_array))]
    batch = jnp.asarray(TOKENS), jnp.asarray(LABELS)

    def step():
        nonlocal state
        losses = []
        for _ in range(10):
            *state, loss = make_step(batch, *state)
            losses.append(loss)
        return jax.device_get(losses)

    step.batches = 10
    return step
