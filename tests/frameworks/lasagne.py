"""Lasagne's tutorial, with the workload's network."""

import numpy as np

from tests.frameworks import IMAGES, LABELS, plants

PLANTS = plants((
    "Conv2D(net, 100, 3, pad=1)", "Conv2D(layers.PadLayer(net, [(0, 2), (0, 2)]), 100, 3)",
))
PASTED = """
model = make_model(dropout=(0, 0, 0))
images, classes = theano.shared(np.random.rand(8, 3, 32, 32).astype(np.float32)), theano.shared(np.arange(8))
step = make_train_step(model, images, classes)
values = [float(step(np.arange(8))) for _ in range(20)]
"""
STEP = """
_step = make_train_step(load_weights(make_model()), x_train, y_train)
def step():
    return _step(next(_order))
"""


def bare(parameters):
    import lasagne
    import theano
    import theano.tensor as T
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
