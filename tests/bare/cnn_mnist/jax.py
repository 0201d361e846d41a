"""Flax NNX's "MNIST tutorial", with what Flax's performance guide adds: donated buffers and a cached traversal.

Where the row pools by slices, so does this: the promise is about what the lesson's loop costs, not its layers.
"""

from tests.bare.cnn_mnist import IMAGES_LAST, LABELS


def bare(parameters):
    import jax
    import jax.numpy as jnp
    import optax
    from flax import nnx

    jax.config.update("jax_default_matmul_precision", "highest")

    def pool(x):
        if not parameters.get("SLICES", True):
            return nnx.max_pool(x, (2, 2), (2, 2))
        height, width = x.shape[1] // 2 * 2, x.shape[2] // 2 * 2
        a, b, c, d = (x[:, i:height:2, j:width:2] for i in (0, 1) for j in (0, 1))
        a, c = jnp.where(a >= b, a, b), jnp.where(c >= d, c, d)
        return jnp.where(a >= c, a, c)

    class CNN(nnx.Module):
        def __init__(self, rngs):
            self.conv1 = nnx.Conv(1, 16, (2, 2), padding="VALID", rngs=rngs)
            self.conv2 = nnx.Conv(16, 8, (2, 2), padding="VALID", rngs=rngs)
            self.linear = nnx.Linear(288, 10, rngs=rngs)

        def __call__(self, x):
            x = nnx.relu(pool(self.conv1(x)))
            x = nnx.relu(pool(self.conv2(x)))
            return self.linear(x.reshape(x.shape[0], -1))

    @nnx.jit(donate_argnames=("model", "optimizer"))
    def train_step(model, optimizer, x, y):
        def loss_fn(model):
            return optax.softmax_cross_entropy_with_integer_labels(model(x), y).mean()

        loss, grads = nnx.value_and_grad(loss_fn)(model)
        optimizer.update(model, grads)
        return loss

    model = CNN(nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.adam(0.001), wrt=nnx.Param)
    cached_train_step = nnx.cached_partial(train_step, model, optimizer)
    x, y = jnp.asarray(IMAGES_LAST), jnp.asarray(LABELS)
    return lambda: cached_train_step(x, y).item()
