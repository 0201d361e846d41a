"""A random mini-batch of 64 images, and what each framework's tutorials make of the workload."""

import logging
import os
import tempfile
import warnings
from collections import OrderedDict
from functools import partial

import numpy as np

BATCH = 64
IMAGES = np.random.RandomState(0).rand(BATCH, 3, 32, 32).astype(np.float32)
IMAGES_LAST = np.ascontiguousarray(IMAGES.transpose(0, 2, 3, 1))
LABELS = np.random.RandomState(1).randint(0, 10, BATCH)
FLAGS = "device=cpu,floatX=float32,openmp=True,allow_gc=False,blas.ldflags=-lopenblas,"
XLA_FLAG = " --xla_cpu_experimental_ynn_fusion_type=-individual_convolution"  # XLA's own: faster on CPUs than YNNPACK's


def caffe(parameters):
    """pycaffe's example "01-learning-lenet", with the workload's network, its data in memory."""
    import caffe
    from caffe import layers as L
    from caffe import params as P

    filler = dict(type="xavier")
    n = caffe.NetSpec()
    n.data = L.Input(input_param=dict(shape=dict(dim=[BATCH, 3, 32, 32])))
    n.label = L.Input(input_param=dict(shape=dict(dim=[BATCH])))
    out = n.data
    for filters in (50, 100):
        a = L.Convolution(out, num_output=filters, kernel_size=3, pad=1, weight_filler=filler)
        b = L.Convolution(L.ReLU(a, in_place=True), num_output=filters, kernel_size=3, pad=1, weight_filler=filler)
        out = L.ReLU(L.Pooling(b, pool=P.Pooling.MAX, kernel_size=2, stride=2), in_place=True)
        out = L.Dropout(out, dropout_ratio=0.25, in_place=True)
    out = L.ReLU(L.InnerProduct(out, num_output=512, weight_filler=filler), in_place=True)
    n.score = L.InnerProduct(L.Dropout(out, dropout_ratio=0.5, in_place=True), num_output=10, weight_filler=filler)
    n.loss = L.SoftmaxWithLoss(n.score, n.label)
    with tempfile.TemporaryDirectory() as folder:
        net, solver = os.path.join(folder, "net.prototxt"), os.path.join(folder, "solver.prototxt")
        with open(net, "w") as file:
            file.write(str(n.to_proto()))
        with open(solver, "w") as file:
            file.write(f'train_net: "{net}" base_lr: 0.01 momentum: 0.9 lr_policy: "fixed" snapshot_after_train: false')
        solver = caffe.SGDSolver(solver)
    solver.net.blobs["data"].data[...] = IMAGES
    solver.net.blobs["label"].data[...] = np.asarray(LABELS, np.float32)
    return lambda: solver.step(1)


def caffe2(parameters):
    """Caffe2's tutorial "MNIST", with the workload's network; in the notebook's workspace, under names of its own.

    The nets are made in the first step: a notebook's make_model empties the workspace.
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
    from caffe2.python import brew, model_helper, optimizer, workspace

    workspace.FeedBlob("bare_data", IMAGES)
    workspace.FeedBlob("bare_label", LABELS.astype(np.int32))
    model = model_helper.ModelHelper(name="bare", arg_scope={"order": "NCHW"})
    out, channels = "bare_data", 3
    for n, filters in enumerate((50, 100)):
        first = {"no_gradient_to_input": 1} if n == 0 else {}
        out = brew.conv(model, out, f"bare_a{n}", channels, filters, kernel=3, pad=1, **first)
        out = brew.relu(model, out, out)
        out = brew.conv(model, out, f"bare_b{n}", filters, filters, kernel=3, pad=1)
        out = brew.max_pool(model, out, f"bare_pool{n}", kernel=2, stride=2)
        out = brew.dropout(model, brew.relu(model, out, f"bare_relu{n}"), f"bare_drop{n}", ratio=0.25, is_test=False)
        channels = filters
    out = brew.fc(model, out, "bare_fc1", 6400, 512)
    out = brew.dropout(model, brew.relu(model, out, out), "bare_drop2", ratio=0.5, is_test=False)
    out = brew.fc(model, out, "bare_fc2", 512, 10)
    _, loss = model.net.SoftmaxWithLoss([out, "bare_label"], ["bare_softmax", "bare_loss"])
    model.AddGradientOperators([loss])
    optimizer.build_sgd(model, base_learning_rate=0.01, policy="fixed", momentum=0.9, nesterov=0)
    workspace.RunNetOnce(model.param_init_net)
    workspace.CreateNet(model.net)
    return model.net


def chainer(parameters):
    """Chainer's guide "How to write a training loop", with iDeep as its "Tips and FAQs" asks."""
    import chainer
    import chainer.functions as F
    import chainer.links as L

    chainer.config.use_ideep = "auto"
    net = chainer.Sequential(
        L.Convolution2D(3, 50, 3, pad=1), F.relu, L.Convolution2D(50, 50, 3, pad=1), lambda x: F.max_pooling_2d(x, 2),
        F.relu, lambda x: F.dropout(x, 0.25),
        L.Convolution2D(50, 100, 3, pad=1), F.relu, L.Convolution2D(100, 100, 3, pad=1),
        lambda x: F.max_pooling_2d(x, 2), F.relu, lambda x: F.dropout(x, 0.25),
        L.Linear(None, 512), F.relu, lambda x: F.dropout(x, 0.5), L.Linear(512, 10),
    )
    net(IMAGES[:1])  # the size that was left open
    net.to_device("@intel64")
    optimizer = chainer.optimizers.MomentumSGD(0.01, 0.9)
    optimizer.setup(net)
    labels = LABELS.astype(np.int32)

    def step():
        loss = F.softmax_cross_entropy(net(IMAGES), labels)
        net.cleargrads()
        loss.backward()
        optimizer.update()
        return float(loss.array)

    return step


def cntk(parameters):
    """CNTK's tutorial 201B, "Image classification", with classical momentum."""
    import cntk as C

    features, labels = C.input_variable((3, 32, 32)), C.input_variable(10)
    z = C.layers.Sequential([
        C.layers.For(range(2), lambda i: [
            C.layers.Convolution2D((3, 3), [50, 100][i], activation=C.relu, pad=True),
            C.layers.Convolution2D((3, 3), [50, 100][i], pad=True),
            C.layers.MaxPooling((2, 2), strides=(2, 2)), C.relu, C.layers.Dropout(0.25)]),
        C.layers.Dense(512, activation=C.relu), C.layers.Dropout(0.5), C.layers.Dense(10),
    ])(features)
    learner = C.momentum_sgd(
        z.parameters, C.learning_parameter_schedule(0.01), C.momentum_schedule(0.9), unit_gain=False
    )
    trainer = C.Trainer(z, C.cross_entropy_with_softmax(z, labels), [learner])
    y = np.eye(10, dtype=np.float32)[LABELS]

    def step():
        trainer.train_minibatch({features: IMAGES, labels: y})
        return trainer.previous_minibatch_loss_average

    return step


def equinox(parameters):
    """Equinox' example "CNN on MNIST", with the workload's dropout and donated buffers; XLA's flag is the row's.

    As in the notebook the losses are read once, behind ten steps. bf16: copies of model and images compute.
    """
    import equinox as eqx
    import jax
    import jax.numpy as jnp
    import jax.random as jr
    import optax

    dtype = jnp.bfloat16 if parameters.get("PRECISION") == "bf16" else jnp.float32  # in which the model computes

    class CNN(eqx.Module):
        layers: eqx.nn.Sequential

        def __init__(self, key):
            keys, nn, relu = jr.split(key, 6), eqx.nn, eqx.nn.Lambda(jax.nn.relu)
            self.layers = nn.Sequential([
                nn.Conv2d(3, 50, 3, padding=1, key=keys[0]), relu,
                nn.Conv2d(50, 50, 3, padding=1, key=keys[1]), nn.MaxPool2d(2, 2), relu, nn.Dropout(0.25),
                nn.Conv2d(50, 100, 3, padding=1, key=keys[2]), relu,
                nn.Conv2d(100, 100, 3, padding=1, key=keys[3]), nn.MaxPool2d(2, 2), relu, nn.Dropout(0.25),
                nn.Lambda(jnp.ravel), nn.Linear(6400, 512, key=keys[4]), relu, nn.Dropout(0.5),
                nn.Linear(512, 10, key=keys[5]),
            ])

        def __call__(self, x, key):
            return self.layers(x, key=key)

    @eqx.filter_value_and_grad
    def compute_loss(model, x, y, key):
        model = jax.tree.map(lambda leaf: leaf.astype(dtype) if eqx.is_inexact_array(leaf) else leaf, model)
        logits = jax.vmap(model)(x.astype(dtype), jr.split(key, BATCH)).astype(jnp.float32)
        return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()

    @eqx.filter_jit(donate="all-except-first")
    def make_step(batch, model, opt_state, key):
        key, step_key = jr.split(key)
        loss, grads = compute_loss(model, *batch, step_key)
        updates, opt_state = optim.update(grads, opt_state, eqx.filter(model, eqx.is_inexact_array))
        return eqx.apply_updates(model, updates), opt_state, key, loss

    optim, model = optax.sgd(0.01, 0.9), CNN(jr.key(0))
    state = [model, optim.init(eqx.filter(model, eqx.is_inexact_array)), jr.key(1)]
    batch = jnp.asarray(IMAGES), jnp.asarray(LABELS)

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
    """Flax NNX's "MNIST tutorial", with what Flax's performance guide adds: donated buffers and a cached traversal."""
    from importlib.metadata import version

    if version("jaxlib") == "0.10.2":  # before JAX starts
        os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + XLA_FLAG
    import jax.numpy as jnp
    import optax
    from flax import nnx

    dtype = jnp.bfloat16 if parameters.get("PRECISION") == "bf16" else jnp.float32  # in which layers compute

    class CNN(nnx.Module):
        def __init__(self, rngs):
            conv = partial(nnx.Conv, kernel_size=(3, 3), dtype=dtype, rngs=rngs)
            self.conv1, self.conv2, self.conv3, self.conv4 = conv(3, 50), conv(50, 50), conv(50, 100), conv(100, 100)
            self.linear1 = nnx.Linear(6400, 512, dtype=dtype, rngs=rngs)
            self.linear2 = nnx.Linear(512, 10, rngs=rngs)
            self.dropout1, self.dropout2 = nnx.Dropout(0.25, rngs=rngs), nnx.Dropout(0.25, rngs=rngs)
            self.dropout3 = nnx.Dropout(0.5, rngs=rngs)

        def __call__(self, x):
            x = nnx.relu(self.conv1(x))
            x = self.dropout1(nnx.relu(nnx.max_pool(self.conv2(x), (2, 2), (2, 2))))
            x = nnx.relu(self.conv3(x))
            x = self.dropout2(nnx.relu(nnx.max_pool(self.conv4(x), (2, 2), (2, 2))))
            x = self.dropout3(nnx.relu(self.linear1(x.reshape(x.shape[0], -1))))
            return self.linear2(x)

    @nnx.jit(donate_argnames=("model", "optimizer"))
    def train_step(model, optimizer, x, y):
        def loss_fn(model):
            return optax.softmax_cross_entropy_with_integer_labels(model(x), y).mean()

        loss, grads = nnx.value_and_grad(loss_fn)(model)
        optimizer.update(model, grads)
        return loss

    model = CNN(nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.sgd(0.01, 0.9), wrt=nnx.Param)
    cached_train_step = nnx.cached_partial(train_step, model, optimizer)
    x, y = jnp.asarray(IMAGES_LAST), jnp.asarray(LABELS)
    return lambda: cached_train_step(x, y).item()


def keras_network(parameters):
    import keras
    from keras import layers

    if parameters.get("PRECISION") == "bf16":  # the guide "Mixed precision"
        keras.config.set_dtype_policy("mixed_bfloat16")
    first = keras.config.image_data_format() == "channels_first"
    return keras.Sequential(
        [
            keras.Input((3, 32, 32) if first else (32, 32, 3)),
            layers.Conv2D(50, 3, padding="same", activation="relu"),
            layers.Conv2D(50, 3, padding="same"),
            layers.MaxPooling2D(),
            layers.ReLU(),
            layers.Dropout(0.25),
            layers.Conv2D(100, 3, padding="same", activation="relu"),
            layers.Conv2D(100, 3, padding="same"),
            layers.MaxPooling2D(),
            layers.ReLU(),
            layers.Dropout(0.25),
            layers.Flatten(),
            layers.Dense(512, activation="relu"),
            layers.Dropout(0.5),
            layers.Dense(10, dtype="float32"),
        ]
    )


def keras(parameters):
    """Keras' guide "Training and evaluation with the built-in methods": a step is a `fit` on arrays, of 20 batches."""
    backend = parameters["BACKEND"]
    os.environ["KERAS_BACKEND"] = backend  # read when Keras is imported
    if backend == "jax":  # as in the notebook
        os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + XLA_FLAG
    import keras

    x, y = np.tile(IMAGES_LAST, (20, 1, 1, 1)), np.tile(LABELS, 20)
    if backend == "torch":  # channels first in the shape, last in memory: no copies
        keras.config.set_image_data_format("channels_first")
        x = x.transpose(0, 3, 1, 2)
    model = keras_network(parameters)
    model.compile(
        optimizer=keras.optimizers.SGD(0.01, 0.9),
        jit_compile=parameters.get("JIT_COMPILE", "auto"),
        loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
    )

    def step():
        model.fit(x, y, batch_size=BATCH, verbose=0)

    step.batches = 20
    return step


def keras2(parameters):
    """Keras 2's "Guide to the Sequential model": `fit` on arrays; a step is a fit of 20 batches."""
    os.environ.update(KERAS_BACKEND=parameters["BACKEND"], THEANO_FLAGS=FLAGS + os.environ.get("THEANO_FLAGS", ""))
    import keras  # reads both
    from keras import layers

    keras.backend.set_image_data_format(parameters["DATA_FORMAT"])
    first = parameters["DATA_FORMAT"] == "channels_first"
    model = keras.Sequential([
        layers.Conv2D(50, 3, padding="same", activation="relu", input_shape=(3, 32, 32) if first else (32, 32, 3)),
        layers.Conv2D(50, 3, padding="same"), layers.MaxPooling2D(), layers.Activation("relu"), layers.Dropout(0.25),
        layers.Conv2D(100, 3, padding="same", activation="relu"),
        layers.Conv2D(100, 3, padding="same"), layers.MaxPooling2D(), layers.Activation("relu"), layers.Dropout(0.25),
        layers.Flatten(), layers.Dense(512, activation="relu"), layers.Dropout(0.5),
        layers.Dense(10, activation="softmax"),
    ])
    model.compile(loss="sparse_categorical_crossentropy", optimizer=keras.optimizers.SGD(lr=0.01, momentum=0.9))
    x, y = np.tile(IMAGES if first else IMAGES_LAST, (20, 1, 1, 1)), np.tile(LABELS, 20)

    def step():
        model.fit(x, y, batch_size=BATCH, epochs=1, verbose=0)

    step.batches = 20
    return step


def lasagne(parameters):
    """Lasagne's tutorial, with the workload's network."""
    os.environ["THEANO_FLAGS"] = FLAGS + os.environ.get("THEANO_FLAGS", "")  # read by the import
    import theano
    import theano.tensor as T
    from theano.tensor.signal import pool

    # what Lasagne 0.1 needs of a newer Theano
    pool.max_pool_2d = lambda x, ds, st, padding, **o: pool.pool_2d(x, ds, stride=st, pad=padding, **o)
    theano.tensor.signal.downsample = pool
    warnings.filterwarnings("ignore", "The `image_shape` keyword argument")
    import lasagne
    from lasagne.layers import Conv2DLayer, DenseLayer, DropoutLayer, InputLayer, MaxPool2DLayer, NonlinearityLayer

    input_var, target_var = T.tensor4("inputs"), T.lvector("targets")
    network = InputLayer((None, 3, 32, 32), input_var)
    for filters in (50, 100):
        network = Conv2DLayer(network, filters, (3, 3), pad=1)
        network = MaxPool2DLayer(Conv2DLayer(network, filters, (3, 3), pad=1, nonlinearity=None), (2, 2))
        network = DropoutLayer(NonlinearityLayer(network), 0.25)
    network = DropoutLayer(DenseLayer(network, 512), 0.5)
    network = DenseLayer(network, 10, nonlinearity=lasagne.nonlinearities.softmax)
    loss = lasagne.objectives.categorical_crossentropy(lasagne.layers.get_output(network), target_var).mean()
    params = lasagne.layers.get_all_params(network, trainable=True)
    updates = lasagne.updates.momentum(loss, params, learning_rate=0.01, momentum=0.9)
    train_fn = theano.function([input_var, target_var], loss, updates=updates)
    labels = LABELS.astype(np.int64)
    return lambda: train_fn(IMAGES, labels)


def lightning(parameters):
    """Lightning's guide "Lightning in 15 minutes", in the layout of PyTorch's guide; a step is a fit of 10 batches."""
    import lightning as L
    import torch
    from torch import nn

    logging.getLogger("lightning.pytorch").setLevel(logging.WARNING)
    warnings.filterwarnings("ignore", module="lightning")

    class LitCNN(L.LightningModule):
        def __init__(self):
            super().__init__()
            self.net = torch_network()

        def training_step(self, batch, batch_idx):
            x, y = batch
            return nn.functional.cross_entropy(self.net(x), y)

        def configure_optimizers(self):
            return torch.optim.SGD(self.parameters(), lr=0.01, momentum=0.9)

    model = LitCNN().to(memory_format=torch.channels_last)
    trainer = L.Trainer(
        accelerator="cpu", devices=1, precision="bf16-mixed" if parameters.get("PRECISION") == "bf16" else "32-true",
        max_epochs=0, logger=False, enable_checkpointing=False, enable_progress_bar=False, enable_model_summary=False,
    )
    images = torch.from_numpy(IMAGES).contiguous(memory_format=torch.channels_last)
    batches = torch.utils.data.DataLoader([(images, torch.from_numpy(LABELS))] * 10, batch_size=None)

    def step():
        trainer.fit_loop.max_epochs += 1  # the same model goes on
        trainer.fit(model, batches)

    step.batches = 10
    return step


def mxnet_gluon(parameters):
    """Gluon's crash course, hybridized with a static plan of memory and shapes."""
    import mxnet as mx
    from mxnet import autograd, gluon
    from mxnet.gluon import nn

    net = nn.HybridSequential()
    net.add(
        nn.Conv2D(50, 3, padding=1, activation="relu"), nn.Conv2D(50, 3, padding=1), nn.MaxPool2D(2),
        nn.Activation("relu"), nn.Dropout(0.25),
        nn.Conv2D(100, 3, padding=1, activation="relu"), nn.Conv2D(100, 3, padding=1), nn.MaxPool2D(2),
        nn.Activation("relu"), nn.Dropout(0.25),
        nn.Dense(512, activation="relu"), nn.Dropout(0.5), nn.Dense(10),
    )
    net.initialize(mx.init.Xavier())
    net.hybridize(static_alloc=True, static_shape=True)
    softmax_cross_entropy = gluon.loss.SoftmaxCrossEntropyLoss()
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.01, "momentum": 0.9})
    x, y = mx.nd.array(IMAGES), mx.nd.array(LABELS)

    def step():
        with autograd.record():
            loss = softmax_cross_entropy(net(x), y)
        loss.backward()
        trainer.step(BATCH)
        return loss.mean().asscalar()

    return step


def mxnet_module(parameters):
    """MXNet's tutorial "Module", with its intermediate-level interface."""
    import mxnet as mx

    net = mx.sym.Variable("data")
    for filters in (50, 100):
        net = mx.sym.Activation(mx.sym.Convolution(net, num_filter=filters, kernel=(3, 3), pad=(1, 1)), act_type="relu")
        net = mx.sym.Convolution(net, num_filter=filters, kernel=(3, 3), pad=(1, 1))
        net = mx.sym.Pooling(net, pool_type="max", kernel=(2, 2), stride=(2, 2))
        net = mx.sym.Dropout(mx.sym.Activation(net, act_type="relu"), p=0.25)
    net = mx.sym.Activation(mx.sym.FullyConnected(mx.sym.Flatten(net), num_hidden=512), act_type="relu")
    net = mx.sym.SoftmaxOutput(mx.sym.FullyConnected(mx.sym.Dropout(net, p=0.5), num_hidden=10), name="softmax")
    mod = mx.mod.Module(net)
    mod.bind(data_shapes=[("data", (BATCH, 3, 32, 32))], label_shapes=[("softmax_label", (BATCH,))])
    mod.init_params(mx.init.Xavier())
    mod.init_optimizer(optimizer="sgd", optimizer_params=(("learning_rate", 0.01), ("momentum", 0.9)))
    batch = mx.io.DataBatch([mx.nd.array(IMAGES)], [mx.nd.array(LABELS)])

    def step():
        mod.forward(batch, is_train=True)
        mod.backward()
        mod.update()
        mx.nd.waitall()

    return step


def paddle(parameters):
    """Paddle's tutorial on image classification with CIFAR-10, with the workload's network."""
    import paddle
    from paddle import nn

    model = nn.Sequential(
        nn.Conv2D(3, 50, 3, padding=1), nn.ReLU(), nn.Conv2D(50, 50, 3, padding=1), nn.MaxPool2D(2), nn.ReLU(),
        nn.Dropout(0.25),
        nn.Conv2D(50, 100, 3, padding=1), nn.ReLU(), nn.Conv2D(100, 100, 3, padding=1), nn.MaxPool2D(2), nn.ReLU(),
        nn.Dropout(0.25), nn.Flatten(), nn.Linear(6400, 512), nn.ReLU(), nn.Dropout(0.5), nn.Linear(512, 10),
    )
    criterion = nn.CrossEntropyLoss()
    opt = paddle.optimizer.Momentum(0.01, 0.9, parameters=model.parameters())
    x, y = paddle.to_tensor(IMAGES), paddle.to_tensor(LABELS)

    def step():
        loss = criterion(model(x), y)
        loss.backward()
        opt.step()
        opt.clear_grad()
        return float(loss)

    return step


def torch_network():
    from torch import nn

    return nn.Sequential(
        nn.Conv2d(3, 50, 3, padding=1), nn.ReLU(), nn.Conv2d(50, 50, 3, padding=1), nn.MaxPool2d(2), nn.ReLU(),
        nn.Dropout(0.25),
        nn.Conv2d(50, 100, 3, padding=1), nn.ReLU(), nn.Conv2d(100, 100, 3, padding=1), nn.MaxPool2d(2), nn.ReLU(),
        nn.Dropout(0.25), nn.Flatten(), nn.Linear(6400, 512), nn.ReLU(), nn.Dropout(0.5), nn.Linear(512, 10),
    )


def pytorch(parameters, channels_last=True):
    """PyTorch's "Training a classifier" tutorial, with the memory layout that the performance guide asks for.

    bf16: under autocast, as the guide to mixed precision has it: the forward pass and the loss, not the backward pass.
    """
    import torch
    from torch import nn

    net = torch_network()
    layout = torch.channels_last if channels_last else torch.contiguous_format
    net = net.to(memory_format=layout)
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)
    inputs, labels = torch.from_numpy(IMAGES).contiguous(memory_format=layout), torch.from_numpy(LABELS)
    forward = torch.compile(net) if parameters.get("COMPILE") else net
    bf16 = parameters.get("PRECISION") == "bf16"

    def step():
        optimizer.zero_grad()
        with torch.autocast("cpu", torch.bfloat16, enabled=bf16):
            loss = criterion(forward(inputs), labels)
        loss.backward()
        optimizer.step()
        return loss.item()

    return step


def pytorch_plain(parameters):
    """The same, eager and as the tutorial leaves it: (N, C, H, W) in memory."""
    return pytorch({}, channels_last=False)


def tensorflow(parameters):
    """TensorFlow's guide "Writing a training loop from scratch", with data that is on the device already."""
    import keras
    import tensorflow as tf

    model = keras_network(parameters)  # the layers are Keras'
    loss_fn = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    optimizer = keras.optimizers.SGD(0.01, 0.9)
    x, y = tf.constant(IMAGES_LAST), tf.constant(LABELS)

    @tf.function
    def train_step(x, y):
        with tf.GradientTape() as tape:
            loss_value = loss_fn(y, model(x, training=True))
        grads = tape.gradient(loss_value, model.trainable_weights)
        optimizer.apply_gradients(zip(grads, model.trainable_weights, strict=True))
        return loss_value

    return lambda: train_step(x, y).numpy()


def tensorflow1(parameters):
    """TensorFlow 1's tutorial "A guide to TF layers", with the workload's network, its batch fed."""
    import tensorflow as tf

    graph = tf.Graph()
    with graph.as_default():
        features, labels = tf.placeholder(tf.float32, (None, 32, 32, 3)), tf.placeholder(tf.int64, (None,))
        out = features
        for filters in (50, 100):
            out = tf.layers.conv2d(out, filters, 3, padding="same", activation=tf.nn.relu)
            out = tf.layers.conv2d(out, filters, 3, padding="same")
            out = tf.layers.dropout(tf.nn.relu(tf.layers.max_pooling2d(out, 2, 2)), 0.25, training=True)
        out = tf.layers.dense(tf.layers.flatten(out), 512, activation=tf.nn.relu)
        logits = tf.layers.dense(tf.layers.dropout(out, 0.5, training=True), 10)
        loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
        train_op = tf.train.MomentumOptimizer(0.01, 0.9).minimize(loss)
        init = tf.global_variables_initializer()
    session = tf.Session(graph=graph)
    session.run(init)
    return lambda: session.run([train_op, loss], {features: IMAGES_LAST, labels: LABELS})[1]


def theano(parameters):
    """The Deep Learning Tutorials' "Convolutional neural networks", with the workload's network."""
    os.environ["THEANO_FLAGS"] = FLAGS + os.environ.get("THEANO_FLAGS", "")  # read by the import
    import theano
    import theano.tensor as T
    from theano.sandbox.rng_mrg import MRG_RandomStreams
    from theano.tensor.nnet import conv2d
    from theano.tensor.signal import pool

    rng, srng = np.random.RandomState(0), MRG_RandomStreams(1)
    params = []

    def weights(*shape, bias):
        w = theano.shared(rng.normal(0, 0.05, shape).astype(np.float32), borrow=True)
        b = theano.shared(np.zeros(bias, np.float32), borrow=True)
        params.extend([w, b])
        return w, b

    def conv(x, filters, channels):
        w, b = weights(filters, channels, 3, 3, bias=filters)
        return conv2d(x, w, border_mode="half", filter_flip=False) + b.dimshuffle("x", 0, "x", "x")

    def drop(x, rate):
        return x * srng.binomial(x.shape, p=1 - rate, dtype="float32") / np.float32(1 - rate)

    x, y = T.tensor4("x"), T.lvector("y")
    out = x
    for filters, channels in ((50, 3), (100, 50)):
        out = conv(T.nnet.relu(conv(out, filters, channels)), filters, filters)
        out = drop(T.nnet.relu(pool.pool_2d(out, (2, 2), ignore_border=True)), 0.25)
    w, b = weights(6400, 512, bias=512)
    out = drop(T.nnet.relu(T.dot(out.flatten(2), w) + b), 0.5)
    w, b = weights(512, 10, bias=10)
    p_y = T.nnet.softmax(T.dot(out, w) + b)
    cost = T.nnet.categorical_crossentropy(p_y, y).mean()
    updates = OrderedDict()
    for param, grad in zip(params, T.grad(cost, params)):
        velocity = theano.shared(np.zeros_like(param.get_value()), broadcastable=param.broadcastable)
        updates[velocity] = np.float32(0.9) * velocity - np.float32(0.01) * grad
        updates[param] = param + updates[velocity]
    train = theano.function(
        [],
        cost,
        updates=updates,
        givens={x: theano.shared(IMAGES, borrow=True), y: theano.shared(LABELS.astype(np.int64), borrow=True)},
    )
    return train
