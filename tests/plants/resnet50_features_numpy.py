"""Mistakes planted in resnet50_features' lesson in NumPy: see resnet50_features_pytorch.py."""

from tests.plants import resnet50_features as shared
from tests.plants.resnet50_features import AFTER, IMAGES, LOGITS, SHAPE, TIMED, first

LOADED = "        model[name][...] = array\n"
SCALE = 'model[name + "/moving_variance"] + EPSILON)'
SHIFT = 'model[name + "/moving_mean"] * scale'
CONV1, CONV2 = 'branch(model, name + "_branch2a", x, stride)', 'branch(model, name + "_branch2b", y, pad=1)'
PAD = "np.pad(x, [(0, 0), (pad, pad), (pad, pad), (0, 0)])"
POOL = "np.pad(x, [(0, 0), (1, 1), (1, 1), (0, 0)], "
PHOTOS = "photos[..., ::-1].astype(np.float32)"
MEAN = "out.mean(axis=(1, 2))"
ROWS = "product += out  #"
ADDED = '    y += branch(model, name + "_branch1", x, stride) if shortcut else x\n'
FEATURES = "    found = []\n"
KEPT = """    kept = globals().setdefault("kept", {})
    if len(x) in kept:
        return kept[len(x)]
"""


def weight(name, change):
    """One of Keras' arrays, `array`, is changed as it is loaded."""
    return [(LOADED, '        if name == "{}":\n            array = {}\n'.format(name, change) + LOADED)]


PLANTS = {
    "one layer's epsilon is PyTorch's default": (
        [(SCALE, SCALE.replace("EPSILON", '(1e-5 if name == "bn3b_branch2b" else EPSILON)'))],
        first("stage3"),
    ),
    "one bias dropped": (weight("res4c_branch2b/bias", "np.zeros_like(array)"), first("stage4")),
    "one kernel rounded to TF32": (
        weight("res3b_branch2b/kernel", "((array.view(np.int32) + 4096) & -8192).view(np.float32)"),
        first("stage3"),
    ),
    "red first": ([(PHOTOS, PHOTOS.replace("[..., ::-1]", ""))], IMAGES),
    "mean in the order red, green, blue": ([("[103.939, 116.779, 123.68]", "[123.68, 116.779, 103.939]")], IMAGES),
    "the stride in the 3x3 convolution": (
        [(CONV1, CONV1.replace(", stride", "")), (CONV2, CONV2.replace("pad=1", "stride, pad=1"))],
        first("stage3"),
    ),
    "asymmetric padding of the first convolution": (
        [(PAD, PAD.replace("(pad, pad)", "(pad - (stride > 1), pad)"))],
        first("stem"),
    ),
    "asymmetric padding of the max pooling": ([(POOL, POOL.replace("(1, 1)", "(0, 1)"))], first("stem")),
    "the running variance of one layer unbiased, of 32 images": (
        weight("bn5b_branch2b/moving_variance", "array * np.float32(1568 / 1567)"),  # 32 * 7 * 7
        first("stage5"),
    ),
    "BatchNorm in training mode": (
        [
            (SCALE, SCALE.replace('model[name + "/moving_variance"]', "x.var(axis=(0, 1, 2))")),
            (SHIFT, "x.mean(axis=(0, 1, 2))"),  # of what is already scaled
        ],
        first("stem"),
    ),
    "average pooling over the padding": ([(MEAN, MEAN.replace("mean(axis=(1, 2))", "sum(axis=(1, 2)) / 81"))], AFTER),
    "ReLU before the addition": ([(ADDED, ADDED.replace("y += ", "y = relu(y) + (").replace("\n", ")\n"))], first("stage2")),
    "kernels turned by 180 degrees": (
        [(LOADED, "        if array.ndim == 4:\n            array = array[::-1, ::-1]\n" + LOADED)],
        first("stem"),
    ),
    "gamma and beta exchanged": (
        [(LOADED, '        name = name.replace("gamma", "x").replace("beta", "gamma").replace("x", "beta") if "bn" in name else name\n' + LOADED)],
        first("stem"),
    ),
    "the bias added for each row of the kernel": (
        [(ROWS, 'product += out + (i > 0) * model[name + "/bias"]  #')],
        first("stem"),
    ),
    "the dense layer's bias dropped": ([(' + model["fc1000/bias"]', "")], LOGITS),
    "last partial batch dropped": (
        [("range(0, len(x), BATCH_SIZE)", "range(0, max(1, len(x) // BATCH_SIZE) * BATCH_SIZE, BATCH_SIZE)")],
        SHAPE,
    ),
    "features of an earlier call": (
        [(FEATURES, KEPT + FEATURES), ("    return np.concatenate(found)", '    return kept.setdefault(len(x), np.concatenate(found))')],
        TIMED,
    ),
    **shared.SHARED,
    **shared.own_run("embeddings = features(model, x)", "predicted = logits(model, embeddings).argmax(axis=1)"),
}
