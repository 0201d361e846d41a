"""Intervals, ties, states and remarks say no more than the records do."""

import json
from types import SimpleNamespace

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catalog.declarations import Declarations, Measure
from report import statistics, tables
from report.records import Column, ReportError
from tests import golden


def summarize(column, precision="fp32"):
    work = column.inputs.declarations.workloads["cnn_cifar10"]
    return statistics.Summary(column.inputs, work, Column(column.path), precision)


# ---------------------------------------------------------------- intervals and ties


def line(ratios):
    return dict(
        ratio_low=min(ratios), ratio_high=max(ratios), ratio=sorted(ratios)[len(ratios) // 2], rounds=len(ratios)
    )


RATIOS = st.lists(st.floats(0.1, 10), min_size=6, max_size=6)


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(st.text("abcdef", min_size=1, max_size=3), RATIOS, min_size=1, max_size=12))
def test_the_fastest_are_those_that_no_row_is_wholly_above(rows):
    table = pd.DataFrame.from_dict({name: line(ratios) for name, ratios in rows.items()}, orient="index")
    found = statistics.fastest(table)
    for name, ratios in rows.items():
        assert (name in found) == (not any(min(other) > max(ratios) for other in rows.values()))
    medians = [table["ratio"][name] for name in found]
    assert found and medians == sorted(medians, reverse=True)


@given(RATIOS, RATIOS)
def test_rows_whose_intervals_touch_are_tied(a, b):
    found = statistics.fastest(pd.DataFrame.from_dict({"a": line(a), "b": line(b)}, orient="index"))
    apart = min(a) > max(b) or min(b) > max(a)
    assert len(found) == (1 if apart else 2)


def test_medians_ratios_and_the_noise(root):
    speeds = {"pytorch-eager": [1.0, 2.0, 1.0, 1.0, 1.0, 1.0], "jax": [1.0, 2.0, 1.1, 0.9, 1.0, 1.2]}
    found = summarize(golden.Column(root).rounds(speeds=speeds))
    rate = {row: golden.real(row)["measurements"]["training rate"]["values"] for row in speeds}
    rate = {row: sorted(values)[1] for row, values in rate.items()}
    jax = found.lines.loc["jax"]
    assert jax["rate"] == pytest.approx(1.05 * rate["jax"])
    assert (jax["low"], jax["high"]) == pytest.approx((0.9 * rate["jax"], 2 * rate["jax"]))
    # the reference row's two runs of a round are averaged: 1 and 1.02 times its speed
    base = rate["jax"] / (1.01 * rate["pytorch-eager"])
    assert (jax["ratio"], jax["ratio_low"], jax["ratio_high"]) == pytest.approx((base, 0.9 * base, 1.2 * base))
    assert found.lines.loc["pytorch-eager", "ratio"] == 1
    assert found.noise == pytest.approx((1 / 1.02, 1 / 1.02)) and found.rounds == 6
    assert statistics.fastest(found.lines) == ["pytorch-eager"]
    assert list(found.lines.index[:2]) == ["pytorch-eager", "pytorch-compiled"]
    assert found.lines.loc["jax", "seconds"] == pytest.approx(50000 / rate["jax"] / 1.05, rel=1e-2)


@pytest.mark.parametrize("count", [1, 5])
def test_of_fewer_than_six_rounds_none_is_the_fastest(root, count):
    found = summarize(golden.Column(root).rounds(count=count))
    assert statistics.fastest(found.lines) == [] and found.lines["ratio"].notna().sum() == len(golden.ROWS)


def test_an_interrupted_round_still_pairs_the_reference_rows_runs(root):
    column = golden.Column(root).rounds(("pytorch-eager", "jax"))
    path = column.path / golden.WORKLOAD / "pytorch-eager.round1b.json"
    record = json.loads(path.read_text())
    path.write_text(json.dumps(record | {"order": {"seed": 99, "position": 7}}))  # the rest of the round, begun anew
    found = summarize(column)
    assert found.rounds == 6 and found.lines.loc["pytorch-eager", "rounds"] == 6


def test_a_row_measured_apart_from_the_reference_row_has_no_ratio(root):
    column = golden.Column(root).rounds(["pytorch-eager", "tensorflow"])
    for number in range(1, 7):
        column.put(column.record("jax", number=number, order={"seed": 99, "position": 1}))
    jax = summarize(column).lines.loc["jax"]
    assert jax["rate"] > 0 and pd.isna(jax["ratio"]) and pd.isna(jax["rounds"])


def test_rounds_without_the_reference_row_are_rounds_all_the_same(root):
    found = summarize(golden.Column(root).rounds(["jax"], count=3))
    assert found.rounds == 3 and found.lines["ratio"].isna().all()


def test_what_full_runs_measure_comes_from_them(root):
    column = golden.Column(root).rounds(["pytorch-eager", "jax"], count=1)
    assert summarize(column).lines["accuracy"].isna().all()  # the rounds were shortened
    column.put(column.record("jax", "full", speed=0.1))
    jax = summarize(column).lines.loc["jax"]
    assert jax["accuracy"] == golden.real("jax")["measurements"]["test accuracy"]["values"][-1]
    assert jax["rate"] > 100  # a full run's times are no measurements


def test_where_rounds_are_whole_runs_they_say_it(root):
    column = golden.Column(root, profile="quick").rounds(["jax"], count=1)
    assert summarize(column).lines.loc["jax", "accuracy"] > 60


def test_a_cold_measure_leaves_out_the_run_that_its_proof_had_warmed(root):
    column = golden.Column(root)
    for number, seconds in ((1, 0.1), (2, 8.0), (3, 9.0)):
        record = column.record("jax", number=number)
        record["measurements"]["first step"]["values"] = [seconds]
        column.put(record)
        found = summarize(column).lines.loc["jax"]
        assert pd.isna(found["first_step"]) == (number == 1) and found["rate"] > 0
    assert found["first_step"] == 8.5


def test_a_part_shows_no_measure_of_the_whole(root):
    column = golden.Column(root)
    column.put(column.record("numpy"))
    numpy = summarize(column).lines.loc["numpy"]
    assert numpy["rate"] > 0 and pd.isna(numpy["seconds"]) and pd.isna(numpy["accuracy"])


def test_a_row_of_fewer_rounds_says_so_and_is_not_compared(root):
    column = golden.Column(root).rounds(["pytorch-eager", "tensorflow"])
    column.put(column.record("jax"))
    summary = summarize(column)
    assert summary.lines.loc["jax", "remarks"] == ["1 of 6 rounds: no interval"]
    assert not summary.lines.loc["tensorflow", "remarks"]
    assert tables.leaders(summary).startswith("Fastest of 2 rows timed together (of 3) on box: ")


def test_the_share_of_peak_takes_the_fastest_product_of_the_machine(root):
    column = golden.Column(root)
    for number, probe in ((1, 1e11), (2, 2e11), (3, 1e11)):
        both = dict(before=0.9 * probe, after=1.1 * probe, unit="FLOP/s", by="torch")
        column.put(column.record("jax", number=number, probe=both))
    jax = summarize(column).lines.loc["jax"]
    assert jax["share"] == pytest.approx(jax["rate"] * 370.8e6 / 1.5e11)
    assert jax["remarks"] == ["probe off its median in round 2 (+100 %)"]


def test_no_share_of_one_product_alone(root):
    """As columns have it that were measured before several were tried: it can be exceeded."""
    column = golden.Column(root)
    column.put(column.record("jax"))
    described = column.path.parent / "machine.json"
    described.write_text(described.read_text().replace(', "of": "all"', ""))
    assert pd.isna(summarize(column).lines.loc["jax", "share"])


def test_no_share_of_a_peak_that_is_emulated(root):
    column = golden.Column(root)
    column.put(column.record("jax-bf16"))
    assert summarize(column, "bf16").emulated and pd.isna(summarize(column, "bf16").lines.loc["jax-bf16", "share"])
    native = golden.Column(root, machine=golden.MACHINE | {"label": "new", "flags": ["avx512_bf16"]})
    native.put(native.record("jax-bf16"))
    assert not summarize(native, "bf16").emulated


# ---------------------------------------------------------------- states


def test_a_changed_part_is_named(root):
    column = golden.Column(root)
    record = column.record("jax")
    record["inputs"]["cells"]["train_step"] = "another"
    column.put(record)
    jax = summarize(column).lines.loc["jax"]
    assert jax["state"] == "out of date" and jax["reason"] == "cell train_step" and jax["rate"] > 0


@pytest.mark.parametrize("count", [4, 5, 6])
def test_of_many_changed_parts_the_first_are_named(root, count):
    column = golden.Column(root)
    record = column.record("jax")
    changed = ["check", "data", "loss", "model", "setup", "train_step"][:count]
    assert {*changed} <= {*record["inputs"]["cells"]}
    record["inputs"]["cells"] |= dict.fromkeys(changed, "another")
    column.put(record)
    named = ", ".join(f"cell {tag}" for tag in (changed if count < 6 else changed[:4]))
    assert summarize(column).lines.loc["jax", "reason"] == named + " and 2 more" * (count == 6)


def test_a_changed_full_run_leaves_the_speed_current(root):
    column = golden.Column(root)
    column.put(column.record("jax"))
    record = column.record("jax", kind="full")
    record["inputs"]["cells"]["train_step"] = "another"
    column.put(record)
    found = summarize(column)
    jax = found.lines.loc["jax"]
    assert jax["state"] == "full run out of date" and jax["reason"] == "cell train_step"
    assert found.current == 1
    assert found.current_figures == 2, "seconds and rate; the accuracy is an older notebook's"


def test_a_changed_proof_leaves_the_rounds_current(root):
    column = golden.Column(root)
    record = column.record("jax")
    record["inputs"]["reference"] = "another"
    column.put(record)
    jax = summarize(column).lines.loc["jax"]
    assert jax["state"] == "ok" and jax["remarks"] == ["proof out of date: reference"]


def test_only_rounds_of_the_same_work_count_together(root):
    column = golden.Column(root)
    for number in (1, 2, 3):
        record = column.record("jax", number=number, speed=100 if number < 3 else 1)
        record["inputs"]["cells"]["train"] = "old" if number < 3 else record["inputs"]["cells"].get("train")
        column.put(record)
    assert summarize(column).lines.loc["jax", "rate"] < 1000


def test_a_failed_newest_run_hides_the_figures(root):
    column = golden.Column(root)
    column.put(column.record("jax"))
    failed = column.record("jax", number=2, status="failed", reason="ValueError: no\n  File x.py", measurements={})
    column.put(failed, "jax.round2.failed")
    jax = summarize(column).lines.loc["jax"]
    assert (jax["state"], jax["reason"]) == ("failed", "ValueError: no") and pd.isna(jax["rate"])


def test_a_skipped_run_is_a_remark_where_there_are_good_ones(root):
    column = golden.Column(root)
    column.put(column.record("jax"))
    skipped = column.record("jax", number=2, status="skipped", reason="no compiler", measurements={})
    column.put(skipped, "jax.round2.failed")
    jax = summarize(column).lines.loc["jax"]
    assert jax["state"] == "ok" and jax["remarks"] == ["skipped in run 2: no compiler"]


def test_a_proof_alone_is_shown_without_figures(root):
    column = golden.Column(root)
    column.put(column.record("jax", "proof", measurements={}))
    jax = summarize(column).lines.loc["jax"]
    assert jax["state"] == "proof only" and pd.isna(jax["rate"]) and jax["proof"] < 1


def test_settings_by_hand_are_not_out_of_date(root):
    column = golden.Column(root, name="cpu-cpu-set-0123")
    record = column.record("jax")
    record["inputs"]["parameters"]["BATCH_SIZE"] = record["parameters"]["BATCH_SIZE"] = 128
    column.put(record)
    assert summarize(column).lines.loc["jax", "state"] == "ok"
    record["inputs"]["data"] = "of other data"
    column.put(record)
    assert summarize(column).lines.loc["jax", "state"] == "out of date", "not by hand"
    record["inputs"]["parameters"]["DATA"] = record["parameters"]["DATA"] = "sample"
    column.put(record)
    assert summarize(column).lines.loc["jax", "state"] == "ok"


def test_a_record_of_ones_own_python_is_not_held_against_the_locks(root):
    column = golden.Column(root)
    record = column.record("jax")
    record["inputs"]["environment"] |= {"lock": None, "packages": ["jax==0.1"], "python": ["3.99"]}
    column.put(record)
    assert summarize(column).lines.loc["jax", "state"] == "ok"


def test_another_unit_is_refused(root):
    column = golden.Column(root)
    record = column.record("jax")
    record["measurements"]["import"]["unit"] = "fortnight"
    column.put(record)
    with pytest.raises(ReportError, match="import is in s, the record has fortnight"):
        summarize(column)


# ---------------------------------------------------------------- remarks


def compare(root, machine=golden.MACHINE, speeds=None, rows=golden.ROWS, profile="cpu"):
    theirs = golden.Column(root, "published").rounds(count=1)
    mine = golden.Column(root, machine=machine, profile=profile).rounds(rows, count=1, speeds=speeds)
    table = statistics.beside(summarize(mine), summarize(theirs))
    return table, {row: remarks for row, remarks in table["remarks"].items() if remarks}


def test_one_slow_row_on_the_same_machine_is_remarked_on(root):
    table, remarks = compare(root, speeds={row: [0.2 if row == "jax" else 0.5] for row in golden.ROWS})
    assert remarks == {"jax": ["2.5 times slower than this machine's other rows suggest"]}
    assert table.loc["jax", "ratio"] == pytest.approx(0.2) and table.loc["theano", "ratio"] == pytest.approx(0.5)


def test_one_fast_row_is_remarked_on_too(root):
    assert compare(root, speeds={"jax": [2.0]})[1] == {
        "jax": ["2.0 times faster than this machine's other rows suggest"]
    }


@pytest.mark.parametrize("change", [
    dict(family="6"), dict(model="2"), dict(vendor="GenuineIntel"), dict(flags=[*golden.FLAGS, "amx_tile"]),
])  # fmt: skip
def test_on_another_machine_no_row_is_remarked_on(root, change):
    table, remarks = compare(root, machine=golden.MACHINE | change, speeds={"jax": [0.02]})
    assert remarks == {} and table.loc["jax", "ratio"] == pytest.approx(0.02)


@pytest.mark.parametrize("how", [
    dict(speeds={"jax": [0.2]}, rows=golden.ROWS[:4]), dict(speeds={"jax": [0.2]}, profile="quick"),
    dict(speeds={"jax": [1 / 1.39]}),
])  # fmt: skip
def test_four_rows_another_profile_or_a_small_difference_say_nothing(root, how):
    assert compare(root, **how)[1] == {}


def test_what_is_not_known_is_never_the_same_machine(root):
    old = Column(golden.Column(root, machine=golden.OLDER).path)
    assert not statistics.same_kind(old, old)


def test_one_thread_of_two_is_remarked_on_anywhere(root):
    column = golden.Column(root)
    column.put(column.record("jax", threads={"given": 2, "busy": 1.02, "pools": []}))
    column.put(column.record("tensorflow", threads={"given": 2, "busy": 1.61, "pools": []}))
    lines = summarize(column).lines
    assert (
        lines.loc["jax", "remarks"] == ["ran with 1.0 of 2 threads busy"] and lines.loc["tensorflow", "remarks"] == []
    )


def test_threads_of_a_full_run_are_not_remarked_on_as_other_work_may_go_on_beside_it(root):
    column = golden.Column(root)
    column.put(column.record("jax", "full", threads={"given": 2, "busy": 1.02, "pools": []}))
    assert summarize(column).lines.loc["jax", "remarks"] == []


def test_threads_of_the_cpu_are_not_remarked_on_beside_a_gpu(root):
    column = golden.Column(root)
    column.put(column.record("jax", device="gpu", threads={"given": 16, "busy": 1.02, "pools": []}))
    assert summarize(column).lines.loc["jax", "remarks"] == []


@pytest.mark.parametrize(
    "lacks, kind, named",
    [
        ("test accuracy", "round", 0),
        ("test accuracy", "full", 1),
        ("peak memory", "round", 1),
        ("peak memory", "full", 0),
    ],
)
def test_what_a_kind_of_run_tells_is_missed_where_there_is_one(root, lacks, kind, named):
    column = golden.Column(root)
    record = column.record("pytorch-eager", kind)
    del record["measurements"][lacks]
    column.put(record)
    assert len([*statistics.Results(Declarations(root), [Column(column.path)]).mistakes()]) == named


def test_a_measure_that_no_record_has_is_named_with_its_line(root):
    column = golden.Column(root)
    few, record = column.record("jax"), column.record("pytorch-eager")
    del few["measurements"]["peak memory"], record["measurements"]["peak memory"]
    column.put(few)
    results = statistics.Results(Declarations(root), [Column(column.path)])
    assert not [*results.mistakes()], "a few rows may lack what the reference row measures"
    column.put(record)
    (said,) = statistics.Results(Declarations(root), [Column(column.path)]).mistakes()
    text = (root / "notebooks/cnn_cifar10/workload.toml").read_text().splitlines()
    assert (
        f"cnn_cifar10/workload.toml, line {text.index('[measures.memory]') + 1}: " in said and "'peak memory'" in said
    )


# ---------------------------------------------------------------- a measure's value


@pytest.mark.parametrize(
    ("unit", "over", "recorded", "values", "shown"),
    [
        ("ms", None, "s", [0.004, 0.002, 0.003], 3.0),
        ("MB", None, "byte", [2e6], 2.0),
        ("min", "TRAIN_SAMPLES", "1/s", [10.0], 2.0),
        ("s", 600, "1/s", [10.0], 60.0),
    ],
)
def test_a_value_is_in_its_measures_unit(unit, over, recorded, values, shown):
    measure = Measure("m", "M", "x", unit, "lower", over=over)
    record = {"measurements": {"x": {"unit": recorded, "values": values}}, "part": False, "proof": None}
    record |= {"parameters": {"TRAIN_SAMPLES": 1200}, "path": "here"}
    row = SimpleNamespace(parameters={"TRAIN_SAMPLES": 50000})  # what ran counts, not what is declared
    assert statistics.value(measure, record, row) == pytest.approx(shown)


@pytest.mark.parametrize(("device", "share"), [("gpu", 0.5), ("cpu", 1.0)])
def test_a_share_on_two_gpus_is_of_both(device, share):
    speed = Measure("rate", "images/s", "training rate", "1/s", "higher", speed=True)
    one = object.__new__(statistics.Summary)
    one.emulated, one.peak, one.column = False, 1e12, SimpleNamespace(profile="gpu", device=device)
    one.work = SimpleNamespace(measures={"rate": speed}, speed=speed, flops_of=lambda profile: 1e9)
    record = {"measurements": {"training rate": {"unit": "1/s", "values": [1000.0]}}}
    record |= {"part": False, "proof": None, "kind": "round", "order": None, "path": "here"}
    assert one._run(record, SimpleNamespace(parameters={"DEVICES": 2}, shortened={}))["share"] == share
