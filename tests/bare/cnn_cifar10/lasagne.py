"""Lasagne's tutorial, with the workload's network."""

import os
import warnings

import numpy as np

from tests.bare.cnn_cifar10 import IMAGES, LABELS
from tests.bare.cnn_cifar10.theano import FLAGS


def bare(parameters):
    os.environ["THEANO_FLAGS"] = FLAGS + os.environ.get("THEANO_FLAGS", "")  # read by the import
    import theano
    import theano.tensor as T
    from theano.tensor.signal import pool

    # what Lasagne 0.1 needs of a newer Theano
    pool.max_pool_2d = lambda x, ds, st, padding, **o: pool.pool_2d(x, ds, stride=st, pad=padding, **o)
    theano.tensor.signal.downsample = pool
    warnings.filterwarnings("ignore", "The `image_shape` keyword argument")
    import lasagne
    from lasagne.layers import Conv2DLayer, DenseLayer, DropoutLayer, InputLayer, MaxPool2DLayer, NonlinearityLayer

    input_var, target_var = T.tensor4("inputs"), T.lvector("targets")
    network = InputLayer((None, 3, 32, 32), input_var)
    for filters in (50, 100):
        network = Conv2DLayer(network, filters, (3, 3), pad=1)
        network = MaxPool2DLayer(Conv2DLayer(network, filters, (3, 3), pad=1, nonlinearity=None), (2, 2))
        network = DropoutLayer(NonlinearityLayer(network), 0.25)
    network = DropoutLayer(DenseLayer(network, 512), 0.5)
    network = DenseLayer(network, 10, nonlinearity=lasagne.nonlinearities.softmax)
    loss = lasagne.objectives.categorical_crossentropy(lasagne.layers.get_output(network), target_var).mean()
    params = lasagne.layers.get_all_params(network, trainable=True)
    updates = lasagne.updates.momentum(loss, params, learning_rate=0.01, momentum=0.9)
    train_fn = theano.function([input_var, target_var], loss, updates=updates)
    labels = LABELS.astype(np.int64)
    return lambda: train_fn(IMAGES, labels)
