"""Tiny Shakespeare: 1.1 MB of Shakespeare's plays as bytes, the last tenth of them held out.

Karpathy, The Unreasonable Effectiveness of Recurrent Neural Networks, 2015. The plays are in the public domain.
"""

import numpy as np

from . import files

URL = "https://raw.githubusercontent.com/karpathy/char-rnn/master/data/tinyshakespeare/input.txt"
DOWNLOAD_MB = 2
SHA256 = "86c4e6aa9db7c042ec79f339dcb96d42b0075e16b8fc2e86bf0ca57e2dc565ed"
TRAINING = 1003854  # bytes of the training text, which come first; 111,540 follow
CONTEXT = 128  # bytes of a sequence


def load(source="full", train_samples=7842, test_samples=871):
    """The first ``train_samples`` and ``test_samples`` sequences of 128 bytes, as a ``files.Dataset``.

    ``x_train``, ``x_test``: uint8 (N, 128); ``y_train``, ``y_test``: the byte after each of them, uint8 (N, 128).
    ``source`` "sample": the beginnings of both texts, in this folder, 320 and 48 sequences. Raises files.DataError when
    the text cannot be had or does not hold as many.
    """
    stored = (
        fetch() if source == "full" else {name: text.tobytes() for name, text in files.sample("shakespeare").items()}
    )
    sets = {which: sequences(stored[which]) for which in ("train", "test")}
    counts = {"train": train_samples, "test": test_samples}
    asked = {which: (count, len(sets[which][0])) for which, count in counts.items()}
    files.check_counts("Shakespeare", source, asked)
    taken = [part[: counts[which]] for which in ("train", "test") for part in sets[which]]
    return files.Dataset("shakespeare", source, [], files.digest(*taken), *taken)


def sequences(text, context=CONTEXT):
    """``text``, bytes of any kind, cut into sequences: x uint8 (N, context), and y, the byte after each, of that shape.

    Sequence k begins at byte k * context; what is left over at the end is not used. Raises files.DataError for a text
    that is too short for one sequence.
    """
    values = np.frombuffer(text, np.uint8)
    count = (len(values) - 1) // context
    if count < 1:
        raise files.DataError(
            "a text of {} bytes; one sequence needs {} and the byte after".format(len(values), context)
        )
    return [values[first : first + count * context].reshape(count, context).copy() for first in (0, 1)]


def fetch():
    """{"train": bytes, "test": bytes}: the whole text in its two parts; downloaded where it is missing."""
    folder = files.data_directory() / "shakespeare"
    path = folder / "input.txt"
    if not files.verified(path, "sha256", SHA256):
        by_hand = "Without a network: put this file into {}; another data directory is set with ROSETTA_DATA.".format(
            folder
        )
        path = files.download(URL, "sha256:" + SHA256, folder, by_hand)
    text = path.read_bytes()
    return {"train": text[:TRAINING], "test": text[TRAINING:]}
