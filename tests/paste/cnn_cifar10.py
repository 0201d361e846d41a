DATA = """
np.random.seed(0)
x, y, order = np.random.rand(70, 3, 32, 32).astype(np.float32), np.random.randint(0, 10, 70), np.arange(70)
"""
LAST = "x = np.ascontiguousarray(x.transpose(0, 2, 3, 1))"  # (N, 32, 32, 3)
FRAMEWORKS = {
    "numpy": LAST,
    "pytorch": "x, y, order = [torch.from_numpy(a) for a in (x, y, order)]",
    "tensorflow": LAST + "; x, y = tf.constant(x), tf.constant(y)",
    "keras": LAST,
    "jax": LAST + "; x, y = jnp.asarray(x), jnp.asarray(y)",
    "mxnet_gluon": "x, y, order = mx.nd.array(x), mx.nd.array(y, dtype='int32'), mx.nd.array(order, dtype='int32')",
    "mxnet_module": "x, y, order = mx.nd.array(x), mx.nd.array(y), mx.nd.array(order, dtype='int32')",
    "chainer": "y = y.astype(np.int32)",
    "cntk": "",
    "theano": "x, y = theano.shared(x), theano.shared(y)",
    "lasagne": "",
    "caffe2": "y = y.astype(np.int32)",
    "caffe": "",
    "tensorflow1": LAST,
    "keras2": LAST,
}
