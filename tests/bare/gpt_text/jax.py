"""JAX's tutorial "Train a miniGPT language model", with donated buffers and a cached traversal, as Flax's guide has it.

As in the notebook the losses are read once, behind ten steps.
"""

from tests.bare.gpt_text import AFTER, BYTES


def bare(parameters):
    import jax
    import jax.numpy as jnp
    import optax
    from flax import nnx

    dtype = jnp.bfloat16 if parameters.get("PRECISION") == "bf16" else jnp.float32  # in which layers compute

    class TransformerBlock(nnx.Module):
        def __init__(self, rngs):
            options = {"dtype": dtype, "rngs": rngs}
            self.mha = nnx.MultiHeadAttention(
                4, 128, dropout_rate=0.1, broadcast_dropout=False, deterministic=False, decode=False, **options
            )
            self.linear1, self.linear2 = nnx.Linear(128, 512, **options), nnx.Linear(512, 128, **options)
            self.norm1, self.norm2 = nnx.LayerNorm(128, rngs=rngs), nnx.LayerNorm(128, rngs=rngs)
            self.dropout1, self.dropout2 = nnx.Dropout(0.1, rngs=rngs), nnx.Dropout(0.1, rngs=rngs)

        def __call__(self, x, mask):
            x = x + self.dropout1(self.mha(self.norm1(x), mask=mask))
            return x + self.dropout2(self.linear2(nnx.gelu(self.linear1(self.norm2(x)))))

    class MiniGPT(nnx.Module):
        def __init__(self, rngs):
            small = nnx.initializers.normal(0.02)
            self.token_emb = nnx.Embed(256, 128, embedding_init=small, rngs=rngs)
            self.pos_emb = nnx.Embed(128, 128, embedding_init=small, rngs=rngs)
            self.dropout, self.norm = nnx.Dropout(0.1, rngs=rngs), nnx.LayerNorm(128, rngs=rngs)
            self.blocks = nnx.List([TransformerBlock(rngs) for _ in range(4)])

        def __call__(self, x):
            mask = nnx.make_causal_mask(x)
            h = self.dropout(self.token_emb(x) + self.pos_emb(jnp.arange(x.shape[1])))
            for block in self.blocks:
                h = block(h, mask)
            return self.token_emb.attend(self.norm(h))

    @nnx.jit(donate_argnames=("model", "optimizer"))
    def train_step(model, optimizer, x, y):
        def loss_fn(model):
            return optax.softmax_cross_entropy_with_integer_labels(model(x), y).mean()

        loss, grads = nnx.value_and_grad(loss_fn)(model)
        optimizer.update(model, grads)
        return loss

    def matrices(params):
        return nnx.map_state(lambda path, _: path[-1] in ("kernel", "embedding"), params)

    schedule = optax.warmup_cosine_decay_schedule(0, 0.003, 100, 1000)
    adamw = optax.adamw(schedule, b1=0.9, b2=0.95, weight_decay=0.1, mask=matrices)
    model = MiniGPT(nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.chain(optax.clip_by_global_norm(1.0), adamw), wrt=nnx.Param)
    cached_train_step = nnx.cached_partial(train_step, model, optimizer)
    x, y = jnp.asarray(BYTES), jnp.asarray(AFTER)

    def step():
        return jax.device_get([cached_train_step(x, y) for _ in range(10)])

    step.batches = 10
    return step
