"""Mistakes planted in the lesson notebooks/affine_transfer/numba.ipynb: see affine_transfer.py."""

from tests.plants import affine_transfer as affine

LOOP = """    for _ in range(calls):
        affine(m, x, b, y)
    return y"""
HANDED = """    for _ in range(calls):
        y = affine(m, x, b, np.empty_like(b))"""

PLANTS = {
    **affine.SHARED,
    **affine.wrapped("in_numpy", "hand_over_all", "keep_all"),
    "the product hoisted out of the loop": ([(LOOP, "    product(m, x, y)\n    for _ in range(calls - 1):\n        pass\n    add(y, b)\n    return y")], affine.PRODUCTS),
    "the product of the handed over matrices hoisted": ([(HANDED, "    p = np.empty_like(b)\n    product(m, x, p)\n    for _ in range(calls):\n        y = p.copy()\n        add(y, b)")], affine.PRODUCTS),
    "the whole loop compiled, where nothing can be counted": ([(LOOP, "    return njit(lambda m, x, b: np.dot(m, x) + b)(m, x, b)")], affine.COUNT),
    "the sum once": ([(LOOP, "    for _ in range(calls):\n        product(m, x, y)\n    add(y, b)\n    return y")], affine.SUMS),
    "m transposed": ([("np.dot(m, x, out=y)", "np.dot(m.T, x, out=y)")], affine.ROW),
    "m and x exchanged": ([(LOOP, LOOP.replace("(m, x, b, y)", "(x, m, b, y)"))], "all kept: " + affine.ROW),
    "b left out": ([("    add(y, b)\n", "")], affine.COUNT),
    "the loop over the elements ends one row early": ([("for row in range(y.shape[0])", "for row in range(y.shape[0] - 1)")], "row 999 of y"),
    "the product rounded to 512ths": ([("+= b[row, column]", "= round(y[row, column] * 512) / np.float32(512) + b[row, column]")], affine.ROW),
    "y in float64": ([("    y = np.empty_like(b)\n", "    y = np.empty_like(b)\n    m, x, b, y = [one.astype(np.float64) for one in (m, x, b, y)]\n")], affine.TYPE),
    "a profile that takes the sum for the product": ([('"add": "sum"', '"add": "product"')], affine.COUNT),
}
