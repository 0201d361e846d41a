"""Keras' guide "Training and evaluation with the built-in methods": `fit` on arrays; a step is a fit of 20 batches."""

import os

import numpy as np

from tests.bare.cnn_cifar10 import BATCH, IMAGES_LAST, LABELS


def network(parameters):
    import keras
    from keras import layers

    if parameters.get("PRECISION") == "bf16":  # the guide "Mixed precision"
        keras.config.set_dtype_policy("mixed_bfloat16")
    first = keras.config.image_data_format() == "channels_first"
    return keras.Sequential(
        [
            keras.Input((3, 32, 32) if first else (32, 32, 3)),
            layers.Conv2D(50, 3, padding="same", activation="relu"),
            layers.Conv2D(50, 3, padding="same"),
            layers.MaxPooling2D(),
            layers.ReLU(),
            layers.Dropout(0.25),
            layers.Conv2D(100, 3, padding="same", activation="relu"),
            layers.Conv2D(100, 3, padding="same"),
            layers.MaxPooling2D(),
            layers.ReLU(),
            layers.Dropout(0.25),
            layers.Flatten(),
            layers.Dense(512, activation="relu"),
            layers.Dropout(0.5),
            layers.Dense(10, dtype="float32"),
        ]
    )


def bare(parameters):
    backend = parameters["BACKEND"]
    os.environ["KERAS_BACKEND"] = backend  # read when Keras is imported
    if backend == "jax":  # as in the notebook: XLA's own convolutions are faster than YNNPACK's
        os.environ["XLA_FLAGS"] = (
            os.environ.get("XLA_FLAGS", "") + " --xla_cpu_experimental_ynn_fusion_type=-individual_convolution"
        )
    import keras

    x, y = np.tile(IMAGES_LAST, (20, 1, 1, 1)), np.tile(LABELS, 20)
    if backend == "torch":  # channels first in the shape, last in memory: no copies
        keras.config.set_image_data_format("channels_first")
        x = x.transpose(0, 3, 1, 2)
    model = network(parameters)
    model.compile(
        optimizer=keras.optimizers.SGD(0.01, 0.9),
        jit_compile=parameters.get("JIT_COMPILE", "auto"),
        loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
    )

    def step():
        model.fit(x, y, batch_size=BATCH, verbose=0)

    step.batches = 20
    return step
