"""What is published belongs to the notebooks as they are."""

import json
import re
from pathlib import Path

import nbformat
import pytest

from runner import environments, execute, publish
from runner.matrix import Matrix

ROOT = Path(__file__).resolve().parent.parent
PUBLISHED = ROOT / "results" / "published"
MATRIX = Matrix(ROOT)
RECORDS = sorted(PUBLISHED.glob("*/*/*/*.r*.json"))
SEEDS = sorted(PUBLISHED.glob("*/*/*/seeds/*.json"))


def rows(record):
    return [r for r in MATRIX.rows(record["profile"], record["device"]) if (r.workload, r.id) == (record["workload"], record["row"])]


def test_something_is_published():
    assert RECORDS


@pytest.mark.parametrize("path", [*RECORDS, *SEEDS], ids=lambda p: "-".join(p.relative_to(PUBLISHED).parts))
def test_a_records_key_is_that_of_its_notebook(path):
    record = json.loads(path.read_text())
    assert record["status"] == "ok" and record["proof"]["passed"]
    (row,) = rows(record)
    parameters = {name: record["parameters"][name] for name in [*row.parameters, "THREADS", *(["SEED"] if path in SEEDS else [])]}
    lock = environments.lock_file(ROOT, MATRIX.environments[row.environment], row.device).read_text()
    key = execute.key_of(row, parameters, lock, execute.common_digest(ROOT, row.data, row.reference))
    assert record["key"] == key, "the notebook, common/ or the lock changed since: measure the row again"


@pytest.mark.parametrize("path", RECORDS, ids=lambda p: "-".join(p.relative_to(PUBLISHED).parts))
def test_a_default_rows_notebook_shows_what_it_ran(path):
    record = json.loads(path.read_text())
    (row,) = rows(record)
    if not row.default or record["profile"] != "cpu":
        pytest.skip("another row's outputs are shown")
    cells = [cell for cell in nbformat.read(row.notebook, 4).cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    pictures = sum("image/png" in output.get("data", {}) for cell in cells for output in cell.outputs)
    assert pictures == 3, "the proof, the loss curve and the grid of images"


def test_every_page_and_figure_is_what_the_records_say():
    assert [str(path.relative_to(ROOT)) for path in publish.outdated(ROOT)] == []


@pytest.mark.parametrize("path", sorted(PUBLISHED.glob("*/*/*/*.ipynb")), ids=lambda p: "-".join(p.relative_to(PUBLISHED).parts))
def test_a_published_notebooks_links_lead_somewhere(path):
    text = "\n".join(cell.source for cell in nbformat.read(path, 4).cells if cell.cell_type == "markdown")
    links = re.findall(r"\]\(([^):]+\.ipynb)\)", text)
    assert len(links) > 3 and [link for link in links if not (path.parent / link).exists()] == []
