"""common/data/imdb.py: tokens, order, vocabulary, and the way from Keras' file to the plain form."""

import json
import os

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from common.data import files, imdb

FULL = files.data_directory() / "imdb" / "imdb_flat.npz"


def slowly(ranks):
    """Tokens of one review as Keras' load_data and pad_sequences make them, word by word."""
    found = [1] + [rank + 3 if rank + 3 < 30000 else 2 for rank in ranks]
    return [0] * (150 - len(found)) + found[-150:]


@given(st.lists(st.lists(st.integers(1, 88584), max_size=400), min_size=1, max_size=5), st.randoms())
def test_tokens_are_what_keras_makes(reviews, random):
    chosen = random.sample(range(len(reviews)), len(reviews))
    ranks = np.array([rank for review in reviews for rank in review] or [0], np.uint32)
    offsets = np.cumsum([0] + [len(review) for review in reviews]).astype(np.uint32)
    found = imdb.tokens(ranks, offsets, np.array(chosen))
    assert found.dtype == np.int32
    assert found.tolist() == [slowly(reviews[k]) for k in chosen]


def test_the_sample_holds_the_reviews_that_keras_prints():
    data = imdb.load("sample", 1296, 256)
    assert (data.x_train.shape, data.x_train.dtype) == ((1296, 150), np.int32)
    assert (data.x_test.shape, data.y_test.dtype) == ((256, 150), np.int64)
    # imdb.load_data(): the third training review has 141 tokens and begins so; the labels begin 1 0 0 1 0 0 1 0 1 0
    assert data.x_train[2, :9].tolist() == [0] * 9
    assert data.x_train[2, 9:24].tolist() == [1, 14, 47, 8, 30, 31, 7, 4, 249, 108, 7, 4, 5974, 54, 61]
    assert data.y_train[:10].tolist() == [1, 0, 0, 1, 0, 0, 1, 0, 1, 0]
    assert data.x_train.max() < imdb.VOCABULARY


@pytest.mark.parametrize("count", [64, 640, 1296])
def test_every_beginning_of_the_training_set_holds_both_classes(count):
    assert 0.3 < imdb.load("sample", count, 150).y_train.mean() < 0.7


@pytest.mark.skipif(not FULL.exists(), reason="the whole set is not in the data directory")
def test_the_sample_is_the_beginning_of_the_whole_set():
    sample, full = imdb.load("sample", 1296, 256), imdb.load("full", 1296, 256)
    assert sample.digest == full.digest
    assert (sample.x_test == full.x_test).all() and (sample.y_train == full.y_train).all()


@pytest.mark.parametrize("train, test", [(0, 150), (1297, 150), (64, 257)])
def test_more_reviews_than_there_are_is_refused(train, test):
    with pytest.raises(files.DataError, match="samples asked for; IMDB .sample. has 1 to"):
        imdb.load("sample", train, test)


def test_a_typed_sentence_is_encoded_as_the_reviews_are():
    words = imdb.vocabulary()
    assert len(words) == imdb.VOCABULARY and len(set(words[4:])) == imdb.VOCABULARY - 4
    found = imdb.encode("It's the WORST film -- Zzyzzxy!")
    assert [words[token] for token in found if token] == ["<start>", "it's", "the", "worst", "film", "<rare>"]
    assert imdb.encode("").tolist() == [0] * 149 + [1]
    assert imdb.encode("good " * 200).tolist() == [words.index("good")] * 150


@pytest.mark.skipif(not FULL.with_name("imdb_word_index.json").exists(), reason="Keras' word index is not there")
def test_the_vocabulary_is_the_head_of_keras_word_index():
    ranks = json.loads(FULL.with_name("imdb_word_index.json").read_text())
    assert [ranks[word] for word in imdb.vocabulary()[4:]] == list(range(1, 29997))


# ---- Keras' file and the plain form


class Hostile:
    def __reduce__(self):
        return os.mkdir, ("unpickled",)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The folder of an empty data directory; the publisher cannot be reached."""
    monkeypatch.setenv("ROSETTA_DATA", str(tmp_path))
    monkeypatch.setattr(imdb, "URL", "http://127.0.0.1:9/imdb.npz")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "imdb").mkdir()
    return tmp_path / "imdb"


def keras_file(path, reviews):
    """A file in Keras' form; returns its sha256."""
    lists = np.empty(len(reviews), object)
    lists[:] = reviews
    labels = np.arange(len(reviews)) % 2
    np.savez(path, x_train=lists, y_train=labels, x_test=lists, y_test=labels)
    return files.file_digest(path, "sha256")


def test_keras_file_is_converted_once(folder, monkeypatch):
    reviews = [[1, 2, 88584], [5], [7, 8]]
    monkeypatch.setattr(imdb, "SHA256", keras_file(folder / "imdb.npz", reviews))
    monkeypatch.setattr(imdb, "PLAIN_SHA256", imdb._digest(imdb._convert(folder / "imdb.npz")))
    arrays = imdb.fetch()
    assert arrays["x_train"].tolist() == [1, 2, 88584, 5, 7, 8] and arrays["off_test"].tolist() == [0, 3, 4, 6]
    assert arrays["y_test"].tolist() == [0, 1, 0]
    (folder / "imdb.npz").unlink()
    again = imdb.fetch()  # from the plain form alone
    assert all((again[name] == arrays[name]).all() for name in arrays)


def test_nothing_is_unpickled_before_the_checksum_held(folder):
    keras_file(folder / "imdb.npz", [Hostile(), [1]])
    with pytest.raises(files.DataError, match="could not download.*put Keras' imdb.npz into"):
        imdb.fetch()
    assert not (folder.parent / "unpickled").exists()


@pytest.mark.parametrize("damage", ["altered", "altered inside", "cut short", "another file", "pickles"])
def test_a_damaged_plain_file_is_set_aside(folder, damage):
    path = folder / "imdb_flat.npz"
    if damage == "pickles":
        keras_file(path, [Hostile(), [1]])
    else:
        np.savez(path, **{name: np.ones(3, kind) for name, kind in imdb.PLAIN})
    if damage == "cut short":
        path.write_bytes(path.read_bytes()[:-100])
    elif damage == "altered inside":  # the first array's compressed bytes: zlib's own error, which is no OSError
        np.savez_compressed(path, **{name: np.arange(3000, dtype=kind) for name, kind in imdb.PLAIN})
        path.write_bytes(path.read_bytes()[:100] + b"\xff" * 100 + path.read_bytes()[200:])
    elif damage == "another file":
        path.write_bytes(b"<html>not found</html>")
    with pytest.raises(files.DataError, match="could not download"):
        imdb.fetch()
    assert [p.name for p in folder.iterdir()] == ["imdb_flat.npz.bad1"]
    assert not (folder.parent / "unpickled").exists()
