"""Mistakes planted in the lesson notebooks/affine_transfer/numpy.ipynb: see affine_transfer.py."""

from tests.plants import affine_transfer as affine

LOOP = "        y = affine(m, x, b)\n"
KEPT = "np.matmul(m, x, out=y)"
RETURN = "    return plain(y), rows"

PLANTS = {
    **affine.SHARED,
    **affine.wrapped("in_numpy", "keep_all"),
    "the product hoisted out of the loop": ([("    for _ in range(calls):\n" + LOOP, "    p = m @ x\n    for _ in range(calls):\n        y = p + b\n")], affine.PRODUCTS),
    "product and sum hoisted out of the loop": ([("    for _ in range(calls):\n" + LOOP, LOOP[4:])], affine.COUNT),
    "the sum once, where all is kept": ([("        y += b\n    return y", "    y += b\n    return y")], affine.SUMS),
    "m transposed": ([(affine.AFFINE, "return m.T @ x + b")], "NumPy: " + affine.ROW),
    "m and x exchanged where all is kept": ([(KEPT, KEPT.replace("m, x", "x, m"))], "all kept: " + affine.ROW),
    "b added twice": ([(affine.AFFINE, affine.AFFINE + " + b")], affine.ROW),
    "b left out where all is kept": ([("        y += b\n", "")], affine.SUMS),
    "x rounded to float16": ([(affine.AFFINE, "return m @ x.astype(np.float16).astype(x.dtype) + b")], "NumPy: " + affine.ROW),
    "x rounded to TF32 where all is kept": ([(KEPT, KEPT.replace("x,", affine.TF32 + ","))], "all kept: " + affine.ROW),
    "the sum in float64": ([(affine.AFFINE, 'return m @ x + b.astype("float64")')], affine.TYPE),
    "a profile that counts twice": ([(RETURN, "    rows = [(name, kind, 2 * count, ms) for name, kind, count, ms in rows]\n" + RETURN)], affine.COUNT),
}
