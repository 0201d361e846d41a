DATA = """
rng = np.random.default_rng(0)
x, y, order = rng.random((70, 1, 28, 28)).astype(np.float32), rng.integers(0, 10, 70), np.arange(70)
"""
LAST = "x = np.ascontiguousarray(x.transpose(0, 2, 3, 1))  # (N, 28, 28, 1)"
FRAMEWORKS = {
    "numpy": LAST,
    "pytorch": "x, y, order = [torch.from_numpy(a) for a in (x, y, order)]",
    "tensorflow": LAST + "\nx, y = tf.constant(x), tf.constant(y)",
    "tensorflow1": LAST,
    "mxnet_gluon": "x, y, order = nd.array(x), nd.array(y, dtype='int32'), nd.array(order, dtype='int32')",
    "keras": LAST,
    "jax": LAST + "\nx, y = jnp.asarray(x), jnp.asarray(y)",
    "chainer": "y = y.astype(np.int32)",
    "theano": "x, y = theano.shared(x), theano.shared(y)",
}
