"""common/: batches, clocks, parameters, data files, weights, the proof, records."""

import ast
import hashlib
import io
import json
import shutil
import subprocess
import tarfile
from pathlib import Path

import jsonschema
import numpy as np
import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from common import batches, plots, profiles, timing
from common.data import cifar10, files
from referee import parameters, record, weights
from referee.proof import Proof, ProofError, relative_error, writing
from referee.proof.outputs import OutputsProof, project
from referee.proof.reference import PROJECTIONS, Reference, fingerprint
from referee.proof.training import GRADIENT_BOUND, MARGIN, TrainingProof, fingerprint_error
from runner import environments
from tests import kernels

ROOT = Path(__file__).resolve().parent.parent
SCHEMA = json.loads((ROOT / "referee" / "record.schema.json").read_text())
few = hypothesis_settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.mark.parametrize("path", sorted((ROOT / "common").rglob("*.py")), ids=lambda p: p.name)
def test_common_is_python_3_6_syntax(path):
    ast.parse(path.read_text(), feature_version=(3, 6))


# ---- batches


@given(st.integers(1, 500), st.integers(0, 99), st.integers(0, 5))
def test_an_epoch_is_every_sample_once(samples, seed, epoch):
    assert sorted(batches.epoch_order(samples, seed, epoch)) == list(range(samples))


def test_samples_are_shuffled_and_epochs_differ():
    first, second = [batches.epoch_order(640, 1, epoch) for epoch in (0, 1)]
    assert (first != second).any()
    assert max(np.diff(np.sort(first[:64]))) > 1, "samples are shuffled, not batches"


@pytest.mark.parametrize("samples", [0, -1])
def test_an_epoch_of_nothing_is_refused(samples):
    with pytest.raises(ValueError, match="at least 1"):
        batches.epoch_order(samples, 0, 0)


# ---- timing


@pytest.fixture
def clock(monkeypatch):
    """A clock that stands still until it is told to go on: a list of one number."""
    now = [0.0]
    monkeypatch.setattr(timing.time, "perf_counter", lambda: now[0])
    monkeypatch.setattr(timing.time, "process_time", lambda: 2 * now[0])  # two busy threads
    return now


def test_a_phase_waits_for_the_device(clock):
    pending = [2.0]  # work that was queued before the phase

    def synchronize():
        clock[0] += sum(pending)
        pending.clear()

    timer = timing.Timer(synchronize)
    with timer.phase("data"):
        clock[0] += 1.0
        pending.append(3.0)
    assert timer.measurements() == {"data": ("s", [4.0])}
    run = timing.Run(128, 64, 1, 1, synchronize=synchronize, memory=lambda: 1)
    for _ in run:
        clock[0] += 1.0
        pending.append(3.0)
        run.done([0.0])
        pending.append(2.0)
    assert run.seconds == {"first step": [4.0], "training": [4.0]}


def train(run, clock, seconds_a_sample=0.01, first=1.0, drop=0):
    """Goes through a run as a notebook does; the orders that it was handed, and which of them ended an epoch."""
    orders, ends = [], []
    for order in run:
        orders.append(order)
        ends.append(run.ends_epoch)
        clock[0] += len(order) * seconds_a_sample + (first if len(orders) == 1 else 0)
        run.done(np.ones(-(-len(order) // run.batch_size) - drop))
    return orders, ends


@few
@given(st.integers(1, 300), st.integers(1, 70), st.integers(1, 3), st.integers(0, 9))
def test_a_whole_run_hands_out_every_sample_of_every_epoch(clock, samples, batch_size, epochs, seed):
    run = timing.Run(samples, batch_size, epochs, seed)
    orders, ends = train(run, clock)
    assert len(orders[0]) == min(samples, batch_size), "the first order is the first timed step"
    expected = np.concatenate([batches.epoch_order(samples, seed, epoch) for epoch in range(epochs)])
    assert (np.concatenate(orders) == expected).all()
    assert run.seen == epochs * samples and sum(ends) == epochs and ends[-1]
    assert len(run.losses) == sum(-(-len(order) // batch_size) for order in orders)
    assert run.peak_memory_bytes > 10**7


def test_a_run_measures_rate_and_busy_threads(clock):
    run = timing.Run(640, 64, 2, 1, memory=lambda: 5e6)
    train(run, clock)
    found = run.measurements()
    assert found["first step"] == ("s", [pytest.approx(1.64)])
    assert found["training rate"][1] == [pytest.approx(100.0)] * 2, "the first step is in no rate"
    assert run.busy == pytest.approx(2.0) and run.peak_memory_bytes == 5000000


@pytest.mark.parametrize("seconds_a_sample", [1e-4, 1e-2, 0.5])
def test_a_limited_run_ends_after_about_its_seconds(clock, seconds_a_sample):
    run = timing.Run(50000, 64, 3, 1, seconds=20)
    orders, ends = train(run, clock, seconds_a_sample)
    steady = sum(run.seconds["training"][2:])
    whole = 150000 * seconds_a_sample
    assert min(20, whole - 1) - 64 * seconds_a_sample * 2 <= steady <= max(20, 64 * seconds_a_sample) * 1.1
    assert ends[-1]
    cut = [batches.epoch_order(50000, 1, epoch)[: 781 * 64] for epoch in range(3)]  # whole mini-batches alone
    assert (np.concatenate(orders) == np.concatenate(cut)[: run.seen]).all()
    assert run.measurements()["training rate"][1] == pytest.approx([1 / seconds_a_sample]), "one rate over all parts"


def test_a_limited_runs_rate_leaves_out_the_parts_that_told_the_speed(clock):
    run = timing.Run(50000, 64, 1, 1, seconds=20)
    for number, order in enumerate(run):
        clock[0] += len(order) * (0.02 if number < 3 else 0.01)
        run.done(np.ones(-(-len(order) // 64)))
    assert run.measurements()["training rate"][1] == [pytest.approx(100.0)]


def test_a_limited_run_goes_on_where_starting_a_call_takes_longer_than_the_short_parts(clock):
    run, ends = timing.Run(50000, 64, 3, 1, seconds=20), []
    for order in run:
        clock[0] += 0.5 + len(order) * 1e-3
        run.done(np.ones(-(-len(order) // 64)))
        ends.append(run.ends_epoch)
    steady = run.seconds["training"][2:]
    assert 10 <= sum(steady) <= 25 and ends[-1] and sum(ends) == 1
    assert run.measurements()["training rate"][1] == [pytest.approx((run.seen - 9 * 64) / sum(steady))]


@pytest.mark.parametrize("samples, sizes", [(712, [64, 256, 256, 128, 640]), (100, [64, 64, 64, 64]), (40, [40] * 4)])
def test_a_limited_run_has_no_short_mini_batch_but_of_a_set_that_is_smaller(clock, samples, sizes):
    run = timing.Run(samples, 64, len(sizes), 1, seconds=8)
    orders, _ = train(run, clock, 0.01)
    assert [len(order) for order in orders] == sizes


def test_dropped_batches_are_refused(clock):
    run = timing.Run(100, 64, 1, 1)
    with pytest.raises(ValueError, match="0 losses came back for 1 batches: were batches dropped"):
        train(run, clock, drop=1)


# ---- parameters

RULES = parameters.declaration(ROOT / "notebooks" / "cnn_cifar10" / "workload.toml")["parameters"]


@pytest.mark.parametrize(
    "name, value",
    [
        ("BATCH_SIZE", 0),
        ("BATCH_SIZE", 2.5),
        ("BATCH_SIZE", True),
        ("EPOCHS", -1),
        ("LEARNING_RATE", -1),
        ("LEARNING_RATE", float("nan")),
        ("LEARNING_RATE", float("inf")),
        ("LEARNING_RATE", "fast"),
        ("MOMENTUM", 1.0),
        ("DATA", "all"),
        ("DEVICE", "tpu"),
        ("PRECISION", "fp8"),
        ("COMPILE", 1),
        ("JIT_COMPILE", 1),
        ("TEST_SAMPLES", 0),
        ("DROPOUT", (0.25, 0.25)),
        ("DROPOUT", 0.5),
    ],
)
def test_a_parameter_out_of_range_is_named(name, value):
    with pytest.raises(parameters.ParameterError, match=f"^{name} is .*must be"):
        parameters.settings("cnn_cifar10", {name: value})


def test_parameters_in_range_are_taken():
    good = {"BATCH_SIZE": 64, "LEARNING_RATE": 1, "COMPILE": False, "JIT_COMPILE": "auto", "SECONDS": 0}
    for name, value in good.items():
        parameters.check(name, value, RULES[name])
    names = {**good, "x": 1, "_OLD": 2, "Model": 3, "F": json, "NOT_DECLARED": 1}
    assert parameters.settings("cnn_cifar10", names) == good
    parameters.check("DROPOUT", (0, 0.25, 0.5), RULES["DROPOUT"])
    with pytest.raises(parameters.ParameterError, match=r"DROPOUT\[1\] is 1.5; it must be a number .* below 1"):
        parameters.check("DROPOUT", [0, 1.5, 0], RULES["DROPOUT"])
    with pytest.raises(parameters.ParameterError, match="tf32"):
        parameters.settings("cnn_cifar10", {"PRECISION": "tf32", "DEVICE": "cpu"})


# ---- data files


@pytest.fixture(scope="module")
def noise(tmp_path_factory):
    """(A folder with the files of a whole CIFAR-10 of noise, {name: MD5})."""
    folder, rng = tmp_path_factory.mktemp("noise"), np.random.default_rng(0)
    for name in cifar10.MD5:
        rng.integers(0, 10, (10000, 3073), np.uint8).tofile(folder / name)
    return folder, {name: files.file_digest(folder / name, "md5") for name in cifar10.MD5}


@pytest.fixture
def full(noise, tmp_path, monkeypatch):
    """A data directory with that set, and no network."""
    made, sums = noise
    folder = tmp_path / "cifar10" / "cifar-10-batches-bin"
    shutil.copytree(made, folder)
    monkeypatch.setenv("ROSETTA_DATA", str(tmp_path))
    monkeypatch.setattr(cifar10, "MD5", sums)
    monkeypatch.setattr(cifar10, "URL", "http://127.0.0.1:9/cifar-10-binary.tar.gz")
    return folder


def test_the_sample_is_real_and_its_digest_steady():
    data = cifar10.load("sample", 1296, 150)
    assert data.x_train.shape == (1296, 3, 32, 32) and data.x_train.dtype == np.float32
    assert 0 <= data.x_train.min() and data.x_train.max() == 1
    assert (np.bincount(data.y_test, minlength=10) > 5).all()
    again, fewer = cifar10.load("sample", 1296, 150), cifar10.load("sample", 1295, 150)
    assert data.digest == again.digest != fewer.digest
    assert data.digest == "30accccb6fa189d989206b315a9753bcf3594c98eae6b0d924930f3065f3764e"
    assert data.summary() == {
        "name": "cifar10",
        "source": "sample",
        "digest": data.digest,
        "train_samples": 1296,
        "test_samples": 150,
    }


def test_the_whole_set_is_found_in_the_data_directory(full):
    data = cifar10.load("full")
    assert data.x_train.shape == (50000, 3, 32, 32) and data.x_test.shape == (10000, 3, 32, 32)
    raw = np.fromfile(full / "data_batch_2.bin", np.uint8).reshape(-1, 3073)
    assert data.y_train[10000] == raw[0, 0] and data.x_train[10000, 2, 31, 31] == np.float32(raw[0, -1]) / np.float32(
        255
    )


@pytest.mark.parametrize("damage", ["truncated", "altered"])
def test_a_bad_file_is_named_set_aside_and_not_used(full, damage):
    path = full / "data_batch_3.bin"
    content = path.read_bytes()
    path.write_bytes(content[:-100] if damage == "truncated" else bytes([content[0] ^ 1]) + content[1:])
    with pytest.raises(files.DataError, match=r"could not download.*127\.0\.0\.1.*data_batch_1\.bin"):
        cifar10.fetch()
    assert (full / "data_batch_3.bin.bad1").exists() and not path.exists()


def test_a_bad_file_is_fetched_again(full, tmp_path, monkeypatch):
    whole = tmp_path / "whole.tar.gz"
    with tarfile.open(whole, "w:gz", compresslevel=0) as tar:
        tar.add(full, "cifar-10-batches-bin")
    (full / "test_batch.bin").write_bytes(b"cut short")
    monkeypatch.setattr(files, "download", lambda *_, **__: whole)
    assert (cifar10.fetch() / "test_batch.bin").stat().st_size == 10000 * 3073
    assert (full / "test_batch.bin.bad1").read_bytes() == b"cut short"


def test_an_archive_of_other_files_is_refused(full, tmp_path, monkeypatch):
    whole = tmp_path / "whole.tar.gz"
    (full / "test_batch.bin").write_bytes(b"not the published bytes")
    with tarfile.open(whole, "w:gz", compresslevel=0) as tar:
        tar.add(full, "cifar-10-batches-bin")
    monkeypatch.setattr(files, "download", lambda *_, **__: whole)
    with pytest.raises(files.DataError, match="test_batch.bin is not the published file"):
        cifar10.fetch()


@pytest.mark.parametrize(
    ("given", "folder"),
    [(None, "~/.cache/rosetta"), ("", "~/.cache/rosetta"), ("~/sets", "~/sets"), ("/sets", "/sets")],
)
def test_a_tilde_in_the_folder_of_data_is_the_home(given, folder, monkeypatch):
    """Jupyter, a .env file or a quoted variable hand it over as it is: no shell has replaced it."""
    monkeypatch.setenv("HOME", "/h/somebody")
    monkeypatch.delenv("ROSETTA_DATA", raising=False)
    if given is not None:
        monkeypatch.setenv("ROSETTA_DATA", given)
    assert str(files.data_directory()) == folder.replace("~", "/h/somebody")


def test_without_a_network_it_says_what_from_where_and_by_hand(tmp_path, monkeypatch):
    monkeypatch.setenv("ROSETTA_DATA", str(tmp_path / "nowhere"))
    monkeypatch.setattr(cifar10, "URL", "http://127.0.0.1:9/cifar-10-binary.tar.gz")
    with pytest.raises(files.DataError) as caught:
        cifar10.load("full")
    for part in ("http://127.0.0.1:9/cifar-10-binary.tar.gz", "nowhere", "ROSETTA_DATA", "data_batch_1.bin"):
        assert part in str(caught.value)


def test_more_samples_than_there_are_is_refused():
    there = len(cifar10.files.sample("cifar10")["y_train"])
    with pytest.raises(files.DataError, match=f"1 to {there}"):
        cifar10.load("sample", there + 1, 150)
    with pytest.raises(ValueError, match="DATA is 'all'"):
        cifar10.load("all", 1, 1)


def test_a_download_with_another_checksum_is_refused(tmp_path, monkeypatch):
    pooch = pytest.importorskip("pooch")
    published = tmp_path / "published.bin"
    published.write_bytes(b"altered on its way")

    def fetch(url, output_file, pooch):
        Path(output_file).write_bytes(published.read_bytes())

    monkeypatch.setattr(pooch.core, "choose_downloader", lambda *_, **__: fetch)
    with pytest.raises(files.DataError, match="could not download .*hash of downloaded file.*by hand"):
        files.download("http://127.0.0.1:9/a.bin", "sha256:" + "0" * 64, tmp_path / "data", "Put it there by hand")
    assert not list((tmp_path / "data").glob("*")), "nothing unverified is left"


def test_a_file_put_there_by_hand_is_taken_or_set_aside(tmp_path, monkeypatch):
    pytest.importorskip("pooch")
    whole = b"as its publisher made it"
    url, known = "http://127.0.0.1:9/a.bin", "sha256:" + hashlib.sha256(whole).hexdigest()
    path = tmp_path / "a.bin"
    path.write_bytes(whole)
    assert files.download(url, known, tmp_path, "Put it there by hand") == path
    path.write_bytes(whole[:-1])
    with pytest.raises(files.DataError, match="could not download .*by hand"):
        files.download(url, known, tmp_path, "Put it there by hand")
    assert (tmp_path / "a.bin.bad1").read_bytes() == whole[:-1] and not path.exists()


@pytest.mark.parametrize(
    "name, kind",
    [
        ("../outside.bin", tarfile.REGTYPE),
        ("/outside.bin", tarfile.REGTYPE),
        ("inside/link", tarfile.SYMTYPE),
        ("inside/hard", tarfile.LNKTYPE),
        ("device", tarfile.CHRTYPE),
        ("pipe", tarfile.FIFOTYPE),
    ],
)
def test_an_archive_that_leaves_its_folder_is_refused(tmp_path, name, kind):
    path = tmp_path / "evil.tar"
    with tarfile.open(path, "w") as tar:
        good = tarfile.TarInfo("good.bin")
        good.size = 4
        tar.addfile(good, io.BytesIO(b"good"))
        bad = tarfile.TarInfo(name)
        bad.type, bad.linkname = kind, "/etc/passwd"
        tar.addfile(bad)
    with pytest.raises(files.DataError, match="nothing was unpacked"):
        files.unpack(path, tmp_path / "target")
    assert sorted(p.name for p in tmp_path.rglob("*")) == ["evil.tar"]


def test_a_truncated_archive_is_an_error_of_ours(tmp_path):
    path = tmp_path / "cut.tar.gz"
    path.write_bytes(b"\x1f\x8b\x08\x00 not much of an archive")
    with pytest.raises(files.DataError, match="cannot be unpacked"):
        files.unpack(path, tmp_path / "target")


def test_every_bad_file_is_kept(tmp_path):
    for number in (1, 2):
        path = tmp_path / "a.bin"
        path.write_bytes(b"bad")
        assert files.set_aside(path).name == f"a.bin.bad{number}"


# ---- weights


def test_weights_are_drawn_as_declared():
    tensors = [
        ["a", [300, 200], "glorot"],
        ["gates", [300, 200], ["glorot", 3]],
        ["kernel", [50, 20, 3, 3], "glorot"],
        ["noise", [1000, 100], ["normal", 0.1]],
        ["zero", [5], "zeros"],
        ["one", [5], "ones"],
    ]
    drawn = weights.draw(tensors, 7)
    assert list(drawn) == [name for name, _, _ in tensors] and {w.dtype for w in drawn.values()} == {
        np.dtype("float32")
    }
    for name, fans in (("a", 500), ("gates", 300), ("kernel", 70 * 9)):
        limit = np.sqrt(6 / fans)
        assert 0.99 * limit < np.abs(drawn[name]).max() <= limit * (1 + 1e-6), name
    assert drawn["noise"].std() == pytest.approx(0.1, rel=0.02)
    assert not drawn["zero"].any() and (drawn["one"] == 1).all()
    assert weights.draw(tensors, 7, np.float64)["a"].dtype == np.float64
    with pytest.raises(ValueError, match="no initialiser"):
        weights.draw([["a", [2], ["truncated", 1]]], 7)


def test_weights_for_normalization_and_relu_are_drawn_as_declared():
    tensors = [["a", [50, 30, 3, 3], "he"], ["b", [14, 1000], "he"], ["c", [9000], ["uniform", 0.75, 1.25]]]
    drawn = weights.draw(tensors, 7)
    assert drawn["a"].std() == pytest.approx(np.sqrt(2 / 270), rel=0.02)
    assert drawn["b"].std() == pytest.approx(np.sqrt(2 / 1000), rel=0.02)
    assert 0.75 <= drawn["c"].min() < 0.751 and 1.249 < drawn["c"].max() <= 1.25


def test_only_the_second_of_the_gates_biases_are_spread():
    found = weights.draw([["b", [300], ["gates", 0.1, 0, 6]]], 7)["b"]
    plain = weights.draw([["b", [300], ["normal", 0.1]]], 7)["b"]
    assert np.allclose(found - plain, np.repeat([0, 1, 0], 100) * np.tile(np.linspace(0, 6, 100), 3), atol=1e-6)


def test_offsets_lie_on_both_sides_of_zero_and_have_a_generator_of_their_own():
    def drawn(seed):
        return weights.draw([["a", [10000], ["offset", 3.0, seed]], ["b", [5], ["normal", 1.0]]], 7)

    one, other = drawn(1), drawn(2)
    on = one["a"] > 0
    assert on.mean() == pytest.approx(0.7, abs=0.02) and np.abs(one["a"]).min() > 1.5
    for side, size in ((on, 3), (~on, -3)):
        assert one["a"][side].mean() == pytest.approx(size, abs=0.02)
        assert one["a"][side].std() == pytest.approx(0.2, abs=0.01)
    assert (one["a"] != other["a"]).all() and (one["b"] == other["b"]).all()


def test_perturbed_and_scaled_weights_keep_their_dtype():
    drawn = weights.draw([["a", [300, 200], "glorot"]], 7)
    off = relative_error(weights.perturbed(drawn, 1e-6, 1)["a"], drawn["a"])
    assert 0.9e-6 < off < 1.1e-6
    assert (weights.scaled(drawn, 2)["a"] == 2 * drawn["a"]).all()
    assert weights.scaled(drawn, 1.8)["a"].dtype == weights.perturbed(drawn, 1e-7, 1)["a"].dtype == np.float32


def test_the_digest_sees_names_values_and_dtypes_but_no_order():
    a, b = np.ones(3, np.float32), np.zeros(2, np.float32)
    digest = weights.digest({"a": a, "b": b})
    assert digest == weights.digest({"b": b, "a": a})
    others = [{"a": b, "b": a}, {"a": a, "c": b}, {"a": a.astype(np.float64), "b": b}, {"a": a, "b": b + 1e-7}]
    assert len({digest, *map(weights.digest, others)}) == 5


def test_the_shared_weights_of_the_cnn_are_those_of_the_published_records():
    """Their digest never changes, or old and new records would start from other weights."""
    shared = Reference("cnn_cifar10").weights()
    assert sum(w.size for w in shared.values()) == 3441592
    assert weights.digest(shared) == "cc07337889994f7e4e39d99194870de7f7b39174a6418c83f50ae1a64c2e5ee0"


def test_the_shared_weights_of_the_densenet_are_those_of_its_stored_results():
    """Its results hold only for these: the offsets were chosen so that no input of a ReLU lies near zero."""
    folder = ROOT / "notebooks" / "densenet_chestxray" / "reference"
    spec = json.loads((folder / "spec.json").read_text())
    shared = weights.draw(spec["tensors"], spec["seed"])
    assert len(shared) == 364 and sum(w.size for w in shared.values()) == 6968206
    assert weights.digest(shared) == "c49675442a4d8564478452e3084ada31c95ab87b10f11549a9583e2c3b458e45"
    with np.load(folder / "results.npz") as stored:
        assert stored["distance"] > 25 and stored["whole.gradients"].shape == (364, 9)
        assert len(stored["evaluation.statistics"]) == sum(shape[0] for _, shape, _ in spec["statistics"])


# ---- the proof


@pytest.fixture
def reference(tmp_path, monkeypatch):
    """A Reference of a small network on CIFAR-10's sample, with results that were made up."""
    folder = tmp_path / "toy" / "reference"
    folder.mkdir(parents=True)
    spec = {
        "data": "cifar10",
        "train_samples": 20,
        "order_seed": 1,
        "seed": 2,
        "batch_size": 8,
        "learning_rate": 0.1,
        "momentum": 0.9,
        "scale": 1.5,
        "dropout": {"passes": 24, "samples": 4},
        "change": {"learning_rate": 1.0},
        "tensors": [["w", [30, 20], "glorot"], ["b", [30], "zeros"], ["embedding", [50, 4], ["normal", 0.1]]],
    }
    (folder / "spec.json").write_text(json.dumps(spec))
    monkeypatch.setattr("referee.proof.reference.NOTEBOOKS", tmp_path)
    made, rng = Reference("toy"), np.random.default_rng(3)
    assert made.results == {}
    left, right = rng.normal(size=(6, 30)), rng.normal(size=(6, 20))
    table = np.zeros((50, 4))
    table[[3, 17]] = rng.normal(size=(2, 4))
    gradients = {"w": None, "b": rng.normal(size=30), "embedding": table}
    before = made.weights()
    after = {name: w.astype(np.float64) + rng.normal(size=w.shape) for name, w in before.items()}
    losses, logits = np.array([2.3, 2.2, 2.1]), rng.normal(size=(150, 10))
    labels = logits.argmax(1)
    labels[:30] = (labels[:30] + 1) % 10
    writing.write(
        made,
        losses=losses,
        loss_bounds=writing.bound(losses, [losses * (1 + 1e-7)]),
        **writing.gradients(gradients, factors={"w": (left, right)}, rows=["embedding"]),
        **writing.evaluation(logits, labels, 2.25, [2.25 * (1 + 2e-7)]),
        **writing.dropout(rng.normal(2.4, 0.05, 1000)),
        **writing.change(before, after, [weights.perturbed(after, 1e-7, k) for k in range(3)]),
        **writing.outputs("features", rng.normal(size=(6, 3, 5)), 1e-5),
        labels=labels[:6],
    )
    made.after, made.gradient_w = after, left.T.dot(right)
    return made


def gradients_of(reference):
    return {name: reference.gradient(name).astype(np.float32) for name in reference.weights()}


def test_a_reference_has_samples_in_a_fixed_order_that_is_no_identity(reference):
    assert sorted(reference.order) == list(range(20)) and (reference.order != np.arange(20)).any()
    assert reference.steps == 3 and len(reference.y) == 20
    assert (reference.first == np.arange(8)).all() and reference.repeated.shape == (96,)
    assert (reference.repeated.reshape(24, 4) == np.arange(4)).all()
    assert (reference.scaled_weights()["w"] == (reference.weights()["w"] * 1.5).astype(np.float32)).all()
    assert (reference.x == cifar10.load("sample", 20, 150).x_train).all()


def test_a_variant_takes_other_samples_of_the_same_set(reference):
    chosen = np.array([5, 3, 900, 8] + list(range(16)))
    np.savez(reference.folder / "other.npz", samples=chosen)
    other = Reference("toy", "other")
    assert (other.x == cifar10.load("sample", 901, 150).x_train[chosen]).all()
    writing.write(other, losses=np.ones(3))
    assert (Reference("toy", "other").results["samples"] == chosen).all(), "writing keeps the samples"


def test_a_reference_trains_epochs_in_orders_of_their_own(reference):
    spec = dict(reference.spec, epochs=4, first_samples=3)
    (reference.folder / "spec.json").write_text(json.dumps(spec))
    found = Reference("toy")
    assert found.steps == 12 and len({tuple(order) for order in found.orders}) == 4
    assert (found.orders[0] == reference.order).all() and sorted(found.orders[3]) == list(range(20))
    assert (found.x_first == reference.x[:3]).all() and len(reference.x_first) == reference.batch_size
    assert len(reference.orders) == 1 and reference.steps == 3


def test_gradients_are_stored_whole_as_factors_or_as_rows(reference):
    assert {"gradient.b", "gradient.w.left", "gradient.embedding.rows"} <= set(reference.results)
    assert relative_error(reference.gradient("w"), reference.gradient_w) < 1e-12
    assert np.flatnonzero(reference.gradient("embedding").any(axis=1)).tolist() == [3, 17]


def test_right_gradients_pass_and_a_wrong_tensor_is_named(reference):
    proof = TrainingProof(reference).gradients(gradients_of(reference))
    assert proof.failures() == [] and set(proof.gradient_errors) == {"w", "b", "embedding"}
    wrong = gradients_of(reference)
    wrong["b"] *= 1.001
    with pytest.raises(ProofError, match="gradient of b: off by 0.001.*over the bound: b$"):
        TrainingProof(reference).gradients(wrong).require()
    wrong["embedding"][40] += 1  # a row that the reference leaves alone
    with pytest.raises(ProofError, match="over the bound: b, embedding"):
        TrainingProof(reference).gradients(wrong).require()
    with pytest.raises(ProofError, match="no gradient of w"):
        TrainingProof(reference).gradients({"b": wrong["b"]})
    with pytest.raises(ProofError, match="has shape"):
        TrainingProof(reference).gradients({**wrong, "w": wrong["w"].T})
    wrong = gradients_of(reference)
    wrong["w"][0, 0] = np.nan
    with pytest.raises(ProofError, match="gradient of w: off by inf"):
        TrainingProof(reference).gradients(wrong).require()


def test_a_spec_may_demand_closer_gradients(reference):
    reference.spec["gradient_bound"] = 1e-10
    with pytest.raises(ProofError, match="bound 1.0e-10"):
        TrainingProof(reference).gradients(gradients_of(reference)).require()  # rounded to float32


@few
@given(st.integers(0, 2), st.floats(-3, 3))
def test_losses_pass_within_their_bounds_and_the_first_wrong_step_is_named(reference, step, factor):
    losses = reference.results["losses"].copy()
    losses[step] *= 1 + factor * reference.results["loss_bounds"][step]
    proof = TrainingProof(reference).losses(losses)
    good, bad = abs(factor) <= 0.99, abs(factor) >= 1.01
    if good:
        assert not proof.failures()
    if bad:
        assert proof.failures() and f"the first wrong loss at step {step}:" in proof.failures()[0]


def test_losses_of_another_number_or_not_finite_fail(reference):
    losses = reference.results["losses"]
    for wrong in (losses[:2], np.append(losses, 2.0)):
        with pytest.raises(ProofError, match="losses were handed in, the reference has 3"):
            TrainingProof(reference).losses(wrong)
    with pytest.raises(ProofError, match="at step 1: off by inf"):
        TrainingProof(reference).losses([losses[0], np.nan, losses[2]]).require()


def test_bounds_are_ten_times_what_perturbed_runs_stray():
    exact = np.array([2.0, 2.0, 2.0, 2.0])
    runs = [exact * (1 + np.array([1e-9, 5e-7, 1e-7, 1e-6])), exact * (1 - np.array([0, 2e-7, 3e-7, 2e-6]))]
    assert writing.bound(exact, runs) == pytest.approx([2e-6, 5e-6, 5e-6, 2e-5], rel=1e-3)
    assert writing.bound(exact, runs, largest=1e-5)[-1] == 1e-5
    assert writing.bound(exact, runs, smallest=1e-13)[0] == pytest.approx(1e-8, rel=1e-3)


def test_evaluation_checks_classes_accuracy_and_loss(reference):
    known = reference.results
    classes, accuracy = known["classes"], float(known["right"]) / 150
    assert accuracy == pytest.approx(120 / 150)
    loss = float(known["loss"])

    def failures(*arguments):
        return TrainingProof(reference).evaluation(*arguments).failures()

    assert failures(classes, accuracy, loss) == []
    other = classes.copy()
    other[np.argmax(known["margins"])] += 1
    assert "1 of 150 classes differ" in failures(other, accuracy, loss)[0]
    near = classes.copy()
    known["margins"][7] = MARGIN / 2  # float32 may pick either class there
    near[7] += 1
    assert failures(near, accuracy, loss) == [] == failures(classes, accuracy + 1 / 150, loss)
    assert failures(classes, accuracy + 2 / 150, loss), "evaluate counts another number than predict's classes have"
    assert failures(classes, 128 * accuracy / 150, loss), "the last partial batch is missing"
    assert "off by 0.0001" in failures(classes, accuracy, loss * 1.0001)[0]
    assert failures(classes, accuracy, np.nan) and failures(classes, np.nan, loss)
    with pytest.raises(ProofError, match="128 classes were predicted for 150 samples"):
        TrainingProof(reference).evaluation(classes[:128], accuracy, loss)


def test_dropout_checks_the_mean_and_that_masks_differ(reference):
    known, rng = reference.results, np.random.default_rng(8)
    mean, deviation = float(known["dropout_mean"]), float(known["dropout_deviation"])
    noise = rng.normal(size=24)
    noise -= noise.mean()

    def failures(losses):
        return TrainingProof(reference).dropout(losses).failures()

    assert failures(mean + deviation * noise) == []
    error = np.hypot(deviation / np.sqrt(24), float(known["dropout_error"]))
    assert failures(mean + deviation * noise + 4 * error) == []
    assert "standard errors off" in failures(mean + deviation * noise + 5 * error)[0]
    assert failures(mean + deviation * noise - 5 * error)
    assert "the masks repeat" in failures(np.full(24, mean))[0]
    assert (
        "only 12 of the 24 losses differ"
        in failures(np.tile(mean + deviation * (noise[:12] - noise[:12].mean()), 2))[0]
    )
    assert failures(mean + deviation * np.append(noise[:23], np.nan))
    with pytest.raises(ProofError, match="23 dropout losses"):
        TrainingProof(reference).dropout(noise[:23])


def test_change_checks_every_tensor(reference):
    moved = {name: w.astype(np.float32) for name, w in reference.after.items()}
    assert TrainingProof(reference).change(moved).failures() == []
    for name in moved:
        wrong = {**moved, name: moved[name] + 0.001 * (moved[name] - reference.weights()[name])}
        assert f"two steps' change of {name}" in TrainingProof(reference).change(wrong).failures()[0]
    swapped = {**moved, "w": np.roll(moved["w"], 1, axis=0)}
    assert TrainingProof(reference).change(swapped).failures(), "the norm alone would not tell"
    with pytest.raises(ProofError, match="no tensor b"):
        TrainingProof(reference).change({"w": moved["w"]})
    moved["b"][0] = np.inf
    assert TrainingProof(reference).change(moved).failures()


@few
@given(st.integers(2, 400), st.floats(-8, -1), st.integers(0, 1000))
def test_a_fingerprint_measures_a_difference(size, exponent, seed):
    rng = np.random.default_rng(seed)
    array, noise = rng.normal(size=size), rng.normal(size=size)
    noise *= 10.0**exponent * np.linalg.norm(array) / np.linalg.norm(noise)
    known = fingerprint(array, "name")
    assert known.shape == (1 + PROJECTIONS,) and known[0] == pytest.approx(np.linalg.norm(array))
    assert fingerprint_error(known, known) == 0
    error = fingerprint_error(fingerprint(array + noise, "name"), known)
    assert 0.1 * 10.0**exponent < error < 8 * 10.0**exponent, "the largest of nine numbers, about the norm of the noise"
    assert fingerprint_error(np.full(9, np.nan), known) == np.inf
    assert (fingerprint(array, "name") != fingerprint(array, "other"))[1:].all()


def test_a_proof_needs_a_part_and_says_all_that_fails(reference):
    with pytest.raises(ProofError, match="nothing was proven"):
        TrainingProof(reference).require()
    assert TrainingProof(reference).summary() is None
    proof = Proof(reference)
    for name, error in (("a", 1.0), ("b", np.nan), ("c", 3.0)):
        proof.add(name, error, 2.0, "somewhere", f"part {name}")
    with pytest.raises(ProofError, match="^not the reference's computation: part b; part c$"):
        proof.require()
    summary = proof.summary()
    assert summary["passed"] is False and summary["parts"]["b"]["error"] == 1e308
    json.dumps(summary, allow_nan=False)


def test_a_proof_that_holds_prints_every_part(reference, capsys):
    found = reference.results
    proof = TrainingProof(reference).gradients(gradients_of(reference)).losses(found["losses"]).change(reference.after)
    proof.deviation = reference.relative_errors(found["losses"][:2] * 1.01)
    proof.require()
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == ["gradients", "losses", "change"]
    assert proof.summary()["deviation"] == pytest.approx(0.01)
    picture = proof.plot()
    assert picture.png[:4] == b"\x89PNG" and "gradients, losses, change" in repr(picture)


def test_outputs_are_checked_sample_by_sample(reference):
    features = np.random.default_rng(4).normal(size=(6, 3, 5))
    reference.results.update(writing.outputs("features", features, 1e-5))
    reference.results["labels"] = np.arange(6)
    proof = OutputsProof(reference).outputs("features", features.astype(np.float32)).classes("labels", np.arange(6))
    proof.require()
    assert list(proof.parts) == ["features", "labels"] and proof.errors["features"].shape == (6,)
    wrong = features.copy()
    wrong[4] *= 1 + 1e-3
    assert "features: sample 4 is off by" in OutputsProof(reference).outputs("features", wrong).failures()[0]
    wrong[2, 0, 0] = np.nan
    assert "sample 2 is off by inf" in OutputsProof(reference).outputs("features", wrong).failures()[0]
    turned = features.transpose(0, 2, 1)
    with pytest.raises(ProofError, match="has shape"):
        OutputsProof(reference).outputs("features", turned)
    for stage in ("first", "second"):
        reference.results.update(writing.outputs("features." + stage, features[:2], 1e-5))
    right, wrong = {"first": features[:2], "second": features[:2]}, features * (1 + 1e-3)
    for stages, said in [
        ({**right, "second": wrong[:2]}, "the first stage that diverges: second, off by"),
        (right, "no stage diverges, only what follows"),
    ]:
        proof = OutputsProof(reference).outputs("features", wrong, lambda found=stages: found)
        assert said in proof.failures()[0]
    OutputsProof(reference).outputs("features", features, lambda: 1 / 0).require()
    labels = np.array([0, 1, 9, 3, 4, 5])
    assert "1 of 6 differ, first sample 2" in OutputsProof(reference).classes("labels", labels).failures()[0]
    assert plots.outputs(proof).png[:4] == b"\x89PNG"


def test_a_gap_behind_a_product_is_the_products_in_a_profile_of_jax(tmp_path):
    """XLA hands a large product to its threads, and the event of the product ends with the handing over."""
    profiler = pytest.importorskip("jax.profiler")
    names, events = {"hlo_op": 1, "hlo_module": 2, "run_id": 3}, []
    for start, length, module, instruction in [
        (0, 10, "jit_step", "dot.1"),
        (50, 10, "jit_step", "fusion"),  # 40 ns after the end of the product's event
        (90, 5, "jit__take", "fusion"),
    ]:
        stats = (
            f'stats {{ metadata_id: 1 str_value: "{instruction}" }} stats {{ metadata_id: 2 str_value: "{module}" }}'
        )
        stats += f" stats {{ metadata_id: 3 int64_value: {len(module)} }}"
        events.append(f"events {{ metadata_id: 1 offset_ps: {1000 * start} duration_ps: {1000 * length} {stats} }}")
    known = "".join(f'stat_metadata {{ key: {n} value {{ id: {n} name: "{name}" }} }}' for name, n in names.items())
    event = 'event_metadata { key: 1 value { id: 1 name: "e" } }'
    text = f'planes {{ name: "/host:CPU" lines {{ id: 1 name: "t" {" ".join(events)} }} {event} {known} }}'
    (tmp_path / "one.xplane.pb").write_bytes(profiler.ProfileData.text_proto_to_serialized_xspace(text))
    program = 'HloModule jit_step, x\n %dot.1 = f32[] dot(), metadata={op_name="jit(step)/dot_general"}\n'
    found = profiles.jax(tmp_path, program)
    assert [name for name, _ in found] == ["dot.1 jit(step)/dot_general", "fusion ", "jit__take fusion"]
    assert [1e9 * seconds for _, seconds in found] == pytest.approx([50, 10, 5])


@pytest.mark.parametrize(
    ("names", "kept"),
    [
        (["__inference_step_3", "dense/MatMul:MatMul", "__inference_step_3:__inference_step_3"], [1]),
        (["EagerKernelExecute", "__inference_step_3:__inference_step_3", "subtract_fusion"], [1]),
    ],
    ids=["a graph", "XLA"],
)
def test_of_a_profile_of_tensorflow_operations_are_kept_or_the_function_that_xla_compiled(tmp_path, names, kept):
    space = pytest.importorskip("tensorflow.tsl.profiler.protobuf.xplane_pb2").XSpace()
    plane = space.planes.add(name="/host:CPU")
    line = plane.lines.add(name="t")
    for number, name in enumerate(names):
        plane.event_metadata[number].name = name
        line.events.add(metadata_id=number, duration_ps=10**12)
    (tmp_path / "one.xplane.pb").write_bytes(space.SerializeToString())
    assert profiles.tensorflow(tmp_path) == [(names[number], 1.0) for number in kept]


@pytest.mark.parametrize("times", [{"products": 3.0, "Adam": 1, "loss": 0.01}, {"a": {"b": 1}, "c": {"d": 2, "b": 1}}])
def test_a_profile_is_drawn_of_one_program_or_of_several(times):
    assert plots.profile(times).png[:4] == b"\x89PNG"


def test_a_profile_of_nothing_is_refused():
    with pytest.raises(ValueError, match="the profile is empty"):
        plots.profile({})


@pytest.mark.parametrize("workload", ["cnn_cifar10", "gru_imdb", "mlp_mnist", "mlp_mnist_batch", "cnn_mnist"])
def test_a_picture_has_room_for_every_bound_of_the_proof(workload):
    stored = Reference(workload)
    results, gradient = stored.results, stored.spec.get("gradient_bound", GRADIENT_BOUND)
    changes = [float(value) for name, value in results.items() if name.startswith("change_bound.")]
    for bounds in ([gradient], results["loss_bounds"], changes):
        low, high = plots._limits(bounds)
        assert low < min(bounds) and max(bounds) < high


@few
@given(st.integers(1, 6), st.integers(1, 300), st.floats(-7, -1), st.integers(0, 1000))
def test_projections_measure_the_norm_of_a_difference(samples, size, exponent, seed):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(samples, size))
    noise = rng.normal(size=values.shape)
    noise *= 10.0**exponent
    errors = np.sqrt(np.mean((project(values + noise) - project(values)) ** 2, axis=1))
    ratio = errors / np.linalg.norm(noise, axis=1)
    assert (0.1 < ratio).all() and (ratio < 3).all(), "the root mean square of eight projections"


# ---- the stored references


DECLARED = [path.parent for path in sorted(ROOT.glob("notebooks/*/workload.toml"))]
REFERENCES = [  # that of a lesson that reads files is looked at in test_referee_files.py
    path
    for folder in DECLARED
    for path in sorted(folder.glob("reference/*.npz"))
    if kernels.declarations().workloads[folder.name].proof != "files"
]


@pytest.mark.parametrize("path", REFERENCES, ids=lambda p: f"{p.parent.parent.name}-{p.stem}")
def test_a_stored_reference_is_whole_and_small(path):
    workload = kernels.declarations().workloads[path.parent.parent.name]
    reference = Reference(workload.name, path.stem)
    assert path.stat().st_size < 3e6 and all(
        np.isfinite(v).all() for v in reference.results.values() if v.dtype.kind == "f"
    )
    if workload.proof in ("outputs", "calls", "text"):
        return
    found = reference.results
    tensors = {name: tuple(shape) for name, shape, _ in reference.spec["tensors"]}
    assert {name: reference.gradient(name).shape for name in tensors} == tensors
    assert found["losses"].shape == found["loss_bounds"].shape == (reference.steps,)
    whole = len(reference.order) == reference.batch_size  # one batch of all samples
    assert whole or len(reference.order) % reference.batch_size, "the last batch is a short one"
    largest = {"gru_imdb": 1e-5, "cnn_mnist": 1e-5, "mlp_mnist_batch": 1e-5, "mlp_mnist": 1e-10}  # docs/method.md
    assert (np.diff(found["loss_bounds"]) >= 0).all() and found["loss_bounds"][-1] <= largest.get(workload.name, 1e-2)
    assert found["loss_bound"] <= 1e-5 and reference.spec.get("gradient_bound", 1e-4) <= 1e-4
    tested = reference.spec.get("test_samples", 150)
    assert found["classes"].shape == found["margins"].shape == (tested,) and 0 <= found["right"] <= tested
    assert {f"change.{name}" for name in tensors} <= set(found)
    changed = 2e-3 if workload.name == "gru_imdb" else 3.6e-4
    assert max(float(found[f"change_bound.{name}"]) for name in tensors) <= changed
    TrainingProof(reference).gradients({n: reference.gradient(n) for n in tensors}).losses(found["losses"]).require()


# ---- records


def small_record(tmp_path, **changes):
    run = timing.Run(64, 32, 1, 1, memory=lambda: 5e6)
    for order in run:
        run.done(np.ones(-(-len(order) // 32)))
    settings = {
        "BATCH_SIZE": 32,
        "PRECISION": "fp32",
        "DEVICE": "cpu",
        "THREADS": 2,
        "RECORD_PATH": str(tmp_path / "deep" / "record.json"),
    }
    given = {
        "data": cifar10.load("sample", 64, 150),
        "weights": "ab",
        "tables": {"profile": (["op", "calls"], [["dot", 5]])},
        "measurements": {"test accuracy": ("%", [np.float32(50)])},
        **changes,
    }
    return record.write("w", "f", settings, {"f": "1.0"}, run, **given)


def test_a_record_is_valid_once_the_runner_has_added_its_part(tmp_path, reference):
    proof = TrainingProof(reference).losses(reference.results["losses"])
    made = small_record(tmp_path, proof=proof)
    kept = json.loads((tmp_path / "deep" / "record.json").read_text())
    assert kept == json.loads(json.dumps(made)) and "RECORD_PATH" not in kept["parameters"]
    assert kept["run"] == {"steps": 2, "samples": 64, "weights": "ab"}
    assert kept["measurements"]["peak memory"] == {"unit": "byte", "values": [5000000.0]}
    assert kept["threads"]["given"] == 2 and kept["threads"]["busy"] >= 0 and kept["threads"]["pools"]
    whole = {
        **kept,
        "row": "f",
        "title": "F",
        "profile": "quick",
        "kind": "round",
        "round": 1,
        "status": "ok",
        "reason": "",
        "machine": {"label": "l", "cpu": "c", "flags": [], "physical_cores": 2},
        "probe": None,
        "order": None,
        "commit": None,
        "notebook": None,
        "inputs": dict.fromkeys("cells parameters environment data reference common".split()),
        "started": "2026-01-01",
        "wall": 1.0,
    }
    jsonschema.Draft202012Validator(SCHEMA).validate(whole)
    for broken in (
        {"schema": 1},
        {"round": -1},
        {"status": "fine"},
        {"more": 1},
        {"measurements": {"a": {"unit": "s"}}},
    ):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.Draft202012Validator(SCHEMA).validate({**whole, **broken})
    text, html = repr(made), made._repr_html_()
    for part in ("2 steps on 64 samples", "2 given", "test accuracy", "passed: losses"):
        assert part in text and part in html


def test_a_number_that_json_has_not_is_refused(tmp_path):
    small_record(tmp_path)
    before = (tmp_path / "deep" / "record.json").read_bytes()
    for bad in (float("nan"), float("inf")):
        with pytest.raises(ValueError):
            small_record(tmp_path, measurements={"loss": ("", [1.0, bad])})
    assert (tmp_path / "deep" / "record.json").read_bytes() == before, "the old record stays"


def test_a_record_is_written_whole_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "record.json"
    record.write_json(path, {"loss": 1.5})
    with pytest.raises(TypeError):
        record.write_json(path, {"loss": object()})

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(record.os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        record.write_json(path, {"loss": 2.5})
    assert json.loads(path.read_text()) == {"loss": 1.5}
    assert [p.name for p in tmp_path.iterdir()] == ["record.json"], "no half-written file is left"


def test_a_timer_of_phases_makes_a_record_without_a_run(tmp_path):
    timer = timing.Timer()
    timer.add("call", 3.0)
    timer.peak_memory_bytes = 7
    made = record.write("w", "f", {"PRECISION": "fp32", "DEVICE": "cpu"}, {}, timer)
    assert made["measurements"]["call"] == {"unit": "s", "values": [3.0]}
    assert made["run"] is None and made["proof"] is None and made["measurements"]["peak memory"]["values"] == [7.0]


# ---- old Pythons


@pytest.mark.notebooks
@pytest.mark.parametrize("variant", ["results", "untied"])
def test_common_gives_the_same_on_the_oldest_python(variant):
    """The frameworks of 2018 import it in Python 3.6 with a NumPy of then."""
    entries = kernels.declarations().environments
    versions = {name: entry["python"] for name, entry in entries.items() if isinstance(entry["python"], str)}
    oldest = min(versions, key=lambda name: tuple(map(int, versions[name].split("."))))
    assert versions[oldest] == "3.6"
    said = []
    for environment in (oldest, "main"):
        try:
            python, environ = kernels.of(environment)
        except environments.Broken:
            raise
        except environments.Unavailable as reason:
            pytest.skip(str(reason))
        command = [python, str(ROOT / "tests" / "shared.py"), "cnn_cifar10", variant, "cifar10"]
        done = subprocess.run(
            command, capture_output=True, text=True, env={**environ, "PYTHONPATH": str(ROOT)}, check=False
        )
        assert done.returncode == 0, done.stderr
        said.append(json.loads(done.stdout.splitlines()[-1]))
    assert said[0] == said[1]
    assert said[0]["pictures"] == ["Picture"] * 2
    paths = [path.relative_to(ROOT).with_suffix("") for path in (ROOT / "common").rglob("*.py")]
    assert set(said[0]["modules"]) == {".".join(path.parts).removesuffix(".__init__") for path in paths} - {"common"}


def test_a_cores_second_thread_does_not_count(monkeypatch):
    said = b"# CORE,SOCKET\n0,0\n1,0\n0,0\n1,0\n0,1\n"
    monkeypatch.setattr(parameters.subprocess, "check_output", lambda *_, **__: said)
    for allowed, cores in ((8, 3), (2, 2)):
        monkeypatch.setattr(parameters.os, "sched_getaffinity", lambda _, n=allowed: set(range(n)))
        assert parameters.physical_cores() == cores
