"""common/data/resnet50.py: random weights, and the ways from Keras' file and from a rounded copy to the same arrays."""

import numpy as np
import pytest

from common.data import files, resnet50

FULL = files.data_directory() / "resnet50" / "resnet50_imagenet.npz"


def test_random_weights_have_the_shapes_of_keras_and_are_the_same_everywhere():
    drawn = resnet50.draw()
    assert len(drawn) == 320 and sum(array.size for array in drawn.values()) == 25636712
    assert drawn["conv1/kernel"].shape == (7, 7, 3, 64) and drawn["fc1000/kernel"].shape == (2048, 1000)
    assert drawn["res4f_branch2b/kernel"].shape == (3, 3, 256, 256) and "res4b_branch1/kernel" not in drawn
    assert {array.dtype for array in drawn.values()} == {np.dtype("f4")}
    assert all(array.min() > 0 for name, array in drawn.items() if name.endswith(("gamma", "variance")))
    assert resnet50.digest(drawn) == "5dd0689e7123d0f38e36726eadb67eea27aa5cf5adfe6041d28ccccde76cc75b"


@pytest.mark.skipif(not FULL.exists(), reason="Keras' weights are not in the data directory")
def test_keras_weights_have_the_same_names():
    weights, drawn = resnet50.load(), resnet50.draw()
    assert {name: array.shape for name, array in weights.items()} == {name: a.shape for name, a in drawn.items()}
    assert {array.dtype for array in weights.values()} == {np.dtype("f4")}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The folder of an empty data directory; the publisher cannot be reached."""
    monkeypatch.setenv("ROSETTA_DATA", str(tmp_path))
    monkeypatch.setattr(resnet50, "URL", "http://127.0.0.1:9/keras.h5")
    (tmp_path / "resnet50").mkdir()
    return tmp_path / "resnet50"


@pytest.fixture
def known(monkeypatch):
    """Arrays of two layers, whose digest stands in for that of Keras' weights."""
    rng = np.random.default_rng(0)
    arrays = {"conv1/kernel": rng.normal(size=(7, 7, 3, 4)), "conv1/bias": rng.normal(size=4)}
    arrays.update({"bn_conv1/" + kind: rng.random(4) for kind in resnet50.KINDS[4]})
    arrays = {name: array.astype(np.float32) for name, array in arrays.items()}
    monkeypatch.setattr(resnet50, "SHA256", resnet50.digest(resnet50._round(arrays)))
    return arrays


def refuse(*_):
    raise files.DataError("no network")


@pytest.mark.parametrize("rounded", [False, True])
def test_a_copy_gives_the_same_values_whether_it_was_rounded_or_not(folder, known, monkeypatch, rounded):
    np.savez(folder / "resnet50_imagenet.npz", **(resnet50._round(known) if rounded else known))
    monkeypatch.setattr(files, "download", refuse)
    found = resnet50.load()
    assert found["conv1/kernel"].dtype == np.float32
    np.testing.assert_array_equal(found["conv1/kernel"], known["conv1/kernel"].astype(np.float16))
    np.testing.assert_array_equal(found["bn_conv1/beta"], known["bn_conv1/beta"])
    assert resnet50.fetch() == folder


@pytest.mark.parametrize("names", [np.bytes_, str])
def test_keras_file_is_converted_once(folder, known, monkeypatch, names):
    h5py = pytest.importorskip("h5py")
    path = folder / "keras.h5"
    with h5py.File(path, "w") as stored:
        stored.attrs["layer_names"] = [names(layer) for layer in ("input_1", "conv1", "bn_conv1")]
        stored.create_group("input_1").attrs["weight_names"] = np.zeros(0, "S1")
        for layer, kinds in (("conv1", resnet50.KINDS[2]), ("bn_conv1", resnet50.KINDS[4])):
            group = stored.create_group(layer)
            group.attrs["weight_names"] = [names(f"{layer}_{number}:0") for number in range(len(kinds))]
            for number, kind in enumerate(kinds):
                group[f"{layer}_{number}:0"] = known[f"{layer}/{kind}"]
    monkeypatch.setattr(resnet50, "MD5", files.file_digest(path, "md5"))
    first = resnet50.load()
    path.unlink()
    again = resnet50.load()  # from the plain form alone
    assert sorted(first) == sorted(known) and all((first[name] == again[name]).all() for name in known)


@pytest.mark.parametrize("damage", ["altered", "cut short", "another file"])
def test_a_damaged_copy_is_set_aside(folder, known, damage):
    path = folder / "resnet50_imagenet.npz"
    np.savez(path, **{name: array + 1 for name, array in known.items()})
    if damage == "cut short":
        path.write_bytes(path.read_bytes()[:-100])
    elif damage == "another file":
        path.write_bytes(b"<html>not found</html>")
    with pytest.raises(files.DataError, match="could not download.*put Keras' keras.h5 into"):
        resnet50.load()
    assert [p.name for p in folder.iterdir()] == ["resnet50_imagenet.npz.bad1"]
