"""keras.applications' ResNet-50 without its last layer, whose strides are ours; a step is `predict` on one batch."""

import os

from tests.bare.resnet50_features import IMAGES


def bare(parameters):
    os.environ["KERAS_BACKEND"] = parameters["BACKEND"]  # read when Keras is imported
    import keras

    if parameters.get("PRECISION") == "bf16":
        keras.config.set_dtype_policy("mixed_bfloat16")
    inputs = IMAGES
    if parameters["BACKEND"] == "torch":  # PyTorch's order of the axes saves Keras the transpositions
        keras.config.set_image_data_format("channels_first")
    else:
        inputs = IMAGES.transpose(0, 2, 3, 1).copy()
    model = keras.applications.ResNet50(weights=None, include_top=False, pooling="avg")
    if "JIT_COMPILE" in parameters:
        model.compile(jit_compile=parameters["JIT_COMPILE"])

    def step():
        return model.predict_on_batch(inputs)

    return step
