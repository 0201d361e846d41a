"""Mistakes planted in resnet50_features' lesson in ONNX Runtime: {name: (changes of the text, what must be said)}.

Most are made in the PyTorch network before the export, so OpenVINO's lesson has them, too (NETWORK). Each answer
names the stage where the computation first leaves the reference, and the proof with drawn weights.
"""

from tests.plants import resnet50_features as shared
from tests.plants.resnet50_features import AFTER, FEATURES, IMAGES, LOGITS, SHAPE, TIMED, first

STATE = """        state[f"{layer}.{KINDS[kind]}"] = w\n"""
NORM = "nn.BatchNorm2d(width, eps=1e-3, momentum=0.01)"
STRIDES = '"2a": (channels, width, 1, stride), "2b": (width, width, 3, 1)'
CONV1 = "self.conv1(x)"
POOL = "F.max_pool2d(F.relu(self.bn_conv1(self.conv1(x))), 3, stride=2, padding=1)"
MEAN = "return x.mean((2, 3))"
COLOURS = "photos[..., ::-1]"
LAST = 'return F.relu(y + (self.branch(name + "_branch1", x) if name[1] == "a" else x))'
LOADED = "    network.load_state_dict(state)\n"
TRAINING = """class Training(nn.BatchNorm2d):
    def forward(self, x):
        x = x - x.mean((0, 2, 3), keepdim=True)
        x = x / ((x * x).mean((0, 2, 3), keepdim=True) + self.eps).sqrt()
        return x * self.weight[:, None, None] + self.bias[:, None, None]


"""


def weight(name, change):
    """One of Keras' arrays, a tensor `w`, is changed as it is loaded."""
    return [(STATE, f'        if name == "{name}":\n            w = {change}\n' + STATE)]


NETWORK = {
    "one layer's epsilon is ONNX's default": (
        [(NORM, NORM.replace("1e-3", '1e-5 if bn == "bn3b_branch2b" else 1e-3'))],
        first("stage3"),
    ),
    # the stem's variances are those of pixels: an epsilon is nothing beside them
    "every epsilon is ONNX's default": ([("eps=1e-3, ", "")], first("stage2")),
    "one bias dropped": (weight("res4c_branch2b/bias", "torch.zeros_like(w)"), first("stage4")),
    "one kernel rounded to TF32": (
        weight("res3b_branch2b/kernel", "((w.contiguous().view(torch.int32) + 4096) & -8192).view(torch.float32)"),
        first("stage3"),
    ),
    "red first": ([(COLOURS, "photos")], IMAGES),
    "mean in the order red, green, blue": ([("[103.939, 116.779, 123.68]", "[123.68, 116.779, 103.939]")], IMAGES),
    "the stride in the 3x3 convolution": (
        [(STRIDES, STRIDES.replace("1, stride)", "1, 1)").replace("3, 1)", "3, stride)"))],
        first("stage3"),
    ),
    "asymmetric padding of the first convolution": (
        [(CONV1, "F.conv2d(F.pad(x, (2, 3, 2, 3)), self.conv1.weight, self.conv1.bias, stride=2)")],
        first("stem"),
    ),
    "asymmetric padding of the max pooling": (
        [(POOL, "F.max_pool2d(F.pad(F.relu(self.bn_conv1(self.conv1(x))), (0, 1, 0, 1)), 3, stride=2)")],
        first("stem"),
    ),
    "max pooling that rounds up, without padding": (
        [("stride=2, padding=1)\n", "stride=2, ceil_mode=True)\n")],
        first("stem"),
    ),
    "the running variance of one layer unbiased, of 32 images": (
        weight("bn5b_branch2b/moving_variance", "w * 1568 / 1567"),  # 32 * 7 * 7
        first("stage5"),
    ),
    # the exporter writes BatchNorm's inference even in training mode, so this one is written by hand
    "BatchNorm in training mode, with the statistics of the batch": (
        [("class Layers(", TRAINING + "class Layers("), ("nn.BatchNorm2d(width", "Training(width")],
        first("stem"),
    ),
    "average pooling over the padding": ([(MEAN, "return F.avg_pool2d(x, 9, padding=1).flatten(1)")], AFTER),
    "maximum instead of mean": ([(MEAN, "return x.amax((2, 3))")], AFTER),
    "ReLU before the addition": ([(LAST, LAST.replace("y + (", "y) + (")[:-1])], first("stage2")),
    "no ReLU after the addition": ([(LAST, LAST.replace("F.relu(y", "y")[:-1])], first("stage2")),
    "height and width of the kernels exchanged": ([("w.permute(3, 2, 0, 1)", "w.permute(3, 2, 1, 0)")], first("stem")),
    "gamma and beta exchanged": (
        [('"gamma": "weight", "beta": "bias"', '"gamma": "bias", "beta": "weight"')],
        first("stem"),
    ),
    "the standard deviation taken for the variance": (
        [(STATE, '        w = w.sqrt() if kind == "moving_variance" else w\n' + STATE)],
        first("stem"),
    ),
    "the dense layer's bias dropped": (weight("fc1000/bias", "torch.zeros_like(w)"), LOGITS),
    # ---- traps of the export
    "the export is older than the weights": ([('return export(network, "resnet50.onnx"', 'return export(ResNet50().eval(), "resnet50.onnx"')], AFTER),
    "the weights of the file rounded to fp16": ([(LOADED, LOADED + "    network.half().float()\n")], FEATURES),
    "the head of another network": ([("export(network.fc1000, ", "export(nn.Linear(2048, 1000), ")], LOGITS),
    # ---- the function, and what it is given
    "last partial batch dropped": (
        [("range(0, len(x), BATCH_SIZE)", "range(0, max(1, len(x) // BATCH_SIZE) * BATCH_SIZE, BATCH_SIZE)")],
        SHAPE,
    ),
    **shared.SHARED,
    **shared.own_run(
        "embeddings = features(model, x)",
        "predicted = logits(model, embeddings).argmax(axis=1)",
        "load_weights(network, resnet50.load(DATA))",
    ),
}
STACKED = '    return np.concatenate([model[0].run(None, {"x": batch})[0] for batch in batches])'
PLANTS = {
    **NETWORK,
    "features of an earlier call": (
        [
            ("def features(model, x):", "kept = {}\n\n\ndef features(model, x):"),
            (STACKED, "    if len(x) in kept:\n        return kept[len(x)]\n    kept[len(x)] = found = " + STACKED[11:] + "\n    return found"),
        ],
        TIMED,
    ),
}
