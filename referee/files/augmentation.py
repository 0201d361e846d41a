"""Whether a loader's crops and flips are uniform and independent, read off files that tell where a pixel came from."""

import os

import numpy as np
from PIL import Image

from .images import DEVIATION, MEAN

SIDE, FILES, EPOCHS = 64, 250, 6  # of the coded files; 1,500 crops, the last mini-batch is a short one
STEP = 16  # a pixel's grey is 16 x (row modulo 16) + (column modulo 16)
BOUND = 5.0  # normal deviates; the largest of 6,000 right loaders, simulated, was 4.4


def write_files(folder, findings=14):
    """FILES grey PNGs whose pixels tell their place, and findings that tell the file: the bits of its number.

    Returns their paths, a list of str, and the findings, float32 (FILES, ``findings``).
    """
    row, column = np.mgrid[:SIDE, :SIDE]
    image = Image.fromarray((STEP * (row % STEP) + column % STEP).astype(np.uint8))
    paths = [os.path.join(folder, "{:03d}.png".format(number)) for number in range(FILES)]
    for path in paths:
        image.save(path)
    bits = (np.arange(FILES)[:, None] >> np.arange(findings)) & 1
    return paths, bits.astype(np.float32)


def pixels(images):
    """Normalized images (N, 3, H, W) -> grey values, float64 (N, H, W), of each colour the same or else NaN."""
    raw = (images * np.reshape(DEVIATION, (3, 1, 1)) + np.reshape(MEAN, (3, 1, 1))) * 255
    same = np.ptp(raw, axis=1) < 0.01
    return np.where(same, raw[:, 0], np.nan)


def read(images, crop):
    """(top, left, flipped, fault) of coded images: int arrays (N,), and "" or what one of them is instead of a crop.

    Where there is a fault, the first three are None.
    """
    grey = pixels(images)
    if grey.shape[1:] != (crop, crop):
        return None, None, None, "images of {} x {} pixels; CROP is {}".format(grey.shape[1], grey.shape[2], crop)
    corner, end = grey[:, 0, 0], grey[:, 0, -1]
    if not np.all(np.isfinite(grey)) or np.max(np.abs(grey - np.rint(grey))) > 0.05:
        return None, None, None, "values that are no normalized pixels"
    corner, end, second = [np.rint(one).astype(int) for one in (corner, end, grey[:, 0, 1])]
    flipped = (second - corner) % STEP == STEP - 1
    top, left = corner // STEP, np.where(flipped, end, corner) % STEP
    row, column = np.mgrid[:crop, :crop]
    for number in range(len(grey)):
        across = column[:, ::-1] if flipped[number] else column
        expected = STEP * ((top[number] + row) % STEP) + (left[number] + across) % STEP
        if np.max(np.abs(grey[number] - expected)) > 0.05:
            return None, None, None, "an image that is no crop, mirrored or not"
    return top, left, flipped.astype(int), ""


def deviate(statistic, freedom):
    """A chi-square statistic as a normal deviate (Wilson and Hilferty 1931)."""
    share = 2.0 / (9 * freedom)
    return ((statistic / freedom) ** (1.0 / 3) - (1 - share)) / np.sqrt(share)


def uniform(groups, kinds):
    """How far counts of values in range(kinds) are from equal in each of ``groups``, arrays: a normal deviate.

    Where a group shares values, some are too frequent in it.
    """
    statistic = 0.0
    for values in groups:
        counts, expected = np.bincount(values, minlength=kinds).astype(float), len(values) / float(kinds)
        if len(counts) > kinds:
            return float("inf")
        statistic += np.sum((counts - expected) ** 2) / expected
    return deviate(statistic, len(groups) * (kinds - 1))


def agreeing(pairs, kinds):
    """How far the number of equal pairs of arrays is from chance: a normal deviate, above 0 where more are equal.

    The arcsine makes a rare count as normal as a frequent one (Anscombe 1948).
    """
    ours, theirs = [np.concatenate(side) for side in zip(*pairs)]
    share, count = 1.0 / kinds, len(ours)
    found = (np.sum(ours == theirs) + 0.375) / (count + 0.75)
    return 2 * np.sqrt(count) * (np.arcsin(np.sqrt(found)) - np.arcsin(np.sqrt(share)))


def deviates(epochs, spare):
    """{what was looked at: normal deviate} of crops and flips.

    ``epochs``: for each, a list of mini-batches (files, top, left, flipped), int arrays (n,). ``spare``: the largest
    offset. Counts are compared over all and within each batch. Pairs at the same place of batches up to three apart,
    and at the same place or of the same file in epochs up to three apart, must be equal as often as by chance.
    """
    side, found = spare + 1, {}
    rows = []
    for epoch in epochs:
        named = [dict(zip(("file", "top", "left", "flip"), batch)) for batch in epoch]
        for batch in named:
            batch["crop"] = (batch["flip"] * side + batch["top"]) * side + batch["left"]
        rows.append(named)
    whole = [{name: np.concatenate([batch[name] for batch in one]) for name in one[0]} for one in rows]
    by_file = [{name: values[np.argsort(one["file"], kind="stable")] for name, values in one.items()} for one in whole]
    for name, kinds in (("top", side), ("left", side), ("flip", 2), ("crop", 2 * side * side)):
        found[name] = uniform([np.concatenate([one[name] for one in whole])], kinds)
        found[name + " within a batch"] = uniform([one[name] for batches in rows for one in batches], kinds)
        columns = [[batch[name] for batch in batches] for batches in rows]
        pairs = [pair for batches in columns for pair in apart(batches, 3)]
        found[name + " between batches"] = agreeing(
            [(one[: len(other)], other[: len(one)]) for one, other in pairs], kinds
        )
        for what, ordered in (("by place", whole), ("by file", by_file)):
            found["{} between epochs, {}".format(name, what)] = agreeing(
                apart([one[name] for one in ordered], 3), kinds
            )
    return found


def apart(items, most):
    """All pairs of items that are at most that many places apart, as a list."""
    return [pair for places in range(1, most + 1) for pair in zip(items, items[places:])]
