"""Mistakes planted in the lesson notebooks/affine_transfer/cupy.ipynb: see affine_transfer.py."""

from tests.plants import affine_transfer as affine

LOOP = """    for _ in range(calls):
        y = affine(m, x, b)
    return to_numpy(y)"""

PLANTS = {
    **affine.SHARED,
    **affine.wrapped(*affine.PLACED),
    **affine.placed(),
    "m transposed": ([("        y = m @ x\n    with", "        y = m.T @ x\n    with")], affine.ROW),
    "b added twice": ([("        return y + b\n", "        return y + b + b\n")], affine.ROW),
    "float64 on the way to the GPU: the computation in float64": ([("return cp.asarray(a)", "return cp.asarray(a, cp.float64)")], affine.TYPE),
    "a profile that takes the sum for the product": ([('with piece("sum")', 'with piece("product")')], affine.COUNT),
}
