"""Mistakes planted in affine_transfer's Chainer notebook: {name: (changes of the text, what must be said)}."""

LOOP = """        for _ in range(calls):
            y = affine(m, x, b)
        return to_numpy(y)"""
PARAMETERS = """        for _ in range(calls):
            y = to_numpy(affine(m, to_device(x), b))"""
KEPT = "m, x, b = to_device(m), to_device(x), to_device(b)"

PLANTS = {
    "the product hoisted out of the loop": (
        [(LOOP, LOOP.replace("        for", "        p = m @ x\n        for", 1).replace("affine(m, x, b)", "p + b"))],
        r"products: the profile counts 1, expected \d+",
    ),
    "the product of the kept parameters hoisted": (
        [
            (
                PARAMETERS,
                "        p = m @ to_device(x)\n        for _ in range(calls):\n            y = to_numpy(p + b)",
            )
        ],
        r"products: the profile counts 1, expected \d+",
    ),
    "arrays in place of Variables: NumPy computes, Chainer does nothing": (
        [(KEPT, KEPT.replace("(m)", "(m).array").replace("(x)", "(x).array").replace("(b)", "(b).array"))],
        r"products: the profile counts 0, expected \d+",
    ),
    "one call fewer": (
        [(LOOP, LOOP.replace("range(calls)", "range(calls - 1)"))],
        r"products: the profile counts \d+, expected \d+",
    ),
    "m transposed": ([("return m @ x + b", "return m.T @ x + b")], r"NumPy: sample \d+ is off"),
    "x transposed, as F.linear takes it": (
        [(LOOP, LOOP.replace("affine(m, x, b)", "F.linear(m, x) + b"))],
        r"all kept: sample \d+ is off",
    ),
    "m transposed where all is kept": (
        [(LOOP, LOOP.replace("affine(m, x, b)", "F.matmul(m, x, transa=True) + b"))],
        r"all kept: sample \d+ is off",
    ),
    "m and x exchanged": (
        [("affine(to_device(m), to_device(x)", "affine(to_device(x), to_device(m)")],
        r"all handed over: sample \d+ is off",
    ),
    "b added twice": ([("return m @ x + b", "return m @ x + b + b")], r"NumPy: sample \d+ is off"),
    "b left out where the parameters are kept": (
        [(PARAMETERS, PARAMETERS.replace("affine(m, to_device(x), b)", "m @ to_device(x)"))],
        r"parameters kept: sample \d+ is off",
    ),
    "float16 on the way to the device": (
        [("return F.copy(a, device)", 'return F.copy(a.astype("float16").astype("float32"), device)')],
        r"all handed over: sample \d+ is off",
    ),
}
