"""common/data/chestxray.py and chestxray_files.py: the sample, the 1,000, NIH's archives in small, and what must never be trained on."""

import csv
import errno
import gzip
import hashlib
import http.server
import io
import os
import shutil
import struct
import subprocess
import sys
import tarfile
import tempfile
import threading
import types
import zlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from common.data import chestxray, chestxray_files, files

REAL = files.data_directory() / "chestxray"
real_images = pytest.mark.skipif(not (REAL / "img").exists(), reason="the 1,000 images are not in the data directory")
real_list = pytest.mark.skipif(
    not (REAL / (chestxray_files.LIST + ".gz")).exists(), reason="a packed copy of NIH's list is not there"
)
CLASSES = chestxray.CLASSES
NOWHERE = "http://127.0.0.1:9/"  # nobody listens there


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """The folder chestxray of an empty data directory; NIH cannot be reached."""
    monkeypatch.setenv("ROSETTA_DATA", str(tmp_path / "data"))
    monkeypatch.setattr(chestxray_files, "URL", NOWHERE)
    monkeypatch.setattr(chestxray_files, "LIST_URL", NOWHERE + "list")
    return tmp_path / "data" / "chestxray"


@pytest.fixture
def small(folder):
    """The 1,000 images where a user has them: grey squares, or the real ones where these are at hand."""
    if (REAL / "img").exists():
        shutil.copytree(REAL / "img", folder / "img", copy_function=shutil.copyfile)
        (folder / "img").chmod(0o755)
    else:
        (folder / "img").mkdir(parents=True)
        for number, name in enumerate(chestxray_files.stored()["names"]):
            Image.new("L", (64, 64), number % 256).save(folder / "img" / name)
    return folder


# ---- the sample


def test_the_sample_is_real_files_and_its_digest_steady(folder):
    data = chestxray.load("sample")
    assert [len(x) for x in (data.x_train, data.x_valid, data.x_test)] == [164, 32, 64]
    for paths, y in [(data.x_train, data.y_train), (data.x_valid, data.y_valid), (data.x_test, data.y_test)]:
        assert y.shape == (len(paths), 14) and y.dtype == np.float32 and set(np.unique(y)) == {0, 1}
        for path in paths:
            assert isinstance(path, str) and path.startswith(str(folder))
            with Image.open(path) as image:
                assert (image.format, image.mode, image.size) == ("PNG", "L", (64, 64))
    assert data.classes == CLASSES and len(CLASSES) == 14
    assert data.digest == "a5fa6bfca244c1aa4449866d441b103b55ee0e54dafff16e00407138d6f421ba"
    assert data.summary() == {
        "name": "chestxray",
        "source": "sample",
        "digest": data.digest,
        "train_samples": 164,
        "valid_samples": 32,
        "test_samples": 64,
    }
    assert (files.FOLDER / "chestxray.npz").stat().st_size < 1e6


def test_the_sample_is_written_once(folder):
    first = chestxray.load("sample")
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*.png")}
    again = chestxray.load("sample")
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*.png")} == before and len(before) == 260
    assert again.x_train == first.x_train and again.digest == first.digest
    assert [path.name for path in folder.iterdir()] == ["sample-18d0cefb7c0e"]


def test_two_processes_can_write_the_sample_at_once(folder):
    code = "from common.data import chestxray; print(chestxray.load('sample').digest)"
    command = [sys.executable, "-c", code]
    started = [subprocess.Popen(command, stdout=subprocess.PIPE, cwd=files.FOLDER.parents[1]) for _ in range(2)]
    said = {process.communicate()[0].decode().strip() for process in started}
    assert said == {"a5fa6bfca244c1aa4449866d441b103b55ee0e54dafff16e00407138d6f421ba"}
    assert [path.name for path in folder.iterdir()] == ["sample-18d0cefb7c0e"]


def test_a_beginning_of_the_sample_holds_every_finding():
    assert chestxray.load("sample", 6, 6).y_train.any(axis=0).all()
    data, whole = chestxray.load("sample", 8, 7), chestxray.load("sample")
    assert data.x_train == whole.x_train[:8] and data.x_test == whole.x_test[:7] and data.x_valid == whole.x_valid
    assert data.digest != whole.digest


@pytest.mark.parametrize("with_it, without, counts", [(10, 10, True), (9, 90, False), (90, 9, False), (99, 11, True)])
def test_a_finding_counts_from_ten_images_with_and_ten_without_it_on(with_it, without, counts):
    y = np.zeros((with_it + without, 14), np.float32)
    y[:with_it, 4] = 1
    y = np.random.default_rng(0).permutation(y)
    assert chestxray.counted(y[:7], y[7:]) == ["Mass"] * counts


def test_some_findings_count_however_few_test_images_are_taken():
    few, whole = chestxray.load("sample", 8, 1), chestxray.load("sample", 8)
    assert few.counted == ["Effusion", "Infiltration"]
    assert whole.counted == "Atelectasis Cardiomegaly Effusion Infiltration Emphysema Fibrosis".split()
    stored = chestxray_files.stored()
    part = chestxray.split(chestxray.patients(stored["names"]))
    labels = [stored["labels"][part == number] for number in (1, 2)]
    assert len(chestxray.counted(labels[0], labels[1][:0])) == 3
    assert [name for name in CLASSES if name not in chestxray.counted(*labels)] == [
        "Nodule",
        "Pneumonia",
        "Consolidation",
        "Edema",
        "Hernia",
    ]


@real_images
def test_the_sample_has_the_pixels_of_the_1000():
    data = chestxray.load("sample")
    for path in data.x_train + data.x_valid + data.x_test:
        theirs = REAL / "img" / os.path.basename(path)
        assert (np.asarray(Image.open(path)) == np.asarray(Image.open(theirs))).all()


@pytest.mark.parametrize("train, test", [(165, 64), (0, 64), (164, 65), (164, 0)])
def test_more_images_than_there_are_is_refused(train, test):
    with pytest.raises(files.DataError, match=r"samples asked for; ChestX-ray14 \(sample\) has 1 to"):
        chestxray.load("sample", train, test)


def test_another_source_is_refused(folder):
    with pytest.raises(ValueError, match="DATA is 'all'; it must be 'full' or 'small' or 'sample'"):
        chestxray.load("all")
    assert not folder.exists()


def read_only(monkeypatch):
    def refuse(*_, **__):
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr(os, "mkdir", refuse)


@pytest.mark.parametrize("source", ["sample", "small", "full"])
def test_a_folder_that_cannot_be_written_to(folder, monkeypatch, source):
    read_only(monkeypatch)
    with pytest.raises(files.DataError, match=f"{folder}.*ROSETTA_DATA") as caught:
        chestxray.load(source)
    assert "Read-only file system" in str(caught.value)


@pytest.mark.parametrize("source", ["sample", "small"])
def test_files_in_a_read_only_folder_serve(small, monkeypatch, source):
    before = chestxray.load(source).digest
    read_only(monkeypatch)
    assert chestxray.load(source).digest == before
    assert not (small / ".lock").exists()


# ---- labels and parts


@real_list
def test_names_and_labels_are_those_of_nihs_list(folder):
    folder.mkdir(parents=True)
    raw = gzip.decompress((REAL / (chestxray_files.LIST + ".gz")).read_bytes())
    (folder / chestxray_files.LIST).write_bytes(raw.replace(b"Patient Gender", b"Patient Sex", 1))
    names, labels = chestxray.listed()
    assert (
        len(names) == 112120 and (names[:-1] < names[1:]).all() and set(chestxray.patients(names)) == {*range(1, 30806)}
    )
    # how often the findings are named, as the literature counts them
    parts = chestxray.split(chestxray.patients(names))
    assert set(chestxray.counted(labels[parts == 1], labels[parts == 2])) == set(CLASSES)
    counts = [11559, 2776, 13317, 19894, 5782, 6331, 1431, 5302, 4667, 2303, 2516, 1686, 3385, 227]
    assert labels.sum(axis=0).tolist() == counts
    stored = chestxray_files.stored()
    places = np.searchsorted(names, stored["names"])
    assert (names[places] == stored["names"]).all() and (labels[places] == stored["labels"]).all()
    assert len(places) == 1000 and places.max() == 1138
    assert np.bincount(parts).tolist() == [78985, 11244, 21891]


def test_patients_are_split_70_10_20():
    every = np.arange(1, chestxray.PATIENTS + 1)
    part = chestxray.split(every)
    assert np.bincount(part).tolist() == [21563, 3081, 6161]
    assert part[:20].tolist() == [0, 0, 0, 2, 0, 2, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0]
    assert hashlib.sha256(part.astype("u1").tobytes()).hexdigest().startswith("51b2b0e467a7da9b")


@given(st.lists(st.integers(1, chestxray.PATIENTS), min_size=1, max_size=20))
@settings(max_examples=20)
def test_a_patient_is_in_the_same_part_whoever_else_is_there(numbers):
    part = chestxray.split(np.array(numbers))
    assert part.tolist() == [chestxray.split(np.array([number]))[0] for number in numbers]


@pytest.mark.parametrize("source", ["sample", "small"])
def test_no_patient_is_in_two_parts(source, small):
    data = chestxray.load(source)
    parts = [{os.path.basename(path)[:8] for path in x} for x in (data.x_train, data.x_valid, data.x_test)]
    assert not (parts[0] & parts[1] or parts[0] & parts[2] or parts[1] & parts[2])
    assert sum(map(len, parts)) == (164 if source == "sample" else 264)
    assert all(y.any(axis=0).all() for y in (data.y_train, np.concatenate([data.y_valid, data.y_test])))


@given(st.data())
@settings(max_examples=50)
def test_a_patient_in_two_parts_is_named(data):
    patient = st.integers(1, 30)
    images = data.draw(st.lists(st.tuples(patient, st.integers(0, 9)), min_size=3, max_size=30, unique=True))
    names = [f"{of:08d}_{number:03d}.png" for of, number in images]
    part = [data.draw(st.integers(0, 2)) for _ in names]
    groups = [[name for name, of in zip(names, part, strict=True) if of == which] for which in range(3)]
    labels = [np.arange(max(20, len(group)))[:, None] % 2 * np.ones(14) for group in groups]
    spread = {of for of, _ in images if len({p for p, (same, _) in zip(part, images, strict=True) if same == of}) > 1}
    if not spread:
        chestxray.check_parts(groups, labels)
        return
    with pytest.raises(files.DataError, match=r"patient (\d+) is in .*png.* and in .*png.*: move all") as caught:
        chestxray.check_parts(groups, labels)
    assert int(str(caught.value).split()[1]) in spread


@pytest.mark.parametrize("missing", range(14))
def test_a_finding_that_no_training_image_has_is_named(missing):
    labels = [np.ones((5, 14)) for _ in range(3)]
    labels[0][:, missing] = 0
    with pytest.raises(files.DataError, match=f"none of the 5 training images has {CLASSES[missing]}"):
        chestxray.check_parts([["00000001_000.png"], ["00000002_000.png"], ["00000003_000.png"]], labels)


def test_no_finding_that_counts_is_refused():
    names = [["00000001_000.png"], ["00000002_000.png"], ["00000003_000.png"]]
    y = np.zeros((20, 14))
    y[:10] = 1
    chestxray.check_parts(names, [np.ones((1, 14)), y[:10], y[10:]])
    with pytest.raises(
        files.DataError, match="no finding has 10 images with it and 10 without .* the 19 of validation"
    ):
        chestxray.check_parts(names, [np.ones((1, 14)), y[:10], y[10:19]])


def test_nothing_is_made_where_no_finding_counts(folder, monkeypatch):
    monkeypatch.setattr(chestxray, "COUNTED_FROM", 26)
    with pytest.raises(files.DataError, match="no finding has 26 images"):
        chestxray.load("sample")
    assert not folder.exists()


def test_nothing_is_made_for_a_wrong_split(folder, monkeypatch):
    monkeypatch.setattr(chestxray, "split", lambda numbers: np.arange(len(numbers)) % 3)
    with pytest.raises(files.DataError, match="patient .* is in training .* and in"):
        chestxray.load("sample")
    assert not folder.exists()


def test_too_few_training_images_for_a_finding_are_refused(folder):
    with pytest.raises(files.DataError, match="none of the 5 training images has .*: take more training images"):
        chestxray.load("sample", 5, 64)
    assert not folder.exists()


# ---- files that are not as they should be


def png(mode="L", size=(64, 64), kind="PNG"):
    """The bytes of an image's file."""
    stream = io.BytesIO()
    Image.new(mode, size).save(stream, kind)
    return stream.getvalue()


def claims(side):
    """A small PNG file whose header claims ``side`` x ``side`` pixels."""
    header = b"IHDR" + struct.pack(">IIBBBBB", side, side, 8, 0, 0, 0, 0)
    return png()[:12] + header + struct.pack(">I", zlib.crc32(header)) + png()[33:]


BAD = {
    "missing": (None, "is missing"),
    "empty": (b"", "cannot be read as a PNG file"),
    "a web page": (b"<html>not found</html>", "cannot be read as a PNG file"),
    "another format": (png(kind="BMP"), "cannot be read as a PNG file"),
    "cut short": (png()[:-20], "is cut short"),
    "cut in its end": (png()[:-1], "is cut short"),
    "its first bytes": (png()[:20], "cannot be read as a PNG file"),
    "wider": (png(size=(65, 64)), "has 65 x 64 pixels, not 64 x 64"),
    "larger": (png(size=(264, 264)), "has 264 x 264 pixels, not 64 x 64"),
    "a claim of 900 megapixels": (claims(30000), "cannot be read as a PNG file"),
    "RGB": (png("RGB"), r"is RGB \(Pillow\'s name\), not grey with 8 bits"),
    "RGBA": (png("RGBA"), r"is RGBA \(Pillow\'s name\), not grey with 8 bits"),
    "palette": (png("P"), r"is P \(Pillow\'s name\), not grey with 8 bits"),
    "grey with alpha": (png("LA"), r"is LA \(Pillow\'s name\), not grey with 8 bits"),
    "16 bits": (png("I;16"), r"is I;16 \(Pillow\'s name\), not grey with 8 bits"),
    "1 bit": (png("1"), r"is 1 \(Pillow\'s name\), not grey with 8 bits"),
    "a hole": (png()[:45] + bytes(8) + png()[53:], "cannot be read as a PNG file"),
}


@pytest.mark.parametrize("case", BAD)
def test_a_bad_file_is_named(tmp_path, case):
    content, said = BAD[case]
    path = tmp_path / "x.png"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(files.DataError, match=f"x.png {said}.*Do this."):
        chestxray_files.read(path, 64, "Do this.")


@pytest.mark.parametrize("case", ["missing", "cut short", "larger", "RGBA", "a hole"])
@pytest.mark.parametrize("source", ["sample", "small"])
def test_a_bad_file_is_named_with_what_to_do(folder, source, case):
    content, said = BAD[case]
    names = [name for name, _ in chestxray_files._sample()][:5]
    if source == "sample":
        at, remedy = chestxray_files._write_sample(), "Delete the folder"
    else:
        at, remedy = folder / "img", "rename the folder to .*img.part and run again"
        at.mkdir(parents=True)
        for name in names:
            (at / name).write_bytes(png())
    paths, digests = chestxray_files.find(source, names)
    assert paths == [str(at / name) for name in names] and (digests.shape, digests.dtype) == ((5, 32), np.uint8)
    (at / names[3]).unlink()
    if content is not None:
        (at / names[3]).write_bytes(content)
    with pytest.raises(files.DataError, match=f"{names[3]} {said}.*{remedy}"):
        chestxray_files.find(source, names)


@pytest.mark.parametrize("part", ["x_train", "x_valid", "x_test"])
def test_a_bad_file_of_any_part_is_named_before_training(folder, part):
    path = getattr(chestxray.load("sample"), part)[-1]
    os.truncate(path, 700)
    with pytest.raises(files.DataError, match=f"{path} is cut short"):
        chestxray.load("sample")


def test_a_folder_in_the_place_of_a_file_is_named(tmp_path):
    with pytest.raises(files.DataError, match="cannot be read as a PNG file.*directory"):
        chestxray_files.read(tmp_path, 64)


@given(st.binary(max_size=80), st.integers(0, 200), st.booleans())
@settings(max_examples=40)
def test_no_bytes_break_the_check(tmp_path_factory, content, start, whole):
    """Any bytes at all, and a good file with other bytes in the middle."""
    path, good = tmp_path_factory.getbasetemp() / "any.png", png()
    changed = good[:start] + content + good[start + len(content) :]
    path.write_bytes(changed if whole else content)
    try:
        assert chestxray_files.read(path, 64).shape == (64, 64) and whole
    except files.DataError as error:
        assert str(error).startswith(f"{path} ")


def test_another_image_in_the_samples_folder_is_refused(folder):
    first, second = chestxray.load("sample").x_train[:2]
    shutil.copy(first, second)
    with pytest.raises(files.DataError, match=f"{second} is not the image of common/data/chestxray.npz. Delete"):
        chestxray.load("sample")


# ---- the 1,000


@real_images
def test_the_1000_are_found(small):
    data = chestxray.load("small")
    assert [len(x) for x in (data.x_train, data.x_valid, data.x_test)] == [712, 94, 194]
    assert data.digest == "8d6788893ee583ad9dcceb276a96ba83e86afe6f1fd7a9f55140854311ff9ec1"
    assert len(data.counted) == 9 and data.x_train[0].startswith(str(small / "img"))
    # eight of Hernia's nine images are of one patient
    assert data.y_train.sum(axis=0).min() >= 5
    assert np.sort(np.concatenate([data.y_valid, data.y_test]).sum(axis=0))[:2].tolist() == [1, 5]


@real_images
def test_the_digest_is_of_pixels_not_of_files(small):
    before = chestxray.load("small")
    path = before.x_test[5]
    image = Image.open(path).copy()
    image.save(path, compress_level=0)
    assert chestxray.load("small").digest == before.digest
    image.putpixel((3, 4), image.getpixel((3, 4)) ^ 1)
    image.save(path)
    assert chestxray.load("small").digest != before.digest


@pytest.mark.skipif(not (REAL / "nih512").exists(), reason="the two larger images are not there")
def test_the_1000_are_means_of_squares():
    """As `_convert` scales. Once scaled already, to 512, the image can be off by a rounding."""
    image = Image.open(REAL / "nih512" / "00000001_000.png").convert("L").resize((64, 64), Image.BOX)
    theirs = np.asarray(Image.open(REAL / "img" / "00000001_000.png")).astype(int)
    assert abs(np.asarray(image) - theirs).max() <= 1


@pytest.mark.skipif(not (REAL / "labels.csv").exists(), reason="no table of labels is there")
def test_a_table_of_labels_made_from_nihs_list_agrees():
    stored = chestxray_files.stored()
    with open(REAL / "labels.csv", newline="") as stream:
        rows = {row["image"]: [int(row[name]) for name in CLASSES] for row in csv.DictReader(stream)}
    assert rows == dict(zip(stored["names"].tolist(), stored["labels"].tolist(), strict=True))


def test_labels_of_the_1000_come_from_this_folder_alone(small):
    (small / "labels.csv").write_text("image\nnonsense\n")
    data, stored = chestxray.load("small"), chestxray_files.stored()
    right = dict(zip(stored["names"].tolist(), stored["labels"].tolist(), strict=True))
    for x, y in [(data.x_train, data.y_train), (data.x_valid, data.y_valid), (data.x_test, data.y_test)]:
        assert [right[os.path.basename(path)] for path in x] == y.tolist()


# ---- NIH's archives in small


@pytest.fixture(scope="module")
def made():
    """40 patients with 80 images of 70 x 70: names, pixels, labels, and the bytes of each PNG file."""
    rng = np.random.default_rng(0)
    names = [f"{patient:08d}_{number:03d}.png" for patient in range(1, 41) for number in range(1 + patient % 3)]
    pixels = {name: rng.integers(0, 256, (70, 70), np.uint8) for name in names}
    labels = np.array([[(finding + row) % 4 == 0 for finding in range(14)] for row in range(len(names))], np.uint8)
    content = {}
    for row, name in enumerate(names):
        stream, image = io.BytesIO(), Image.fromarray(pixels[name])
        (image.convert("RGBA") if row % 7 == 3 else image).save(stream, "PNG", compress_level=1)
        content[name] = stream.getvalue()
    return types.SimpleNamespace(names=names, pixels=pixels, labels=labels, content=content)


def pack(path, content):
    """An archive in NIH's layout; ``content``: {name of a member: bytes}. Returns its line of the table."""
    with tarfile.open(path, "w:gz", compresslevel=0) as tar:
        top = tarfile.TarInfo("images")
        top.type = tarfile.DIRTYPE
        tar.addfile(top)
        for name, raw in content.items():
            member = tarfile.TarInfo(name)
            member.size = len(raw)
            tar.addfile(member, io.BytesIO(raw))
    return path.name, files.file_digest(path, "md5"), path.stat().st_size, len(content)


# In the world below: images that are "small", those that lie in the first archive, and the side of "full" for 264.
SMALL, HALF, SIDE = 55, 60, 66


@pytest.fixture
def nih(tmp_path, made, monkeypatch):
    """NIH in small on a local server: the images above in two archives, and the list.

    ``asked``: the paths that were downloaded; ``rewrite({name: bytes})``: puts another first archive there.
    """
    world, at = types.SimpleNamespace(**vars(made)), tmp_path / "nih"
    at.mkdir()
    rows = [
        "{},{},0,{},57,M,PA".format(
            name, "|".join(of for of, y in zip(CLASSES, labels, strict=True) if y) or "No Finding", int(name[:8])
        )
        for name, labels in zip(made.names, made.labels, strict=True)
    ]
    columns = "Image Index,Finding Labels,Follow-up #,Patient ID,Patient Age,Patient Sex,View Position"
    world.list, world.asked, world.archives, world.at = "\n".join([columns, *rows[::-1], ""]).encode(), [], {}, at
    (at / "list").write_bytes(world.list)
    inside = [("images/" + name, made.content[name]) for name in made.names]
    for archive, part in [("images_001", inside[:HALF]), ("images_002", inside[HALF:])]:
        world.archives[archive] = pack(at / (archive + ".gz"), dict(part))
    world.first = dict(inside[:HALF])

    def rewrite(content):
        world.archives["images_001"] = pack(at / "images_001.gz", content)

    class Handler(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *arguments):
            super().__init__(*arguments, directory=str(at))

        def log_message(self, *_):
            world.asked.append(self.path[1:])

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    world.url, world.rewrite = f"http://127.0.0.1:{server.server_port}/", rewrite
    stored = dict(chestxray_files.stored(), names=np.array(made.names[:SMALL]), labels=made.labels[:SMALL])
    monkeypatch.setattr(chestxray_files, "URL", world.url)
    monkeypatch.setattr(chestxray_files, "LIST_URL", world.url + "list")
    monkeypatch.setattr(chestxray_files, "LIST_SHA256", hashlib.sha256(world.list).hexdigest())
    monkeypatch.setattr(chestxray_files, "ARCHIVES", world.archives)
    monkeypatch.setattr(chestxray_files, "stored", lambda: stored)
    monkeypatch.setitem(chestxray_files.SIDES, "full", SIDE)
    monkeypatch.setattr(chestxray, "PATIENTS", 40)
    monkeypatch.setattr(chestxray, "COUNTED_FROM", 1)
    yield world
    server.shutdown()
    server.server_close()


def scaled(pixels, side, how):
    return np.asarray(Image.fromarray(pixels).resize((side, side), how))


def check_full(nih, data):
    assert [len(x) for x in (data.x_train, data.x_valid, data.x_test)] == np.bincount(
        chestxray.split(chestxray.patients(nih.names))
    ).tolist()
    paths = data.x_train + data.x_valid + data.x_test
    assert sorted(map(os.path.basename, paths)) == nih.names
    y = np.concatenate([data.y_train, data.y_valid, data.y_test])
    for path, labels in zip(paths, y, strict=True):
        name = os.path.basename(path)
        assert (np.asarray(Image.open(path)) == scaled(nih.pixels[name], SIDE, Image.BILINEAR)).all()
        assert labels.tolist() == nih.labels[nih.names.index(name)].tolist()


def check_small(nih, data):
    paths = data.x_train + data.x_valid + data.x_test
    assert sorted(map(os.path.basename, paths)) == nih.names[:SMALL]
    for path in paths:
        pixels = nih.pixels[os.path.basename(path)]
        assert (np.asarray(Image.open(path)) == scaled(pixels, 64, Image.BOX)).all()


def test_the_whole_set_is_downloaded_converted_and_deleted(nih, folder):
    data = chestxray.load("full")
    check_full(nih, data)
    assert nih.asked == ["list", "images_001.gz", "images_002.gz"]
    assert sorted(path.name for path in folder.iterdir()) == [".lock", chestxray_files.LIST, "fetched", "full", "img"]
    assert list((folder / "fetched").iterdir()) == [] and not list(folder.rglob("*.part"))
    assert {"full", "small"} == set(chestxray.FOLDERS) and set(chestxray.FOLDERS.values()) < set(os.listdir(folder))
    assert chestxray.load("full").digest == data.digest and len(nih.asked) == 3
    assert chestxray.fetch() == folder and len(nih.asked) == 3
    few = chestxray.load("full", 20, 3)
    assert few.x_train == data.x_train[:20] and few.x_test == data.x_test[:3]
    assert len(chestxray.load("small").x_train) < SMALL and len(nih.asked) == 3


def test_the_1000_are_made_from_the_first_archive(nih, folder):
    data = chestxray.load("small")
    assert nih.asked == ["images_001.gz"] and list((folder / "fetched").iterdir()) == []
    check_small(nih, data)
    assert chestxray.load("small").digest == data.digest and len(nih.asked) == 1


def test_archives_put_there_by_hand_are_taken_and_stay(nih, folder):
    folder.mkdir(parents=True)
    for archive in nih.archives:
        shutil.copy(nih.at / (archive + ".gz"), folder / (archive + ".tar.gz"))
    (folder / chestxray_files.LIST).write_bytes(nih.list)
    check_full(nih, chestxray.load("full"))
    assert nih.asked == [] and len(list(folder.glob("*.tar.gz"))) == 2


def test_an_altered_archive_is_set_aside_and_fetched_again(nih, folder):
    folder.mkdir(parents=True)
    (folder / "images_001.tar.gz").write_bytes((nih.at / "images_001.gz").read_bytes()[:-1])
    chestxray.load("small")
    assert nih.asked == ["images_001.gz"] and (folder / "images_001.tar.gz.bad1").exists()


@pytest.mark.parametrize("damage", ["altered", "cut short"])
def test_an_altered_list_is_set_aside_and_fetched_again(nih, folder, damage):
    folder.mkdir(parents=True)
    content = nih.list[:-9] if damage == "cut short" else nih.list.replace(b"Hernia", b"Nodule", 1)
    (folder / chestxray_files.LIST).write_bytes(content)
    names, labels = chestxray.listed()
    assert names.tolist() == nih.names and (labels == nih.labels).all() and nih.asked == ["list"]
    assert (folder / (chestxray_files.LIST + ".bad1")).exists()


KILLED = """
import os, signal, sys
from PIL import Image
from common.data import chestxray_files as f

source, wanted = sys.argv[1], set(sys.argv[2:])
f.URL, f.LIST_URL, f.ARCHIVES, f.LIST_SHA256, f.THREADS, f.SIDES["full"] = {world!r}
stored = f.stored()
stored["names"] = stored["names"][:0].astype("U16") if not wanted else f.np.array(sorted(wanted))
f.stored, save, done = lambda: stored, Image.Image.save, []


def kill(image, stream, kind):
    done.append(stream)
    if len(done) == {after}:
        stream.write(b"half a file")
        stream.flush()
        os.kill(os.getpid(), signal.SIGKILL)
    save(image, stream, kind)


Image.Image.save = kill
f.make(source)
"""


@pytest.mark.parametrize("source", ["full", "small"])
def test_a_killed_conversion_goes_on(nih, folder, source):
    """Killed as hard as can be, while it writes; then a power cut spoils a file that was whole."""
    after = 70 if source == "full" else 10
    at = (nih.url, nih.url + "list", nih.archives, chestxray_files.LIST_SHA256, 1, SIDE)
    wanted = nih.names[:SMALL] if source == "small" else []
    if source == "full":
        (folder / "img").mkdir(parents=True)
    command = [sys.executable, "-c", KILLED.format(world=at, after=after), source, *wanted]
    done = subprocess.run(command, cwd=files.FOLDER.parents[1], capture_output=True, check=False)
    assert done.returncode == -9, done.stderr.decode()
    target = folder / ("full/images_002" if source == "full" else "img")
    part = target.with_name(target.name + ".part")
    assert not target.exists() and len(list(part.glob("*.part"))) == 1
    made = {path: path.stat().st_mtime_ns for path in part.glob("*.png")}
    assert len(made) == 9
    spoilt = min(made)
    spoilt.write_bytes(spoilt.read_bytes()[:-5])
    asked = list(nih.asked)
    data = chestxray.load(source)
    assert [one for one in nih.asked[len(asked) :] if one != "list"] == [], "the archives were there already"
    if source == "full":
        check_full(nih, data)
    else:
        check_small(nih, data)
    kept = {path: (target / path.name).stat().st_mtime_ns for path in made}
    assert [path for path in made if kept[path] != made[path]] == [spoilt]
    assert not list(folder.rglob("*.part"))


def test_what_a_killed_download_left_is_deleted(nih, folder):
    (folder / "fetched").mkdir(parents=True)
    (folder / "fetched" / "tmp1a2b3c").write_bytes(b"half an archive")
    chestxray.fetch()
    assert list((folder / "fetched").iterdir()) == []


@pytest.mark.parametrize("damage", ["missing", "cut short"])
def test_a_file_lost_later_is_named_and_made_again(nih, folder, damage):
    before = chestxray.load("full")
    path = folder / "full" / "images_002" / nih.names[70]
    if damage == "missing":
        path.unlink()
    else:
        path.write_bytes(path.read_bytes()[:-30])
    said = "is missing" if damage == "missing" else r"has \d+ bytes, not the \d+ it was made with"
    with pytest.raises(files.DataError, match=f"{path.name} {said}.*--data chestxray"):
        chestxray.load("full")
    assert len(nih.asked) == 3
    chestxray.fetch()
    assert nih.asked[3:] == ["images_002.gz"] and chestxray.load("full").digest == before.digest


def test_a_damaged_manifest_is_made_again(nih, folder):
    before = chestxray.load("full")
    (folder / "full" / "images_001" / "pixels.npz").write_bytes(b"PK\x03\x04 not much")
    assert chestxray.load("full").digest == before.digest and nih.asked[3:] == ["images_001.gz"]


@pytest.mark.parametrize("source", ["full", "small"])
def test_an_archive_without_an_image_of_the_list_is_refused(nih, folder, source):
    del nih.first["images/" + nih.names[2]]
    nih.rewrite(nih.first)
    with pytest.raises(files.DataError, match=nih.names[2]):
        chestxray.load(source)
    assert source == "full" or not (folder / "img").exists()


def test_an_image_that_cannot_be_decoded_is_named(nih, folder):
    nih.rewrite({**nih.first, "images/" + nih.names[2]: nih.content[nih.names[2]][:60]})
    with pytest.raises(
        files.DataError, match=f"{nih.names[2]} in .*images_001.tar.gz is no image that Pillow can read"
    ):
        chestxray.load("small")
    assert not (folder / "img").exists()


def test_an_archive_that_is_no_archive_is_named(nih, folder):
    path = nih.at / "images_001.gz"
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    nih.archives["images_001"] = (path.name, files.file_digest(path, "md5"), 1, 40)
    with pytest.raises(files.DataError, match="images_001.tar.gz cannot be read"):
        chestxray.fetch()


def test_paths_of_an_archive_lead_nowhere(nih, folder, tmp_path):
    """Only the last part of a member's name counts, and only names of the list."""
    outside = {"../../" + name: nih.content[name] for name in nih.names[:SMALL]}
    nih.rewrite({"../../evil.png": png(), "/evil.png": png(), **outside})
    chestxray.load("small")
    assert sorted(path.name for path in (folder / "img").iterdir()) == nih.names[:SMALL]
    assert not list(tmp_path.rglob("evil.png"))


# ---- no disk, no network, not alone


def test_a_small_disk_is_told_before_anything_is_fetched(nih, folder, monkeypatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda _: types.SimpleNamespace(free=int(2e6)))
    for source, needed in [
        ("full", 80 * 73728 + 1000 * 8192 + max(entry[2] for entry in nih.archives.values())),
        ("small", 1000 * 8192),
    ]:
        nih.asked.clear()
        more = nih.archives["images_001"][2] if source == "small" else 0
        with pytest.raises(
            files.DataError, match="GB of disk in .*, where 0.0 GB are free. Free some, or set"
        ) as caught:
            chestxray.load(source)
        assert f"needs {(needed + more) / 1e9:.1f} GB" in str(caught.value)
        assert not [name for name in nih.asked if name != "list"]


@pytest.mark.parametrize(
    "source, archives, needed", [("full", range(12), 12.45e9), ("full", [11], 3.44e9), ("small", [0], 2.017e9)]
)
def test_what_the_real_set_needs(folder, monkeypatch, source, archives, needed):
    jobs = [(source, list(chestxray_files.ARCHIVES)[number], None) for number in archives]
    for free, enough in [(needed * 1.002, True), (needed * 0.998, False)]:
        monkeypatch.setattr(shutil, "disk_usage", lambda _, free=free: types.SimpleNamespace(free=free))
        if enough:
            chestxray_files._check_room(source, jobs)
        else:
            with pytest.raises(files.DataError, match="images, and NIH's archives one at a time"):
                chestxray_files._check_room(source, jobs)


def test_archives_that_are_there_need_no_room(folder, monkeypatch):
    folder.mkdir(parents=True)
    for archive in chestxray_files.ARCHIVES:
        (folder / (archive + ".tar.gz")).write_bytes(b"")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: types.SimpleNamespace(free=8.3e9))
    chestxray_files._check_room("full", [("full", archive, None) for archive in chestxray_files.ARCHIVES])


def test_the_room_of_an_image_is_enough_for_noise():
    for source, room in chestxray_files.ROOM.items():
        side = chestxray_files.SIDES[source]
        stream = io.BytesIO()
        Image.fromarray(np.random.default_rng(0).integers(0, 256, (side, side), np.uint8)).save(stream, "PNG")
        assert room - 4096 < -(-len(stream.getvalue()) // 4096) * 4096 <= room


@pytest.mark.parametrize("what", ["an image", "the list of images", "a download"])
def test_a_disk_that_is_full_after_all_is_told(nih, folder, monkeypatch, what):
    def full(*_, **__):
        raise OSError(errno.ENOSPC, "No space left on device")

    owner, name = {
        "an image": (Image.Image, "save"),
        "the list of images": (np, "savez"),
        "a download": (tempfile, "NamedTemporaryFile"),
    }[what]
    monkeypatch.setattr(owner, name, full)
    said = "could not download" if what == "a download" else "cannot write .*: what is made is kept"
    with pytest.raises(files.DataError, match=said) as caught:
        chestxray.load("full" if what == "the list of images" else "small")
    assert "No space left on device" in str(caught.value) and str(folder) in str(caught.value)
    assert not (folder / "full" / "images_001").exists()
    assert what == "the list of images" or not (folder / "img").exists()


@pytest.mark.parametrize(
    "source, wanted",
    [
        ("full", r"put Data_Entry_2017_v2020.csv and images_001.tar.gz to images_012.tar.gz \(45.1 GB\) from https"),
        ("small", r"put images_001.tar.gz \(2.0 GB\) from https"),
    ],
)
def test_without_a_network_it_says_what_to_put_where(folder, source, wanted):
    with pytest.raises(files.DataError, match=f"could not download .*127.0.0.1.*Without a network: {wanted}") as caught:
        chestxray.load(source)
    assert chestxray_files.PAGE in str(caught.value) and str(folder) in str(caught.value)


def test_without_a_network_it_says_which_archives(nih, folder, monkeypatch):
    monkeypatch.setattr(chestxray_files, "URL", NOWHERE)
    with pytest.raises(
        files.DataError, match=r"put images_001.tar.gz to images_012.tar.gz \(45.1 GB\) from https.* into .*"
    ):
        chestxray.fetch()


def test_two_processes_do_not_convert_at_once(nih, folder):
    with files.alone(folder):
        for source in ("full", "small"):
            with pytest.raises(files.DataError, match="another process fetches or converts into .*: wait"):
                chestxray.load(source)
    chestxray.load("small")


def test_the_table_of_archives_is_the_published_one():
    assert chestxray_files.SIDES == {"full": 264, "small": 64, "sample": 64}
    table = chestxray_files.ARCHIVES
    assert [*table] == [f"images_{number:03d}" for number in range(1, 13)]
    links, sums, sizes, counts = zip(*table.values(), strict=True)
    assert sum(counts) == 112120 and round(sum(sizes) / 1e6) + 9 == chestxray.DOWNLOAD_MB
    assert (
        len({*links}) == len({*sums}) == 12
        and {len(md5) for md5 in sums} == {32}
        and {len(link) for link in links} == {35}
    )
