"""Equinox' example "BERT", with its own attention, and the step as its page on filter_jit has it: donated buffers.

As in the notebook the losses are read once, behind ten steps. bf16: a copy of the model computes.
"""

from tests.bare.gpt_text import AFTER, BATCH, BYTES


def bare(parameters):
    import equinox as eqx
    import jax
    import jax.numpy as jnp
    import jax.random as jr
    import optax

    dtype = jnp.bfloat16 if parameters.get("PRECISION") == "bf16" else jnp.float32  # in which the model computes
    biases = dict(use_query_bias=True, use_key_bias=True, use_value_bias=True, use_output_bias=True)

    class TransformerLayer(eqx.Module):
        layernorms: list
        attention: eqx.nn.MultiheadAttention
        mlp: list
        dropout: eqx.nn.Dropout

        def __init__(self, key):
            keys = jr.split(key, 3)
            self.layernorms = [eqx.nn.LayerNorm(128) for _ in range(2)]
            self.attention = eqx.nn.MultiheadAttention(4, 128, dropout_p=0.1, key=keys[0], **biases)
            self.mlp = [eqx.nn.Linear(128, 512, key=keys[1]), eqx.nn.Linear(512, 128, key=keys[2])]
            self.dropout = eqx.nn.Dropout(0.1)

        def __call__(self, x, mask, key):
            keys, (up, down) = jr.split(key, 3), self.mlp
            read = jax.vmap(self.layernorms[0])(x)
            x = x + self.dropout(self.attention(read, read, read, mask, key=keys[0]), key=keys[1])
            hidden = jax.nn.gelu(jax.vmap(up)(jax.vmap(self.layernorms[1])(x)))
            return x + self.dropout(jax.vmap(down)(hidden), key=keys[2])

    class GPT(eqx.Module):
        token_embedder: eqx.nn.Embedding
        position_embedder: eqx.nn.Embedding
        layers: list
        layernorm: eqx.nn.LayerNorm
        dropout: eqx.nn.Dropout

        def __init__(self, key):
            keys = jr.split(key, 6)
            self.token_embedder = eqx.nn.Embedding(weight=0.02 * jr.normal(keys[0], (256, 128)))
            self.position_embedder = eqx.nn.Embedding(weight=0.02 * jr.normal(keys[1], (128, 128)))
            self.layers = [TransformerLayer(k) for k in keys[2:]]
            self.layernorm, self.dropout = eqx.nn.LayerNorm(128), eqx.nn.Dropout(0.1)

        def __call__(self, tokens, key):
            keys, mask = jr.split(key, 5), jnp.tril(jnp.ones((128, 128), bool))
            x = jax.vmap(self.token_embedder)(tokens) + self.position_embedder.weight
            x = self.dropout(x, key=keys[4])
            for layer, k in zip(self.layers, keys[:4]):
                x = layer(x, mask, k)
            return jax.vmap(self.layernorm)(x) @ self.token_embedder.weight.T

    @eqx.filter_value_and_grad
    def compute_loss(model, x, y, key):
        model = jax.tree.map(lambda leaf: leaf.astype(dtype) if eqx.is_inexact_array(leaf) else leaf, model)
        logits = jax.vmap(model)(x, jr.split(key, BATCH)).astype(jnp.float32)
        return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()

    @eqx.filter_jit(donate="all-except-first")
    def make_step(batch, model, opt_state, key):
        key, step_key = jr.split(key)
        loss, grads = compute_loss(model, *batch, step_key)
        updates, opt_state = optim.update(grads, opt_state, eqx.filter(model, eqx.is_inexact_array))
        return eqx.apply_updates(model, updates), opt_state, key, loss

    def decay_mask(params):
        return jax.tree.map(lambda p: p.ndim > 1, params)

    schedule = optax.warmup_cosine_decay_schedule(0, 0.003, 100, 1000)
    adamw = optax.adamw(schedule, b1=0.9, b2=0.95, weight_decay=0.1, mask=decay_mask)
    optim = optax.chain(optax.clip_by_global_norm(1.0), adamw)
    model = GPT(jr.key(0))
    state = [model, optim.init(eqx.filter(model, eqx.is_inexact_array)), jr.key(1)]
    batch = jnp.asarray(BYTES), jnp.asarray(AFTER)

    def step():
        nonlocal state
        losses = []
        for _ in range(10):
            *state, loss = make_step(batch, *state)
            losses.append(loss)
        return jax.device_get(losses)

    step.batches = 10
    return step
