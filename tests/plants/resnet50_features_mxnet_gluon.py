"""Mistakes planted in resnet50_features' lesson in MXNet Gluon: {name: (changes of the text, what must be said)}.

Each answer names the stage where the computation first leaves the reference, and the proof with drawn weights.
FREEZE stays as the lesson has it, and `stages` runs graphs in which nothing is folded.
"""

from tests.plants import resnet50_features as shared
from tests.plants.resnet50_features import AFTER, FEATURES, IMAGES, LOGITS, SHAPE, TIMED, first

OUTPUT = "            self.output = nn.Dense(1000, in_units=2048)\n"
LOAD = "        getattr(layers[layer], KINDS[kind]).set_data(nd.array(w))\n"
CONV1 = "self.conv1 = nn.Conv2D(width, 1, strides=stride, in_channels=channels)"
CONV2 = "self.conv2 = nn.Conv2D(width, 3, padding=1, in_channels=width)"
STEM = "nn.Conv2D(64, 7, strides=2, padding=3, in_channels=3)"
POOL = "nn.MaxPool2D(3, strides=2, padding=1)"
MEAN = "self.features.add(nn.GlobalAvgPool2D(), nn.Flatten())"
BLOCK = "class Block(nn.HybridBlock):\n"
CONCAT = "    return nd.concat(*[model.features(part) for part in parts], dim=0)"
LAST = "        return self.relu(y + x)  #"

PADDED = """class Padded(nn.{0}):
    def hybrid_forward(self, F, x, *args, **kwargs):
        x = F.pad(x, mode="constant", constant_value=0, pad_width=(0, 0, 0, 0, {1}, {2}, {1}, {2}))
        return super().hybrid_forward(F, x, *args, **kwargs)


"""


def weight(name, change):
    """One of Keras' arrays, `w` in Gluon's layout, is changed as it is loaded."""
    return [(LOAD, '        if name == "{}":\n            w = {}\n'.format(name, change) + LOAD)]


PLANTS = {
    # ---- the ten that the workload must show
    "one layer's epsilon is Gluon's default": (
        [(OUTPUT, OUTPUT + '            self.features[2][1].bn2._kwargs["eps"] = 1e-5\n')],
        first("stage3"),
    ),
    "one bias dropped": (weight("res4c_branch2b/bias", "np.zeros_like(w)"), first("stage4")),
    "one kernel rounded to TF32": (
        weight("res3b_branch2b/kernel", "((np.ascontiguousarray(w).view(np.int32) + 4096) & -8192).view(np.float32)"),
        first("stage3"),
    ),
    "red first": ([(".flip(axis=3)", "")], IMAGES),
    "the stride in the 3x3 convolution": (
        [
            (CONV1, CONV1.replace("strides=stride, ", "")),
            (CONV2, CONV2.replace("padding=1", "strides=stride, padding=1")),
        ],
        first("stage3"),
    ),
    "asymmetric padding of the first convolution": (
        [(BLOCK, PADDED.format("Conv2D", 2, 3) + BLOCK), (STEM, "Padded(64, 7, strides=2, in_channels=3)")],
        first("stem"),
    ),
    "asymmetric padding of the max pooling": (
        [(BLOCK, PADDED.format("MaxPool2D", 0, 1) + BLOCK), (POOL, "Padded(3, strides=2)")],
        first("stem"),
    ),
    "the running variance of one layer unbiased, of 32 images": (
        weight("bn5b_branch2b/moving_variance", "w * np.float32(1568 / 1567)"),  # 32 * 7 * 7
        first("stage5"),
    ),
    "BatchNorm in training mode": ([(CONCAT, "    with autograd.train_mode():\n    " + CONCAT)], FEATURES),
    "average pooling over the padding": ([(MEAN, MEAN.replace("GlobalAvgPool2D()", "AvgPool2D(9, padding=1)"))], AFTER),
    # ---- more of the kind
    "mean in the order red, green, blue": ([("(103.939, 116.779, 123.68)", "(123.68, 116.779, 103.939)")], IMAGES),
    "images from 0 to 1": ([(".flip(axis=3) - nd", ".flip(axis=3) / 255 - nd")], IMAGES),
    # the stem's variances are those of pixels: an epsilon is nothing beside them
    "every epsilon is Gluon's default": ([("epsilon=1e-3, ", "")], first("stage2")),
    "every gamma taken for 1, as scale=False or fix_gamma=True does": (
        [("epsilon=1e-3, ", "epsilon=1e-3, scale=False, ")],
        first("stem"),
    ),
    "max pooling that rounds up": (
        [(POOL, POOL.replace("padding=1", "padding=1, ceil_mode=True"))],
        r"features\.stem has shape \(8, 57, 57, 64\)",
    ),
    "max pooling that rounds up, without padding": (
        [(POOL, POOL.replace("padding=1", "ceil_mode=True"))],
        first("stem"),
    ),
    "ReLU before the addition": ([(LAST, "        return self.relu(self.relu(y) + x)  #")], first("stage2")),
    "no ReLU after the addition": ([(LAST, "        return y + x  #")], first("stage2")),
    "kernels turned by 180 degrees": (
        [("w.transpose(3, 2, 0, 1) if", "w.transpose(3, 2, 0, 1)[:, :, ::-1, ::-1] if")],
        first("stem"),
    ),
    "height and width of the kernels exchanged": (
        [("w.transpose(3, 2, 0, 1)", "w.transpose(3, 2, 1, 0)")],
        first("stem"),
    ),
    "gamma and beta exchanged": (
        [('"gamma": "gamma", "beta": "beta"', '"gamma": "beta", "beta": "gamma"')],
        first("stem"),
    ),
    "the standard deviation taken for the variance": (
        [(LOAD, '        w = np.sqrt(w) if kind == "moving_variance" else w\n' + LOAD)],
        first("stem"),
    ),
    "BatchNorm's numbers never loaded": (
        [(LOAD, '        if layer.startswith("bn"):\n            continue\n' + LOAD)],
        first("stem"),
    ),
    "the dense layer's bias dropped": (weight("fc1000/bias", "np.zeros_like(w)"), LOGITS),
    "maximum instead of mean": ([(MEAN, MEAN.replace("GlobalAvgPool2D", "GlobalMaxPool2D"))], AFTER),
    # ---- the function, and what it is given
    "last partial batch dropped": (
        [("range(0, len(x), BATCH_SIZE)", "range(0, max(1, len(x) // BATCH_SIZE) * BATCH_SIZE, BATCH_SIZE)")],
        SHAPE,
    ),
    "features of an earlier call": (
        [
            ("def features(model, x):", "kept = {}\n\n\ndef features(model, x):"),
            (CONCAT, "    if len(x) not in kept:\n        kept[len(x)] = " + CONCAT[11:] + "\n    return kept[len(x)]"),
        ],
        TIMED,
    ),
    **shared.SHARED,
    **shared.own_run("embeddings = found.asnumpy()", "predicted = logits(model, found).asnumpy().argmax(axis=1)"),
}
