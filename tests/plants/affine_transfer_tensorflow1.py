"""Mistakes planted in affine_transfer's TensorFlow 1 notebook: {name: (changes of the text, what must be said)}."""

ALL = 'store = kept["y"].assign(affine(kept["m"], kept["x"], kept["b"])).op'
LOOP = """    for _ in range(calls):
        run(store)
"""
FEED = '{fed["m"]: m, fed["x"]: x, fed["b"]: b}'
PARAMETERS = 'x_fed = affine(kept["m"], fed["x"], kept["b"])'

PLANTS = {
    "the product hoisted out of the loop": (
        [
            (ALL, 'kept["p"] = tf.Variable(fed["b"], validate_shape=False)\n    ' + ALL.replace('affine(kept["m"], kept["x"], kept["b"])', 'kept["p"] + kept["b"]')),
            (LOOP, '    run(kept["p"].initializer, {fed["b"]: m @ x})\n' + LOOP),
        ],
        r"products: the profile counts 0, expected \d+",
    ),
    "constants, whose product Grappler folds": (
        [
            (ALL, ALL.replace('kept["m"], kept["x"], kept["b"]', "*map(tf.constant, (m, x, b))")),
        ],
        r"products: the profile counts 0, expected \d+",
    ),
    "one call fewer": (
        [(LOOP, LOOP.replace("range(calls)", "range(calls - 1)"))],
        r"products: the profile counts \d+, expected \d+",
    ),
    "a single call where the parameters are kept": (
        [("    for _ in range(calls):\n        y = run(x_fed", "    for _ in range(1):\n        y = run(x_fed")],
        r"products: the profile counts 1, expected \d+",
    ),
    "m transposed": ([("return m @ x + b", "return (m.T if isinstance(m, np.ndarray) else tf.transpose(m)) @ x + b")], r"NumPy: sample \d+ is off"),
    "m transposed where all is kept": (
        [(ALL, ALL.replace('kept["m"]', 'tf.transpose(kept["m"])'))],
        r"all kept: sample \d+ is off",
    ),
    "m and x exchanged in the feed": (
        [(FEED, '{fed["m"]: x, fed["x"]: m, fed["b"]: b}')],
        r"all handed over: sample \d+ is off",
    ),
    "b added twice": ([("return m @ x + b", "return m @ x + b + b")], r"NumPy: sample \d+ is off"),
    "b left out where the parameters are kept": (
        [(PARAMETERS, PARAMETERS.replace('affine(kept["m"], fed["x"], kept["b"])', 'kept["m"] @ fed["x"]'))],
        r"parameters kept: sample \d+ is off",
    ),
    "every variable gets m": (
        [("run(kept[name].initializer, {fed[name]: array})", 'run(kept[name].initializer, {fed[name]: arrays.get("m")})')],
        r"parameters kept: sample \d+ is off",
    ),
    "the result replaces b": (
        [(ALL, ALL.replace('kept["y"].assign(', 'kept["b"].assign(')), ('return run(kept["y"])', 'return run(kept["b"])')],
        r"all kept: sample \d+ is off",
    ),
    "x in float16": (
        [
            (
                PARAMETERS,
                PARAMETERS.replace('fed["x"]', 'tf.cast(tf.cast(fed["x"], tf.float16), tf.float32)'),
            )
        ],
        r"parameters kept: sample \d+ is off",
    ),
}
