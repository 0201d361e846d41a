"""common/data/imagenet_samples.py: the shipped photos, the noise, the list of sources, and the fifty where they are."""

import numpy as np
import pytest

from common.data import files, imagenet_samples

FULL = files.data_directory() / "imagenet_samples" / "n12768682_buckeye.JPEG"


def test_the_shipped_photos_are_free():
    data, listed = imagenet_samples.load("sample"), imagenet_samples.listed("sample")
    assert data.x_test.shape == (4, 224, 224, 3) and data.x_test.dtype == np.uint8 and len(data.x_train) == 0
    assert data.y_test.tolist() == [-1] * 4 and data.summary()["test_samples"] == 4
    assert all(row["terms"].startswith(("CC0", "public domain")) and row["url"].startswith("https") for row in listed)
    assert data.digest == "6d2ca68d39b8955e7f407e333ad697feafc5cbeb73afc3974e0b941f5c796fe5"
    assert len(data.classes) == 1000 and data.classes[285] == "Egyptian cat" and data.classes[967] == "espresso"


def test_every_photo_of_imagenet_has_its_source_and_checksum():
    listed = imagenet_samples.listed("full")
    assert [int(row["class"]) for row in listed] == list(range(10, 1000, 20))
    assert all(row["url"].endswith("/" + row["name"]) and len(row["sha256"]) == 64 for row in listed)
    assert sum(row["class"] == row["top1"] for row in listed) == 46


def test_noise_is_smooth_and_the_same_everywhere():
    images = imagenet_samples.noise(32)
    assert images.shape == (32, 224, 224, 3) and images.dtype == np.uint8
    assert np.abs(np.diff(images.astype(int), axis=1)).max() <= 16
    assert abs(images.mean() - 127.5) < 3 and (images[0] != images[1]).any()
    assert files.digest(images) == "b61eabcd12364f53b1181c2bfe9e992bb21df5e8d14b9d36778011bf11ecbd87"
    assert (imagenet_samples.noise(2) == images[:2]).all()


@pytest.mark.skipif(not FULL.exists(), reason="ImageNet's photos are not in the data directory")
def test_the_fifty_are_decoded_as_they_were_for_the_reference():
    data = imagenet_samples.load("full")
    assert data.x_test.shape == (50, 224, 224, 3)
    assert data.digest == "c0026c28de9c5d006ba3ac672fccbe9b002a9c642d42e70750f41ec540c99e96"


@pytest.mark.parametrize("damage", ["missing", "altered crops", "cut short"])
def test_what_is_missing_or_damaged_is_asked_for(tmp_path, monkeypatch, damage):
    monkeypatch.setenv("ROSETTA_DATA", str(tmp_path))
    folder = tmp_path / "imagenet_samples"
    folder.mkdir()
    if damage != "missing":
        np.savez(folder / "crops.npz", x=np.ones((50, 224, 224, 3), np.uint8))
    if damage == "cut short":
        (folder / "crops.npz").write_bytes((folder / "crops.npz").read_bytes()[:-100])
    asked = []

    def refuse(url, known, *_):
        asked.append((url, known))
        raise files.DataError("no network")

    monkeypatch.setattr(files, "download", refuse)
    with pytest.raises(files.DataError, match="no network"):
        imagenet_samples.load("full")
    row = imagenet_samples.listed("full")[0]
    assert asked == [(row["url"], "sha256:" + row["sha256"])]
    assert (folder / "crops.npz.bad1").exists() == (damage != "missing")


def test_a_crop_is_the_middle_of_the_photo(tmp_path):
    image = pytest.importorskip("PIL.Image")
    pixels = np.zeros((256, 320, 3), np.uint8)
    pixels[16:240, 48:272] = 200  # nothing is scaled: the shorter side is 256 already
    image.fromarray(pixels).save(tmp_path / "photo.png")
    assert (imagenet_samples.crop(tmp_path / "photo.png") == 200).all()
