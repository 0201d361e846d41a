"""Gluon's crash course, hybridized with a static plan of memory and shapes."""

from tests.bare.cnn_cifar10 import BATCH, IMAGES, LABELS


def bare(parameters):
    import mxnet as mx
    from mxnet import autograd, gluon
    from mxnet.gluon import nn

    net = nn.HybridSequential()
    net.add(
        nn.Conv2D(50, 3, padding=1, activation="relu"), nn.Conv2D(50, 3, padding=1), nn.MaxPool2D(2),
        nn.Activation("relu"), nn.Dropout(0.25),
        nn.Conv2D(100, 3, padding=1, activation="relu"), nn.Conv2D(100, 3, padding=1), nn.MaxPool2D(2),
        nn.Activation("relu"), nn.Dropout(0.25),
        nn.Dense(512, activation="relu"), nn.Dropout(0.5), nn.Dense(10),
    )
    net.initialize(mx.init.Xavier())
    net.hybridize(static_alloc=True, static_shape=True)
    softmax_cross_entropy = gluon.loss.SoftmaxCrossEntropyLoss()
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.01, "momentum": 0.9})
    x, y = mx.nd.array(IMAGES), mx.nd.array(LABELS)

    def step():
        with autograd.record():
            loss = softmax_cross_entropy(net(x), y)
        loss.backward()
        trainer.step(BATCH)
        return loss.mean().asscalar()

    return step
