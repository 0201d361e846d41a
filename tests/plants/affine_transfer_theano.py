"""Mistakes planted in the lesson notebooks/affine_transfer/theano.ipynb: see affine_transfer.py."""

from tests.plants import affine_transfer as affine

AFFINE = "return m.dot(x) + b"
UPDATES = 'updates = [(kept["y"], affine(kept["m"], kept["x"], kept["b"]))]'
LOOP = """    for _ in range(calls):
        of_none()
"""
OF_X = 'affine(kept["m"], symbolic[1], kept["b"])'
SCAN = "updates = [(kept['y'], theano.scan(lambda: affine(kept['m'], kept['x'], kept['b']), n_steps=CALLS)[0][-1])]"

PLANTS = {
    **affine.SHARED,
    **affine.wrapped(*affine.PLACED),
    "the product hoisted out of the loop": (
        [
            (UPDATES, 'kept["p"] = theano.shared(np.zeros((0, 0), "float32"))\nupdates = [(kept["y"], kept["p"] + kept["b"])]'),
            (LOOP, '    kept["p"].set_value(m.dot(x))\n' + LOOP),
        ],
        affine.PRODUCTS,
    ),
    "the loop in theano.scan, which hoists the product": ([(UPDATES, SCAN), (LOOP, "    of_none()\n")], affine.COUNT),
    "constants, whose product is folded: kept from the first": ([(UPDATES, UPDATES.replace('kept["m"], kept["x"], kept["b"]', "*map(T.constant, (m, x, b))"))], affine.OTHERS),
    "the sum once": (
        [
            (UPDATES, UPDATES.replace('affine(kept["m"], kept["x"], kept["b"])', 'kept["m"].dot(kept["x"])')),
            ('return kept["y"].get_value(borrow=True)', 'return kept["y"].get_value(borrow=True) + b'),
        ],
        affine.SUMS,
    ),
    "m transposed": ([(AFFINE, "return m.T.dot(x) + b")], affine.ROW),
    "m and x exchanged": ([("y = of_all(m, x, b)", "y = of_all(x, m, b)")], "all handed over: " + affine.ROW),
    "b added twice": ([(AFFINE, AFFINE + " + b")], affine.ROW),
    "b left out where the parameters are kept": ([(OF_X, 'kept["m"].dot(symbolic[1])')], "parameters kept: " + affine.ROW),
    "the result replaces b": (
        [
            (UPDATES, UPDATES.replace('(kept["y"]', '(kept["b"]')),
            ('return kept["y"].get_value(', 'return kept["b"].get_value('),
        ],
        "all kept: " + affine.ROW,
    ),
    "the update is forgotten": ([("theano.function([], updates=updates, profile=True)", "theano.function([], updates[0][1], profile=True)")], r"float32 of shape \(0, 0\)"),
    "x rounded to float16": ([("y = of_x(x)", 'y = of_x(x.astype("float16").astype("float32"))')], "parameters kept: " + affine.ROW),
    "NumPy's sum in float64": ([(AFFINE, 'return m.dot(x) + (b.astype("float64") if isinstance(b, np.ndarray) else b)')], affine.TYPE),
    "a profile that knows the product alone": ([('"Gemm": "product and sum"', '"Gemm": "product"')], affine.SUMS),
}
