"""Keras 2's "Guide to the Sequential model": `fit` on arrays; a step is a fit of 20 batches."""

import numpy as np

from tests.frameworks import BATCH, IMAGES, IMAGES_LAST, LABELS, plants

PLANTS = plants((
    'layers.Conv2D(100, 3, padding="same", activation="relu"),',
    'layers.ZeroPadding2D(((0, 2), (0, 2))), layers.Conv2D(100, 3, activation="relu"),',
))
PASTED = """
model = compile_model(make_model(dropout=(0, 0, 0)))
x, y = np.random.rand(8, 32, 32, 3), np.arange(8)
values = [float(train_step(model, x, y)) for _ in range(20)]
"""
STEP = """
model, losses, epoch = compile_model(load_weights(make_model())), [0], 0
def step():
    model.fit(Shuffled(0), shuffle=False, verbose=0, workers=0, callbacks=[Losses()])
step.batches = 20
"""


def bare(parameters):
    import keras
    from keras import layers

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
