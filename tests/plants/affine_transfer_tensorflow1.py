"""Mistakes planted in the lesson notebooks/affine_transfer/tensorflow1.ipynb: see affine_transfer.py."""

from tests.plants import affine_transfer as affine

STORE = 'store = kept["y"].assign(affine(kept["m"], kept["x"], kept["b"])).op'
LOOP = """    for _ in range(calls):
        run(store)
"""
FEED = '{fed["m"]: m, fed["x"]: x, fed["b"]: b}'
OF_X = 'x_fed = affine(kept["m"], fed["x"], kept["b"])'

PLANTS = {
    **affine.SHARED,
    **affine.wrapped(*affine.PLACED),
    "the product hoisted out of the loop": (
        [
            (STORE, 'kept["p"] = tf.Variable(fed["b"], validate_shape=False)\n    ' + STORE.replace('affine(kept["m"], kept["x"], kept["b"])', 'kept["p"] + kept["b"]')),
            (LOOP, '    run(kept["p"].initializer, {fed["b"]: m @ x})\n' + LOOP),
        ],
        affine.PRODUCTS,
    ),
    "constants, whose product Grappler folds: kept from the first": ([(STORE, STORE.replace('kept["m"], kept["x"], kept["b"]', "*map(tf.constant, (m, x, b))"))], affine.OTHERS),
    "the sum once": (
        [
            (STORE, STORE.replace('affine(kept["m"], kept["x"], kept["b"])', 'kept["m"] @ kept["x"]')),
            ('    return run(kept["y"])', '    return run(kept["y"]) + b'),
        ],
        affine.SUMS,
    ),
    "m transposed": ([(affine.AFFINE, "return (m.T if isinstance(m, np.ndarray) else tf.transpose(m)) @ x + b")], affine.ROW),
    "m transposed where all is kept": ([(STORE, STORE.replace('kept["m"]', 'tf.transpose(kept["m"])'))], "all kept: " + affine.ROW),
    "m and x exchanged in the feed": ([(FEED, '{fed["m"]: x, fed["x"]: m, fed["b"]: b}')], "all handed over: " + affine.ROW),
    "b added twice": ([(affine.AFFINE, affine.AFFINE + " + b")], affine.ROW),
    "b left out where the parameters are kept": ([(OF_X, 'x_fed = kept["m"] @ fed["x"]')], "parameters kept: " + affine.ROW),
    "the result replaces b": ([(STORE, STORE.replace('kept["y"].assign(', 'kept["b"].assign(')), ('return run(kept["y"])', 'return run(kept["b"])')], "all kept: " + affine.ROW),
    "x rounded to float16": ([(OF_X, OF_X.replace('fed["x"]', 'tf.cast(tf.cast(fed["x"], tf.float16), tf.float32)'))], "parameters kept: " + affine.ROW),
    "y read as float64: in float64": ([('    return run(kept["y"])', '    return run(kept["y"]).astype("float64")')], affine.TYPE),
    "a profile that takes the sum for the product": ([('"_MklAddV2": "sum", "AddV2": "sum"', '"_MklAddV2": "product", "AddV2": "product"')], affine.COUNT),
}
