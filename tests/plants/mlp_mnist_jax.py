"""Mistakes planted in mlp_mnist's JAX notebook: {name: (changes of the text, what must be said)}."""

FORWARD = "return nnx.sigmoid(self.output(nnx.sigmoid(self.hidden(x))))"
SGD = "optax.sgd(learning_rate)"
LOSS = "return optax.l2_loss(model(x), y).sum() / len(y)"
LABELS = "step(x[i], y[i])"
INPUTS = "images.reshape(len(images), -1)"
LOOP = ("LOOP = False           #", "LOOP = True           #")

PLANTS = {
    "float32 arithmetic": (
        [('{"fp64": jnp.float64}', '{"fp64": jnp.float32}')],
        r"gradient of \w+\.\w+: off by \d\S*e-0[5-8]",
    ),
    "float64 not switched on": (
        [('"jax_enable_x64", True', '"jax_enable_x64", False')],
        r"gradient of \w+\.\w+: off by \d\S*e-0[5-8]",
    ),
    "layers that compute in float32": (
        [('options = {"dtype": dtype,', 'options = {"dtype": jnp.float32,')],
        r"gradient of \w+\.\w+: off by",
    ),
    "the learning rate divided by the batch": (
        [(SGD, "optax.sgd(learning_rate / BATCH_SIZE)")],
        r"wrong loss at step 1:",
    ),
    "the mean over the batch taken twice": ([(LOSS, LOSS + " / len(y)")], r"gradient of"),
    "the loss without its half": ([(LOSS, LOSS.replace("l2_loss", "squared_error"))], r"gradient of"),
    "the mean over the outputs": ([(LOSS, LOSS.replace(".sum() / len(y)", ".mean()"))], r"gradient of"),
    "tanh in the hidden layer": ([(FORWARD, FORWARD.replace("(nnx.sigmoid(", "(nnx.tanh("))], r"gradient of"),
    "no activation at the end": ([(FORWARD, "return self.output(nnx.sigmoid(self.hidden(x)))")], r"gradient of"),
    "labels not indexed by the order": ([(LABELS, "step(x[i], y[: len(i)])")], r"wrong loss at step 0:"),
    "labels in another order, in the loop": (
        [LOOP, ("y[batches[k]]", "y[jnp.sort(batches[k])]")],
        r"wrong loss at step 0:",
    ),
    "the first batch again and again, in the loop": (
        [LOOP, ("x[batches[k]], y[batches[k]]", "x[batches[0]], y[batches[0]]")],
        r"wrong loss at step 1:",
    ),
    "one turn too many, in the loop": (
        [LOOP, ("nnx.fori_loop(0, count, turn,", "nnx.fori_loop(0, count + 1, turn,")],
        r"wrong loss at step \d+:|change of",
    ),
    "one turn too few, in the loop": (
        [LOOP, ("nnx.fori_loop(0, count, turn,", "nnx.fori_loop(1, count, turn,")],
        r"wrong loss at step 0:",
    ),
    "a model that the loop forgets": (
        [LOOP, ("value = train_step(model, optimizer,", "value = train_step(*nnx.clone((model, optimizer)),")],
        r"wrong loss at step 1:",
    ),
    "labels of the run in another order": (
        [("x_train, y_train, order))", "x_train, y_train[::-1], order))")],
        r"the run cell must call train_epoch\(\.\.\., x_train, y_train",
    ),
    "the same order in every epoch": (
        [("x_train, y_train, order))", "x_train, y_train, np.arange(len(x_train))))")],
        r"the run cell must hand each order",
    ),
    "the short last batch dropped": (
        [
            (
                "in range(full, len(order), BATCH_SIZE):",
                "in range(full, max(1, len(order) - BATCH_SIZE + 1), BATCH_SIZE):",
            )
        ],
        r"20 losses were handed in, the reference has 21",
    ),
    "momentum": ([(SGD, "optax.sgd(learning_rate, 0.1)")], r"wrong loss at step 2:|change of"),
    "weight decay": ([(SGD, "optax.chain(optax.add_decayed_weights(1e-9), %s)" % SGD)], r"loss at step \d+:|change of"),
    "a step in jax.jit, which loses the update": (
        [
            ('@nnx.jit(donate_argnames=("model", "optimizer"))', "@jax.jit"),
            ("nnx.cached_partial(train_step, model, optimizer)", "lambda x, y: train_step(model, optimizer, x, y)"),
        ],
        r"wrong loss at step 1:",
    ),
    "width and height exchanged": (
        [(INPUTS, "images.transpose(0, 2, 1).reshape(len(images), -1)")],
        r"gradient of hidden\.weight",
    ),
    "pixels divided by 256": ([(".astype(dtype) / 255", ".astype(dtype) / 256")], r"gradient of"),
    "training digits of another scale": (
        [
            (
                "to_inputs(data.x_train), to_inputs(data.x_test)",
                "to_inputs(data.x_train) * 255 / 256, to_inputs(data.x_test)",
            )
        ],
        r"loss of the first training samples off",
    ),
    "the accuracy of a part": (
        [("(predict(model, x) == np.asarray(y))", "(predict(model, x[:100]) == np.asarray(y[:100]))")],
        r"accuracy 0\.\d+, reference",
    ),
    "classes of the smallest output": ([(".argmax(axis=1)", ".argmin(axis=1)")], r"[1-9]\d* of 150 classes differ"),
}
