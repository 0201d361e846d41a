"""MXNet's tutorial "Module", with its intermediate-level interface, and the fused cell of mx.rnn, time first."""

from tests.bare.gru_imdb import BATCH, LABELS, TOKENS


def bare(parameters):
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
