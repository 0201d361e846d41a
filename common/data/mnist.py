"""MNIST: 60,000 training and 10,000 test digits, 28 x 28 grey pixels, 10 classes (LeCun et al. 1998)."""

import gzip
import hashlib
import zlib

import numpy as np

from . import files

# The publisher's page, http://yann.lecun.com/exdb/mnist/, no longer serves the files; this mirror is PyTorch's.
URL = "https://ossci-datasets.s3.amazonaws.com/mnist/"
DOWNLOAD_MB = 12
# md5 of the .gz as published, and of the bytes inside: a copy that was compressed anew is as good
MD5 = {
    "train-images-idx3-ubyte": ("f68b3c2dcbeaaa9fbdd348bbdeb94873", "6bbc9ace898e44ae57da46a324031adb"),
    "train-labels-idx1-ubyte": ("d53e105ee54ea40749a09fcbcd1e9432", "a25bea736e30d166cdddb491f175f624"),
    "t10k-images-idx3-ubyte": ("9fb629c4189551a2d022fa330f9573f3", "2646ac647ad5339dbf082846283269ea"),
    "t10k-labels-idx1-ubyte": ("ec29112dd5afa0611ce80d1b7f02629c", "27ae3e4e09519cfbb04c329615203637"),
}
CLASSES = [str(digit) for digit in range(10)]


def load(source="full", train_samples=60000, test_samples=10000):
    """The first ``train_samples`` and ``test_samples`` digits, as a ``files.Dataset``.

    Images are uint8 (N, 28, 28) in 0..255, as published: the workloads differ in shape and dtype.
    Labels are int64 (N,). ``source`` "sample": the first 2,000 training and 500 test digits, from this
    folder. Raises files.DataError when the set cannot be had or does not hold as many digits.
    """
    if source == "full":
        arrays = [_array(_verified(name)) for name in MD5]
    else:
        stored = files.sample("mnist")
        arrays = [stored[key] for key in ("x_train", "y_train", "x_test", "y_test")]
    asked = {"training": (train_samples, len(arrays[0])), "test": (test_samples, len(arrays[2]))}
    files.check_counts("MNIST", source, asked)
    x_train, y_train = [array[:train_samples] for array in arrays[:2]]
    x_test, y_test = [array[:test_samples] for array in arrays[2:]]
    digest = files.digest(x_train, y_train, x_test, y_test)
    labels = [y.astype(np.int64) for y in (y_train, y_test)]
    return files.Dataset("mnist", source, CLASSES, digest, x_train, labels[0], x_test, labels[1])


def fetch():
    """The folder of the four verified files, downloaded where they are missing."""
    for name in MD5:
        _verified(name)
    return files.data_directory() / "mnist"


def _verified(name):
    """The bytes inside one file; a missing file is downloaded, an altered one is set aside before."""
    folder, (published, known) = files.data_directory() / "mnist", MD5[name]
    path = folder / (name + ".gz")
    raw = _inside(path)
    if raw is None or hashlib.md5(raw).hexdigest() != known:
        if path.exists():
            files.set_aside(path)
        by_hand = (
            "Without a network: put the publisher's {} into {}; another data directory is set with ROSETTA_DATA. "
            "A file that was altered or cut short is set aside as NAME.bad1.".format(path.name, folder)
        )
        raw = _inside(files.download(URL + path.name, "md5:" + published, folder, by_hand))
    return raw


def _inside(path):
    """The bytes that a gzip file holds; None where it is missing or damaged."""
    try:
        with gzip.open(str(path)) as stream:
            return stream.read()
    except (OSError, EOFError, zlib.error):
        return None


def _array(raw):
    """The uint8 array of an IDX file: its fourth byte counts the dimensions, four bytes each follow."""
    dimensions = np.frombuffer(raw, ">i4", raw[3], 4)
    values = np.frombuffer(raw, np.uint8, offset=4 + 4 * raw[3])
    return values.reshape(dimensions).copy()  # frombuffer's is read-only, and frameworks warn of that
