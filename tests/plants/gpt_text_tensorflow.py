"""Mistakes for tests/plant.py to plant in the lesson notebooks/gpt_text/tensorflow.ipynb: see tests/plants/gpt_text.py."""

from tests.plants import gpt_text as gpt

CALL = "self.attention(read, read, use_causal_mask=True, training=training)"
MADE = """layers.MultiHeadAttention(
            HEADS, WIDTH // HEADS, dropout=DROPOUT, kernel_initializer=small()
        )"""
BLOCK = "class Block(layers.Layer):"
MASK = "tf.ones((1, CONTEXT, CONTEXT), tf.bool)"
OTHER = """class Other(layers.MultiHeadAttention):
    def _compute_attention(self, query, key, value, *rest, **options):
        scores = tf.einsum("nqhd,nkhd->nhqk", query, key) / SCALE
        seen = tf.linalg.band_part(tf.ones(scores.shape[-2:], tf.bool), -1, 0)
        weights = tf.nn.softmax(tf.where(seen, scores, -1e30), axis=AXIS)
        return tf.reshape(tf.einsum("nhqk,nkhd->ORDER", weights, value), tf.shape(query)), weights


"""
BRANCHES = """        read = self.norm1(x)
        mixed = self.attention(read, read, use_causal_mask=True, training=training)
        x = x + self.drop1(mixed, training=training)
        return x + self.drop2(self.think(x), training=training)"""
POST = """        mixed = self.attention(x, x, use_causal_mask=True, training=training)
        x = self.norm1(x + self.drop1(mixed, training=training))
        hidden = tf.nn.gelu(self.up(x), approximate=True)
        return self.norm2(x + self.drop2(self.down(hidden), training=training))"""
TIED = "tf.cast(self.tokens.embeddings, h.dtype)"
SCHEDULE = "schedule = tf.keras.optimizers.schedules.CosineDecay("
LATE = """class Late(tf.keras.optimizers.schedules.CosineDecay):
    def __call__(self, step):
        return super().__call__(tf.maximum(step - 1, 0))


schedule = Late("""
CLIP = "grads, _ = tf.clip_by_global_norm(grads, 1.0)"
EXCLUDED = 'optimizer.exclude_from_weight_decay(var_names=["bias", "beta", "gamma"])'
COUPLED = """class Coupled(tf.keras.optimizers.Adam):
    def update_step(self, gradient, variable, learning_rate):
        if self._use_decay(variable):
            gradient = gradient + WEIGHT_DECAY * tf.convert_to_tensor(variable)
        super().update_step(gradient, variable, learning_rate)

    def _use_decay(self, variable):
        return not any(name in variable.name for name in ("bias", "beta", "gamma"))


optimizer = Coupled("""
GENERATE = "@tf.function\ndef write("


def attended(scale="32**0.5", axis="-1", order="nqhd"):
    """The changes that put an attention of our own in the place of Keras'."""
    own = OTHER.replace("SCALE", scale).replace("AXIS", axis).replace("ORDER", order)
    return [(MADE, MADE.replace("layers.MultiHeadAttention", "Other")), (BLOCK, own + BLOCK)]


PLANTS = {
    **gpt.SHARED,
    **gpt.averaged(GENERATE),
    "an attention of our own, without dropout": (attended(), gpt.DROPOUT),
    "mask off by one": ([(CALL, CALL.replace("use_causal_mask=True", "attention_mask=tf.linalg.band_part(" + MASK + ", -1, 1)"))], gpt.GRADIENT),
    "mask the other way round": (
        [(CALL, CALL.replace("use_causal_mask=True", "attention_mask=tf.linalg.band_part(" + MASK + ", 0, -1)"))],
        gpt.GRADIENT,
    ),
    "scale 1/d": (attended(scale="32"), gpt.GRADIENT),
    "scale left out": (attended(scale="1"), gpt.GRADIENT),
    "softmax over queries": (attended(axis="-2"), gpt.GRADIENT),
    "heads merged in another order": (attended(order="nqdh"), gpt.GRADIENT),
    "post-norm for pre-norm": ([(BRANCHES, POST)], gpt.GRADIENT),
    "erf GELU for tanh": ([(", approximate=True))", "))")], gpt.GRADIENT),
    "epsilon 1e-6": ([("epsilon=1e-5", "epsilon=1e-6")], gpt.GRADIENT),
    "epsilon 1e-3, as Keras has it": ([("epsilon=1e-5", "")], gpt.GRADIENT),
    "untied embedding": (
        [(TIED, "tf.stop_gradient(" + TIED + ")")],
        gpt.GRADIENT,
    ),
    "positions shifted by one": (
        [("self.positions(tf.range(tf.shape(x)[1]))", "self.positions((tf.range(tf.shape(x)[1]) + 1) % CONTEXT)")],
        gpt.GRADIENT,
    ),
    "decay on biases and norms": ([(EXCLUDED + "\n", "")], gpt.CHANGE),
    "decay on norms": ([('["bias", "beta", "gamma"]', '["bias"]')], gpt.CHANGE),
    "L2 for decoupled decay": (
        [
            ("optimizer = tf.keras.optimizers.AdamW(", COUPLED),
            ("schedule, weight_decay=WEIGHT_DECAY, beta_1", "schedule, beta_1"),
            (EXCLUDED + "\n", ""),
        ],
        gpt.MOVED,
    ),
    "Adam's second momentum": ([("beta_2=0.95", "beta_2=0.999")], gpt.MOVED),
    "Adam's epsilon": ([("epsilon=1e-8", "epsilon=1e-6")], gpt.MOVED),
    "clipping per tensor": ([(CLIP, "grads = [tf.clip_by_norm(grad, 1.0) for grad in grads]")], gpt.CHANGE),
    "clipping left out": ([("    " + CLIP + "\n", "")], gpt.CHANGE),
    "schedule one step late": ([(SCHEDULE, LATE)], gpt.MOVED),
    "cosine that ends one step early": ([("total - WARMUP + 1,", "total - WARMUP,")], gpt.LATER),
    "warm-up from 0": ([("LEARNING_RATE / WARMUP, total", "0.0, total")], gpt.MOVED),
    "cache that forgets the first token": (
        [("tf.where(places <= place, scores", "tf.where((places <= place) & (places > 0), scores"), ("tf.range(0 if cache", "tf.range(1 if cache")],
        gpt.CACHED,
    ),
    "cache at the place before": (
        [("self.positions(tf.reshape(place, (1, 1)))", "self.positions(tf.reshape(tf.maximum(place - 1, 0), (1, 1)))")],
        gpt.CACHED,
    ),
    "dropout in generation": ([("model(text, training=False)[:, place", "model(text, training=True)[:, place")], gpt.GENERATED),
    "beginning of a long prompt kept": ([("prompt[-(CONTEXT - count) :]", "prompt[: CONTEXT - count]")], gpt.LONG_PROMPT),
    "temperature multiplied": ([("logits[:, 0] / temperature", "logits[:, 0] * temperature")], gpt.SAMPLED),
    "temperature left out": ([("logits[:, 0] / temperature", "logits[:, 0]")], gpt.SAMPLED),
    "temperature below 0 taken": ([("temperature < 0 or ", "")], "temperature of -1"),
    "dropout of the attention weights left out": ([("dropout=DROPOUT, kernel", "kernel")], gpt.DROPOUT),
    "dropout of the embeddings left out": ([("        h = self.drop(h, training=training)\n", "")], gpt.DROPOUT),
    "dropout of the attention's branch left out": ([("self.drop1(mixed, training=training)", "mixed")], gpt.DROPOUT),
    "dropout of the network's branch left out": ([("self.drop2(self.think(x), training=training)", "self.think(x)")], gpt.DROPOUT),
    "dropout on in evaluation": (
        [("loss_fn(y, model(x, training=False)) *", "loss_fn(y, model(x, training=True)) *")],
        gpt.BITS,
    ),
    "nats for bits": ([(" / tf.size(y).numpy() / np.log(2)", " / tf.size(y).numpy()")], gpt.BITS),
    "the mean of the mini-batches": (
        [
            (" * tf.cast(tf.size(y), tf.float32)", ""),
            ("float(total) / tf.size(y).numpy() /", "float(total) / len(batches) /"),
        ],
        gpt.BITS,
    ),
    "last partial batch dropped in training": (
        [("for x, y in batches]", "for x, y in batches if len(x) == BATCH_SIZE]")],
        gpt.SHORT_TRAINING,
    ),
    "labels of a batch in another order": (
        [("loss_fn(y, model(x, training=True))\n", "loss_fn(y[::-1], model(x, training=True))\n")],
        gpt.FIRST_LOSS,
    ),
    gpt.HALF: (
        [("train_epoch(model, optimizer, batches)\n    bits", "train_epoch(model, optimizer, list(batches)[::2])\n    bits")],
        gpt.STEPS.replace("200", "160"),
    ),
    gpt.LABELS: (
        [("batches = minibatches(x_train, y_train)", "batches = minibatches(x_train, tf.roll(y_train, 7, 0))")],
        gpt.LEARNED,
    ),
    gpt.LOW: ([("history.append((losses, bits))", "history.append((losses, bits - 0.05))")], gpt.COUNT),
}
