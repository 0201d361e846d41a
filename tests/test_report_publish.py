"""Publishing leaves no trace of papermill or the machine, and refuses what must not be seen."""

import json
import shutil

import nbformat
import pytest

from report import publish, records
from report.records import ReportError
from tests import golden

FOLDER = "/".join(["", "home", "someone"])  # a folder of some machine
PAPERMILL = ("papermill", "injected", "iopub", "/somewhere", "referee")
LESSON = "notebooks/cnn_cifar10/tensorflow.ipynb"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return golden.checkout(tmp_path_factory.mktemp("checkout"))


@pytest.fixture
def root(made):
    """A checkout with notebooks of its own, for publishing writes into them."""
    shutil.rmtree(made / "results")
    shutil.rmtree(made / "notebooks")
    (made / "results" / "published").mkdir(parents=True)
    (made / "notebooks" / golden.WORKLOAD).mkdir(parents=True)
    for path in (golden.ROOT / "notebooks" / golden.WORKLOAD).iterdir():
        if path.suffix != ".md":
            (made / "notebooks" / golden.WORKLOAD / path.name).symlink_to(path)
    return made


@pytest.fixture
def column(root):
    """A local column with the full run and a round of one default row, and the full run of a row that is none."""
    column = golden.Column(root)
    column.execute(column.record("tensorflow"), DEVICE="cpu")
    column.execute(column.record("tensorflow", "full"), DEVICE="cpu")
    column.execute(column.record("keras-torch", "full"), BACKEND="torch")
    return column


def lines_of(root, name="cpu-cpu"):
    return root / "results/published/box" / name / f"{golden.WORKLOAD}.jsonl"


def alter(root, name, new=None, **entries):
    """Changes entries of a published record, or adds it under a new name."""
    known = golden.named(lines_of(root))
    lines_of(root).write_bytes(records.lines(known | {new or name: known[name] | entries}))


def code(path):
    return [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]


def test_a_lesson_shows_its_own_full_run_without_the_referee(root, column):
    """Rounds and rows that are not the default leave their record alone; settings stay as the lesson has them."""
    shown, path = root / LESSON, lines_of(root)
    before = nbformat.read(shown, as_version=4)
    assert publish.publish(column.path).startswith("Published box, cpu, profile cpu")
    assert sorted(one.name for one in path.parent.iterdir()) == ["README.md", "cnn_cifar10.jsonl", "records.csv"]
    after, text = nbformat.read(shown, as_version=4), shown.read_text()
    nbformat.validate(after)
    assert [cell.source for cell in after.cells] == [cell.source for cell in before.cells]
    assert not [trace for trace in PAPERMILL if trace in text]
    assert [cell.execution_count for cell in code(shown)] == list(range(1, len(code(shown)) + 1))
    assert [cell.outputs[0].text for cell in code(shown)][0] == "tensorflow cell 1 of box"
    found = golden.named(path)
    assert list(found) == ["keras-torch.full", "tensorflow.full", "tensorflow.round1"]
    assert (path.parent / found.pop("tensorflow.full")["notebook"]["file"]).resolve() == shown
    assert [record["notebook"] for record in found.values()] == [None, None]
    assert "(../notebooks/cnn_cifar10/tensorflow.ipynb)" in (root / "results" / "cnn_cifar10.md").read_text()


def test_a_run_takes_the_place_of_one_that_was_skipped(root, column):
    column.put(column.record("jax", "full", status="skipped", reason="no compiler"), "jax.full.failed")
    publish.publish(column.path)
    assert "jax.full.failed" in golden.named(lines_of(root))
    for path in column.path.glob("*/jax.full.failed*"):
        path.unlink()
    column.execute(column.record("jax", "full"))
    publish.publish(column.path)
    assert {"jax.full", "jax.full.failed"} & golden.named(lines_of(root)).keys() == {"jax.full"}


def test_a_gpus_column_leaves_the_notebooks_as_they_are(root):
    column = golden.Column(root, profile="gpu", name="gpu-gpu")
    column.execute(column.record("tensorflow", "full", device="gpu"))
    before = (root / LESSON).read_bytes()
    publish.publish(column.path)
    assert (root / LESSON).read_bytes() == before
    path = lines_of(root, "gpu-gpu")
    assert list(golden.named(path)) == ["tensorflow.full"]
    assert "No timed rounds" in (path.parent / "README.md").read_text()


@pytest.mark.parametrize(
    ("warning", "kept"),
    [
        (f"{FOLDER}/lib/python3.12/site-packages/torch/compile.py:322: TF32\n", "torch/compile.py:322: TF32\n"),
        (f"{FOLDER}/ipykernel_123/456.py:7: The name is deprecated.\n", "456.py:7: The name is deprecated.\n"),
    ],
)
def test_warnings_lose_their_folders(warning, kept):
    output = nbformat.v4.new_output("stream", name="stderr", text=warning)
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("1", outputs=[output])])
    assert publish.clean(notebook).cells[0].outputs[0].text == kept


def test_the_chatter_of_old_releases_goes_and_other_warnings_stay():
    advice = "WARNING:tensorflow:From keras/backend.py:4: use tf.nn.max_pool2d.\nInstructions for updating:\nIf using Keras\n\n"
    texts = {"stderr": "Using TensorFlow backend.\n", "stdout": advice + "epoch 1: loss 1.80\nWARNING: diverged\n"}
    outputs = [nbformat.v4.new_output("stream", name=name, text=text) for name, text in texts.items()]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("1", outputs=outputs)])
    assert [o.text for o in publish.clean(notebook).cells[0].outputs] == ["epoch 1: loss 1.80\nWARNING: diverged\n"]


def test_the_empty_box_of_a_summary_goes():
    outputs = [
        nbformat.v4.new_output("display_data", {"text/html": f'<pre style="x">{text}</pre>\n', "text/plain": text})
        for text in ("", "Model")
    ]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("1", outputs=outputs)])
    assert [o.data["text/plain"] for o in publish.clean(notebook).cells[0].outputs] == ["Model"]


def test_pictures_are_shown_in_their_own_size():
    half = {"image/png": {"width": 330, "height": 192.5}, "isolated": True}
    output = nbformat.v4.new_output("display_data", {"image/png": "iVBORw0KGgo="}, metadata=half)
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("1", outputs=[output])])
    assert publish.clean(notebook).cells[0].outputs[0].metadata == {"isolated": True}


def test_another_column_leaves_the_outputs_of_the_first_as_they_are(root, column):
    publish.publish(column.path)
    shown = root / LESSON
    first = shown.read_bytes()
    other = golden.Column(root, machine=golden.MACHINE | {"label": "other"})
    changed = other.record("tensorflow", "full")
    other.execute(changed)
    publish.publish(other.path)
    assert shown.read_bytes() == first
    changed["inputs"]["cells"] = {**changed["inputs"]["cells"], "model": "another"}
    alter(root, "tensorflow.full", inputs=changed["inputs"])
    publish.publish(other.path)  # the first column's outputs are those of other cells
    assert code(shown)[0].outputs[0].text == "tensorflow cell 1 of other"


def test_another_column_replaces_outputs_of_a_row_that_is_out_of_date(root, column):
    publish.publish(column.path)
    other = golden.Column(root, machine=golden.MACHINE | {"label": "other"})
    other.execute(other.record("tensorflow", "full"))
    now = golden.named(lines_of(root))["tensorflow.round1"]["inputs"]  # its full run stays as it was
    alter(root, "tensorflow.round1", inputs={**now, "common": {**now["common"], "common.timing": "0" * 16}})
    publish.publish(other.path)
    assert code(root / LESSON)[0].outputs[0].text == "tensorflow cell 1 of other"


def test_what_a_column_lacks_stays_published(root, column):
    publish.publish(column.path)
    own, before = column.path / "cnn_cifar10", golden.named(lines_of(root))
    assert len(before) == 3
    for path in {*own.glob("keras-torch*"), *own.glob("*.full*")}:
        path.unlink()
    column.put(column.record("tensorflow", number=2))
    (own / "tensorflow.round1.json").unlink()
    publish.publish(column.path)
    after = golden.named(lines_of(root))
    assert {**after, "tensorflow.round1": before["tensorflow.round1"]} == {
        **before,
        "tensorflow.round2": after["tensorflow.round2"],
    }


def test_a_run_with_another_seed_is_not_what_a_lesson_shows(root):
    column = golden.Column(root)
    path = column.execute(column.record("tensorflow", "full"))
    path.rename(path.with_name("tensorflow.seed2.full.json"))
    before = (root / LESSON).read_bytes()
    publish.publish(column.path)
    assert (root / LESSON).read_bytes() == before


def test_text_and_comments_edited_since_are_kept(root, column):
    path = root / LESSON
    notebook = nbformat.read(path, as_version=4)
    notebook.cells[0].source += "\n\nA better sentence."
    next(c for c in notebook.cells if "model" in c.metadata.get("tags", [])).source += "\n# a remark"
    path.unlink()
    nbformat.write(notebook, path)
    publish.publish(column.path)
    assert "A better sentence." in path.read_text() and "# a remark" in path.read_text()
    assert "tensorflow cell 8 of box" in path.read_text()


def change_source(path, tag):
    notebook = nbformat.read(path, as_version=4)
    next(c for c in notebook.cells if tag in c.metadata.get("tags", [])).source += "\nextra = 1"
    path.unlink()
    nbformat.write(notebook, path)


@pytest.mark.parametrize("tag", ["show", "model"])
def test_code_changed_since_keeps_the_notebooks_outputs(root, column, tag):
    path = root / LESSON
    change_source(path, tag)
    before = path.read_bytes()
    assert "keeps its outputs" in publish.publish(column.path)
    assert path.read_bytes() == before
    assert golden.named(lines_of(root))["tensorflow.full"]["notebook"] is None


def put(column, **changes):
    column.put(column.record("jax", **changes), "jax.round1")


def output(text):
    def change(notebook):
        next(c for c in notebook.cells if "model" in c.metadata.get("tags", [])).outputs[0].text = text

    return change


def other_cells(notebook):
    next(c for c in notebook.cells if "model" in c.metadata.get("tags", [])).source += "\nextra = 1"


@pytest.mark.parametrize("change, message", [
    (lambda c: put(c, commit="0123456789ab+"), "jax.round1.json: made from a tree that was not committed"),
    (lambda c: put(c, commit=None), "not committed"),
    (lambda c: c.put(c.record("jax", status="failed", reason="x"), "jax.round1.failed"), "jax.round1.failed.json: failed"),
    (lambda c: c.put(c.record("jax", status="interrupted"), "jax.round2.failed"), "interrupted"),
    (lambda c: put(c, schema=3), "schema 3 is newer"),
    (lambda c: c.execute(c.record("jax", "full"), output(f"{FOLDER}/x.py: warning")), f"cnn_cifar10/jax.*: .*folder .*{FOLDER}"),
    (lambda c: c.execute(c.record("jax", "full"), output(f"{c.root}/common/x.py: warning")), "folder of this machine"),
    (lambda c: c.execute(c.record("jax", "full"), output("x" * 400_000)), "KB executed, more than 120 KB"),
    (lambda c: c.execute(c.record("jax", "full"), other_cells), r"cells differ from the notebook's \(model\)"),
    (lambda c: c.execute(c.record("jax", "full")).exists() and [
        p.write_bytes(b"{}") for p in c.path.glob("*/jax.*.ipynb")], "is not the notebook that it names"),
    (lambda c: [c.execute(c.record("jax", "full")), *(p.unlink() for p in c.path.glob("*/jax.*.ipynb"))], "no executed notebook"),
    (lambda c: put(c, versions={"jax": f"{FOLDER}/jax"}), "names a folder of this machine"),
])  # fmt: skip
def test_what_must_not_be_published_is_refused_and_nothing_written(root, column, change, message):
    change(column)
    before = {path: path.read_bytes() for path in (root / "notebooks").rglob("*.*")}
    with pytest.raises(ReportError, match=message):
        publish.publish(column.path)
    assert list((root / "results" / "published").iterdir()) == []
    assert before == {path: path.read_bytes() for path in (root / "notebooks").rglob("*.*")}


def test_settings_by_hand_and_an_empty_column_are_refused(root):
    with pytest.raises(ReportError, match="measured with --set"):
        publish.publish(golden.Column(root, name="cpu-cpu-set-0123").path)
    with pytest.raises(ReportError, match="no records"):
        publish.publish(golden.Column(root).path)


def test_a_published_line_that_cannot_be_read_is_not_lost(root, column):
    publish.publish(column.path)
    path = lines_of(root)
    path.write_text(text := path.read_text().replace('"schema":2', '"schema":9', 1))
    with pytest.raises(ReportError, match="cnn_cifar10.jsonl, line 1: its schema 9 is newer than 2"):
        publish.publish(column.path)
    assert path.read_text() == text


def test_a_label_stands_for_one_kind_of_machine_and_its_published_peaks_stay(root, column):
    publish.publish(column.path)
    described = root / "results/published/box/machine.json"
    before = described.read_bytes()
    local = column.path.parent / "machine.json"
    kept = json.loads(local.read_text())
    peaks = {"cpu": {**kept["peaks"]["cpu"], "fp32": 1e9}, "gpu": {"fp32": 5e13}}
    local.write_text(json.dumps(kept | {"os": "Linux 6.2 x86_64", "peaks": peaks}))
    publish.publish(column.path)
    after = json.loads(described.read_bytes())
    assert after["peaks"] == {**json.loads(before)["peaks"], "gpu": {"fp32": 5e13}}
    assert after["os"] == "Linux 6.2 x86_64"
    local.write_text(json.dumps(kept | {"flags": [*kept["flags"], "ibpb", "stibp"]}))  # another hypervisor
    publish.publish(column.path)
    local.write_text(json.dumps(kept | {"flags": [*kept["flags"], "avx512f"]}))
    with pytest.raises(ReportError, match="another machine"):
        publish.publish(column.path)
    local.write_text(json.dumps(kept | {"physical_cores": 8}))
    with pytest.raises(ReportError, match="another machine"):
        publish.publish(column.path)
    local.write_text(json.dumps(kept | {"model": "17"}))
    written = described.read_bytes()
    with pytest.raises(ReportError, match="its label stands for another machine"):
        publish.publish(column.path)
    assert described.read_bytes() == written
    column.path.rename(column.path.with_name("quick-cpu"))  # of which nothing is published under the label
    with pytest.raises(ReportError, match="its label stands for another machine"):
        publish.publish(column.path.with_name("quick-cpu"))
    assert described.read_bytes() == written


def test_a_skipped_row_is_published_with_its_reason_alone(root, column):
    column.put(
        column.record("jax", status="skipped", reason=f"no compiler\n{FOLDER}", measurements={}), "jax.round1.failed"
    )
    publish.publish(column.path)
    text = json.dumps(golden.named(lines_of(root))["jax.round1.failed"])
    assert "no compiler" in text and FOLDER not in text
    page = (root / "results/published/box/cpu-cpu/README.md").read_text()
    assert "skipped: no compiler" in page.replace("\u00a0", " ")


def test_a_column_leaves_the_published_records_of_other_workloads_alone(root, column):
    publish.publish(column.path)
    own, other = lines_of(root), lines_of(root).with_name("another.jsonl")
    other.write_text(own.read_text().replace('"workload":"cnn_cifar10"', '"workload":"another"'))
    before = other.read_bytes()
    alter(root, "tensorflow.round1", "tensorflow.round9", round=9)
    publish.publish(column.path)
    assert other.read_bytes() == before
    assert list(golden.named(own)) == ["keras-torch.full", "tensorflow.full", "tensorflow.round1"]


def test_a_default_row_without_a_full_run_leaves_the_notebook_as_it_is(root):
    column = golden.Column(root)
    column.execute(column.record("tensorflow"))
    before = (root / LESSON).read_text()
    publish.publish(column.path)
    assert (root / LESSON).read_text() == before
