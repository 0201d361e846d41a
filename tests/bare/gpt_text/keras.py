"""Keras' example "Text generation with a miniature GPT": `fit` on arrays; a step is a fit of 10 batches."""

import os

import numpy as np

from tests.bare.gpt_text import AFTER, BATCH, BYTES


def network(parameters):
    import keras
    from keras import layers

    keras.config.set_dtype_policy("mixed_bfloat16" if parameters.get("PRECISION") == "bf16" else "float32")

    class Positions(layers.Layer):
        def build(self, shape):
            self.table = self.add_weight((128, 128), "random_normal", name="positions")

        def call(self, x):
            return x + self.table

    tokens = layers.ReversibleEmbedding(256, 128, embeddings_initializer="random_normal")
    inputs = keras.Input((128,), dtype="int32")
    x = layers.Dropout(0.1)(Positions()(tokens(inputs)))
    for _ in range(4):
        read = layers.LayerNormalization(epsilon=1e-5)(x)
        mixed = layers.MultiHeadAttention(4, 32, dropout=0.1)(read, read, use_causal_mask=True)
        x = layers.add([x, layers.Dropout(0.1)(mixed)])
        read = layers.LayerNormalization(epsilon=1e-5)(x)
        gelu = keras.activations.gelu
        hidden = layers.Dense(512, activation=lambda a: gelu(a, approximate=True))(read)
        x = layers.add([x, layers.Dropout(0.1)(layers.Dense(128)(hidden))])
    return keras.Model(inputs, tokens(layers.LayerNormalization(epsilon=1e-5)(x), reverse=True))


def adamw(**clipping):
    import keras

    schedule = keras.optimizers.schedules.CosineDecay(0.0, 900, warmup_target=0.003, warmup_steps=100)
    optimizer = keras.optimizers.AdamW(schedule, weight_decay=0.1, beta_2=0.95, **clipping)
    optimizer.exclude_from_weight_decay(var_names=["bias", "beta", "gamma"])
    return optimizer


def bare(parameters):
    os.environ["KERAS_BACKEND"] = parameters["BACKEND"]  # read when Keras is imported
    import keras

    model = network(parameters)
    model.compile(
        optimizer=adamw(global_clipnorm=1.0),
        jit_compile=parameters.get("JIT_COMPILE", "auto"),
        loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
    )
    x, y = np.tile(BYTES, (10, 1)), np.tile(AFTER, (10, 1))

    def step():
        model.fit(x, y, batch_size=BATCH, verbose=0)

    step.batches = 10
    return step
