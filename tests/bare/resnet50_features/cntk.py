"""ResNet-50 as CNTK's own ResNet example builds its networks, without convolution biases, with the strides of Keras."""

from tests.bare.resnet50_features import IMAGES


def network():
    import cntk as C

    def conv_bn(x, size, channels, stride=1):
        options = {"init": C.he_normal(), "pad": True, "strides": stride, "bias": False}
        x = C.layers.Convolution2D((size, size), channels, activation=None, **options)(x)
        return C.layers.BatchNormalization(map_rank=1, normalization_time_constant=4096, use_cntk_engine=False)(x)

    def bottleneck(x, width, stride):
        y = C.relu(conv_bn(x, 1, width, stride))
        y = C.relu(conv_bn(y, 3, width))
        y = conv_bn(y, 1, 4 * width)
        return C.relu(y + (x if x.shape[0] == 4 * width else conv_bn(x, 1, 4 * width, stride)))

    images = C.input_variable((3, 224, 224))
    x = C.relu(conv_bn(images, 7, 64, 2))
    x = C.layers.MaxPooling((3, 3), strides=2, pad=True)(x)
    for number, blocks in enumerate((3, 4, 6, 3)):
        for k in range(blocks):
            x = bottleneck(x, 64 * 2**number, 2 if number and not k else 1)
    return C.layers.AveragePooling((7, 7))(x)


def bare(parameters):
    import numpy as np

    net = network()
    for constant in net.constants:  # 0 in a layer that was never trained: the numbers would be infinite
        if constant.name == "aggregate_variance":
            constant.value = np.ones(constant.shape, np.float32)
    return lambda: net.eval(IMAGES)
