"""Gluon's model zoo: resnet50_v1 has Keras' strides. Hybridized with a static plan; folded by oneDNN as the row is."""

from tests.bare.resnet50_features import IMAGES


def bare(parameters):
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
