"""Images as ResNet-50 takes them, with Keras' weights of 2015."""

import numpy as np

MEAN = (103.939, 116.779, 123.68)  # ImageNet's blue, green, red in 0..255, as Keras' preprocess_input (of VGG) has them


def preprocessed(photos):
    """uint8 (N, H, W, 3), red first -> float64 of that shape, blue first, less ImageNet's mean."""
    return photos[..., ::-1].astype(np.float64) - np.array(MEAN)
