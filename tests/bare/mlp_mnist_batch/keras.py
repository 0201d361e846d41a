"""Keras' guide "Training and evaluation with the built-in methods": `fit` on arrays, all samples in one batch."""

import os

from tests.bare.mlp_mnist_batch import DIGITS, LABELS


def network():
    import keras
    from keras import layers

    return keras.Sequential([keras.Input((784,)), layers.Dense(32, activation="relu"), layers.Dense(10)])


def bare(parameters):
    os.environ["KERAS_BACKEND"] = parameters["BACKEND"]  # read when Keras is imported
    import keras

    model = network()
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.Adam(0.001), loss, metrics=["accuracy"])
    x, y = (keras.ops.convert_to_tensor(one) for one in (DIGITS, LABELS))
    return lambda: model.fit(x, y, batch_size=len(DIGITS), shuffle=False, verbose=0)
