"""Mistakes planted in resnet50_features' ONNX Runtime notebook: {name: (changes of the text, what must be said)}.

Most are made in the PyTorch network before the export, so OpenVINO's notebook has them, too (NETWORK). Each answer
names the stage where the computation first leaves the reference, and the proof with drawn weights.
"""

from tests.plants.resnet50_features import AFTER, first

OFF = r"features: sample \d+ is off by"
STAGE3 = "        self.stage3 = stage(256, 128, blocks=4)\n"
STATE = """        state[f"{our_name(layer)}.{KINDS[kind]}"] = w\n"""
FIRST = "branch(channels, width, 1, stride)\n"
SECOND = "branch(width, width, 3)\n"
STEM = "        self.stem = nn.Sequential(branch(3, 64, 7, 2), nn.ReLU(), pool)\n"
POOL = "nn.MaxPool2d(3, stride=2, padding=1)"
MEAN = "return x.mean((2, 3))"
COLOURS = "photos[..., ::-1]"
LAST = "return F.relu(y + self.branch1(x))"
TRAINING = """class Training(nn.BatchNorm2d):
    def forward(self, x):
        x = x - x.mean((0, 2, 3), keepdim=True)
        x = x / ((x * x).mean((0, 2, 3), keepdim=True) + self.eps).sqrt()
        return x * self.weight[:, None, None] + self.bias[:, None, None]


"""
MADE = "    network = network or ResNet50()\n"


def weight(name, change):
    """One of Keras' arrays, a tensor `w`, is changed as it is loaded."""
    return [(STATE, f'        if name == "{name}":\n            w = {change}\n' + STATE)]


NETWORK = {
    # ---- the ten that the workload must show
    "one layer's epsilon is ONNX's default": (
        [(STAGE3, STAGE3 + "        self.stage3[1].branch2b[1].eps = 1e-5\n")],
        first("stage3"),
    ),
    "one bias dropped": (weight("res4c_branch2b/bias", "torch.zeros_like(w)"), first("stage4")),
    "one kernel rounded to TF32": (
        weight("res3b_branch2b/kernel", "((w.contiguous().view(torch.int32) + 4096) & -8192).view(torch.float32)"),
        first("stage3"),
    ),
    "red first": ([(COLOURS, "photos")], first("images")),
    "the stride in the 3x3 convolution": (
        [(FIRST, FIRST.replace(", stride", "")), (SECOND, SECOND.replace("3)", "3, stride)"))],
        first("stage3"),
    ),
    "asymmetric padding of the first convolution": (
        [
            (STEM, STEM + "        conv = nn.Conv2d(3, 64, 7, stride=2)\n"
                          "        self.stem[0][0] = nn.Sequential(nn.ZeroPad2d((2, 3, 2, 3)), conv)\n"),
            ('"conv1": "stem.0.0"', '"conv1": "stem.0.0.1"'),
        ],
        first("stem"),
    ),
    "asymmetric padding of the max pooling": (
        [(POOL, "nn.Sequential(nn.ZeroPad2d((0, 1, 0, 1)), nn.MaxPool2d(3, stride=2))")],
        first("stem"),
    ),
    "the running variance of one layer unbiased, of 32 images": (
        weight("bn5b_branch2b/moving_variance", "w * 1568 / 1567"),  # 32 * 7 * 7
        first("stage5"),
    ),
    # the exporter writes BatchNorm's inference even in training mode, so this one is written by hand
    "BatchNorm with the statistics of the batch": (
        [("def branch(", TRAINING + "def branch("), ("nn.BatchNorm2d(", "Training(")],
        first("stem"),
    ),
    "average pooling over the padding": ([(MEAN, "return F.avg_pool2d(x, 9, padding=1).flatten(1)")], AFTER),
    "two photos swapped": ([(COLOURS, "photos[[1, 0, *range(2, len(photos))]][..., ::-1]")], first("images")),
    # ---- traps of the export
    "the export is older than the weights": ([(MADE, "    network = ResNet50()\n")], AFTER),
    "the weights of the file rounded to fp16": ([(MADE, MADE + "    network = network.half().float()\n")], OFF),
    # ---- more of the kind
    "mean in the order red, green, blue": (
        [("(103.939, 116.779, 123.68)", "(123.68, 116.779, 103.939)")],
        first("images"),
    ),
    # the stem's variances are those of pixels: an epsilon is nothing beside them
    "every epsilon is ONNX's default": ([("eps=1e-3, ", "")], first("stage2")),
    "max pooling that rounds up, without padding": ([(POOL, "nn.MaxPool2d(3, stride=2, ceil_mode=True)")], first("stem")),
    "ReLU before the addition": ([(LAST, "return F.relu(y) + self.branch1(x)")], first("stage2")),
    "no ReLU after the addition": ([(LAST, "return y + self.branch1(x)")], first("stage2")),
    "height and width of the kernels exchanged": ([("w.permute(3, 2, 0, 1)", "w.permute(3, 2, 1, 0)")], first("stem")),
    "gamma and beta exchanged": (
        [('"gamma": "weight", "beta": "bias"', '"gamma": "bias", "beta": "weight"')],
        first("stem"),
    ),
    "the standard deviation taken for the variance": (
        [(STATE, '        w = w.sqrt() if kind == "moving_variance" else w\n' + STATE)],
        first("stem"),
    ),
    "the dense layer's bias dropped": (weight("fc1000/bias", "torch.zeros_like(w)"), r"logits: sample \d+ is off by"),
    "maximum instead of mean": ([(MEAN, "return x.amax((2, 3))")], AFTER),
}
PLANTS = {
    **NETWORK,
    "the head of another network": ([("export(network.dense,", "export(ResNet50().dense,")], r"logits: sample \d+ is off by"),
}
