"""Mistakes for tests/plant.py to plant in resnet50_features' Keras 2 notebook: see resnet50_features_pytorch.py."""

from tests.plants.resnet50_features import AFTER, first

NORM = "epsilon=1e-3, name=name)(x)"
CONV1 = 'layers.Conv2D(64, 7, strides=2, name="conv1")(layers.ZeroPadding2D(3)(images))'
PAD3, PAD1 = "(layers.ZeroPadding2D(3)(images))", 'layers.ZeroPadding2D(1)(relu(norm(x, "bn_conv1")))'
FIRST, SECOND = '"_branch2a", width, strides=strides)', '"_branch2b", width, 3, padding="same")'
ARRAY = '            w = weights[layer.name + "/" + kind]\n'
SUM = 'relu(layers.add([y, x]), name="stage" + name)'
MEAN = "layers.GlobalAveragePooling2D()(x)"
PHOTOS = "photos[..., ::-1].astype(np.float32)"


def changed(condition, change):
    """Some of Keras' arrays, ``w``, are changed as they are loaded."""
    return [(ARRAY, ARRAY + f"            if {condition}:\n                w = {change}\n")]


def weight(name, change):
    return changed(f'layer.name + "/" + kind == "{name}"', change)


PLANTS = {
    # ---- the ten that the workload must show
    "one layer's epsilon is PyTorch's default": (
        [(NORM, NORM.replace("1e-3", '1e-5 if name == "bn3b_branch2b" else 1e-3'))],
        first("stage3"),
    ),
    "one bias dropped": (weight("res4c_branch2b/bias", "0 * w"), first("stage4")),
    "one kernel rounded to TF32": (
        weight("res3b_branch2b/kernel", "((w.view(np.int32) + 4096) & -8192).view(np.float32)"),
        first("stage3"),
    ),
    "red first": ([(PHOTOS, PHOTOS.replace("[..., ::-1]", ""))], first("images")),
    "the stride in the 3x3 convolution": (
        [(FIRST, FIRST.replace(", strides=strides", "")), (SECOND, SECOND.replace("3, ", "3, strides=strides, "))],
        first("stage3"),
    ),
    "asymmetric padding of the first convolution": (
        [(PAD3, PAD3.replace("(3)", "(((2, 3), (2, 3)))"))],
        first("stem"),
    ),
    "asymmetric padding of the max pooling": ([(PAD1, PAD1.replace("(1)", "(((0, 1), (0, 1)))"))], first("stem")),
    "the running variance of one layer unbiased, of 32 images": (
        weight("bn5b_branch2b/moving_variance", "w * np.float32(1568 / 1567)"),  # 32 * 7 * 7
        first("stage5"),
    ),
    "BatchNorm in training mode": ([("K.set_learning_phase(0)", "K.set_learning_phase(1)")], first("stem")),
    "one BatchNorm in training mode": (
        [(NORM, NORM.replace("(x)", '(x, training=name == "bn2a_branch1")'))],
        first("stage2"),
    ),
    "average pooling over the padding": ([(MEAN, MEAN.replace("(x)", "(layers.ZeroPadding2D(1)(x))"))], AFTER),
    "two photos swapped": (
        [(PHOTOS, PHOTOS.replace("photos[", "photos[[1, 0] + list(range(2, len(photos)))]["))],
        first("images"),
    ),
    # ---- more of the kind
    "mean in the order red, green, blue": (
        [("(103.939, 116.779, 123.68)", "(123.68, 116.779, 103.939)")],
        first("images"),
    ),
    "images from 0 to 1": ([(PHOTOS, PHOTOS + " / 255")], first("images")),
    # the stem's variances are those of pixels: an epsilon is nothing beside them
    "every epsilon is that of keras.applications.resnet": (
        [(NORM, NORM.replace("1e-3", "1.001e-5"))],
        first("stage2"),
    ),
    "ReLU before the addition": ([(SUM, 'layers.add([relu(y), x], name="stage" + name)')], first("stage2")),
    "no ReLU after the addition": ([(SUM, 'layers.add([y, x], name="stage" + name)')], first("stage2")),
    "height and width of the kernels exchanged": (changed("w.ndim == 4", "w.swapaxes(0, 1)"), first("stem")),
    "the standard deviation taken for the variance": (
        changed('kind == "moving_variance"', "np.sqrt(w)"),
        first("stem"),
    ),
    "the dense layer's bias dropped": (weight("fc1000/bias", "0 * w"), r"logits: sample \d+ is off by"),
    "maximum instead of mean": ([(MEAN, MEAN.replace("Average", "Max"))], AFTER),
    # ---- Keras 2's own
    "same in the first convolution": (
        [(CONV1, CONV1.replace(PAD3, "(images)").replace("strides=2", 'strides=2, padding="same"'))],
        first("stem"),
    ),
    "same in the max pooling": (
        [("MaxPooling2D(3, strides=2, ", 'MaxPooling2D(3, strides=2, padding="same", '), (PAD1, PAD1.replace("layers.ZeroPadding2D(1)", ""))],
        first("stem"),
    ),
    "kernels turned where they must not be": ([('BACKEND == "theano" and', 'BACKEND != "theano" and')], first("stem")),
    "weights in another order": (
        [('"gamma", "beta", "moving_mean", "moving_variance"', '"beta", "gamma", "moving_mean", "moving_variance"')],
        first("stem"),
    ),
    "only trainable weights are loaded": (
        [("in zip(layer.weights, ", "in zip(layer.trainable_weights, ")],
        first("stem"),
    ),
    "no weights are loaded": ([("    K.batch_set_value(pairs)", "    K.batch_set_value(pairs[:0])")], first("stem")),
    "a softmax at the end": (
        [('layers.Dense(1000, name', 'layers.Dense(1000, activation="softmax", name')],
        r"logits: sample \d+ is off by",
    ),
}
