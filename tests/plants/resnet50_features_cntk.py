"""Mistakes planted in resnet50_features' lesson in CNTK: {name: (changes of the text, what must be said)}.

Each answer names the stage where the computation first leaves the reference, and the proof with drawn weights.
"""

from tests.plants import resnet50_features as shared
from tests.plants.resnet50_features import AFTER, FEATURES, IMAGES, LOGITS, SHAPE, TIMED, first

LAYERS = "    for name, layer in layers(body).items():\n"
SCALE = '            layer.scale.value = arrays[name + "/gamma"]\n'
SHIFT = '            layer.bias.value = arrays[name + "/beta"]\n'
NORM = "    return C.layers.BatchNormalization(map_rank=1, epsilon=1e-3, name=name)(x)"
CONV1, CONV2 = '"_branch2a", width, stride=stride)', '"_branch2b", width, size=3)'
CONV = '    options = {"strides": stride, "pad": True, "bias": False}\n'
POOL = 'C.layers.MaxPooling((3, 3), strides=2, pad=True, name="stem")(x)'
MEAN = "C.layers.GlobalAveragePooling()(x)"
PHOTOS = "    x = photos[..., ::-1].astype(np.float32) - MEAN\n"
LAST = '    return C.relu(y + x, name="stage" + name)'
CONCAT = "    return np.concatenate([body.eval(batch) for batch in batches])\n"
BIAS = ' - arrays[conv + "/bias"]'

PADDED = "C.pad(x, [(0, 0), ({0}, {1}), ({0}, {1})])"

TRAINING = """    out = body.output

    def train(batch):
        return body.forward({body.arguments[0]: batch}, [out], keep_for_backward=[out])[1][out]

"""


def changed(change, condition):
    """Some of Keras' arrays, `w`, are changed as they are loaded."""
    return [(LAYERS, f"    arrays = {{name: {change} if {condition} else w for name, w in arrays.items()}}\n" + LAYERS)]


def weight(name, change):
    return changed(change, f'name == "{name}"')


PLANTS = {
    # ---- the ten that the workload must show
    "one layer's epsilon is CNTK's default": (
        [(NORM, NORM.replace("1e-3", '1e-5 if name == "bn3b_branch2b" else 1e-3'))],
        first("stage3"),
    ),
    "one bias dropped": (weight("res4c_branch2b/bias", "0 * w"), first("stage4")),
    "one kernel rounded to TF32": (
        weight("res3b_branch2b/kernel", "((w.view(np.int32) + 4096) & -8192).view(np.float32)"),
        first("stage3"),
    ),
    "red first": ([(PHOTOS, PHOTOS.replace("[..., ::-1]", ""))], IMAGES),
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
    "BatchNorm in training mode": ([(CONCAT, TRAINING + CONCAT.replace("body.eval", "train"))], FEATURES),
    "average pooling over the padding": (
        [(MEAN, "C.layers.AveragePooling((9, 9))(" + PADDED.format(1, 1) + ")")],
        AFTER,
    ),
    # ---- more of the kind
    "mean in the order red, green, blue": ([("[103.939, 116.779, 123.68]", "[123.68, 116.779, 103.939]")], IMAGES),
    "images from 0 to 1": ([(PHOTOS, PHOTOS.replace(" - MEAN", " / 255 - MEAN"))], IMAGES),
    # the stem's variances are those of pixels: an epsilon is nothing beside them
    "every epsilon is CNTK's default": ([(NORM, NORM.replace(", epsilon=1e-3", ""))], first("stage2")),
    "ReLU before the addition": ([(LAST, LAST.replace("y + x", "C.relu(y) + x"))], first("stage2")),
    "no ReLU after the addition": ([(LAST, '    return C.plus(y, x, name="stage" + name)')], first("stage2")),
    "kernels turned by 180 degrees": (changed("w[::-1, ::-1]", "w.ndim == 4"), first("stem")),
    "height and width of the kernels exchanged": (
        [("transpose(3, 2, 0, 1)", "transpose(3, 2, 1, 0)")],
        first("stem"),
    ),
    "gamma and beta exchanged": (
        [(SCALE, SCALE.replace("gamma", "beta")), (SHIFT, SHIFT.replace("beta", "gamma"))],
        first("stem"),
    ),
    "the standard deviation taken for the variance": (changed("np.sqrt(w)", '"variance" in name'), first("stem")),
    "the dense layer's bias dropped": (weight("fc1000/bias", "0 * w"), LOGITS),
    "maximum instead of mean": ([(MEAN, "C.layers.GlobalMaxPooling()(x)")], AFTER),
    # ---- CNTK's own
    "the biases added to the running means": ([(BIAS, BIAS.replace("-", "+"))], first("stem")),
    "no biases, as in CNTK's own networks": ([(BIAS, "")], first("stem")),
    "the running values never loaded": (changed('0 * w + ("variance" in name)', '"moving" in name'), first("stem")),
    "epsilon added to the deviation, as the documentation says": (
        weight("bn3b_branch2b/moving_variance", "(np.sqrt(w) + 1e-3) ** 2 - 1e-3"),
        first("stage3"),
    ),
    # ---- the function, and what it is given
    "last partial batch dropped": (
        [(CONCAT, CONCAT.replace("in batches", "in batches[: max(1, len(x) // BATCH_SIZE)]"))],
        SHAPE,
    ),
    "features of an earlier call": (
        [
            ("def features(model, x):", "kept = {}\n\n\ndef features(model, x):"),
            (
                CONCAT,
                "    if len(x) not in kept:\n        kept[len(x)] ="
                + CONCAT[len("    return") :]
                + "    return kept[len(x)]\n",
            ),
        ],
        TIMED,
    ),
    **shared.SHARED,
    **shared.own_run("embeddings = features(model, x)", "predicted = logits(model, embeddings).argmax(axis=1)"),
}
