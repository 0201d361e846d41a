"""Mistakes planted in resnet50_features' lesson in Keras 2: {name: (changes of the text, what must be said)}.

Each answer names the stage where the computation first leaves the reference, and the proof with drawn weights.
"""

from tests.plants import resnet50_features as shared
from tests.plants.resnet50_features import AFTER, IMAGES, LOGITS, SHAPE, TIMED, first

ARRAY = 'arrays[layer.name + "/" + kind]'
NORM = "epsilon=1e-3, name=name)(x)"
CONV1 = 'layers.Conv2D(64, 7, strides=2, name="conv1")(layers.ZeroPadding2D(3)(images))'
PAD3, PAD1 = "layers.ZeroPadding2D(3)", "layers.ZeroPadding2D(1)"
FIRST, SECOND = '"_branch2a", width, strides=strides)', '"_branch2b", width, 3, padding="same")'
SUM = "relu(layers.add([y, x]), name="
MEAN = "layers.GlobalAveragePooling2D()(x)"
PHOTOS = "photos[..., ::-1].astype(np.float32)"
PREDICT = "    return body.predict(x, batch_size=BATCH_SIZE)\n"
SET = "        part.set_weights(values)\n"


def changed(change, condition):
    """Some of Keras' arrays, `w`, are changed as they are loaded."""
    one = f"(lambda w, name: {change} if {condition} else w)"
    return [(ARRAY, f'{one}({ARRAY}, layer.name + "/" + kind)')]


def weight(name, change):
    return changed(change, f'name == "{name}"')


PLANTS = {
    # ---- the ten that the workload must show
    "one layer's epsilon is PyTorch's default": (
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
        [(FIRST, FIRST.replace(", strides=strides", "")), (SECOND, SECOND.replace("3, ", "3, strides=strides, "))],
        first("stage3"),
    ),
    "asymmetric padding of the first convolution": (
        [(PAD3, PAD3.replace("(3)", "(((2, 3), (2, 3)))"))],
        first("stem"),
    ),
    "asymmetric padding of the max pooling": ([(PAD1, PAD1.replace("(1)", "(((0, 1), (0, 1)))"))], first("stem")),
    "the running variance of one layer unbiased, of 32 images": (
        weight("bn5b_branch2b/moving_variance", "w * np.float32(1568 / 1567)"),  # 32 * 7 * 7
        first("stage5"),
    ),
    "BatchNorm in training mode": ([("K.set_learning_phase(0)\nprint", "K.set_learning_phase(1)\nprint")], first("stem")),
    "one BatchNorm in training mode": (
        [(NORM, NORM.replace("(x)", '(x, training=name == "bn2a_branch1")'))],
        first("stage2"),
    ),
    "average pooling over the padding": ([(MEAN, MEAN.replace("(x)", f"({PAD1}(x))"))], AFTER),
    # ---- more of the kind
    "mean in the order red, green, blue": ([("[103.939, 116.779, 123.68]", "[123.68, 116.779, 103.939]")], IMAGES),
    "images from 0 to 1": ([(PHOTOS, PHOTOS + " / 255")], IMAGES),
    # the stem's variances are those of pixels: an epsilon is nothing beside them
    "every epsilon is that of keras.applications.resnet": (
        [(NORM, NORM.replace("1e-3", "1.001e-5"))],
        first("stage2"),
    ),
    "ReLU before the addition": ([(SUM, "layers.add([relu(y), x], name=")], first("stage2")),
    "no ReLU after the addition": ([(SUM, "layers.add([y, x], name=")], first("stage2")),
    "height and width of the kernels exchanged": (changed("w.swapaxes(0, 1)", "w.ndim == 4"), first("stem")),
    "gamma and beta exchanged": ([('"gamma", "beta", "moving', '"beta", "gamma", "moving')], first("stem")),
    "the standard deviation taken for the variance": (changed("np.sqrt(w)", '"variance" in name'), first("stem")),
    "the dense layer's bias dropped": (weight("fc1000/bias", "0 * w"), LOGITS),
    "maximum instead of mean": ([(MEAN, MEAN.replace("Average", "Max"))], AFTER),
    # ---- Keras 2's own
    "same in the first convolution": (
        [(CONV1, CONV1.replace(f"({PAD3}(images))", "(images)").replace("strides=2", 'strides=2, padding="same"'))],
        first("stem"),
    ),
    "same in the max pooling": (
        [("MaxPooling2D(3, strides=2, ", 'MaxPooling2D(3, strides=2, padding="same", '), (PAD1, "")],
        first("stem"),
    ),
    "kernels turned where they must not be": ([('BACKEND == "theano":', 'BACKEND != "theano":')], first("stem")),
    "the running values never loaded": (changed('0 * w + ("variance" in name)', '"moving" in name'), first("stem")),
    "no weights are loaded": ([(SET, SET.replace("values", "part.get_weights()"))], first("stem")),
    "a softmax at the end": (
        [('layers.Dense(1000, input', 'layers.Dense(1000, activation="softmax", input')],
        LOGITS,
    ),
    # ---- the function, and what it is given
    "last partial batch dropped": (
        [(PREDICT, PREDICT.replace("(x, ", "(x[: max(1, len(x) // BATCH_SIZE) * BATCH_SIZE], "))],
        SHAPE,
    ),
    "features of an earlier call": (
        [
            ("def features(model, x):", "kept = {}\n\n\ndef features(model, x):"),
            (
                PREDICT,
                "    if len(x) not in kept:\n        kept[len(x)] ="
                + PREDICT[len("    return") :]
                + "    return kept[len(x)]\n",
            ),
        ],
        TIMED,
    ),
    **shared.SHARED,
    **shared.own_run("embeddings = features(model, x)", "predicted = logits(model, embeddings).argmax(axis=1)"),
}
