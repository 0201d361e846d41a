"""Mistakes planted in resnet50_features' lesson in TensorFlow: {name: (changes of the text, what must be said)}.

Each answer names the stage where the computation first leaves the reference, and the proof with drawn weights.
"""

from tests.plants import resnet50_features as shared
from tests.plants.resnet50_features import AFTER, FEATURES, IMAGES, LOGITS, SHAPE, TIMED, first

NORM = 'layers.BatchNormalization(epsilon=1e-3, momentum=0.99, name=f"bn{name}")'
ASSIGN = '        variable.assign(arrays[f"{layer}/{kind}"])\n'
FIRST = "conv(width, 1, a, strides=strides)"
SECOND = 'conv(width, 3, b, padding="same")'
STEM = 'layers.ZeroPadding2D(3), layers.Conv2D(64, 7, strides=2, name="conv1")'
POOL = "layers.ReLU(), layers.ZeroPadding2D(1), layers.MaxPooling2D(3, strides=2)"
ADDED = "tf.nn.relu(y + (self.shortcut(x, training=training) if self.shortcut else x))"
MEAN = "tf.reduce_mean(tf.cast(x, tf.float32), axis=(1, 2))"
COLOURS = "tf.constant(photos)[..., ::-1]"
CONCAT = "    return tf.concat([forward(model, batch) for batch in batches], axis=0)"


def weight(name, change):
    """One of Keras' arrays, ``w``, is changed as it is loaded."""
    return everywhere(f'f"{{layer}}/{{kind}}" == "{name}"', change)


def everywhere(condition, change):
    """All arrays for which ``condition`` holds are changed as they are loaded."""
    new = f'        w = arrays[f"{{layer}}/{{kind}}"]\n        if {condition}:\n            w = {change}\n        variable.assign(w)\n'
    return [(ASSIGN, new)]


def training(condition):
    """A BatchNorm for which ``condition`` holds always trains."""
    always = '{"call": lambda self, x, training=None, mask=None: layers.BatchNormalization.call(self, x, True)}'
    made = f'type("Norm", (layers.BatchNormalization,), {always} if {condition} else {{}})'
    return [(NORM, NORM.replace("layers.BatchNormalization", made))]


PLANTS = {
    # ---- the ten that the workload must show
    "one layer's epsilon is PyTorch's default": (
        [(NORM, NORM.replace("1e-3", '1e-5 if name == "3b_branch2b" else 1e-3'))],
        first("stage3"),
    ),
    "one bias dropped": (weight("res4c_branch2b/bias", "0 * w"), first("stage4")),
    "one kernel rounded to TF32": (
        weight("res3b_branch2b/kernel", "((w.view(np.int32) + 4096) & -8192).view(np.float32)"),
        first("stage3"),
    ),
    "red first": ([(COLOURS, "tf.constant(photos)")], IMAGES),
    "the stride in the 3x3 convolution": (
        [(FIRST, FIRST.replace(", strides=strides", "")), (SECOND, SECOND.replace(", p", ", strides=strides, p"))],
        first("stage3"),
    ),
    "asymmetric padding of the first convolution": (
        [(STEM, 'layers.Conv2D(64, 7, strides=2, padding="same", name="conv1")')],
        first("stem"),
    ),
    "asymmetric padding of the max pooling": (
        [(POOL, 'layers.ReLU(), layers.MaxPooling2D(3, strides=2, padding="same")')],
        first("stem"),
    ),
    "the running variance of one layer unbiased, of 32 images": (
        weight("bn5b_branch2b/moving_variance", "w * np.float32(1568 / 1567)"),  # 32 * 7 * 7
        first("stage5"),
    ),
    "BatchNorm in training mode": (training("True"), first("stem")),
    "one BatchNorm in training mode": (training('name == "2a_branch1"'), first("stage2")),
    "forward in training mode": ([("return model(x, training=False)", "return model(x, training=True)")], FEATURES),
    "average pooling over the padding": (
        [(MEAN, "tf.reduce_mean(tf.pad(x, [[0, 0], [1, 1], [1, 1], [0, 0]]), axis=(1, 2))")],
        AFTER,
    ),
    # ---- more of the kind
    "mean in the order red, green, blue": ([("(103.939, 116.779, 123.68)", "(123.68, 116.779, 103.939)")], IMAGES),
    "images from 0 to 1": ([("    return x - tf.constant(MEAN)", "    return x / 255 - tf.constant(MEAN)")], IMAGES),
    # the stem's variances are those of pixels: an epsilon is nothing beside them
    "every epsilon is tf.keras.applications'": (
        [("epsilon=1e-3, momentum", "epsilon=1.001e-5, momentum")],
        first("stage2"),
    ),
    "ReLU before the addition": ([(ADDED, ADDED.replace("relu(y +", "relu(tf.nn.relu(y) +"))], first("stage2")),
    "no ReLU after the addition": ([(ADDED, ADDED[len("tf.nn.relu") :])], first("stage2")),
    "kernels turned by 180 degrees": (everywhere("w.ndim == 4", "w[::-1, ::-1].copy()"), first("stem")),
    "height and width of the kernels exchanged": (everywhere("w.ndim == 4", "w.swapaxes(0, 1).copy()"), first("stem")),
    "gamma and beta exchanged": (
        [(ASSIGN, '        kind = {"gamma": "beta", "beta": "gamma"}.get(kind, kind)\n' + ASSIGN)],
        first("stem"),
    ),
    "the standard deviation taken for the variance": (
        everywhere('kind == "moving_variance"', "np.sqrt(w)"),
        first("stem"),
    ),
    "the running values are not loaded": (
        [(ASSIGN, "        if not variable.trainable:\n            continue\n" + ASSIGN)],
        first("stem"),
    ),
    "the dense layer's bias dropped": (weight("fc1000/bias", "0 * w"), LOGITS),
    "maximum instead of mean": ([(MEAN, "tf.reduce_max(x, axis=(1, 2))")], AFTER),
    "bf16 in the proof": ([('"mixed_bfloat16" if PRECISION == "bf16" else "float32"', '"mixed_bfloat16"')], FEATURES),
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
    **shared.own_run(
        "embeddings = features(model, x).numpy()", "predicted = tf.argmax(logits(model, embeddings), axis=1).numpy()"
    ),
}
