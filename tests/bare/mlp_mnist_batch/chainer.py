"""Chainer's guide "How to write a training loop", with NumPy's arrays."""

import numpy as np

from tests.bare.mlp_mnist_batch import DIGITS, LABELS


def bare(parameters):
    import chainer
    import chainer.functions as F
    import chainer.links as L

    net = chainer.Sequential(L.Linear(784, 32), F.relu, L.Linear(32, 10))
    optimizer = chainer.optimizers.Adam(0.001)
    optimizer.setup(net)
    labels = LABELS.astype(np.int32)

    def step():
        loss = F.softmax_cross_entropy(net(DIGITS), labels)
        net.cleargrads()
        loss.backward()
        optimizer.update()
        return float(loss.array)

    return step
