"""Bare training scripts: the network of cnn_cifar10 as each framework's own guide would write it, on random data in memory.

Each function returns a step without arguments that runs one batch of 64 (or `step.batches` of them) and returns when it is
done.
"""

import numpy as np

BATCH = 64
IMAGES = np.random.default_rng(0).random((BATCH, 32, 32, 3), np.float32)
LABELS = np.random.default_rng(1).integers(0, 10, BATCH)


def pytorch(channels_last=True, compiled=False):
    """PyTorch's "Training a classifier" tutorial, with the memory layout that the performance guide asks for."""
    import torch
    from torch import nn

    net = nn.Sequential(
        nn.Conv2d(3, 50, 3, padding=1), nn.ReLU(), nn.Conv2d(50, 50, 3, padding=1), nn.MaxPool2d(2), nn.ReLU(),
        nn.Dropout(0.25),
        nn.Conv2d(50, 100, 3, padding=1), nn.ReLU(), nn.Conv2d(100, 100, 3, padding=1), nn.MaxPool2d(2), nn.ReLU(),
        nn.Dropout(0.25), nn.Flatten(), nn.Linear(6400, 512), nn.ReLU(), nn.Dropout(0.5), nn.Linear(512, 10),
    )
    layout = torch.channels_last if channels_last else torch.contiguous_format
    net = net.to(memory_format=layout)
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)
    inputs = torch.from_numpy(IMAGES).permute(0, 3, 1, 2).contiguous(memory_format=layout)
    labels = torch.from_numpy(LABELS)
    forward = torch.compile(net) if compiled else net

    def step():
        optimizer.zero_grad()
        loss = criterion(forward(inputs), labels)
        loss.backward()
        optimizer.step()
        return loss.item()

    return step


def pytorch_plain():
    """The same, eager and as the tutorial leaves it: (N, C, H, W) in memory."""
    return pytorch(channels_last=False)


def pytorch_compiled():
    """The same, compiled."""
    return pytorch(compiled=True)


def _keras_model():
    import keras
    from keras import layers

    return keras.Sequential([
        keras.Input((32, 32, 3)),
        layers.Conv2D(50, 3, padding="same", activation="relu"), layers.Conv2D(50, 3, padding="same"),
        layers.MaxPooling2D(), layers.ReLU(), layers.Dropout(0.25),
        layers.Conv2D(100, 3, padding="same", activation="relu"), layers.Conv2D(100, 3, padding="same"),
        layers.MaxPooling2D(), layers.ReLU(), layers.Dropout(0.25),
        layers.Flatten(), layers.Dense(512, activation="relu"), layers.Dropout(0.5), layers.Dense(10),
    ])


def tensorflow():
    """TensorFlow's guide "Writing a training loop from scratch"."""
    import keras
    import tensorflow as tf

    model = _keras_model()
    loss_fn = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    optimizer = keras.optimizers.SGD(0.01, 0.9)
    x, y = tf.constant(IMAGES), tf.constant(LABELS)

    @tf.function
    def train_step(x, y):
        with tf.GradientTape() as tape:
            loss_value = loss_fn(y, model(x, training=True))
        grads = tape.gradient(loss_value, model.trainable_weights)
        optimizer.apply_gradients(zip(grads, model.trainable_weights, strict=True))
        return loss_value

    return lambda: train_step(x, y).numpy()


def keras(jit_compile):
    """Keras' guide "Training with the built-in methods": `fit` on arrays; a step is a fit of 20 batches."""
    import keras

    model = _keras_model()
    model.compile(optimizer=keras.optimizers.SGD(0.01, 0.9), jit_compile=jit_compile,
                  loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    x, y = np.tile(IMAGES, (20, 1, 1, 1)), np.tile(LABELS, 20)

    def step():
        model.fit(x, y, batch_size=BATCH, verbose=0)

    step.batches = 20
    return step


def jax():
    """Flax NNX's "MNIST tutorial"."""
    import jax.numpy as jnp
    import optax
    from flax import nnx

    class CNN(nnx.Module):
        def __init__(self, rngs):
            self.conv1, self.conv2 = nnx.Conv(3, 50, (3, 3), rngs=rngs), nnx.Conv(50, 50, (3, 3), rngs=rngs)
            self.conv3, self.conv4 = nnx.Conv(50, 100, (3, 3), rngs=rngs), nnx.Conv(100, 100, (3, 3), rngs=rngs)
            self.linear1, self.linear2 = nnx.Linear(6400, 512, rngs=rngs), nnx.Linear(512, 10, rngs=rngs)
            self.quarter, self.half = nnx.Dropout(0.25, rngs=rngs), nnx.Dropout(0.5, rngs=rngs)

        def __call__(self, x):
            x = nnx.relu(self.conv1(x))
            x = self.quarter(nnx.relu(nnx.max_pool(self.conv2(x), (2, 2), (2, 2))))
            x = nnx.relu(self.conv3(x))
            x = self.quarter(nnx.relu(nnx.max_pool(self.conv4(x), (2, 2), (2, 2))))
            x = self.half(nnx.relu(self.linear1(x.reshape(x.shape[0], -1))))
            return self.linear2(x)

    model = CNN(nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.sgd(0.01, 0.9), wrt=nnx.Param)
    x, y = jnp.asarray(IMAGES), jnp.asarray(LABELS)

    @nnx.jit
    def train_step(model, optimizer, x, y):
        def loss_fn(model):
            return optax.softmax_cross_entropy_with_integer_labels(model(x), y).mean()

        loss, grads = nnx.value_and_grad(loss_fn)(model)
        optimizer.update(model, grads)
        return loss

    return lambda: train_step(model, optimizer, x, y).item()
