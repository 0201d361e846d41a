"""IMDB: 25,000 training and 25,000 test reviews of films, negative or positive.

Maas et al., Learning Word Vectors for Sentiment Analysis, 2011.
"""

import re

import numpy as np

from . import files

# Keras' file. It holds lists of word ranks (1: the most frequent word) in pickles, sorted by class.
URL = "https://storage.googleapis.com/tensorflow/tf-keras-datasets/imdb.npz"
DOWNLOAD_MB = 19
SHA256 = "69664113be75683a8fe16e3ed0ab59fda8886cb3cd7ada244f7d9544e4676b9f"
# Its plain form: the ranks of all reviews in one row, where each review starts, the labels.
KINDS = {"x_": "<u4", "off_": "<u4", "y_": "|u1"}
PLAIN = [(part + which, KINDS[part]) for which in ("train", "test") for part in KINDS]
PLAIN_SHA256 = "b131cf45f8a4befb218d9a82b41f3dd6edf4fadf703e86bbb156cff63d98ba73"
CLASSES = ["negative", "positive"]
LENGTH = 150  # tokens of a review
VOCABULARY = 30000  # 0 padding, 1 start of a review, 2 any rarer word, 3 unused, then rank + 3


def load(source="full", train_samples=25000, test_samples=25000):
    """The first ``train_samples`` and ``test_samples`` reviews, as a ``files.Dataset``.

    Tokens are int32 (N, 150), as ``tokens`` describes them; labels int64 (N,), 1 for positive. The
    training order is that of Keras' ``imdb.load_data``, which mixes the classes. ``source`` "sample": the
    reviews in this folder, the first 1,296 and 256 of the full set. Raises files.DataError when the
    set cannot be had or does not hold as many reviews.
    """
    stored = fetch() if source == "full" else files.sample("imdb")
    counts, taken = {"train": train_samples, "test": test_samples}, []
    asked = {which: (count, len(stored["y_" + which])) for which, count in counts.items()}
    files.check_counts("IMDB", source, asked)
    for which, count in counts.items():
        x, y = stored["x_" + which], stored["y_" + which]
        if source == "full":
            order = np.arange(len(y))
            np.random.RandomState(113).shuffle(order)  # of training Keras' order; Keras shuffles test with what follows
            x, y = tokens(x, stored["off_" + which], order[:count]), y[order]
        taken += [x[:count].astype(np.int32), y[:count].astype(np.int64)]
    return files.Dataset("imdb", source, CLASSES, files.digest(*taken), *taken)


def tokens(ranks, offsets, chosen):
    """Tokens of the ``chosen`` reviews: int32 (N, 150), 1 and the words, the last 150 of these.

    Shorter reviews have zeros in front. Review k is ``ranks[offsets[k] : offsets[k + 1]]``.
    """
    first, last = (offsets.astype(np.int64)[chosen + k, None] for k in (0, 1))
    place = last - LENGTH + np.arange(LENGTH)
    words = ranks[np.maximum(place, 0)].astype(np.int32) + 3
    words = np.where(words < VOCABULARY, words, 2)
    return np.where(place < first, place == first - 1, words).astype(np.int32)


def vocabulary():
    """The word of each token, a list of 30,000 str: the head of Keras' imdb_word_index.json."""
    words = files.sample("imdb")["words"].tobytes().decode("utf-8").split("\n")
    return ["", "<start>", "<rare>", ""] + words


def encode(text):
    """A typed ``text`` as tokens, int32 (150,): lower case, without punctuation, as the reviews are."""
    rank = {word: number for number, word in enumerate(vocabulary()[4:], 1)}
    found = [rank.get(word, VOCABULARY) for word in re.findall(r"[\w']+", text.lower())]
    return tokens(np.array(found or [0]), np.array([0, len(found)]), np.array([0]))[0]


def fetch():
    """The arrays of the whole set in plain form, a dict; downloaded and converted where missing."""
    folder = files.data_directory() / "imdb"
    path = folder / "imdb_flat.npz"
    if path.exists():
        try:
            with np.load(str(path), allow_pickle=False) as npz:
                arrays = {name: npz[name].astype(kind) for name, kind in PLAIN}
        except files.UNREADABLE:
            arrays = {}
        if arrays and _digest(arrays) == PLAIN_SHA256:
            return arrays
        files.set_aside(path)
    by_hand = (
        "Without a network: put Keras' imdb.npz into {}; another data directory is set with ROSETTA_DATA. "
        "Files that were altered or cut short are set aside as NAME.bad1.".format(folder)
    )
    archive = files.download(URL, "sha256:" + SHA256, folder, by_hand)
    arrays = _convert(archive)
    if _digest(arrays) != PLAIN_SHA256:
        raise files.DataError("{} was verified, but its plain form is not the known one".format(archive))
    part = path.with_name("part.npz")
    np.savez_compressed(str(part), **arrays)
    part.replace(path)
    return arrays


def _digest(arrays):
    return files.digest(*[arrays[name] for name, _ in PLAIN])


def _convert(archive):
    """Keras' lists as flat arrays. A pickle can run any code: ``archive`` must be verified."""
    arrays = {}
    with np.load(str(archive), allow_pickle=True) as npz:
        for which in ("train", "test"):
            lists = npz["x_" + which]
            arrays["x_" + which] = np.concatenate([np.asarray(ranks) for ranks in lists])
            arrays["off_" + which] = np.cumsum([0] + [len(ranks) for ranks in lists])
            arrays["y_" + which] = npz["y_" + which]
    return {name: arrays[name].astype(kind) for name, kind in PLAIN}
