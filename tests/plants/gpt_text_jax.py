"""Mistakes for tests/plant.py to plant in the lesson notebooks/gpt_text/jax.ipynb: see tests/plants/gpt_text.py."""

from tests.plants import gpt_text as gpt

CALL = "mixed = self.attention(self.norm1(x), is_causal=x.shape[1] > 1, rngs=rngs)"
MADE = "dropout_rate=DROPOUT, broadcast_dropout=False"
BLOCK = "class Block(nnx.Module):"
MASK = "jnp.ones((x.shape[1], x.shape[1]), bool)"
OTHER = """def other_attention(query, key, value, mask, dropout_rng, dropout_rate, deterministic, is_causal, **options):
    scores = jnp.einsum("nqhd,nkhd->nhqk", query, key) / SCALE
    kept = jnp.tril(jnp.ones(scores.shape[-2:], bool)) if is_causal else mask
    weights = nnx.softmax(jnp.where(kept, scores, -1e30), axis=AXIS)
    if dropout_rate and not deterministic:
        dropped = jax.random.bernoulli(dropout_rng, dropout_rate, weights.shape)
        weights = jnp.where(dropped, 0, weights / (1 - dropout_rate))
    return jnp.einsum("nhqk,nkhd->ORDER", weights, value).reshape(query.shape)


"""
BRANCHES = """        mixed = self.attention(self.norm1(x), is_causal=x.shape[1] > 1, rngs=rngs)
        x = x + self.drop(mixed, rngs=rngs)
        return x + self.drop(self.down(nnx.gelu(self.up(self.norm2(x)))), rngs=rngs)"""
POST = """        mixed = self.attention(x, is_causal=x.shape[1] > 1, rngs=rngs)
        x = self.norm1(x + self.drop(mixed, rngs=rngs))
        return self.norm2(x + self.drop(self.down(nnx.gelu(self.up(x))), rngs=rngs))"""
ADAMW = "optax.adamw(schedule, b1=0.9, b2=0.95, weight_decay=WEIGHT_DECAY, mask=decays)"
CLIP = "optax.clip_by_global_norm(1.0)"
SCHEDULE = "optax.warmup_cosine_decay_schedule(LEARNING_RATE / WARMUP, LEARNING_RATE, WARMUP - 1, total)"
PER_TENSOR = """def per_tensor(grads, state, params=None):
    return jax.tree.map(lambda g: g / jnp.maximum(1.0, jnp.linalg.norm(g.ravel())), grads), state


total = """


def attended(scale="32**0.5", axis="-1", order="nqhd"):
    """The changes that put an attention function of our own in the place of Flax's."""
    own = OTHER.replace("SCALE", scale).replace("AXIS", axis).replace("ORDER", order)
    return [(MADE, MADE + ", attention_fn=other_attention"), (BLOCK, own + BLOCK)]


PLANTS = {
    **gpt.SHARED,
    **gpt.averaged("@partial(jax.jit, static_argnames"),
    "an attention of our own: no mistake": (attended(), ""),
    "mask off by one": (
        [(CALL, CALL.replace("is_causal=x.shape[1] > 1", "mask=jnp.tril(" + MASK + ", 1)[None, None]"))],
        gpt.GRADIENT,
    ),
    "mask the other way round": (
        [(CALL, CALL.replace("is_causal=x.shape[1] > 1", "mask=jnp.triu(" + MASK + ")[None, None]"))],
        gpt.GRADIENT,
    ),
    "scale 1/d": (attended(scale="32"), gpt.GRADIENT),
    "scale left out": (attended(scale="1"), gpt.GRADIENT),
    "softmax over queries": (attended(axis="-2"), gpt.GRADIENT),
    "heads merged in another order": (attended(order="nqdh"), gpt.GRADIENT),
    "post-norm for pre-norm": ([(BRANCHES, POST)], gpt.GRADIENT),
    "erf GELU for tanh": ([("nnx.gelu(self.up(self.norm2(x)))", "nnx.gelu(self.up(self.norm2(x)), approximate=False)")], gpt.GRADIENT),
    "epsilon 1e-6": ([("nnx.LayerNorm(WIDTH, epsilon=1e-5, rngs=rngs)", "nnx.LayerNorm(WIDTH, rngs=rngs)")], gpt.GRADIENT),
    "untied embedding": (
        [("return self.tokens.attend(self.norm(h))", "return self.norm(h) @ jax.lax.stop_gradient(self.tokens.embedding[...]).T")],
        gpt.GRADIENT,
    ),
    "positions shifted by one": (
        [("self.positions(first + jnp.arange(x.shape[1]))", "self.positions((first + 1 + jnp.arange(x.shape[1])) % CONTEXT)")],
        gpt.GRADIENT,
    ),
    "decay on biases and norms": ([(", mask=decays)", ")")], gpt.CHANGE),
    "decay on biases of the attention, by their shape": (
        [("any(name in jax.tree_util.keystr(path) for name in (\"kernel\", \"embedding\"))", "_.ndim > 1")],
        gpt.CHANGE,
    ),
    "L2 for decoupled decay": (
        [(ADAMW, "optax.chain(optax.add_decayed_weights(WEIGHT_DECAY, decays), optax.adam(schedule, b1=0.9, b2=0.95))")],
        gpt.MOVED,
    ),
    "Adam's second momentum": ([("b2=0.95", "b2=0.999")], gpt.MOVED),
    "Adam's epsilon": ([("b2=0.95", "b2=0.95, eps=1e-6")], gpt.MOVED),
    "clipping per tensor": (
        [("total = ", PER_TENSOR), (CLIP, "optax.GradientTransformation(lambda _: optax.EmptyState(), per_tensor)")],
        gpt.CHANGE,
    ),
    "clipping left out": ([("optax.chain(" + CLIP + ", adamw)", "adamw")], gpt.CHANGE),
    "clipping behind AdamW": ([("optax.chain(" + CLIP + ", adamw)", "optax.chain(adamw, " + CLIP + ")")], gpt.CHANGE),
    "schedule one step late": (
        [("schedule = " + SCHEDULE, "early = " + SCHEDULE + "\nschedule = lambda count: early(jnp.maximum(count - 1, 0))")],
        gpt.MOVED,
    ),
    "cosine that ends one step early": ([(", WARMUP - 1, total)", ", WARMUP - 1, total - 1)")], gpt.LATER),
    "warm-up from 0": ([("LEARNING_RATE / WARMUP, LEARNING_RATE, WARMUP - 1", "0.0, LEARNING_RATE, WARMUP")], gpt.MOVED),
    "cache that forgets the first token": (
        [("first=place)[0, 0]", "first=place)[0, 0]\n            for block in model.blocks:\n                cached = block.attention.cached_value\n                cached[...] = cached[...].at[:, 0].set(0.0)")],
        gpt.CACHED,
    ),
    "cache at the place before": ([("first=place)[0, 0]", "first=jnp.maximum(place - 1, 0))[0, 0]")], gpt.CACHED),
    "dropout in generation": (
        [("writer = nnx.view(model, deterministic=True, decode=cache)", "writer = nnx.view(model, decode=cache)"),
         ("model(text[None])[0, place]", "model(text[None], nnx.Rngs(dropout=1))[0, place]"),
         ("[None], first=place)[0, 0]", "[None], nnx.Rngs(dropout=1), first=place)[0, 0]")],
        gpt.GENERATED,
    ),
    "beginning of a long prompt kept": ([("prompt[-(CONTEXT - count) :]", "prompt[: CONTEXT - count]")], gpt.LONG_PROMPT),
    "temperature multiplied": ([("logits / temperature", "logits * temperature")], gpt.SAMPLED),
    "temperature left out": ([("logits / temperature", "logits")], gpt.SAMPLED),
    "temperature below 0 taken": ([("temperature < 0 or ", "")], "temperature of -1"),
    "the same key for each text": ([("key = rngs() if temperature > 0 else ", "key = ")], "drawn twice"),
    "dropout of the attention weights left out": ([(MADE, "dropout_rate=0.0, broadcast_dropout=False")], gpt.DROPOUT),
    "dropout of the embeddings left out": ([("        h = self.drop(h, rngs=rngs)\n", "")], gpt.DROPOUT),
    "dropout of the attention's branch left out": ([("x = x + self.drop(mixed, rngs=rngs)", "x = x + mixed")], gpt.DROPOUT),
    "dropout of the network's branch left out": (
        [("x + self.drop(self.down(nnx.gelu(self.up(self.norm2(x)))), rngs=rngs)", "x + self.down(nnx.gelu(self.up(self.norm2(x))))")],
        gpt.DROPOUT,
    ),
    "dropout on in evaluation": (
        [("    eval_model = nnx.view(model, deterministic=True)\n", "    eval_model = model\n"), ("loss_fn(model, x, y) * y.size", "loss_fn(model, x, y, nnx.Rngs(dropout=1)) * y.size")],
        gpt.BITS,
    ),
    "the mean of the mini-batches": (
        [("loss_fn(model, x, y) * y.size", "loss_fn(model, x, y)"), ("dtype=np.float64)) / y.size / np.log(2)", "dtype=np.float64)) / len(starts) / np.log(2)")],
        gpt.BITS,
    ),
    "nats for bits": ([(" / y.size / np.log(2)", " / y.size")], gpt.BITS),
    "last partial batch dropped in training": (
        [("for x, y in batches]", "for x, y in batches if len(x) == BATCH_SIZE]")],
        gpt.SHORT_TRAINING,
    ),
    "labels of a batch in another order": (
        [("nnx.value_and_grad(loss_fn)(model, x, y, rngs)", "nnx.value_and_grad(loss_fn)(model, x, y[::-1], rngs)")],
        gpt.FIRST_LOSS,
    ),
    gpt.HALF: ([("minibatches(x_train, y_train, order))", "list(minibatches(x_train, y_train, order))[::2])")], gpt.STEPS.replace("200", "160")),
    gpt.LABELS: ([("jnp.take(y, i, axis=0)", "jnp.take(y, np.roll(i, 7), axis=0)")], gpt.LEARNED),
    gpt.LOW: ([("history.append((losses, bits))", "history.append((losses, bits - 0.05))")], gpt.COUNT),
}
