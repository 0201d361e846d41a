"""Mistakes planted in the lesson notebooks/mlp_mnist_batch/jax.ipynb: see mlp_mnist_batch.py."""

from tests.plants import mlp_mnist_batch as batch

LOSS = "optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()"
CALLED = "nnx.value_and_grad(loss_fn)(model, x, y)"
FORWARD = "return self.output(nnx.relu(self.hidden(x)))"
UPDATE = "        optimizer.update(model, grads)\n"
STEP = '@nnx.jit(donate_argnames=("model", "optimizer"))\ndef train_step('

PLANTS = {
    **batch.SHARED,
    **batch.averaged(STEP, "@remember\n" + STEP),
    **batch.own_run(
        ("for epoch in range(EPOCHS):", "for epoch in range(EPOCHS // 2):"),
        ("optimizer, x_train, y_train).item()", "optimizer, x_train, jnp.roll(y_train, 7)).item()"),
    ),
    "bfloat16 in the products": ([("nnx.Linear(784, 32, ", "nnx.Linear(784, 32, dtype=jnp.bfloat16, ")], batch.GRADIENT),
    "no activation": ([(FORWARD, "return self.output(self.hidden(x))")], batch.GRADIENT),
    "GELU in the hidden layer": ([(FORWARD, FORWARD.replace("relu", "gelu"))], batch.GRADIENT),
    "the sum of the losses": ([(LOSS, LOSS.replace("mean()", "sum()"))], batch.GRADIENT),
    "labels of the batch in another order": ([(CALLED, CALLED.replace("y)", "y[::-1])"))], batch.FIRST_LOSS),
    "half of the digits in each step": ([(CALLED, CALLED.replace("x, y)", "x[::2], y[::2])"))], batch.FIRST_LOSS),
    "last partial batch dropped in predict": ([("    return jax.device_get(classify(model, x))", "    return jax.device_get(classify(model, x[: len(x) // 25 * 25]))")], batch.SHORT_PREDICTION),
    "classes of the smallest logit": ([("model(x).argmax(axis=1)", "model(x).argmin(axis=1)")], batch.EVALUATION),
    "the accuracy of the first 100 samples": ([("(predict(model, x) == np.asarray(y))", "(predict(model, x[:100]) == np.asarray(y[:100]))")], batch.SHARE),
    "an update that is never made": ([(UPDATE, "        optimizer.update(model, jax.tree.map(jnp.zeros_like, grads))\n")], batch.SECOND_LOSS),
    "an update with clipped gradients": ([(UPDATE, "        optimizer.update(model, jax.tree.map(lambda g: jnp.clip(g, -1e-3, 1e-3), grads))\n")], batch.LATER),
    "weight decay": ([("optax.adam(LEARNING_RATE)", "optax.adamw(LEARNING_RATE, weight_decay=0.01)")], batch.LATER),
    "momentum of another size": ([("optax.adam(LEARNING_RATE)", "optax.adam(LEARNING_RATE, b1=0.8)")], batch.LATER),
    "an update with b2 0.99": ([("optax.adam(LEARNING_RATE)", "optax.adam(LEARNING_RATE, b2=0.99)")], batch.LATER),
}
