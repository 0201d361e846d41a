"""CNTK's tutorial 201B, "Image classification", with classical momentum."""

import numpy as np

from tests.bare.cnn_cifar10 import IMAGES, LABELS


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
