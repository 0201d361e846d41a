"""The referee of lessons that read files: what it notices of a loader, a score, an adapter."""

import itertools
import multiprocessing
import os
import re
import signal
import threading
import time
import tracemalloc
import types
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from referee.adapters import AdapterError
from referee.files import augmentation, images, prove, session, workers
from referee.files.adapters import FileAdapters
from referee.files.images import ImageReference
from referee.files.score import area
from referee.lesson import LessonError

REFERENCE = types.SimpleNamespace(
    spec={"tensors": [["w", [2, 3], "zeros"]], "statistics": [["mean", [3], "zeros"]]}, y=np.zeros((4, 14))
)
SIZE, SPARE = 32, 8


# ---- crops and flips


def epochs(rng, plant=""):
    """What right loaders give, or with a mistake: for each epoch its mini-batches (files, top, left, flipped)."""
    found, first = [], None
    for _ in range(augmentation.EPOCHS):
        count = augmentation.FILES
        files, draws = rng.permutation(count), [rng.integers(kinds, size=count) for kinds in (SPARE + 1, SPARE + 1, 2)]
        if plant == "one crop for a batch":
            draws = [values[np.arange(count) // SIZE] for values in draws]
        if plant == "workers that share a seed, image by image":
            draws = [values[np.arange(count) // 2] for values in draws]
        if plant == "workers that share a seed, batch by batch":
            draws = [values[np.arange(count) // (2 * SIZE) * SIZE + np.arange(count) % SIZE] for values in draws]
        if plant == "never mirrored":
            draws[2][:] = 0
        if plant == "always the middle":
            draws[0][:] = draws[1][:] = SPARE // 2
        if plant == "the last offset left out":
            draws[0] %= SPARE
        if plant == "mirrored where the crop is low":
            draws[2] = (draws[0] > SPARE // 2).astype(int)
        first = first or (files, draws)
        if plant == "the same in every epoch":
            draws = first[1]
        if plant == "the same crop of a file in every epoch":
            draws = [values[np.argsort(first[0])][files] for values in first[1]]
        found.append([tuple(one[k : k + SIZE] for one in (files, *draws)) for k in range(0, count, SIZE)])
    return found


def worst(plant, seed):
    return max(map(abs, augmentation.deviates(epochs(np.random.default_rng(seed), plant), SPARE).values()))


def test_right_loaders_are_within_the_bound():
    assert max(worst("", seed) for seed in range(60)) < augmentation.BOUND


@pytest.mark.parametrize(
    "plant",
    [
        "one crop for a batch",
        "workers that share a seed, image by image",
        "workers that share a seed, batch by batch",
        "never mirrored",
        "always the middle",
        "the last offset left out",
        "mirrored where the crop is low",
        "the same in every epoch",
        "the same crop of a file in every epoch",
    ],
)
def test_a_loader_with_a_mistake_is_far_beyond_the_bound(plant):
    assert min(worst(plant, seed) for seed in range(8)) > 2 * augmentation.BOUND


def test_coded_files_tell_crop_and_flip_and_what_is_neither(tmp_path):
    paths, findings = augmentation.write_files(str(tmp_path))
    whole = images.normalized(images.grey(paths[:4]))
    assert (findings[200] * 2 ** np.arange(14)).sum() == 200
    for top, left, flip in ((0, 0, 0), (8, 3, 1), (5, 8, 0)):
        crop = whole[:, :, top : top + 56, left : left + 56]
        found = augmentation.read(crop[..., ::-1] if flip else crop, 56)
        assert [values[0] for values in found[:3]] == [top, left, flip] and found[3] == ""
    crop = whole[:, :, :56, :56]
    wrong = {
        "56 x 40": (crop[..., :40], "images of 56 x 40 pixels; CROP is 56"),
        "turned": (crop.swapaxes(2, 3), "no crop"),
        "normalized twice": ((crop - 0.45) / 0.225, "no normalized pixels"),
        "upside down": (crop[:, :, ::-1], "no crop"),
        "one colour alone": (crop * np.array([1, 0, 0]).reshape(3, 1, 1), "no normalized pixels"),
        "scaled": (np.roll(crop, 3, axis=3), "no crop"),
    }
    for given, said in wrong.values():
        assert said in augmentation.read(given, 56)[3]


# ---- the area under a curve


def test_an_area_is_scikit_learns_also_with_ties():
    rng = np.random.default_rng(1)
    for _ in range(20):
        truth, scores = rng.integers(0, 2, 50), rng.integers(0, 6, 50) / 5
        assert area(truth, scores) == pytest.approx(roc_auc_score(truth, scores), abs=1e-12)
    assert area([0, 1], [0.5, 0.5]) == 0.5


def test_an_area_of_one_kind_alone_is_refused():
    with pytest.raises(ValueError, match="with the finding and samples without it"):
        area([1, 1], [0.2, 0.3])


# ---- adapters


def adapters(**changes):
    """FileAdapters of a check that is right but for the changes; None: it lacks that one."""
    w, x = np.zeros((2, 3)), np.zeros((4, 3, 5, 5))
    right = dict.fromkeys(FileAdapters.REQUIRED, lambda *_: 0.0)
    right.update(
        variance="biased",
        tensors=lambda x, y: (x, y),
        read=lambda: {"w": w, "mean": np.zeros(3)},
        gradients=lambda x, y: {"w": w},
        train_files=lambda paths, y: [0.5, 0.4],
        predict=lambda x: np.full((4, 14), 0.5),
        predict_files=lambda paths, y: np.full((4, 14), 0.5),
        batches=lambda paths, y, training: [(x, Y)],
        as_arrays=lambda x, y: (x, y),
        score=lambda y, probabilities: {"Mass": 0.5},
        shared=False,
        devices=lambda x, y: {"w": w},
        train_devices=lambda x, y, order, size: [0.5],
    )
    right.update(changes)
    check = types.SimpleNamespace(**{name: one for name, one in right.items() if one is not None})
    return FileAdapters(check, "checks/one.py", "one.ipynb", REFERENCE)


PATHS, Y, P = ["a.png"] * 4, np.zeros((4, 14)), np.zeros((4, 14))


def undefined():
    """A generator in whose lesson a name is lacking: it says so only when it runs."""
    raise NameError("name 'loader' is not defined")
    yield


def whole(given):
    """All mini-batches of one pass."""
    return list(given.batches(PATHS, Y, True))


def test_right_adapters_give_what_they_say():
    found = adapters()
    assert set(found.read()) == {"w", "mean"} and set(found.gradients(None, None)) == {"w"}
    assert list(found.train_files(PATHS, Y, 2, 2)) == [0.5, 0.4] and list(found.train_devices(0, 0, 0, 4, 1)) == [0.5]
    assert found.score(Y, P, ["Mass"]) == {"Mass": 0.5} and len(list(found.batches(PATHS, Y, True))) == 1
    assert found.predict_files(PATHS, Y).shape == (4, 14) and found.count_loaded(PATHS, Y) == 4


@pytest.mark.parametrize(
    ("changes", "use", "said"),
    [
        ({"batches": None}, lambda a: a, "lacks the adapter batches"),
        ({"score": None, "predict": None}, lambda a: a, "lacks the adapter predict, score"),
        ({"variance": None}, lambda a: a, '"biased" or "unbiased"'),
        ({"shared": None}, lambda a: a, "whether devices share"),
        ({"gradients": lambda x, y: {}}, lambda a: a.gradients(0, 0), "no tensor w"),
        ({"devices": lambda x, y: {"w": np.zeros(3)}}, lambda a: a.on_devices(0, 0), "shape"),
        ({"predict": lambda x: np.full((4, 14), 1.5)}, lambda a: a.predict(0, 4), "probabilities"),
        ({"predict": lambda x: np.full((3, 14), 0.5)}, lambda a: a.predict(0, 4), r"\(3, 14\)"),
        ({"predict": lambda x: np.full((4, 14), np.nan)}, lambda a: a.predict(0, 4), "predict"),
        ({"train_files": lambda paths, y: [0.5]}, lambda a: a.train_files(PATHS, Y, 2, 2), "1 losses"),
        ({"predict_files": lambda *_: np.full((3, 14), 0.5)}, lambda a: a.predict_files(PATHS, Y), "predict_files"),
        ({"batches": lambda *_: [1]}, whole, "of each mini-batch"),
        ({"batches": lambda *_: [(1, 2)]}, whole, "of each mini-batch"),
        ({"batches": lambda *_: [(np.zeros((4, 3, 5, 5)), Y[:3])]}, whole, "4 images and 3 rows of findings"),
        ({"batches": lambda *_: [(np.zeros((4, 5, 5, 3)), Y)]}, whole, r"\(n, 3, H, W\)"),
        ({"as_arrays": lambda x, y: x}, whole, "as_arrays"),
        ({"batches": lambda *_: [(np.zeros((3, 3, 5, 5)), Y[:3])]}, whole, "each file once"),
        (
            {"batches": lambda *_: [(np.zeros((3, 3, 5, 5)), Y[:3])]},
            lambda a: a.count_loaded(PATHS, Y),
            "3 images; expected: 4, each file once",
        ),
        ({"batches": lambda *_: itertools.repeat((np.zeros((4, 3, 5, 5)), Y), 99)}, whole, "each file once"),
        ({"batches": lambda *_: undefined()}, whole, "one.ipynb must define it"),
        ({"score": lambda *_: 0.5}, lambda a: a.score(Y, P, ["Mass"]), "1 areas by finding: Mass"),
        ({"score": lambda *_: {"Mass": np.nan}}, lambda a: a.score(Y, P, ["Mass"]), "score"),
        (
            {"train_devices": None},
            lambda a: a.require("train_devices", "the row"),
            "train_devices, which the row needs",
        ),
    ],
)
def test_a_wrong_adapter_is_named_with_its_file(changes, use, said):
    with pytest.raises(AdapterError, match=said) as raised:
        use(adapters(**changes))
    assert "checks/one.py" in str(raised.value)


def wait(seconds):
    time.sleep(seconds)
    return seconds


def test_a_killed_worker_ends_the_run_with_its_reason():
    """A pool, such as Chainer's and Gluon's loaders have, would wait for its result for ever."""
    context = multiprocessing.get_context("fork")
    with context.Pool(2) as pool:
        results = pool.map_async(wait, [60, 60])
        threading.Timer(0.5, os.kill, (workers.children()[-1], signal.SIGKILL)).start()
        with pytest.raises(workers.WorkerKilled, match="killed by SIGKILL"), workers.watched():
            results.get(timeout=20)


def test_workers_that_end_by_themselves_or_are_ended_are_no_matter():
    context = multiprocessing.get_context("fork")
    with workers.watched():
        with context.Pool(2) as pool:  # leaving it terminates the workers
            assert pool.map(wait, [0.01] * 4) == [0.01] * 4
        context.Process(target=wait, args=(0.01,)).start()
        slow = [context.Process(target=wait, args=(60,)) for _ in range(2)]
        for process in slow:  # as Grain does with workers that do not end
            process.start()
            process.kill()
        slow[0].join()
        time.sleep(0.2)
    slow[1].join()
    assert signal.getsignal(signal.SIGCHLD) == signal.SIG_DFL


# ---- the timed run: an epoch of large images is more than memories hold

SAMPLES, BATCH, CROP = 3000, 32, 16
IMAGES = BATCH * 3 * CROP * CROP * 4  # bytes of a mini-batch
CLASSES = ["Mass", "Hernia"]


def peak(work):
    """The most bytes that Python and NumPy held meanwhile."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def loader(paths, y, training):
    """A pass of float32 images, made when they are asked for."""
    for start in range(0, len(paths), BATCH):
        count = min(BATCH, len(paths) - start)
        yield np.zeros((count, 3, CROP, CROP), np.float32), y[start : start + count]


def refuse(*_):
    raise AssertionError("must not be called")


def run(source, devices=1, **changes):
    """A Session that has measured such a check, with SAMPLES files that do not exist."""
    found, rng = object.__new__(session.Session), np.random.default_rng(1)
    found.job = {"source": source, "devices": devices, "seconds": 0}
    given = {"BATCH_SIZE": BATCH, "EPOCHS": 2, "SEED": 1, "CROP": CROP}
    found.lesson = types.SimpleNamespace(given=given, rerun=lambda: None)
    found.reference = types.SimpleNamespace(start=dict)
    y = rng.integers(0, 2, (SAMPLES, 14)).astype(np.float32)
    parts = {
        name + "_" + part: one
        for part in ("train", "valid", "test")
        for name, one in (("x", PATHS[:1] * SAMPLES), ("y", y))
    }
    found.data = types.SimpleNamespace(classes=CLASSES, counted=CLASSES[:1], **parts)
    found.adapters, found.look = lambda: adapters(load=lambda weights: None, **changes), lambda given: None
    found.measure()
    return found


def steps(order, size=BATCH):
    return np.zeros(-(-len(order) // size))


def test_a_pass_of_the_loader_holds_few_mini_batches():
    paths, y = PATHS[:1] * SAMPLES, np.zeros((SAMPLES, 14), np.float32)
    given = adapters(batches=loader)
    assert peak(lambda: given.count_loaded(paths, y)) < 4 * IMAGES
    assert peak(lambda: [None for _ in given.batches(paths, y, True)]) < 8 * IMAGES  # a float64 copy of each


def test_a_run_on_files_converts_and_keeps_none_of_their_images():
    seen = []

    def train_files(paths, y):
        seen.append(len(paths))
        return steps(paths)

    def predict_files(paths, y):
        seen.append(("predicted", len(paths)))
        return np.full((len(paths), 14), 0.5)

    def measure():
        found.append(run("files", train_files=train_files, predict_files=predict_files, batches=loader, **forbidden))

    found, forbidden = [], dict.fromkeys(("tensors", "as_arrays", "train", "predict"), refuse)
    held = peak(measure)
    assert seen == [BATCH, SAMPLES - BATCH, SAMPLES, ("predicted", 2 * SAMPLES)]
    assert len(found[0].timer.seconds["loading"]) == session.LOADED
    assert held < SAMPLES / BATCH * IMAGES / 2, "an epoch's images are never in memory at once"


@pytest.mark.parametrize("devices", [1, 2])
def test_random_images_are_few_and_an_epoch_has_as_many_steps_as_before(devices):
    drawn, orders = [], []

    def tensors(x, y):
        drawn.append((x.shape, x.dtype, len(y)))
        return x, y

    def train(x, y, order, size=BATCH):
        orders.append(order)
        return steps(order, size)

    forbidden = dict.fromkeys(("batches", "train_files", "predict_files", "predict"), refuse)
    found = run("memory", devices, tensors=tensors, train=train, train_devices=train, **forbidden)
    assert drawn == [((session.DRAWN, 3, CROP, CROP), np.float32, session.DRAWN)]
    assert len(found.timer.losses) == 2 * -(-SAMPLES // (devices * BATCH)) and sum(map(len, orders)) == 2 * SAMPLES
    epoch = np.bincount(orders[-1])
    assert len(epoch) == session.DRAWN and set(epoch) == {2, 3}, "3,000 samples go over 1,024 images"


def test_random_images_are_not_more_than_the_files(monkeypatch):
    found = []

    def train(x, y, order):
        found.append((len(x), max(order)))
        return steps(order)

    monkeypatch.setattr(session, "DRAWN", 2 * SAMPLES)
    run("memory", tensors=lambda x, y: (x, y), train=train)
    assert {count for count, _ in found} == {SAMPLES} and max(last for _, last in found) == SAMPLES - 1


class Gathered:
    """Images of which it remembers how many were gathered at once."""

    device = "cpu"

    def __init__(self):
        self.counts = []

    def __getitem__(self, places):
        self.counts.append(len(places))
        return list(places)


@pytest.mark.parametrize("framework", ["chainer", "jax", "pytorch"])
def test_a_check_gathers_no_more_than_a_mini_batch(framework):
    """Those whose checks need no framework to be executed, but PyTorch's."""
    torch = pytest.importorskip("torch") if framework == "pytorch" else None
    file = Path(__file__).parents[1] / "notebooks" / "densenet_chestxray" / "checks" / (framework + ".py")
    trained = []

    def train_epoch(model, optimizer, batches):
        trained.extend(list(x) for x, *_ in batches)
        return types.SimpleNamespace(cpu=lambda: None)

    space = dict(np=np, torch=torch, BATCH_SIZE=BATCH, model=None, optimizer=None, train_epoch=train_epoch)
    exec(compile(file.read_text(), str(file), "exec"), space)
    x, order = Gathered(), np.random.default_rng(1).permutation(SAMPLES) % 100
    space["check"].train(x, x, order)
    assert max(x.counts) == BATCH and len(trained) == -(-SAMPLES // BATCH)
    if framework != "chainer":  # its mini-batches are lists of (image, findings)
        assert [int(k) for batch in trained for k in batch] == order.tolist()


# ---- the proof of a loader


def test_the_loaders_proof_looks_at_each_mini_batch_beside_its_own_files(tmp_path):
    paths, y = augmentation.write_files(str(tmp_path))
    low = (augmentation.SIDE - prove.CROP) // 2

    def batches(paths, y, training):
        for start in range(0, len(paths), BATCH):
            part = images.normalized(images.grey(paths[start : start + BATCH]))
            yield part[:, :, low : low + prove.CROP, low : low + prove.CROP], y[start : start + BATCH]

    def late(change):
        """The loader with a mistake in its third mini-batch."""

        def found(*given):
            for number, (x, findings) in enumerate(batches(*given)):
                yield change(x, findings) if number == 2 else (x, findings)

        return found

    def said(loader):
        lesson = types.SimpleNamespace(rerun=lambda *_, **__: None)
        given = types.SimpleNamespace(
            lesson=lesson, adapters=adapters(batches=loader), proof=prove.FileProof.__new__(prove.FileProof)
        )
        given.data, found = types.SimpleNamespace(x_test=paths, y_test=y), []
        given.proof.add = lambda part, error, bound, where, text: found.append((error <= bound, text))
        prove.FileProver.loader(given)
        return found[0]

    assert said(batches)[0]
    for change, text in (
        (lambda x, y: (x + 1e-3, y), r"pixels of file (6[4-9]|[78]\d|9[0-5]): off by 0.001 "),
        (lambda x, y: (x, np.roll(y, 1, axis=0)), "findings of file 64 are another's"),
        (lambda x, y: (x[..., 1:], y), "CROP is 56"),
    ):
        right, found = said(late(change))
        assert not right and re.search(text, found), found
    with pytest.raises(AdapterError, match="each file once"):
        said(lambda *given: list(batches(*given))[:-1])


# ---- the reference


def test_the_reference_has_two_kinds_of_statistics_and_gradients():
    reference = ImageReference("densenet_chestxray")
    assert reference.x.shape == (164, 3, 64, 64) and len(reference.parts) == 21
    assert len(reference.start()) == 606 and len(reference.weights()) == 364
    assert all(np.isfinite(values).all() for values in reference.results.values())
    assert reference.results["loss_bounds"].shape == (21,) and reference.results["loss_bounds"].max() < 1e-3
    for key in ("running.mean", "running.biased", "running.unbiased", "whole.gradients", "halves.gradients"):
        assert np.all(reference.results[key + "_bound"] > 0), key
    whole, halves = (reference.results[key + ".gradients"] for key in ("whole", "halves"))
    assert np.median(np.abs(whole - halves) / np.abs(whole)) > 0.1, "one reference would do for both"


# ---- what a lesson's own run came to


def judged(losses=(0.9, 0.8, 0.7, 0.6), shown=1.0):
    """The measured mean area of a run of two epochs of four files in mini-batches of two; its model is always right."""
    truth = np.zeros((3, 2))
    truth[:2, 0] = truth[0, 1] = 1
    found = object.__new__(session.Session)
    found.lesson = types.SimpleNamespace(
        name="one.ipynb",
        given={"EPOCHS": 2, "BATCH_SIZE": 2},
        history=lambda *_: (len(losses), np.array(losses), shown),
    )
    files = types.SimpleNamespace(
        x_train=["t"] * 4, x_valid=["a"], x_test=["b", "c"], y_valid=truth[:1], y_test=truth[1:]
    )
    files.classes, files.counted = ["Mass", "Edema"], ["Mass", "Edema"]
    found.data, found.look, found.measured = files, lambda _: None, {}
    found.adapters = lambda: types.SimpleNamespace(predict_files=lambda paths, findings: findings)
    found.judge()
    return found.measured["mean area"]


def test_a_run_on_files_is_judged_by_its_own_models_areas():
    assert judged() == ("", [1.0]) == judged(losses=(0.9, 0.6))  # a loss for each epoch, or for each step


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"losses": (0.9, 0.8, 0.7)}, "its history holds 3 losses; the settings promise 4"),
        ({"losses": (0.9, 0.8, np.nan, 0.7)}, "all finite"),
        ({"losses": (0.6, 0.7, 0.8, 0.9)}, "its loss did not fall"),
        ({"shown": 0.99}, "ends with a mean area of 0.9900; its model has 1.0000"),
    ],
)
def test_what_a_lesson_on_files_shows_is_counted(wrong, said):
    with pytest.raises(LessonError, match=said):
        judged(**wrong)
