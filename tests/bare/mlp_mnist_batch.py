"""60,000 random digits in one batch, and what each framework's tutorials make of the workload."""

import os

import numpy as np

from tests.bare.cnn_mnist import FLAGS, adam

DIGITS = np.random.RandomState(0).rand(60000, 784).astype(np.float32)
LABELS = np.random.RandomState(1).randint(0, 10, len(DIGITS))


def pytorch(parameters):
    """PyTorch's "Quickstart" tutorial, with the workload's network and Adam fused; compiled as its tutorial on compiling."""
    import torch
    from torch import nn

    net = nn.Sequential(nn.Linear(784, 32), nn.ReLU(), nn.Linear(32, 10))
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.Adam(net.parameters(), lr=0.001, fused=True)
    inputs, labels = torch.from_numpy(DIGITS), torch.from_numpy(LABELS)

    def forward():
        return criterion(net(inputs), labels)

    forward = torch.compile(forward, dynamic=False) if parameters.get("COMPILE") else forward

    def step():
        optimizer.zero_grad()
        loss = forward()
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
    x, y = tf.constant(DIGITS), tf.constant(LABELS)

    @tf.function(jit_compile=parameters.get("JIT_COMPILE", False))
    def train_step(x, y):
        with tf.GradientTape() as tape:
            loss_value = loss_fn(y, model(x, training=True))
        grads = tape.gradient(loss_value, model.trainable_weights)
        optimizer.apply_gradients(zip(grads, model.trainable_weights, strict=True))
        return loss_value

    optimizer.build(model.trainable_weights)
    return lambda: train_step(x, y).numpy()


def network():
    import keras
    from keras import layers

    return keras.Sequential([keras.Input((784,)), layers.Dense(32, activation="relu"), layers.Dense(10)])


def keras(parameters):
    """Keras' guide "Training and evaluation with the built-in methods": `fit` on arrays, all samples in one batch."""
    os.environ["KERAS_BACKEND"] = parameters["BACKEND"]  # read when Keras is imported
    import keras

    model = network()
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.Adam(0.001), loss, metrics=["accuracy"])
    x, y = (keras.ops.convert_to_tensor(one) for one in (DIGITS, LABELS))
    return lambda: model.fit(x, y, batch_size=len(DIGITS), shuffle=False, verbose=0)


def jax(parameters):
    """Flax NNX's "MNIST tutorial", with what Flax's performance guide adds: donated buffers."""
    import jax
    import jax.numpy as jnp
    import optax
    from flax import nnx

    jax.config.update("jax_default_matmul_precision", "highest")

    class MLP(nnx.Module):
        def __init__(self, rngs):
            self.linear1, self.linear2 = nnx.Linear(784, 32, rngs=rngs), nnx.Linear(32, 10, rngs=rngs)

        def __call__(self, x):
            return self.linear2(nnx.relu(self.linear1(x)))

    @nnx.jit(donate_argnames=("model", "optimizer"))
    def train_step(model, optimizer, x, y):
        def loss_fn(model):
            return optax.softmax_cross_entropy_with_integer_labels(model(x), y).mean()

        loss, grads = nnx.value_and_grad(loss_fn)(model)
        optimizer.update(model, grads)
        return loss

    model = MLP(nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.adam(0.001), wrt=nnx.Param)
    x, y = jnp.asarray(DIGITS), jnp.asarray(LABELS)
    return lambda: train_step(model, optimizer, x, y).item()


def mxnet_gluon(parameters):
    """Gluon's crash course, hybridized with a static plan of memory and shapes."""
    import mxnet as mx
    from mxnet import autograd, gluon
    from mxnet.gluon import nn

    net = nn.HybridSequential()
    net.add(nn.Dense(32, activation="relu"), nn.Dense(10))
    net.initialize(mx.init.Xavier())
    net.hybridize(static_alloc=True, static_shape=True)
    softmax_cross_entropy = gluon.loss.SoftmaxCrossEntropyLoss()
    softmax_cross_entropy.hybridize(static_alloc=True, static_shape=True)
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.001})
    x, y = mx.nd.array(DIGITS), mx.nd.array(LABELS, dtype="int32")

    def step():
        with autograd.record():
            loss = softmax_cross_entropy(net(x), y)
        loss.backward()
        trainer.step(len(DIGITS))
        return loss.mean().asscalar()

    return step


def chainer(parameters):
    """Chainer's guide "How to write a training loop", with NumPy's arrays."""
    import chainer
    import chainer.functions as F
    import chainer.links as L

    net = chainer.Sequential(L.Linear(784, 32), F.relu, L.Linear(32, 10))
    optimizer = chainer.optimizers.Adam(0.001)
    optimizer.setup(net)
    labels = LABELS.astype(np.int32)

    def step():
        loss = F.softmax_cross_entropy(net(DIGITS), labels)
        net.cleargrads()
        loss.backward()
        optimizer.update()
        return float(loss.array)

    return step


def tensorflow1(parameters):
    """TensorFlow 1's tutorial "A guide to TF layers", with the workload's network, its digits fed."""
    import tensorflow as tf

    graph = tf.Graph()
    with graph.as_default():
        features, labels = tf.placeholder(tf.float32, (None, 784)), tf.placeholder(tf.int64, (None,))
        logits = tf.layers.dense(tf.layers.dense(features, 32, activation=tf.nn.relu), 10)
        loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
        train_op = tf.train.AdamOptimizer(0.001).minimize(loss)
        init = tf.global_variables_initializer()
    session = tf.Session(graph=graph, config=tf.ConfigProto(inter_op_parallelism_threads=1))
    session.run(init)
    return lambda: session.run([train_op, loss], {features: DIGITS, labels: LABELS})[1]


def theano(parameters):
    """The Deep Learning Tutorials' "Multilayer perceptron", with the workload's network and Adam."""
    os.environ["THEANO_FLAGS"] = FLAGS + os.environ.get("THEANO_FLAGS", "")  # read by the import
    import theano
    import theano.tensor as T

    rng = np.random.RandomState(0)
    w1, w2 = (theano.shared(rng.normal(0, 0.05, s).astype(np.float32), borrow=True) for s in ((784, 32), (32, 10)))
    b1, b2 = (theano.shared(np.zeros(n, np.float32), borrow=True) for n in (32, 10))
    x, y = T.matrix("x"), T.lvector("y")
    p_y = T.nnet.softmax(T.dot(T.nnet.relu(T.dot(x, w1) + b1), w2) + b2)
    cost = T.nnet.categorical_crossentropy(p_y, y).mean()
    digits, labels = theano.shared(DIGITS, borrow=True), theano.shared(LABELS.astype(np.int64), borrow=True)
    updates = adam(cost, [w1, b1, w2, b2])
    return theano.function([], cost, updates=updates, givens={x: digits, y: labels})
