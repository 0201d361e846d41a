"""The authors' own prototxt, ResNet-50-deploy: everything in place, no convolution biases but the first.

Its pooling is ours; a folded row is held against the same network without BatchNorm and Scale, with biases.
"""

import os
import tempfile

from tests.bare.resnet50_features import BATCH, IMAGES


def prototxt(folded):
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


def bare(parameters):
    import caffe

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "deploy.prototxt")
        with open(path, "w") as file:
            file.write(prototxt(parameters.get("FOLD", False)))
        net = caffe.Net(path, caffe.TEST)
    for layer in net.layers:
        if layer.type == "BatchNorm":  # an untrained one would divide by nearly nothing
            layer.blobs[1].data[...] = layer.blobs[2].data[...] = 1

    def step():
        net.blobs["data"].data[...] = IMAGES
        return net.forward()["pool5"]

    return step
