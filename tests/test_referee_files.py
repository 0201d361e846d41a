"""The referee of lessons that read files: what it notices of a loader, a score, an adapter."""

import multiprocessing
import os
import signal
import threading
import time
import types

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from referee.adapters import AdapterError
from referee.files import augmentation, images, workers
from referee.files.adapters import FileAdapters
from referee.files.images import ImageReference
from referee.files.score import area

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
        batches=lambda paths, y, training: [(x, Y)],
        score=lambda y, probabilities: {"Mass": 0.5},
        shared=False,
        devices=lambda x, y: {"w": w},
        train_devices=lambda x, y, order, size: [0.5],
    )
    right.update(changes)
    check = types.SimpleNamespace(**{name: one for name, one in right.items() if one is not None})
    return FileAdapters(check, "checks/one.py", "one.ipynb", REFERENCE)


PATHS, Y, P = ["a.png"] * 4, np.zeros((4, 14)), np.zeros((4, 14))


def test_right_adapters_give_what_they_say():
    found = adapters()
    assert set(found.read()) == {"w", "mean"} and set(found.gradients(None, None)) == {"w"}
    assert list(found.train_files(PATHS, Y, 2, 2)) == [0.5, 0.4] and list(found.train_devices(0, 0, 0, 4, 1)) == [0.5]
    assert found.score(Y, P, ["Mass"]) == {"Mass": 0.5} and len(found.batches(PATHS, Y, True)) == 1


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
        ({"batches": lambda *_: [1]}, lambda a: a.batches(PATHS, Y, True), "of each mini-batch"),
        ({"batches": lambda *_: [(np.zeros((4, 5, 5, 3)), Y)]}, lambda a: a.batches(PATHS, Y, True), r"\(n, 3, H, W\)"),
        (
            {"batches": lambda *_: [(np.zeros((3, 3, 5, 5)), Y[:3])]},
            lambda a: a.batches(PATHS, Y, True),
            "each file once",
        ),
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
