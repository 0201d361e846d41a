"""Chainer's guide "How to write a training loop", with iDeep as its "Tips and FAQs" asks."""

import numpy as np

from tests.bare.densenet_chestxray import FINDINGS, IMAGES, LAYERS


def bare(parameters):
    import chainer
    import chainer.functions as F
    import chainer.links as L

    chainer.config.use_ideep = "auto"

    def conv(outputs, size, **options):
        return L.Convolution2D(None, outputs, size, nobias=True, **options)

    class Layer(chainer.Chain):
        def __init__(self, width):
            super().__init__()
            with self.init_scope():
                self.norm1, self.conv1 = L.BatchNormalization(width, eps=1e-5), conv(128, 1)
                self.norm2, self.conv2 = L.BatchNormalization(128, eps=1e-5), conv(32, 3, pad=1)

        def forward(self, x):
            new = self.conv2(F.relu(self.norm2(self.conv1(F.relu(self.norm1(x))))))
            return F.concat([x, new])

    def largest(x):
        return F.max_pooling_2d(x, 3, 2, 1, cover_all=False)

    parts, width = [conv(64, 7, stride=2, pad=3), L.BatchNormalization(64, eps=1e-5), F.relu, largest], 64
    for number, layers in enumerate(LAYERS):
        if number:
            parts += [L.BatchNormalization(width, eps=1e-5), F.relu, conv(width // 2, 1)]
            parts.append(lambda x: F.average_pooling_2d(x, 2))
            width //= 2
        for _ in range(layers):
            parts.append(Layer(width))
            width += 32
    parts += [L.BatchNormalization(width, eps=1e-5), F.relu, lambda x: F.mean(x, axis=(2, 3)), L.Linear(width, 14)]
    net = chainer.Sequential(*parts)
    net(IMAGES[:2])  # the sizes that were left open
    net.to_device("@intel64")
    optimizer = chainer.optimizers.Adam(0.0003)
    optimizer.setup(net)
    findings = FINDINGS.astype(np.int32)

    def step():
        loss = F.sigmoid_cross_entropy(net(IMAGES), findings)
        net.cleargrads()
        loss.backward()
        optimizer.update()
        return float(loss.array)

    return step
