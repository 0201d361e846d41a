"""Adam, which Theano's tutorials do not have, as its paper's section 2 orders the operations."""

import numpy as np


def updates(cost, params, rate=0.001):
    import theano
    import theano.tensor as T

    count = theano.shared(np.float32(0))
    found = [(count, count + 1)]
    step = np.float32(rate) * T.sqrt(1 - np.float32(0.999) ** (count + 1)) / (1 - np.float32(0.9) ** (count + 1))
    for param, grad in zip(params, T.grad(cost, params)):
        mean, square = theano.shared(0 * param.get_value()), theano.shared(0 * param.get_value())
        m = np.float32(0.9) * mean + np.float32(0.1) * grad
        v = np.float32(0.999) * square + np.float32(0.001) * T.sqr(grad)
        found += [(mean, m), (square, v), (param, param - step * m / (T.sqrt(v) + np.float32(1e-8)))]
    return found
