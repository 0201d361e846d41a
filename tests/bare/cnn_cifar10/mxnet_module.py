"""MXNet's tutorial "Module", with its intermediate-level interface."""

from tests.bare.cnn_cifar10 import BATCH, IMAGES, LABELS


def bare(parameters):
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
