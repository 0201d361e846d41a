"""The Deep Learning Tutorials' "Convolutional neural networks", with the workload's network and Adam."""

import os

import numpy as np

from tests.bare.cnn_mnist import IMAGES, LABELS

FLAGS = "device=cpu,floatX=float32,openmp=True,allow_gc=False,blas.ldflags=-lopenblas,"


def bare(parameters):
    os.environ["THEANO_FLAGS"] = FLAGS + os.environ.get("THEANO_FLAGS", "")  # read by the import
    import theano
    import theano.tensor as T
    from theano.tensor.nnet import conv2d
    from theano.tensor.signal import pool

    from tests.bare import theano_adam

    rng, params = np.random.RandomState(0), []

    def weights(*shape, bias):
        w = theano.shared(rng.normal(0, 0.05, shape).astype(np.float32), borrow=True)
        b = theano.shared(np.zeros(bias, np.float32), borrow=True)
        params.extend([w, b])
        return w, b

    x, y = T.tensor4("x"), T.lvector("y")
    out = x
    for filters, channels in ((16, 1), (8, 16)):
        w, b = weights(filters, channels, 2, 2, bias=filters)
        out = conv2d(out, w, filter_flip=False) + b.dimshuffle("x", 0, "x", "x")
        out = T.nnet.relu(pool.pool_2d(out, (2, 2), ignore_border=True))
    w, b = weights(288, 10, bias=10)
    p_y = T.nnet.softmax(T.dot(out.flatten(2), w) + b)
    cost = T.nnet.categorical_crossentropy(p_y, y).mean()
    images, labels = theano.shared(IMAGES, borrow=True), theano.shared(LABELS.astype(np.int64), borrow=True)
    updates = theano_adam.updates(cost, params)
    return theano.function([], cost, updates=updates, givens={x: images, y: labels})
