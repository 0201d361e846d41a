"""Keras 2's examples/imdb_lstm.py with a GRU: `fit` on arrays; a step is a fit of 10 batches."""

import os

import numpy as np

from tests.bare.gru_imdb import BATCH, LABELS, TOKENS

FLAGS = "device=cpu,floatX=float32,openmp=True,allow_gc=False,blas.ldflags=-lopenblas,"


def bare(parameters):
    os.environ["KERAS_BACKEND"] = parameters["BACKEND"]  # read when Keras is imported
    os.environ["THEANO_FLAGS"] = FLAGS + os.environ.get("THEANO_FLAGS", "")
    import keras
    from keras import layers

    model = keras.Sequential([
        layers.Embedding(30000, 125, input_length=150),
        layers.GRU(100, reset_after=True),
        layers.Dense(2, activation="softmax"),
    ])
    model.compile(loss="sparse_categorical_crossentropy", optimizer=keras.optimizers.Adam(learning_rate=0.001))
    x, y = np.tile(TOKENS, (10, 1)), np.tile(LABELS, 10)

    def step():
        model.fit(x, y, batch_size=BATCH, epochs=1, verbose=0)

    step.batches = 10
    return step
