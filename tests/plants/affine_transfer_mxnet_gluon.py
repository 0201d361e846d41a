"""Mistakes planted in the lesson notebooks/affine_transfer/mxnet_gluon.ipynb: see affine_transfer.py."""

from tests.plants import affine_transfer as affine

LOOP = """    for _ in range(calls):
        y = affine(m, x, b)
    return to_numpy(y)"""
AFFINE = "return nd.dot(m, x) + b"

PLANTS = {
    **affine.SHARED,
    **affine.wrapped(*affine.PLACED),
    **affine.placed("nd.dot({}, {})"),
    "m transposed": ([(AFFINE, "return nd.dot(m, x, transpose_a=True) + b")], affine.ROW),
    "m transposed in NumPy alone": ([("y = m @ x + b", "y = m.T @ x + b")], "NumPy: " + affine.ROW),
    "b added twice": ([(AFFINE, AFFINE + " + b")], affine.ROW),
    "the sum in place: b added to the result of the call before": ([(LOOP, "    for _ in range(calls):\n        b += nd.dot(m, x)\n    return to_numpy(b)")], affine.ROW),
    "matrices rounded to float16": ([("return nd.from_numpy(a).as_in_context(ctx)", 'return nd.array(a.astype("float16"), ctx=ctx)')], affine.ROW),
    "the computation in float64": ([("return nd.from_numpy(a)", "return nd.from_numpy(a.astype(np.float64))")], affine.TYPE),
    "a profile that takes the sum for the product": ([('"broadcast_add": "sum"', '"broadcast_add": "product"')], affine.COUNT),
}
