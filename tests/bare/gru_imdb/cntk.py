"""CNTK's sequence classification example: an embedding, Recurrence, the last state and Dense, with CNTK's own Adam.

The embedding is a gather: with the layer Embedding the gradient is sparse, and Adam has no sparse update on CPUs.
The cell is the notebook's: with C.layers.GRU, another cell, a step takes a little longer.
"""

import numpy as np

from tests.bare.gru_imdb import LABELS, TOKENS


def bare(parameters):
    import cntk as C

    def weight(*shape):
        return C.Parameter(shape, init=C.glorot_uniform())

    def bias(size):
        return C.Parameter((size,), init=0)

    W, b = weight(125, 300), bias(300)
    (U_r, U_z, U_n), (b_r, b_z, b_n) = [weight(100, 100) for _ in range(3)], [bias(100) for _ in range(3)]

    def cell(h, x):
        a = C.times(x, W) + b
        r = C.sigmoid(C.times(h, U_r) + (a[:100] + b_r))
        z = C.sigmoid(C.times(h, U_z) + (a[100:200] + b_z))
        n = C.tanh(r * (C.times(h, U_n) + b_n) + a[200:])
        return n + z * (h - n)

    tokens, labels = C.sequence.input_variable(()), C.input_variable(2)
    states = C.layers.Recurrence(cell)(C.gather(weight(30000, 125), tokens))
    z = C.layers.Dense(2)(C.sequence.last(states))
    learner = C.adam(z.parameters, C.learning_parameter_schedule(0.001), C.momentum_schedule(0.9),
                     variance_momentum=C.momentum_schedule(0.999))
    trainer = C.Trainer(z, C.cross_entropy_with_softmax(z, labels), [learner])
    x, y = TOKENS.astype(np.float32), np.eye(2, dtype=np.float32)[LABELS]

    def step():
        trainer.train_minibatch({tokens: x, labels: y})
        return trainer.previous_minibatch_loss_average

    return step
