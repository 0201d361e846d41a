"""CIFAR-10: 50,000 training and 10,000 test images, 32 x 32 pixels, 10 classes (Krizhevsky 2009)."""

import numpy as np

from . import files

# https://www.cs.toronto.edu/~kriz/cifar.html, binary version. The page lists the archive's md5,
# c32a1d4ab5d03f1284b67883e8d87530; the md5s below are those of the files inside it.
URL = "https://www.cs.toronto.edu/~kriz/cifar-10-binary.tar.gz"
DOWNLOAD_MB = 170
SHA256 = "c4a38c50a1bc5f3a1c5537f2155ab9d68f9f25eb1ed8d9ddda3db29a59bca1dd"
MD5 = {
    "data_batch_1.bin": "5dd7e06a14cb22eb9f671a540d1b7c25",
    "data_batch_2.bin": "5ea93a67294ea407fff1d09f752e9692",
    "data_batch_3.bin": "942cd6a4bcdd0dd3c604fbe906cb4421",
    "data_batch_4.bin": "ae636b3ba5c66a11e91e8cb52e771fcb",
    "data_batch_5.bin": "53f37980c15c3d472c316c40844f3f0d",
    "test_batch.bin": "803d5f7f4d78ea53de84dbe85f74fb6d",
}
CLASSES = "airplane automobile bird cat deer dog frog horse ship truck".split()


def load(source="full", train_samples=50000, test_samples=10000):
    """The first ``train_samples`` and ``test_samples`` images, as a ``files.Dataset``.

    Images are float32 (N, 3, 32, 32) in 0..1, labels int64 (N,). ``source`` "sample": the images in
    this folder; its first 1,296 training images and its test images are the first of the full set.
    Raises files.DataError when the set cannot be had or does not hold as many images.
    """
    if source == "full":
        arrays = _read(fetch())
    else:
        stored = files.sample("cifar10")
        arrays = [
            _undo_differences(stored["x_train"]),
            stored["y_train"],
            _undo_differences(stored["x_test"]),
            stored["y_test"],
        ]
    x_train, y_train, x_test, y_test = arrays
    asked = {"training": (train_samples, len(x_train)), "test": (test_samples, len(x_test))}
    files.check_counts("CIFAR-10", source, asked)
    taken = x_train[:train_samples], y_train[:train_samples], x_test[:test_samples], y_test[:test_samples]
    digest = files.digest(*taken)
    x_train, y_train, x_test, y_test = taken
    return files.Dataset(
        "cifar10",
        source,
        CLASSES,
        digest,
        to_float(x_train),
        y_train.astype(np.int64),
        to_float(x_test),
        y_test.astype(np.int64),
    )


def to_float(images):
    """uint8 images to float32 in 0..1, the same bytes in every NumPy."""
    return images.astype(np.float32) / np.float32(255)


def _undo_differences(stored):
    """uint8 images from the sample, which holds differences between channels and between rows.

    They compress to 3.2 MB, the pixels themselves to 4.4 MB.
    """
    return stored.cumsum(axis=1, dtype=np.uint8).cumsum(axis=2, dtype=np.uint8)


def fetch():
    """The folder of the six verified files, downloaded and unpacked where they are missing."""
    folder = files.data_directory() / "cifar10"
    target = folder / "cifar-10-batches-bin"
    if not all([files.verified(target / name, "md5", md5) for name, md5 in MD5.items()]):
        by_hand = (
            "Without a network: put the publisher's cifar-10-binary.tar.gz (170,052,171 bytes) unpacked "
            "into {}, so that {} exists; another data directory is set with ROSETTA_DATA. Files that "
            "were altered or cut short are set aside as NAME.bad1.".format(folder, target / "data_batch_1.bin")
        )
        archive = files.download(URL, "sha256:" + SHA256, folder, by_hand)
        files.unpack(archive, folder)
        archive.unlink()
        for name, md5 in MD5.items():
            if not files.verified(target / name, "md5", md5):
                raise files.DataError(
                    "{} is not the published file although its archive was verified".format(target / name)
                )
    return target


def _read(folder):
    """The four uint8 arrays of the whole set; each row of a file is a label, then 3 x 32 x 32 pixels."""
    raw = [np.fromfile(str(folder / name), np.uint8).reshape(10000, 3073) for name in sorted(MD5)]
    train, test = np.concatenate(raw[:5]), raw[5]
    return [train[:, 1:].reshape(-1, 3, 32, 32), train[:, 0], test[:, 1:].reshape(-1, 3, 32, 32), test[:, 0]]
