"""Flax NNX's "MNIST tutorial", with what Flax's performance guide adds: donated buffers."""

from tests.bare.mlp_mnist_batch import DIGITS, LABELS


def bare(parameters):
    import jax
    import jax.numpy as jnp
    import optax
    from flax import nnx

    jax.config.update("jax_default_matmul_precision", "highest")

    class MLP(nnx.Module):
        def __init__(self, rngs):
            self.linear1, self.linear2 = nnx.Linear(784, 32, rngs=rngs), nnx.Linear(32, 10, rngs=rngs)

        def __call__(self, x):
            return self.linear2(nnx.relu(self.linear1(x)))

    @nnx.jit(donate_argnames=("model", "optimizer"))
    def train_step(model, optimizer, x, y):
        def loss_fn(model):
            return optax.softmax_cross_entropy_with_integer_labels(model(x), y).mean()

        loss, grads = nnx.value_and_grad(loss_fn)(model)
        optimizer.update(model, grads)
        return loss

    model = MLP(nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.adam(0.001), wrt=nnx.Param)
    x, y = jnp.asarray(DIGITS), jnp.asarray(LABELS)
    return lambda: train_step(model, optimizer, x, y).item()
