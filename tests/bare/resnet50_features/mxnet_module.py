"""MXNet's own way to features of a trained network: the internals of a symbol, bound to a module for inference.

The symbol is that of Gluon's model zoo: its resnet50_v1 has Keras' strides.
"""

from tests.bare.resnet50_features import IMAGES


def bare(parameters):
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
