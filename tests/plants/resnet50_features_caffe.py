"""Mistakes for tests/plant.py to plant in resnet50_features' Caffe notebook: see resnet50_features_pytorch.py."""

from tests.plants.resnet50_features import AFTER, first

NORM = "L.BatchNorm(x, eps=1e-3, use_global_stats=True, in_place=True)"
SCALE = "L.Scale(x, bias_term=True, in_place=True)"
LOADED = "            blob.data[...] = w.T if w.ndim == 2 else w\n"
ARRAYS = "        if FOLD and kind"
CONV1 = 'f"{name}_branch2a", width, 1, stride=stride)'
CONV2 = 'f"{name}_branch2b", width, 3, pad=1)'
STEM = 'branch(n, n.data, "conv1", 64, 7, stride=2, pad=3)'
WINDOW = '"pad": 1, "round_mode": P.Pooling.FLOOR}'
PHOTOS = "    x = photos[..., ::-1].astype(np.float32)"
MEAN = "L.Pooling(x, pool=P.Pooling.AVE, global_pooling=True)"
ADDED = "    n[name] = L.Eltwise(x, y)\n"
CUT = "L.Slice({}, ntop=2, axis={}, slice_point=1)[1]"
FOLDED = ("FOLD = False", "FOLD = True")
SMALL = ("BATCH_SIZE = 32", "BATCH_SIZE = 8")  # the net of 32 images takes 6.4 GB


def weight(name, change):
    """One of Keras' arrays, `w` in Keras' layout, is changed before it is loaded."""
    layer, kind = name.split("/")
    text = '        if name.replace("scale", "bn") == "{}" and "{}" in KINDS[kind]:\n'.format(layer, kind)
    text += '            arrays = [{} if one == "{}" else w for one, w in zip(KINDS[kind], arrays)]\n'.format(change, kind)
    return [(ARRAYS, text + ARRAYS)]


PLANTS = {
    # ---- the ten that the workload must show
    "one layer's epsilon is Caffe's default": (
        [(NORM, NORM.replace("eps=1e-3", 'eps=1e-5 if bn == "bn3b_branch2b" else 1e-3'))],
        first("stage3"),
    ),
    "one bias dropped": (weight("res4c_branch2b/bias", "0 * w"), first("stage4")),
    "one kernel rounded to TF32": (
        weight("res3b_branch2b/kernel", "((np.ascontiguousarray(w).view(np.int32) + 4096) & -8192).view(np.float32)"),
        first("stage3"),
    ),
    "red first": ([("[..., ::-1]", "")], first("images")),
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
    "two photos swapped": (
        [(PHOTOS, "    photos = photos[[1, 0, *range(2, len(photos))]]\n" + PHOTOS)],
        first("images"),
    ),
    # ---- more of the kind
    "mean in the order red, green, blue": ([("(103.939, 116.779, 123.68)", "(123.68, 116.779, 103.939)")], first("images")),
    "images from 0 to 1": ([(PHOTOS, PHOTOS.replace("x = photos[..., ::-1]", "x = (photos[..., ::-1] / 255)"))], first("images")),
    # the stem's variances are those of pixels: an epsilon is nothing beside them
    "every epsilon is Caffe's default": ([(NORM, NORM.replace("eps=1e-3, ", ""))], first("stage2")),
    "max pooling that rounds up": (
        [(WINDOW, '"pad": 1}')],
        r"features\.stem has shape \(8, 57, 57, 64\)",
    ),
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
    "the standard deviation taken for the variance": (
        [(ARRAYS, '        arrays = [arrays[0], np.sqrt(arrays[1])] if kind == "BatchNorm" else arrays\n' + ARRAYS)],
        first("stem"),
    ),
    "the running values never loaded": (
        [(ARRAYS, '        arrays = [] if kind == "BatchNorm" else arrays\n' + ARRAYS)],
        first("stem"),
    ),
    "the dense layer's bias dropped": (weight("fc1000/bias", "0 * w"), r"logits: sample \d+ is off by"),
    "maximum instead of mean": ([(MEAN, MEAN.replace("AVE", "MAX"))], AFTER),
    # ---- Caffe's own
    "the factor of BatchNorm left at zero": (
        [("layer.blobs[1].data[...] = layer.blobs[2].data[...] = 1", "layer.blobs[1].data[...] = 1")],
        first("stem"),
    ),
    "the factor of one BatchNorm that of two batches": (
        [
            (
                LOADED,
                LOADED + '        if name == "bn4d_branch2a":\n            blobs[2].data[...] = 1.999\n',
            )
        ],
        first("stage4"),
    ),
    "no Scale after BatchNorm": (
        [('        n[bn.replace("bn", "scale")] = x = ' + SCALE + "\n", "")],
        first("stem"),
    ),
    "Scale without its bias": ([("bias_term=True, ", "")], first("stem")),
    "Eltwise takes the larger value": ([(ADDED, ADDED.replace("y)", "y, operation=P.Eltwise.MAX)"))], first("stage2")),
    "folded with Caffe's epsilon": ([FOLDED, ("variance + 1e-3", "variance + 1e-5")], first("stage2")),
    "folded without the convolution's bias": (
        [FOLDED, ('(weights[f"{conv}/bias"] - mean) * scale', "-mean * scale")],
        first("stem"),
    ),
    "folded with a bias that is not scaled": (
        [FOLDED, ('(weights[f"{conv}/bias"] - mean) * scale', 'weights[f"{conv}/bias"] - mean * scale')],
        first("stem"),
    ),
}
PLANTS = {name: ([SMALL, *changes], expected) for name, (changes, expected) in PLANTS.items()}
