"""Mistakes planted in resnet50_features' PyTorch notebook: {name: (changes of the text, what must be said)}.

Each answer names the stage where the computation first leaves the reference, and the proof with drawn weights.
"""

from tests.plants import resnet50_features as shared
from tests.plants.resnet50_features import AFTER, FEATURES, IMAGES, LOGITS, SHAPE, TIMED, first

STAGE3 = "        self.stage3 = stage(256, 128, blocks=4)\n"
STATE = """        state[f"{ours[layer]}.{KINDS[kind]}"] = w\n"""
CONV1 = "nn.Conv2d(channels, width, 1, stride=stride), norm(width)"
CONV2 = "nn.Conv2d(width, width, 3, padding=1), norm(width)"
STEM = "self.stem = nn.Sequential(conv, norm(64), nn.ReLU(inplace=True), pool)"
MEAN = "return x.mean((2, 3), dtype=torch.float32)"
FORWARD = "    with torch.autocast("
KEPT = """    kept = globals().setdefault("kept", {})
    if len(x) in kept:
        return kept[len(x)]
    with torch.inference_mode():
        kept[len(x)] = torch.cat([model(batch) for batch in x.split(BATCH_SIZE)])
"""


def weight(name, change):
    """One of Keras' arrays, a tensor `w`, is changed as it is loaded."""
    return [(STATE, f'        if name == "{name}":\n            w = {change}\n' + STATE)]


PLANTS = {
    # ---- the ten that the workload must show
    "one layer's epsilon is PyTorch's default": (
        [(STAGE3, STAGE3 + "        self.stage3[1].bn2.eps = 1e-5\n")],
        first("stage3"),
    ),
    "one bias dropped": (weight("res4c_branch2b/bias", "torch.zeros_like(w)"), first("stage4")),
    "one kernel rounded to TF32": (
        weight("res3b_branch2b/kernel", "((w.contiguous().view(torch.int32) + 4096) & -8192).view(torch.float32)"),
        first("stage3"),
    ),
    "red first": ([(".to(device).flip(3)", ".to(device)")], IMAGES),
    "the stride in the 3x3 convolution": (
        [
            (CONV1, CONV1.replace(", stride=stride", "")),
            (CONV2, CONV2.replace("padding=1", "stride=stride, padding=1")),
        ],
        first("stage3"),
    ),
    "asymmetric padding of the first convolution": (
        [
            ("nn.Conv2d(3, 64, 7, stride=2, padding=3)", "nn.Conv2d(3, 64, 7, stride=2)"),
            (STEM, STEM + "\n        self.stem[0] = nn.Sequential(nn.ZeroPad2d((2, 3, 2, 3)), conv)"),
            ('names = {"stem.0":', 'names = {"stem.0.1":'),
        ],
        first("stem"),
    ),
    "asymmetric padding of the max pooling": (
        [
            ("nn.MaxPool2d(3, stride=2, padding=1)", "nn.MaxPool2d(3, stride=2)"),
            ("nn.ReLU(inplace=True), pool)", "nn.ReLU(inplace=True), nn.ZeroPad2d((0, 1, 0, 1)), pool)"),
        ],
        first("stem"),
    ),
    "the running variance of one layer unbiased, of 32 images": (
        weight("bn5b_branch2b/moving_variance", "w * 1568 / 1567"),  # 32 * 7 * 7
        first("stage5"),
    ),
    "BatchNorm in training mode": ([("ResNet50().eval()", "ResNet50()")], first("stem")),
    "average pooling over the padding": (
        [(MEAN, "return F.avg_pool2d(x, 9, padding=1).flatten(1).float()")],
        AFTER,
    ),
    # ---- more of the kind
    "mean in the order red, green, blue": ([("(103.939, 116.779, 123.68)", "(123.68, 116.779, 103.939)")], IMAGES),
    "images from 0 to 1": ([(".flip(3) - torch", ".flip(3) / 255 - torch")], IMAGES),
    # the stem's variances are those of pixels: an epsilon is nothing beside them
    "every epsilon is PyTorch's default": ([("eps=1e-3, ", "")], first("stage2")),
    "max pooling that rounds up, without padding": (
        [("nn.MaxPool2d(3, stride=2, padding=1)", "nn.MaxPool2d(3, stride=2, ceil_mode=True)")],
        first("stem"),
    ),
    "ReLU before the addition": (
        [("        y += self.shortcut(x)", "        y = F.relu(y) + self.shortcut(x)")],
        first("stage2"),
    ),
    "no ReLU after the addition": (
        [("        return F.relu(y, inplace=True)  #", "        return y  #")],
        first("stage2"),
    ),
    "kernels turned by 180 degrees": (
        [("w.permute(3, 2, 0, 1) if", "w.permute(3, 2, 0, 1).flip(2, 3) if")],
        first("stem"),
    ),
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
    "maximum instead of mean": ([(MEAN, "return x.amax((2, 3))")], AFTER),
    "bf16 in the proof": ([('enabled=PRECISION == "bf16"', "enabled=True")], FEATURES),
    # ---- the function, and what it is given
    "last partial batch dropped": (
        [("in x.split(BATCH_SIZE)", "in x[:max(1, len(x) // BATCH_SIZE) * BATCH_SIZE].split(BATCH_SIZE)")],
        SHAPE,
    ),
    "features of an earlier call": ([(FORWARD, KEPT + FORWARD)], TIMED),
    **shared.SHARED,
    **shared.own_run("embeddings = found.numpy(force=True)", "predicted = logits(model, found).argmax(1).numpy(force=True)"),
}
