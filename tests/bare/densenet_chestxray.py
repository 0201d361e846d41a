"""Four random mini-batches of 32 images, and what each framework's model zoo and tutorials make of the workload."""

import os

import numpy as np

BATCH, COUNT = 32, 4
IMAGES = np.random.RandomState(0).randn(COUNT, BATCH, 3, 56, 56).astype(np.float32)
IMAGES_LAST = np.ascontiguousarray(IMAGES.transpose(0, 1, 3, 4, 2))
FINDINGS = (np.random.RandomState(1).rand(COUNT, BATCH, 14) < 0.1).astype(np.float32)
LAYERS = (6, 12, 24, 16)  # of the dense blocks


def whole(make):
    """An epoch that ``make`` makes at its first call: the lessons' Setup asks for devices before a framework starts."""
    made = []

    def script(parameters):
        def epoch():
            if not made:
                made.append(make(parameters))
            return made[0]()

        epoch.batches = COUNT
        return epoch

    return script


@whole
def pytorch(parameters):
    """torchvision's DenseNet-121, written out, in PyTorch's "Quickstart" loop, channels last as its recipe has it."""
    import torch
    import torch.nn.functional as F
    from torch import nn

    def conv(*sizes, **options):
        return nn.Conv2d(*sizes, bias=False, **options)

    class DenseLayer(nn.Sequential):
        def __init__(self, width):
            first = nn.BatchNorm2d(width), nn.ReLU(inplace=True), conv(width, 128, 1)
            super().__init__(*first, nn.BatchNorm2d(128), nn.ReLU(inplace=True), conv(128, 32, 3, padding=1))

        def forward(self, x):
            return torch.cat([x, super().forward(x)], 1)

    parts, width = [conv(3, 64, 7, stride=2, padding=3), nn.BatchNorm2d(64), nn.ReLU(), nn.MaxPool2d(3, 2, 1)], 64
    for count in LAYERS:
        if width > 64:
            parts += [nn.BatchNorm2d(width), nn.ReLU(inplace=True), conv(width, width // 2, 1), nn.AvgPool2d(2)]
            width //= 2
        parts += [DenseLayer(width + 32 * k) for k in range(count)]
        width += 32 * count
    head = nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(width, 14)
    net = nn.Sequential(*parts, nn.BatchNorm2d(width), nn.ReLU(inplace=True), *head)
    net = net.to(memory_format=torch.channels_last)
    optimizer = torch.optim.Adam(net.parameters(), lr=0.0003)
    batches = [(torch.from_numpy(x).to(memory_format=torch.channels_last), torch.from_numpy(y)) for x, y in zip(IMAGES, FINDINGS)]

    def epoch():
        losses = []
        for x, y in batches:
            optimizer.zero_grad()
            loss = F.binary_cross_entropy_with_logits(net(x), y)
            loss.backward()
            optimizer.step()
            losses.append(loss.detach())
        return torch.stack(losses).numpy()

    return epoch


@whole
def tensorflow(parameters):
    """Keras' DenseNet-121 in TensorFlow's guide "Writing a training loop from scratch"."""
    import keras
    import tensorflow as tf

    model = keras.applications.DenseNet121(
        weights=None, input_shape=(56, 56, 3), classes=14, classifier_activation=None
    )
    optimizer = keras.optimizers.Adam(0.0003)
    optimizer.build(model.trainable_weights)
    loss_fn = keras.losses.BinaryCrossentropy(from_logits=True)
    batches = [(tf.constant(x), tf.constant(y)) for x, y in zip(IMAGES_LAST, FINDINGS)]

    @tf.function
    def train_step(x, y):
        with tf.GradientTape() as tape:
            loss_value = loss_fn(y, model(x, training=True))
        grads = tape.gradient(loss_value, model.trainable_weights)
        optimizer.apply(grads, model.trainable_weights)
        return loss_value

    return lambda: tf.stack([train_step(x, y) for x, y in batches]).numpy()


@whole
def keras(parameters):
    """Keras' DenseNet-121, which wants the channels last, trained as its guide on built-in methods has it: `fit`."""
    os.environ["KERAS_BACKEND"] = parameters["BACKEND"]  # read by the import
    import keras

    keras.config.set_image_data_format("channels_last")
    model = keras.applications.DenseNet121(
        weights=None, input_shape=(56, 56, 3), classes=14, classifier_activation=None
    )
    model.compile(keras.optimizers.Adam(0.0003), keras.losses.BinaryCrossentropy(from_logits=True))
    images, findings = IMAGES_LAST.reshape(-1, 56, 56, 3), FINDINGS.reshape(-1, 14)
    return lambda: model.fit(images, findings, batch_size=BATCH, shuffle=False, verbose=0)


@whole
def jax(parameters):
    """Flax NNX's "MNIST tutorial" with DenseNet's layers one after the other, donated buffers, a cached traversal."""
    import jax
    import jax.numpy as jnp
    import optax
    from flax import nnx

    def norm(width, rngs):
        return nnx.BatchNorm(width, momentum=0.9, rngs=rngs)

    def conv(width, new, size, rngs, **options):
        return nnx.Conv(width, new, (size, size), use_bias=False, rngs=rngs, **options)

    class DenseLayer(nnx.Module):
        def __init__(self, width, rngs):
            self.norm1, self.conv1 = norm(width, rngs), conv(width, 128, 1, rngs)
            self.norm2, self.conv2 = norm(128, rngs), conv(128, 32, 3, rngs)

        def __call__(self, x):
            new = self.conv1(nnx.relu(self.norm1(x)))
            return jnp.concatenate([x, self.conv2(nnx.relu(self.norm2(new)))], -1)

    class Transition(nnx.Module):
        def __init__(self, width, rngs):
            self.norm, self.conv = norm(width, rngs), conv(width, width // 2, 1, rngs)

        def __call__(self, x):
            return nnx.avg_pool(self.conv(nnx.relu(self.norm(x))), (2, 2), strides=(2, 2))

    class DenseNet(nnx.Module):
        def __init__(self, rngs):
            self.conv0, self.norm0 = conv(3, 64, 7, rngs, strides=2, padding=3), norm(64, rngs)
            self.layers, width = nnx.List(), 64
            for count in LAYERS:
                if width > 64:
                    self.layers.append(Transition(width, rngs))
                    width //= 2
                for _ in range(count):
                    self.layers.append(DenseLayer(width, rngs))
                    width += 32
            self.norm5, self.classifier = norm(width, rngs), nnx.Linear(width, 14, rngs=rngs)

        def __call__(self, x):
            x = nnx.relu(self.norm0(self.conv0(x)))
            x = nnx.max_pool(x, (3, 3), strides=(2, 2), padding=((1, 1), (1, 1)))
            for layer in self.layers:
                x = layer(x)
            return self.classifier(nnx.relu(self.norm5(x)).mean((1, 2)))

    @nnx.jit(donate_argnames=("model", "optimizer"))
    def train_step(model, optimizer, x, y):
        def loss_fn(model):
            return optax.sigmoid_binary_cross_entropy(model(x), y).mean()

        loss, grads = nnx.value_and_grad(loss_fn)(model)
        optimizer.update(model, grads)
        return loss

    model = DenseNet(nnx.Rngs(0))
    step = nnx.cached_partial(train_step, model, nnx.Optimizer(model, optax.adam(0.0003), wrt=nnx.Param))
    batches = [(jnp.asarray(x), jnp.asarray(y)) for x, y in zip(IMAGES_LAST, FINDINGS)]
    return lambda: jax.device_get([step(x, y) for x, y in batches])


@whole
def mxnet_gluon(parameters):
    """Gluon's DenseNet-121 (its last pooling wants images of 224 x 224) in its crash course's loop, hybridized."""
    import mxnet as mx
    from mxnet import autograd, gluon
    from mxnet.gluon import nn

    zoo = gluon.model_zoo.vision.densenet121(classes=14)
    net = nn.HybridSequential()
    net.add(*[layer for layer in zoo.features if not isinstance(layer, (nn.AvgPool2D, nn.Flatten))])
    net.add(nn.GlobalAvgPool2D(), nn.Flatten(), zoo.output)
    net.initialize(mx.init.Xavier())
    net.hybridize(static_alloc=True, static_shape=True)
    loss_fn = gluon.loss.SigmoidBCELoss()
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.0003})
    batches = [(mx.nd.array(x), mx.nd.array(y)) for x, y in zip(IMAGES, FINDINGS)]

    def step(x, y):
        with autograd.record():
            loss = loss_fn(net(x), y)
        loss.backward()
        trainer.step(BATCH)
        return loss.mean()

    return lambda: mx.nd.concat(*[step(x, y) for x, y in batches], dim=0).asnumpy()


@whole
def chainer(parameters):
    """Chainer's guide "How to write a training loop", with iDeep as its "Tips and FAQs" asks."""
    import chainer
    import chainer.functions as F
    import chainer.links as L

    chainer.config.use_ideep = "auto"

    def conv(width, new, size, **options):
        return L.Convolution2D(width, new, size, nobias=True, **options)

    class DenseLayer(chainer.Sequential):
        def __init__(self, width):
            first = L.BatchNormalization(width), F.relu, conv(width, 128, 1)
            super(DenseLayer, self).__init__(*first, L.BatchNormalization(128), F.relu, conv(128, 32, 3, pad=1))

        def forward(self, x):
            return F.concat([x, super(DenseLayer, self).forward(x)])

    def pool(x):
        return F.max_pooling_2d(x, 3, stride=2, pad=1)

    parts, width = [conv(3, 64, 7, stride=2, pad=3), L.BatchNormalization(64), F.relu, pool], 64
    for count in LAYERS:
        if width > 64:
            parts += [L.BatchNormalization(width), F.relu, conv(width, width // 2, 1)]
            parts += [lambda x: F.average_pooling_2d(x, 2)]
            width //= 2
        parts += [DenseLayer(width + 32 * k) for k in range(count)]
        width += 32 * count
    parts += [L.BatchNormalization(width), F.relu, lambda x: F.mean(x, axis=(2, 3)), L.Linear(width, 14)]
    net = chainer.Sequential(*parts)
    net.to_device("@intel64")
    optimizer = chainer.optimizers.Adam(alpha=0.0003)
    optimizer.setup(net)
    batches = list(zip(IMAGES, FINDINGS.astype(np.int32)))

    def epoch():
        losses = []
        for x, y in batches:
            loss = F.sigmoid_cross_entropy(net(x), y)
            net.cleargrads()
            loss.backward()
            optimizer.update()
            losses.append(float(loss.array))
        return losses

    return epoch
