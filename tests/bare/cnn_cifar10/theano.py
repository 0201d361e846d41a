"""The Deep Learning Tutorials' "Convolutional neural networks", with the workload's network."""

import os
from collections import OrderedDict

import numpy as np

from tests.bare.cnn_cifar10 import IMAGES, LABELS

FLAGS = "device=cpu,floatX=float32,openmp=True,allow_gc=False,blas.ldflags=-lopenblas,"


def bare(parameters):
    os.environ["THEANO_FLAGS"] = FLAGS + os.environ.get("THEANO_FLAGS", "")  # read by the import
    import theano
    import theano.tensor as T
    from theano.sandbox.rng_mrg import MRG_RandomStreams
    from theano.tensor.nnet import conv2d
    from theano.tensor.signal import pool

    rng, srng = np.random.RandomState(0), MRG_RandomStreams(1)
    params = []

    def weights(*shape, bias):
        w = theano.shared(rng.normal(0, 0.05, shape).astype(np.float32), borrow=True)
        b = theano.shared(np.zeros(bias, np.float32), borrow=True)
        params.extend([w, b])
        return w, b

    def conv(x, filters, channels):
        w, b = weights(filters, channels, 3, 3, bias=filters)
        return conv2d(x, w, border_mode="half", filter_flip=False) + b.dimshuffle("x", 0, "x", "x")

    def drop(x, rate):
        return x * srng.binomial(x.shape, p=1 - rate, dtype="float32") / np.float32(1 - rate)

    x, y = T.tensor4("x"), T.lvector("y")
    out = x
    for filters, channels in ((50, 3), (100, 50)):
        out = conv(T.nnet.relu(conv(out, filters, channels)), filters, filters)
        out = drop(T.nnet.relu(pool.pool_2d(out, (2, 2), ignore_border=True)), 0.25)
    w, b = weights(6400, 512, bias=512)
    out = drop(T.nnet.relu(T.dot(out.flatten(2), w) + b), 0.5)
    w, b = weights(512, 10, bias=10)
    p_y = T.nnet.softmax(T.dot(out, w) + b)
    cost = T.nnet.categorical_crossentropy(p_y, y).mean()
    updates = OrderedDict()
    for param, grad in zip(params, T.grad(cost, params)):
        velocity = theano.shared(np.zeros_like(param.get_value()), broadcastable=param.broadcastable)
        updates[velocity] = np.float32(0.9) * velocity - np.float32(0.01) * grad
        updates[param] = param + updates[velocity]
    train = theano.function(
        [],
        cost,
        updates=updates,
        givens={x: theano.shared(IMAGES, borrow=True), y: theano.shared(LABELS.astype(np.int64), borrow=True)},
    )
    return train
