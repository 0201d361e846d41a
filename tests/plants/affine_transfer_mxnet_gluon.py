"""Mistakes planted in affine_transfer's MXNet notebook: {name: (changes of the text, what must be said)}."""

LOOP = """    for _ in range(calls):
        y = affine(m, x, b)
    return to_numpy(y)"""
PARAMETERS = """    for _ in range(calls):
        y = to_numpy(affine(m, to_device(x), b))"""

PLANTS = {
    "the product hoisted out of the loop": (
        [(LOOP, "    p = nd.dot(m, x)\n    for _ in range(calls):\n        y = p + b\n    return to_numpy(y)")],
        r"products: the profile counts 1, expected \d+",
    ),
    "the product of the kept parameters hoisted": (
        [(PARAMETERS, "    p = nd.dot(m, to_device(x))\n    for _ in range(calls):\n        y = to_numpy(p + b)")],
        r"products: the profile counts 1, expected \d+",
    ),
    "one call fewer": (
        [(LOOP, LOOP.replace("range(calls)", "range(calls - 1)"))],
        r"products: the profile counts \d+, expected \d+",
    ),
    "m transposed": (
        [("return nd.dot(m, x) + b", "return nd.dot(m, x, transpose_a=True) + b")],
        r"all handed over: sample \d+ is off",
    ),
    "m transposed in NumPy alone": ([("y = m @ x + b", "y = m.T @ x + b")], r"NumPy: sample \d+ is off"),
    "m transposed where all is kept": (
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
        r"all handed over: sample \d+ is off",
    ),
    "b added twice": ([("return nd.dot(m, x) + b", "return nd.dot(m, x) + b + b")], r"all handed over: sample \d+ is off"),
    "b left out where the parameters are kept": (
        [(PARAMETERS, PARAMETERS.replace("affine(m, to_device(x), b)", "nd.dot(m, to_device(x))"))],
        r"parameters kept: sample \d+ is off",
    ),
    "the sum in place changes the kept b": (
        [(LOOP, "    for _ in range(calls):\n        b += nd.dot(m, x)\n    return to_numpy(b)")],
        r"all kept: sample \d+ is off",
    ),
    "float16 on the way to the device": (
        [("return nd.from_numpy(a).as_in_context(ctx)", 'return nd.array(a.astype("float16"), ctx=ctx)')],
        r"all handed over: sample \d+ is off",
    ),
}
