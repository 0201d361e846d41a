"""Mistakes planted in the lesson notebooks/cnn_mnist/jax.ipynb, with both poolings: see cnn_mnist.py."""

from tests.plants import cnn_mnist as cnn
from tests.plants import mlp_mnist as mlp

WINDOWS = mlp.set_to("SLICES", "True", "False")
LOSS = "optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()"
CALLED = "nnx.value_and_grad(loss_fn)(model, x, y)"
STARTS = "for start in range(0, len(order), BATCH_SIZE):"
FORWARD = "x = nnx.relu(pool(self.conv1(x)))"

PLANTS = {
    **cnn.SHARED,
    **cnn.averaged(),
    **cnn.own_run(
        ("order = np.asarray(rngs.permutation(len(x_train)))", "order = np.asarray(rngs.permutation(len(x_train)))[::2]"),
        ("optimizer, x_train, y_train, order)", "optimizer, x_train, jnp.roll(y_train, 7), order)"),
    ),
    "width and height swapped in the model": ([("self.dense(x.reshape", "self.dense(x.swapaxes(1, 2).reshape")], cnn.GRADIENT),
    "bfloat16 in the convolutions": ([("self.conv1 = nnx.Conv(1, 16, (2, 2), ", "self.conv1 = nnx.Conv(1, 16, (2, 2), dtype=jnp.bfloat16, ")], cnn.GRADIENT),
    "the last of equal values": ([("jnp.where(a >= b, a, b)", "jnp.where(a > b, a, b)")], "gradient of conv"),
    "jnp.maximum, which shares the gradient": ([("    return jnp.where(upper >= lower, upper, lower)", "    return jnp.maximum(upper, lower)")], "gradient of conv"),
    "pooling with a stride of 1": ([WINDOWS, ("nnx.max_pool(x, (2, 2), strides=(2, 2))", "nnx.max_pool(x, (2, 2))[:, ::2, ::2][:, : x.shape[1] // 2, : x.shape[2] // 2] * 1.001")], cnn.GRADIENT),
    "no ReLU behind the first pooling": ([(FORWARD, "x = pool(self.conv1(x))")], cnn.GRADIENT),
    "GELU in the place of ReLU": ([(FORWARD, FORWARD.replace("relu", "gelu"))], cnn.GRADIENT),
    "the sum of a batch's losses": ([(LOSS, LOSS.replace("mean()", "sum()"))], cnn.GRADIENT),
    "labels of a batch in another order": ([(CALLED, CALLED.replace("y)", "y[::-1])"))], cnn.FIRST_LOSS),
    "labels of a batch in another order, nnx.max_pool": ([WINDOWS, (CALLED, CALLED.replace("y)", "y[::-1])"))], cnn.FIRST_LOSS),
    "the order of the samples ignored": ([("i = order[start :", "i = np.sort(order)[start :")], cnn.FIRST_LOSS),
    "last partial batch dropped in training": ([(STARTS, "for start in range(0, max(1, len(order) - 960), BATCH_SIZE):")], cnn.SHORT_TRAINING),
    "last partial batch dropped in predict": ([("    return np.concatenate(jax.device_get(classes))", "    return np.concatenate(jax.device_get(classes))[: len(x) // 25 * 25]")], cnn.SHORT_PREDICTION),
    "classes of the smallest logit": ([("model(x).argmax(axis=1)", "model(x).argmin(axis=1)")], cnn.EVALUATION),
    "the accuracy of the first 100 samples": ([("(predict(model, x) == np.asarray(y))", "(predict(model, x[:100]) == np.asarray(y[:100]))")], cnn.SHARE),
    "one update in two left out": ([("        optimizer.update(model, grads)\n", "        optimizer.update(model, jax.tree.map(lambda g: g * (y[0] % 2 == 0), grads))\n")], "the first wrong loss at step|two steps"),
    "a rate that is clipped with the update": ([("        optimizer.update(model, grads)\n", "        optimizer.update(model, jax.tree.map(lambda g: jnp.clip(g, -1e-3, 1e-3), grads))\n")], cnn.LATER),
    "weight decay": ([("optax.adam(LEARNING_RATE)", "optax.adamw(LEARNING_RATE, weight_decay=0.01)")], cnn.LATER),
    "momentum of another size": ([("optax.adam(LEARNING_RATE)", "optax.adam(LEARNING_RATE, b1=0.8)")], cnn.LATER),
    "an update with b2 0.99": ([("optax.adam(LEARNING_RATE)", "optax.adam(LEARNING_RATE, b2=0.99)")], cnn.LATER),
}
