"""NIH ChestX-ray14: 112,120 chest X-rays of 30,805 patients, with those of 14 findings that each report names.

Wang et al., ChestX-ray8: Hospital-Scale Chest X-Ray Database and Benchmarks on Weakly-Supervised Classification and
Localization of Common Thorax Diseases, CVPR 2017. A program read the findings from the radiologists' reports. The
images come from the NIH Clinical Center, https://nihcc.app.box.com/v/ChestXray-NIHCC. Everybody may use them who names
the Clinical Center, this page and the paper.

A set is a list of PNG files, because the loader of files is the subject of the lessons that use it. They are grey, 8
bits a pixel: "full", all of NIH's, scaled from 1024 x 1024 to 264 x 264 as the collection of 2018 did it (Pillow's
BILINEAR); "small", 1,000 of NIH's first 1,139 at 64 x 64 (Pillow's BOX: means of 16 x 16 pixels); "sample", 260 of
these, which lie in this folder. Another scaling gives other pixels, and the record's digest says so. chestxray_files
makes the files and checks them.
"""

import csv

import numpy as np

from . import chestxray_files, files

DOWNLOAD_MB = 45089
SMALL_MB = 2008  # of "small": the first archive
FOLDERS = {"full": "full", "small": "img"}  # of the data directory's chestxray, as chestxray_files makes them
SOURCES = ("full", "small", "sample")
CLASSES = (
    "Atelectasis Cardiomegaly Effusion Infiltration Mass Nodule Pneumonia Pneumothorax Consolidation Edema Emphysema "
    "Fibrosis Pleural_Thickening Hernia"
).split()
PARTS = ("training", "validation", "test")
PATIENTS = 30805  # numbered from 1
# The first seed with which, in "small", the parts have 700, 100 and 200 images within 15, training names each finding
# five times or more, and so do validation and test together, Hernia excepted: only two patients have it.
SEED = 1958
# The standard error of an AUC is about 0.29 / sqrt(images with the finding) where the AUC is near 0.5 (Hanley and
# McNeil, Radiology 143, 1982): 0.09 for ten images, 0.29 for one.
COUNTED_FROM = 10


class Images(files.Dataset):
    """A ``files.Dataset`` of PNG files.

    Attributes: ``x_train``, ``x_valid``, ``x_test``: lists of str, paths; ``y_train``, ``y_valid``, ``y_test``: float32
    (N, 14), 1 where the finding is named, else 0; ``classes``: the findings' names, a list of str; ``counted``: those
    whose AUC counts, see the function of this name; ``name``, ``source``; ``digest``: hex sha256 over the labels, and
    over the sha256 of each image's pixels, of all three parts.
    """

    def __init__(self, source, digest, x, y):
        super(Images, self).__init__("chestxray", source, list(CLASSES), digest, x[0], y[0], x[2], y[2])
        self.x_valid, self.y_valid = x[1], y[1]
        self.counted = counted(y[1], y[2])

    def summary(self):
        """The data's part of the record: a dict of plain values."""
        return dict(super(Images, self).summary(), valid_samples=len(self.x_valid))


def load(source="full", train_samples=None, test_samples=None):
    """The first ``train_samples`` training and ``test_samples`` test images and all of validation, as ``Images``.

    None takes all: training, validation and test have 78985, 11244 and 21891 images in "full", 712, 94 and 194 in
    "small", 164, 32 and 64 in "sample". Images are in random order, the same every time, those of "sample" with rare
    findings first. Files that are missing are made first, from NIH's archives or from the sample in this folder. Raises
    ValueError for another source; files.DataError where files cannot be had or made, for more images than there are,
    and for what would spoil a training: see ``check_parts`` and ``chestxray_files.read``.
    """
    files.check_source(source, SOURCES)
    names, labels = _known(source)
    part = split(patients(names))
    places = [np.flatnonzero(part == number) for number in range(3)]
    counts = [
        len(place) if count is None else count for count, place in zip((train_samples, None, test_samples), places)
    ]
    asked = {which: (count, len(place)) for which, count, place in zip(PARTS, counts, places)}
    files.check_counts("ChestX-ray14", source, asked, SOURCES)
    places = [place[:count] for place, count in zip(places, counts)]
    y = [labels[place] for place in places]
    check_parts([names[place] for place in places], y)
    paths, pixels = chestxray_files.find(source, names[np.concatenate(places)])
    cuts = np.cumsum(counts)[:2]
    x = [some.tolist() for some in np.split(np.array(paths), cuts)]
    digest = files.digest(*[array for pair in zip(np.split(pixels, cuts), y) for array in pair])
    return Images(source, digest, x, [some.astype(np.float32) for some in y])


def fetch():
    """The folder of all files as a Path; those of "full" and "small" are downloaded and converted where missing.

    Archive after archive is downloaded, converted and deleted: that takes at most 12.5 GB of disk, all archives at once
    would take 53. An archive that was put into the folder by hand stays. Archives that were converted stay so; an
    interrupted download begins anew.
    Raises files.DataError with a remedy, for a small disk before an archive is fetched.
    """
    names = listed()[0]
    folder = chestxray_files.make("full")
    chestxray_files.find("full", names)
    return folder


def listed():
    """NIH's list in the order of the names: names (112120,) of str, labels uint8 (112120, 14).

    Raises files.DataError where it is missing and cannot be downloaded.
    """
    rows = sorted(csv.reader(chestxray_files.nih_list().splitlines()[1:]))
    found = [row[1].split("|") for row in rows]
    return np.array([row[0] for row in rows]), np.array([[name in of for name in CLASSES] for of in found], np.uint8)


def patients(names):
    """The patients' numbers, int64 (N,): an image's name begins with it, as NIH's list says in a column of its own."""
    return np.array([int(name[:8]) for name in names], np.int64)


def split(numbers):
    """The part of each patient of ``numbers``, int64 (N,): 0 training, 1 validation, 2 test; 70, 10, 20 % of all.

    A patient is in the same part of "full", "small" and "sample". RandomState's numbers are the same in every NumPy.
    """
    place = np.empty(PATIENTS + 1, np.int64)
    place[1 + np.random.RandomState(SEED).permutation(PATIENTS)] = np.arange(PATIENTS)
    return np.digitize(place[numbers], [7 * PATIENTS // 10, 8 * PATIENTS // 10])


def counted(valid, test):
    """The findings whose AUC over validation and test together counts in the mean: a list of str.

    ``valid``, ``test``: labels, (N, 14). A finding counts from COUNTED_FROM images with it and as many without it on:
    all 14 in "full", 9 in "small", 6 in "sample". With few test images fewer count, but never none, because validation
    is always whole.
    """
    y = np.concatenate([valid, test])
    rarer = np.minimum(y.sum(axis=0), (1 - y).sum(axis=0))
    return [name for name, images in zip(CLASSES, rarer) if images >= COUNTED_FROM]


def check_parts(names, labels):
    """Raise DataError for a patient in two parts, a finding that no training image has, and where no finding counts.

    ``names``: three sequences of str, of training, validation and test; ``labels``: three arrays (N, 14).
    """
    seen = {}
    for which, group in zip(PARTS, names):
        for name in group:
            before = seen.setdefault(name[:8], (which, name))
            if before[0] != which:
                raise files.DataError(
                    "patient {} is in {} ({}) and in {} ({}), so what is learned of one image helps with the other: "
                    "move all images of the patient into one part".format(int(name[:8]), *(before + (which, name)))
                )
    for finding, count in zip(CLASSES, labels[0].sum(axis=0)):
        if not count:
            raise files.DataError(
                "none of the {} training images has {}, so nothing can be learned of it: take more training "
                "images".format(len(labels[0]), finding)
            )
    if not counted(*labels[1:]):
        raise files.DataError(
            "no finding has {} images with it and {} without it among the {} of validation and test, so there is no "
            "mean AUC: take more test images".format(COUNTED_FROM, COUNTED_FROM, len(labels[1]) + len(labels[2]))
        )


def _known(source):
    """Names and labels of a source's images, in the order in which they are taken."""
    if source == "full":
        names, labels = listed()
    else:
        stored = chestxray_files.stored()
        names, labels = stored["names"], stored["labels"]
    order = stored["chosen"] if source == "sample" else np.random.RandomState(SEED).permutation(len(names))
    return names[order], labels[order]
