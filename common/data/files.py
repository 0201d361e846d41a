"""Finding, downloading and verifying a publisher's files. Nothing unverified is ever used."""

import contextlib
import hashlib
import os
import shutil
import tarfile
import zipfile
import zlib
from pathlib import Path

import numpy as np

FOLDER = Path(__file__).resolve().parent
# What np.load raises for a file that was cut short or altered, or that is something else.
UNREADABLE = (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error)


class DataError(RuntimeError):
    """A data set cannot be had, or is not what its publisher's checksums promise."""


class Dataset(object):
    """Arrays for training and testing, with the name and digest that go into the record.

    Attributes: ``x_train``, ``y_train``, ``x_test``, ``y_test``: NumPy arrays, as the module's
    ``load`` describes them; ``classes``: list of str; ``name``; ``source``: "full" or "sample";
    ``digest``: hex sha256 over the samples taken and their labels: as published, but for those of imdb (its tokens),
    imagenet_samples (the cropped photos) and chestxray (see there).
    """

    def __init__(self, name, source, classes, digest, x_train, y_train, x_test, y_test):
        self.name, self.source, self.classes, self.digest = name, source, classes, digest
        self.x_train, self.y_train, self.x_test, self.y_test = x_train, y_train, x_test, y_test

    def summary(self):
        """The data's part of the record: a dict of plain values."""
        return {
            "name": self.name,
            "source": self.source,
            "digest": self.digest,
            "train_samples": len(self.x_train),
            "test_samples": len(self.x_test),
        }


def data_directory():
    """The folder of the whole data sets: ``ROSETTA_DATA`` if set, else ``~/.cache/rosetta``. A ``~`` is the home."""
    return Path(os.environ.get("ROSETTA_DATA") or "~/.cache/rosetta").expanduser()


def sample(name):
    """The arrays of the sample ``common/data/NAME.npz`` as a dict."""
    with np.load(str(FOLDER / (name + ".npz")), allow_pickle=False) as npz:
        return {key: npz[key] for key in npz.files}


def check_source(source, known=("full", "sample")):
    """Raise ValueError unless ``source`` is one of the ``known``."""
    if source not in known:
        said = " or ".join(repr(one) for one in known)
        raise ValueError("DATA is {!r}; it must be {}".format(source, said))


def check_counts(name, source, asked, known=("full", "sample")):
    """Raise DataError unless each count of ``asked``, {"training": (asked, there)}, can be had.

    Raises ValueError for a ``source`` that is not ``known``.
    """
    check_source(source, known)
    for which, (wanted, there) in sorted(asked.items()):
        if not 0 < wanted <= there:
            raise DataError("{} {} samples asked for; {} ({}) has 1 to {}".format(wanted, which, name, source, there))


def digest(*arrays):
    """Hex sha256 over dtype, shape and bytes of ``arrays``, whatever file held them."""
    total = hashlib.sha256()
    for array in arrays:
        total.update("{}{}".format(array.dtype.str, array.shape).encode())
        total.update(np.ascontiguousarray(array).tobytes())
    return total.hexdigest()


def file_digest(path, algorithm):
    """Hex digest of the file at ``path``."""
    total = hashlib.new(algorithm)
    with open(str(path), "rb") as stream:
        for block in iter(lambda: stream.read(1 << 20), b""):
            total.update(block)
    return total.hexdigest()


def verified(path, algorithm, known):
    """Whether ``path`` exists and has the digest ``known``; a file with another one is set aside."""
    if not path.exists():
        return False
    if file_digest(path, algorithm) == known:
        return True
    set_aside(path)
    return False


def download(url, known, folder, by_hand, name=None):
    """Download ``url`` into ``folder`` with pooch; the Path of the verified file.

    ``known``: "sha256:..." or "md5:...". Raises DataError that says what was wanted, from where, and
    what to do ``by_hand``.
    """
    import pooch

    pooch.get_logger().setLevel("ERROR")
    name = name or url.rsplit("/", 1)[1]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if verified(folder / name, *known.split(":")):
            return folder / name
        return Path(pooch.retrieve(url, known_hash=known, fname=name, path=str(folder)))
    except Exception as error:  # pooch lets its transports' errors through; they share no class
        raise DataError(
            "could not download {} ({}: {}). {}".format(url, type(error).__name__, first_line(error), by_hand)
        ) from None


def first_line(error):
    """The first line of an error's message, shortened to 200 characters."""
    return (str(error).splitlines() or [""])[0][:200]


def check_room(folder, needed, what):
    """Raise DataError unless ``folder``, which need not exist yet, can take ``needed`` more bytes for ``what``."""
    there = next(place for place in [folder, *folder.parents] if place.exists())
    free = shutil.disk_usage(str(there)).free
    if free < needed:
        raise DataError(
            "{} needs {:.1f} GB of disk in {}, where {:.1f} GB are free. Free some, or set ROSETTA_DATA to a folder "
            "on a larger disk, then run again.".format(what, needed / 1e9, folder, free / 1e9)
        )


@contextlib.contextmanager
def alone(folder):
    """Hold ``folder``, made where it is missing, against other processes that would write into it, too.

    Raises DataError where one holds it already, and where it cannot be written to. The lock ends with its process.
    """
    try:
        import fcntl
    except ImportError:  # Windows has none
        fcntl = None
    try:
        folder.mkdir(parents=True, exist_ok=True)
        stream = open(str(folder / ".lock"), "w")
    except OSError as error:
        raise DataError(
            "cannot write into {} ({}): set ROSETTA_DATA to a folder that can be written to".format(
                folder, first_line(error)
            )
        ) from None
    with stream:
        try:
            if fcntl:
                fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise DataError(
                "another process fetches or converts into {}: wait until it has ended, then run again".format(folder)
            ) from None
        yield


def unpack(archive, folder):
    """Unpack the tar file ``archive`` into ``folder``; only plain files and folders inside it.

    Raises DataError, before anything is written, for a link, a device, or a path that leaves
    ``folder``.
    """
    root = folder.resolve()
    try:
        with tarfile.open(str(archive)) as tar:
            members = tar.getmembers()
            for member in members:
                target = (root / member.name).resolve()
                inside = root == target or root in target.parents
                if not (member.isfile() or member.isdir()) or not inside:
                    raise DataError(
                        "{} holds {!r}, which is no plain file inside the archive's folder: nothing "
                        "was unpacked. Delete the archive and fetch it from the publisher.".format(archive, member.name)
                    )
            for member in members:
                tar.extract(member, str(root))
    except (tarfile.TarError, EOFError, OSError) as error:
        raise DataError("{} cannot be unpacked: {}".format(archive, first_line(error))) from None


def set_aside(path):
    """Rename a bad file out of the way, keeping it for inspection; the new Path."""
    number = 1
    while path.with_name("{}.bad{}".format(path.name, number)).exists():
        number += 1
    return path.rename(path.with_name("{}.bad{}".format(path.name, number)))
