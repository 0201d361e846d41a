"""Mistakes planted in resnet50_features' lesson in JAX: {name: (changes of the text, what must be said)}.

Each answer names the stage where the computation first leaves the reference, and the proof with drawn weights.
"""

from tests.plants import resnet50_features as shared
from tests.plants.resnet50_features import AFTER, FEATURES, IMAGES, LOGITS, SHAPE, TIMED, first

STAGE3 = "        self.stage3 = stage(256, 128, blocks=4, rngs=rngs)\n"
SET = "        getattr(layers[layer], KINDS[kind]).set_value(jnp.asarray(w))\n"
CONV1 = "conv(channels, width, 1, strides, rngs=rngs), norm(width"
CONV2 = "conv(width, width, 3, rngs=rngs)"
STEM = "conv(3, 64, 7, 2, padding=3, rngs=rngs)"
POOL = "nnx.max_pool(x, (3, 3), strides=(2, 2), padding=((1, 1), (1, 1)))"
VIEW = "return nnx.view(ResNet50(rngs=nnx.Rngs(0)), use_running_average=True)"
MEAN = "return x.mean((1, 2), dtype=jnp.float32)"
LAST = "return nnx.relu(y + self.shortcut(x))"
COLOURS = "x = jnp.asarray(photos)[..., ::-1]"
CONCAT = "    return jnp.concatenate([forward(model, x[k : k + BATCH_SIZE]) for k in starts])"


def weight(name, change):
    """One of Keras' arrays, `w`, is changed as it is loaded."""
    return [(SET, f'        if name == "{name}":\n            w = {change}\n' + SET)]


PLANTS = {
    # ---- the ten that the workload must show
    "one layer's epsilon is Flax's default": (
        [(STAGE3, STAGE3 + "        self.stage3.layers[1].bn2.epsilon = 1e-5\n")],
        first("stage3"),
    ),
    "one bias dropped": (weight("res4c_branch2b/bias", "np.zeros_like(w)"), first("stage4")),
    "one kernel rounded to TF32": (
        weight("res3b_branch2b/kernel", "((w.view(np.int32) + 4096) & -8192).view(np.float32)"),
        first("stage3"),
    ),
    "red first": ([(COLOURS, "x = jnp.asarray(photos)")], IMAGES),
    "the stride in the 3x3 convolution": (
        [(CONV1, CONV1.replace("1, strides,", "1,")), (CONV2, CONV2.replace("3,", "3, strides, padding=1,"))],
        first("stage3"),
    ),
    "asymmetric padding of the first convolution": ([(STEM, STEM.replace("padding=3, ", ""))], first("stem")),
    "asymmetric padding of the max pooling": ([(POOL, POOL.replace("((1, 1), (1, 1))", '"SAME"'))], first("stem")),
    "the running variance of one layer unbiased, of 32 images": (
        weight("bn5b_branch2b/moving_variance", "w * 1568 / 1567"),  # 32 * 7 * 7
        first("stage5"),
    ),
    "BatchNorm in training mode": ([(VIEW, "return ResNet50(rngs=nnx.Rngs(0))")], first("stem")),
    "average pooling over the padding": (
        [(MEAN, "return nnx.avg_pool(x, (9, 9), padding=((1, 1), (1, 1)))[:, 0, 0]")],
        AFTER,
    ),
    # ---- traps of Flax
    "one block's shortcut in training mode": (
        [(VIEW, VIEW.replace("return", "model =") + "\n    model.stage4.layers[0].shortcut.train()\n    return model")],
        first("stage4"),
    ),
    "the stride in the 3x3 convolution, padded as Flax does by default": (
        [(CONV1, CONV1.replace("1, strides,", "1,")), (CONV2, CONV2.replace("3,", "3, strides,"))],
        first("stage3"),
    ),
    "max pooling without padding, then padded by zeros": (
        [(POOL, "jnp.pad(nnx.max_pool(x, (3, 3), strides=(2, 2)), ((0, 0), (0, 1), (0, 1), (0, 0)))")],
        first("stem"),
    ),
    # ---- more of the kind
    "mean in the order red, green, blue": ([("(103.939, 116.779, 123.68)", "(123.68, 116.779, 103.939)")], IMAGES),
    "images from 0 to 1": ([("    return x - jnp.array", "    return x / 255 - jnp.array")], IMAGES),
    # the stem's variances are those of pixels: an epsilon is nothing beside them
    "every epsilon is Flax's default": ([("epsilon=1e-3, ", "")], first("stage2")),
    "ReLU before the addition": ([(LAST, "return nnx.relu(y) + self.shortcut(x)")], first("stage2")),
    "no ReLU after the addition": ([(LAST, "return y + self.shortcut(x)")], first("stage2")),
    "kernels turned by 180 degrees": (
        [(SET, "        w = w[::-1, ::-1] if w.ndim == 4 else w\n" + SET)],
        first("stem"),
    ),
    "height and width of the kernels exchanged": (
        [(SET, "        w = w.swapaxes(0, 1) if w.ndim == 4 else w\n" + SET)],
        first("stem"),
    ),
    "gamma and beta exchanged": (
        [('"gamma": "scale", "beta": "bias"', '"gamma": "bias", "beta": "scale"')],
        first("stem"),
    ),
    "the standard deviation taken for the variance": (
        [(SET, '        w = np.sqrt(w) if kind == "moving_variance" else w\n' + SET)],
        first("stem"),
    ),
    "the dense layer's bias dropped": (weight("fc1000/bias", "np.zeros_like(w)"), LOGITS),
    "maximum instead of mean": ([(MEAN, "return x.max((1, 2))")], AFTER),
    "bf16 in the proof": ([('jnp.bfloat16 if PRECISION == "bf16" else jnp.float32', "jnp.bfloat16")], FEATURES),
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
        "embeddings = np.asarray(features(model, x))",
        "predicted = np.asarray(logits(model, embeddings).argmax(axis=1))",
    ),
}
