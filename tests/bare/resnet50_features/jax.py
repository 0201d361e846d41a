"""ResNet-50 as Flax's ImageNet example builds it, without convolution biases, in NNX, with the strides of Keras.

bare: channels last, jitted over the split model; XLA's own convolutions, which are faster on CPUs than YNNPACK's. bf16: convolutions and BatchNorm
compute in it, as in the example's half precision.
"""

import os
from functools import partial
from importlib.metadata import version

from tests.bare.resnet50_features import IMAGES

if version("jaxlib") == "0.10.2":  # before JAX starts
    flag = "--xla_cpu_experimental_ynn_fusion_type=-individual_convolution"
    os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " " + flag


def network(dtype):
    import jax.numpy as jnp
    from flax import nnx

    rngs = nnx.Rngs(0)
    conv = partial(nnx.Conv, use_bias=False, dtype=dtype, rngs=rngs)
    norm = partial(nnx.BatchNorm, use_running_average=True, dtype=dtype, rngs=rngs)

    class BottleneckBlock(nnx.Module):
        def __init__(self, features_in, features, strides):
            self.conv1, self.norm1 = conv(features_in, features, (1, 1), strides), norm(features)
            self.conv2, self.norm2 = conv(features, features, (3, 3)), norm(features)
            self.conv3, self.norm3 = conv(features, 4 * features, (1, 1)), norm(4 * features)
            self.projects = features_in != 4 * features
            if self.projects:
                self.conv_proj = conv(features_in, 4 * features, (1, 1), strides)
                self.norm_proj = norm(4 * features)

        def __call__(self, x):
            y = nnx.relu(self.norm1(self.conv1(x)))
            y = nnx.relu(self.norm2(self.conv2(y)))
            y = self.norm3(self.conv3(y))
            if self.projects:
                x = self.norm_proj(self.conv_proj(x))
            return nnx.relu(x + y)

    class ResNet(nnx.Module):
        def __init__(self):
            self.conv_init, self.bn_init = conv(3, 64, (7, 7), (2, 2), padding=[(3, 3), (3, 3)]), norm(64)
            blocks, channels = [], 64
            for number, size in enumerate((3, 4, 6, 3)):
                for k in range(size):
                    blocks.append(BottleneckBlock(channels, 64 * 2**number, 2 if number and not k else 1))
                    channels = 256 * 2**number
            self.blocks = nnx.List(blocks)

        def __call__(self, x):
            x = nnx.relu(self.bn_init(self.conv_init(x)))
            x = nnx.max_pool(x, (3, 3), strides=(2, 2), padding=((1, 1), (1, 1)))
            for block in self.blocks:
                x = block(x)
            return jnp.mean(x, axis=(1, 2))

    return ResNet()


def bare(parameters):
    import jax
    import jax.numpy as jnp
    from flax import nnx

    dtype = jnp.bfloat16 if parameters.get("PRECISION") == "bf16" else jnp.float32
    graphdef, state = nnx.split(network(dtype))

    @jax.jit
    def forward(state, images):
        return nnx.merge(graphdef, state)(images)

    images = jnp.asarray(IMAGES.transpose(0, 2, 3, 1).copy())
    return lambda: forward(state, images).block_until_ready()
