"""A workload's page of its own: it says what the records say, and what is missing."""

import re
from pathlib import Path

import pytest

from report import pages, study, tables
from tests import golden

STUDY = """
[page.study]
file = "forms"
title = "Two forms"
text = "Why."
note = "How it was counted."
table = "profile"
measures = ["seconds", "accuracy"]
then = { seconds = { columns = ["K80"], times = 0.1 } }
forms = [
    { title = "Eager", what = "as written", rows = ["pytorch-eager", "jax"] },
    { title = "Compiled", what = "in one go", rows = ["pytorch-compiled"] },
]
"""
TIMES = {"columns": ["kind", "total, ms"], "rows": [["products", 30.0], ["new arrays", 60.0], ["products", 10.0]]}


@pytest.fixture
def declared(root):
    """A checkout whose workload declares such a page."""
    path = root / "notebooks" / golden.WORKLOAD / "workload.toml"
    text, real = path.read_text(), path.readlink()
    table = 'tables = [{ name = "profile", title = "Time", shares = true }]\nsections = ['
    path.unlink()
    path.write_text(
        text.replace("\nsections = [", f"\n{table}", 1).replace("\n[[published]]", f"{STUDY}\n[[published]]", 1)
    )
    yield root
    path.unlink()
    path.symlink_to(real)


def page_of(root):
    results = pages.published(root)
    made = study.files(results, results.declarations.workloads[golden.WORKLOAD])
    (text,) = [content for content in made.values() if isinstance(content, str)]
    return text, sorted(path.name for path in made if path.suffix == ".png")


def profiled(column, *rows):
    for row in rows:
        column.put(column.record(row, kind="full", tables={"profile": TIMES}))


def test_without_records_the_page_says_so(declared):
    text, figures = page_of(declared)
    assert "# Two forms\n\nWhy.\n" in text and "Not measured yet." in text and figures == []


def test_what_is_missing_is_named(declared):
    golden.Column(declared, "published").rounds(("pytorch-eager", "jax"), count=2)
    text, figures = page_of(declared)
    assert "Not timed yet: PyTorch (compiled)." in text and "has a profile of two of these rows yet" in text
    assert "No profile yet: PyTorch (eager), JAX (Flax NNX) and PyTorch (compiled)." in text
    assert figures == ["forms-then.png"] and "How it was counted." in text


def test_the_forms_are_compared(declared):
    column = golden.Column(declared, "published").rounds(("pytorch-eager", "pytorch-compiled", "jax"), count=2)
    profiled(column, "pytorch-eager", "pytorch-compiled")
    text, figures = page_of(declared)
    assert figures == ["forms-profile.png", "forms-then.png"]
    assert "new arrays 60 %, products 40 %" in text and "No profile yet: JAX (Flax NNX)." in text
    results = pages.published(declared)
    lines = results.main(results.declarations.workloads[golden.WORKLOAD]).lines
    slow, fast = sorted(("pytorch-eager", "jax"), key=lambda row: lines.loc[row, "rate"])
    title = {row: results.declarations.frameworks[row.partition("-")[0]]["title"] for row in (slow, fast)}
    times = tables.number(lines.loc[fast, "rate"] / lines.loc[slow, "rate"], 2)
    assert f"Eager, {title[slow]} takes {times} times as long as {title[fast]}" in text
    assert re.search(
        r"PyTorch, eager → compiled: s per epoch [\d.]+ → [\d.]+; test accuracy [\d.]+ % → [\d.]+ %\.", text
    )


def test_rows_of_other_notebooks_are_named(declared):
    column = golden.Column(declared, "published").rounds(("pytorch-eager", "jax"), count=2)
    for name, record in golden.named(column.path / f"{golden.WORKLOAD}.jsonl").items():
        if record["row"] == "jax":
            record["inputs"]["cells"]["model"] = "0" * 64
            column.put(record, name)
    assert "have changed since: JAX (Flax NNX)." in page_of(declared)[0]


def test_its_figures_show_what_was_published(declared):
    golden.Column(declared, "published").rounds(("pytorch-eager", "jax"), count=2)
    results = pages.published(declared)
    made = study.files(results, results.declarations.workloads[golden.WORKLOAD])
    (figure,) = [made[path] for path in made if path.name == "forms-then.png"]
    (panel,) = figure.shown["panels"]
    old = results.declarations.workloads[golden.WORKLOAD].published[0]["rows"]
    known = {entry.get("row") or entry.get("heir"): entry["K80"] / 10 for entry in old if "K80" in entry}
    then = dict(zip(["pytorch-eager", "jax", "pytorch-compiled"], panel["then"], strict=True))
    assert then["pytorch-eager"][0] == [known["pytorch-eager"]] * 2 and then["pytorch-compiled"] == []
    assert panel["now"][0] > 0 and panel["now"][2] != panel["now"][2]


def test_figures_that_are_no_longer_drawn_are_removed(declared):
    golden.Column(declared, "published").rounds(("pytorch-eager",), count=1)
    old = declared / "results" / "figures" / "forms-profile.png"
    old.parent.mkdir()
    old.write_bytes(b"")
    assert pages.render(pages.published(declared))[old] is None


def test_this_projects_page_is_there():
    root = Path(__file__).resolve().parent.parent
    for page in ("README.md", "notebooks/mlp_mnist/README.md", "notebooks/mlp_mnist/julia.ipynb", "docs/adding.md"):
        assert "results/memory.md" in (root / page).read_text(), page
