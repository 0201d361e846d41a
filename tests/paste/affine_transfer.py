DATA = """
rng = np.random.default_rng(0)
m, x, b = rng.standard_normal((3, 200, 200), np.float32)
"""
FRAMEWORKS = dict.fromkeys("numpy pytorch tensorflow jax numba cupy theano mxnet_gluon chainer tensorflow1".split(), "")
CALL = """
values = [float(v) for v in keep_all(m, x, b, 3)[0]]
share = float(np.allclose(keep_all(m, x, b, 3), in_numpy(m, x, b, 1), atol=1e-3))
"""
