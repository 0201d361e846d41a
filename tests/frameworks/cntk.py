"""CNTK's tutorial 201B, "Image classification", with classical momentum."""

import numpy as np

from tests.frameworks import IMAGES, LABELS, plants

PLANTS = plants((
    'C.layers.Convolution2D((3, 3), 100, pad=True, activation=C.relu, name="conv3"),',
    "lambda x: C.pad(x, [(0, 0), (0, 2), (0, 2)]), "
    'C.layers.Convolution2D((3, 3), 100, pad=False, activation=C.relu, name="conv3"),',
))
PASTED = """
model = make_model(dropout=(0, 0, 0))(features)
trainer = make_trainer(model)
x, y = np.random.rand(8, 3, 32, 32).astype(np.float32), np.arange(8, dtype=np.float32)
values = [train_step(trainer, x, y) for _ in range(20)]
"""
STEP = """
_trainer = make_trainer(load_weights(make_model()))
def step():
    i = next(_order)
    return train_step(_trainer, x_train[i], y_train[i])
"""


def bare(parameters):
    import cntk as C

    features, labels = C.input_variable((3, 32, 32)), C.input_variable(10)
    z = C.layers.Sequential([
        C.layers.For(range(2), lambda i: [
            C.layers.Convolution2D((3, 3), [50, 100][i], activation=C.relu, pad=True),
            C.layers.Convolution2D((3, 3), [50, 100][i], pad=True),
            C.layers.MaxPooling((2, 2), strides=(2, 2)), C.relu, C.layers.Dropout(0.25)]),
        C.layers.Dense(512, activation=C.relu), C.layers.Dropout(0.5), C.layers.Dense(10),
    ])(features)
    learner = C.momentum_sgd(z.parameters, C.learning_parameter_schedule(0.01), C.momentum_schedule(0.9), unit_gain=False)
    trainer = C.Trainer(z, C.cross_entropy_with_softmax(z, labels), [learner])
    y = np.eye(10, dtype=np.float32)[LABELS]

    def step():
        trainer.train_minibatch({features: IMAGES, labels: y})
        return trainer.previous_minibatch_loss_average

    return step
