"""Mistakes for tests/plant.py to plant in resnet50_features' TensorFlow notebook: see resnet50_features_pytorch.py."""

from tests.plants.resnet50_features import AFTER, first

STAGE3 = "        self.stage3 = stage(256, 128, blocks=4)  # (N, 28, 28, 512)\n"
VARIABLE = "        variable = getattr(layers[layer], kind)\n"
CONV1 = "        self.conv1 = ConvNorm(3, 64, 7, stride=2)\n"
FIRST, SECOND = "ConvNorm(channels, width, 1, stride)", "ConvNorm(width, width, 3)"
EPSILON = "            epsilon=1e-3, is_training=False,\n"
MEAN = "tf.reduce_mean(tf.cast(x, tf.float32), (1, 2))"
POOL = "tf.nn.max_pool2d(x, 3, 2, [(0, 0), (1, 1), (1, 1), (0, 0)])"
COLOURS = "[..., ::-1], tf.float32)"


def weight(name, change):
    """One of Keras' arrays, `array`, is changed as it is loaded."""
    return [(VARIABLE, VARIABLE + f'        if name == "{name}":\n            array = {change}\n')]


PLANTS = {
    # ---- the ten that the workload must show
    "one layer's epsilon is PyTorch's default": (
        [
            (EPSILON, EPSILON.replace("1e-3", 'getattr(self, "epsilon", 1e-3)')),
            (STAGE3, STAGE3 + "        self.stage3[1].conv2.epsilon = 1e-5\n"),
        ],
        first("stage3"),
    ),
    "one bias dropped": (weight("res4c_branch2b/bias", "0 * array"), first("stage4")),
    "one kernel rounded to TF32": (
        weight("res3b_branch2b/kernel", "((array.view(np.int32) + 4096) & -8192).view(np.float32)"),
        first("stage3"),
    ),
    "red first": ([(COLOURS, ", tf.float32)")], first("images")),
    "the stride in the 3x3 convolution": (
        [(FIRST, FIRST.replace(", stride", "")), (SECOND, SECOND.replace("3)", "3, stride)"))],
        first("stage3"),
    ),
    "asymmetric padding of the first convolution": (
        [(CONV1, CONV1 + "        self.conv1.pad = (2, 3)\n")],
        first("stem"),
    ),
    "asymmetric padding of the max pooling": ([(POOL, POOL.replace("(1, 1)", "(0, 1)"))], first("stem")),
    "the running variance of one layer unbiased, of 32 images": (
        weight("bn5b_branch2b/moving_variance", "array * 1568 / 1567"),  # 32 * 7 * 7
        first("stage5"),
    ),
    "BatchNorm in training mode": (
        [
            (EPSILON, EPSILON.replace("False", "True")),
            ("self.moving_mean - self.bias, self.moving_variance", "None, None"),
        ],
        first("stem"),
    ),
    "average pooling over the padding": (
        [(MEAN, "tf.reduce_mean(tf.pad(x, [(0, 0), (1, 1), (1, 1), (0, 0)]), (1, 2))")],
        AFTER,
    ),
    "two photos swapped": (
        [("    x = tf.cast(tf.constant(photos)", "    x = tf.cast(tf.constant(photos[[1, 0, *range(2, len(photos))]])")],
        first("images"),
    ),
    # ---- more of the kind
    "mean in the order red, green, blue": ([("(103.939, 116.779, 123.68)", "(123.68, 116.779, 103.939)")], first("images")),
    "images from 0 to 1": ([("    return x - tf.constant(MEAN)", "    return x / 255 - tf.constant(MEAN)")], first("images")),
    # the stem's variances are those of pixels: an epsilon is nothing beside them
    "every epsilon is PyTorch's default": ([(EPSILON, EPSILON.replace("1e-3", "1e-5"))], first("stage2")),
    "ReLU before the addition": ([("        return tf.nn.relu(y + x)", "        return tf.nn.relu(y) + x")], first("stage2")),
    "no ReLU after the addition": ([("        return tf.nn.relu(y + x)", "        return y + x")], first("stage2")),
    "kernels turned by 180 degrees": (
        [(VARIABLE, VARIABLE + "        array = array[::-1, ::-1] if array.ndim == 4 else array\n")],
        first("stem"),
    ),
    "height and width of the kernels exchanged": (
        [(VARIABLE, VARIABLE + "        array = array.transpose(1, 0, 2, 3) if array.ndim == 4 else array\n")],
        first("stem"),
    ),
    "gamma and beta exchanged": (
        [(VARIABLE, '        kind = {"gamma": "beta", "beta": "gamma"}.get(kind, kind)\n' + VARIABLE)],
        first("stem"),
    ),
    "the standard deviation taken for the variance": (
        [(VARIABLE, VARIABLE + '        array = np.sqrt(array) if kind == "moving_variance" else array\n')],
        first("stem"),
    ),
    "the dense layer's bias dropped": (weight("fc1000/bias", "0 * array"), r"logits: sample \d+ is off by"),
    "maximum instead of mean": ([(MEAN, "tf.reduce_max(x, (1, 2))")], AFTER),
    "bf16 in the proof": ([('make_model("fp32"), resnet50.draw()', 'make_model("bf16"), resnet50.draw()')], r"features: sample \d+ is off by"),
    # ---- TensorFlow's own
    "SAME in all convolutions": (
        [("[(0, 0), self.pad, self.pad, (0, 0)])", '"SAME")')],
        first("stem"),
    ),
    "SAME in the max pooling": ([(POOL, 'tf.nn.max_pool2d(x, 3, 2, "SAME")')], first("stem")),
    "the running values are not loaded": (
        [(VARIABLE, VARIABLE + "        if not variable.trainable:\n            continue\n")],
        first("stem"),
    ),
    "the bias added to the mean": ([("self.moving_mean - self.bias", "self.moving_mean + self.bias")], first("stem")),
    "gamma forgotten": (
        [("x, self.gamma, self.beta,", "x, tf.ones_like(self.gamma), self.beta,")],
        first("stem"),
    ),
}
