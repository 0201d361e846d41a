"""Chainer's example of text classification, with reviews of one length; as a loop where the row has one."""

import numpy as np

from tests.bare.gru_imdb import BATCH, LABELS, TOKENS


def bare(parameters):
    import chainer
    import chainer.functions as F
    import chainer.links as L

    chainer.config.type_check = False
    net = chainer.Chain(
        embedding=L.EmbedID(30000, 125), gru=L.NStepGRU(1, 125, 100, 0), dense=L.Linear(100, 2)
    )
    optimizer = chainer.optimizers.Adam()
    optimizer.setup(net)
    tokens, labels = TOKENS.astype(np.int32), LABELS.astype(np.int32)

    def layer():
        last, _ = net.gru(None, F.separate(net.embedding(tokens)))
        return last[0]

    def loop():
        w, w_state, b, b_state = [
            F.concat(gates, axis=0) for p in (net.gru.ws[0], net.gru.bs[0]) for gates in (p[:3], p[3:])
        ]
        inputs = F.split_axis(F.linear(net.embedding(tokens.T), w, b, n_batch_axes=2), [200], axis=2)
        h = np.zeros((BATCH, 100), np.float32)
        for rz_word, n_word in zip(F.separate(inputs[0]), F.separate(inputs[1])):
            rz_state, n_state = F.split_axis(F.linear(h, w_state, b_state), [200], axis=1)
            r, z = F.split_axis(F.sigmoid(rz_word + rz_state), 2, axis=1)
            h = F.linear_interpolate(z, h, F.tanh(n_word + r * n_state))
        return h

    state = {"layer": layer, "loop": loop}[parameters["FORM"]]

    def step():
        loss = F.softmax_cross_entropy(net.dense(state()), labels)
        net.cleargrads()
        loss.backward()
        optimizer.update()
        return float(loss.array)

    return step
