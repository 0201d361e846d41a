"""Mistakes planted in affine_transfer's JAX notebook: {name: (changes of the text, what must be said)}."""

LOOP = """    for _ in range(calls):
        y = affine(m, x, b)
    return to_numpy(y)"""
PARAMETERS = """    for _ in range(calls):
        y = to_numpy(affine(m, to_device(x), b))"""

COMPILED = """    repeated = jax.jit(lambda m, x, b: {})
    return to_numpy(repeated(m, x, b))"""

PLANTS = {
    "the product hoisted out of the loop": (
        [(LOOP, "    p = m @ x\n    for _ in range(calls):\n        y = p + b\n    return to_numpy(y)")],
        r"products: the profile counts [01], expected \d+",
    ),
    "the product of the kept parameters hoisted": (
        [(PARAMETERS, "    p = m @ to_device(x)\n    for _ in range(calls):\n        y = to_numpy(p + b)")],
        r"products: the profile counts [01], expected \d+",
    ),
    "one call fewer": (
        [(LOOP, LOOP.replace("range(calls)", "range(calls - 1)"))],
        r"products: the profile counts \d+, expected \d+",
    ),
    "m transposed": ([("return m @ x + b", "return m.T @ x + b")], r"all handed over: sample \d+ is off"),
    "m transposed in NumPy": ([("y = m @ x + b", "y = m.T @ x + b")], r"NumPy: sample \d+ is off"),
    "m transposed on the device alone": (
        [
            (
                "m, x, b = to_device(m), to_device(x), to_device(b)",
                "m, x, b = to_device(m).T, to_device(x), to_device(b)",
            )
        ],
        r"all kept: sample \d+ is off",
    ),
    "m and x exchanged": (
        [("affine(to_device(m), to_device(x)", "affine(to_device(x), to_device(m)")],
        r"all handed over: ",
    ),
    "b added twice": ([("return m @ x + b", "return m @ x + b + b")], r"all handed over: sample \d+ is off"),
    "b left out where the parameters are kept": (
        [(PARAMETERS, PARAMETERS.replace("affine(m, to_device(x), b)", "m @ to_device(x)"))],
        r"parameters kept: sample \d+ is off",
    ),
    "bfloat16": (
        [("return m @ x + b", 'return m.astype("bfloat16") @ x.astype("bfloat16") + b')],
        r"all handed over: sample \d+ is off",
    ),
    "inputs rounded to bfloat16": (
        [("return m @ x + b", "return (m.astype(\"bfloat16\") @ x.astype(\"bfloat16\")).astype(m.dtype) + b")],
        r"all handed over: sample \d+ is off",
    ),
    "the loop compiled, out of which XLA moves the product": (
        [(LOOP, COMPILED.format("jax.lax.fori_loop(0, calls, lambda _, y: m @ x + b, b)"))],
        r"products: the profile counts \d, expected \d+",
    ),
    "the loop unrolled by jit, in which XLA merges equal products": (
        [(LOOP, COMPILED.format("[m @ x + b for _ in range(20)][-1]"))],
        r"products: the profile counts \d, expected \d+",
    ),
}
