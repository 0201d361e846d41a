"""Compute what the lessons of this workload are compared with: the same network by hand in NumPy, in float64.

    python notebooks/resnet50_features/reference/make.py

Needs the fifty photos and Keras' weights (`./run_all.sh --data imagenet_samples` and `resnet50` fetch them), and a few
minutes. PYTHONPATH must hold the project's folder. Stored are the norms of each image's features and logits, and their
products with fixed random vectors; of the first images the same for the output of each stage. The bounds are those of
spec.json: fixed numbers, some ten times what right programs in float32 stray.
"""

import numpy as np

from common.data import imagenet_samples, resnet50
from referee.outputs.images import preprocessed
from referee.outputs.reference import OutputsReference
from referee.proof import writing

EPSILON = 1e-3  # of Keras 2's BatchNorm
BATCH = 8


# ---- the network; images are (N, H, W, C), as Keras has them


def conv(w, name, x, stride=1, pad=0):
    """x (N, H, W, C) -> (N, H / stride, W / stride, O): one matrix product for each row of the kernel."""
    kernel, out = w[name + "/kernel"], w[name + "/bias"]
    size, channels = len(kernel), kernel.shape[3]
    x = np.pad(x, [(0, 0), (pad, pad), (pad, pad), (0, 0)])
    height, width = [(side - size) // stride + 1 for side in x.shape[1:3]]
    for i in range(size):
        rows = x[:, i : i + stride * (height - 1) + 1 : stride]
        patches = np.concatenate([rows[:, :, j : j + stride * (width - 1) + 1 : stride] for j in range(size)], axis=3)
        out = out + patches.reshape(-1, patches.shape[3]) @ kernel[i].reshape(-1, channels)
    return out.reshape(len(x), height, width, channels)


def normalize(w, name, x):
    """BatchNorm in inference."""
    scale = w[name + "/gamma"] / np.sqrt(w[name + "/moving_variance"] + EPSILON)
    return (x - w[name + "/moving_mean"]) * scale + w[name + "/beta"]


def relu(x):
    return np.maximum(x, 0)


def max_pool(x):
    """The largest of 3x3 values, stride 2, one padded value on each side: (N, 112, 112, C) -> (N, 56, 56, C)."""
    x = np.pad(x, [(0, 0), (1, 1), (1, 1), (0, 0)], constant_values=-np.inf)
    x = np.maximum(np.maximum(x[:, :-2:2], x[:, 1:-1:2]), x[:, 2::2])
    return np.maximum(np.maximum(x[:, :, :-2:2], x[:, :, 1:-1:2]), x[:, :, 2::2])


def block(w, name, x, stride, shortcut):
    """Three convolutions beside what comes in, or beside a convolution of it."""

    def branch(which, x, stride=1, pad=0):
        return normalize(w, f"bn{name}_branch{which}", conv(w, f"res{name}_branch{which}", x, stride, pad))

    y = relu(branch("2a", x, stride))
    y = branch("2c", relu(branch("2b", y, pad=1)))
    return relu(y + (branch("1", x, stride) if shortcut else x))


def stages(w, x):
    """{name: output (N, H, W, C)}, in order."""
    found = {"images": x}
    found["stem"] = x = max_pool(relu(normalize(w, "bn_conv1", conv(w, "conv1", x, stride=2, pad=3))))
    for number, letters in resnet50.BLOCKS:
        for letter in letters:
            first = letter == "a"
            x = block(w, f"{number}{letter}", x, 2 if first and number > 2 else 1, shortcut=first)
        found[f"stage{number}"] = x
    return found


def features(w, x):
    """(N, 224, 224, 3) -> (N, 2048): the mean over height and width."""
    parts = np.split(x, range(BATCH, len(x), BATCH))
    return np.concatenate([stages(w, part)["stage5"].mean(axis=(1, 2)) for part in parts])


def logits(w, found):
    return found @ w["fc1000/kernel"] + w["fc1000/bias"]


# ---- what is stored


def stored(reference, name, w, x):
    """What the reference keeps of images, and their features."""
    found, bound = features(w, x), reference.spec["bounds"][name]
    kept = writing.outputs(name, found, bound)
    for stage, value in stages(w, x[: reference.spec["stage_images"]]).items():
        kept.update(writing.outputs(f"{name}.{stage}", value, bound))
    return kept, found


def made(reference):
    """All results, a dict of arrays. Raises AssertionError where the photos' classes are not those that Keras gives."""
    drawn, keras = [
        {name: array.astype(np.float64) for name, array in w.items()} for w in (resnet50.draw(), resnet50.load())
    ]
    results, found = stored(reference, "features", drawn, preprocessed(reference.noise))
    results.update(writing.outputs("logits", logits(drawn, found), reference.spec["bounds"]["logits"]))
    found = features(drawn, preprocessed(imagenet_samples.load("sample").x_test))
    results.update(writing.outputs("sample", found, reference.spec["bounds"]["sample"]))
    more, found = stored(reference, "photos", keras, preprocessed(imagenet_samples.load("full").x_test))
    results.update(more)
    results["top-1"] = logits(keras, found).argmax(axis=1)
    said = [int(row["top1"]) for row in imagenet_samples.listed("full")]
    np.testing.assert_array_equal(results["top-1"], said)
    return results


if __name__ == "__main__":
    known = OutputsReference("resnet50_features")
    writing.write(known, **made(known))
