"""Random mini-batches of 32 images with findings, and what each framework's tutorials make of the workload."""

import os

import numpy as np

BATCH = 32
IMAGES = np.random.RandomState(0).standard_normal((BATCH, 3, 56, 56)).astype(np.float32)
IMAGES_LAST = np.ascontiguousarray(IMAGES.transpose(0, 2, 3, 1))
FINDINGS = (np.random.RandomState(1).rand(BATCH, 14) < 0.1).astype(np.float32)
LAYERS = (6, 12, 24, 16)


def pytorch(parameters):
    """DenseNet as torchvision writes it, in the guide's layout; no torchvision for CPUs goes with the locked release."""
    import torch
    from torch import nn

    class Layer(nn.Module):
        def __init__(self, width):
            super().__init__()
            self.new = nn.Sequential(
                nn.BatchNorm2d(width), nn.ReLU(inplace=True), nn.Conv2d(width, 128, 1, bias=False),
                nn.BatchNorm2d(128), nn.ReLU(inplace=True), nn.Conv2d(128, 32, 3, padding=1, bias=False),
            )

        def forward(self, x):
            return torch.cat([x, self.new(x)], 1)

    parts, width = [nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(), nn.MaxPool2d(3, 2, 1)], 64
    for number, layers in enumerate(LAYERS):
        if number:
            conv = nn.Conv2d(width, width // 2, 1, bias=False)
            parts += [nn.BatchNorm2d(width), nn.ReLU(inplace=True), conv, nn.AvgPool2d(2)]
            width //= 2
        for _ in range(layers):
            parts.append(Layer(width))
            width += 32
    parts += [nn.BatchNorm2d(width), nn.ReLU(inplace=True), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(width, 14)]
    net = nn.Sequential(*parts).to(memory_format=torch.channels_last)
    criterion = nn.BCEWithLogitsLoss()
    optimizer = torch.optim.Adam(net.parameters(), lr=0.0003)
    inputs, labels = torch.from_numpy(IMAGES).to(memory_format=torch.channels_last), torch.from_numpy(FINDINGS)

    def step():
        optimizer.zero_grad()
        loss = criterion(net(inputs), labels)
        loss.backward()
        optimizer.step()
        return loss.item()

    return step


def tensorflow(parameters):
    """TensorFlow's guide "Writing a training loop from scratch" with Keras Applications' DenseNet121."""
    import keras
    import tensorflow as tf

    model = network()
    loss_fn = keras.losses.BinaryCrossentropy(from_logits=True)
    optimizer = keras.optimizers.Adam(0.0003)
    optimizer.build(model.trainable_weights)
    x, y = tf.constant(IMAGES_LAST), tf.constant(FINDINGS)

    @tf.function
    def train_step(x, y):
        with tf.GradientTape() as tape:
            loss_value = loss_fn(y, model(x, training=True))
        grads = tape.gradient(loss_value, model.trainable_weights)
        optimizer.apply_gradients(zip(grads, model.trainable_weights, strict=True))
        return loss_value

    return lambda: train_step(x, y).numpy()


def network():
    import keras

    first = keras.config.image_data_format() == "channels_first"
    shape = (3, 56, 56) if first else (56, 56, 3)
    base = keras.applications.DenseNet121(include_top=False, weights=None, input_shape=shape, pooling="avg")
    return keras.Sequential([base, keras.layers.Dense(14)])


def keras(parameters):
    """Keras Applications' DenseNet121 and `fit` on arrays; a step is a fit of 4 batches."""
    os.environ["KERAS_BACKEND"] = parameters["BACKEND"]  # read when Keras is imported
    import keras

    x, y = np.tile(IMAGES_LAST, (4, 1, 1, 1)), np.tile(FINDINGS, (4, 1))
    if parameters["BACKEND"] == "torch":  # as in the lesson
        keras.config.set_image_data_format("channels_first")
        x = x.transpose(0, 3, 1, 2).copy()
    model = network()
    model.compile(keras.optimizers.Adam(0.0003), keras.losses.BinaryCrossentropy(from_logits=True))

    def step():
        model.fit(x, y, batch_size=BATCH, verbose=0)

    step.batches = 4
    return step


def jax(parameters):
    """The layers of Flax NNX one behind the other, without the lesson's scan, in a jitted step."""
    import jax
    import jax.numpy as jnp
    import optax
    from flax import nnx

    jax.config.update("jax_default_matmul_precision", "highest")

    def conv(inputs, outputs, size, rngs, **options):
        return nnx.Conv(inputs, outputs, (size, size), use_bias=False, rngs=rngs, **options)

    class Layer(nnx.Module):
        def __init__(self, width, rngs):
            self.norm1, self.conv1 = nnx.BatchNorm(width, momentum=0.9, rngs=rngs), conv(width, 128, 1, rngs)
            self.norm2, self.conv2 = nnx.BatchNorm(128, momentum=0.9, rngs=rngs), conv(128, 32, 3, rngs)

        def __call__(self, x):
            new = self.conv2(nnx.relu(self.norm2(self.conv1(nnx.relu(self.norm1(x))))))
            return jnp.concatenate([x, new], axis=-1)

    class Transition(nnx.Module):
        def __init__(self, width, rngs):
            self.norm, self.conv = nnx.BatchNorm(width, momentum=0.9, rngs=rngs), conv(width, width // 2, 1, rngs)

        def __call__(self, x):
            return nnx.avg_pool(self.conv(nnx.relu(self.norm(x))), (2, 2), strides=(2, 2))

    class DenseNet(nnx.Module):
        def __init__(self, rngs):
            self.conv0, self.norm0 = conv(3, 64, 7, rngs, strides=2), nnx.BatchNorm(64, momentum=0.9, rngs=rngs)
            self.blocks, width = nnx.List(), 64
            for number, layers in enumerate(LAYERS):
                if number:
                    self.blocks.append(Transition(width, rngs))
                    width //= 2
                for _ in range(layers):
                    self.blocks.append(Layer(width, rngs))
                    width += 32
            self.norm5, self.linear = nnx.BatchNorm(width, momentum=0.9, rngs=rngs), nnx.Linear(width, 14, rngs=rngs)

        def __call__(self, x):
            x = nnx.max_pool(nnx.relu(self.norm0(self.conv0(x))), (3, 3), (2, 2), "SAME")
            for block in self.blocks:
                x = block(x)
            return self.linear(nnx.relu(self.norm5(x)).mean((1, 2)))

    @nnx.jit(donate_argnames=("model", "optimizer"))
    def train_step(model, optimizer, x, y):
        def loss_fn(model):
            return optax.sigmoid_binary_cross_entropy(model(x), y).mean()

        loss, grads = nnx.value_and_grad(loss_fn)(model)
        optimizer.update(model, grads)
        return loss

    model = DenseNet(nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.adam(0.0003), wrt=nnx.Param)
    x, y = jnp.asarray(IMAGES_LAST), jnp.asarray(FINDINGS)
    return lambda: train_step(model, optimizer, x, y).item()


def mxnet_gluon(parameters):
    """Gluon's model zoo has a DenseNet for 224 x 224; this is the same without its last pooling of 7 x 7, hybridized."""
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


def chainer(parameters):
    """Chainer's guide "How to write a training loop", with iDeep as its "Tips and FAQs" asks."""
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
