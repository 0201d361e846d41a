"""What is no record is named and left alone; each is read once, from files of their own or from lines."""

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
    (lambda text: text.replace('"schema": 2', '"schema": 1'), "its schema 1 is not 2"),
    (lambda text: "<<<<<<< HEAD", "no JSON that can be read"),
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


def test_a_line_that_is_no_record_is_named_and_the_others_are_read(checkout, capsys):
    column = golden.Column(checkout, "published").rounds(("jax", "tensorflow", "theano"), count=1)
    path = column.path / f"{golden.WORKLOAD}.jsonl"
    jax, tensorflow, theano = path.read_text().splitlines()
    nameless = theano.replace('"name":"theano.round1",', "")
    path.write_text("\n".join([jax, tensorflow[:99], theano, jax, nameless, ""]))
    read = records.Column(column.path)
    assert [record["name"] for record in read.records] == ["jax.round1", "theano.round1"]
    assert [said.split(": ")[0] for said in read.unread] == [f"cnn_cifar10.jsonl, line {k}" for k in (2, 4, 5)]
    for said, what in zip(read.unread, ("no JSON", "jax.round1 stands in it twice", "it has no name"), strict=True):
        assert what in said
    assert capsys.readouterr().err.splitlines() == read.unread


def test_lines_are_sorted_and_hold_what_was_recorded(column):
    made = {name: column.record("jax", number=number) for number, name in ((2, "jax.round2"), (1, "jax.round1"))}
    text = records.lines(made).decode()
    assert [line.split(",")[0] for line in text.splitlines()] == ['{"name":"jax.round1"', '{"name":"jax.round2"']
    for line, name in zip(text.splitlines(), sorted(made), strict=True):
        found = records.read(line.encode(), column.path)
        assert found["name"] == name and records.plain(found) == made[name]
        assert list(json.loads(line)) == ["name", *sorted(made[name])]
        assert line == json.dumps(json.loads(line), separators=(",", ":"))


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
    paths = list((root / "results").rglob("*.jsonl"))
    assert len(paths) == 2 and {count[path] for path in paths} == {1}


@pytest.mark.parametrize("name, called", [
    ("jax.round3", "3"), ("jax.round3b", "3b"), ("jax.full", "full"), ("jax.seed2.full", "seed 2"),
    ("jax.proof", "proof"), ("jax.round1.failed", "1.failed"),
])  # fmt: skip
def test_what_a_run_is_called(column, name, called):
    path = column.path / golden.WORKLOAD / f"{name}.json"
    record = records.read(json.dumps(column.record("jax")).encode(), path, name)
    assert record["repeat"] == called and record["seed"] == called.startswith("seed")
