"""Mistakes planted in resnet50_features' lesson in Keras: {name: (changes of the text, what must be said)}.

Each answer names the stage where the computation first leaves the reference, and the proof with drawn weights.
"""

from tests.plants import resnet50_features as shared
from tests.plants.resnet50_features import AFTER, FEATURES, IMAGES, LOGITS, SHAPE, TIMED, first

NORM = "layers.BatchNormalization(axis=CHANNELS, momentum=0.99, epsilon=1e-3, name=name)"
CONV1 = '    y = layers.Conv2D(64, 7, strides=2, name="conv1")(layers.ZeroPadding2D(3)(start))'
POOL = 'y = layers.ZeroPadding2D(1)(ops.relu(norm("bn_conv1")(y)))'
FIRST = 'conv(start, width, 1, f"{name}_branch2a", strides=strides)'
SECOND = '"{name}_branch2b", padding="same")'
ASSIGN = "        variable.assign(arrays[variable.path])\n"
FLIP = 'ops.flip(ops.convert_to_tensor(photos, "float32"), axis=3)'
SUM = "ops.relu(y + shortcut)"
STACKED = "    return np.concatenate([body.predict_on_batch(batch) for batch in batches])"
MEAN = 'layers.GlobalAveragePooling2D(dtype="float32")(x)'


def weight(name, change):
    """One of Keras' arrays, ``w``, is changed as it is loaded."""
    return everywhere(f'variable.path == "{name}"', change)


def everywhere(condition, change):
    """All arrays for which ``condition`` holds are changed as they are loaded."""
    new = f"        w = arrays[variable.path]\n        if {condition}:\n            w = {change}\n        variable.assign(w)\n"
    return [(ASSIGN, new)]


def training(condition):
    """A BatchNorm for which ``condition`` holds always trains; predict would overrule ``training=True`` in a call."""
    always = '{"call": lambda self, x, training=None, mask=None: layers.BatchNormalization.call(self, x, True)}'
    made = f'type("Norm", (layers.BatchNormalization,), {always} if {condition} else {{}})'
    return [(NORM, NORM.replace("layers.BatchNormalization", made))]


PLANTS = {
    # ---- the ten that the workload must show
    "one layer's epsilon is PyTorch's default": (
        [(NORM, NORM.replace("1e-3", '1e-5 if name == "bn3b_branch2b" else 1e-3'))],
        first("stage3"),
    ),
    "one bias dropped": (weight("res4c_branch2b/bias", "np.zeros_like(w)"), first("stage4")),
    "one kernel rounded to TF32": (
        weight("res3b_branch2b/kernel", "((w.view(np.int32) + 4096) & -8192).view(np.float32)"),
        first("stage3"),
    ),
    "red first": ([(FLIP, FLIP[len("ops.flip(") : -len(", axis=3)")])], IMAGES),
    "the stride in the 3x3 convolution": (
        [(FIRST, FIRST.replace(", strides=strides", "")), (SECOND, SECOND.replace(", ", ", strides=strides, "))],
        first("stage3"),
    ),
    "asymmetric padding of the first convolution": (
        [
            (
                CONV1,
                CONV1.replace("strides=2", 'strides=2, padding="same"').replace(
                    "layers.ZeroPadding2D(3)(start)", "start"
                ),
            )
        ],
        first("stem"),
    ),
    "asymmetric padding of the max pooling": (
        [
            (POOL, POOL.replace("layers.ZeroPadding2D(1)", "")),
            ("MaxPooling2D(3, strides=2)", 'MaxPooling2D(3, strides=2, padding="same")'),
        ],
        first("stem"),
    ),
    "the running variance of one layer unbiased, of 32 images": (
        weight("bn5b_branch2b/moving_variance", "w * np.float32(1568 / 1567)"),  # 32 * 7 * 7
        first("stage5"),
    ),
    "BatchNorm in training mode": (training("True"), first("stem")),
    "one BatchNorm in training mode": (training('name == "bn2a_branch1"'), first("stage2")),
    "average pooling over the padding": (
        [(MEAN, "keras.Sequential([layers.ZeroPadding2D(1), layers.AveragePooling2D(9), layers.Flatten()])(x)")],
        AFTER,
    ),
    # ---- more of the kind
    "mean in the order red, green, blue": ([("(103.939, 116.779, 123.68)", "(123.68, 116.779, 103.939)")], IMAGES),
    "images from 0 to 1": ([(FLIP, FLIP + " / 255")], IMAGES),
    # the stem's variances are those of pixels: an epsilon is nothing beside them
    "every epsilon is keras.applications'": ([("epsilon=1e-3, name", "epsilon=1.001e-5, name")], first("stage2")),
    "max pooling that rounds up, without padding": (
        [(POOL, POOL.replace("ZeroPadding2D(1)", "ZeroPadding2D(((0, 1), (0, 1)))"))],
        first("stem"),
    ),
    "ReLU before the addition": ([(SUM, "ops.relu(y) + shortcut")], first("stage2")),
    "no ReLU after the addition": ([(SUM, "y + shortcut")], first("stage2")),
    "kernels turned by 180 degrees": (everywhere("w.ndim == 4", "w[::-1, ::-1].copy()"), first("stem")),
    "height and width of the kernels exchanged": (everywhere("w.ndim == 4", "w.swapaxes(0, 1).copy()"), first("stem")),
    "gamma and beta exchanged": (
        [
            (
                ASSIGN,
                '        kind = {"gamma": "beta", "beta": "gamma"}.get(variable.name, variable.name)\n'
                '        variable.assign(arrays[variable.path.split("/")[0] + "/" + kind])\n',
            )
        ],
        first("stem"),
    ),
    "the standard deviation taken for the variance": (
        everywhere('variable.name == "moving_variance"', "np.sqrt(w)"),
        first("stem"),
    ),
    "the dense layer's bias dropped": (weight("fc1000/bias", "np.zeros_like(w)"), LOGITS),
    "a softmax at the end": (
        [("layers.Dense(1000, ", 'layers.Dense(1000, activation="softmax", ')],
        LOGITS,
    ),
    "maximum instead of mean": ([(MEAN, "layers.GlobalMaxPooling2D()(x)")], AFTER),
    "bf16 in the proof": ([('"mixed_bfloat16" if PRECISION == "bf16" else "float32"', '"mixed_bfloat16"')], FEATURES),
    # ---- the function, and what it is given
    "last partial batch dropped": (
        [("range(0, len(x), BATCH_SIZE)", "range(0, max(1, len(x) // BATCH_SIZE) * BATCH_SIZE, BATCH_SIZE)")],
        SHAPE,
    ),
    "features of an earlier call": (
        [
            ("def features(model, x):", "kept = {}\n\n\ndef features(model, x):"),
            (STACKED, "    if len(x) in kept:\n        return kept[len(x)]\n    kept[len(x)] = found = " + STACKED[11:] + "\n    return found"),
        ],
        TIMED,
    ),
    **shared.SHARED,
    **shared.own_run("embeddings = features(model, x)", "predicted = logits(model, embeddings).argmax(axis=1)"),
}
