"""Mistakes planted in resnet50_features' lesson in MXNet Module: {name: (changes of the text, what must be said)}.

Each answer names the stage where the computation first leaves the reference, and the proof with drawn weights.
"""

from tests.plants import resnet50_features as shared
from tests.plants.resnet50_features import AFTER, FEATURES, IMAGES, LOGITS, SHAPE, TIMED, first

NORM = "    return mx.sym.BatchNorm(x, name=name, eps=1e-3, momentum=0.99, fix_gamma=False)\n"
STATES = '        states = auxiliary if kind.startswith("moving_") else arguments\n'
CONV1 = 'y = relu(branch(x, f"{name}_branch2a", width, 1, stride=stride))'
CONV2 = 'y = relu(branch(y, f"{name}_branch2b", width, 3, pad=1))'
STEM = 'conv(x, "conv1", 64, 7, stride=2, pad=3)'
WINDOW = '"stride": (2, 2), "pad": (1, 1)}\n'
MEAN = 'mx.sym.Pooling(x, global_pool=True, pool_type="avg", kernel=(1, 1))'
LAST = '    return relu(y + x, name=f"stage{name}")'
FEATURES_OF = "    return predict(model[0], x)\n"
PREDICT = "    return module.predict(batches)\n"
PAD = 'mx.sym.pad(x, mode="constant", constant_value=0, pad_width=(0, 0, 0, 0, {0}, {1}, {0}, {1}))'

TRAINING = """    outputs = []
    for batch in batches:
        module.forward(batch, is_train=True)
        outputs.append(module.get_outputs()[0].copy())
    return mx.nd.concat(*outputs, dim=0)[: len(x)]
"""


def weight(name, change):
    """One of Keras' arrays, `w` in MXNet's layout, is changed as it is loaded."""
    return [(STATES, '        if name == "{}":\n            w = {}\n'.format(name, change) + STATES)]


PLANTS = {
    # ---- the ten that the workload must show
    "one layer's epsilon is Gluon's default": (
        [(NORM, NORM.replace("eps=1e-3", 'eps=1e-5 if name == "bn3b_branch2b" else 1e-3'))],
        first("stage3"),
    ),
    "one bias dropped": (weight("res4c_branch2b/bias", "np.zeros_like(w)"), first("stage4")),
    "one kernel rounded to TF32": (
        weight("res3b_branch2b/kernel", "((np.ascontiguousarray(w).view(np.int32) + 4096) & -8192).view(np.float32)"),
        first("stage3"),
    ),
    "red first": ([(".flip(axis=3)", "")], IMAGES),
    "the stride in the 3x3 convolution": (
        [(CONV1, CONV1.replace(", stride=stride", "")), (CONV2, CONV2.replace("pad=1", "stride=stride, pad=1"))],
        first("stage3"),
    ),
    "asymmetric padding of the first convolution": (
        [(STEM, "conv(" + PAD.format(2, 3) + ', "conv1", 64, 7, stride=2)')],
        first("stem"),
    ),
    "asymmetric padding of the max pooling": (
        [(WINDOW, '"stride": (2, 2)}\n    x = ' + PAD.format(0, 1) + "\n")],
        first("stem"),
    ),
    "the running variance of one layer unbiased, of 32 images": (
        weight("bn5b_branch2b/moving_variance", "w * np.float32(1568 / 1567)"),  # 32 * 7 * 7
        first("stage5"),
    ),
    # a folded graph cannot run in training mode
    "BatchNorm in training mode": ([("for_training=False", "for_training=True"), (PREDICT, TRAINING)], FEATURES),
    "average pooling over the padding": (
        [(MEAN, 'mx.sym.Pooling(x, pool_type="avg", kernel=(9, 9), pad=(1, 1))')],
        AFTER,
    ),
    # ---- more of the kind
    "mean in the order red, green, blue": ([("(103.939, 116.779, 123.68)", "(123.68, 116.779, 103.939)")], IMAGES),
    "images from 0 to 1": ([(".flip(axis=3) - mx", ".flip(axis=3) / 255 - mx")], IMAGES),
    # the stem's variances are those of pixels: an epsilon is nothing beside them
    "every epsilon is Gluon's default": ([("eps=1e-3", "eps=1e-5")], first("stage2")),
    "every gamma taken for 1, BatchNorm's default": ([(", fix_gamma=False", "")], first("stem")),
    "one layer's gamma taken for 1": (
        [(NORM, NORM.replace("fix_gamma=False", 'fix_gamma=name == "bn4d_branch2a"'))],
        first("stage4"),
    ),
    "max pooling that rounds up": (
        [(WINDOW, WINDOW.replace("}", ', "pooling_convention": "full"}'))],
        r"features\.stem has shape \(8, 57, 57, 64\)",
    ),
    "max pooling that rounds up, without padding": (
        [(WINDOW, '"stride": (2, 2), "pooling_convention": "full"}\n')],
        first("stem"),
    ),
    "ReLU before the addition": ([(LAST, LAST.replace("y + x", "relu(y) + x"))], first("stage2")),
    "no ReLU after the addition": (
        [(LAST, '    return mx.sym.elemwise_add(y, x, name=f"stage{name}")')],
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
    "gamma and beta exchanged": (
        [('"gamma": "gamma", "beta": "beta"', '"gamma": "beta", "beta": "gamma"')],
        first("stem"),
    ),
    "the standard deviation taken for the variance": (
        [(STATES, '        w = np.sqrt(w) if kind == "moving_variance" else w\n' + STATES)],
        first("stem"),
    ),
    "the running values never loaded": (
        [("auxiliary, allow_extra=True", "auxiliary and module.get_params()[1], allow_extra=True")],
        first("stem"),
    ),
    "the dense layer's bias dropped": (weight("fc1000/bias", "np.zeros_like(w)"), LOGITS),
    "maximum instead of mean": ([(MEAN, MEAN.replace('"avg"', '"max"'))], AFTER),
    # ---- the function, and what it is given
    "last partial batch dropped": ([("data_name=name)", 'data_name=name, last_batch_handle="discard")')], SHAPE),
    "features of an earlier call": (
        [
            ("def features(model, x):", "kept = {}\n\n\ndef features(model, x):"),
            (
                FEATURES_OF,
                "    if len(x) not in kept:\n        kept[len(x)] = " + FEATURES_OF[11:] + "    return kept[len(x)]\n",
            ),
        ],
        TIMED,
    ),
    **shared.SHARED,
    **shared.own_run("embeddings = found.asnumpy()", "predicted = logits(model, found).asnumpy().argmax(axis=1)"),
}
