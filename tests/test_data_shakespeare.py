"""common/data/shakespeare.py: bytes, sequences, the sample and the whole text."""

import numpy as np
import pytest

from common.data import files, shakespeare

FULL = files.data_directory() / "shakespeare" / "input.txt"


def test_the_sample_is_the_beginning_of_coriolanus():
    data = shakespeare.load("sample", 320, 48)
    assert data.x_train.shape == data.y_train.shape == (320, 128) and data.x_train.dtype == np.uint8
    assert data.x_test.shape == data.y_test.shape == (48, 128)
    assert data.x_train.ravel()[:29].tobytes() == b"First Citizen:\nBefore we proc"
    assert (data.x_train.ravel()[1:] == data.y_train.ravel()[:-1]).all()


@pytest.mark.skipif(not FULL.exists(), reason="the whole text is not in the data directory")
def test_the_sample_is_the_beginning_of_the_whole_text():
    assert shakespeare.load("sample", 320, 48).digest == shakespeare.load("full", 320, 48).digest
    whole = shakespeare.load()
    assert (len(whole.x_train), len(whole.x_test)) == (7842, 871)


@pytest.mark.parametrize("train, test", [(0, 48), (321, 48), (320, 49)])
def test_more_sequences_than_there_are_is_refused(train, test):
    with pytest.raises(files.DataError, match="samples asked for; Shakespeare .sample. has 1 to"):
        shakespeare.load("sample", train, test)


def test_any_bytes_are_text():
    text = bytes(range(256)) + b"\xff\xfe"  # no UTF-8
    x, y = shakespeare.sequences(text)
    assert x.tolist() == [list(range(128)), list(range(128, 256))] and y[1, -1] == 255 and y[0, -1] == 128
    x[0, 0] = 7  # an array of its own
    assert y[0, 0] == 1 and shakespeare.sequences(text[:129])[0].shape == (1, 128)


@pytest.mark.parametrize("length", [0, 1, 128])
def test_a_text_shorter_than_a_sequence_is_named(length):
    with pytest.raises(files.DataError, match=f"a text of {length} bytes; one sequence needs 128"):
        shakespeare.sequences(b"a" * length)


@pytest.mark.parametrize("damage", [None, b"First Citizen: shortened"])
def test_a_text_that_is_missing_or_damaged_is_never_used(tmp_path, monkeypatch, damage):
    monkeypatch.setenv("ROSETTA_DATA", str(tmp_path))
    monkeypatch.setattr(shakespeare, "URL", "http://127.0.0.1:9/input.txt")
    if damage:
        (tmp_path / "shakespeare").mkdir()
        (tmp_path / "shakespeare" / "input.txt").write_bytes(damage)
    with pytest.raises(files.DataError, match="could not download.*put this file into"):
        shakespeare.load("full", 1, 1)
    assert [p.name for p in (tmp_path / "shakespeare").iterdir()] == ["input.txt.bad1"] * bool(damage)
