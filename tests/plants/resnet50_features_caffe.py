"""Mistakes planted in resnet50_features' lesson in Caffe: {name: (changes of the text, what must be said)}.

Each answer names the stage where the computation first leaves the reference, and the proof with drawn weights.
"""

from tests.plants import resnet50_features as shared
from tests.plants.resnet50_features import AFTER, IMAGES, LOGITS, SHAPE, TIMED, first

NORM = "L.BatchNorm(x, eps=1e-3, use_global_stats=True, in_place=True)"
SCALE = "L.Scale(x, bias_term=True, in_place=True)"
FOUND = '        if kind == "Convolution" and norm_of'
FACTOR = "            blobs[2].data[...] = 1\n"
CONV1 = 'f"{name}_branch2a", width, 1, stride=stride, fold=fold)'
CONV2 = 'f"{name}_branch2b", width, 3, pad=1, fold=fold)'
STEM = 'branch(n, n.data, "conv1", 64, 7, stride=2, pad=3, fold=fold)'
WINDOW = '"pad": 1, "round_mode": P.Pooling.FLOOR}'
PHOTOS = "    x = photos[..., ::-1].astype(np.float32)"
MEAN = "L.Pooling(x, pool=P.Pooling.AVE, global_pooling=True)"
ADDED = "    n[name] = L.Eltwise(x, y)\n"
CUT = "L.Slice({}, ntop=2, axis={}, slice_point=1)[1]"
BIAS = '(arrays[f"{conv}/bias"] - mean) * scale'
FOLDED = ("FOLD = False", "FOLD = True")
SMALL = ("BATCH_SIZE = 32", "BATCH_SIZE = 8")  # the net of 32 images takes 6.4 GB
BATCHES = "range(0, len(x), BATCH_SIZE)"


def changed(change, condition):
    """Some of Keras' arrays, `w` in Keras' layout, are changed before they are loaded."""
    text = "        names = [name.replace('scale', 'bn') + '/' + one for one in KINDS[kind]]\n"
    text += "        found = [{} if {} else w for one, w in zip(names, found)]\n".format(change, condition)
    return [(FOUND, text + FOUND)]


def weight(name, change):
    return changed(change, 'one == "{}"'.format(name))


PLANTS = {
    # ---- the ten that the workload must show
    "one layer's epsilon is Caffe's default": (
        [(NORM, NORM.replace("eps=1e-3", 'eps=1e-5 if norm == "bn3b_branch2b" else 1e-3'))],
        first("stage3"),
    ),
    "one bias dropped": (weight("res4c_branch2b/bias", "0 * w"), first("stage4")),
    "one kernel rounded to TF32": (
        weight("res3b_branch2b/kernel", "((np.ascontiguousarray(w).view(np.int32) + 4096) & -8192).view(np.float32)"),
        first("stage3"),
    ),
    "red first": ([(PHOTOS, PHOTOS.replace("[..., ::-1]", ""))], IMAGES),
    "the stride in the 3x3 convolution": (
        [(CONV1, CONV1.replace(", stride=stride", "")), (CONV2, CONV2.replace("pad=1", "stride=stride, pad=1"))],
        first("stage3"),
    ),
    # Caffe pads both ends alike: 4 at both, less the first output, is 2 before and 3 after
    "asymmetric padding of the first convolution": (
        [(STEM, CUT.format(CUT.format(STEM.replace("pad=3", "pad=4"), 2), 3))],
        first("stem"),
    ),
    # without padding Caffe's rounding up adds a row behind: the authors' pooling
    "asymmetric padding of the max pooling": (
        [(WINDOW, '"round_mode": P.Pooling.CEIL}')],
        first("stem"),
    ),
    "the running variance of one layer unbiased, of 32 images": (
        weight("bn5b_branch2b/moving_variance", "w * np.float32(1568 / 1567)"),  # 32 * 7 * 7
        first("stage5"),
    ),
    # this build multiplies by 1/sqrt(epsilon) in its first call
    "BatchNorm in training mode": (
        [(", use_global_stats=True", ""), ("phase=caffe.TEST", "phase=caffe.TRAIN")],
        first("stem"),
    ),
    "average pooling over the padding": (
        [(MEAN, "L.Pooling(x, pool=P.Pooling.AVE, kernel_size=9, pad=1)")],
        AFTER,
    ),
    # ---- more of the kind
    "mean in the order red, green, blue": ([("(103.939, 116.779, 123.68)", "(123.68, 116.779, 103.939)")], IMAGES),
    "images from 0 to 1": ([(PHOTOS, PHOTOS + " / 255")], IMAGES),
    # the stem's variances are those of pixels: an epsilon is nothing beside them
    "every epsilon is Caffe's default": ([(NORM, NORM.replace("eps=1e-3, ", ""))], first("stage2")),
    "max pooling that rounds up": ([(WINDOW, '"pad": 1}')], r"features\.stem has shape \(8, 57, 57, 64\)"),
    "ReLU before the addition": ([(ADDED, ADDED.replace("y)", "relu(y))"))], first("stage2")),
    "no ReLU after the addition": ([("return relu(n[name])", "return n[name]")], first("stage2")),
    "kernels turned by 180 degrees": (
        [("w.transpose(3, 2, 0, 1)", "w.transpose(3, 2, 0, 1)[:, :, ::-1, ::-1]")],
        first("stem"),
    ),
    "height and width of the kernels exchanged": (
        [("w.transpose(3, 2, 0, 1)", "w.transpose(3, 2, 1, 0)")],
        first("stem"),
    ),
    "gamma and beta exchanged": ([('"Scale": ("gamma", "beta")', '"Scale": ("beta", "gamma")')], first("stem")),
    "mean and variance exchanged": (
        [('("moving_mean", "moving_variance")', '("moving_variance", "moving_mean")')],
        first("stem"),
    ),
    "the standard deviation taken for the variance": (changed("np.sqrt(w)", '"variance" in one'), first("stem")),
    "the running values never loaded": (
        [(FOUND, '        found = [] if kind == "BatchNorm" else found\n' + FOUND)],
        first("stem"),
    ),
    "the dense layer's bias dropped": (weight("fc1000/bias", "0 * w"), LOGITS),
    "maximum instead of mean": ([(MEAN, MEAN.replace("AVE", "MAX"))], AFTER),
    # ---- Caffe's own
    "the factor of BatchNorm left at zero": ([(FACTOR, FACTOR.replace("= 1", "= 0"))], first("stem")),
    "the factor of one BatchNorm that of two batches": (
        [(FACTOR, FACTOR.replace("= 1", '= 1.999 if name == "bn4d_branch2a" else 1'))],
        first("stage4"),
    ),
    "no Scale after BatchNorm": (
        [('        n[norm.replace("bn", "scale")] = x = ' + SCALE + "\n", "")],
        first("stem"),
    ),
    "Scale without its bias": ([("bias_term=True, ", "")], first("stem")),
    "Eltwise takes the larger value": ([(ADDED, ADDED.replace("y)", "y, operation=P.Eltwise.MAX)"))], first("stage2")),
    "folded with Caffe's epsilon": ([FOLDED, ("variance + 1e-3", "variance + 1e-5")], first("stage2")),
    "folded without the convolution's bias": ([FOLDED, (BIAS, "-mean * scale")], first("stem")),
    "folded with a bias that is not scaled": (
        [FOLDED, (BIAS, 'arrays[f"{conv}/bias"] - mean * scale')],
        first("stem"),
    ),
    # ---- the function, and what it is given
    "last partial batch dropped": (
        [(BATCHES, "range(0, max(1, len(x) // BATCH_SIZE) * BATCH_SIZE, BATCH_SIZE)")],
        SHAPE,
    ),
    "features of an earlier call": (
        [
            ("def features(model, x):", "kept = {}\n\n\ndef features(model, x):"),
            ("    return np.concatenate(found)", "    return kept.setdefault(len(x), np.concatenate(found))"),
        ],
        TIMED,
    ),
    "views in the place of copies of features": ([("[:, :, 0, 0].copy()", "[:, :, 0, 0]")], shared.FEATURES),
    **shared.SHARED,
    **shared.own_run("embeddings = features(model, x)", "predicted = logits(model, embeddings).argmax(axis=1)"),
}
PLANTS = {name: ([SMALL, *changes], expected) for name, (changes, expected) in PLANTS.items()}
