"""Weights of ResNet-50, 25,636,712 values: Keras' for ImageNet, and random ones.

Keras' kernels are rounded to float16 as they are read. So the publisher's file, whose kernels are float32, and a copy
whose kernels are rounded already give the same values. The fifty photos of imagenet_samples.py get the classes that
Keras gives them without the rounding. The network: He et al., Deep Residual Learning for Image Recognition, 2015.
"""

import numpy as np

from . import files

# The file of Keras 2.0 to 2.2, for BatchNorm with epsilon 1e-3, 102,853,048 bytes; Keras lists its md5. A newer file of
# the same name belongs to the network of tf.keras, whose layers have other names and whose epsilon is 1.001e-5.
URL = (
    "https://github.com/fchollet/deep-learning-models/releases/download/v0.2/"
    "resnet50_weights_tf_dim_ordering_tf_kernels.h5"
)
MD5 = "a7b3fe01876f51b976af0dea6bc144eb"
SHA256 = "c8cd2aec9f4420660b053924f8dd5ac0235bdc9fdf902fc8a8d2ca59d1841879"  # of the rounded arrays, by their names
KINDS = {2: ("kernel", "bias"), 4: ("gamma", "beta", "moving_mean", "moving_variance")}  # by how many a layer has
BLOCKS = ((2, "abc"), (3, "abcd"), (4, "abcdef"), (5, "abc"))  # of each stage


def load(source="full"):
    """{Keras' name: float32 array}: "conv1/kernel" is (7, 7, 3, 64), "bn_conv1/gamma" (64,).

    Kernels are (height, width, in, out), the dense one (in, out). ``source`` "full": Keras' for ImageNet; "sample":
    random ones, see ``draw``. Raises files.DataError when they cannot be had.
    """
    files.check_source(source)
    if source == "sample":
        return draw()
    return {name: array.astype(np.float32) for name, array in _rounded().items()}


def draw(seed=2018):
    """Random weights of the same names and shapes as ``load`` gives. They show what Keras' weights hide.

    Keras' biases are nearly zero, and its rounded kernels hide products of low precision. Here every bias counts, and
    the features of smooth noise are finite: of the first layer the bias and the running mean are 90 times as large, the
    running variance 90^2 times, because its inputs are pixels. The last gamma of each branch 2 is 0.4 times as large.
    """
    rng, arrays = np.random.default_rng(seed), {}
    for conv, norm, shape in layers():
        scale, last = (90.0 if conv == "conv1" else 1.0), (0.4 if conv.endswith("2c") else 1.0)
        arrays[conv + "/kernel"] = rng.standard_normal(shape) * np.sqrt(2.0 / np.prod(shape[:3]))  # He's
        arrays[conv + "/bias"] = rng.uniform(-0.2, 0.2, shape[3]) * scale
        arrays[norm + "/gamma"] = rng.uniform(0.5, 1.5, shape[3]) * last
        arrays[norm + "/beta"] = rng.uniform(-0.3, 0.3, shape[3])
        arrays[norm + "/moving_mean"] = rng.uniform(-0.3, 0.3, shape[3]) * scale
        arrays[norm + "/moving_variance"] = rng.uniform(0.5, 1.5, shape[3]) * scale**2
    arrays["fc1000/kernel"] = rng.standard_normal((2048, 1000)) * np.sqrt(2.0 / 2048)
    arrays["fc1000/bias"] = rng.uniform(-0.2, 0.2, 1000)
    return {name: array.astype(np.float32) for name, array in arrays.items()}


def layers():
    """Each convolution: Keras' names of it and of its BatchNorm, and the shape of its kernel."""
    yield "conv1", "bn_conv1", (7, 7, 3, 64)
    channels, width = 64, 64
    for number, letters in BLOCKS:
        for letter in letters:
            shapes = [("2a", (1, 1, channels, width)), ("2b", (3, 3, width, width)), ("2c", (1, 1, width, 4 * width))]
            shapes += [("1", (1, 1, channels, 4 * width))] if letter == "a" else []
            for branch, shape in shapes:
                name = "{}{}_branch{}".format(number, letter, branch)
                yield "res" + name, "bn" + name, shape
            channels = 4 * width
        width *= 2


def fetch():
    """The folder of the verified weights, downloaded and converted where they are missing."""
    _rounded()
    return files.data_directory() / "resnet50"


def digest(arrays):
    """Hex sha256 of the arrays of a dict, in the order of their names."""
    return files.digest(*[arrays[name] for name in sorted(arrays)])


def _rounded():
    folder = files.data_directory() / "resnet50"
    path = folder / "resnet50_imagenet.npz"
    if path.exists():
        try:
            with np.load(str(path), allow_pickle=False) as npz:
                arrays = _round({name: npz[name] for name in npz.files})
        except files.UNREADABLE:
            arrays = {}
        if digest(arrays) == SHA256:
            return arrays
        files.set_aside(path)
    by_hand = (
        "Without a network: put Keras' {} into {}; another data directory is set with ROSETTA_DATA. Altered files are "
        "set aside as NAME.bad1.".format(URL.rsplit("/", 1)[1], folder)
    )
    archive = files.download(URL, "md5:" + MD5, folder, by_hand)
    arrays = _round(_convert(archive))
    if digest(arrays) != SHA256:
        raise files.DataError("{} was verified, but its rounded form is not the known one".format(archive))
    part = path.with_name("part.npz")
    np.savez(str(part), **arrays)
    part.replace(path)
    return arrays


def _round(arrays):
    """Kernels as float16, all else as float32."""
    return {name: a.astype("<f2" if name.endswith("/kernel") else "<f4") for name, a in arrays.items()}


def _convert(archive):
    """{Keras' name: array} of Keras' HDF5 file: each layer lists its tensors in Keras' own order."""
    try:
        import h5py
    except ImportError:
        raise files.DataError(
            "this Python has no h5py to read Keras' file: run `./run_all.sh --data resnet50` once"
        ) from None
    arrays = {}
    with h5py.File(str(archive), "r") as stored:
        for layer in [_text(name) for name in stored.attrs["layer_names"]]:
            tensors = [stored[layer][_text(name)][()] for name in stored[layer].attrs["weight_names"]]
            for kind, tensor in zip(KINDS.get(len(tensors), ()), tensors):
                arrays[layer + "/" + kind] = tensor
    return arrays


def _text(name):
    return name.decode("utf-8") if isinstance(name, bytes) else name
