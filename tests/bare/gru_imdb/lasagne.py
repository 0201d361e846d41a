"""Lasagne's own example of a recurrent network, with its GRULayer and its Adam, and the workload's sizes."""

import os

import numpy as np

from tests.bare.cnn_cifar10.theano import FLAGS
from tests.bare.gru_imdb import LABELS, TOKENS


def bare(parameters):
    os.environ["THEANO_FLAGS"] = FLAGS + os.environ.get("THEANO_FLAGS", "")  # read by the import
    import theano
    import theano.tensor as T
    from theano.tensor.signal import pool

    theano.tensor.signal.downsample = pool  # what Lasagne 0.1 needs of a newer Theano
    import lasagne
    from lasagne.layers import DenseLayer, EmbeddingLayer, GRULayer, InputLayer, SliceLayer

    input_var, target_var = T.imatrix("inputs"), T.lvector("targets")
    network = InputLayer((None, 150), input_var)
    network = EmbeddingLayer(network, 30000, 125)
    network = GRULayer(network, 100, learn_init=False)
    network = SliceLayer(network, -1, 1)
    network = DenseLayer(network, 2, nonlinearity=lasagne.nonlinearities.softmax)
    loss = lasagne.objectives.categorical_crossentropy(lasagne.layers.get_output(network), target_var).mean()
    params = lasagne.layers.get_all_params(network, trainable=True)
    updates = lasagne.updates.adam(loss, params, learning_rate=0.001)
    train_fn = theano.function([input_var, target_var], loss, updates=updates)
    tokens, labels = TOKENS.astype(np.int32), LABELS.astype(np.int64)
    return lambda: train_fn(tokens, labels)
