"""Keras Applications' DenseNet121 and `fit` on arrays; a step is a fit of 4 batches."""

import os

import numpy as np

from tests.bare.densenet_chestxray import BATCH, FINDINGS, IMAGES_LAST


def network():
    import keras

    first = keras.config.image_data_format() == "channels_first"
    shape = (3, 56, 56) if first else (56, 56, 3)
    base = keras.applications.DenseNet121(include_top=False, weights=None, input_shape=shape, pooling="avg")
    return keras.Sequential([base, keras.layers.Dense(14)])


def bare(parameters):
    os.environ["KERAS_BACKEND"] = parameters["BACKEND"]  # read when Keras is imported
    import keras

    x, y = np.tile(IMAGES_LAST, (4, 1, 1, 1)), np.tile(FINDINGS, (4, 1))
    if parameters["BACKEND"] == "torch":  # as in the lesson
        keras.config.set_image_data_format("channels_first")
        x = x.transpose(0, 3, 1, 2).copy()
    model = network()
    model.compile(keras.optimizers.Adam(0.0003), keras.losses.BinaryCrossentropy(from_logits=True))

    def step():
        model.fit(x, y, batch_size=BATCH, verbose=0)

    step.batches = 4
    return step
