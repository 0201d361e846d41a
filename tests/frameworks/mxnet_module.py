"""MXNet's tutorial "Module", with its intermediate-level interface."""

from tests.frameworks import BATCH, IMAGES, LABELS, plants

PLANTS = plants((
    'x = mx.sym.Convolution(x, name="conv3", num_filter=100, kernel=(3, 3), pad=(1, 1))',
    'x = mx.sym.pad(x, mode="constant", pad_width=(0, 0, 0, 0, 0, 2, 0, 2), constant_value=0)\n'
    '    x = mx.sym.Convolution(x, name="conv3", num_filter=100, kernel=(3, 3))',
))
PASTED = """
model = make_model(make_symbol(dropout=(0, 0, 0)), None)
x, y = mx.nd.random.uniform(shape=(8, 3, 32, 32)), mx.nd.array(range(8))
values = [train_step(model, x, y).asscalar() for _ in range(20)]
"""
STEP = """
_model = make_model(make_symbol(), weights)
def step():
    i = mx.nd.array(next(_order), ctx=ctx, dtype="int32")
    return train_step(_model, mx.nd.take(x_train, i), mx.nd.take(y_train, i)).asscalar()
"""


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
