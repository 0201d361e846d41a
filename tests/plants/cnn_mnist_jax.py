"""Mistakes planted in cnn_mnist's JAX notebook: {name: (changes of the text, what must be said)}."""

FIRST = "x = nnx.relu(pool(self.conv1(x)))"
SECOND = "x = nnx.relu(pool(self.conv2(x)))"
ADAM = "optax.adam(learning_rate, eps=1e-8)"
LOSS = "return optax.softmax_cross_entropy_with_integer_labels(model(x), y).mean()"
LABELS = "jnp.take(y, i, axis=0)"
IMAGES = "jnp.asarray(images[..., None], DTYPES[PRECISION]) / 255"
FP64 = ('PRECISION = "fp32"     #', 'PRECISION = "fp64"     #')
STOCK = ("SLICES = True          #", "SLICES = False          #")
POOL = "nnx.max_pool(x, (2, 2), strides=(2, 2))"

PLANTS = {
    "the activation of one layer exchanged": ([(SECOND, SECOND.replace("relu", "leaky_relu"))], r"gradient of"),
    "no activation in one layer": ([(FIRST, FIRST.replace("nnx.relu(", "("))], r"gradient of"),
    "the mean over the batch taken twice": ([(LOSS, LOSS + " / len(y)")], r"gradient of"),
    "the sum over the batch": ([(LOSS, LOSS.replace(".mean()", ".sum()"))], r"gradient of"),
    "pooling with padding, of the same size": (
        [
            STOCK,
            (
                SECOND,
                SECOND.replace(
                    "pool(self.conv2(x))",
                    POOL[:-1].replace("x,", "self.conv2(x)[:, 1:],", 1) + ", padding=((1, 0), (0, 0)))",
                ),
            ),
        ],
        r"gradient of",
    ),
    "pooling of shifted windows": (
        [("x[:, i:h:2, j:w:2]", "x[:, i + x.shape[1] % 2 : h + x.shape[1] % 2 : 2, j:w:2]")],
        r"gradient of",
    ),
    "average pooling": (
        [("return jnp.where(upper >= lower, upper, lower)", "return (a + b + c + d) / 4")],
        r"gradient of",
    ),
    "average pooling, Flax's": ([STOCK, (POOL, POOL.replace("max_pool", "avg_pool"))], r"gradient of"),
    "float32 arithmetic in fp64": (
        [FP64, ('"fp64": jnp.float64}', '"fp64": jnp.float32}')],
        r"gradient of \w+\.\w+: off by \d\S*e-0[5-8]",
    ),
    "float64 not switched on": (
        [FP64, ('"jax_enable_x64", PRECISION == "fp64"', '"jax_enable_x64", False')],
        r"gradient of \w+\.\w+: off by \d\S*e-0[5-8]",
    ),
    "the same order in every epoch": (
        [("x, y, order) for order in reference.orders]", "x, y, reference.order) for _ in reference.orders]")],
        r"loss at step 2:",
    ),
    "the same order in every epoch of the run": (
        [("x_train, y_train, order))", "x_train, y_train, np.arange(len(x_train))))")],
        r"the run cell must hand each order",
    ),
    "labels not indexed by the order": ([(LABELS, "y[: len(i)]")], r"wrong loss at step 0:"),
    "labels of a batch in another order": ([(LABELS, "jnp.take(y, np.sort(i), axis=0)")], r"wrong loss at step 0:"),
    "labels of the timed loop in another order": (
        [("optimizer, x_train, y_train, order", "optimizer, x_train, y_train[::-1], order")],
        "y_train",
    ),
    "the short last batch dropped": (
        [("in range(0, len(order), BATCH_SIZE):", "in range(0, max(1, len(order) - BATCH_SIZE + 1), BATCH_SIZE):")],
        r"10 losses were handed in, the reference has 20",
    ),
    "epsilon inside the bias correction": (
        [
            (
                ADAM,
                "optax.inject_hyperparams(optax.adam)("
                "learning_rate=learning_rate, eps=lambda t: 1e-8 / jnp.sqrt(1 - 0.999 ** (t + 1)))",
            )
        ],
        r"loss at step \d+:|change of",
    ),
    "AdamW": ([(ADAM, ADAM.replace("adam(", "adamw(").replace("eps", "weight_decay=0.01, eps"))], r"loss at step \d+:|change of"),
    "another beta": ([(ADAM, ADAM.replace("eps", "b2=0.99, eps"))], r"loss at step \d+:|change of"),
    "a step in jax.jit, which loses the update": (
        [
            ('@nnx.jit(donate_argnames=("model", "optimizer"))', "@jax.jit"),
            ("nnx.cached_partial(train_step, model, optimizer)", "lambda x, y: train_step(model, optimizer, x, y)"),
        ],
        r"wrong loss at step 1:",
    ),
    "kernels transposed": (
        [
            ("w.transpose(2, 3, 1, 0) if w.ndim == 4", "w.transpose(3, 2, 1, 0) if w.ndim == 4"),
            ("w.transpose(3, 2, 0, 1) if w.ndim == 4", "w.transpose(3, 2, 1, 0) if w.ndim == 4"),
        ],
        r"gradient of",
    ),
    "features flattened in PyTorch's order": ([('name == "dense.weight"', 'name == "no such tensor"')], r"gradient of"),
    "width and height exchanged": (
        [(IMAGES, IMAGES.replace("[..., None]", ".transpose(0, 2, 1)[..., None]"))],
        r"gradient of",
    ),
    "pixels divided by 256": ([(IMAGES, IMAGES.replace("255", "256"))], r"gradient of"),
    "the accuracy of a part": (
        [("(predict(model, x) == np.asarray(y))", "(predict(model, x[:100]) == np.asarray(y[:100]))")],
        r"accuracy 0\.\d+, reference",
    ),
    "the last partial batch dropped in evaluation": (
        [
            ("starts = range(0, len(x), BATCH_SIZE)", "starts = range(0, len(x) // 100 * 100, 100)"),
            ("x[k : k + BATCH_SIZE]) for k in starts", "x[k : k + 100]) for k in starts"),
            ("(model, x) == np.asarray(y))", "(model, x) == np.asarray(y[: len(x) // 100 * 100]))"),
        ],
        r"100 classes were predicted for 150",
    ),
    "classes of the smallest output": ([(".argmax(axis=1)", ".argmin(axis=1)")], r"[1-9]\d* of 150 classes differ"),
}
