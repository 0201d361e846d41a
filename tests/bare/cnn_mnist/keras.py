"""Keras' guide "Training and evaluation with the built-in methods": `fit` on arrays; a step is a fit of 10 batches."""

import os

import numpy as np

from tests.bare.cnn_mnist import BATCH, IMAGES_LAST, LABELS


def network():
    import keras
    from keras import layers

    first = keras.config.image_data_format() == "channels_first"
    return keras.Sequential(
        [
            keras.Input((1, 28, 28) if first else (28, 28, 1)),
            layers.Conv2D(16, 2),
            layers.MaxPooling2D(),
            layers.ReLU(),
            layers.Conv2D(8, 2),
            layers.MaxPooling2D(),
            layers.ReLU(),
            layers.Flatten(),
            layers.Dense(10),
        ]
    )


def bare(parameters):
    os.environ["KERAS_BACKEND"] = parameters["BACKEND"]  # read when Keras is imported
    import keras

    x, y = np.tile(IMAGES_LAST, (10, 1, 1, 1)), np.tile(LABELS, 10)
    if parameters.get("DATA_FORMAT") == "channels_first":
        keras.config.set_image_data_format("channels_first")
        x = x.transpose(0, 3, 1, 2).copy()
    model = network()
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.Adam(0.001), loss, metrics=["accuracy"])

    def step():
        model.fit(x, y, batch_size=BATCH, verbose=0)

    step.batches = 10
    return step
