"""Gluon's model zoo has a DenseNet for 224 x 224; this is the same without its last pooling of 7 x 7, hybridized."""

from tests.bare.densenet_chestxray import BATCH, FINDINGS, IMAGES, LAYERS


def bare(parameters):
    import mxnet as mx
    from mxnet import autograd, gluon
    from mxnet.gluon import nn
    from mxnet.gluon.contrib.nn import HybridConcurrent, Identity

    def normalized(*layers):
        part = nn.HybridSequential(prefix="")
        part.add(nn.BatchNorm(), nn.Activation("relu"), *layers)
        return part

    net, width = nn.HybridSequential(), 64
    net.add(nn.Conv2D(64, 7, 2, 3, use_bias=False), normalized(nn.MaxPool2D(3, 2, 1)))
    for number, layers in enumerate(LAYERS):
        if number:
            net.add(normalized(nn.Conv2D(width // 2, 1, use_bias=False), nn.AvgPool2D(2)))
            width //= 2
        for _ in range(layers):
            both = HybridConcurrent(axis=1, prefix="")
            new = normalized(nn.Conv2D(128, 1, use_bias=False), normalized(nn.Conv2D(32, 3, padding=1, use_bias=False)))
            both.add(Identity(), new)
            net.add(both)
        width += 32 * layers
    net.add(normalized(nn.GlobalAvgPool2D(), nn.Flatten(), nn.Dense(14)))
    net.initialize(mx.init.Xavier("gaussian", "in", magnitude=2))
    net.hybridize(static_alloc=True, static_shape=True)
    criterion = gluon.loss.SigmoidBCELoss()
    criterion.hybridize()
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.0003})
    x, y = mx.nd.array(IMAGES), mx.nd.array(FINDINGS)

    def step():
        with autograd.record():
            loss = criterion(net(x), y)
        loss.backward()
        trainer.step(BATCH)
        return loss.mean().asscalar()

    return step
