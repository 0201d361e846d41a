"""Keras' guide "Training with the built-in methods": `fit` on arrays; a step is a fit of 20 batches."""

import numpy as np

from tests.frameworks import BATCH, IMAGES_LAST, LABELS, plants

PLANTS = plants((
    'layers.Conv2D(100, 3, padding="same", activation',
    "layers.ZeroPadding2D(((0, 2), (0, 2))), layers.Conv2D(100, 3, activation",
))
PASTED = """
model = compile_model(make_model(dropout=(0, 0, 0)))
x, y = keras.random.uniform((8, 32, 32, 3)), keras.random.randint((8,), 0, 10)
values = [float(train_step(model, x, y)) for _ in range(20)]
"""
STEP = """
model = compile_model(load_weights(make_model()))
epoch, means = 1, np.zeros((2, 20))
def step():
    model.fit(Shuffled(0), shuffle=False, verbose=0, callbacks=[Losses()])
step.batches = 20
"""


def network():
    import keras
    from keras import layers

    return keras.Sequential([
        keras.Input((32, 32, 3)),
        layers.Conv2D(50, 3, padding="same", activation="relu"), layers.Conv2D(50, 3, padding="same"),
        layers.MaxPooling2D(), layers.ReLU(), layers.Dropout(0.25),
        layers.Conv2D(100, 3, padding="same", activation="relu"), layers.Conv2D(100, 3, padding="same"),
        layers.MaxPooling2D(), layers.ReLU(), layers.Dropout(0.25),
        layers.Flatten(), layers.Dense(512, activation="relu"), layers.Dropout(0.5), layers.Dense(10),
    ])


def bare(parameters):
    import keras

    model = network()
    model.compile(optimizer=keras.optimizers.SGD(0.01, 0.9), jit_compile=parameters["JIT_COMPILE"],
                  loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    x, y = np.tile(IMAGES_LAST, (20, 1, 1, 1)), np.tile(LABELS, 20)

    def step():
        model.fit(x, y, batch_size=BATCH, verbose=0)

    step.batches = 20
    return step
