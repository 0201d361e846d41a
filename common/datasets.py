"""Data sets as NumPy arrays: real samples from this repository, or the whole set from its publisher.

The whole set is looked for in the data directory, ``ROSETTA_DATA`` (default: ``~/.cache/rosetta``); what is missing there
is downloaded from the publisher, verified and unpacked. Nothing unverified is ever used.
"""

import hashlib
import os
import tarfile
from pathlib import Path

import numpy as np

SAMPLES = Path(__file__).resolve().parent / "samples"

# Krizhevsky 2009, binary version, https://www.cs.toronto.edu/~kriz/cifar.html. The page lists the archive's md5
# (c32a1d4ab5d03f1284b67883e8d87530); the files' md5s are those of the files inside it.
CIFAR10_URL = "https://www.cs.toronto.edu/~kriz/cifar-10-binary.tar.gz"
CIFAR10_SHA256 = "c4a38c50a1bc5f3a1c5537f2155ab9d68f9f25eb1ed8d9ddda3db29a59bca1dd"
CIFAR10_MD5 = {
    "data_batch_1.bin": "5dd7e06a14cb22eb9f671a540d1b7c25",
    "data_batch_2.bin": "5ea93a67294ea407fff1d09f752e9692",
    "data_batch_3.bin": "942cd6a4bcdd0dd3c604fbe906cb4421",
    "data_batch_4.bin": "ae636b3ba5c66a11e91e8cb52e771fcb",
    "data_batch_5.bin": "53f37980c15c3d472c316c40844f3f0d",
    "test_batch.bin": "803d5f7f4d78ea53de84dbe85f74fb6d",
}
CIFAR10_CLASSES = "airplane automobile bird cat deer dog frog horse ship truck".split()


class DataError(RuntimeError):
    """A data set cannot be had, or is not what its publisher's checksums promise."""


class Dataset(object):
    """Training and test arrays with the name and digest that go into the record.

    Attributes: ``x_train``, ``x_test`` float32 in 0..1, images as (N, C, H, W); ``y_train``, ``y_test`` int64 (N,);
    ``classes`` list of str; ``name``, ``source`` ("full" or "sample") and ``digest`` (hex sha256 over the arrays).
    """

    def __init__(self, name, source, classes, x_train, y_train, x_test, y_test):
        self.name, self.source, self.classes = name, source, classes
        self.digest = digest(x_train, y_train, x_test, y_test)
        self.x_train, self.y_train = to_float(x_train), y_train.astype(np.int64)
        self.x_test, self.y_test = to_float(x_test), y_test.astype(np.int64)


def cifar10(source="full", train_samples=50000, test_samples=10000):
    """CIFAR-10: 50,000 training and 10,000 test images of 10 classes.

    ``source``: "sample" takes the 1,280 training and 250 test images in this repository, "full" the whole set. The first
    ``train_samples`` and ``test_samples`` images are returned, as a ``Dataset`` with images (N, 3, 32, 32) float32.
    Raises DataError when the set cannot be had or does not hold as many samples, ValueError for another ``source``.
    """
    if source == "sample":
        with np.load(str(SAMPLES / "cifar10.npz"), allow_pickle=False) as npz:
            arrays = [npz[key] for key in ("x_train", "y_train", "x_test", "y_test")]
    elif source == "full":
        arrays = _cifar10_full(data_directory() / "cifar10")
    else:
        raise ValueError("DATA is {!r}; it must be 'full' or 'sample'".format(source))
    x_train, y_train, x_test, y_test = arrays
    for wanted, there, which in ((train_samples, len(x_train), "training"), (test_samples, len(x_test), "test")):
        if not 0 < wanted <= there:
            raise DataError("{} {} samples asked for; CIFAR-10 ({}) has 1 to {}".format(wanted, which, source, there))
    return Dataset(
        "cifar10", source, CIFAR10_CLASSES,
        x_train[:train_samples], y_train[:train_samples], x_test[:test_samples], y_test[:test_samples],
    )


def data_directory():
    """The folder that holds the whole data sets: ``ROSETTA_DATA`` if set, else ``~/.cache/rosetta``."""
    return Path(os.environ.get("ROSETTA_DATA") or Path.home() / ".cache" / "rosetta")


def digest(*arrays):
    """Hex sha256 over dtype, shape and bytes of ``arrays``: the same for the same values, whatever file held them."""
    total = hashlib.sha256()
    for array in arrays:
        total.update("{}{}".format(array.dtype.str, array.shape).encode())
        total.update(np.ascontiguousarray(array).tobytes())
    return total.hexdigest()


def to_float(images):
    """uint8 images to float32 in 0..1, the same bytes in every NumPy."""
    return images.astype(np.float32) / np.float32(255)


def file_digest(path, algorithm):
    """Hex digest of the file at ``path``."""
    total = hashlib.new(algorithm)
    with open(str(path), "rb") as stream:
        for block in iter(lambda: stream.read(1 << 20), b""):
            total.update(block)
    return total.hexdigest()


def fetch(url, sha256, folder, by_hand):
    """Download ``url`` into ``folder`` with pooch and verify it; the Path of the file.

    Raises DataError that says what was wanted, from where, and what to do ``by_hand``.
    """
    import pooch

    pooch.get_logger().setLevel("ERROR")
    folder.mkdir(parents=True, exist_ok=True)
    try:
        return Path(pooch.retrieve(url, known_hash="sha256:" + sha256, fname=url.rsplit("/", 1)[1], path=str(folder)))
    except Exception as error:  # pooch lets the errors of its transports through, and they share no class
        raise DataError(
            "could not download {} ({}: {}). {}".format(url, type(error).__name__, first_line(error), by_hand)
        ) from None


def first_line(error):
    """The first line of an error's message, shortened to 200 characters."""
    return (str(error).splitlines() or [""])[0][:200]


def unpack(archive, folder):
    """Unpack the tar file ``archive`` into ``folder``; only plain files and folders that stay inside it.

    Raises DataError, before anything is written, for a link, a device, or a path that leaves ``folder``.
    """
    root = folder.resolve()
    try:
        with tarfile.open(str(archive)) as tar:
            members = tar.getmembers()
            for member in members:
                target = (root / member.name).resolve()
                if not (member.isfile() or member.isdir()) or (root != target and root not in target.parents):
                    raise DataError(
                        "{} holds {!r}, which is no plain file inside the archive's folder: nothing was "
                        "unpacked. Delete the archive and fetch it from the publisher.".format(archive, member.name)
                    )
            for member in members:
                tar.extract(member, str(root))
    except (tarfile.TarError, EOFError, OSError) as error:
        raise DataError("{} cannot be unpacked: {}".format(archive, first_line(error))) from None


def set_aside(path):
    """Rename a bad file out of the way, keeping it for inspection; the new Path."""
    number = 1
    while path.with_name("{}.bad{}".format(path.name, number)).exists():
        number += 1
    return path.rename(path.with_name("{}.bad{}".format(path.name, number)))


def _cifar10_full(folder):
    """The four uint8 arrays of the whole set, from verified files below ``folder``."""
    files = folder / "cifar-10-batches-bin"
    altered = [name for name in CIFAR10_MD5 if (files / name).exists() and not _verified(files / name)]
    aside = [set_aside(files / name) for name in altered]
    if not all((files / name).exists() for name in CIFAR10_MD5):
        found = "".join(" {} was altered or cut short: set aside as {}.".format(a, b.name)
                        for a, b in zip(altered, aside))
        by_hand = (
            "Without a network: put the publisher's cifar-10-binary.tar.gz (170,052,171 bytes) unpacked into {}, so that "
            "{} exists; another data directory is set with ROSETTA_DATA.{}".format(
                folder, files / "data_batch_1.bin", found)
        )
        archive = fetch(CIFAR10_URL, CIFAR10_SHA256, folder, by_hand)
        unpack(archive, folder)
        archive.unlink()
        for name in CIFAR10_MD5:
            if not (files / name).exists() or not _verified(files / name):
                raise DataError("{} is not the published file although its archive was verified".format(files / name))
    raw = [np.fromfile(str(files / name), np.uint8).reshape(10000, 3073) for name in sorted(CIFAR10_MD5)]
    train, test = np.concatenate(raw[:5]), raw[5]  # each row: one label, then 3 x 32 x 32 pixels
    return [train[:, 1:].reshape(-1, 3, 32, 32), train[:, 0], test[:, 1:].reshape(-1, 3, 32, 32), test[:, 0]]


def _verified(path):
    return file_digest(path, "md5") == CIFAR10_MD5[path.name]
