"""Mistakes planted in resnet50_features' lesson in Chainer: {name: (changes of the text, what must be said)}.

Each answer names the stage where the computation first leaves the reference, and the proof with drawn weights.
"""

from tests.plants import resnet50_features as shared
from tests.plants.resnet50_features import AFTER, FEATURES, IMAGES, LOGITS, SHAPE, TIMED, first

STORE = "        state[chainer_name(name)] = np.ascontiguousarray(w)\n"
LOAD = "    chainer.serializers.NpzDeserializer(state, ignore_names=ignored).load(model)\n"
EPS = "ideep4py.batchNormalization.Forward(*arrays, self.eps)[0]"
CONV1 = "L.Convolution2D(channels, width, 1, stride=stride)"
CONV2 = "L.Convolution2D(width, width, 3, pad=1)"
STEM = "        x = F.relu(self.bn1(self.conv1(x)))  # (N, 64, 112, 112)\n"
PADDED = 'chainer.Variable(np.pad(np.array({}), [(0, 0), (0, 0), ({}, {}), ({}, {})], "constant"))'
POOL = "F.max_pooling_2d(x, 3, stride=2, pad=1, cover_all=False)"
MEAN = "F.average_pooling_2d(x, 7)"
PHOTOS = "    x = photos[..., ::-1].astype(np.float32) - MEAN\n"
SPLIT = "np.split(x, range(BATCH_SIZE, len(x), BATCH_SIZE))"
INFERENCE = 'chainer.using_config("train", False), chainer.no_backprop_mode()'
LAST = "        return F.relu(y + x)"


def changed(change, condition):
    """Some of Keras' arrays, `w` in Chainer's layout, are changed as they are loaded."""
    return [(STORE, "        w = {} if {} else w\n".format(change, condition) + STORE)]


def weight(name, change):
    return changed(change, 'name == "{}"'.format(name))


PLANTS = {
    # ---- the ten that the workload must show
    "one layer's epsilon is Chainer's default": (
        [(LOAD, LOAD + "    model.stage3[1].bn2.eps = 2e-5\n")],
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
    "asymmetric padding of the first convolution": (
        [
            ("7, stride=2, pad=3)", "7, stride=2)"),
            (STEM, "        x = " + PADDED.format("chainer.as_variable(x).array", 2, 3, 2, 3) + "\n" + STEM),
        ],
        first("stem"),
    ),
    "asymmetric padding of the max pooling": (
        [(POOL, "F.max_pooling_2d(" + PADDED.format("x.array", 0, 1, 0, 1) + ", 3, stride=2, cover_all=False)")],
        first("stem"),
    ),
    "the running variance of one layer unbiased, of 32 images": (
        weight("bn5b_branch2b/moving_variance", "w * np.float32(1568 / 1567)"),  # 32 * 7 * 7
        first("stage5"),
    ),
    "BatchNorm in training mode": ([(INFERENCE, "chainer.no_backprop_mode()")], FEATURES),
    "average pooling over the padding": ([(MEAN, "F.average_pooling_2d(x, 9, pad=1)")], AFTER),
    # ---- more of the kind
    "mean in the order red, green, blue": ([("(103.939, 116.779, 123.68)", "(123.68, 116.779, 103.939)")], IMAGES),
    "the mean of Chainer's own ResNets": ([("(103.939, 116.779, 123.68)", "(103.063, 115.903, 123.152)")], IMAGES),
    "images from 0 to 1": ([("- MEAN\n", "/ 255 - MEAN\n")], IMAGES),
    # the stem's variances are those of pixels: an epsilon is nothing beside them
    "every epsilon is Chainer's default": ([("eps=1e-3, ", "")], first("stage2")),
    "ReLU before the addition": ([(LAST, LAST.replace("y + x", "F.relu(y) + x"))], first("stage2")),
    "no ReLU after the addition": ([(LAST, "        return y + x")], first("stage2")),
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
    "the standard deviation taken for the variance": (changed("np.sqrt(w)", '"variance" in name'), first("stem")),
    "the dense layer's bias dropped": (weight("fc1000/bias", "0 * w"), LOGITS),
    "maximum instead of mean": ([(MEAN, "F.max_pooling_2d(x, 7)")], AFTER),
    # ---- Chainer's own
    "max pooling that rounds up, the default": (
        [(POOL, POOL.replace(", cover_all=False", ""))],
        r"features\.stem has shape \(8, 57, 57, 64\)",
    ),
    "max pooling as in Chainer's own ResNets: rounds up, without padding": (
        [(POOL, "F.max_pooling_2d(x, 3, stride=2)")],
        first("stem"),
    ),
    "iDeep normalizes with the batch's statistics": (
        [(EPS, EPS.replace("*arrays", "*arrays[:3], None, None"))],
        first("stem"),
    ),
    "no biases, as in Chainer's own ResNets": (changed("0 * w", 'name.startswith("res") and "bias" in name'), first("stage2")),
    "weights loaded into iDeep's arrays": ([('    model.to_device("@numpy")\n', "")], first("stem")),
    "blocks named by Sequential": (
        [
            ("class Stage(chainer.ChainList)", "class Stage(chainer.Sequential)"),
            ("        for block in self:\n            x = block(x)\n        return x", "        return super().forward(x)"),
        ],
        first("stage2"),
    ),
    "the running values never loaded": (
        [('name.endswith("/N")', 'name.endswith(("/N", "/avg_mean", "/avg_var"))')],
        first("stem"),
    ),
    # ---- the function, and what it is given
    "last partial batch dropped": ([(SPLIT, SPLIT + "[: max(1, len(x) // BATCH_SIZE)]")], SHAPE),
    "features of an earlier call": (
        [("def features(model, x):", "kept = {}\n\n\ndef features(model, x):"), ('        return np.concatenate([np.array(model(batch).array) for batch in batches])', '        return kept.setdefault(len(x), np.concatenate([np.array(model(batch).array) for batch in batches]))')],
        TIMED,
    ),
    **shared.SHARED,
    **shared.own_run("embeddings = features(model, x)", "predicted = logits(model, embeddings).argmax(axis=1)"),
}
