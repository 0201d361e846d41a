"""Chainer's guide "How to write a training loop", with iDeep as its "Tips and FAQs" asks."""

import numpy as np

from tests.bare.cnn_cifar10 import IMAGES, LABELS


def bare(parameters):
    import chainer
    import chainer.functions as F
    import chainer.links as L

    chainer.config.use_ideep = "auto"
    net = chainer.Sequential(
        L.Convolution2D(3, 50, 3, pad=1), F.relu, L.Convolution2D(50, 50, 3, pad=1), lambda x: F.max_pooling_2d(x, 2),
        F.relu, lambda x: F.dropout(x, 0.25),
        L.Convolution2D(50, 100, 3, pad=1), F.relu, L.Convolution2D(100, 100, 3, pad=1), lambda x: F.max_pooling_2d(x, 2),
        F.relu, lambda x: F.dropout(x, 0.25),
        L.Linear(None, 512), F.relu, lambda x: F.dropout(x, 0.5), L.Linear(512, 10),
    )
    net(IMAGES[:1])  # the size that was left open
    net.to_device("@intel64")
    optimizer = chainer.optimizers.MomentumSGD(0.01, 0.9)
    optimizer.setup(net)
    labels = LABELS.astype(np.int32)

    def step():
        loss = F.softmax_cross_entropy(net(IMAGES), labels)
        net.cleargrads()
        loss.backward()
        optimizer.update()
        return float(loss.array)

    return step
