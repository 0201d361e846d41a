"""Mistakes planted in the lesson notebooks/affine_transfer/pytorch.ipynb: see affine_transfer.py."""

from tests.plants import affine_transfer as affine

LOOP = """    for _ in range(calls):
        y = affine(m, x, b)
    return {}"""
KINDS = '"aten::mm": "product", "aten::add": "sum"'

PLANTS = {
    **affine.SHARED,
    **affine.wrapped(*affine.PLACED),
    **affine.placed(),
    "the product hoisted out of NumPy's loop": ([(LOOP.format("y\n"), "    p = m @ x\n" + LOOP.format("y\n").replace("affine(m, x, b)", "p + b"))], affine.PRODUCTS),
    "m transposed": ([(affine.AFFINE, "return m.T @ x + b")], affine.ROW),
    "b added twice": ([(affine.AFFINE, affine.AFFINE + " + b")], affine.ROW),
    "m rounded to bfloat16": ([(LOOP.format("to_numpy(y)"), LOOP.format("to_numpy(y)").replace("affine(m, x", "affine(m.bfloat16().float(), x"))], "all kept: " + affine.ROW),
    "the computation in float64": ([(LOOP.format("to_numpy(y)"), LOOP.format("to_numpy(y)").replace("(m, x, b)", "(m.double(), x.double(), b.double())"))], affine.TYPE),
    "a profile that takes the sum for the product": ([(KINDS, KINDS.replace('"sum"', '"product"'))], affine.COUNT),
}
