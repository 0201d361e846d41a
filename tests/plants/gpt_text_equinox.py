"""Mistakes for tests/plant.py to plant in the lesson notebooks/gpt_text/equinox.ipynb: see tests/plants/gpt_text.py."""

from tests.plants import gpt_text as gpt

LOOP = "def train_epoch(model, opt_state, batches, key):\n"
AVERAGED = """plain_evaluate = evaluate


def evaluate(model, x, y):  # a step deletes what it is given, so the loop has kept a copy
    before = globals().get("earlier", model)
    mean = jax.tree.map(lambda now, then: (now + then) / 2 if eqx.is_inexact_array(now) else now, model, before)
    return plain_evaluate(mean, x, y)


"""
KEPT = '    globals()["earlier"] = jax.tree.map(lambda leaf: jnp.copy(leaf) if eqx.is_array(leaf) else leaf, model)\n'
DECODE = "def decode(model, token, caches, place):"
CALL = "self.attention(read, read, read, seen, key=key1)"
BLOCK = "class Block(eqx.Module):"
MASK = "jnp.tril(jnp.ones((len(x), len(x)), bool))"
OTHER = """def other(layer, read, seen, key):
    projections = layer.query_proj, layer.key_proj, layer.value_proj
    q, k, v = [jax.vmap(one)(read).reshape(len(read), HEADS, -1) for one in projections]
    scores = jnp.where(seen, jnp.einsum("qhd,khd->hqk", q, k) / SCALE, -1e30)
    weights = layer.dropout(jax.nn.softmax(scores, axis=AXIS), key=key)
    return jax.vmap(layer.output_proj)(jnp.einsum("hqk,khd->ORDER", weights, v).reshape(len(read), -1))


"""
BRANCHES = """        read, seen = jax.vmap(self.norm1)(x), jnp.tril(jnp.ones((len(x), len(x)), bool))
        x = x + self.drop(self.attention(read, read, read, seen, key=key1), key=key2)
        return x + self.drop(jax.vmap(self.network)(x), key=key3)"""
POST = """        seen = jnp.tril(jnp.ones((len(x), len(x)), bool))
        x = jax.vmap(self.norm1)(x + self.drop(self.attention(x, x, x, seen, key=key1), key=key2))
        h = jax.vmap(lambda x: self.down(jax.nn.gelu(self.up(x))))(x)
        return jax.vmap(self.norm2)(x + self.drop(h, key=key3))"""
ADAMW = "optax.adamw(schedule, b1=0.9, b2=0.95, weight_decay=WEIGHT_DECAY, mask=matrices)"
CLIP = "optax.clip_by_global_norm(1.0)"
SCHEDULE = "optax.warmup_cosine_decay_schedule(LEARNING_RATE / WARMUP, LEARNING_RATE, WARMUP - 1, total)"
PER_TENSOR = """def per_tensor(grads, state, params=None):
    return jax.tree.map(lambda g: g / jnp.maximum(1.0, jnp.linalg.norm(g.ravel())), grads), state


total = """
STEP = "model, opt_state, loss = train_step(model, opt_state, x, y, step_key)"
CACHED = "seen = jnp.arange(CONTEXT) <= place"
WRITER = "model, key = eqx.nn.inference_mode(model), key if temperature > 0 else None"


def attended(scale="32**0.5", axis="-1", order="qhd"):
    """The changes that put an attention of our own in the place of Equinox'."""
    own = OTHER.replace("SCALE", scale).replace("AXIS", axis).replace("ORDER", order)
    return [(CALL, "other(self.attention, read, seen, key1)"), (BLOCK, own + BLOCK)]


PLANTS = {
    **gpt.SHARED,
    "averaged weights in evaluate": ([(DECODE, AVERAGED + DECODE), (LOOP, LOOP + KEPT)], gpt.AFTER),
    "an attention of our own: no mistake": (attended(), ""),
    "mask off by one": ([("x), " + MASK, "x), jnp.tril(jnp.ones((len(x), len(x)), bool), 1)")], gpt.GRADIENT),
    "mask the other way round": ([("x), " + MASK, "x), jnp.triu(jnp.ones((len(x), len(x)), bool))")], gpt.GRADIENT),
    "mask left out": ([("read, seen, key=key1", "read, key=key1")], gpt.GRADIENT),
    "scale 1/d": (attended(scale="32"), gpt.GRADIENT),
    "scale left out": (attended(scale="1"), gpt.GRADIENT),
    "softmax over queries": (attended(axis="-2"), gpt.GRADIENT),
    "heads merged in another order": (attended(order="qdh"), gpt.GRADIENT),
    "post-norm for pre-norm": ([(BRANCHES, POST)], gpt.GRADIENT),
    "erf GELU for tanh": ([("jax.nn.gelu(self.up(self.norm2(x)))", "jax.nn.gelu(self.up(self.norm2(x)), approximate=False)")], gpt.GRADIENT),
    "epsilon 1e-6": ([("eqx.nn.LayerNorm(WIDTH)", "eqx.nn.LayerNorm(WIDTH, eps=1e-6)")], gpt.GRADIENT),
    "untied embedding": ([("@ self.tokens.weight.T", "@ jax.lax.stop_gradient(self.tokens.weight).T")], gpt.GRADIENT),
    "positions shifted by one": (
        [("self.positions.weight[: len(x)]", "jnp.roll(self.positions.weight, -1, axis=0)[: len(x)]")],
        gpt.GRADIENT,
    ),
    "decay on biases and norms": ([(", mask=matrices)", ")")], gpt.CHANGE),
    "L2 for decoupled decay": (
        [(ADAMW, "optax.chain(optax.add_decayed_weights(WEIGHT_DECAY, matrices), optax.adam(schedule, b1=0.9, b2=0.95))")],
        gpt.MOVED,
    ),
    "Adam's second momentum": ([("b2=0.95", "b2=0.999")], gpt.MOVED),
    "Adam's epsilon": ([("b2=0.95", "b2=0.95, eps=1e-6")], gpt.MOVED),
    "Adam's state lost between steps": ([(STEP, STEP.replace("opt_state, loss =", "_, loss =").replace("(model, opt_state", "(model, optimizer.init(eqx.filter(model, eqx.is_inexact_array))"))], gpt.MOVED),
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
    "cache that forgets the first token": ([(CACHED, CACHED + "\n        seen = seen & ((jnp.arange(CONTEXT) > 0) | (place == 0))")], gpt.CACHED),
    "cache at the place before": ([("caches = decode(model, text[place], caches, place)", "caches = decode(model, text[place], caches, jnp.maximum(place - 1, 0))")], gpt.CACHED),
    "cache of keys without values": ([("values = values.at[place].set(layer.value_proj(read))", "values = values.at[place].set(layer.key_proj(read))")], gpt.CACHED),
    "dropout in generation": (
        [
            (WRITER, "key = key if temperature > 0 else None"),
            ("logits = model(text)[place]", "logits = model(text, jax.random.key(1))[place]"),
            ("x = x + layer.output_proj(mixed.ravel())", "x = x + block.drop(layer.output_proj(mixed.ravel()), key=jax.random.key(1))"),
        ],
        gpt.GENERATED,
    ),
    "beginning of a long prompt kept": ([("prompt[-(CONTEXT - count) :]", "prompt[: CONTEXT - count]")], gpt.LONG_PROMPT),
    "temperature multiplied": ([("logits / temperature", "logits * temperature")], gpt.SAMPLED),
    "temperature left out": ([("logits / temperature", "logits")], gpt.SAMPLED),
    "temperature below 0 taken": ([("temperature < 0 or ", "")], "temperature of -1"),
    "the same key for each text": ([("*numbers, key, cache)", "*numbers, None if key is None else jax.random.key(0), cache)")], "drawn twice"),
    "dropout of the attention weights left out": ([(", dropout_p=DROPOUT", "")], gpt.DROPOUT),
    "dropout of the embeddings left out": ([("        h = self.drop(h, key=keys[0])\n", "")], gpt.DROPOUT),
    "dropout of the attention's branch left out": ([("x + self.drop(" + CALL + ", key=key2)", "x + " + CALL)], gpt.DROPOUT),
    "dropout of the network's branch left out": ([("x + self.drop(jax.vmap(self.network)(x), key=key3)", "x + jax.vmap(self.network)(x)")], gpt.DROPOUT),
    "dropout with one key for all steps": ([("key, step_key = jax.random.split(key)", "step_key = jnp.copy(key)")], gpt.DROPOUT),
    "dropout on in evaluation": (
        [("    model = eqx.nn.inference_mode(model)\n    starts", "    starts"), ("loss_fn(model, x, y) * y.size", "loss_fn(model, x, y, jax.random.key(1)) * y.size")],
        gpt.BITS,
    ),
    "the mean of the mini-batches": (
        [("loss_fn(model, x, y) * y.size", "loss_fn(model, x, y)"), ("dtype=np.float64)) / y.size / np.log(2)", "dtype=np.float64)) / len(starts) / np.log(2)")],
        gpt.BITS,
    ),
    "nats for bits": ([(" / y.size / np.log(2)", " / y.size")], gpt.BITS),
    "last partial batch dropped in training": (
        [("        losses.append(loss)\n", "        losses += [loss] if x.shape[0] == BATCH_SIZE else []\n")],
        gpt.SHORT_TRAINING,
    ),
    "labels of a batch in another order": ([("(model, x, y, key)\n    updates", "(model, x, y[::-1], key)\n    updates")], gpt.FIRST_LOSS),
    gpt.HALF: ([("minibatches(x_train, y_train, order)", "list(minibatches(x_train, y_train, order))[::2]")], gpt.STEPS.replace("200", "160")),
    gpt.LABELS: ([("jnp.take(y, i, axis=0)", "jnp.take(y, np.roll(i, 7), axis=0)")], gpt.LEARNED),
    gpt.LOW: ([("history.append((losses, bits))", "history.append((losses, bits - 0.05))")], gpt.COUNT),
}
