"""A random batch of 32 images, and each framework's own way to the features. A step is one batch, forward only."""

import os
import tempfile
import warnings
from functools import partial

import numpy as np

from tests.bare.cnn_cifar10 import FLAGS, XLA_FLAG

BATCH = 32
IMAGES = np.random.RandomState(0).rand(BATCH, 3, 224, 224).astype(np.float32)
IMAGES_LAST = np.ascontiguousarray(IMAGES.transpose(0, 2, 3, 1))


def caffe_prototxt(folded):
    import caffe
    from caffe import layers as L
    from caffe import params as P

    net = caffe.NetSpec()

    def conv_bn(bottom, name, suffix, **shape):
        bias = folded or name == "conv1"
        top = L.Convolution(bottom, bias_term=bias, weight_filler=dict(type="msra"), **shape)
        net[name] = top
        if not folded:
            net["bn" + suffix] = L.BatchNorm(top, use_global_stats=True, in_place=True)
            top = net["scale" + suffix] = L.Scale(net["bn" + suffix], bias_term=True, in_place=True)
        return top

    net.data = L.Input(input_param=dict(shape=dict(dim=[BATCH, 3, 224, 224])))
    top = conv_bn(net.data, "conv1", "_conv1", num_output=64, kernel_size=7, stride=2, pad=3)
    top = L.ReLU(top, in_place=True)
    top = net.pool1 = L.Pooling(top, pool=P.Pooling.MAX, kernel_size=3, stride=2, pad=1, round_mode=P.Pooling.FLOOR)
    for number, letters in ((2, "abc"), (3, "abcd"), (4, "abcdef"), (5, "abc")):
        width = 16 * 2**number
        for letter in letters:
            unit, stride, shortcut = f"{number}{letter}", 1, top
            if letter == "a":
                stride = 1 if number == 2 else 2
                names = f"res{unit}_branch1", f"{unit}_branch1"
                shortcut = conv_bn(top, *names, num_output=4 * width, kernel_size=1, stride=stride)
            for branch, shape in (
                ("2a", dict(num_output=width, kernel_size=1, stride=stride)),
                ("2b", dict(num_output=width, kernel_size=3, pad=1)),
                ("2c", dict(num_output=4 * width, kernel_size=1)),
            ):
                top = conv_bn(top, f"res{unit}_branch{branch}", f"{unit}_branch{branch}", **shape)
                if branch != "2c":
                    top = L.ReLU(top, in_place=True)
            net["res" + unit] = L.Eltwise(shortcut, top)
            top = L.ReLU(net["res" + unit], in_place=True)
    net.pool5 = L.Pooling(top, pool=P.Pooling.AVE, kernel_size=7, stride=1)
    return str(net.to_proto())


def caffe(parameters):
    """The authors' own prototxt, ResNet-50-deploy: everything in place, no convolution biases but the first.

    Its pooling is ours; a folded row is held against the same network without BatchNorm and Scale, with biases.
    """
    import caffe

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "deploy.prototxt")
        with open(path, "w") as file:
            file.write(caffe_prototxt(parameters.get("FOLD", False)))
        net = caffe.Net(path, caffe.TEST)
    for layer in net.layers:
        if layer.type == "BatchNorm":  # an untrained one would divide by nearly nothing
            layer.blobs[1].data[...] = layer.blobs[2].data[...] = 1

    def step():
        net.blobs["data"].data[...] = IMAGES
        return net.forward()["pool5"]

    return step


def caffe2(parameters):
    """Caffe2's own `ResNetBuilder`, without convolution biases, with the strides of Keras, on the IDEEP device.

    It has a workspace of its own, because a notebook's make_model empties the default one. Folded as the row is.
    """
    from caffe2.python import workspace

    workspace.SwitchWorkspace("bare", True)
    net = caffe2_net(parameters.get("FREEZE"))
    workspace.CreateNet(net)
    workspace.SwitchWorkspace("default", True)

    def step():
        workspace.SwitchWorkspace("bare")
        workspace.RunNet(net)
        found = workspace.FetchBlob("bare_mean")
        workspace.SwitchWorkspace("default")
        return found

    return step


def caffe2_net(folded):
    """The net for inference, its weights and its batch in the current workspace."""
    from caffe2.proto import caffe2_pb2
    from caffe2.python import brew, core, model_helper, workspace
    from caffe2.python.models.resnet import ResNetBuilder
    from caffe2.python.transformations import optimizeForIDEEP

    class Builder(ResNetBuilder):
        def add_bottleneck(self, input_filters, base_filters, output_filters, stride=1):
            self.comp_idx, shortcut = 0, self.prev_blob
            # Keras' place for the stride: the parent's, the second convolution, has more to compute
            for filters_in, filters, kernel, step in (
                (input_filters, base_filters, 1, stride),
                (base_filters, base_filters, 3, 1),
                (base_filters, output_filters, 1, 1),
            ):
                self.add_conv(filters_in, filters, kernel=kernel, stride=step, pad=kernel // 2)
                self.add_spatial_bn(filters)
                if filters == base_filters:
                    self.add_relu()
            last = self.prev_blob
            if output_filters != input_filters:
                self.prev_blob = shortcut
                self.add_conv(input_filters, output_filters, kernel=1, stride=stride)
                shortcut = self.add_spatial_bn(output_filters)
            self.prev_blob = brew.sum(self.model, [last, shortcut], "bare_sum_%d" % self.comp_count)
            self.add_relu()
            self.comp_count += 1

    ideep = core.DeviceOption(caffe2_pb2.IDEEP)
    model = model_helper.ModelHelper(name="bare", arg_scope={"order": "NCHW"})
    with core.DeviceScope(ideep):
        builder = Builder(model, "bare_data", no_bias=True, is_test=True)
        builder.prev_blob = brew.conv(model, "bare_data", "conv1", 3, 64, kernel=7, stride=2, pad=3, no_bias=1)
        builder.add_spatial_bn(64)
        builder.add_relu()
        builder.prev_blob = brew.max_pool(model, builder.prev_blob, "pool1", kernel=3, stride=2, pad=1)
        channels = 64
        for number, blocks in enumerate((3, 4, 6, 3)):
            width = 64 * 2**number
            for k in range(blocks):
                builder.add_bottleneck(channels, width, 4 * width, stride=2 if number and not k else 1)
                channels = 4 * width
        brew.average_pool(model, builder.prev_blob, "bare_mean", global_pooling=True)
    workspace.FeedBlob("bare_data", IMAGES, ideep)
    workspace.RunNetOnce(model.param_init_net)
    if folded:
        optimizeForIDEEP(model.net)
    return model.net


def chainer(parameters):
    """Chainer's own ResNet-50, whose strides are ours, up to "pool5": without biases; iDeep as "Tips and FAQs" asks."""
    import chainer
    import chainer.links as L

    chainer.config.use_ideep = "auto"
    net = L.ResNet50Layers(pretrained_model=None)
    net.to_device("@intel64")

    def step():
        with chainer.using_config("train", False), chainer.using_config("enable_backprop", False):
            return net(IMAGES, layers=["pool5"])["pool5"].array

    return step


def cntk_network():
    import cntk as C

    def conv_bn(x, size, channels, stride=1):
        options = {"init": C.he_normal(), "pad": True, "strides": stride, "bias": False}
        x = C.layers.Convolution2D((size, size), channels, activation=None, **options)(x)
        return C.layers.BatchNormalization(map_rank=1, normalization_time_constant=4096, use_cntk_engine=False)(x)

    def bottleneck(x, width, stride):
        y = C.relu(conv_bn(x, 1, width, stride))
        y = C.relu(conv_bn(y, 3, width))
        y = conv_bn(y, 1, 4 * width)
        return C.relu(y + (x if x.shape[0] == 4 * width else conv_bn(x, 1, 4 * width, stride)))

    images = C.input_variable((3, 224, 224))
    x = C.relu(conv_bn(images, 7, 64, 2))
    x = C.layers.MaxPooling((3, 3), strides=2, pad=True)(x)
    for number, blocks in enumerate((3, 4, 6, 3)):
        for k in range(blocks):
            x = bottleneck(x, 64 * 2**number, 2 if number and not k else 1)
    return C.layers.AveragePooling((7, 7))(x)


def cntk(parameters):
    """ResNet-50 as CNTK's own ResNet example builds its networks, without convolution biases, with Keras' strides."""
    net = cntk_network()
    for constant in net.constants:  # 0 in a layer that was never trained: the numbers would be infinite
        if constant.name == "aggregate_variance":
            constant.value = np.ones(constant.shape, np.float32)
    return lambda: net.eval(IMAGES)


def jax_network(dtype):
    import jax.numpy as jnp
    from flax import nnx

    rngs = nnx.Rngs(0)
    conv = partial(nnx.Conv, use_bias=False, dtype=dtype, rngs=rngs)
    norm = partial(nnx.BatchNorm, use_running_average=True, dtype=dtype, rngs=rngs)

    class BottleneckBlock(nnx.Module):
        def __init__(self, features_in, features, strides):
            self.conv1, self.norm1 = conv(features_in, features, (1, 1), strides), norm(features)
            self.conv2, self.norm2 = conv(features, features, (3, 3)), norm(features)
            self.conv3, self.norm3 = conv(features, 4 * features, (1, 1)), norm(4 * features)
            self.projects = features_in != 4 * features
            if self.projects:
                self.conv_proj = conv(features_in, 4 * features, (1, 1), strides)
                self.norm_proj = norm(4 * features)

        def __call__(self, x):
            y = nnx.relu(self.norm1(self.conv1(x)))
            y = nnx.relu(self.norm2(self.conv2(y)))
            y = self.norm3(self.conv3(y))
            if self.projects:
                x = self.norm_proj(self.conv_proj(x))
            return nnx.relu(x + y)

    class ResNet(nnx.Module):
        def __init__(self):
            self.conv_init, self.bn_init = conv(3, 64, (7, 7), (2, 2), padding=[(3, 3), (3, 3)]), norm(64)
            blocks, channels = [], 64
            for number, size in enumerate((3, 4, 6, 3)):
                for k in range(size):
                    blocks.append(BottleneckBlock(channels, 64 * 2**number, 2 if number and not k else 1))
                    channels = 256 * 2**number
            self.blocks = nnx.List(blocks)

        def __call__(self, x):
            x = nnx.relu(self.bn_init(self.conv_init(x)))
            x = nnx.max_pool(x, (3, 3), strides=(2, 2), padding=((1, 1), (1, 1)))
            for block in self.blocks:
                x = block(x)
            return jnp.mean(x, axis=(1, 2))

    return ResNet()


def jax(parameters):
    """ResNet-50 as Flax's ImageNet example builds it, without convolution biases, in NNX, with the strides of Keras.

    Channels last, jitted over the split model; XLA's own convolutions. bf16: convolutions and BatchNorm compute in it,
    as in the example's half precision.
    """
    from importlib.metadata import version

    if version("jaxlib") == "0.10.2":  # before JAX starts
        os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + XLA_FLAG
    import jax
    import jax.numpy as jnp
    from flax import nnx

    dtype = jnp.bfloat16 if parameters.get("PRECISION") == "bf16" else jnp.float32
    graphdef, state = nnx.split(jax_network(dtype))

    @jax.jit
    def forward(state, images):
        return nnx.merge(graphdef, state)(images)

    images = jnp.asarray(IMAGES_LAST)
    return lambda: forward(state, images).block_until_ready()


def keras(parameters):
    """keras.applications' ResNet-50 without its last layer, whose strides are ours; a step is `predict_on_batch`."""
    os.environ["KERAS_BACKEND"] = parameters["BACKEND"]  # read when Keras is imported
    import keras

    if parameters.get("PRECISION") == "bf16":
        keras.config.set_dtype_policy("mixed_bfloat16")
    inputs = IMAGES
    if parameters["BACKEND"] == "torch":  # PyTorch's order of the axes saves Keras the transpositions
        keras.config.set_image_data_format("channels_first")
    else:
        inputs = IMAGES_LAST
    model = keras.applications.ResNet50(weights=None, include_top=False, pooling="avg")
    if "JIT_COMPILE" in parameters:
        model.compile(jit_compile=parameters["JIT_COMPILE"])

    def step():
        return model.predict_on_batch(inputs)

    return step


def keras2(parameters):
    """keras.applications' ResNet-50 of this release, with our strides, for inference; a step is `predict_on_batch`."""
    os.environ.update(KERAS_BACKEND=parameters["BACKEND"], THEANO_FLAGS=FLAGS + os.environ.get("THEANO_FLAGS", ""))
    import keras  # reads both

    keras.backend.set_image_data_format(parameters["DATA_FORMAT"])
    keras.backend.set_learning_phase(0)
    model = keras.applications.ResNet50(weights=None, include_top=False, pooling="avg")
    first = parameters["DATA_FORMAT"] == "channels_first"
    inputs = IMAGES if first else IMAGES_LAST
    return lambda: model.predict_on_batch(inputs)


def mxnet_gluon(parameters):
    """Gluon's model zoo: resnet50_v1 has our strides. Hybridized with a static plan; folded by oneDNN as the row is."""
    import mxnet as mx
    from mxnet.gluon.model_zoo import vision

    net = vision.resnet50_v1().features
    net.initialize(mx.init.MSRAPrelu())
    inputs = mx.nd.array(IMAGES)
    flags = {"static_alloc": True, "static_shape": True}
    net.hybridize(**flags)
    if parameters.get("FREEZE"):
        net(inputs)  # the zoo's layers learn their sizes here
        net.optimize_for(inputs, backend="MKLDNN", clear=True, **flags)

    def step():
        net(inputs).wait_to_read()

    return step


def mxnet_module(parameters):
    """MXNet's own way to features of a trained network: the internals of a symbol, bound to a module for inference.

    The symbol is that of Gluon's model zoo: its resnet50_v1 has Keras' strides.
    """
    import mxnet as mx
    from mxnet.gluon.model_zoo import vision

    sym = vision.resnet50_v1()(mx.sym.Variable("data"))
    pools = [name for name in sym.get_internals().list_outputs() if "pool" in name]
    mod = mx.mod.Module(sym.get_internals()[pools[-1]], label_names=None, context=mx.cpu())
    mod.bind(data_shapes=[("data", IMAGES.shape)], for_training=False)
    mod.init_params(mx.init.MSRAPrelu())
    batch = mx.io.DataBatch([mx.nd.array(IMAGES)])

    def step():
        mod.forward(batch, is_train=False)
        mod.get_outputs()[0].wait_to_read()

    return step


def onnxruntime(parameters):
    """ONNX Runtime's own way: a session with its default options on an exported file, whose batch size is fixed.

    The network is that of PyTorch's bare script, exported by the old exporter.
    """
    import onnxruntime as ort
    import torch

    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        path = os.path.join(folder, "net.onnx")
        torch.onnx.export(torch_network(), (torch.from_numpy(IMAGES),), path, input_names=["input"], dynamo=False)
        session = ort.InferenceSession(path, providers=["CPUExecutionProvider"])
    return lambda: session.run(None, {"input": IMAGES})


def openvino(parameters):
    """OpenVINO's own way: PyTorch's module converted without a file, its shape fixed, an infer request in fp32."""
    import openvino as ov
    import torch
    from openvino.properties import hint

    converted = ov.convert_model(torch_network(), example_input=torch.from_numpy(IMAGES), input=list(IMAGES.shape))
    config = {hint.inference_precision: ov.Type.f32, hint.performance_mode: hint.PerformanceMode.LATENCY}
    request = ov.Core().compile_model(converted, "CPU", config).create_infer_request()
    return lambda: request.infer([IMAGES], share_inputs=True)


def torch_network():
    import torch
    from torch import nn

    class Bottleneck(nn.Module):
        def __init__(self, channels, width, stride):
            super().__init__()
            self.conv1, self.bn1 = nn.Conv2d(channels, width, 1, bias=False), nn.BatchNorm2d(width)
            self.conv2 = nn.Conv2d(width, width, 3, stride=1, padding=1, bias=False)
            self.conv1.stride = (stride, stride)  # Keras' place for it: torchvision's has more to compute
            self.bn2 = nn.BatchNorm2d(width)
            self.conv3, self.bn3 = nn.Conv2d(width, 4 * width, 1, bias=False), nn.BatchNorm2d(4 * width)
            self.relu, self.downsample = nn.ReLU(inplace=True), None
            if stride != 1 or channels != 4 * width:
                conv = nn.Conv2d(channels, 4 * width, 1, stride=stride, bias=False)
                self.downsample = nn.Sequential(conv, nn.BatchNorm2d(4 * width))

        def forward(self, x):
            out = self.relu(self.bn1(self.conv1(x)))
            out = self.relu(self.bn2(self.conv2(out)))
            out = self.bn3(self.conv3(out))
            out += x if self.downsample is None else self.downsample(x)
            return self.relu(out)

    layers = [nn.Conv2d(3, 64, 7, stride=2, padding=3, bias=False), nn.BatchNorm2d(64), nn.ReLU(inplace=True)]
    layers.append(nn.MaxPool2d(3, stride=2, padding=1))
    channels = 64
    for number, blocks in enumerate((3, 4, 6, 3)):
        width = 64 * 2**number
        for k in range(blocks):
            layers.append(Bottleneck(channels, width, 2 if number and not k else 1))
            channels = 4 * width
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten()).eval().to(memory_format=torch.channels_last)


def pytorch(parameters):
    """ResNet-50 as torchvision builds it, without convolution biases, but with the strides of Keras.

    Channels last, inference mode; compiled or frozen as the row is; bf16: weights and images converted once.
    """
    import torch

    dtype = torch.bfloat16 if parameters.get("PRECISION") == "bf16" else torch.float32
    net = torch_network().to(dtype)
    inputs = torch.from_numpy(IMAGES).to(dtype, memory_format=torch.channels_last)
    if parameters.get("COMPILE"):
        from torch._inductor import config

        config.freezing = bool(parameters.get("FREEZE"))
        net = torch.compile(net, dynamic=False)

    def step():
        with torch.inference_mode():
            return net(inputs)

    return step


def tensorflow_network(dtype):
    import tensorflow as tf

    def layer(channels, filters, size=1, stride=1):
        kernel = tf.Variable(tf.cast(tf.keras.initializers.HeNormal()((size, size, channels, filters)), dtype))
        gamma, beta = tf.Variable(tf.ones(filters)), tf.Variable(tf.zeros(filters))
        mean, variance = tf.Variable(tf.zeros(filters)), tf.Variable(tf.ones(filters))

        def call(x):
            if size == 7:
                x = tf.pad(x, [[0, 0], [3, 3], [3, 3], [0, 0]])
            x = tf.nn.conv2d(x, kernel, stride, "VALID" if size == 7 else "SAME")
            return tf.compat.v1.nn.fused_batch_norm(x, gamma, beta, mean, variance, is_training=False)[0]

        return call

    def bottleneck(channels, width, stride):
        reduce, conv, expand = layer(channels, width, 1, stride), layer(width, width, 3), layer(width, 4 * width)
        shortcut = layer(channels, 4 * width, 1, stride) if channels != 4 * width else tf.identity
        return lambda x: tf.nn.relu(expand(tf.nn.relu(conv(tf.nn.relu(reduce(x))))) + shortcut(x))

    first, blocks, channels = layer(3, 64, 7, 2), [], 64
    for number, count in enumerate((3, 4, 6, 3)):
        for k in range(count):
            blocks.append(bottleneck(channels, 64 * 2**number, 2 if number and not k else 1))
            channels = 256 * 2**number

    def forward(x):
        x = tf.nn.max_pool2d(tf.nn.relu(first(x)), 3, 2, [[0, 0], [1, 1], [1, 1], [0, 0]])
        for block in blocks:
            x = block(x)
        return tf.reduce_mean(x, [1, 2])

    return forward


def tensorflow(parameters):
    """ResNet-50 in TensorFlow's own functions, without convolution biases, with Keras' strides; under `tf.function`.

    Keras' own ResNet50 has biases; Grappler then leaves convolution and BatchNorm apart, and takes longer.
    """
    import tensorflow as tf

    dtype = tf.bfloat16 if parameters.get("PRECISION") == "bf16" else tf.float32  # of kernels and images
    net = tf.function(tensorflow_network(dtype))
    images = tf.cast(IMAGES_LAST, dtype)
    return lambda: net(images).numpy()


def tensorflow1_network(tf):
    """A function of images (32, 224, 224, 3), which a session runs."""
    from tensorflow.contrib import slim
    from tensorflow.contrib.slim.python.slim.nets import resnet_utils, resnet_v1

    graph = tf.Graph()
    with graph.as_default(), slim.arg_scope(resnet_utils.resnet_arg_scope()):
        with slim.arg_scope([slim.batch_norm], is_training=False):
            inputs = tf.placeholder(tf.float32, (BATCH, 224, 224, 3))
            net = resnet_utils.conv2d_same(inputs, 64, 7, stride=2, scope="conv1")
            net = tf.pad(net, [[0, 0], [1, 1], [1, 1], [0, 0]])  # "SAME" is another pooling
            net = slim.max_pool2d(net, 3, stride=2, padding="VALID", scope="pool1")
            for number, units in enumerate((3, 4, 6, 3)):
                width = 64 * 2**number
                if number:  # Keras' place for the stride: Slim's has less to compute
                    net = resnet_utils.subsample(net, 2)
                for k in range(units):
                    net = resnet_v1.bottleneck(net, 4 * width, width, 1, scope="unit{}_{}".format(number, k))
            features = tf.reduce_mean(net, [1, 2])
        init = tf.global_variables_initializer()
    session = tf.Session(graph=graph)
    session.run(init)
    return lambda images: session.run(features, {inputs: images})


def tensorflow1(parameters):
    """TF-Slim's ResNet v1 without convolution biases, but with the strides and paddings of Keras; its batch fed."""
    import tensorflow as tf

    infer = tensorflow1_network(tf)
    return lambda: infer(IMAGES_LAST)
