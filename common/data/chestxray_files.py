"""The PNG files of chestxray: NIH's archives downloaded and converted, the sample written, each file checked.

They lie in the folder chestxray of the data directory: those of "full" in full/images_001 to full/images_012, those of
"small" in img, those of "sample" in sample-DIGEST. A folder that is being made is called NAME.part, and has its name
once it is complete. Archives are downloaded into the folder fetched; there they are deleted once they are converted.
"""

import concurrent.futures
import hashlib
import io
import itertools
import os
import tarfile
import tempfile
import zlib

import numpy as np
from PIL import Image

from . import files

PAGE = "https://nihcc.app.box.com/v/ChestXray-NIHCC"
# Name: link, md5, bytes, images. The links are those of batch_download_zips.py, the md5s those of the answer to Q07 in
# FAQ_CHESTXRAY.pdf, both on NIH's page; PyHealth's loader, pyhealth/datasets/chestxray14.py, has the same ones, and
# 14,999 images in the first two archives. Bytes and images serve to ask for room only: nothing else relies on them.
URL = "https://nihcc.box.com/shared/static/"
ARCHIVES = {
    "images_001": ("vfk49d74nhbxq3nqjg0900w5nvkorp5c.gz", "fe8ed0a6961412fddcbb3603c11b3698", 2008470987, 4999),
    "images_002": ("i28rlmbvmfjbl8p2n3ril0pptcmcu9d1.gz", "ab07a2d7cbe6f65ddd97b4ed7bde10bf", 3952623504, 10000),
    "images_003": ("f1t00wrtdk94satdfb9olcolqx20z2jp.gz", "2301d03bde4c246388bad3876965d574", 3929234850, 10000),
    "images_004": ("0aowwzs5lhjrceb3qp67ahp0rd1l1etg.gz", "9f1b7f5aae01b13f4bc8e2c44a4b8ef6", 3838903983, 10000),
    "images_005": ("v5e3goj22zr6h8tzualxfsqlqaygfbsn.gz", "1861f3cd0ef7734df8104f2b0309023b", 3935496531, 10000),
    "images_006": ("asi7ikud9jwnkrnkj99jnpfkjdes7l6l.gz", "456b53a8b351afd92a35bc41444c58c8", 3986301172, 10000),
    "images_007": ("jn1b4mw4n6lnh74ovmcjb8y48h8xj07n.gz", "1075121ea20a137b87f290d6a4a5965e", 4016328426, 10000),
    "images_008": ("tvpxmn7qyrgl0w8wfh9kqfjskv6nmm1j.gz", "b61f34cec3aa69f295fbb593cbd9d443", 4018347353, 10000),
    "images_009": ("upyy3ml7qdumlgk2rfcvlb9k6gvqq2pj.gz", "442a3caa61ae9b64e61c561294d1e183", 4111327929, 10000),
    "images_010": ("l6nilvfa9cg3s28tqv1qc1olm3gnz54p.gz", "09ec81c4c31e32858ad8cf965c494b74", 4181556296, 10000),
    "images_011": ("hhq8fkdgvcari67vfhs7ppg2w6ni4jze.gz", "499aefc67207a5a97692424cf5dbeed5", 4187084020, 10000),
    "images_012": ("ioqwiy20ihqwyr8pf4c24eazhh281pbu.gz", "dc9fda1757c2de0032b63347a7d2895c", 2914187733, 7121),
}
FIRST = "images_001"  # the archive that holds the patients of "small", 1 to 278, among others
# NIH's list, 9,003,496 bytes, and the sha256 that others found for it. Copies, such as alkzar90's on Hugging Face, call
# the sixth column "Patient Gender" instead of "Patient Sex"; with this word put right, one has the same sha256.
LIST = "Data_Entry_2017_v2020.csv"
LIST_URL = (
    "https://nihcc.app.box.com/index.php?rm=box_download_shared_file&vanity_name=ChestXray-NIHCC&file_id=f_219760887468"
)
LIST_SHA256 = "c69a6daca3549af707ca9cacbdf9f9a7b6a9188e8c61157df653520bb72d8eb1"
WHOLE = "images_001.tar.gz to images_012.tar.gz (45.1 GB)"
SIDES = {"full": 264, "small": 64, "sample": 64}
ROOM = {"full": 73728, "small": 8192}  # bytes that a file takes in blocks of 4,096, were its image pure noise
END = b"\0\0\0\0IEND\xaeB`\x82"  # of every PNG file (RFC 2083)
BAD = (OSError, SyntaxError, ValueError, Image.DecompressionBombError)  # what Pillow raises for a file
THREADS = min(16, os.cpu_count() or 1)  # Pillow lets other threads run while it decodes, scales and encodes


def stored():
    """The arrays of chestxray.npz, a dict.

    "names" (1000,) of str and "labels" uint8 (1000, 14) of "small", sorted by name; of "sample" "chosen", its places
    among these, and "x", uint8 (260, 64, 64). The file holds differences of neighbours in a row, which compress better.
    """
    arrays = files.sample("chestxray")
    return dict(arrays, names=arrays["names"].astype(str), x=arrays["x"].cumsum(axis=2, dtype=np.uint8))


def nih_list():
    """NIH's list of images and findings, a str; a file that is not NIH's is set aside. Raises files.DataError."""
    path = _folder() / LIST
    if not files.verified(path, "sha256", LIST_SHA256):
        by_hand = _by_hand("{} and {}".format(LIST, WHOLE))
        path = files.download(LIST_URL, "sha256:" + LIST_SHA256, path.parent, by_hand, name=LIST)
    return path.read_text("ascii")


def find(source, names):
    """Paths, a list of str, and sha256 of the pixels, uint8 (N, 32), of the images ``names`` of a source.

    Files that are missing are made first, then each is checked: those of "small" and "sample" are decoded, those of
    "full" have the number of bytes that they had when they were made. Raises files.DataError that names a file that is
    not as it should be, or says why files cannot be made.
    """
    if source == "full":
        return _find_full(names)
    if source == "small":
        folder = _folder() / "img"
        if not folder.exists():
            make("small")
        remedy = (
            "Put the right file there, or rename the folder to {} and run again: what it lacks is then made from NIH's "
            "images_001.tar.gz.".format(_part(folder))
        )
    else:
        folder, remedy = _write_sample(), "Delete the folder and run again: it is written anew."
    paths = [str(folder / name) for name in names]
    with concurrent.futures.ThreadPoolExecutor(THREADS) as pool:
        pixels = list(pool.map(lambda path: read(path, SIDES[source], remedy), paths))
    if source == "sample":
        right = dict(_sample())
        for name, path, found in zip(names, paths, pixels):
            if (found != right[name]).any():
                raise files.DataError("{} is not the image of common/data/chestxray.npz. {}".format(path, remedy))
    return paths, np.array([_sha256(found) for found in pixels])


def read(path, side, remedy=""):
    """The pixels of a PNG file, uint8 (side, side).

    Raises DataError, with ``remedy``, for a file that is missing, cut short or damaged, has another size, or is not
    grey with 8 bits a pixel. NIH's own files are grey, but for a few in RGBA; the files made from them are all grey.
    """
    try:
        with open(str(path), "rb") as stream:
            raw = stream.read()
        with Image.open(str(path), formats=["PNG"]) as image:
            if not raw.endswith(END):
                wrong = "is cut short: a PNG file ends with IEND"
            elif image.size != (side, side):
                wrong = "has {} x {} pixels, not {} x {}".format(*(image.size + (side, side)))
            elif image.mode != "L":
                wrong = "is {} (Pillow's name), not grey with 8 bits a pixel".format(image.mode)
            else:
                image.load()  # NumPy 1.21 hides what Pillow raises in asarray
                return np.asarray(image)
    except FileNotFoundError:
        wrong = "is missing"
    except BAD as error:
        wrong = "cannot be read as a PNG file ({})".format(files.first_line(error))
    raise files.DataError("{} {}. {}".format(path, wrong, remedy).strip())


def make(source):
    """Download and convert what is missing of "small" and, for "full", of that; the folder of both, a Path.

    Raises files.DataError where another process does so, where the folder is read-only, where there is no network, and,
    before an archive is fetched, for a small disk.
    """
    folder = _folder()
    jobs = [("small", FIRST, folder / "img")]
    if source == "full":
        jobs += [("full", archive, folder / "full" / archive) for archive in ARCHIVES]
    with files.alone(folder):
        jobs = [job for job in jobs if not _is_whole(job[2])]
        _tidy(jobs)
        _check_room(source, jobs)
        while jobs:
            kind, archive, target = jobs.pop(0)
            _convert(_archive(archive, source), kind, target)
            _tidy(jobs)
    return folder


def _folder():
    return files.data_directory() / "chestxray"


def _part(path):
    return path.with_name(path.name + ".part")


def _sha256(pixels):
    return np.frombuffer(hashlib.sha256(np.ascontiguousarray(pixels).tobytes()).digest(), np.uint8)


# ---- the sample


def _sample():
    """(Name, pixels) of each image in this folder."""
    arrays = stored()
    return list(zip(arrays["names"][arrays["chosen"]], arrays["x"]))


def _write_sample():
    """The folder of the sample's PNG files; it is written once, and there as a whole or not at all."""
    images = _sample()
    folder = _folder() / "sample-{}".format(files.digest(*map(np.array, zip(*images)))[:12])
    try:
        if not folder.exists():
            folder.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(".part", "sample-", str(folder.parent)) as made:
                whole = os.path.join(made, "whole")
                os.mkdir(whole)
                for name, pixels in images:
                    Image.fromarray(pixels).save(os.path.join(whole, name))
                os.rename(whole, str(folder))
    except OSError as error:
        if not folder.exists():  # else another process wrote it at the same time
            raise files.DataError(
                "cannot write the sample's files into {} ({}): set ROSETTA_DATA to a folder that can be written "
                "to".format(folder.parent, files.first_line(error))
            ) from None
    return folder


# ---- NIH's archives


def _find_full(names):
    """``find`` for "full"."""
    folder, known, paths, digests = _folder() / "full", {}, [], []
    if not all(_manifest(folder / archive) for archive in ARCHIVES):
        make("full")
    for archive in ARCHIVES:
        for name, size, digest in zip(*_manifest(folder / archive)):
            known[name] = (folder / archive / name, size, digest)
    for name in names:
        path, size, digest = known.get(name, (folder / name, -1, None))
        found = _size(path)
        if found != size:
            said = "is missing" if found is None else "has {} bytes, not the {} it was made with".format(found, size)
            remedy = "Run `./run_all.sh --data chestxray`: its archive is converted again."
            raise files.DataError("{} {}. {}".format(path, said, remedy))
        paths.append(str(path))
        digests.append(digest)
    return paths, np.array(digests)


def _size(path):
    """Bytes of a file; None where it is missing."""
    return os.path.getsize(str(path)) if path.exists() else None


def _manifest(folder):
    """Of a converted archive names, bytes and digests of the pixels, uint8 (N, 32), of its files; () without them."""
    try:
        with np.load(str(folder / "pixels.npz"), allow_pickle=False) as npz:
            return npz["names"].tolist(), npz["sizes"].tolist(), npz["digests"]
    except files.UNREADABLE:
        return ()


def _is_whole(folder):
    """Whether an archive is converted and every file in good order. The files of "small" may come from elsewhere."""
    if folder.name == "img":
        return folder.exists()
    known = _manifest(folder)
    return bool(known) and all(_size(folder / name) == size for name, size in zip(*known[:2]))


def _check_room(source, jobs):
    """Raise DataError unless the disk can take what ``jobs`` need: all PNG files, and one archive after the other."""
    room = sum(ROOM[kind] * (1000 if kind == "small" else ARCHIVES[archive][3]) for kind, archive, _ in jobs)
    missing = [ARCHIVES[archive][2] for _, archive, _ in jobs if not any(path.exists() for path in _places(archive))]
    what = "ChestX-ray14 ({}: images, and NIH's archives one at a time)".format(source)
    files.check_room(_folder(), room + max(missing or [0]), what)


def _places(archive):
    """Where an archive may lie: put there by hand, or fetched."""
    return [folder / (archive + ".tar.gz") for folder in (_folder(), _folder() / "fetched")]


def _archive(archive, source):
    """The Path of a verified archive of NIH's, downloaded where it is missing."""
    link, md5, size, _ = ARCHIVES[archive]
    for path in _places(archive):
        if files.verified(path, "md5", md5):
            return path
    by_hand = _by_hand(WHOLE if source == "full" else "images_001.tar.gz (2.0 GB)")
    print("downloading {}.tar.gz, {:.1f} GB, from the NIH Clinical Center".format(archive, size / 1e9), flush=True)
    return files.download(URL + link, "md5:" + md5, path.parent, by_hand, name=path.name)


def _by_hand(what):
    return (
        "Without a network: put {} from {} into {}; another data directory is set with ROSETTA_DATA. Altered files are "
        "set aside as NAME.bad1.".format(what, PAGE, _folder())
    )


def _tidy(jobs):
    """Delete what was fetched, but for the archives that ``jobs`` need: converted ones, halves of killed downloads."""
    for path in (_folder() / "fetched").glob("*"):
        if path.name not in [archive + ".tar.gz" for _, archive, _ in jobs]:
            path.unlink()


def _convert(archive, source, folder):
    """Make the ``folder`` of an archive's images: of those of "small", or of all, with pixels.npz, their list.

    The files that a killed process made, or those of a folder that has lost one, are used again.
    """
    side, part, made = SIDES[source], _part(folder), {}
    wanted = set(stored()["names"]) if source == "small" else set()
    how = Image.BILINEAR if source == "full" else Image.BOX
    print("converting {} to {} x {} pixels".format(archive.name, side, side), flush=True)

    def members(tar):
        for member in tar:
            name = os.path.basename(member.name)
            if member.isfile() and name.endswith(".png") and (source == "full" or name in wanted):
                yield name, tar.extractfile(member).read()

    def one(member):
        name, raw = member
        try:
            return name, _sha256(read(part / name, side))
        except files.DataError:  # it is still to be made
            pass
        try:
            # Some of NIH's are RGBA, with equal colours and without transparency: "L" gives the same grey.
            scaled = Image.open(io.BytesIO(raw)).convert("L").resize((side, side), how)
        except BAD:
            raise files.DataError("{} in {} is no image that Pillow can read".format(name, archive)) from None
        _write(part / name, lambda stream: scaled.save(stream, "PNG"))
        return name, _sha256(np.asarray(scaled))

    if folder.exists():
        folder.rename(part)
    part.mkdir(parents=True, exist_ok=True)
    try:
        with tarfile.open(str(archive), "r|gz") as tar, concurrent.futures.ThreadPoolExecutor(THREADS) as pool:
            inside = members(tar)
            for some in iter(lambda: list(itertools.islice(inside, 64)), []):
                made.update(pool.map(one, some))
                if wanted and len(made) == len(wanted):
                    break
    except (tarfile.TarError, EOFError, OSError, zlib.error) as error:
        raise files.DataError("{} cannot be read: {}".format(archive, files.first_line(error))) from None
    if wanted - set(made):
        raise files.DataError("{} lacks {}, an image of the list".format(archive, min(wanted - set(made))))
    if source == "full":
        names = sorted(made)
        sizes, digests = [_size(part / name) for name in names], [made[name] for name in names]
        _write(part / "pixels.npz", lambda stream: np.savez(stream, names=names, sizes=sizes, digests=digests))
    part.rename(folder)


def _write(path, save):
    """Have ``save(stream)`` write a file, which is called NAME.part until it is whole."""
    try:
        with open(str(_part(path)), "wb") as stream:
            save(stream)
        _part(path).replace(path)
    except OSError as error:
        raise files.DataError(
            "cannot write {} ({}). Put this right and run again: what is made is kept.".format(
                path, files.first_line(error)
            )
        ) from None
