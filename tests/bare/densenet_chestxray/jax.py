"""The layers of Flax NNX one behind the other, without the lesson's scan, in a jitted step."""

from tests.bare.densenet_chestxray import FINDINGS, IMAGES_LAST, LAYERS


def bare(parameters):
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
