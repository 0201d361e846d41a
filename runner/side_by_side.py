"""The page of a workload that sets the same cells of all framework notebooks side by side."""

from pathlib import Path

import nbformat

from runner.matrix import Matrix
from runner.tables import templates

SECTIONS = {"model": "Model", "loss": "Loss and optimiser", "train_step": "Training step"}
# GitHub shows about 110 characters of code across a page and lets a wider table scroll. Two columns of up to 200 together
# scroll a little, and keep the frameworks beside each other, which is what the page is for.
PAGE_WIDTH = 200


def tagged(notebook, tag):
    """Return the sources of a notebook's code cells with `tag`, joined as one text; "" if there are none."""
    cells = (c for c in notebook.cells if c.cell_type == "code" and tag in c.metadata.get("tags", []))
    return "\n\n\n".join(cell.source.strip("\n") for cell in cells)


def page(root: Path, workload):
    """Return the Markdown of notebooks/WORKLOAD/README.md, made from the notebooks that exist."""
    matrix = Matrix(root)
    notebooks = {}
    for name, entry in matrix.frameworks.items():
        path = root / "notebooks" / workload / f"{name}.ipynb"
        if path.exists():
            notebooks[name] = entry.get("title", name), nbformat.read(path, as_version=4)
    sections = []
    for tag, title in SECTIONS.items():
        cells = [dict(name=n, title=t, code=tagged(notebook, tag)) for n, (t, notebook) in notebooks.items()]
        sections.append(
            dict(
                title=title,
                rows=_pack([c for c in cells if c["code"]]),
                missing=[c["title"] for c in cells if not c["code"]],
            )
        )
    return templates.get_template("side_by_side.md").render(
        title=matrix.workloads[workload]["title"],
        workload=workload,
        notebooks={name: title for name, (title, _) in notebooks.items()},
        sections=sections,
    )


def _pack(cells):
    """Set neighbours side by side while their widest lines fit the page together; a wide one stands alone."""
    rows, room = [], 0
    for cell in cells:
        width = max(len(line) for line in cell["code"].splitlines())
        cell["fence"] = "````" if "```" in cell["code"] else "```"
        if rows and len(rows[-1]) < 2 and width <= room:
            rows[-1].append(cell)
        else:
            rows.append([cell])
        room = PAGE_WIDTH - width if len(rows[-1]) == 1 else 0
    return rows
