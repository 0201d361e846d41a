"""Gluon's tutorials on recurrent networks, time first, hybridized with a static plan of memory and shapes."""

from tests.bare.gru_imdb import BATCH, LABELS, TOKENS


def bare(parameters):
    import mxnet as mx
    from mxnet import autograd, gluon
    from mxnet.gluon import nn, rnn

    class Net(nn.HybridBlock):
        def __init__(self):
            super().__init__()
            with self.name_scope():
                self.embedding, self.gru = nn.Embedding(30000, 125), rnn.GRU(100, input_size=125)
                self.dense = nn.Dense(2, in_units=100)

        def hybrid_forward(self, F, x):
            states = self.gru(self.embedding(F.transpose(x)))
            return self.dense(F.squeeze(F.slice_axis(states, axis=0, begin=-1, end=None), axis=0))

    net = Net()
    net.initialize(mx.init.Xavier())
    net.hybridize(static_alloc=True, static_shape=True)
    softmax_cross_entropy = gluon.loss.SoftmaxCrossEntropyLoss()
    softmax_cross_entropy.hybridize()
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.001})
    x, y = mx.nd.array(TOKENS, dtype="int32"), mx.nd.array(LABELS, dtype="int32")

    def step():
        with autograd.record():
            loss = softmax_cross_entropy(net(x), y)
        loss.backward()
        trainer.step(BATCH)
        return loss.mean().asscalar()

    return step
