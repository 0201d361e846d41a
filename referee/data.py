"""Whether the lesson's arrays hold the data set's samples and labels, each of them, whatever their order."""

import hashlib

import numpy as np

CHUNK = 1000  # samples looked at together
NEAR = 1e-4  # a float32 number in 0..1 times 255 is as near to the byte that it was


class DataMismatch(AssertionError):
    """The lesson's arrays are not the data set's; the message names set, sample and difference."""


def to_bytes(values):
    """Bytes from NumPy's float ``values`` in 0..1, each a byte / 255: uint8 of the same shape.

    Where one is no byte / 255, ``values * 255`` as floats instead, so that ``compare`` finds the difference.
    """
    found = np.empty(values.shape, np.uint8)
    for start in range(0, len(values), CHUNK):
        part, place = values[start : start + CHUNK] * 255, slice(start, start + CHUNK)
        found[place] = np.round(part)
        if not np.max(np.abs(part - found[place])) < NEAR:
            return values * 255
    return found


def digests(x, y, dtype):
    """One digest for each sample with its label: a list of bytes.

    Samples are compared as ``dtype``, to the last bit: a lesson changes layout and device, not values.
    """
    found = []
    for start in range(0, len(y), CHUNK):
        part = np.ascontiguousarray(np.asarray(x[start : start + CHUNK]).astype(dtype))
        labels = np.asarray(y[start : start + CHUNK]).astype(np.int64)
        found += [
            hashlib.blake2b(one.tobytes() + label.tobytes(), digest_size=16).digest()
            for one, label in zip(part, labels)
        ]
    return found


def compare(which, x, y, known_x, known_y):
    """Raise DataMismatch unless x, y are the samples and labels ``known_x``, ``known_y``, in any order.

    ``which``: "training" or "test", for the message.
    """
    for what, ours, theirs in (("samples", x, known_x), ("labels", y, known_y)):
        if ours.shape != theirs.shape:
            raise DataMismatch(
                "the {} {} have shape {}, the data set's {}".format(which, what, ours.shape, theirs.shape)
            )
    if not np.all(np.isfinite(y)) or np.any(y != np.floor(y)):
        raise DataMismatch("the {} labels are no whole numbers".format(which))
    ours, theirs = digests(x, y, known_x.dtype), digests(known_x, known_y, known_x.dtype)
    if ours == theirs or sorted(ours) == sorted(theirs):
        return
    known = set(theirs)
    strange = [number for number, one in enumerate(ours) if one not in known]
    if not strange:
        raise DataMismatch("the {} set holds some samples twice and lacks others".format(which))
    first = strange[0]
    gap = np.max(np.abs(np.asarray(x[first], np.float64) - np.asarray(known_x[first], np.float64)))
    label = "label {}, the data set's {}; ".format(int(y[first]), int(known_y[first]))
    raise DataMismatch(
        "{} of {} {} samples are not the data set's with their labels, first sample {} ({}values differ by up to "
        "{:.3g})".format(len(strange), len(y), which, first, label, gap)
    )
