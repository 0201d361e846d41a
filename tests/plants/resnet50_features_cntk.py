"""Mistakes for tests/plant.py to plant in resnet50_features' CNTK notebook: see resnet50_features_pytorch.py."""

from tests.plants.resnet50_features import AFTER, first

LOAD = "        own.value = w.reshape(own.shape)\n"
NORM = "    return C.layers.BatchNormalization(map_rank=1, epsilon=1e-3, name=name)(x)\n"
CONV1 = '{name}_branch2a", width, stride=stride)'
CONV2 = '{name}_branch2b", width, size=3)'
CONV = '    options = {"strides": stride, "pad": True, "bias": False}\n'
BIAS = '            w = w - weights[convolutions[layer] + "/bias"]\n'
POOL = 'C.layers.MaxPooling((3, 3), strides=2, pad=True, name="stem")(x)'
MEAN = "C.layers.GlobalAveragePooling()(x)"
PHOTOS = "    x = photos[..., ::-1]"
LAST = '    return C.relu(y + x, name=f"stage{name}")'
FOUND = "    batches = [x[k : k + BATCH_SIZE] for k in range(0, len(x), BATCH_SIZE)]\n"

PADDED = "C.pad(x, [(0, 0), ({0}, {1}), ({0}, {1})])"

TRAINING = """    def train(network, batch):
        outputs = list(network.outputs)
        values = network.forward({network.arguments[0]: batch}, outputs, keep_for_backward=outputs[-1:])[1]
        return values if len(outputs) > 1 else values[outputs[0]]

"""


def changed(change, condition):
    """Some of Keras' arrays, `w` in CNTK's layout, are changed as they are loaded."""
    return [(LOAD, "        if {}:\n            w = {}\n".format(condition, change) + LOAD)]


def weight(name, change):
    return changed(change, 'name == "{}"'.format(name))


PLANTS = {
    # ---- the ten that the workload must show
    "one layer's epsilon is CNTK's default": (
        [(NORM, NORM.replace("1e-3", '1e-5 if name == "bn3b_branch2b" else 1e-3'))],
        first("stage3"),
    ),
    "one bias dropped": (
        [(BIAS, '            if layer != "bn4c_branch2b":\n    ' + BIAS)],
        first("stage4"),
    ),
    "one kernel rounded to TF32": (
        weight("res3b_branch2b/kernel", "((w.view(np.int32) + 4096) & -8192).view(np.float32)"),
        first("stage3"),
    ),
    "red first": ([(PHOTOS, "    x = photos")], first("images")),
    "the stride in the 3x3 convolution": (
        [(CONV1, CONV1.replace(", stride=stride", "")), (CONV2, CONV2.replace("size=3", "size=3, stride=stride"))],
        first("stage3"),
    ),
    "asymmetric padding of the first convolution": (
        [(CONV, "    if size == 7:\n        x = " + PADDED.format(2, 3) + "\n" + CONV.replace("True", "size < 7"))],
        first("stem"),
    ),
    "asymmetric padding of the max pooling": (
        [(POOL, POOL.replace("pad=True", "pad=False").replace("(x)", "(" + PADDED.format(0, 1) + ")"))],
        first("stem"),
    ),
    "the running variance of one layer unbiased, of 32 images": (
        weight("bn5b_branch2b/moving_variance", "w * np.float32(1568 / 1567)"),  # 32 * 7 * 7
        first("stage5"),
    ),
    "BatchNorm in training mode": (
        [
            (FOUND, TRAINING + FOUND),
            ("[body.eval(batch) for", "[train(body, batch) for"),
            ("    outputs = cut.eval(x)\n", TRAINING + "    outputs = train(cut, x)\n"),
        ],
        first("stem"),
    ),
    "average pooling over the padding": (
        [(MEAN, "C.layers.AveragePooling((9, 9))(" + PADDED.format(1, 1) + ")")],
        AFTER,
    ),
    "two photos swapped": (
        [(PHOTOS, "    photos = photos[[1, 0] + list(range(2, len(photos)))]\n" + PHOTOS)],
        first("images"),
    ),
    # ---- more of the kind
    "mean in the order red, green, blue": (
        [("(103.939, 116.779, 123.68)", "(123.68, 116.779, 103.939)")],
        first("images"),
    ),
    "images from 0 to 1": ([("(x.transpose(0, 3, 1, 2))", "(x.transpose(0, 3, 1, 2) / 255)")], first("images")),
    # the stem's variances are those of pixels: an epsilon is nothing beside them
    "every epsilon is CNTK's default": ([(NORM, NORM.replace(", epsilon=1e-3", ""))], first("stage2")),
    "ReLU before the addition": ([(LAST, LAST.replace("y + x", "C.relu(y) + x"))], first("stage2")),
    "no ReLU after the addition": ([(LAST, '    return C.plus(y, x, name=f"stage{name}")')], first("stage2")),
    "kernels turned by 180 degrees": (
        changed("np.ascontiguousarray(w[:, :, ::-1, ::-1])", "w.ndim == 4"),
        first("stem"),
    ),
    "height and width of the kernels exchanged": (
        [("w.transpose(3, 2, 0, 1)", "w.transpose(3, 2, 1, 0)")],
        first("stem"),
    ),
    "gamma and beta exchanged": (
        [('"gamma": "scale", "beta": "bias"', '"gamma": "bias", "beta": "scale"')],
        first("stem"),
    ),
    "the standard deviation taken for the variance": (changed("np.sqrt(w)", 'kind == "moving_variance"'), first("stem")),
    "the dense layer's bias dropped": (weight("fc1000/bias", "0 * w"), r"logits: sample \d+ is off by"),
    "maximum instead of mean": ([(MEAN, "C.layers.GlobalMaxPooling()(x)")], AFTER),
    # ---- CNTK's own
    "the biases added to the running means": ([(BIAS, BIAS.replace("w - ", "w + "))], first("stem")),
    "the running values never loaded": (
        [(LOAD, '        if not kind.startswith("moving_"):\n    ' + LOAD)],
        first("stem"),
    ),
    "epsilon added to the deviation, as the documentation says": (
        changed("(np.sqrt(w) + 1e-3) ** 2 - 1e-3", 'name == "bn3b_branch2b/moving_variance"'),
        first("stage3"),
    ),
}
