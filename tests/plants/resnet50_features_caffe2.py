"""Mistakes planted in resnet50_features' lesson in Caffe2: {name: (changes of the text, what must be said)}.

Each answer names the stage where the computation first leaves the reference, and the proof with drawn weights.
"""

from tests.plants import resnet50_features as shared
from tests.plants.resnet50_features import AFTER, IMAGES, LOGITS, SHAPE, TIMED, first

NORM = "epsilon=1e-3, momentum=0.99, is_test=True)\n\n\ndef relu"
FEED = '        workspace.FeedBlob(f"{layer}_{ENDINGS[kind]}", np.ascontiguousarray(w), device)\n'
CONV1 = '"branch2a", channels, width, stride=stride)'
CONV2 = '"branch2b", width, width, size=3, pad=1)'
STEM = 'layer(model, "data", "conv1", "bn_conv1", 3, 64, size=7, stride=2, pad=3)'
POOL = 'brew.max_pool(model, x, "stem", kernel=3, stride=2, pad=1)'
MEAN = 'brew.average_pool(model, x, "mean", global_pooling=True)'
SUM = 'relu(model, brew.sum(model, [y, x], f"stage{name}"))'
PHOTOS = "    x = photos[..., ::-1].astype(np.float32)"
RUN = """    workspace.FeedBlob("data", np.zeros((1, 3, 224, 224), np.float32), device)
    workspace.RunNet(model.body.net)
"""
DEVICE = "device = core.DeviceOption(caffe2_pb2.IDEEP)"
# The IDEEP device refuses a convolution with uneven padding, and has no PadImage of its own.
CPU = [(DEVICE, DEVICE.replace("IDEEP", "CPU"))]


def weight(name, change):
    """One of Keras' arrays, `w` in Caffe2's layout, is changed as it is loaded."""
    return [(FEED, '        if name == "{}":\n            w = {}\n'.format(name, change) + FEED)]


def padded(first_side, last_side):
    return "pad_t={0}, pad_l={0}, pad_b={1}, pad_r={1})".format(first_side, last_side)


PLANTS = {
    # ---- the ten that the workload must show
    "one layer's epsilon is Caffe2's default": (
        [(NORM, NORM.replace("1e-3", '1e-5 if norm == "bn3b_branch2b" else 1e-3'))],
        first("stage3"),
    ),
    "one bias dropped": (weight("res4c_branch2b/bias", "np.zeros_like(w)"), first("stage4")),
    "one kernel rounded to TF32": (
        weight("res3b_branch2b/kernel", "((np.ascontiguousarray(w).view(np.int32) + 4096) & -8192).view(np.float32)"),
        first("stage3"),
    ),
    "red first": ([(PHOTOS, PHOTOS.replace("[..., ::-1]", ""))], IMAGES),
    "the stride in the 3x3 convolution": (
        [(CONV1, CONV1.replace(", stride=stride", "")), (CONV2, CONV2.replace("pad=1", "pad=1, stride=stride"))],
        first("stage3"),
    ),
    "asymmetric padding of the first convolution": (
        CPU + [(STEM, STEM.replace("pad=3)", padded(2, 3)))],
        first("stem"),
    ),
    "asymmetric padding of the max pooling": ([(POOL, POOL.replace("pad=1)", padded(0, 1)))], first("stem")),
    "the running variance of one layer unbiased, of 32 images": (
        weight("bn5b_branch2b/moving_variance", "w * np.float32(1568 / 1567)"),  # 32 * 7 * 7
        first("stage5"),
    ),
    "BatchNorm in training mode": ([(NORM, NORM.replace("is_test=True", "is_test=False"))], first("stem")),
    "average pooling over the padding": (
        CPU + [(MEAN, MEAN.replace("x,", 'model.net.PadImage(x, "padded", pad=1, order="NCHW"),'))],
        r"features.stage5 has shape \(8, 9, 9, 2048\)",  # the proof reads what the pooling reads
    ),
    # ---- more of the kind
    "mean in the order red, green, blue": (
        [("(103.939, 116.779, 123.68)", "(123.68, 116.779, 103.939)")],
        IMAGES,
    ),
    "images from 0 to 1": ([(PHOTOS, PHOTOS + " / 255")], IMAGES),
    # the stem's variances are those of pixels: an epsilon is nothing beside them
    "every epsilon is Caffe2's default": ([(NORM, NORM.replace("epsilon=1e-3, ", ""))], first("stage2")),
    "max pooling that rounds up": (
        [(POOL, POOL.replace("pad=1", "pad=1, legacy_pad=3"))],
        r"features\.stem has shape \(8, 57, 57, 64\)",
    ),
    "max pooling that rounds up, without padding": (
        [(POOL, POOL.replace("pad=1", "legacy_pad=3"))],
        first("stem"),
    ),
    "ReLU before the addition": (
        [(SUM, SUM.replace("[y, x]", "[relu(model, y), x]"))],
        first("stage2"),
    ),
    "no ReLU after the addition": (
        [(SUM, 'brew.sum(model, [y, x], f"stage{name}")')],
        first("stage2"),
    ),
    "kernels turned by 180 degrees": (
        [("w.transpose(3, 2, 0, 1) if", "w.transpose(3, 2, 0, 1)[:, :, ::-1, ::-1] if")],
        first("stem"),
    ),
    "height and width of the kernels exchanged": (
        [("w.transpose(3, 2, 0, 1)", "w.transpose(3, 2, 1, 0)")],
        first("stem"),
    ),
    "gamma and beta exchanged": ([('"gamma": "s", "beta": "b"', '"gamma": "b", "beta": "s"')], first("stem")),
    "the dense layer's bias dropped": (weight("fc1000/bias", "np.zeros_like(w)"), LOGITS),
    "maximum instead of mean": ([(MEAN, MEAN.replace("average_pool", "max_pool"))], AFTER),
    # ---- Caffe2's own
    "the inverse deviation fed as _riv": (
        [(FEED, '        w = 1 / np.sqrt(w + 1e-3) if kind == "moving_variance" else w\n' + FEED)],
        first("stem"),
    ),
    "running mean and variance exchanged": (
        [('"moving_mean": "rm", "moving_variance": "riv"', '"moving_mean": "riv", "moving_variance": "rm"')],
        first("stem"),
    ),
    "folded with Caffe2's epsilon": (
        [("FREEZE = False", "FREEZE = True"), (" + np.float32(1e-3 - 1e-5)", "")],
        first("stage2"),
    ),
    "new kernels in old nets": (
        [
            ("    for name, w in arrays.items():\n", RUN + "    for name, w in arrays.items():\n"),
            ("    for part in model:\n        workspace.CreateNet(part.net, overwrite=True)\n", ""),
        ],
        first("stem"),
    ),
    # ---- the function, and what it is given
    "last partial batch dropped": ([("range(0, len(x), BATCH_SIZE)", "range(0, max(1, len(x) // BATCH_SIZE) * BATCH_SIZE, BATCH_SIZE)"), ("reshape(len(x), 2048)", "reshape(-1, 2048)")], SHAPE),
    "features of an earlier call": (
        [("def features(model, x):", "kept = {}\n\n\ndef features(model, x):"), ('    return run(model.body.net, x, "data", "mean").reshape(len(x), 2048)', '    return kept.setdefault(len(x), run(model.body.net, x, "data", "mean").reshape(len(x), 2048))')],
        TIMED,
    ),
    **shared.SHARED,
    **shared.own_run("embeddings = features(model, x)", "predicted = logits(model, embeddings).argmax(axis=1)"),
}
