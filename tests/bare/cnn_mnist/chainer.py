"""Chainer's guide "How to write a training loop", with iDeep as its "Tips and FAQs" asks, or with NumPy alone."""

import numpy as np

from tests.bare.cnn_mnist import IMAGES, LABELS


def bare(parameters):
    import chainer
    import chainer.functions as F
    import chainer.links as L

    chainer.config.use_ideep = "never" if parameters["BACKEND"] == "numpy" else "auto"

    def pool(x):
        return F.max_pooling_2d(x, 2, cover_all=False)

    net = chainer.Sequential(
        L.Convolution2D(1, 16, 2), pool, F.relu, L.Convolution2D(16, 8, 2), pool, F.relu, L.Linear(288, 10)
    )
    optimizer = chainer.optimizers.Adam(0.001)
    optimizer.setup(net)
    labels = LABELS.astype(np.int32)

    def step():
        loss = F.softmax_cross_entropy(net(IMAGES), labels)
        net.cleargrads()
        loss.backward()
        optimizer.update()
        return float(loss.array)

    return step
