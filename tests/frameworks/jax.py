"""Flax NNX's "MNIST tutorial"."""

from tests.frameworks import IMAGES_LAST, LABELS, plants

PLANTS = plants((
    "nnx.Conv(50, 100, (3, 3),", "nnx.Conv(50, 100, (3, 3), padding=((0, 2), (0, 2)),",
))
PASTED = """
model = CNN(nnx.Rngs(0), dropout=(0, 0, 0))
optimizer = make_optimizer(model)
x = jax.random.uniform(jax.random.key(0), (8, 32, 32, 3))
y = jax.random.randint(jax.random.key(1), (8,), 0, 10)
values = [train_step(model, optimizer, x, y).item() for _ in range(20)]
"""
STEP = """
_model = make_model(); _optimizer = make_optimizer(_model)
def step():
    i = next(_order)
    return train_step(_model, _optimizer, *take(x_train, y_train, i)).item()
"""


def bare(parameters):
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
    x, y = jnp.asarray(IMAGES_LAST), jnp.asarray(LABELS)

    @nnx.jit
    def train_step(model, optimizer, x, y):
        def loss_fn(model):
            return optax.softmax_cross_entropy_with_integer_labels(model(x), y).mean()

        loss, grads = nnx.value_and_grad(loss_fn)(model)
        optimizer.update(model, grads)
        return loss

    return lambda: train_step(model, optimizer, x, y).item()
