"""What is no record is named and left alone; old records are upgraded; each is read once."""

import json
from collections import Counter
from pathlib import Path

import pytest

from report import pages, records
from tests import golden


@pytest.fixture(scope="module")
def column(tmp_path_factory):
    return golden.Column(golden.checkout(tmp_path_factory.mktemp("checkout")))


@pytest.mark.parametrize("change, sentence", [
    (lambda text: text.replace('"schema": 2', '"schema": 3'), "its schema 3 is newer than 2"),
    (lambda text: text.replace('"schema": 2', '"schema": "2"'), "it names no schema"),
    (lambda text: text.replace('"schema": 2, ', ""), "it names no schema"),
    (lambda text: text.replace('"schema": 2', '"schema": 0'), "its schema 0 is not 2"),
    (lambda text: text[: len(text) // 2], "no JSON that can be read"),
    (lambda text: "", "no JSON that can be read"),
    (lambda text: "[]", "it names no schema"),
    (lambda text: text.replace('"wall": ', '"wall": NaN, "was": '), "NaN is no number"),
    (lambda text: text.replace('"wall": ', '"wall": 1e999, "was": '), "1e999 is no number"),
    (lambda text: text.replace('"status": "ok"', '"status": "fine"'), "status: 'fine' is not one of"),
    (lambda text: text.replace('"unit": "1/s", "values": [', '"unit": "1/s", "values": ["fast", '), "values.0: 'fast'"),
    (lambda text: '{"schema": 1, "status": "ok"}', "its schema 1 could not be upgraded"),
])  # fmt: skip
def test_what_is_no_record_is_named_and_left_alone(column, change, sentence, capsys):
    path = column.put(column.record("jax"))
    column.put(column.record("tensorflow"))
    text = change(json.dumps(column.record("jax")))
    path.write_text(text)
    read = records.Column(column.path)
    (said,) = read.unread
    assert "cnn_cifar10/jax.round1.json: " in said and sentence in said and said in capsys.readouterr().err
    assert [record["row"] for record in read.records] == ["tensorflow"]
    assert path.read_text() == text


def test_a_file_that_is_no_record_is_named_on_the_page(column):
    column.put(column.record("tensorflow"))
    column.put(column.record("jax")).write_text("{")
    pages.local(column.path)
    assert "jax" not in (column.path / "records.csv").read_text()
    assert "cnn_cifar10/jax.round1.json: no JSON that can be read" in (column.path / "tables.md").read_text()


def test_a_machine_that_cannot_be_read_is_said(column):
    column.put(column.record("jax"))
    (column.path.parent / "machine.json").write_text("{")
    read = records.Column(column.path)
    assert read.machine == {} and "machine.json" in read.unread[0]


def test_each_record_is_read_once(tmp_path, monkeypatch):
    root = golden.with_published(golden.checkout(tmp_path))
    golden.Column(root, "published").rounds(count=2)
    count, read = Counter(), Path.read_bytes

    def counted(path):
        count[path] += 1
        return read(path)

    monkeypatch.setattr(Path, "read_bytes", counted)
    pages.render(pages.published(root))
    paths = list((root / "results").rglob("*.json"))
    assert len(paths) > 20
    assert {count[path] for path in paths if path.name != "machine.json"} == {1}


def test_an_upgraded_record_says_what_the_old_one_said():
    path = golden.PUBLISHED / "amd-epyc-2core/cpu-cpu/cnn_cifar10/jax.r1.json"
    old, new = json.loads(path.read_text()), golden.real("jax")
    values = {name: one["values"] for name, one in new["measurements"].items()}
    assert new["kind"] == "round" and new["round"] == 1
    middle = sorted(values["training rate"])[1]
    assert middle == pytest.approx(old["samples_per_second"], rel=1e-12)
    assert values["test accuracy"] == [100 * accuracy for accuracy in old["metrics"]["test_accuracy"]]
    assert values["first step"] == [old["timings"]["first_step"]] and values["evaluation"] == old["timings"]["evaluate"]
    assert list(new["proof"]["parts"]) == ["gradients", "losses"] and new["proof"]["passed"]


@pytest.mark.parametrize("name, called", [
    ("jax.round3.json", "3"), ("jax.round3b.json", "3b"), ("jax.full.json", "full"), ("jax.seed2.full.json", "seed 2"),
    ("jax.proof.json", "proof"), ("jax.r2.json", "2"), ("jax.s2.r1.json", "seed 2"),
])  # fmt: skip
def test_what_a_run_is_called(column, name, called):
    path = column.put(column.record("jax"), name)
    record = records.read(path, {})
    path.unlink()
    assert record["repeat"] == called and record["seed"] == called.startswith("seed")
