"""Mistakes planted in affine_transfer's Numba notebook: {name: (changes of the text, what must be said)}."""

LOOP = """    for _ in range(calls):
        affine(m, x, b, y)
    return y"""
HANDED = "        y = affine(m, x, b, np.empty_like(b))"

PLANTS = {
    "the product hoisted out of the loop": (
        [
            (
                LOOP,
                """    product(m, x, y)
    for _ in range(calls - 1):
        pass
    add(y, b)
    return y""",
            )
        ],
        r"products: the profile counts 1, expected \d+",
    ),
    "the product of the handed over matrices hoisted": (
        [
            (
                """    for _ in range(calls):
        y = affine(m, x, b, np.empty_like(b))""",
                """    p = np.empty_like(b)
    product(m, x, p)
    for _ in range(calls):
        y = p.copy()
        add(y, b)""",
            )
        ],
        r"products: the profile counts 1, expected \d+",
    ),
    "the whole loop compiled, where no product can be counted": (
        [(LOOP, "    return njit(lambda m, x, b: np.dot(m, x) + b)(m, x, b)")],
        r"products: the profile counts [01], expected \d+",
    ),
    "one call fewer": (
        [(LOOP, LOOP.replace("range(calls)", "range(calls - 1 or 1)"))],
        r"products: the profile counts \d+, expected \d+",
    ),
    "m transposed": ([("np.dot(m, x, out=y)", "np.dot(m.T, x, out=y)")], r"all handed over: sample \d+ is off"),
    "m transposed in NumPy": ([("y = m @ x + b", "y = m.T @ x + b")], r"NumPy: sample \d+ is off"),
    "m and x exchanged": ([(LOOP, LOOP.replace("(m, x, b, y)", "(x, m, b, y)"))], r"all kept: sample \d+ is off"),
    "b added to the result of the call before": (
        [("    product(m, x, y)\n    add(y, b)", "    product(m, x, y)\n    add(b, y)\n    y[:] = b")],
        r"all handed over: sample \d+ is off",
    ),
    "b left out": ([("    add(y, b)\n", "")], r"all handed over: sample \d+ is off"),
    "the loop over the elements ends one row early": (
        [("for row in range(y.shape[0])", "for row in range(y.shape[0] - 1)")],
        r"all handed over: sample 999 is off",
    ),
    "element by element": ([("np.dot(m, x, out=y)", "y[:] = m * x")], r"all handed over: sample \d+ is off"),
    "the product rounded": (
        [("+= b[row, column]", "= round(y[row, column] * 512) / np.float32(512) + b[row, column]")],
        r"all handed over: sample \d+ is off",
    ),
}
