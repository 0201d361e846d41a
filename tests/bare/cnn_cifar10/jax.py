"""Flax NNX's "MNIST tutorial", with what Flax's performance guide adds: donated buffers and a cached traversal."""

import os
from functools import partial
from importlib.metadata import version

from tests.bare.cnn_cifar10 import IMAGES_LAST, LABELS

if version("jaxlib") == "0.10.2":  # before JAX starts: XLA's own convolutions, which are faster on CPUs than YNNPACK's
    flag = "--xla_cpu_experimental_ynn_fusion_type=-individual_convolution"
    os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " " + flag


def bare(parameters):
    import jax.numpy as jnp
    import optax
    from flax import nnx

    dtype = jnp.bfloat16 if parameters.get("PRECISION") == "bf16" else jnp.float32  # in which layers compute

    class CNN(nnx.Module):
        def __init__(self, rngs):
            conv = partial(nnx.Conv, kernel_size=(3, 3), dtype=dtype, rngs=rngs)
            self.conv1, self.conv2, self.conv3, self.conv4 = conv(3, 50), conv(50, 50), conv(50, 100), conv(100, 100)
            self.linear1 = nnx.Linear(6400, 512, dtype=dtype, rngs=rngs)
            self.linear2 = nnx.Linear(512, 10, rngs=rngs)
            self.dropout1, self.dropout2 = nnx.Dropout(0.25, rngs=rngs), nnx.Dropout(0.25, rngs=rngs)
            self.dropout3 = nnx.Dropout(0.5, rngs=rngs)

        def __call__(self, x):
            x = nnx.relu(self.conv1(x))
            x = self.dropout1(nnx.relu(nnx.max_pool(self.conv2(x), (2, 2), (2, 2))))
            x = nnx.relu(self.conv3(x))
            x = self.dropout2(nnx.relu(nnx.max_pool(self.conv4(x), (2, 2), (2, 2))))
            x = self.dropout3(nnx.relu(self.linear1(x.reshape(x.shape[0], -1))))
            return self.linear2(x)

    @nnx.jit(donate_argnames=("model", "optimizer"))
    def train_step(model, optimizer, x, y):
        def loss_fn(model):
            return optax.softmax_cross_entropy_with_integer_labels(model(x), y).mean()

        loss, grads = nnx.value_and_grad(loss_fn)(model)
        optimizer.update(model, grads)
        return loss

    model = CNN(nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.sgd(0.01, 0.9), wrt=nnx.Param)
    cached_train_step = nnx.cached_partial(train_step, model, optimizer)
    x, y = jnp.asarray(IMAGES_LAST), jnp.asarray(LABELS)
    return lambda: cached_train_step(x, y).item()
