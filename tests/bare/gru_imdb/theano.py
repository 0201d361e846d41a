"""The Deep Learning Tutorials' lstm.py (an embedding and scan on IMDB), with the workload's GRU.

Adam adds epsilon before the bias correction.
"""

import os

import numpy as np

from tests.bare.cnn_cifar10.theano import FLAGS
from tests.bare.gru_imdb import LABELS, TOKENS


def bare(parameters):
    os.environ["THEANO_FLAGS"] = FLAGS + os.environ.get("THEANO_FLAGS", "")  # read by the import
    import theano
    import theano.tensor as T

    rng, params = np.random.RandomState(0), []

    def shared(*shape):
        params.append(theano.shared(rng.normal(0, 0.05, shape).astype(np.float32), borrow=True))
        return params[-1]

    def step(a, h, w, b):
        gates = T.dot(h, w) + b
        rz = T.nnet.sigmoid(a[:, :200] + gates[:, :200])
        n = T.tanh(a[:, 200:] + rz[:, :100] * gates[:, 200:])
        return n + rz[:, 100:] * (h - n)

    x, y = T.imatrix("x"), T.lvector("y")
    emb = shared(30000, 125)[x.T.flatten()].reshape([x.shape[1], x.shape[0], 125])
    inputs = T.dot(emb, shared(125, 300)) + shared(300)
    weights, start = [shared(100, 300), shared(300)], T.alloc(np.float32(0), x.shape[0], 100)
    states, _ = theano.scan(step, sequences=inputs, outputs_info=start, non_sequences=weights, strict=True)
    p_y = T.nnet.softmax(T.dot(states[-1], shared(100, 2)) + shared(2))
    cost = T.nnet.categorical_crossentropy(p_y, y).mean()

    t = theano.shared(np.float32(0))
    rate = 0.001 * T.sqrt(1 - 0.999 ** (t + 1)) / (1 - 0.9 ** (t + 1))
    updates = [(t, t + 1)]
    for param, grad in zip(params, T.grad(cost, params)):
        m_old, v_old = [theano.shared(0 * param.get_value()) for _ in range(2)]
        m, v = 0.9 * m_old + 0.1 * grad, 0.999 * v_old + 0.001 * grad**2
        updates += [(m_old, m), (v_old, v), (param, param - rate * m / (T.sqrt(v) + 1e-8))]
    tokens, labels = TOKENS.astype(np.int32), LABELS.astype(np.int64)
    givens = {x: theano.shared(tokens, borrow=True), y: theano.shared(labels, borrow=True)}
    return theano.function([], cost, updates=updates, givens=givens)
