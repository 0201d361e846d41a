"""An epoch of 2,000 random digits in mini-batches of ten, and what each framework's tutorials make of the workload."""

import os

import numpy as np

BATCH, COUNT, RATE = 10, 200, 1.25
DIGITS = np.random.RandomState(0).rand(BATCH * COUNT, 784)
TARGETS = np.eye(10)[np.random.RandomState(1).randint(0, 10, len(DIGITS))]
SHAPES = (30, 784), (30,), (10, 30), (10,)
BATCHES = np.arange(len(DIGITS)).reshape(COUNT, BATCH)  # the numbers of the digits


def weights():
    rng = np.random.RandomState(2)
    return [rng.randn(*shape) for shape in SHAPES]


def epoch_of(step):
    """An epoch of ``step``, a function of one mini-batch's numbers."""

    def epoch():
        for batch in BATCHES:
            step(batch)

    return whole(epoch)


def whole(epoch):
    epoch.batches = COUNT
    return epoch


def numpy(parameters):
    """The loops of Nielsen's book, digit by digit; with matrices; and both with `out=`."""
    form, ws = parameters["FORM"], weights()
    if form.endswith("inplace"):
        return epoch_of(in_place(ws, whole_batch=form == "batched-inplace"))

    def sigmoid(z):
        return 1 / (1 + np.exp(-z))

    def backprop(x, y):  # of one digit
        w1, b1, w2, b2 = ws
        z1 = np.dot(w1, x) + b1
        a1 = sigmoid(z1)
        z2 = np.dot(w2, a1) + b2
        a2 = sigmoid(z2)
        d2 = (a2 - y) * sigmoid(z2) * (1 - sigmoid(z2))
        d1 = np.dot(w2.T, d2) * sigmoid(z1) * (1 - sigmoid(z1))
        return np.sum((a2 - y) ** 2) / 2, (np.outer(d1, x), d1, np.outer(d2, a1), d2)

    def first(batch):
        loss, sums = 0, [np.zeros(shape) for shape in SHAPES]
        for n in batch:
            one, grads = backprop(DIGITS[n], TARGETS[n])
            loss, sums = loss + one, [a + b for a, b in zip(sums, grads)]
        ws[:] = [w - RATE / len(batch) * g for w, g in zip(ws, sums)]
        return loss / len(batch)

    def batched(batch):
        w1, b1, w2, b2 = ws
        x, y = DIGITS[batch], TARGETS[batch]
        a1 = sigmoid(x @ w1.T + b1)
        a2 = sigmoid(a1 @ w2.T + b2)
        d2 = (a2 - y) * a2 * (1 - a2) / len(batch)
        d1 = d2 @ w2 * a1 * (1 - a1)
        for w, g in zip(ws, (d1.T @ x, d1.sum(0), d2.T @ a1, d2.sum(0))):
            w -= RATE * g
        return np.sum((a2 - y) ** 2) / (2 * len(batch))

    return epoch_of({"first": first, "batched": batched}[form])


def in_place(ws, whole_batch):
    """NumPy's step into memory that exists, for a mini-batch at once or digit by digit."""
    w1, b1, w2, b2 = ws
    grads, one = ([np.zeros(shape) for shape in SHAPES] for _ in range(2))
    n = BATCH if whole_batch else 1
    xs, ys = np.zeros((BATCH, 784)), np.zeros((BATCH, 10))
    a1, d1, s1, a2, d2, s2 = (np.zeros((n, units)) for units in (30, 30, 30, 10, 10, 10))

    def layer(x, w, b, a):
        np.dot(x, w.T, out=a)
        np.add(a, b, out=a)
        np.negative(a, out=a)
        np.exp(a, out=a)
        np.add(a, 1, out=a)
        np.reciprocal(a, out=a)

    def slope(d, a, s):
        np.subtract(1, a, out=s)
        np.multiply(s, a, out=s)
        np.multiply(d, s, out=d)

    def gradients(x, y, into):
        layer(x, w1, b1, a1)
        layer(a1, w2, b2, a2)
        np.subtract(a2, y, out=d2)
        loss = np.vdot(d2, d2) / 2
        slope(d2, a2, s2)
        np.dot(d2, w2, out=d1)
        slope(d1, a1, s1)
        np.dot(d1.T, x, out=into[0])
        np.sum(d1, axis=0, out=into[1])
        np.dot(d2.T, a1, out=into[2])
        np.sum(d2, axis=0, out=into[3])
        return loss

    def step(batch):
        np.take(DIGITS, batch, 0, xs, mode="clip")
        np.take(TARGETS, batch, 0, ys, mode="clip")
        if whole_batch:
            loss = gradients(xs, ys, grads)
        else:
            loss = 0
            for g in grads:
                g.fill(0)
            for k in range(BATCH):
                loss += gradients(xs[k : k + 1], ys[k : k + 1], one)
                for g, o in zip(grads, one):
                    np.add(g, o, out=g)
        for w, g in zip(ws, grads):
            np.multiply(g, RATE / BATCH, out=g)
            np.subtract(w, g, out=w)
        return loss / BATCH

    return step


def numba(parameters):
    """Numba's performance tips: loops, `fastmath`, and one compiled function for the whole epoch."""
    import math

    from numba import njit

    @njit(fastmath=True)
    def train(w1, b1, w2, b2, x, y, batches):
        g1, c1, g2, c2 = np.empty_like(w1), np.empty_like(b1), np.empty_like(w2), np.empty_like(b2)
        a1, a2, d1, d2 = np.empty(30), np.empty(10), np.empty(30), np.empty(10)
        losses = np.zeros(len(batches))
        for turn in range(len(batches)):
            g1[:], c1[:], g2[:], c2[:] = 0, 0, 0, 0
            for n in batches[turn]:
                for i in range(30):
                    z = b1[i]
                    for k in range(784):
                        z += w1[i, k] * x[n, k]
                    a1[i] = 1 / (1 + math.exp(-z))
                for j in range(10):
                    z = b2[j]
                    for i in range(30):
                        z += w2[j, i] * a1[i]
                    a2[j] = 1 / (1 + math.exp(-z))
                    losses[turn] += (a2[j] - y[n, j]) ** 2 / 2
                    d2[j] = (a2[j] - y[n, j]) * a2[j] * (1 - a2[j])
                    c2[j] += d2[j]
                    for i in range(30):
                        g2[j, i] += d2[j] * a1[i]
                for i in range(30):
                    back = 0.0
                    for j in range(10):
                        back += w2[j, i] * d2[j]
                    d1[i] = back * a1[i] * (1 - a1[i])
                    c1[i] += d1[i]
                    for k in range(784):
                        g1[i, k] += d1[i] * x[n, k]
            rate = RATE / len(batches[turn])
            w1 -= rate * g1
            b1 -= rate * c1
            w2 -= rate * g2
            b2 -= rate * c2
        return losses

    ws = weights()
    return whole(lambda: train(*ws, DIGITS, TARGETS, BATCHES))


def pytorch(parameters):
    """PyTorch's "Quickstart" tutorial, compiled as its tutorial on compiling, or by hand with `out=`."""
    import torch
    from torch import nn

    torch.set_default_dtype(torch.float64)
    x, y, batches = torch.from_numpy(DIGITS), torch.from_numpy(TARGETS), torch.from_numpy(BATCHES)
    if parameters["FORM"] == "inplace":
        return in_place_of_torch(x, y, batches)
    net = nn.Sequential(nn.Linear(784, 30), nn.Sigmoid(), nn.Linear(30, 10), nn.Sigmoid())
    optimizer = torch.optim.SGD(net.parameters(), lr=RATE)
    criterion = nn.MSELoss(reduction="sum")

    def forward(i):
        return criterion(net(x[i]), y[i]) / (2 * BATCH)

    forward = torch.compile(forward, dynamic=False) if parameters["FORM"] == "compiled" else forward

    def epoch():
        losses = []
        for i in batches:
            optimizer.zero_grad()
            loss = forward(i)
            loss.backward()
            optimizer.step()
            losses.append(loss.detach())
        return torch.stack(losses).numpy()

    return whole(epoch)


def in_place_of_torch(x, y, batches):
    import torch

    w1, b1, w2, b2 = ws = [torch.from_numpy(w) for w in weights()]
    grads = [torch.empty_like(w) for w in ws]
    xs, ys = torch.empty(BATCH, 784), torch.empty(BATCH, 10)
    a1, d1, s1, a2, d2, s2 = (torch.empty(BATCH, n) for n in (30, 30, 30, 10, 10, 10))

    def slope(d, a, s):
        torch.addcmul(a, a, a, value=-1, out=s)
        d.mul_(s)

    def step(i):
        torch.index_select(x, 0, i, out=xs)
        torch.index_select(y, 0, i, out=ys)
        torch.addmm(b1, xs, w1.T, out=a1).sigmoid_()
        torch.addmm(b2, a1, w2.T, out=a2).sigmoid_()
        torch.sub(a2, ys, out=d2)
        loss = torch.dot(d2.view(-1), d2.view(-1)) / (2 * BATCH)
        slope(d2.div_(BATCH), a2, s2)
        slope(torch.mm(d2, w2, out=d1), a1, s1)
        torch.mm(d1.T, xs, out=grads[0])
        torch.sum(d1, 0, out=grads[1])
        torch.mm(d2.T, a1, out=grads[2])
        torch.sum(d2, 0, out=grads[3])
        for w, g in zip(ws, grads):
            w.sub_(g, alpha=RATE)
        return loss

    return whole(torch.no_grad()(lambda: torch.stack([step(i) for i in batches]).numpy()))


def network():
    import keras

    keras.config.set_floatx("float64")
    dense = [keras.layers.Dense(units, activation="sigmoid") for units in (30, 10)]
    return keras.Sequential([keras.Input((784,)), *dense])


def tensorflow(parameters):
    """TensorFlow's guide "Writing a training loop from scratch"; a loop over the epoch inside of the function, too."""
    import keras
    import tensorflow as tf

    model = network()
    optimizer = keras.optimizers.SGD(RATE)
    optimizer.build(model.trainable_weights)
    x, y, batches = tf.constant(DIGITS), tf.constant(TARGETS), tf.constant(BATCHES)

    @tf.function
    def train_step(x, y, batch):
        xs, ys = tf.gather(x, batch), tf.gather(y, batch)
        with tf.GradientTape() as tape:
            loss_value = tf.reduce_sum(tf.square(model(xs, training=True) - ys)) / (2 * BATCH)
        grads = tape.gradient(loss_value, model.trainable_weights)
        optimizer.apply_gradients(zip(grads, model.trainable_weights, strict=True))
        return loss_value

    @tf.function
    def train(x, y, batches):
        losses = tf.TensorArray(tf.float64, COUNT)
        for k in tf.range(COUNT):
            losses = losses.write(k, train_step(x, y, batches[k]))
        return losses.stack()

    if parameters.get("WHOLE_EPOCH"):
        return whole(lambda: train(x, y, batches).numpy())
    return whole(lambda: tf.stack([train_step(x, y, batch) for batch in BATCHES]).numpy())


def keras(parameters):
    """Keras' guide "Training and evaluation with the built-in methods": `fit` on arrays."""
    os.environ.update(KERAS_BACKEND=parameters["BACKEND"], JAX_ENABLE_X64="1")  # read by the imports
    import keras

    model = network()
    together = parameters.get("STEPS_PER_EXECUTION", 1)
    options = {"jit_compile": parameters.get("JIT_COMPILE", "auto"), "steps_per_execution": together, "metrics": ["accuracy"]}
    model.compile(keras.optimizers.SGD(RATE), "mean_squared_error", **options)
    return whole(lambda: model.fit(DIGITS, TARGETS, batch_size=BATCH, shuffle=False, verbose=0))


def jax(parameters):
    """Flax NNX's "MNIST tutorial" with donated buffers and a cached traversal; JAX's `scan` over the whole epoch."""
    os.environ["JAX_ENABLE_X64"] = "1"
    import jax
    import jax.numpy as jnp
    import optax
    from flax import nnx

    class MLP(nnx.Module):
        def __init__(self, rngs):
            self.linear1 = nnx.Linear(784, 30, rngs=rngs, param_dtype=jnp.float64)
            self.linear2 = nnx.Linear(30, 10, rngs=rngs, param_dtype=jnp.float64)

        def __call__(self, x):
            return nnx.sigmoid(self.linear2(nnx.sigmoid(self.linear1(x))))

    def loss_fn(model, x, y):
        return optax.l2_loss(model(x), y).sum() / BATCH

    x, y, batches = jnp.asarray(DIGITS), jnp.asarray(TARGETS), jnp.asarray(BATCHES)
    model = MLP(nnx.Rngs(0))
    if parameters.get("LOOP"):
        graph, params = nnx.split(model)

        @jax.jit
        def train(params, x, y, batches):
            def turn(params, batch):
                def loss_of(params):
                    return loss_fn(nnx.merge(graph, params), x[batch], y[batch])

                loss, grads = jax.value_and_grad(loss_of)(params)
                return jax.tree.map(lambda p, g: p - RATE * g, params, grads), loss

            return jax.lax.scan(turn, params, batches)

        return whole(lambda: jax.device_get(train(params, x, y, batches)[1]))

    @nnx.jit(donate_argnames=("model", "optimizer"))
    def train_step(model, optimizer, x, y, batch):
        loss, grads = nnx.value_and_grad(loss_fn)(model, x[batch], y[batch])
        optimizer.update(model, grads)
        return loss

    step = nnx.cached_partial(train_step, model, nnx.Optimizer(model, optax.sgd(RATE), wrt=nnx.Param))
    return whole(lambda: jax.device_get([step(x, y, batch) for batch in BATCHES]))


def mxnet_gluon(parameters):
    """Gluon's crash course, hybridized with a static plan of memory and shapes; or by hand with `out=`."""
    import mxnet as mx
    from mxnet import autograd, gluon, nd
    from mxnet.gluon import nn

    x, y = (nd.array(one, dtype="float64") for one in (DIGITS, TARGETS))
    batches = [nd.array(batch, dtype="int32") for batch in BATCHES]
    if parameters["FORM"] == "inplace":
        return in_place_of_mxnet(x, y, batches)
    net = nn.HybridSequential()
    net.add(nn.Dense(30, activation="sigmoid", in_units=784), nn.Dense(10, activation="sigmoid", in_units=30))
    net.cast("float64")
    net.initialize(mx.init.Normal(1))
    net.hybridize(static_alloc=True, static_shape=True)
    l2_loss = gluon.loss.L2Loss(weight=10)
    l2_loss.hybridize(static_alloc=True, static_shape=True)
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": RATE})

    def step(batch):
        with autograd.record():
            loss = l2_loss(net(nd.take(x, batch)), nd.take(y, batch)).mean()
        loss.backward()
        trainer.step(1)
        return loss

    return whole(lambda: nd.concat(*[step(batch) for batch in batches], dim=0).asnumpy())


def in_place_of_mxnet(x, y, batches):
    from mxnet import nd

    w1, b1, w2, b2 = ws = [nd.array(w, dtype="float64") for w in weights()]
    grads = [nd.empty(shape, dtype="float64") for shape in SHAPES]
    widths = 784, 10, 30, 30, 30, 10, 10, 10
    xs, ys, a1, d1, s1, a2, d2, s2 = (nd.empty((BATCH, n), dtype="float64") for n in widths)

    def layer(x, w, b, a):
        nd.FullyConnected(x, w, b, num_hidden=len(w), out=a)
        nd.sigmoid(a, out=a)

    def slope(d, a, s):
        nd.square(a, out=s)
        nd.elemwise_sub(a, s, out=s)
        nd.elemwise_mul(d, s, out=d)

    def step(batch):
        nd.take(x, batch, out=xs)
        nd.take(y, batch, out=ys)
        layer(xs, w1, b1, a1)
        layer(a1, w2, b2, a2)
        nd.elemwise_sub(a2, ys, out=d2)
        loss = nd.sum(nd.square(d2, out=s2)) / (2 * BATCH)
        slope(d2, a2, s2)
        nd.dot(d2, w2, out=d1)
        slope(d1, a1, s1)
        for d, given, weight, bias in ((d1, xs, 0, 1), (d2, a1, 2, 3)):
            nd.dot(d, given, transpose_a=True, out=grads[weight])
            nd.sum(d, axis=0, out=grads[bias])
        for w, g in zip(ws, grads):
            nd.sgd_update(w, g, lr=RATE, rescale_grad=1 / BATCH, out=w)
        return loss

    return whole(lambda: nd.concat(*[step(batch) for batch in batches], dim=0).asnumpy())


def chainer(parameters):
    """Chainer's guide "How to write a training loop" with NumPy's arrays, and its static graph."""
    import chainer
    import chainer.functions as F
    import chainer.links as L

    chainer.global_config.dtype = np.float64
    chainer.global_config.type_check = False

    class MLP(chainer.Chain):
        def __init__(self):
            super(MLP, self).__init__()
            with self.init_scope():
                self.l1, self.l2 = L.Linear(784, 30), L.Linear(30, 10)

        def forward(self, x):
            return F.sigmoid(self.l2(F.sigmoid(self.l1(x))))

    class Static(MLP):
        @chainer.static_graph
        def __call__(self, x):  # a static graph's sigmoid, put together from operations that it may run again
            return 1 / (1 + F.exp(-self.l2(1 / (1 + F.exp(-self.l1(x))))))

    net = Static() if parameters["FORM"] == "static" else MLP()
    optimizer = chainer.optimizers.SGD(RATE)
    optimizer.setup(net)

    def step(batch):
        loss = 5 * F.mean_squared_error(net(DIGITS[batch]), TARGETS[batch])
        net.cleargrads()
        loss.backward()
        optimizer.update()
        return loss.array

    return epoch_of(step)


def theano(parameters):
    """The Deep Learning Tutorials' "Multilayer perceptron" with the workload's network; an epoch with `n_calls`."""
    flags = "device=cpu,floatX=float64,openmp=True,allow_gc=False,blas.ldflags=-lopenblas,"
    os.environ["THEANO_FLAGS"] = flags + os.environ.get("THEANO_FLAGS", "")  # read by the import
    import theano
    import theano.tensor as T

    w1, b1, w2, b2 = params = [theano.shared(w.T.copy(), borrow=True) for w in weights()]
    x, y = theano.shared(DIGITS, borrow=True), theano.shared(TARGETS, borrow=True)

    def sigmoid(z):  # T.nnet.sigmoid is another function, faster and cut off above 19
        return (1 + T.tanh(z / 2)) / 2

    def cost_of(batch):
        hidden = sigmoid(T.dot(x[batch], w1) + b1)
        output = sigmoid(T.dot(hidden, w2) + b2)
        return T.sqr(output - y[batch]).sum() / (2 * BATCH)

    def updates(cost):
        return [(p, p - RATE * g) for p, g in zip(params, T.grad(cost, params))]

    if parameters.get("WHOLE_EPOCH"):
        k, losses = theano.shared(0), theano.shared(np.zeros(COUNT))
        cost = cost_of(T.arange(BATCH) + k * BATCH)
        counted = [(losses, T.set_subtensor(losses[k], cost)), (k, k + 1)]
        train = theano.function([], updates=counted + updates(cost))

        def epoch():
            k.set_value(0)
            train.fn(n_calls=COUNT)
            return losses.get_value()

        return whole(epoch)
    index = T.lvector()
    cost = cost_of(index)
    train_step = theano.function([index], cost, updates=updates(cost))
    return epoch_of(train_step)
