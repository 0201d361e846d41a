"""common/: batches, clocks, parameters, data files, records."""

import ast
import io
import json
import subprocess
import tarfile
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from common import batches, datasets, parameters, record, timing
from common.reference import REFERENCES
from runner import environments
from tests import kernels

ROOT = Path(__file__).resolve().parent.parent


@pytest.mark.parametrize("path", sorted((ROOT / "common").glob("*.py")), ids=lambda p: p.name)
def test_common_is_python_3_6_syntax(path):
    ast.parse(path.read_text(), feature_version=(3, 6))


# ---- batches


@given(st.integers(1, 500), st.integers(1, 70), st.integers(0, 99), st.integers(0, 5))
def test_an_epoch_is_every_sample_once(samples, batch_size, seed, epoch):
    cuts = list(batches.batch_indices(samples, batch_size, seed, epoch))
    assert sorted(np.concatenate(cuts)) == list(range(samples))
    assert {len(cut) for cut in cuts[:-1]} <= {batch_size}
    assert len(cuts[-1]) == (samples % batch_size or batch_size), "the last partial batch is kept"
    again = list(batches.batch_indices(samples, batch_size, seed, epoch))
    assert all((a == b).all() for a, b in zip(cuts, again, strict=True))


def test_samples_are_shuffled_and_epochs_differ():
    first, second = [np.concatenate(list(batches.batch_indices(640, 64, 1, epoch))) for epoch in (0, 1)]
    assert (first != second).any()
    assert max(np.diff(np.sort(first[:64]))) > 1, "samples are shuffled, not batches"


def test_taking_batches_costs_less_than_a_hundredth_of_the_fastest_step():
    x = np.zeros((5000, 32, 32, 3), np.float32)
    costs = []
    for epoch in range(5):
        start = time.perf_counter()
        count = sum(1 for cut in batches.batch_indices(len(x), 64, 1, epoch) if x[cut].flags.c_contiguous)
        costs.append((time.perf_counter() - start) / count)
    # On two cores no framework's step takes less than 60 ms: the arithmetic alone needs that at 400 GFLOP/s.
    assert min(costs) < 0.01 * 0.060


@pytest.mark.parametrize("samples, size", [(0, 4), (4, 0), (-1, 4)])
def test_batches_of_nothing_are_refused(samples, size):
    with pytest.raises(ValueError, match="at least 1"):
        list(batches.batch_indices(samples, size, 0, 0))


# ---- timing


def test_the_first_step_is_timed_apart_and_the_device_is_synchronised(monkeypatch):
    calls, clock = [], [0.0]
    monkeypatch.setattr(timing.time, "perf_counter", lambda: clock[0])
    timer = timing.Timer(lambda: calls.append(1))
    for number in timer.epoch(range(4)):
        clock[0] += 5.0 if number == 0 else 1.0
    for _ in timer.epoch(range(4)):
        clock[0] += 1.0
    assert timer.seconds == {"first step": [5.0], "epoch": [3.0, 4.0]}
    assert len(calls) == 5, "at both ends of each epoch, and after the first step"


def test_a_phase_waits_for_the_device():
    timer = timing.Timer(lambda: time.sleep(0.02))
    with timer.phase("data"):
        pass
    assert timer.seconds["data"][0] >= 0.02


# ---- parameters


@pytest.mark.parametrize("name, value", [
    ("BATCH_SIZE", 0), ("BATCH_SIZE", 2.5), ("EPOCHS", -1), ("LEARNING_RATE", 0), ("LEARNING_RATE", float("nan")),
    ("MOMENTUM", 1.0), ("DATA", "all"), ("DEVICE", "tpu"), ("PRECISION", "fp8"), ("THREADS", -1), ("COMPILE", 1),
])
def test_a_parameter_out_of_range_is_named(name, value):
    with pytest.raises(parameters.ParameterError, match=f"^{name} is .*must be"):
        parameters.settings({name: value})


def test_settings_are_the_capitals():
    names = {"BATCH_SIZE": 64, "x": 1, "_OLD": 2, "Model": 3, "F": json}
    assert parameters.settings(names) == {"BATCH_SIZE": 64}
    with pytest.raises(parameters.ParameterError, match="tf32"):
        parameters.settings({"PRECISION": "tf32", "DEVICE": "cpu"})


# ---- data


def cifar_files(folder, number_altered=0):
    """Six files of the right shape under `folder`, and their md5s."""
    folder.mkdir(parents=True)
    rng, sums = np.random.default_rng(0), {}
    for name in datasets.CIFAR10_MD5:
        raw = rng.integers(0, 10, (10000, 3073), np.uint8)
        raw.tofile(folder / name)
        sums[name] = datasets.file_digest(folder / name, "md5")
    return sums


@pytest.fixture
def full(tmp_path, monkeypatch):
    """A data directory with a whole set, and no network."""
    files = tmp_path / "cifar10" / "cifar-10-batches-bin"
    sums = cifar_files(files)
    monkeypatch.setenv("ROSETTA_DATA", str(tmp_path))
    monkeypatch.setattr(datasets, "CIFAR10_MD5", sums)
    monkeypatch.setattr(datasets, "CIFAR10_URL", "http://127.0.0.1:9/cifar-10-binary.tar.gz")
    return files


def archive(path, files):
    with tarfile.open(path, "w:gz", compresslevel=0) as tar:
        tar.add(files, "cifar-10-batches-bin")
    return path


def test_the_sample_is_real_and_its_digest_steady():
    data = datasets.cifar10("sample", 1280, 250)
    assert data.x_train.shape == (1280, 3, 32, 32) and data.x_train.dtype == np.float32
    assert 0 <= data.x_train.min() and data.x_train.max() == 1
    assert list(np.bincount(data.y_test, minlength=10) > 10) == [True] * 10
    assert data.digest == datasets.cifar10("sample", 1280, 250).digest != datasets.cifar10("sample", 1279, 250).digest


def test_the_whole_set_is_found_in_the_data_directory(full):
    data = datasets.cifar10("full")
    assert data.x_train.shape == (50000, 3, 32, 32) and data.x_test.shape == (10000, 3, 32, 32)
    raw = np.fromfile(full / "data_batch_2.bin", np.uint8).reshape(-1, 3073)
    assert data.y_train[10000] == raw[0, 0] and data.x_train[10000, 2, 31, 31] == np.float32(raw[0, -1]) / np.float32(255)


@pytest.mark.parametrize("damage", ["truncated", "altered"])
def test_a_bad_file_is_named_set_aside_and_not_used(full, damage):
    path = full / "data_batch_3.bin"
    content = path.read_bytes()
    path.write_bytes(content[:-100] if damage == "truncated" else bytes([content[0] ^ 1]) + content[1:])
    with pytest.raises(datasets.DataError, match=r"could not download.*127\.0\.0\.1.*data_batch_3\.bin\.bad1"):
        datasets.cifar10("full")
    assert (full / "data_batch_3.bin.bad1").exists() and not path.exists()


def test_a_bad_file_is_fetched_again(full, tmp_path, monkeypatch):
    whole = archive(tmp_path / "whole.tar.gz", full)
    (full / "test_batch.bin").write_bytes(b"cut short")
    monkeypatch.setattr(datasets, "fetch", lambda *_: whole.rename(tmp_path / "cifar-10-binary.tar.gz"))
    assert datasets.cifar10("full").x_test.shape == (10000, 3, 32, 32)
    assert (full / "test_batch.bin.bad1").read_bytes() == b"cut short"


def test_without_a_network_it_says_what_from_where_and_by_hand(tmp_path, monkeypatch):
    monkeypatch.setenv("ROSETTA_DATA", str(tmp_path / "nowhere"))
    monkeypatch.setattr(datasets, "CIFAR10_URL", "http://127.0.0.1:9/cifar-10-binary.tar.gz")
    with pytest.raises(datasets.DataError) as caught:
        datasets.cifar10("full")
    for part in ("http://127.0.0.1:9/cifar-10-binary.tar.gz", "nowhere", "ROSETTA_DATA", "data_batch_1.bin"):
        assert part in str(caught.value)


def test_more_samples_than_there_are_is_refused():
    with pytest.raises(datasets.DataError, match="1 to 1280"):
        datasets.cifar10("sample", 1281, 250)


@pytest.mark.parametrize("name, kind", [
    ("../outside.bin", tarfile.REGTYPE), ("/outside.bin", tarfile.REGTYPE), ("inside/link", tarfile.SYMTYPE),
])
def test_an_archive_that_leaves_its_folder_is_refused(tmp_path, name, kind):
    path = tmp_path / "evil.tar"
    with tarfile.open(path, "w") as tar:
        good = tarfile.TarInfo("good.bin")
        good.size = 4
        tar.addfile(good, io.BytesIO(b"good"))
        bad = tarfile.TarInfo(name)
        bad.type, bad.linkname = kind, "/etc/passwd"
        tar.addfile(bad)
    with pytest.raises(datasets.DataError, match="nothing was unpacked"):
        datasets.unpack(path, tmp_path / "target")
    assert sorted(p.name for p in tmp_path.rglob("*")) == ["evil.tar"]


def test_a_truncated_archive_is_an_error_of_ours(tmp_path):
    path = tmp_path / "cut.tar.gz"
    path.write_bytes(b"\x1f\x8b\x08\x00 not much of an archive")
    with pytest.raises(datasets.DataError, match="cannot be unpacked"):
        datasets.unpack(path, tmp_path / "target")


# ---- records


def test_a_record_is_written_whole_or_not_at_all(tmp_path):
    path = tmp_path / "deep" / "record.json"
    record.write_json(path, {"loss": 1.5})
    assert json.loads(path.read_text()) == {"loss": 1.5}
    with pytest.raises(ValueError):
        record.write_json(path, {"loss": float("nan")})
    assert json.loads(path.read_text()) == {"loss": 1.5}
    with pytest.raises(TypeError):
        record.write_json(path, {"loss": object()})
    assert [p.name for p in path.parent.iterdir()] == ["record.json"]


def test_throughput_leaves_the_first_step_out_of_time_and_count():
    timer = timing.Timer()
    timer.seconds = {"import": [1.0], "data": [0.5], "first step": [3.0], "epoch": [4.5, 5.0, 5.0], "evaluate": [1.0]}

    class Proof:
        def summary(self):
            return {}

    data = datasets.cifar10("sample", 500, 250)
    settings = {"BATCH_SIZE": 50, "PRECISION": "fp32", "DEVICE": "cpu", "THREADS": 2, "SEED": 1, "RECORD_PATH": ""}
    made = record.make_record("w", "f", settings, data, timer, Proof(), {}, 1.0, {"test_accuracy": [np.float32(0.5)]})
    assert made["samples_per_second"] == pytest.approx(100.0)
    assert made["timings"]["first_step"] == 3.0 and made["peak_memory_bytes"] > 10**7
    assert "RECORD_PATH" not in made["parameters"]
    json.dumps(made, allow_nan=False)


# ---- old Pythons


@pytest.mark.parametrize("reference", sorted(path.stem for path in REFERENCES.glob("*.json")))
def test_common_gives_the_same_on_the_oldest_python(reference):
    """The frameworks of 2018 import it in Python 3.6 with a NumPy of then."""
    def version(name):
        return tuple(map(int, kernels.MATRIX.environments[name]["python"].split(".")))

    oldest = min(kernels.MATRIX.environments, key=version)
    assert version(oldest) == (3, 6)
    said = []
    for environment in (oldest, "main"):
        try:
            python, environ = kernels.of(environment)
        except environments.Unavailable as reason:
            pytest.skip(str(reason))
        done = subprocess.run([python, str(kernels.ROOT / "tests" / "shared.py"), reference], capture_output=True, text=True,
                              env={**environ, "PYTHONPATH": str(kernels.ROOT)}, check=False)
        assert done.returncode == 0, done.stderr
        said.append(json.loads(done.stdout.splitlines()[-1]))
    assert said[0] == said[1]
    assert said[0]["pictures"] == ["Picture"] * 3
