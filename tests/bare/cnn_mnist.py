"""Random mini-batches of 1,000 digits, and what each framework's tutorials make of the workload."""

import os

import numpy as np

BATCH = 1000
IMAGES = np.random.RandomState(0).rand(BATCH, 1, 28, 28).astype(np.float32)
IMAGES_LAST = np.ascontiguousarray(IMAGES.transpose(0, 2, 3, 1))
LABELS = np.random.RandomState(1).randint(0, 10, BATCH)
FLAGS = "device=cpu,floatX=float32,openmp=True,allow_gc=False,blas.ldflags=-lopenblas,"


def pytorch(parameters):
    """PyTorch's "Training a classifier" tutorial with Adam fused; eager with the layout that the performance guide asks for."""
    import torch
    from torch import nn

    net = nn.Sequential(
        nn.Conv2d(1, 16, 2), nn.MaxPool2d(2), nn.ReLU(), nn.Conv2d(16, 8, 2), nn.MaxPool2d(2), nn.ReLU(),
        nn.Flatten(), nn.Linear(288, 10),
    )
    compiled = parameters.get("COMPILE")
    net = net if compiled else net.to(memory_format=torch.channels_last)
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.Adam(net.parameters(), lr=0.001, fused=True)
    inputs, labels = torch.from_numpy(IMAGES), torch.from_numpy(LABELS)
    forward = torch.compile(net, dynamic=False) if compiled else net

    def step():
        optimizer.zero_grad()
        loss = criterion(forward(inputs), labels)
        loss.backward()
        optimizer.step()
        return loss.item()

    return step


def tensorflow(parameters):
    """TensorFlow's guide "Writing a training loop from scratch", with data that is on the device already."""
    import keras
    import tensorflow as tf

    model = network()
    loss_fn = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    optimizer = keras.optimizers.Adam(0.001)
    x, y = tf.constant(IMAGES_LAST), tf.constant(LABELS)

    @tf.function
    def train_step(x, y):
        with tf.GradientTape() as tape:
            loss_value = loss_fn(y, model(x, training=True))
        grads = tape.gradient(loss_value, model.trainable_weights)
        optimizer.apply_gradients(zip(grads, model.trainable_weights, strict=True))
        return loss_value

    return lambda: train_step(x, y).numpy()


def network():
    import keras
    from keras import layers

    first = keras.config.image_data_format() == "channels_first"
    return keras.Sequential(
        [
            keras.Input((1, 28, 28) if first else (28, 28, 1)),
            layers.Conv2D(16, 2),
            layers.MaxPooling2D(),
            layers.ReLU(),
            layers.Conv2D(8, 2),
            layers.MaxPooling2D(),
            layers.ReLU(),
            layers.Flatten(),
            layers.Dense(10),
        ]
    )


def keras(parameters):
    """Keras' guide "Training and evaluation with the built-in methods": `fit` on arrays; a step is a fit of 10 batches."""
    os.environ["KERAS_BACKEND"] = parameters["BACKEND"]  # read when Keras is imported
    import keras

    x, y = np.tile(IMAGES_LAST, (10, 1, 1, 1)), np.tile(LABELS, 10)
    if parameters.get("DATA_FORMAT") == "channels_first":
        keras.config.set_image_data_format("channels_first")
        x = x.transpose(0, 3, 1, 2).copy()
    model = network()
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.Adam(0.001), loss, metrics=["accuracy"])

    def step():
        model.fit(x, y, batch_size=BATCH, verbose=0)

    step.batches = 10
    return step


def jax(parameters):
    """Flax NNX's "MNIST tutorial", with what Flax's performance guide adds: donated buffers and a cached traversal.

    Where the row pools by slices, so does this: the promise is about what the lesson's loop costs, not its layers.
    """
    import jax
    import jax.numpy as jnp
    import optax
    from flax import nnx

    jax.config.update("jax_default_matmul_precision", "highest")

    def pool(x):
        if not parameters.get("SLICES", True):
            return nnx.max_pool(x, (2, 2), (2, 2))
        height, width = x.shape[1] // 2 * 2, x.shape[2] // 2 * 2
        a, b, c, d = (x[:, i:height:2, j:width:2] for i in (0, 1) for j in (0, 1))
        a, c = jnp.where(a >= b, a, b), jnp.where(c >= d, c, d)
        return jnp.where(a >= c, a, c)

    class CNN(nnx.Module):
        def __init__(self, rngs):
            self.conv1 = nnx.Conv(1, 16, (2, 2), padding="VALID", rngs=rngs)
            self.conv2 = nnx.Conv(16, 8, (2, 2), padding="VALID", rngs=rngs)
            self.linear = nnx.Linear(288, 10, rngs=rngs)

        def __call__(self, x):
            x = nnx.relu(pool(self.conv1(x)))
            x = nnx.relu(pool(self.conv2(x)))
            return self.linear(x.reshape(x.shape[0], -1))

    @nnx.jit(donate_argnames=("model", "optimizer"))
    def train_step(model, optimizer, x, y):
        def loss_fn(model):
            return optax.softmax_cross_entropy_with_integer_labels(model(x), y).mean()

        loss, grads = nnx.value_and_grad(loss_fn)(model)
        optimizer.update(model, grads)
        return loss

    model = CNN(nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.adam(0.001), wrt=nnx.Param)
    cached_train_step = nnx.cached_partial(train_step, model, optimizer)
    x, y = jnp.asarray(IMAGES_LAST), jnp.asarray(LABELS)
    return lambda: cached_train_step(x, y).item()


def mxnet_gluon(parameters):
    """Gluon's crash course, hybridized with a static plan of memory and shapes."""
    import mxnet as mx
    from mxnet import autograd, gluon
    from mxnet.gluon import nn

    net = nn.HybridSequential()
    net.add(
        nn.Conv2D(16, 2), nn.MaxPool2D(2), nn.Activation("relu"), nn.Conv2D(8, 2), nn.MaxPool2D(2),
        nn.Activation("relu"), nn.Dense(10),
    )
    net.initialize(mx.init.Xavier())
    net.hybridize(static_alloc=True, static_shape=True)
    softmax_cross_entropy = gluon.loss.SoftmaxCrossEntropyLoss()
    softmax_cross_entropy.hybridize(static_alloc=True, static_shape=True)
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.001})
    x, y = mx.nd.array(IMAGES), mx.nd.array(LABELS, dtype="int32")

    def step():
        with autograd.record():
            loss = softmax_cross_entropy(net(x), y)
        loss.backward()
        trainer.step(BATCH)
        return loss.mean().asscalar()

    return step


def chainer(parameters):
    """Chainer's guide "How to write a training loop", with iDeep as its "Tips and FAQs" asks, or with NumPy alone."""
    import chainer
    import chainer.functions as F
    import chainer.links as L

    chainer.config.use_ideep = "never" if parameters["BACKEND"] == "numpy" else "auto"

    def pool(x):
        return F.max_pooling_2d(x, 2, cover_all=False)

    net = chainer.Sequential(
        L.Convolution2D(1, 16, 2), pool, F.relu, L.Convolution2D(16, 8, 2), pool, F.relu, L.Linear(288, 10)
    )
    optimizer = chainer.optimizers.Adam(0.001)
    optimizer.setup(net)
    labels = LABELS.astype(np.int32)

    def step():
        loss = F.softmax_cross_entropy(net(IMAGES), labels)
        net.cleargrads()
        loss.backward()
        optimizer.update()
        return float(loss.array)

    return step


def tensorflow1(parameters):
    """TensorFlow 1's tutorial "A guide to TF layers", with the workload's network, its batch fed."""
    import tensorflow as tf

    graph = tf.Graph()
    with graph.as_default():
        features, labels = tf.placeholder(tf.float32, (None, 28, 28, 1)), tf.placeholder(tf.int64, (None,))
        out = features
        for filters in (16, 8):
            out = tf.layers.conv2d(out, filters, 2)
            out = tf.nn.relu(tf.layers.max_pooling2d(out, 2, 2))
        logits = tf.layers.dense(tf.layers.flatten(out), 10)
        loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
        train_op = tf.train.AdamOptimizer(0.001).minimize(loss)
        init = tf.global_variables_initializer()
    session = tf.Session(graph=graph, config=tf.ConfigProto(inter_op_parallelism_threads=1))
    session.run(init)
    return lambda: session.run([train_op, loss], {features: IMAGES_LAST, labels: LABELS})[1]


def adam(cost, params, rate=0.001):
    """Updates of Adam, which Theano's tutorials do not have, as its paper's section 2 orders the operations."""
    import theano
    import theano.tensor as T

    count = theano.shared(np.float32(0))
    found = [(count, count + 1)]
    step = np.float32(rate) * T.sqrt(1 - np.float32(0.999) ** (count + 1)) / (1 - np.float32(0.9) ** (count + 1))
    for param, grad in zip(params, T.grad(cost, params)):
        mean, square = theano.shared(0 * param.get_value()), theano.shared(0 * param.get_value())
        m = np.float32(0.9) * mean + np.float32(0.1) * grad
        v = np.float32(0.999) * square + np.float32(0.001) * T.sqr(grad)
        found += [(mean, m), (square, v), (param, param - step * m / (T.sqrt(v) + np.float32(1e-8)))]
    return found


def theano(parameters):
    """The Deep Learning Tutorials' "Convolutional neural networks", with the workload's network and Adam."""
    os.environ["THEANO_FLAGS"] = FLAGS + os.environ.get("THEANO_FLAGS", "")  # read by the import
    import theano
    import theano.tensor as T
    from theano.tensor.nnet import conv2d
    from theano.tensor.signal import pool

    rng, params = np.random.RandomState(0), []

    def weights(*shape, bias):
        w = theano.shared(rng.normal(0, 0.05, shape).astype(np.float32), borrow=True)
        b = theano.shared(np.zeros(bias, np.float32), borrow=True)
        params.extend([w, b])
        return w, b

    x, y = T.tensor4("x"), T.lvector("y")
    out = x
    for filters, channels in ((16, 1), (8, 16)):
        w, b = weights(filters, channels, 2, 2, bias=filters)
        out = conv2d(out, w, filter_flip=False) + b.dimshuffle("x", 0, "x", "x")
        out = T.nnet.relu(pool.pool_2d(out, (2, 2), ignore_border=True))
    w, b = weights(288, 10, bias=10)
    p_y = T.nnet.softmax(T.dot(out.flatten(2), w) + b)
    cost = T.nnet.categorical_crossentropy(p_y, y).mean()
    images, labels = theano.shared(IMAGES, borrow=True), theano.shared(LABELS.astype(np.int64), borrow=True)
    updates = adam(cost, params)
    return theano.function([], cost, updates=updates, givens={x: images, y: labels})
