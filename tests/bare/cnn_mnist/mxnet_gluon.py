"""Gluon's crash course, hybridized with a static plan of memory and shapes."""

from tests.bare.cnn_mnist import BATCH, IMAGES, LABELS


def bare(parameters):
    import mxnet as mx
    from mxnet import autograd, gluon
    from mxnet.gluon import nn

    net = nn.HybridSequential()
    net.add(
        nn.Conv2D(16, 2), nn.MaxPool2D(2), nn.Activation("relu"), nn.Conv2D(8, 2), nn.MaxPool2D(2),
        nn.Activation("relu"), nn.Dense(10),
    )
    net.initialize(mx.init.Xavier())
    net.hybridize(static_alloc=True, static_shape=True)
    softmax_cross_entropy = gluon.loss.SoftmaxCrossEntropyLoss()
    softmax_cross_entropy.hybridize(static_alloc=True, static_shape=True)
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.001})
    x, y = mx.nd.array(IMAGES), mx.nd.array(LABELS, dtype="int32")

    def step():
        with autograd.record():
            loss = softmax_cross_entropy(net(x), y)
        loss.backward()
        trainer.step(BATCH)
        return loss.mean().asscalar()

    return step
