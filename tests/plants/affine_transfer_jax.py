"""Mistakes planted in the lesson notebooks/affine_transfer/jax.ipynb: see affine_transfer.py."""

from tests.plants import affine_transfer as affine

LOOP = """    for _ in range(calls):
        y = affine(m, x, b)
    return to_numpy(y)"""
COMPILED = """    repeated = jax.jit(lambda m, x, b: {})
    return to_numpy(repeated(m, x, b))"""
HALF = '(m.astype("bfloat16") @ x.astype("bfloat16")).astype(m.dtype) + b'

PLANTS = {
    **affine.SHARED,
    **affine.wrapped(*affine.PLACED),
    **affine.placed(),
    "the loop compiled, out of which XLA takes the product: hoisted": ([(LOOP, COMPILED.format("jax.lax.fori_loop(0, calls, lambda _, y: m @ x + b, b)"))], affine.COUNT),
    "the loop unrolled by jit, in which XLA merges equal products": ([(LOOP, COMPILED.format("[m @ x + b for _ in range(20)][-1]"))], affine.COUNT),
    "m transposed": ([(affine.AFFINE, "return m.T @ x + b")], affine.ROW),
    "m transposed in NumPy": ([("y = m @ x + b", "y = m.T @ x + b")], "NumPy: " + affine.ROW),
    "b added twice": ([(affine.AFFINE, affine.AFFINE + " + b")], affine.ROW),
    "inputs rounded to bfloat16": ([(affine.AFFINE, "return " + HALF)], affine.ROW),
    "NumPy's sum in float64": ([("y = m @ x + b", "y = m @ x + b.astype(float)")], affine.TYPE),
    "a profile that takes the sum for the product": ([('"add": "sum"', '"add": "product"')], affine.COUNT),
}
