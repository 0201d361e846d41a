"""Mistakes planted in resnet50_features' lesson in TensorFlow 1: {name: (changes of the text, what must be said)}.

Each answer names the stage where the computation first leaves the reference, and the proof with drawn weights.
"""

from tests.plants import resnet50_features as shared
from tests.plants.resnet50_features import AFTER, IMAGES, LOGITS, SHAPE, TIMED, first

LOAD = "{v.initial_value: arrays[v.op.name] for v in model.variables}"
NORM = "epsilon=1e-3, training=False"
NORMED = "    return tf.layers.batch_normalization(x, " + NORM + ', name="bn" + name)'
FIRST, SECOND = '"_branch2a", width, stride=stride)', '"_branch2b", width, size=3)'
PAD3 = "    x = tf.pad(x, [(0, 0), (3, 3), (3, 3), (0, 0)])\n"
PAD1 = "    x = tf.pad(tf.nn.relu(x), [(0, 0), (1, 1), (1, 1), (0, 0)])\n"
ADDED = "    return tf.nn.relu(y + x)"
MEAN = 'tf.reduce_mean(self.stages["stage5"], (1, 2))'
CONCAT = "    return np.concatenate([model.session.run(model.features, {model.x: batch}) for batch in batches])"
PHOTOS = "    return photos[..., ::-1].astype(np.float32)"


def changed(change, condition):
    """Some of Keras' arrays, `w`, are changed as they are loaded."""
    one = f"lambda w, name: {change} if {condition} else w"
    return [(LOAD, LOAD.replace("arrays[v.op.name]", f"({one})(arrays[v.op.name], v.op.name)"))]


def weight(name, change):
    return changed(change, f'name == "{name}"')


PLANTS = {
    # ---- the ten that the workload must show
    "one layer's epsilon is PyTorch's default": (
        [(NORMED, NORMED.replace("1e-3", '1e-5 if name == "3b_branch2b" else 1e-3'))],
        first("stage3"),
    ),
    "one bias dropped": (weight("res4c_branch2b/bias", "0 * w"), first("stage4")),
    "one kernel rounded to TF32": (
        weight("res3b_branch2b/kernel", "((w.view(np.int32) + 4096) & -8192).view(np.float32)"),
        first("stage3"),
    ),
    "red first": ([(PHOTOS, PHOTOS.replace("[..., ::-1]", ""))], IMAGES),
    "the stride in the 3x3 convolution": (
        [(FIRST, FIRST.replace(", stride=stride", "")), (SECOND, SECOND.replace("size=3", "size=3, stride=stride"))],
        first("stage3"),
    ),
    "asymmetric padding of the first convolution": ([(PAD3, PAD3.replace("(3, 3)", "(2, 3)"))], first("stem")),
    "asymmetric padding of the max pooling": ([(PAD1, PAD1.replace("(1, 1)", "(0, 1)"))], first("stem")),
    "the running variance of one layer unbiased, of 32 images": (
        weight("bn5b_branch2b/moving_variance", "w * 1568 / 1567"),  # 32 * 7 * 7
        first("stage5"),
    ),
    "BatchNorm in training mode": ([(NORM, NORM.replace("False", "True"))], first("stem")),
    "average pooling over the padding": (
        [(MEAN, 'tf.reduce_mean(tf.pad(self.stages["stage5"], [(0, 0), (1, 1), (1, 1), (0, 0)]), (1, 2))')],
        AFTER,
    ),
    # ---- more of the kind
    "mean in the order red, green, blue": ([("[103.939, 116.779, 123.68]", "[123.68, 116.779, 103.939]")], IMAGES),
    "images from 0 to 1": ([(PHOTOS, PHOTOS + " / 255")], IMAGES),
    # the stem's variances are those of pixels: an epsilon is nothing beside them
    "every epsilon is PyTorch's default": ([(NORM, NORM.replace("1e-3", "1e-5"))], first("stage2")),
    "ReLU before the addition": ([(ADDED, "    return tf.nn.relu(y) + x")], first("stage2")),
    "no ReLU after the addition": ([(ADDED, "    return y + x")], first("stage2")),
    "kernels turned by 180 degrees": (changed("w[::-1, ::-1]", "w.ndim == 4"), first("stem")),
    "height and width of the kernels exchanged": (changed("w.transpose(1, 0, 2, 3)", "w.ndim == 4"), first("stem")),
    "gamma and beta exchanged": (
        changed(
            'arrays[name.replace("beta", "gamma")] if "beta" in name else arrays[name.replace("gamma", "beta")]',
            '"beta" in name or "gamma" in name',
        ),
        first("stem"),
    ),
    "the standard deviation taken for the variance": (changed("np.sqrt(w)", '"variance" in name'), first("stem")),
    "the dense layer's bias dropped": (weight("fc1000/bias", "0 * w"), LOGITS),
    "maximum instead of mean": ([(MEAN, MEAN.replace("reduce_mean", "reduce_max"))], AFTER),
    # ---- TensorFlow's own
    "same in the first convolution": (
        [(PAD3, ""), ('64, 7, 2, name="conv1")', '64, 7, 2, padding="same", name="conv1")')],
        first("stem"),
    ),
    "same in the max pooling": (
        [(PAD1, "    x = tf.nn.relu(x)\n"), ("max_pooling2d(x, 3, 2)", 'max_pooling2d(x, 3, 2, padding="same")')],
        first("stem"),
    ),
    "only trainable variables are loaded": ([("= tf.global_variables()", "= tf.trainable_variables()")], first("stem")),
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
    **shared.own_run("embeddings = features(model, x)", "predicted = logits(model, embeddings).argmax(axis=1)"),
}
