"""Mistakes planted in mlp_mnist_batch's JAX notebook: {name: (changes of the text, what must be said)}."""

FORWARD = "return self.output(nnx.relu(self.hidden(x)))"
ADAM = "optax.adam(learning_rate, b1, b2, eps=1e-8)"
LOSS = "return optax.softmax_cross_entropy_with_integer_labels(model(x), y).mean()"
STEPS = "losses = [step(x, y) for _ in order]"
INPUTS = "images.reshape(len(images), -1)"
FP64 = ('PRECISION = "fp32"     #', 'PRECISION = "fp64"     #')

PLANTS = {
    "the activation exchanged": ([(FORWARD, FORWARD.replace("relu", "sigmoid"))], r"gradient of"),
    "no activation": ([(FORWARD, FORWARD.replace("nnx.relu", ""))], r"gradient of"),
    "an activation at the end": ([(FORWARD, "return nnx.relu(self.output(nnx.relu(self.hidden(x))))")], r"gradient of"),
    "the mean over the batch taken twice": ([(LOSS, LOSS + " / len(y)")], r"gradient of"),
    "the sum over the batch": ([(LOSS, LOSS.replace(".mean()", ".sum()"))], r"gradient of"),
    "softmax applied twice": ([(LOSS, LOSS.replace("model(x)", "nnx.softmax(model(x))"))], r"gradient of"),
    "float32 arithmetic in fp64": (
        [FP64, ('"fp64": jnp.float64}', '"fp64": jnp.float32}')],
        r"gradient of \w+\.\w+: off by \d\S*e-0[5-8]",
    ),
    "float64 not switched on": (
        [FP64, ('"jax_enable_x64", PRECISION == "fp64"', '"jax_enable_x64", False')],
        r"gradient of \w+\.\w+: off by \d\S*e-0[5-8]",
    ),
    "one product in float32 in fp64": (
        [FP64, (FORWARD, FORWARD.replace("self.hidden(x)", "self.hidden(x).astype('float32').astype(x.dtype)"))],
        r"gradient of",
    ),
    "a layer that computes in float32 in fp64": (
        [FP64, ('types = {"dtype": dtype,', 'types = {"dtype": jnp.float32,')],
        r"gradient of",
    ),
    "the last step left out": (
        [(STEPS, STEPS.replace("for _ in order", "for _ in order[: max(1, len(order) - 1)]"))],
        r"19 losses were handed in, the reference has 20",
    ),
    "half of the digits": (
        [(STEPS, STEPS.replace("x, y)", "x[: 1 + len(x) // 2], y[: 1 + len(x) // 2])"))],
        r"wrong loss at step 0:",
    ),
    "labels in another order": ([(STEPS, STEPS.replace("x, y)", "x, y[::-1])"))], r"wrong loss at step 0:"),
    "labels of the run in another order": (
        [("x_train, y_train, order))", "x_train, y_train[::-1], order))")],
        r"the run cell must call train_epoch\(\.\.\., x_train, y_train",
    ),
    "epsilon inside the bias correction": (
        [
            (
                ADAM,
                "optax.inject_hyperparams(optax.adam)("
                "learning_rate, b1, b2, eps=lambda t: 1e-8 / jnp.sqrt(1 - 0.999 ** (t + 1)))",
            )
        ],
        r"loss at step \d+:|change of",
    ),
    "epsilon inside the root": ([(ADAM, ADAM.replace("eps=1e-8", "eps=0.0, eps_root=1e-8"))], r"loss at step \d+:"),
    "decay rates that are no float32 numbers": (
        [(ADAM, "optax.adam(learning_rate, eps=1e-8)")],
        r"wrong loss at step \d+:",
    ),
    "AdamW": ([(ADAM, ADAM.replace("adam(", "adamw(").replace("eps", "weight_decay=0.01, eps"))], r"loss at step \d+:|change of"),
    "another beta": ([(ADAM, ADAM.replace("b2", "0.99"))], r"loss at step \d+:|change of"),
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
    "pixels divided by 256": ([("DTYPES[PRECISION]) / 255", "DTYPES[PRECISION]) / 256")], r"gradient of"),
    "the accuracy of a part": (
        [("(predict(model, x) == np.asarray(y))", "(predict(model, x[:100]) == np.asarray(y[:100]))")],
        r"accuracy 0\.\d+, reference",
    ),
    "classes of the smallest output": ([(".argmax(axis=1)", ".argmin(axis=1)")], r"[1-9]\d* of 150 classes differ"),
}
