"""Mistakes planted in resnet50_features' NumPy notebook: see resnet50_features_pytorch.py."""

from tests.plants.reference import UNCOMPARED
from tests.plants.resnet50_features import AFTER, first

LOADED = "        model[name][...] = array\n"
SCALE = 'model[name + "/moving_variance"] + EPSILON)'
SHIFT = 'model[name + "/moving_mean"] * scale'
CONV1, CONV2 = 'branch(model, name + "_branch2a", x, stride)', 'branch(model, name + "_branch2b", y, pad=1)'
PAD = "np.pad(x, [(0, 0), (pad, pad), (pad, pad), (0, 0)])"
POOL = "np.pad(x, [(0, 0), (1, 1), (1, 1), (0, 0)], "
PHOTOS = "photos[..., ::-1].astype(dtype)"
MEAN = '["stage5"].mean(axis=(1, 2))'
ROWS = "product += out  #"


def weight(name, change):
    """One of Keras' arrays, `array`, is changed as it is loaded."""
    return [(LOADED, '        if name == "{}":\n            array = {}\n'.format(name, change) + LOADED)]


PLANTS = {
    # ---- the ten that the workload must show
    "one layer's epsilon is PyTorch's default": (
        [(SCALE, SCALE.replace("EPSILON", '(1e-5 if name == "bn3b_branch2b" else EPSILON)'))],
        first("stage3"),
    ),
    "one bias dropped": (weight("res4c_branch2b/bias", "np.zeros_like(array)"), first("stage4")),
    "one kernel rounded to TF32": (
        weight("res3b_branch2b/kernel", "((array.view(np.int32) + 4096) & -8192).view(np.float32)"),
        first("stage3"),
    ),
    "red first": ([(PHOTOS, PHOTOS.replace("[..., ::-1]", ""))], first("images")),
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
    "two photos swapped": (
        [(PHOTOS, PHOTOS.replace("[...", "[[1, 0, *range(2, len(photos))]][..."))],
        first("images"),
    ),
    # ---- more of the kind
    "the bias added for each row of the kernel": (
        [(ROWS, 'product += out + (i > 0) * model[name + "/bias"]  #')],
        first("stem"),
    ),
    "the dense layer's bias dropped": ([(' + model["fc1000/bias"]', "")], r"logits: sample \d+ is off by"),
}
PLANTS = {name: ([UNCOMPARED] + changes, said) for name, (changes, said) in PLANTS.items()}
