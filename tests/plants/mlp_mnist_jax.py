"""Mistakes planted in the lesson notebooks/mlp_mnist/jax.ipynb, in both of its loops: see mlp_mnist.py."""

from tests.plants import cnn_cifar10 as cnn
from tests.plants import mlp_mnist as mlp

LOOP = mlp.set_to("LOOP", "False", "True")
FORWARD = "return nnx.sigmoid(self.output(nnx.sigmoid(self.hidden(x))))"
SGD = "optax.sgd(LEARNING_RATE)"
LOSS = "return optax.l2_loss(model(x), y).sum() / len(y)"
GIVEN = "(model, x[i], y[i])"
STARTS = "for start in range(full, len(order), BATCH_SIZE):"
UPDATE = "    optimizer.update(model, grads)\n"
JIT = '@nnx.jit(donate_argnames=("model", "optimizer"))\ndef train_step('

PLANTS = {
    **mlp.SHARED,
    **mlp.averaged(),
    **mlp.own_run(
        ("np.asarray(rngs.permutation(len(x_train)))", "np.asarray(rngs.permutation(len(x_train)))[::2]"),
        ("optimizer, x_train, y_train, order)", "optimizer, x_train, jnp.roll(y_train, 7, axis=0), order)"),
    ),
    "float64 not switched on": ([('"jax_enable_x64", True', '"jax_enable_x64", False')], mlp.FLOAT32 + "|samples are not"),
    "layers that compute in float32": ([('options = {"param_dtype"', 'options = {"dtype": jnp.float32, "param_dtype"')], mlp.FLOAT32),
    "the rate divided by the batch": ([(SGD, "optax.sgd(LEARNING_RATE / BATCH_SIZE)")], mlp.SECOND_LOSS),
    "the mean over the batch taken twice": ([(LOSS, LOSS + " / len(y)")], mlp.GRADIENT),
    "the loss without its half": ([(LOSS, LOSS.replace("l2_loss", "squared_error"))], mlp.GRADIENT),
    "the mean over the outputs": ([(LOSS, LOSS.replace(".sum() / len(y)", ".mean()"))], mlp.GRADIENT),
    "tanh in the hidden layer": ([(FORWARD, FORWARD.replace("(nnx.sigmoid(", "(nnx.tanh("))], mlp.GRADIENT),
    "no activation at the end": ([(FORWARD, "return self.output(nnx.sigmoid(self.hidden(x)))")], mlp.GRADIENT),
    "labels of a batch in another order": ([(GIVEN, "(model, x[i], y[i[::-1]])")], mlp.FIRST_LOSS),
    "labels of a batch in another order, in the loop": ([LOOP, (GIVEN, "(model, x[i], y[i[::-1]])")], mlp.FIRST_LOSS),
    "the first batch again and again, in the loop": ([LOOP, ("x, y, batches[k])", "x, y, batches[0])")], mlp.SECOND_LOSS),
    "one turn too many, in the loop": ([LOOP, ("nnx.fori_loop(0, count, turn,", "nnx.fori_loop(0, count + 1, turn,")], mlp.LATER),
    "one turn too few, in the loop": ([LOOP, ("nnx.fori_loop(0, count, turn,", "nnx.fori_loop(1, count, turn,")], mlp.FIRST_LOSS),
    "a model that the loop forgets": ([LOOP, ("loss = train_step(model, optimizer,", "loss = train_step(*nnx.clone((model, optimizer)),")], mlp.SECOND_LOSS),
    "last partial batch dropped in training": ([(STARTS, STARTS.replace("len(order)", "max(1, len(order) - BATCH_SIZE + 1)"))], cnn.SHORT_TRAINING),
    "last partial batch dropped in predict": ([("classify(model, x))", "classify(model, x[: len(x) // 25 * 25]))")], mlp.SHORT_PREDICTION),
    "classes of the smallest output": ([("model(x).argmax(axis=1)", "model(x).argmin(axis=1)")], mlp.EVALUATION),
    "the accuracy of the first 100 samples": ([("(predict(model, x) == np.asarray(labels))", "(predict(model, x[:100]) == np.asarray(labels)[:100])")], mlp.SHARE),
    "momentum": ([(SGD, "optax.sgd(LEARNING_RATE, 0.1)")], mlp.LATER),
    "weight decay": ([(SGD, "optax.chain(optax.add_decayed_weights(1e-9), %s)" % SGD)], mlp.LATER),
    "an update of the output layer alone": ([("wrt=nnx.Param)", 'wrt=nnx.All(nnx.Param, nnx.PathContains("output")))'), ("nnx.value_and_grad(loss_fn)", 'nnx.value_and_grad(loss_fn, argnums=nnx.DiffState(0, nnx.All(nnx.Param, nnx.PathContains("output"))))')], mlp.SECOND_LOSS),
    "a step in jax.jit, which loses the update": ([(JIT, "@jax.jit\ndef train_step("), ("nnx.cached_partial(train_step, model, optimizer)", "lambda x, y, i: train_step(model, optimizer, x, y, i)")], mlp.SECOND_LOSS),
}
