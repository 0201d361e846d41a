"""Chainer's own ResNet-50, whose strides are ours, up to "pool5": without biases, with iDeep as "Tips and FAQs" asks."""

import os

from tests.bare.resnet50_features import IMAGES


def bare(parameters):
    cpu = open("/proc/cpuinfo").read()
    if "GenuineIntel" not in cpu and " avx2 " in cpu:  # else MKL takes its slowest code
        os.environ["MKL_DEBUG_CPU_TYPE"] = "5"
    import chainer
    import chainer.links as L

    chainer.config.use_ideep = "auto"
    net = L.ResNet50Layers(pretrained_model=None)
    net.to_device("@intel64")

    def step():
        with chainer.using_config("train", False), chainer.using_config("enable_backprop", False):
            return net(IMAGES, layers=["pool5"])["pool5"].array

    return step
