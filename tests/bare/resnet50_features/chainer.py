"""Chainer's own ResNet-50, whose strides are ours, up to "pool5": without biases, with iDeep as "Tips and FAQs" asks."""

from tests.bare.resnet50_features import IMAGES


def bare(parameters):
    import chainer
    import chainer.links as L

    chainer.config.use_ideep = "auto"
    net = L.ResNet50Layers(pretrained_model=None)
    net.to_device("@intel64")

    def step():
        with chainer.using_config("train", False), chainer.using_config("enable_backprop", False):
            return net(IMAGES, layers=["pool5"])["pool5"].array

    return step
