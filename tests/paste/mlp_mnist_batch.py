DATA = """
rng = np.random.default_rng(0)
x, y, order = rng.random((70, 784)).astype(np.float32), rng.integers(0, 10, 70), range(20)
"""
FRAMEWORKS = {
    "numpy": "",
    "pytorch": "x, y = torch.from_numpy(x), torch.from_numpy(y)",
    "tensorflow": "x, y = tf.constant(x), tf.constant(y)",
    "tensorflow1": "",
    "mxnet_gluon": "x, y = nd.array(x), nd.array(y, dtype='int32')",
    "keras": "",
    "jax": "x, y = jnp.asarray(x), jnp.asarray(y)",
    "chainer": "y = y.astype(np.int32)",
    "theano": "x, y = theano.shared(x), theano.shared(y)",
}
CALL = """
model = make_model()
values = [float(value) for value in train_epoch(model, make_optimizer(model), x, y, order)]
share = float(evaluate(model, x, y))
"""
