"""The Deep Learning Tutorials' "Multilayer perceptron", with the workload's network and Adam."""

import os

import numpy as np

from tests.bare.mlp_mnist_batch import DIGITS, LABELS

FLAGS = "device=cpu,floatX=float32,openmp=True,allow_gc=False,blas.ldflags=-lopenblas,"


def bare(parameters):
    os.environ["THEANO_FLAGS"] = FLAGS + os.environ.get("THEANO_FLAGS", "")  # read by the import
    import theano
    import theano.tensor as T

    from tests.bare import theano_adam

    rng = np.random.RandomState(0)
    w1, w2 = (theano.shared(rng.normal(0, 0.05, s).astype(np.float32), borrow=True) for s in ((784, 32), (32, 10)))
    b1, b2 = (theano.shared(np.zeros(n, np.float32), borrow=True) for n in (32, 10))
    x, y = T.matrix("x"), T.lvector("y")
    p_y = T.nnet.softmax(T.dot(T.nnet.relu(T.dot(x, w1) + b1), w2) + b2)
    cost = T.nnet.categorical_crossentropy(p_y, y).mean()
    digits, labels = theano.shared(DIGITS, borrow=True), theano.shared(LABELS.astype(np.int64), borrow=True)
    updates = theano_adam.updates(cost, [w1, b1, w2, b2])
    return theano.function([], cost, updates=updates, givens={x: digits, y: labels})
