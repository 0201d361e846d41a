"""Mistakes planted in the lesson notebooks/affine_transfer/tensorflow.ipynb: see affine_transfer.py."""

from tests.plants import affine_transfer as affine

LOOP = """    for _ in range(calls):
        y = affine(m, x, b)
    return to_numpy(y)"""
GRAPH = """    return to_numpy(repeated(m, x, b))


@tf.function{}
def repeated(m, x, b):
    y = b
    {}
    return y"""
UNROLLED = "for _ in range(20): y = affine(m, x, b)"
WHILE = "_, y = tf.while_loop(lambda k, y: k < 20, lambda k, y: (k + 1, affine(m, x, b)), (0, y))"

PLANTS = {
    **affine.SHARED,
    **affine.wrapped(*affine.PLACED),
    **affine.placed(transposed="tf.transpose({})"),
    "the loop unrolled in a graph, where equal products are hoisted into one": ([(LOOP, GRAPH.format("", UNROLLED))], affine.COUNT),
    "the loop compiled by XLA, where no product can be counted": ([(LOOP, GRAPH.format("(jit_compile=True)", WHILE))], affine.COUNT),
    "m transposed": ([(affine.AFFINE, "return np.transpose(m) @ x + b")], affine.ROW),
    "b added twice": ([(affine.AFFINE, affine.AFFINE + " + b")], affine.ROW),
    "matrices rounded to bfloat16": ([("return tf.constant(a)", "return tf.cast(tf.cast(a, tf.bfloat16), tf.float32)")], affine.ROW),
    "the computation in float64": ([("return tf.constant(a)", "return tf.cast(a, tf.float64)")], affine.TYPE),
    "a profile that lists a copy as a product": ([('"back": "back"})', '"back": "product"})')], affine.COUNT),
}
