"""Three random matrices, and what each framework's documentation makes of y = m x + b and of NumPy's arrays.

A step is 20 calls of each form that the lesson has: all handed over, parameters kept, all kept.
"""

import os

import numpy as np

CALLS = 20
M, X, B = np.random.RandomState(0).randn(3, 1000, 1000).astype(np.float32)


def steps(handed_over, parameters_kept, all_kept):
    """A step of the forms given, None for one that the framework does not have."""
    forms = [form for form in (handed_over, parameters_kept, all_kept) if form]

    def step():
        for form in forms:
            form()

    step.batches = CALLS * len(forms)
    return step


def of_framework(affine, to_device, to_numpy):
    """The three forms of a framework with arrays of its own: ``affine`` of them, and the ways there and back."""

    def handed_over():
        for _ in range(CALLS):
            to_numpy(affine(to_device(M), to_device(X), to_device(B)))

    def parameters_kept():
        m, b = to_device(M), to_device(B)
        for _ in range(CALLS):
            to_numpy(affine(m, to_device(X), b))

    def all_kept():
        m, x, b = to_device(M), to_device(X), to_device(B)
        for _ in range(CALLS):
            y = affine(m, x, b)
        to_numpy(y)

    return steps(handed_over, parameters_kept, all_kept)


def plain(m, x, b):
    return m @ x + b


def numpy(parameters):
    """NumPy's `out=`, and a sum in place."""

    def all_kept():
        y = np.empty_like(B)
        for _ in range(CALLS):
            np.matmul(M, X, out=y)
            np.add(y, B, out=y)

    return steps(None, None, all_kept)


def pytorch(parameters):
    """PyTorch's tutorial "Tensors": its bridge to NumPy."""
    import torch

    return of_framework(plain, torch.from_numpy, torch.Tensor.numpy)


def tensorflow(parameters):
    """TensorFlow's guide "Introduction to tensors"."""
    import tensorflow as tf

    return of_framework(plain, tf.constant, lambda y: y.numpy())


def jax(parameters):
    """JAX's "Quickstart": a compiled function, in float32 throughout."""
    import jax

    jax.config.update("jax_default_matmul_precision", "highest")
    return of_framework(jax.jit(plain), jax.device_put, np.asarray)


def numba(parameters):
    """Numba's "5 minute guide": a loop, and NumPy's product, compiled."""
    from numba import njit

    @njit
    def affine(m, x, b, y):
        np.dot(m, x, out=y)
        for row in range(y.shape[0]):
            for column in range(y.shape[1]):
                y[row, column] += b[row, column]

    def handed_over():
        for _ in range(CALLS):
            affine(M, X, B, np.empty_like(B))

    def all_kept():
        y = np.empty_like(B)
        for _ in range(CALLS):
            affine(M, X, B, y)

    return steps(handed_over, None, all_kept)


def mxnet_gluon(parameters):
    """MXNet's crash course on arrays; `from_numpy` shares NumPy's memory."""
    from mxnet import nd

    return of_framework(lambda m, x, b: nd.dot(m, x) + b, nd.from_numpy, nd.NDArray.asnumpy)


def chainer(parameters):
    """Chainer's guide "Variables and derivatives", without graphs for a backward pass."""
    import chainer
    import chainer.functions as F

    def to_numpy(y):
        return F.copy(y, "@numpy").array

    step = of_framework(plain, lambda a: F.copy(a, "@numpy"), to_numpy)

    def without_graphs():
        with chainer.no_backprop_mode():
            step()

    without_graphs.batches = step.batches
    return without_graphs


def theano(parameters):
    """Theano's tutorial "Using shared variables": arguments, `givens`, and an update of what is kept."""
    flags = "device=cpu,floatX=float32,openmp=True,blas.ldflags=-lopenblas,"
    os.environ["THEANO_FLAGS"] = flags + os.environ.get("THEANO_FLAGS", "")  # read by the import
    import theano
    import theano.tensor as T

    m, x, b = T.fmatrices("m", "x", "b")
    shared_m, shared_x, shared_b = (theano.shared(one, borrow=True) for one in (M, X, B))
    shared_y = theano.shared(np.zeros_like(B))
    of_all = theano.function([m, x, b], m.dot(x) + b)
    of_x = theano.function([x], shared_m.dot(x) + shared_b)
    of_none = theano.function([], updates=[(shared_y, shared_m.dot(shared_x) + shared_b)])

    def handed_over():
        for _ in range(CALLS):
            of_all(M, X, B)

    def parameters_kept():
        shared_m.set_value(M, borrow=True)
        shared_b.set_value(B, borrow=True)
        for _ in range(CALLS):
            of_x(X)

    def all_kept():
        for shared, one in ((shared_m, M), (shared_x, X), (shared_b, B)):
            shared.set_value(one, borrow=True)
        for _ in range(CALLS):
            of_none()
        shared_y.get_value(borrow=True)

    return steps(handed_over, parameters_kept, all_kept)


def tensorflow1(parameters):
    """TensorFlow 1's guide "Graphs and sessions": placeholders that are fed, and variables."""
    import tensorflow as tf

    graph = tf.Graph()
    with graph.as_default():
        m, x, b = (tf.placeholder(tf.float32, (1000, 1000)) for _ in range(3))
        kept_m, kept_x, kept_b, kept_y = (tf.Variable(one, use_resource=True) for one in (M, X, B, B))
        of_all, of_x = tf.matmul(m, x) + b, tf.matmul(kept_m, x) + kept_b
        of_none = kept_y.assign(tf.matmul(kept_m, kept_x) + kept_b).op
        setters = [kept.assign(one).op for kept, one in ((kept_m, m), (kept_x, x), (kept_b, b))]
        init = tf.global_variables_initializer()
    session = tf.Session(graph=graph)
    session.run(init)

    def handed_over():
        for _ in range(CALLS):
            session.run(of_all, {m: M, x: X, b: B})

    def parameters_kept():
        session.run([setters[0], setters[2]], {m: M, b: B})
        for _ in range(CALLS):
            session.run(of_x, {x: X})

    def all_kept():
        session.run(setters, {m: M, x: X, b: B})
        for _ in range(CALLS):
            session.run(of_none)
        session.run(kept_y)

    return steps(handed_over, parameters_kept, all_kept)
