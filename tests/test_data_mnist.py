"""MNIST: the sample, and a data directory that is whole, altered, cut short or empty."""

import gzip
import hashlib
import struct

import numpy as np
import pytest

from common.data import files, mnist


def test_the_sample_holds_real_digits():
    data = mnist.load("sample", 2000, 500)
    assert data.x_train.shape == (2000, 28, 28) and data.x_train.dtype == np.uint8
    assert data.x_test.shape == (500, 28, 28) and data.y_test.dtype == np.int64
    assert data.y_train[:10].tolist() == [5, 0, 4, 1, 9, 2, 1, 3, 1, 4]  # the first labels, as published
    assert set(data.y_train) == set(range(10)) and data.x_train.max() == 255
    assert data.digest == "c50102ecef165dcd353fe66a1eb196fb5cc3897cd1cc7f4b79e740f951a8d91a"
    assert (files.FOLDER / "mnist.npz").stat().st_size < 1e6


@pytest.mark.parametrize("train, test", [(2001, 1), (1, 501), (0, 1)])
def test_the_sample_has_no_more_than_it_holds(train, test):
    with pytest.raises(files.DataError, match=r"MNIST \(sample\) has 1 to"):
        mnist.load("sample", train, test)


@pytest.fixture
def published(tmp_path, monkeypatch):
    """A data directory with four small IDX files, whose md5s stand in for the publisher's."""
    monkeypatch.setenv("ROSETTA_DATA", str(tmp_path))
    (tmp_path / "mnist").mkdir()
    known = {}
    for name, count in zip(mnist.MD5, (7, 7, 3, 3), strict=True):
        values = np.arange(count * (784 if "images" in name else 1), dtype=np.uint8)
        shape = (count, 28, 28) if "images" in name else (count,)
        raw = struct.pack(">4B", 0, 0, 8, len(shape)) + struct.pack(f">{len(shape)}i", *shape) + values.tobytes()
        (tmp_path / "mnist" / f"{name}.gz").write_bytes(gzip.compress(raw))
        known[name] = ("0" * 32, hashlib.md5(raw).hexdigest())
    monkeypatch.setattr(mnist, "MD5", known)
    return tmp_path / "mnist"


def refuse(*_):
    raise files.DataError("no network")


def test_the_whole_set_is_read_whatever_compressed_it(published, monkeypatch):
    monkeypatch.setattr(files, "download", refuse)
    data = mnist.load("full", 5, 2)
    assert data.source == "full" and data.x_train.shape == (5, 28, 28)
    assert data.x_train[1, 0, :3].tolist() == [16, 17, 18] and data.y_train.tolist() == [0, 1, 2, 3, 4]
    assert data.x_train.flags.writeable  # torch.from_numpy warns of read-only memory
    assert mnist.fetch() == published


@pytest.mark.parametrize("damage", ["altered", "cut short", "no gzip", "missing"])
def test_a_damaged_file_is_set_aside_and_asked_for_again(published, monkeypatch, damage):
    path = published / "t10k-labels-idx1-ubyte.gz"
    whole = path.read_bytes()
    damaged = {
        "altered": gzip.compress(gzip.decompress(whole)[:-1] + b"\xff"),
        "cut short": whole[:-9],
        "no gzip": b"<html>not found</html>",
    }
    if damage == "missing":
        path.unlink()
    else:
        path.write_bytes(damaged[damage])
    monkeypatch.setattr(files, "download", refuse)
    with pytest.raises(files.DataError, match="no network"):
        mnist.load("full", 5, 2)
    assert not path.exists()
    assert path.with_name(path.name + ".bad1").exists() == (damage != "missing")

    def bring(url, known, folder, by_hand):
        assert url == mnist.URL + path.name and known == "md5:" + "0" * 32 and str(folder) in by_hand
        path.write_bytes(whole)
        return path

    monkeypatch.setattr(files, "download", bring)
    assert mnist.load("full", 5, 2).y_test.tolist() == [0, 1]
