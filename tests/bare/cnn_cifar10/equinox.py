"""Equinox' example "CNN on MNIST", with the workload's dropout and donated buffers; XLA's flag is the row's variable.

As in the notebook the losses are read once, behind ten steps. bf16: copies of model and images compute.
"""

from tests.bare.cnn_cifar10 import BATCH, IMAGES, LABELS


def bare(parameters):
    import equinox as eqx
    import jax
    import jax.numpy as jnp
    import jax.random as jr
    import optax

    dtype = jnp.bfloat16 if parameters.get("PRECISION") == "bf16" else jnp.float32  # in which the model computes

    class CNN(eqx.Module):
        layers: eqx.nn.Sequential

        def __init__(self, key):
            keys, nn, relu = jr.split(key, 6), eqx.nn, eqx.nn.Lambda(jax.nn.relu)
            self.layers = nn.Sequential([
                nn.Conv2d(3, 50, 3, padding=1, key=keys[0]), relu,
                nn.Conv2d(50, 50, 3, padding=1, key=keys[1]), nn.MaxPool2d(2, 2), relu, nn.Dropout(0.25),
                nn.Conv2d(50, 100, 3, padding=1, key=keys[2]), relu,
                nn.Conv2d(100, 100, 3, padding=1, key=keys[3]), nn.MaxPool2d(2, 2), relu, nn.Dropout(0.25),
                nn.Lambda(jnp.ravel), nn.Linear(6400, 512, key=keys[4]), relu, nn.Dropout(0.5),
                nn.Linear(512, 10, key=keys[5]),
            ])

        def __call__(self, x, key):
            return self.layers(x, key=key)

    @eqx.filter_value_and_grad
    def compute_loss(model, x, y, key):
        model = jax.tree.map(lambda leaf: leaf.astype(dtype) if eqx.is_inexact_array(leaf) else leaf, model)
        logits = jax.vmap(model)(x.astype(dtype), jr.split(key, BATCH)).astype(jnp.float32)
        return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()

    @eqx.filter_jit(donate="all-except-first")
    def make_step(batch, model, opt_state, key):
        key, step_key = jr.split(key)
        loss, grads = compute_loss(model, *batch, step_key)
        updates, opt_state = optim.update(grads, opt_state, eqx.filter(model, eqx.is_inexact_array))
        return eqx.apply_updates(model, updates), opt_state, key, loss

    optim, model = optax.sgd(0.01, 0.9), CNN(jr.key(0))
    state = [model, optim.init(eqx.filter(model, eqx.is_inexact_array)), jr.key(1)]
    batch = jnp.asarray(IMAGES), jnp.asarray(LABELS)

    def step():
        nonlocal state
        losses = []
        for _ in range(10):
            *state, loss = make_step(batch, *state)
            losses.append(loss)
        return jax.device_get(losses)

    step.batches = 10
    return step
