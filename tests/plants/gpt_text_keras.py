"""Mistakes for tests/plant.py to plant in the lesson notebooks/gpt_text/keras.ipynb: see tests/plants/gpt_text.py."""

from tests.plants import gpt_text as gpt

CALL = "self.attention(read, read, use_causal_mask=True, training=training)"
MADE = """layers.MultiHeadAttention(
            HEADS, WIDTH // HEADS, dropout=DROPOUT, kernel_initializer=small()
        )"""
BLOCK = "class Block(layers.Layer):"
MASK = "ops.ones((1, CONTEXT, CONTEXT), \"int32\")"
OTHER = """class Other(layers.MultiHeadAttention):
    def _compute_attention(self, query, key, value, *rest, **options):
        scores = ops.einsum("nqhd,nkhd->nhqk", query, key) / SCALE
        later = ops.triu(ops.ones(scores.shape[-2:], "bool"), 1)
        weights = ops.softmax(ops.where(later, -1e30, scores), axis=AXIS)
        return ops.reshape(ops.einsum("nhqk,nkhd->ORDER", weights, value), ops.shape(query)), weights


"""
BRANCHES = """        read = self.norm1(x)
        mixed = self.attention(read, read, use_causal_mask=True, training=training)
        x = x + self.drop1(mixed, training=training)
        return x + self.drop2(self.think(x), training=training)"""
POST = """        mixed = self.attention(x, x, use_causal_mask=True, training=training)
        x = self.norm1(x + self.drop1(mixed, training=training))
        hidden = keras.activations.gelu(self.up(x), approximate=True)
        return self.norm2(x + self.drop2(self.down(hidden), training=training))"""
TIED = "return self.tokens(self.norm(h), reverse=True)\n\n    def step"
SCHEDULE = "schedule = keras.optimizers.schedules.CosineDecay("
LATE = """class Late(keras.optimizers.schedules.CosineDecay):
    def __call__(self, step):
        return super().__call__(ops.maximum(step - 1, 0))


schedule = Late("""
EXCLUDED = 'optimizer.exclude_from_weight_decay(var_names=["bias", "beta", "gamma"])'
COUPLED = """class Coupled(keras.optimizers.Adam):
    def update_step(self, gradient, variable, learning_rate):
        if self._use_decay(variable):
            gradient = gradient + WEIGHT_DECAY * ops.convert_to_tensor(variable)
        super().update_step(gradient, variable, learning_rate)

    def _use_decay(self, variable):
        return not any(name in variable.name for name in ("bias", "beta", "gamma"))


optimizer = Coupled("""
COMPILED = "model.compile(optimizer, loss_fn)"
FIT = "\nmodel.fit = remember(model.fit)"
GENERATE = "sampler = keras.random.SeedGenerator(SEED)"


def attended(scale="32**0.5", axis="-1", order="nqhd"):
    """The changes that put an attention of our own in the place of Keras'."""
    own = OTHER.replace("SCALE", scale).replace("AXIS", axis).replace("ORDER", order)
    return [(MADE, MADE.replace("layers.MultiHeadAttention", "Other")), (BLOCK, own + BLOCK)]


PLANTS = {
    **gpt.SHARED,
    **gpt.averaged(GENERATE, COMPILED, COMPILED + FIT),
    "an attention of our own, without dropout": (attended(), gpt.DROPOUT),
    "mask off by one": ([(CALL, CALL.replace("use_causal_mask=True", "attention_mask=ops.tril(" + MASK + ", 1)"))], gpt.GRADIENT),
    "mask the other way round": (
        [(CALL, CALL.replace("use_causal_mask=True", "attention_mask=ops.triu(" + MASK + ")"))],
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
        [(TIED, "return ops.matmul(self.norm(h), ops.transpose(ops.stop_gradient(self.tokens.embeddings)))\n\n    def step")],
        gpt.GRADIENT,
    ),
    "positions shifted by one": (
        [("self.positions(ops.arange(ops.shape(x)[1]))", "self.positions((ops.arange(ops.shape(x)[1]) + 1) % CONTEXT)")],
        gpt.GRADIENT,
    ),
    "decay on biases and norms": ([(EXCLUDED + "\n", "")], gpt.CHANGE),
    "decay on norms": ([('["bias", "beta", "gamma"]', '["bias"]')], gpt.CHANGE),
    "L2 for decoupled decay": (
        [
            ("optimizer = keras.optimizers.AdamW(", COUPLED),
            ("schedule, weight_decay=WEIGHT_DECAY, beta_1", "schedule, beta_1"),
            (EXCLUDED + "\n", ""),
        ],
        gpt.MOVED,
    ),
    "Adam's second momentum": ([("beta_2=0.95", "beta_2=0.999")], gpt.MOVED),
    "Adam's epsilon": ([("epsilon=1e-8", "epsilon=1e-6")], gpt.MOVED),
    "clipping per tensor": ([("global_clipnorm=1.0", "clipnorm=1.0")], gpt.CHANGE),
    "clipping left out": ([(", global_clipnorm=1.0", "")], gpt.CHANGE),
    "schedule one step late": ([(SCHEDULE, LATE)], gpt.MOVED),
    "cosine that ends one step early": ([("total - WARMUP + 1,", "total - WARMUP,")], gpt.LATER),
    "warm-up from 0": ([("LEARNING_RATE / WARMUP, total", "0.0, total")], gpt.MOVED),
    "cache that forgets the first token": (
        [("written = ops.reshape(ops.arange(CONTEXT) <= place,", "written = ops.reshape((ops.arange(CONTEXT) <= place) & (ops.arange(CONTEXT) > 0),"),
         ("range(0 if cache", "range(1 if cache")],
        gpt.CACHED,
    ),
    "cache at the place before": (
        [("self.positions(ops.reshape(place, (1, 1)))", "self.positions(ops.reshape(ops.maximum(place - 1, 0), (1, 1)))")],
        gpt.CACHED,
    ),
    "dropout in generation": ([("model.predict_on_batch(text)", "model(text, training=True)")], gpt.GENERATED),
    "beginning of a long prompt kept": ([("prompt[-(CONTEXT - count) :]", "prompt[: CONTEXT - count]")], gpt.LONG_PROMPT),
    "temperature multiplied": ([("logits[None] / temperature", "logits[None] * temperature")], gpt.SAMPLED),
    "temperature left out": ([("logits[None] / temperature", "logits[None]")], gpt.SAMPLED),
    "temperature below 0 taken": ([("temperature < 0 or ", "")], "temperature of -1"),
    "the same seed for each byte": ([("seed=sampler", "seed=SEED")], "drawn twice"),
    "dropout of the attention weights left out": ([("dropout=DROPOUT, kernel", "kernel")], gpt.DROPOUT),
    "dropout of the embeddings left out": ([("        h = self.drop(h, training=training)\n", "")], gpt.DROPOUT),
    "dropout of the attention's branch left out": ([("self.drop1(mixed, training=training)", "mixed")], gpt.DROPOUT),
    "dropout of the network's branch left out": ([("self.drop2(self.think(x), training=training)", "self.think(x)")], gpt.DROPOUT),
    "dropout on in evaluation": (
        [("x = x + self.drop1(mixed, training=training)", "x = x + self.drop1(mixed, training=True)")],
        gpt.BITS,
    ),
    "nats for bits": ([('logs["loss"] / np.log(2)', 'logs["loss"]')], gpt.BITS),
    "the mean of the mini-batches": (
        [
            (
                'return logs["loss"] / np.log(2)',
                "parts = [slice(k, k + BATCH_SIZE) for k in range(0, len(x), BATCH_SIZE)]\n    logs = [model.evaluate(x[i], y[i], verbose=0, return_dict=True) for i in parts]\n    return np.mean([one['loss'] for one in logs]) / np.log(2)",
            )
        ],
        gpt.BITS,
    ),
    "last partial batch dropped in evaluation": (
        [("model.evaluate(x, y, batch", "model.evaluate(x[: len(x) // BATCH_SIZE * BATCH_SIZE], y[: len(x) // BATCH_SIZE * BATCH_SIZE], batch")],
        gpt.BITS,
    ),
    "half of the mini-batches in the lesson's run": (
        [("    x_train, y_train, batch_size=BATCH_SIZE, epochs=EPOCHS", "    x_train[::2], y_train[::2], batch_size=BATCH_SIZE, epochs=EPOCHS")],
        gpt.STEPS.replace("200", "160"),
    ),
    gpt.LABELS: ([("    x_train, y_train, batch_size", "    x_train, np.roll(y_train, 7, 0), batch_size")], gpt.LEARNED),
}
