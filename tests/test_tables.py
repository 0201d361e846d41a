"""Tables and figures say what the records say, and nothing where there is no record."""

import json
import re
import shutil
from pathlib import Path

import pytest

from runner import figures, tables

ROOT = Path(__file__).resolve().parent.parent
SECONDS = {"pytorch-compiled": 176, "tensorflow": 181, "keras-tensorflow": 192, "pytorch-eager": 197,
           "keras-torch": 221, "keras-jax": 236, "jax": 233}  # fmt: skip
ACCURACY = {row: 0.630 + 0.003 * i for i, row in enumerate(SECONDS)}
PEAKS = {"fp32_flops": 4.0e11, "bf16_flops": 2.9e12, "copy_bytes_per_second": 2.1e10, "by": "torch 2.13.0"}


def make_record(row, **changes):
    """Return one realistic record of a CPU run; `changes` replace its top-level entries."""
    base = row.removesuffix("-bf16")
    seconds, reduced = SECONDS.get(base, 200), row != base
    partial = row == "numpy" or reduced
    samples, epochs = (640, 3) if partial else (50000, 3)
    speed = 30 if row == "numpy" else 50000 / seconds * (0.4 if reduced else 1)
    best = ACCURACY.get(base, 0.6)
    parameters = dict(DATA="full", TRAIN_SAMPLES=samples, TEST_SAMPLES=640 if partial else 10000, BATCH_SIZE=64,
                      EPOCHS=epochs, LEARNING_RATE=0.01, MOMENTUM=0.9, SEED=0, DEVICE="cpu")  # fmt: skip
    record = dict(
        schema=1, workload="cnn_cifar10", framework=base.split("-")[0], row=row, title=row, repeat=1, status="ok",
        precision="bf16" if reduced else "fp32", profile="cpu", device="cpu", reason=None, partial=partial,
        parameters=parameters, seed=0, threads=2, key="k", started="2026-05-04T10:00:00+00:00", wall=seconds * 3.4,
        data=dict(name="cifar10", digest="d", source="full", train_samples=samples,
                  test_samples=parameters["TEST_SAMPLES"]),
        machine=dict(label="box"), versions={"python": "3.11.2", "numpy": "2.4.6", base.split("-")[0]: "1.2.3"},
        timings={"import": 4.5, "data": 1.2, "first_step": 21.5 if row == "pytorch-compiled" else 1.3,
                 "epochs": [seconds * 1.01, seconds, seconds * 1.03], "evaluate": [11.0, 11.2, 11.1]},
        samples_per_second=speed, flops_per_sample=370.8e6, peak_memory_bytes=2e9, commit="c",
        metrics=dict(test_accuracy=[best - 0.16, best - 0.05, best], train_loss=[1.5, 1.2, 1.0]),
        proof=dict(passed=True, gradient_error=2e-6, gradient_bound=1e-4, gradient_tensor="conv1",
                   loss_error_over_bound=0.31, loss_step=7, steps=20, samples=8, deviation=4e-3 if reduced else None),
    )  # fmt: skip
    return record | changes


def put(root, record, name=None, where="published", column="cpu-cpu"):
    """Write a record to its place under root/results and return the path."""
    folder = root / "results" / where / "box" / column / record["workload"]
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / (name or f"{record['row']}.r{record['repeat']}.json")
    path.write_text(json.dumps(record))
    return path


def put_machine(root, where="published"):
    path = root / "results" / where / "box" / "machine.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    facts = dict(
        label="box", cpu="Intel Xeon", physical_cores=2, ram_gb=15.6, gpu=None, driver=None, cuda=None
    )
    path.write_text(json.dumps({**facts, "os": "Linux 6.1 x86_64", "peaks": {"cpu": PEAKS}}))


def make_root(folder):
    """Return an empty repository with today's matrix and a small notebook for each framework in it."""
    (folder / "runner").mkdir()
    shutil.copy(ROOT / "runner" / "matrix.toml", folder / "runner")
    (folder / "notebooks" / "cnn_cifar10").mkdir(parents=True)
    for name in ("numpy", "pytorch", "tensorflow", "keras", "jax"):
        (folder / "notebooks" / "cnn_cifar10" / f"{name}.ipynb").write_text(json.dumps(make_notebook(name)))
    return folder


def make_notebook(name):
    """Return a small valid notebook with the tagged cells."""
    cells = {
        "parameters": 'EPOCHS = 3  # passes over the data\nDATA = "full"\nTHREADS = 0\nRECORD_PATH = ""',
        "model": f"# the network of {name}\nmodel = {name}_network(50, 50, 100, 100)",
        "loss": f"optimizer = {name}_sgd(0.01)",
        "train_step": f"def train_step(x, y):\n    return {name}_step(x, y)",
    }
    code = [
        dict(
            cell_type="code",
            id=tag,
            metadata={"tags": [tag]},
            source=source,
            outputs=[],
            execution_count=None,
        )
        for tag, source in cells.items()
    ]
    heading = dict(cell_type="markdown", id="top", metadata={}, source=f"# cnn_cifar10: {name}")
    return dict(cells=[heading, *code], metadata={}, nbformat=4, nbformat_minor=5)


@pytest.fixture
def root(tmp_path):
    return make_root(tmp_path)


@pytest.fixture
def full(root):
    put_machine(root)
    for row in [*SECONDS, "numpy", "pytorch-eager-bf16", "jax-bf16"]:
        put(root, make_record(row))
    return root


def column(root, where="published", name="cpu-cpu"):
    return tables.Column(root / "results" / where / "box" / name)


def cells(page, title):
    """Return the cells of the first table line whose row is `title`, linked or not."""
    line = next(ln for ln in page.splitlines() if re.match(rf"\|\s*\[?{re.escape(title)}[\]\s]", ln))
    return [cell.strip() for cell in line.strip("|").split("|")]


def page(root):
    return tables.column_page(column(root), "cnn_cifar10", root)


def test_a_row_is_its_record(full):
    record = make_record("tensorflow")
    row = cells(page(full), "TensorFlow")
    assert row[1] == "183"  # the median of 182.8, 181, 186.4
    assert row[2] == "181–186"
    assert row[3] == "1.30"
    assert row[4] == "552"  # first step and three epochs: 551.5
    assert row[5] == "276"
    share = record["samples_per_second"] * 370.8e6 / PEAKS["fp32_flops"]
    assert row[6] == f"{100 * share:.0f} %" == "26 %"
    assert row[7] == "63.3 %"
    assert row[8] == "0.31"  # the larger of loss 0.31 and gradient 0.02
    assert row[9] == "tensorflow 1.2.3"


def test_the_gradient_error_counts_too(full):
    proof = make_record("jax")["proof"] | {"gradient_error": 7e-5}
    put(full, make_record("jax", proof=proof))
    assert cells(page(full), "JAX (Flax NNX)")[8] == "0.70"


def test_repeats_of_the_newest_key_are_pooled(full):
    def timings(*epochs):
        return make_record("jax")["timings"] | {"epochs": list(epochs)}

    new = dict(key="new", started="2026-05-05T00:00:00+00:00")
    put(full, make_record("jax", repeat=1, timings=timings(100, 102, 104), **new))
    put(full, make_record("jax", repeat=2, timings=timings(106, 108, 110), **new))
    put(full, make_record("jax", repeat=3, timings=timings(1, 1, 1)))  # an older key
    row = cells(page(full), "JAX (Flax NNX)")
    assert row[1:3] == ["105", "100–110"]
    assert "r1" in row[-1] and "r2" in row[-1] and "r3" not in row[-1]


def test_a_failed_newest_run_hides_the_figures(full):
    failed = dict(
        workload="cnn_cifar10", row="jax", status="failed", reason="ValueError: no", started="2026-06-01"
    )
    put(full, failed, "jax.failed.json")
    row = cells(page(full), "JAX (Flax NNX)")
    assert row[1] == "failed; last good: 2026-05-04"
    assert set(row[2:-1]) == {tables.DASH}
    drawn = tables.frame(column(full), "cnn_cifar10")
    assert drawn.loc["jax", tables.MEASURED].isna().all()


def test_a_partial_row_has_a_speed_only(full):
    row = cells(page(full), "NumPy")
    assert row[1:5] == [tables.DASH] * 4 and row[6:8] == [tables.DASH] * 2
    assert row[5] == "30.0"
    assert "640 samples, 3 epochs" in page(full)


def test_precision_tracks_have_tables_of_their_own(full):
    fp32, bf16 = page(full).split("Precision bf16")
    assert "off fp32 by" not in fp32 and "off fp32 by" in bf16
    assert cells(bf16, "JAX (Flax NNX)")[9] == "0.0040"


def test_other_settings_never_share_a_column(full):
    other = make_record("jax")
    other["parameters"]["EPOCHS"] = 1
    put(full, other)
    assert cells(page(full), "JAX (Flax NNX)")[1] == "other settings: EPOCHS=1"


def test_rows_without_records_are_not_measured(root):
    put(root, make_record("tensorflow"))  # and no machine.json
    assert cells(page(root), "JAX (Flax NNX)")[1] == "not measured"
    assert cells(page(root), "TensorFlow")[6] == tables.DASH
    assert "Precision bf16" not in page(root)


def test_mean_accuracy_and_seeds(full):
    assert "Mean test accuracy of these 7 rows: 63.9 %" in page(full)
    assert "by 0.9 points" in page(full)
    (column(full).path / "cnn_cifar10" / "seeds").mkdir()
    for seed, accuracy in ((1, 0.642), (2, 0.637)):  # seed 0 is the row's own
        other = make_record("pytorch-eager", seed=seed, metrics=dict(test_accuracy=[0.5, 0.6, accuracy]),
                            started=f"2026-05-04T1{seed}:30:00+00:00", timings=dict(epochs=[180, 190 + seed, 300]))  # fmt: skip
        put(full, other, f"seeds/pytorch-eager.s{seed}.r1.json")
        put(full, other | dict(seed=9, status="failed"), f"seeds/pytorch-eager.s{seed}.failed.json")
    put(full, make_record("jax", repeat=2, started="2026-05-03T10:00:00+00:00", timings=dict(make_record("jax")["timings"], epochs=[7.0])))
    text = page(full)
    assert "Over 3 seeds (0, 1, 2) PyTorch (eager) reached 63.9, 64.2, 63.7 % (spread 0.5 points)." in text
    jax, pytorch = [make_record(row)["timings"]["epochs"][0] for row in ("jax", "pytorch-eager")]
    assert (
        "Rows that were run more than once, and the median epoch of each run: "
        f"PyTorch (eager) {pytorch:.0f}, 191, 192 s; JAX (Flax NNX) 7, {jax:.0f} s."
    ) in text


def test_then_and_now(full):
    table = tables.then_table(full, "cnn_cifar10", full)
    assert cells(table, "TensorFlow")[1:5] == ["173", "17.3", "57", "5.70"]
    assert cells(table, "TensorFlow")[5:8] == [tables.DASH, tables.DASH, "TensorFlow"]  # no notebook of TensorFlow 1 here
    assert cells(table, "TensorFlow")[8].startswith("[183]")
    assert cells(table, "PyTorch")[8].startswith("[199]")
    assert cells(table, "Julia - Knet")[1:] == ["159", "15.9"] + [tables.DASH] * 6
    assert cells(table, "Caffe2")[5:] == [tables.DASH] * 4
    assert "3 epochs" in table and "671e2a0" in table
    assert tables.then_table(full, "no_such_workload", full) == ""


def test_quick_runs_do_not_stand_beside_the_published_figures(root):
    record = make_record("tensorflow")
    record["data"]["source"] = "sample"
    put(root, record, column="quick-cpu")
    assert cells(tables.then_table(root, "cnn_cifar10", root), "TensorFlow")[-1] == "TensorFlow"


@pytest.mark.parametrize(
    "speed, verdict", [(1.0, "as it should be (1.00"), (0.71, "as it should be (0.71"), (0.69, "slow (0.69")]
)
def test_the_verdict(full, speed, verdict):
    put_machine(full, "local")
    record = make_record("tensorflow")
    put(full, record | {"samples_per_second": record["samples_per_second"] * speed}, where="local")
    text = tables.write_local(column(full, "local").path, full / "results" / "published")
    assert cells(text, "TensorFlow")[-1].startswith(verdict)
    assert cells(text, "TensorFlow")[6] == f"{speed:.2f}"
    assert (column(full, "local").path / "tables.md").exists()


def test_a_verdict_is_honest_without_a_published_row(root):
    put_machine(root, "local")
    put(root, make_record("jax"), where="local")
    text = tables.write_local(column(root, "local").path, root / "results" / "published")
    assert cells(text, "JAX (Flax NNX)")[-1] == "no published row to compare with"


def test_another_profile_is_not_compared_by_epoch(full):
    put_machine(full, "local")
    put(full, make_record("jax"), where="local", column="quick-cpu")
    text = tables.write_local(column(full, "local", "quick-cpu").path, full / "results" / "published")
    assert cells(text, "JAX (Flax NNX)")[2:4] == [tables.DASH] * 2
    assert "The profiles differ" in text


def test_figures_are_small_and_the_same_each_time(full):
    lines = tables.frame(column(full), "cnn_cifar10")
    plan = figures.plan("cnn_cifar10", "fp32", lines[lines["precision"] == "fp32"])
    assert len(plan) == 3
    for name, (_, draw) in plan.items():
        png = draw()
        assert png[:4] == b"\x89PNG" and len(png) < 80_000, name
        assert png == draw(), name
    # partial rows have no place in them
    assert figures.plan("cnn_cifar10", "bf16", lines[lines["precision"] == "bf16"]) == {}


@pytest.mark.parametrize(
    "value, text", [(None, "–"), (float("nan"), "–"), (181.04, "181"), (17.26, "17.3"), (1234.4, "1,234"),
                    (0.31, "0.310"), (0.0123, "0.0123"), (99.96, "100"), (2e-5, "2.00e-05"), (0, "0")]
)  # fmt: skip
def test_number(value, text):
    assert tables.number(value) == text
