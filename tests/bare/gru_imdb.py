"""A random mini-batch of 64 reviews of 150 tokens, and what each framework's tutorials make of the workload."""

import logging
import os
import warnings

import numpy as np

BATCH = 64
TOKENS = np.random.RandomState(0).randint(0, 30000, (BATCH, 150))
LABELS = np.random.RandomState(1).randint(0, 2, BATCH)
FLAGS = "device=cpu,floatX=float32,openmp=True,allow_gc=False,blas.ldflags=-lopenblas,"


def caffe2(parameters):
    """Caffe2's recurrent layers in one net with build_adam; it shares the notebook's workspace under names of its own.

    The net is made in the first step: a notebook's make_model empties the workspace.
    """
    nets = []

    def step():
        from caffe2.python import workspace

        if not nets:
            nets.append(caffe2_net())
        workspace.RunNet(nets[0])
        return float(workspace.FetchBlob("bare_loss"))

    return step


def caffe2_net():
    """The training net, created, with its blobs."""
    from caffe2.python import brew, gru_cell, optimizer, workspace
    from caffe2.python.model_helper import ModelHelper
    from caffe2.python.modeling.initializers import Initializer

    workspace.FeedBlob("bare_tokens", TOKENS.T.ravel().astype(np.int32))
    workspace.FeedBlob("bare_label", LABELS.astype(np.int32))
    workspace.FeedBlob("bare_start", np.zeros(100, np.float32))
    model = ModelHelper("bare")
    table = model.create_param("bare_embedding", [30000, 125], Initializer("XavierFill"))
    model.net.Gather([table, "bare_tokens"], "bare_rows", dense_gradient=True)
    words, _ = model.net.Reshape("bare_rows", ["bare_words", "bare_shape"], shape=[150, -1, 125])
    _, last = gru_cell.GRU(
        model, words, None, ["bare_start"], dim_in=125, dim_out=100, scope="bare_gru",
        linear_before_reset=True, outputs_with_grads=(1,),
    )
    logits = brew.fc(model, model.net.Squeeze(last, "bare_state", dims=[0]), "bare_dense", 100, 2)
    _, loss = model.net.SoftmaxWithLoss([logits, "bare_label"], ["bare_softmax", "bare_loss"])
    model.AddGradientOperators([loss])
    optimizer.build_adam(model, 0.001)
    workspace.RunNetOnce(model.param_init_net)
    workspace.CreateNet(model.net)
    return model.net


def chainer(parameters):
    """Chainer's example of text classification, with reviews of one length; as a loop where the row has one."""
    import chainer
    import chainer.functions as F
    import chainer.links as L

    chainer.config.type_check = False
    net = chainer.Chain(
        embedding=L.EmbedID(30000, 125), gru=L.NStepGRU(1, 125, 100, 0), dense=L.Linear(100, 2)
    )
    optimizer = chainer.optimizers.Adam()
    optimizer.setup(net)
    tokens, labels = TOKENS.astype(np.int32), LABELS.astype(np.int32)

    def layer():
        last, _ = net.gru(None, F.separate(net.embedding(tokens)))
        return last[0]

    def loop():
        w, w_state, b, b_state = [
            F.concat(gates, axis=0) for p in (net.gru.ws[0], net.gru.bs[0]) for gates in (p[:3], p[3:])
        ]
        inputs = F.split_axis(F.linear(net.embedding(tokens.T), w, b, n_batch_axes=2), [200], axis=2)
        h = np.zeros((BATCH, 100), np.float32)
        for rz_word, n_word in zip(F.separate(inputs[0]), F.separate(inputs[1])):
            rz_state, n_state = F.split_axis(F.linear(h, w_state, b_state), [200], axis=1)
            r, z = F.split_axis(F.sigmoid(rz_word + rz_state), 2, axis=1)
            h = F.linear_interpolate(z, h, F.tanh(n_word + r * n_state))
        return h

    state = {"layer": layer, "loop": loop}[parameters["FORM"]]

    def step():
        loss = F.softmax_cross_entropy(net.dense(state()), labels)
        net.cleargrads()
        loss.backward()
        optimizer.update()
        return float(loss.array)

    return step


def cntk(parameters):
    """CNTK's sequence classification example: an embedding, Recurrence, the last state and Dense, with CNTK's own Adam.

    The embedding is a gather: with the layer Embedding the gradient is sparse, and Adam has no sparse update on CPUs.
    The cell is the notebook's: with C.layers.GRU, another cell, a step takes a little longer.
    """
    import cntk as C

    def weight(*shape):
        return C.Parameter(shape, init=C.glorot_uniform())

    def bias(size):
        return C.Parameter((size,), init=0)

    W, b = weight(125, 300), bias(300)
    (U_r, U_z, U_n), (b_r, b_z, b_n) = [weight(100, 100) for _ in range(3)], [bias(100) for _ in range(3)]

    def cell(h, x):
        a = C.times(x, W) + b
        r = C.sigmoid(C.times(h, U_r) + (a[:100] + b_r))
        z = C.sigmoid(C.times(h, U_z) + (a[100:200] + b_z))
        n = C.tanh(r * (C.times(h, U_n) + b_n) + a[200:])
        return n + z * (h - n)

    tokens, labels = C.sequence.input_variable(()), C.input_variable(2)
    states = C.layers.Recurrence(cell)(C.gather(weight(30000, 125), tokens))
    z = C.layers.Dense(2)(C.sequence.last(states))
    learner = C.adam(z.parameters, C.learning_parameter_schedule(0.001), C.momentum_schedule(0.9),
                     variance_momentum=C.momentum_schedule(0.999))
    trainer = C.Trainer(z, C.cross_entropy_with_softmax(z, labels), [learner])
    x, y = TOKENS.astype(np.float32), np.eye(2, dtype=np.float32)[LABELS]

    def step():
        trainer.train_minibatch({tokens: x, labels: y})
        return trainer.previous_minibatch_loss_average

    return step


def equinox(parameters):
    """Equinox' example "Train RNN" with its cell in lax.scan, an embedding and donated buffers.

    As in the notebook the losses are read once, behind ten steps.
    """
    import equinox as eqx
    import jax
    import jax.numpy as jnp
    import jax.random as jr
    import optax

    class RNN(eqx.Module):
        embedding: eqx.nn.Embedding
        cell: eqx.nn.GRUCell
        linear: eqx.nn.Linear

        def __init__(self, key):
            ekey, ckey, lkey = jr.split(key, 3)
            self.embedding, self.cell = eqx.nn.Embedding(30000, 125, key=ekey), eqx.nn.GRUCell(125, 100, key=ckey)
            self.linear = eqx.nn.Linear(100, 2, key=lkey)

        def __call__(self, tokens):
            def f(carry, inp):
                return self.cell(inp, carry), None

            out, _ = jax.lax.scan(f, jnp.zeros(100), jax.vmap(self.embedding)(tokens))
            return self.linear(out)

    @eqx.filter_value_and_grad
    def compute_loss(model, x, y):
        return optax.softmax_cross_entropy_with_integer_labels(jax.vmap(model)(x), y).mean()

    @eqx.filter_jit(donate="all-except-first")
    def make_step(batch, model, opt_state):
        loss, grads = compute_loss(model, *batch)
        updates, opt_state = optim.update(grads, opt_state)
        return eqx.apply_updates(model, updates), opt_state, loss

    optim, model = optax.adam(0.001), RNN(jr.key(0))
    state = [model, optim.init(eqx.filter(model, eqx.is_inexact_array))]
    batch = jnp.asarray(TOKENS), jnp.asarray(LABELS)

    def step():
        nonlocal state
        losses = []
        for _ in range(10):
            *state, loss = make_step(batch, *state)
            losses.append(loss)
        return jax.device_get(losses)

    step.batches = 10
    return step


def jax(parameters):
    """Flax NNX's layers as its reference shows them, with donated buffers and a cached traversal; the loop of our own."""
    import jax
    import jax.numpy as jnp
    import optax
    from flax import nnx

    class Layer(nnx.Module):
        def __init__(self, rngs):
            self.embed, self.linear = nnx.Embed(30000, 125, rngs=rngs), nnx.Linear(100, 2, rngs=rngs)
            self.rnn = nnx.RNN(nnx.GRUCell(125, 100, rngs=rngs), return_carry=True, rngs=rngs)

        def __call__(self, x):
            carry, _ = self.rnn(self.embed(x))
            return self.linear(carry)

    class Scan(nnx.Module):
        def __init__(self, rngs):
            self.embed, self.linear = nnx.Embed(30000, 125, rngs=rngs), nnx.Linear(100, 2, rngs=rngs)
            self.inputs, self.hidden = nnx.Linear(125, 300, rngs=rngs), nnx.Linear(100, 300, rngs=rngs)

        def __call__(self, x):
            def step(h, a):
                b = self.hidden(h)
                r, z = jnp.split(nnx.sigmoid(a[:, :200] + b[:, :200]), 2, axis=1)
                n = nnx.tanh(a[:, 200:] + r * b[:, 200:])
                return n + z * (h - n), None

            inputs = self.inputs(self.embed(x.T))  # (150, N, 300)
            carry, _ = jax.lax.scan(step, jnp.zeros((len(x), 100)), inputs)
            return self.linear(carry)

    @nnx.jit(donate_argnames=("model", "optimizer"))
    def train_step(model, optimizer, x, y):
        def loss_fn(model):
            return optax.softmax_cross_entropy_with_integer_labels(model(x), y).mean()

        loss, grads = nnx.value_and_grad(loss_fn)(model)
        optimizer.update(model, grads)
        return loss

    model = {"layer": Layer, "scan": Scan}[parameters.get("FORM", "layer")](nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.adam(0.001), wrt=nnx.Param)
    cached_train_step = nnx.cached_partial(train_step, model, optimizer)
    x, y = jnp.asarray(TOKENS), jnp.asarray(LABELS)
    return lambda: cached_train_step(x, y).item()


def keras(parameters):
    """Keras' guide "Working with RNNs": `Sequential` and `fit` on arrays; a step is a fit of 10 batches."""
    os.environ["KERAS_BACKEND"] = parameters["BACKEND"]  # read when Keras is imported
    import keras
    from keras import layers

    model = keras.Sequential(
        [keras.Input((150,), dtype="int32"), layers.Embedding(30000, 125), layers.GRU(100), layers.Dense(2)]
    )
    model.compile(
        optimizer=keras.optimizers.Adam(0.001),
        jit_compile=parameters.get("JIT_COMPILE", "auto"),
        loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
    )
    x, y = np.tile(TOKENS.astype(np.int32), (10, 1)), np.tile(LABELS, 10)

    def step():
        model.fit(x, y, batch_size=BATCH, verbose=0)

    step.batches = 10
    return step


def keras2(parameters):
    """Keras 2's examples/imdb_lstm.py with a GRU: `fit` on arrays; a step is a fit of 10 batches."""
    os.environ["KERAS_BACKEND"] = parameters["BACKEND"]  # read when Keras is imported
    os.environ["THEANO_FLAGS"] = FLAGS + os.environ.get("THEANO_FLAGS", "")
    import keras
    from keras import layers

    model = keras.Sequential([
        layers.Embedding(30000, 125, input_length=150),
        layers.GRU(100, reset_after=True),
        layers.Dense(2, activation="softmax"),
    ])
    model.compile(loss="sparse_categorical_crossentropy", optimizer=keras.optimizers.Adam(learning_rate=0.001))
    x, y = np.tile(TOKENS, (10, 1)), np.tile(LABELS, 10)

    def step():
        model.fit(x, y, batch_size=BATCH, epochs=1, verbose=0)

    step.batches = 10
    return step


def lasagne(parameters):
    """Lasagne's own example of a recurrent network, with its GRULayer and its Adam, and the workload's sizes."""
    os.environ["THEANO_FLAGS"] = FLAGS + os.environ.get("THEANO_FLAGS", "")  # read by the import
    import theano
    import theano.tensor as T
    from theano.tensor.signal import pool

    theano.tensor.signal.downsample = pool  # what Lasagne 0.1 needs of a newer Theano
    import lasagne
    from lasagne.layers import DenseLayer, EmbeddingLayer, GRULayer, InputLayer, SliceLayer

    input_var, target_var = T.imatrix("inputs"), T.lvector("targets")
    network = InputLayer((None, 150), input_var)
    network = EmbeddingLayer(network, 30000, 125)
    network = GRULayer(network, 100, learn_init=False)
    network = SliceLayer(network, -1, 1)
    network = DenseLayer(network, 2, nonlinearity=lasagne.nonlinearities.softmax)
    loss = lasagne.objectives.categorical_crossentropy(lasagne.layers.get_output(network), target_var).mean()
    params = lasagne.layers.get_all_params(network, trainable=True)
    updates = lasagne.updates.adam(loss, params, learning_rate=0.001)
    train_fn = theano.function([input_var, target_var], loss, updates=updates)
    tokens, labels = TOKENS.astype(np.int32), LABELS.astype(np.int64)
    return lambda: train_fn(tokens, labels)


def lightning(parameters):
    """Lightning's guide "Lightning in 15 minutes", with PyTorch's fused Adam; a step is a fit of 10 batches in memory."""
    import lightning as L
    import torch
    from torch import nn

    logging.getLogger("lightning.pytorch").setLevel(logging.WARNING)
    warnings.filterwarnings("ignore", module="lightning")

    class LitGRU(L.LightningModule):
        def __init__(self):
            super().__init__()
            self.embedding, self.gru = nn.Embedding(30000, 125), nn.GRU(125, 100, batch_first=True)
            self.dense = nn.Linear(100, 2)

        def training_step(self, batch, batch_idx):
            x, y = batch
            _, last = self.gru(self.embedding(x))
            return nn.functional.cross_entropy(self.dense(last[0]), y)

        def configure_optimizers(self):
            return torch.optim.Adam(self.parameters(), lr=0.001, fused=True)

    model = LitGRU()
    trainer = L.Trainer(
        accelerator="cpu", devices=1, max_epochs=0, logger=False, enable_checkpointing=False, enable_progress_bar=False,
        enable_model_summary=False,
    )
    batch = torch.from_numpy(TOKENS), torch.from_numpy(LABELS)
    batches = torch.utils.data.DataLoader([batch] * 10, batch_size=None)

    def step():
        trainer.fit_loop.max_epochs += 1  # the same model goes on
        trainer.fit(model, batches)

    step.batches = 10
    return step


def mxnet_gluon(parameters):
    """Gluon's tutorials on recurrent networks, time first, hybridized with a static plan of memory and shapes."""
    import mxnet as mx
    from mxnet import autograd, gluon
    from mxnet.gluon import nn, rnn

    class Net(nn.HybridBlock):
        def __init__(self):
            super().__init__()
            with self.name_scope():
                self.embedding, self.gru = nn.Embedding(30000, 125), rnn.GRU(100, input_size=125)
                self.dense = nn.Dense(2, in_units=100)

        def hybrid_forward(self, F, x):
            states = self.gru(self.embedding(F.transpose(x)))
            return self.dense(F.squeeze(F.slice_axis(states, axis=0, begin=-1, end=None), axis=0))

    net = Net()
    net.initialize(mx.init.Xavier())
    net.hybridize(static_alloc=True, static_shape=True)
    softmax_cross_entropy = gluon.loss.SoftmaxCrossEntropyLoss()
    softmax_cross_entropy.hybridize()
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.001})
    x, y = mx.nd.array(TOKENS, dtype="int32"), mx.nd.array(LABELS, dtype="int32")

    def step():
        with autograd.record():
            loss = softmax_cross_entropy(net(x), y)
        loss.backward()
        trainer.step(BATCH)
        return loss.mean().asscalar()

    return step


def mxnet_module(parameters):
    """MXNet's tutorial "Module", with its intermediate-level interface, and the fused cell of mx.rnn, time first."""
    import mxnet as mx

    net = mx.sym.transpose(mx.sym.Variable("data"))
    net = mx.sym.Embedding(net, input_dim=30000, output_dim=125)
    net, _ = mx.rnn.FusedRNNCell(100, mode="gru").unroll(150, net, layout="TNC", merge_outputs=True)
    net = mx.sym.squeeze(mx.sym.slice_axis(net, axis=0, begin=-1, end=None), axis=0)
    net = mx.sym.SoftmaxOutput(mx.sym.FullyConnected(net, num_hidden=2), name="softmax")
    mod = mx.mod.Module(net)
    mod.bind(data_shapes=[("data", (BATCH, 150))], label_shapes=[("softmax_label", (BATCH,))])
    mod.init_params(mx.init.Xavier())
    mod.init_optimizer(optimizer="adam", optimizer_params=(("learning_rate", 0.001),))
    batch = mx.io.DataBatch([mx.nd.array(TOKENS)], [mx.nd.array(LABELS)])

    def step():
        mod.forward(batch, is_train=True)
        mod.backward()
        mod.update()
        mx.nd.waitall()

    return step


def paddle(parameters):
    """Paddle's tutorial on text classification with IMDB, with nn.GRU over the reviews, batch first."""
    import paddle
    from paddle import nn

    embedding, gru, linear = nn.Embedding(30000, 125), nn.GRU(125, 100), nn.Linear(100, 2)
    model = nn.LayerList([embedding, gru, linear])
    criterion = nn.CrossEntropyLoss()
    opt = paddle.optimizer.Adam(0.001, parameters=model.parameters())
    x, y = paddle.to_tensor(TOKENS), paddle.to_tensor(LABELS)

    def step():
        _, last = gru(embedding(x))
        loss = criterion(linear(last[0]), y)
        loss.backward()
        opt.step()
        opt.clear_grad()
        return float(loss)

    return step


def pytorch(parameters):
    """PyTorch's tutorials on recurrent networks, batch first, with the fused Adam that the performance guide names."""
    import torch
    from torch import nn

    embedding, gru, dense = nn.Embedding(30000, 125), nn.GRU(125, 100, batch_first=True), nn.Linear(100, 2)
    net = nn.ModuleList([embedding, gru, dense])
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.Adam(net.parameters(), lr=0.001, fused=True)
    inputs, labels = torch.from_numpy(TOKENS), torch.from_numpy(LABELS)

    def step():
        optimizer.zero_grad()
        _, last = gru(embedding(inputs))
        loss = criterion(dense(last[0]), labels)
        loss.backward()
        optimizer.step()
        return loss.item()

    return step


def tensorflow(parameters):
    """TensorFlow's guide "Writing a training loop from scratch", with Adam's fused operation and a batch on the device."""
    import keras
    import tensorflow as tf
    from keras import layers

    compiled = parameters.get("JIT_COMPILE", False)
    model = keras.Sequential(
        [
            keras.Input((150,), dtype="int32"),
            layers.Embedding(30000, 125),
            layers.GRU(100, use_cudnn=False if compiled else "auto"),
            layers.Dense(2),
        ]
    )
    loss_fn = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    weights = [v.value for v in model.trainable_variables]
    means, squares = [[tf.Variable(tf.zeros_like(w)) for w in weights] for _ in range(2)]
    powers = [tf.Variable(0.9), tf.Variable(0.999)]
    x, y = tf.constant(TOKENS, tf.int32), tf.constant(LABELS)

    @tf.function(jit_compile=compiled)
    def train_step(x, y):
        with tf.GradientTape() as tape:
            loss_value = loss_fn(y, model(x, training=True))
        grads = tape.gradient(loss_value, weights)
        for w, m, v, g in zip(weights, means, squares, grads, strict=True):
            tf.raw_ops.ResourceApplyAdam(
                var=w.handle,
                m=m.handle,
                v=v.handle,
                beta1_power=powers[0],
                beta2_power=powers[1],
                lr=0.001,
                beta1=0.9,
                beta2=0.999,
                epsilon=1e-8,
                grad=tf.convert_to_tensor(g),
            )
        powers[0].assign(powers[0] * 0.9)
        powers[1].assign(powers[1] * 0.999)
        return loss_value

    return lambda: train_step(x, y).numpy()


def tensorflow1(parameters):
    """TensorFlow 1's guide "Introduction" (a graph, a session, a fed batch), with an own cell and a dense gradient."""
    import tensorflow as tf

    class Cell(tf.nn.rnn_cell.RNNCell):
        state_size = output_size = 100

        def build(self, shape):
            self.kernel = self.add_weight("kernel", (100, 300))
            self.bias = self.add_weight("bias", (300,), initializer=tf.zeros_initializer())
            super().build(shape)

        def call(self, a, h):
            b = tf.nn.bias_add(tf.matmul(h, self.kernel), self.bias)
            (a_rz, a_n), (b_rz, b_n) = tf.split(a, [200, 100], axis=1), tf.split(b, [200, 100], axis=1)
            r, z = tf.split(tf.sigmoid(a_rz + b_rz), 2, axis=1)
            n = tf.tanh(a_n + r * b_n)
            h = n + z * (h - n)
            return h, h

    tf.enable_resource_variables()
    graph = tf.Graph()
    with graph.as_default():
        tokens, labels = tf.placeholder(tf.int32, (None, 150)), tf.placeholder(tf.int64, (None,))
        vectors = tf.nn.embedding_lookup(tf.get_variable("embedding", (30000, 125)), tf.transpose(tokens))
        words = tf.layers.dense(vectors, 300)
        _, state = tf.nn.dynamic_rnn(Cell(), words, dtype=tf.float32, time_major=True)
        loss = tf.losses.sparse_softmax_cross_entropy(labels, tf.layers.dense(state, 2))
        optimizer = tf.train.AdamOptimizer(0.001)
        gradients = [(tf.convert_to_tensor(g), v) for g, v in optimizer.compute_gradients(loss)]
        train_op = optimizer.apply_gradients(gradients)
        init = tf.global_variables_initializer()
    session = tf.Session(graph=graph)
    session.run(init)
    return lambda: session.run([train_op, loss], {tokens: TOKENS, labels: LABELS})[1]


def theano(parameters):
    """The Deep Learning Tutorials' lstm.py (an embedding and scan on IMDB), with the workload's GRU.

    Adam adds epsilon before the bias correction.
    """
    os.environ["THEANO_FLAGS"] = FLAGS + os.environ.get("THEANO_FLAGS", "")  # read by the import
    import theano
    import theano.tensor as T

    rng, params = np.random.RandomState(0), []

    def shared(*shape):
        params.append(theano.shared(rng.normal(0, 0.05, shape).astype(np.float32), borrow=True))
        return params[-1]

    def step(a, h, w, b):
        gates = T.dot(h, w) + b
        rz = T.nnet.sigmoid(a[:, :200] + gates[:, :200])
        n = T.tanh(a[:, 200:] + rz[:, :100] * gates[:, 200:])
        return n + rz[:, 100:] * (h - n)

    x, y = T.imatrix("x"), T.lvector("y")
    emb = shared(30000, 125)[x.T.flatten()].reshape([x.shape[1], x.shape[0], 125])
    inputs = T.dot(emb, shared(125, 300)) + shared(300)
    weights, start = [shared(100, 300), shared(300)], T.alloc(np.float32(0), x.shape[0], 100)
    states, _ = theano.scan(step, sequences=inputs, outputs_info=start, non_sequences=weights, strict=True)
    p_y = T.nnet.softmax(T.dot(states[-1], shared(100, 2)) + shared(2))
    cost = T.nnet.categorical_crossentropy(p_y, y).mean()

    t = theano.shared(np.float32(0))
    rate = 0.001 * T.sqrt(1 - 0.999 ** (t + 1)) / (1 - 0.9 ** (t + 1))
    updates = [(t, t + 1)]
    for param, grad in zip(params, T.grad(cost, params)):
        m_old, v_old = [theano.shared(0 * param.get_value()) for _ in range(2)]
        m, v = 0.9 * m_old + 0.1 * grad, 0.999 * v_old + 0.001 * grad**2
        updates += [(m_old, m), (v_old, v), (param, param - rate * m / (T.sqrt(v) + 1e-8))]
    tokens, labels = TOKENS.astype(np.int32), LABELS.astype(np.int64)
    givens = {x: theano.shared(tokens, borrow=True), y: theano.shared(labels, borrow=True)}
    return theano.function([], cost, updates=updates, givens=givens)
