"""The Deep Learning Tutorials' "Convolutional neural networks", with the workload's network."""

from collections import OrderedDict

import numpy as np

from tests.frameworks import IMAGES, LABELS, plants

PLANTS = plants((
    'x = T.nnet.relu(conv(weights, "conv3", drop(x, dropout[0], random)))',
    'x = T.set_subtensor(T.zeros((x.shape[0], 50, 17, 17))[:, :, :16, :16], drop(x, dropout[0], random))\n'
    '    x = T.nnet.relu(conv(weights, "conv3", x)[:, :, 1:, 1:])',
))
PASTED = """
rng = np.random.RandomState(0)
shapes = [("conv1", (50, 3, 3, 3)), ("conv2", (50, 50, 3, 3)), ("conv3", (100, 50, 3, 3)), ("conv4", (100, 100, 3, 3)),
          ("dense1", (6400, 512)), ("dense2", (512, 10))]
weights = {}
for name, shape in shapes:
    weights[name + ".weight"] = theano.shared(rng.normal(0, 0.05, shape).astype(np.float32))
    weights[name + ".bias"] = theano.shared(np.zeros(shape[1] if len(shape) == 2 else shape[0], np.float32))
images, classes = theano.shared(rng.rand(8, 3, 32, 32).astype(np.float32)), theano.shared(np.arange(8))
step = make_train_step(weights, images, classes, dropout=(0, 0, 0))
values = [float(step(np.arange(8))) for _ in range(20)]
"""
STEP = """
_step = make_train_step(load_weights(), x_train, y_train)
def step():
    return _step(next(_order))
"""
FLAGS = "device=cpu,floatX=float32,openmp=True,blas.ldflags=-lopenblas"


def bare(parameters):
    import theano
    import theano.tensor as T
    from theano.tensor.nnet import conv2d
    from theano.tensor.shared_randomstreams import RandomStreams
    from theano.tensor.signal import pool

    rng, srng = np.random.RandomState(0), RandomStreams(0)
    params = []

    def weights(*shape, bias):
        w = theano.shared(rng.normal(0, 0.05, shape).astype(np.float32), borrow=True)
        b = theano.shared(np.zeros(bias, np.float32), borrow=True)
        params.extend([w, b])
        return w, b

    def conv(x, filters, channels):
        w, b = weights(filters, channels, 3, 3, bias=filters)
        return conv2d(x, w, border_mode=1) + b.dimshuffle("x", 0, "x", "x")

    def drop(x, rate):
        return x * T.cast(srng.binomial(n=1, p=1 - rate, size=x.shape), "float32") / np.float32(1 - rate)

    x, y = T.tensor4("x"), T.lvector("y")
    out = x
    for filters, channels in ((50, 3), (100, 50)):
        out = conv(T.nnet.relu(conv(out, filters, channels)), filters, filters)
        out = drop(T.nnet.relu(pool.pool_2d(out, (2, 2), ignore_border=True)), 0.25)
    w, b = weights(6400, 512, bias=512)
    out = drop(T.nnet.relu(T.dot(out.flatten(2), w) + b), 0.5)
    w, b = weights(512, 10, bias=10)
    p_y = T.nnet.softmax(T.dot(out, w) + b)
    cost = -T.mean(T.log(p_y)[T.arange(y.shape[0]), y])
    updates = OrderedDict()
    for param, grad in zip(params, T.grad(cost, params)):
        velocity = theano.shared(np.zeros_like(param.get_value()), broadcastable=param.broadcastable)
        updates[velocity] = np.float32(0.9) * velocity - np.float32(0.01) * grad
        updates[param] = param + updates[velocity]
    train = theano.function([], cost, updates=updates, givens={
        x: theano.shared(IMAGES, borrow=True), y: theano.shared(LABELS.astype(np.int64), borrow=True)})
    return train
