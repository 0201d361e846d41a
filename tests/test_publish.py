"""Publishing leaves no trace of papermill or the machine, and what it generates cannot drift."""

import json
import re

import nbformat
import pytest

from runner import publish, side_by_side
from tests.test_tables import SECONDS, column, full, make_notebook, make_record, put, put_machine, root  # noqa: F401

README = """# Title

<!-- figure -->
<!-- /figure -->

Prose stays.

<!-- tables:cnn_cifar10 -->
old
<!-- /tables -->

<!-- map -->
<!-- /map -->
"""


def execute(root, row, framework, where="local", column_name="cpu-cpu", **parameters):  # noqa: F811
    """Write a record and the notebook that papermill would leave, with `parameters` injected; return its path."""
    source = json.loads((root / "notebooks" / "cnn_cifar10" / f"{framework}.ipynb").read_text())
    lines = {"RECORD_PATH": "/somewhere/record.json", "THREADS": 2, "EPOCHS": 3, **parameters}
    injected = dict(cell_type="code", id="injected", execution_count=None, outputs=[],
                    metadata={"tags": ["injected-parameters"]},
                    source="# Parameters\n" + "\n".join(f"{n} = {v!r}" for n, v in lines.items()))  # fmt: skip
    source["cells"].insert(2, injected)
    source["metadata"]["papermill"] = {"duration": 3, "input_path": "x"}
    for count, cell in enumerate(source["cells"]):
        cell["metadata"] |= {"papermill": {"duration": 1}, "execution": {"iopub.execute_input": "2026"}}
        if cell["cell_type"] == "code":
            cell["execution_count"] = count
            cell["outputs"] = [dict(output_type="stream", name="stdout", text=f"{row} cell {cell['id']}")]
    record = put(root, make_record(row), where=where, column=column_name)
    put_machine(root, where)
    path = record.with_name(f"{row}.ipynb")
    path.write_text(json.dumps(source))
    return path


def edit(path, change):
    notebook = json.loads(path.read_text())
    change(notebook)
    path.write_text(json.dumps(notebook))


def publish_local(root):  # noqa: F811
    return publish.publish(column(root, "local").path, root)


def test_papermills_traces_are_stripped(root):  # noqa: F811
    execute(root, "tensorflow", "tensorflow")
    publish_local(root)
    published = root / "results/published/box/cpu-cpu/cnn_cifar10/tensorflow.ipynb"
    for path in (published, root / "notebooks/cnn_cifar10/tensorflow.ipynb"):
        text = path.read_text()
        for trace in ("papermill", "injected", "iopub", "/somewhere"):
            assert trace not in text, (path, trace)
        assert "tensorflow cell model" in text
        counts = [c.execution_count for c in nbformat.reads(text, 4).cells if c.cell_type == "code"]
        assert counts == [1, 2, 3, 4]
        nbformat.validate(nbformat.reads(text, 4))


def test_sources_of_the_notebook_are_not_touched(root):  # noqa: F811
    path = root / "notebooks/cnn_cifar10/tensorflow.ipynb"
    execute(root, "tensorflow", "tensorflow")
    publish_local(root)
    expected = make_notebook("tensorflow")
    shown = json.loads(path.read_text())
    assert [c["source"] for c in nbformat.read(path, 4).cells] == [c["source"] for c in expected["cells"]]
    assert [c["metadata"] for c in shown["cells"]] == [c["metadata"] for c in expected["cells"]]


def test_a_variant_says_what_it_ran_with_and_leaves_the_notebook_alone(root):  # noqa: F811
    before = (root / "notebooks/cnn_cifar10/pytorch.ipynb").read_bytes()
    execute(root, "pytorch-eager", "pytorch", EPOCHS=5, DATA="sample")
    publish_local(root)
    text = (
        nbformat.read(root / "results/published/box/cpu-cpu/cnn_cifar10/pytorch-eager.ipynb", 4)
        .cells[1]
        .source
    )
    assert text == 'EPOCHS = 5  # passes over the data\nDATA = "sample"\nTHREADS = 0\nRECORD_PATH = ""'
    assert (root / "notebooks/cnn_cifar10/pytorch.ipynb").read_bytes() == before


def test_a_default_row_with_other_settings_leaves_the_notebook_alone(root):  # noqa: F811
    before = (root / "notebooks/cnn_cifar10/tensorflow.ipynb").read_bytes()
    execute(root, "tensorflow", "tensorflow", EPOCHS=10)
    assert "keeps its outputs: tensorflow ran with other settings" in publish_local(root)
    assert (root / "notebooks/cnn_cifar10/tensorflow.ipynb").read_bytes() == before


@pytest.mark.parametrize(
    "change, message",
    [
        (lambda n: n["cells"][3].update(source="model = other()"), "sources differ"),
        (lambda n: n["cells"][3]["outputs"][0].update(text="x" * 400_000), "more than 300 KB"),
        (lambda n: n["cells"].pop(), "sources differ"),
    ],
)
def test_what_must_not_be_published_is_refused_and_nothing_written(root, change, message):  # noqa: F811
    path = execute(root, "tensorflow", "tensorflow")
    edit(path, change)
    before = {p: p.read_bytes() for p in (root / "notebooks").rglob("*.*")}
    with pytest.raises(publish.PublishError, match=f"cnn_cifar10/tensorflow: .*{message}"):
        publish_local(root)
    assert not (root / "results" / "published").exists()
    assert before == {p: p.read_bytes() for p in (root / "notebooks").rglob("*.*")}


def test_machine_paths_and_missing_notebooks_are_refused(root):  # noqa: F811
    path = execute(root, "tensorflow", "tensorflow")
    edit(path, lambda n: n["cells"][3]["outputs"][0].update(text=f"{root}/common/x.py: warning"))
    with pytest.raises(publish.PublishError, match="names? a folder of this machine"):
        publish_local(root)
    path.unlink()
    with pytest.raises(publish.PublishError, match="cnn_cifar10/tensorflow"):
        publish_local(root)


def test_an_empty_column_is_refused(root):  # noqa: F811
    (root / "results/local/box/cpu-cpu").mkdir(parents=True)
    with pytest.raises(publish.PublishError, match="no records"):
        publish_local(root)


def test_a_new_run_replaces_the_old_and_a_failure_is_published(root):  # noqa: F811
    execute(root, "tensorflow", "tensorflow")
    published = put(root, make_record("tensorflow", repeat=2))
    failed = dict(workload="cnn_cifar10", row="jax", status="failed", started="2026-06-01",
                  reason=f"ValueError: no\n  File {root}/secret.py")  # fmt: skip
    put(root, failed, "jax.failed.json", where="local")
    publish_local(root)
    assert not published.exists()
    text = (published.parent / "jax.failed.json").read_text()
    assert "ValueError: no" in text and "secret" not in text


def test_regenerating_twice_changes_no_byte(full):  # noqa: F811
    (full / "README.md").write_text(README)
    assert publish.regenerate(full)
    assert publish.outdated(full) == []
    times = {p: p.stat().st_mtime_ns for p in full.rglob("*") if p.is_file()}
    assert publish.regenerate(full) == []
    assert times == {p: p.stat().st_mtime_ns for p in full.rglob("*") if p.is_file()}


@pytest.mark.parametrize(
    "name", ["README.md", "notebooks/cnn_cifar10/README.md", "results/published/box/cpu-cpu/tables.md"]
)
def test_a_changed_digit_is_seen(full, name):  # noqa: F811
    (full / "README.md").write_text(README)
    publish.regenerate(full)
    path = full / name
    text = path.read_text()
    path.write_text(text.replace("100", "101", 1) if "100" in text else text.replace("183", "184", 1))
    assert path.read_text() != text
    assert publish.outdated(full) == [path]


def test_a_changed_record_is_seen(full):  # noqa: F811
    (full / "README.md").write_text(README)
    publish.regenerate(full)
    put(full, make_record("jax") | {"samples_per_second": 999.0})
    assert full / "README.md" in publish.outdated(full)


def test_prose_outside_the_markers_stays(full):  # noqa: F811
    (full / "README.md").write_text(README)
    publish.regenerate(full)
    text = (full / "README.md").read_text()
    assert text.startswith("# Title\n\n<!-- figure -->\n") and "\nProse stays.\n" in text
    assert "\nold\n" not in text
    (full / "README.md").write_text("<!-- tables:nothing -->\n<!-- /tables -->")
    with pytest.raises(publish.PublishError, match="cnn_cifar10"):
        publish.regenerate(full)


def test_every_link_leads_to_a_file(full):  # noqa: F811
    (full / "README.md").write_text(README)
    for row in SECONDS:
        execute(full, row, row.split("-")[0], where="published")
    publish.regenerate(full)
    pages = [p for p in full.rglob("*.md")]
    assert len(pages) == 4
    links = [(p, t) for p in pages for t in re.findall(r"\]\(([^)]+)\)|href=\"([^\"]+)\"", p.read_text())]
    local = [(page, a or b) for page, (a, b) in links if not (a or b).startswith("https://")]
    assert len(local) > 40
    for page, target in local:
        assert (page.parent / target).exists(), (page, target)


def test_nothing_published_yet(root):  # noqa: F811
    (root / "README.md").write_text(README)
    publish.regenerate(root)
    assert (root / "README.md").read_text().count("Not measured yet.") == 2
    assert publish.outdated(root) == []


def test_the_side_by_side_page_has_every_cell_of_every_framework(root):  # noqa: F811
    page = side_by_side.page(root, "cnn_cifar10")
    for path in sorted((root / "notebooks/cnn_cifar10").glob("*.ipynb")):
        notebook = nbformat.read(path, 4)
        for tag in side_by_side.SECTIONS:
            assert side_by_side.tagged(notebook, tag) in page
    assert [line for line in page.splitlines() if line.startswith("## ")] == [
        "## Model", "## Loss and optimiser", "## Training step"]  # fmt: skip
    # GitHub renders a fence inside a table cell only between blank lines
    assert page.count("\n\n```python\n") == page.count("```\n\n</td>") == 15


def test_wide_cells_stand_alone():
    def widths(*lines):
        return [len(row) for row in side_by_side._pack([{"code": "x" * n} for n in lines])]

    assert widths(100, 100, 120, 120, 80) == [2, 1, 2]
    assert widths(20, 20, 20) == [2, 1]
