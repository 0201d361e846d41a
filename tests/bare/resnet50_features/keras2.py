"""keras.applications' ResNet-50 of this release, whose strides are ours, for inference; a step is `predict_on_batch`."""

import os

from tests.bare.cnn_cifar10.theano import FLAGS
from tests.bare.resnet50_features import IMAGES


def bare(parameters):
    os.environ.update(KERAS_BACKEND=parameters["BACKEND"], THEANO_FLAGS=FLAGS + os.environ.get("THEANO_FLAGS", ""))
    import keras  # reads both

    keras.backend.set_image_data_format(parameters["DATA_FORMAT"])
    keras.backend.set_learning_phase(0)
    model = keras.applications.ResNet50(weights=None, include_top=False, pooling="avg")
    first = parameters["DATA_FORMAT"] == "channels_first"
    inputs = IMAGES if first else IMAGES.transpose(0, 2, 3, 1).copy()
    return lambda: model.predict_on_batch(inputs)
