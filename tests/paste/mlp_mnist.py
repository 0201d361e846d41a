DATA = """
rng = np.random.default_rng(0)
x, labels, order = rng.random((70, 784)), rng.integers(0, 10, 70), np.arange(70)
y = np.eye(10)[labels]
"""
FRAMEWORKS = {
    "numpy": "",
    "pytorch": "x, y, labels, order = [torch.from_numpy(a) for a in (x, y, labels, order)]",
    "tensorflow": "x, y, labels = [tf.constant(a) for a in (x, y, labels)]",
    "mxnet_gluon": "x, y = [nd.array(a, dtype='float64') for a in (x, y)]\n"
    "labels, order = [nd.array(a, dtype='int32') for a in (labels, order)]",
    "jax": "x, y, labels = [jnp.asarray(a) for a in (x, y, labels)]",
    "numba": "",
    "chainer": "",
    "keras": "",
    "theano": "x, y, labels = [theano.shared(a) for a in (x, y, labels)]",
}
CALL = """
model = make_model()
optimizer = make_optimizer(model)
values = [float(train_epoch(model, optimizer, x, y, order[:8])[0]) for _ in range(20)]
share = float(evaluate(model, x, labels))
"""
