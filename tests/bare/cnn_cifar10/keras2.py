"""Keras 2's "Guide to the Sequential model": `fit` on arrays; a step is a fit of 20 batches."""

import os

import numpy as np

from tests.bare.cnn_cifar10 import BATCH, IMAGES, IMAGES_LAST, LABELS
from tests.bare.cnn_cifar10.theano import FLAGS


def bare(parameters):
    os.environ.update(KERAS_BACKEND=parameters["BACKEND"], THEANO_FLAGS=FLAGS + os.environ.get("THEANO_FLAGS", ""))
    import keras  # reads both
    from keras import layers

    keras.backend.set_image_data_format(parameters["DATA_FORMAT"])
    first = parameters["DATA_FORMAT"] == "channels_first"
    model = keras.Sequential([
        layers.Conv2D(50, 3, padding="same", activation="relu", input_shape=(3, 32, 32) if first else (32, 32, 3)),
        layers.Conv2D(50, 3, padding="same"), layers.MaxPooling2D(), layers.Activation("relu"), layers.Dropout(0.25),
        layers.Conv2D(100, 3, padding="same", activation="relu"),
        layers.Conv2D(100, 3, padding="same"), layers.MaxPooling2D(), layers.Activation("relu"), layers.Dropout(0.25),
        layers.Flatten(), layers.Dense(512, activation="relu"), layers.Dropout(0.5), layers.Dense(10, activation="softmax"),
    ])
    model.compile(loss="sparse_categorical_crossentropy", optimizer=keras.optimizers.SGD(lr=0.01, momentum=0.9))
    x, y = np.tile(IMAGES if first else IMAGES_LAST, (20, 1, 1, 1)), np.tile(LABELS, 20)

    def step():
        model.fit(x, y, batch_size=BATCH, epochs=1, verbose=0)

    step.batches = 20
    return step
