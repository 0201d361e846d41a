"""Mistakes planted in affine_transfer's TensorFlow notebook: {name: (changes of the text, what must be said)}."""

LOOP = """    for _ in range(calls):
        y = affine(m, x, b)
    return to_numpy(y)"""
PARAMETERS = """    for _ in range(calls):
        y = to_numpy(affine(m, to_device(x), b))"""

GRAPH = """    return to_numpy(repeated(m, x, b))


@tf.function{}
def repeated(m, x, b):
    y = b
    {}
    return y"""
UNROLLED = "for _ in range(20): y = affine(m, x, b)"
WHILE = "_, y = tf.while_loop(lambda k, y: k < CALLS, lambda k, y: (k + 1, affine(m, x, b)), (0, y))"

PLANTS = {
    "the product hoisted out of the loop": (
        [(LOOP, "    p = m @ x\n    for _ in range(calls):\n        y = p + b\n    return to_numpy(y)")],
        r"products: the profile counts 1, expected \d+",
    ),
    "the product of the kept parameters hoisted": (
        [(PARAMETERS, "    p = m @ to_device(x)\n    for _ in range(calls):\n        y = to_numpy(p + b)")],
        r"products: the profile counts 1, expected \d+",
    ),
    "one call fewer": (
        [(LOOP, LOOP.replace("range(calls)", "range(calls - 1)"))],
        r"products: the profile counts \d+, expected \d+",
    ),
    "m transposed": ([("return m @ x + b", "return np.transpose(m) @ x + b")], r"NumPy: sample \d+ is off"),
    "m transposed on the device alone": (
        [
            (
                "m, x, b = to_device(m), to_device(x), to_device(b)",
                "m, x, b = tf.transpose(to_device(m)), to_device(x), to_device(b)",
            )
        ],
        r"all kept: sample \d+ is off",
    ),
    "m and x exchanged": (
        [("affine(to_device(m), to_device(x)", "affine(to_device(x), to_device(m)")],
        r"all handed over: ",
    ),
    "b added twice": ([("return m @ x + b", "return m @ x + b + b")], r"NumPy: sample \d+ is off"),
    "b left out where the parameters are kept": (
        [(PARAMETERS, PARAMETERS.replace("affine(m, to_device(x), b)", "m @ to_device(x)"))],
        r"parameters kept: sample \d+ is off",
    ),
    "bfloat16": (
        [
            ("return tf.constant(a)", "return tf.cast(a, tf.bfloat16)"),
            ("return y.numpy()", "return tf.cast(y, tf.float32).numpy()"),
        ],
        r"all handed over: sample \d+ is off",
    ),
    "element by element": ([("return m @ x + b", "return m * x + b")], r"NumPy: sample \d+ is off"),
    "the loop unrolled in a graph, where TensorFlow merges equal products": (
        [(LOOP, GRAPH.format("", UNROLLED))],
        r"products: the profile counts [01], expected \d+",  # 0 where oneDNN takes product and sum in one
    ),
    "the loop compiled by XLA, where no product can be counted": (
        [(LOOP, GRAPH.format("(jit_compile=True)", WHILE))],
        r"products: the profile counts 0, expected \d+",
    ),
}
