"""Mistakes planted in the lesson notebooks/affine_transfer/chainer.ipynb: see affine_transfer.py."""

from tests.plants import affine_transfer as affine

LOOP = """        for _ in range(calls):
            y = affine(m, x, b)
        return to_numpy(y)"""
KEPT = "m, x, b = to_device(m), to_device(x), to_device(b)"

PLANTS = {
    **affine.SHARED,
    **affine.wrapped(*affine.PLACED),
    **affine.placed(indent="        "),
    "arrays in place of Variables, as if Chainer computed": ([(KEPT, KEPT.replace("(m)", "(m).array").replace("(x)", "(x).array").replace("(b)", "(b).array"))], affine.COUNT),
    "m transposed": ([(affine.AFFINE, "return m.T @ x + b")], affine.ROW),
    "x transposed, as F.linear takes it": ([(LOOP, LOOP.replace("affine(m, x, b)", "F.linear(m, x) + b"))], affine.ROW),
    "b added twice": ([(affine.AFFINE, affine.AFFINE + " + b")], affine.ROW),
    "matrices rounded to float16": ([("return F.copy(a, device)", 'return F.copy(a.astype("float16").astype("float32"), device)')], affine.ROW),
    "the computation in float64": ([("return F.copy(a, device)", 'return F.copy(a.astype("float64"), device)')], affine.TYPE),
    "a profile that takes the sum for the product": ([('"Add": "sum"', '"Add": "product"')], affine.COUNT),
}
