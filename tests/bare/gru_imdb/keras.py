"""Keras' guide "Working with RNNs": `Sequential` and `fit` on arrays; a step is a fit of 10 batches."""

import os

import numpy as np

from tests.bare.gru_imdb import BATCH, LABELS, TOKENS


def bare(parameters):
    os.environ["KERAS_BACKEND"] = parameters["BACKEND"]  # read when Keras is imported
    import keras
    from keras import layers

    model = keras.Sequential(
        [keras.Input((150,), dtype="int32"), layers.Embedding(30000, 125), layers.GRU(100), layers.Dense(2)]
    )
    model.compile(
        optimizer=keras.optimizers.Adam(0.001),
        jit_compile=parameters.get("JIT_COMPILE", "auto"),
        loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
    )
    x, y = np.tile(TOKENS.astype(np.int32), (10, 1)), np.tile(LABELS, 10)

    def step():
        model.fit(x, y, batch_size=BATCH, verbose=0)

    step.batches = 10
    return step
