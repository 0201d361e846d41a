"""Photos of 224 x 224 pixels: four that anybody may copy, and fifty of ImageNet, each of another class.

imagenet_samples.csv lists the public source, the checksum and the terms of each. ImageNet's photos are for research
only, so they are not in this repository (Deng et al., ImageNet: A Large-Scale Hierarchical Image Database, 2009).
"""

import csv

import numpy as np

from . import files

DOWNLOAD_MB = 109  # the fifty photos, 6 MB, and the weights of resnet50.py, which go with them
PIXELS_SHA256 = "cad855a8af102221389329e4a09446b677b48db8cc082ca96b8b85235ce319aa"  # of the fifty as `crop` makes them
SIDE = 224
FIRST_THING = 398  # ImageNet's classes before it are animals
ANIMALS = {"cat", "raccoon"}  # of the photos without a class


def load(source="full"):
    """The photos as a ``files.Dataset`` without training samples.

    ``x_test`` is uint8 (N, 224, 224, 3), red first; ``y_test`` int64 (N,), ImageNet's class, -1 where a photo has
    none; ``classes`` the 1,000 names; ``animals`` bool (N,), whether it shows an animal. ``source`` "sample": the four
    photos of this folder; "full": ImageNet's fifty.
    Raises files.DataError when these cannot be had.
    """
    stored = files.sample("imagenet_samples")
    x = _fifty() if source == "full" else stored["x"]
    y = np.array([int(row["class"] or -1) for row in listed(source)], np.int64)
    classes = stored["classes"].tobytes().decode("utf-8").split("\n")
    found = files.Dataset("imagenet_samples", source, classes, files.digest(x, y), x[:0], y[:0], x, y)
    found.animals = np.array([row["name"] in ANIMALS for row in listed(source)]) | ((y >= 0) & (y < FIRST_THING))
    return found


def listed(source="full"):
    """The lines of imagenet_samples.csv: dicts of name, url, sha256, terms, class, and top1, Keras' own answer."""
    with open(str(files.FOLDER / "imagenet_samples.csv"), encoding="utf-8", newline="") as stream:
        return [row for row in csv.DictReader(stream) if row["source"] == source]


def noise(count, seed=2018):
    """Smooth random images, uint8 (count, 224, 224, 3): random values every 16 pixels, interpolated bilinearly."""
    grid = 255 * np.random.default_rng(seed).random((count, SIDE // 16 + 1, SIDE // 16 + 1, 3))
    place, part = np.arange(SIDE) // 16, np.arange(SIDE) % 16 / 16.0
    rows = grid[:, place] * (1 - part[:, None, None]) + grid[:, place + 1] * part[:, None, None]
    images = rows[:, :, place] * (1 - part[:, None]) + rows[:, :, place + 1] * part[:, None]
    return np.rint(images).astype(np.uint8)


def crop(path):
    """The photo in the file ``path``, uint8 (224, 224, 3): its shorter side scaled to 256 pixels, then the middle."""
    from PIL import Image

    image = Image.open(str(path)).convert("RGB")
    size = [int(round(side * 256.0 / min(image.size))) for side in image.size]
    left, top = [(side - SIDE) // 2 for side in size]
    return np.asarray(image.resize(size, Image.BILINEAR).crop((left, top, left + SIDE, top + SIDE)))


def fetch():
    """The folder of the fifty photos and of their crops, downloaded and decoded where they are missing."""
    _fifty()
    return files.data_directory() / "imagenet_samples"


def _fifty():
    """ImageNet's photos, cropped: uint8 (50, 224, 224, 3). Decoded once; old environments cannot read JPEG."""
    folder = files.data_directory() / "imagenet_samples"
    path = folder / "crops.npz"
    if path.exists():
        try:
            with np.load(str(path), allow_pickle=False) as npz:
                x = npz["x"]
        except files.UNREADABLE:
            x = np.zeros(0)
        if files.digest(x) == PIXELS_SHA256:
            return x
        files.set_aside(path)
    by_hand = (
        "Without a network: put the photos that common/data/imagenet_samples.csv lists into {}; another data directory "
        "is set with ROSETTA_DATA. Altered files are set aside as NAME.bad1.".format(folder)
    )
    for row in listed("full"):
        if not files.verified(folder / row["name"], "sha256", row["sha256"]):
            files.download(row["url"], "sha256:" + row["sha256"], folder, by_hand)
    try:
        x = np.stack([crop(folder / row["name"]) for row in listed("full")])
    except ImportError:
        raise files.DataError(
            "this Python has no Pillow to decode photos: run `./run_all.sh --data imagenet_samples` once"
        ) from None
    if files.digest(x) != PIXELS_SHA256:
        raise files.DataError("this Pillow decodes or scales the photos in {} in another way".format(folder))
    part = path.with_name("part.npz")
    np.savez_compressed(str(part), x=x)
    part.replace(path)
    return x
