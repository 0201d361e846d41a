DATA = """
rng = np.random.default_rng(0)
x, y, order = rng.integers(0, 30000, (70, 150)), rng.integers(0, 2, 70), np.arange(70)
"""
FRAMEWORKS = {
    "numpy": "",
    "pytorch": "x, y, order = [torch.from_numpy(a) for a in (x, y, order)]",
    "tensorflow": "x, y = tf.constant(x, tf.int32), tf.constant(y)",
    "keras": "",
    "jax": "x, y = jnp.asarray(x), jnp.asarray(y)",
    "mxnet_gluon": "x, y, order = [nd.array(a, dtype='int32') for a in (x, y, order)]",
    "mxnet_module": "x, y, order = mx.nd.array(x), mx.nd.array(y), mx.nd.array(order, dtype='int32')",
    "chainer": "x, y = x.astype(np.int32), y.astype(np.int32)",
    "cntk": "x = x.astype(np.float32)",
    "theano": "x, y = theano.shared(x.astype(np.int32)), theano.shared(y)",
    "lasagne": "x = x.astype(np.int32)",
    "caffe2": "x, y = x.astype(np.int32), y.astype(np.int32)",
    "tensorflow1": "",
    "keras2": "",
}
