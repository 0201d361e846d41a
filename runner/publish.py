"""Publishes a user's column, and regenerates every page and figure that is made from published records.

Marked places in README.md are filled by `regenerate`; what stands between the markers is never written by hand:

    <!-- figure -->           ... <!-- /figure -->    the time-per-epoch figure of the column that measured most
    <!-- tables:WORKLOAD -->  ... <!-- /tables -->    its tables, figures, notes, and the then-and-now table
    <!-- map -->              ... <!-- /map -->       workloads x frameworks, each cell a link to a notebook

`figure` and `tables` without `:WORKLOAD` stand for all workloads, so that a new one needs no new marker.
"""

import ast
import copy
import json
import os
import re
from pathlib import Path

import nbformat

from runner import side_by_side, tables
from runner.matrix import Matrix

NOTEBOOK_LIMIT = 300 * 1024  # bytes of a published notebook
MARKED = re.compile(r"(<!-- (figure|tables|map)(?::(\w+))? -->\n)(.*?)(<!-- /\2 -->)", re.DOTALL)


class PublishError(Exception):
    """What cannot be published, and why."""


# ---------------------------------------------------------------- notebooks


def _settings(source):
    """Return {name: value} of the plain assignments of a cell."""
    return {
        node.targets[0].id: ast.literal_eval(node.value)
        for node in ast.parse(source).body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }


def clean(notebook, cores=None):
    """Return an executed notebook without papermill's traces, in place: as if run by hand with its parameters.

    The injected cell goes; what it set is written into the parameters cell, so that the notebook still says what
    ran. Two keep their defaults: RECORD_PATH, which is a path of the machine, and THREADS where it equals `cores`,
    the machine's physical cores, which is what its default 0 stands for. Metadata of papermill and timestamps go,
    and the execution counts close the gap.
    """
    injected = {}
    for cell in notebook.cells:
        if "injected-parameters" in cell.metadata.get("tags", []):
            injected |= _settings(cell.source)
    injected.pop("RECORD_PATH", None)
    if injected.get("THREADS") == cores:
        injected.pop("THREADS", None)
    notebook.cells = [c for c in notebook.cells if "injected-parameters" not in c.metadata.get("tags", [])]
    notebook.metadata.pop("papermill", None)
    count = 0
    for cell in notebook.cells:
        for trace in ("papermill", "execution"):
            cell.metadata.pop(trace, None)
        if "parameters" in cell.metadata.get("tags", []):
            cell.source = _with_values(cell.source, injected)
        if cell.cell_type == "code" and cell.execution_count:
            count += 1
            cell.execution_count = count
            for output in cell.outputs:
                if output.output_type == "execute_result":
                    output.execution_count = count
    return notebook


def _with_values(source, values):
    """Return a parameters cell with the values that differ replaced, comments kept."""
    for name, default in _settings(source).items():
        if name in values and values[name] != default:
            value = f'"{values[name]}"' if isinstance(values[name], str) else repr(values[name])
            pattern = rf"^({name}\s*=\s*)(?:\"[^\"]*\"|'[^']*'|[^#\n]*?)(\s*(?:#.*)?)$"
            source = re.sub(pattern, lambda m, v=value: f"{m[1]}{v}{m[2]}", source, flags=re.MULTILINE)
    return source


def _code(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def _sources(notebook, with_parameters):
    return [
        cell.source for cell in _code(notebook) if with_parameters or "parameters" not in cell.metadata.get("tags", [])
    ]


def with_outputs(source, executed):
    """Return `source` with the outputs of a cleaned `executed` copied code cell by code cell.

    The text between them may have been edited since. Returns None where it ran with other parameters than the source's.
    Raises PublishError where any other code cell differs, for then the outputs belong to another notebook.
    """
    if _sources(source, with_parameters=False) != _sources(executed, with_parameters=False):
        raise PublishError("its sources differ from the notebook's: run the row again")
    if _sources(source, with_parameters=True) != _sources(executed, with_parameters=True):
        return None
    for cell, ran in zip(_code(source), _code(executed), strict=True):
        cell.outputs, cell.execution_count = ran.outputs, ran.execution_count
    return source


def with_links(notebook, folder):
    """Return a copy whose links to other notebooks, made to stand beside it, lead to them in `folder`."""
    linked = copy.deepcopy(notebook)
    for cell in linked.cells:
        if cell.cell_type == "markdown":
            cell.source = re.sub(r"\]\((\w+\.ipynb)\)", rf"]({folder}/\1)", cell.source)
    return linked


def _encode(notebook, name):
    content = (nbformat.writes(notebook).rstrip("\n") + "\n").encode()
    if len(content) > NOTEBOOK_LIMIT:
        size, limit = len(content) // 1024, NOTEBOOK_LIMIT // 1024
        raise PublishError(f"{name}: {size} KB executed, more than {limit} KB: show smaller plots")
    return content


# ---------------------------------------------------------------- publishing


def publish(column_dir: Path, root: Path) -> str:
    """Copy a local column into results/published/ and notebooks/, regenerate the pages; return what was done.

    Everything is checked before anything is written. Raises PublishError naming the row where an executed notebook
    is missing, too large, names a folder of this machine, or was made from other sources.
    """
    column, root = tables.Column(Path(column_dir)), Path(root)
    target = root / "results" / "published" / column.label / column.path.name
    files, stale, notes = {}, [], []
    machine = column.path.parent / "machine.json"
    if machine.exists():
        files[target.parent / "machine.json"] = machine.read_bytes()
    defaults = {
        (row.workload, row.id): row for row in Matrix(root).rows(column.profile, column.device) if row.default
    }
    for folder in sorted(path for path in column.path.iterdir() if path.is_dir() and path.name != "figures"):
        workload = folder.name
        for row, (good, failed) in tables.read_records(column, workload).items():
            place = target / workload
            stale += [path for path in place.glob(f"{row}.*.json")]
            for record in [*good, *([failed] if failed else [])]:
                files[place / record["path"].name] = _record(record)
            if not good:
                continue
            try:
                executed = clean(
                    nbformat.read(folder / f"{row}.ipynb", as_version=4), column.machine.get("physical_cores")
                )
                _no_machine_paths(executed, root)
                siblings = os.path.relpath(root / "notebooks" / workload, place)
                files[place / f"{row}.ipynb"] = _encode(with_links(executed, siblings), row)
                default = defaults.get((workload, row))
                if default is None or failed:
                    continue
                shown = with_outputs(nbformat.read(default.notebook, as_version=4), executed)
            except (PublishError, FileNotFoundError) as error:
                raise PublishError(f"{workload}/{row}: {error}") from error
            if shown is None:
                notes.append(
                    f"{default.notebook.relative_to(root)} keeps its outputs: {row} ran with other settings."
                )
            else:
                files[default.notebook] = _encode(shown, row)
        for path in sorted((folder / "seeds").glob("*.json")):
            record = json.loads(path.read_text())
            if record["status"] == "ok":
                files[target / workload / "seeds" / path.name] = _record(record)
    if not any(path.name.endswith(".json") and path.parent.parent == target for path in files):
        raise PublishError(f"{column.name}: no records to publish")
    for path in stale:
        if path not in files:
            path.unlink()
    changed = tables.write_files(files) + regenerate(root)
    return "\n".join([*notes, f"Published {column.name}: {len(changed)} files changed."])


def _record(record):
    record = {name: value for name, value in record.items() if name != "path"}
    if record["status"] != "ok":  # the rest of a reason is a traceback with this machine's paths
        record["reason"] = tables.first_line(record.get("reason"))
    if "RECORD_PATH" in record.get("parameters", {}):
        record["parameters"] = {**record["parameters"], "RECORD_PATH": ""}
    return (json.dumps(record, indent=1, sort_keys=True) + "\n").encode()


def _no_machine_paths(notebook, root):
    text = nbformat.writes(notebook)
    for folder in (root.resolve(), Path.home()):
        if f"{folder}/" in text:
            raise PublishError(f"its outputs name a folder of this machine ({folder})")


# ---------------------------------------------------------------- pages


def _main_column(root, workload):
    """Return the published column with the most whole rows of a workload, or None."""
    best, most = None, 0
    for column in tables.columns(root / "results" / "published"):
        whole = int((tables.frame(column, workload)["state"] == "ok").sum())
        if whole > most and column.profile != "quick":
            best, most = column, whole
    return best


def _figure(root, workload):
    column = _main_column(root, workload)
    path = column and column.path / "figures" / f"{workload}-fp32-epoch.png"
    if not path:
        return "Not measured yet."
    title = dict(tables.workloads(root))[workload]
    return f"![{title}: seconds per epoch, {column.name}]({os.path.relpath(path, root)})"


def _tables(root, workload):
    parts = []
    for column in tables.columns(root / "results" / "published"):
        if (tables.frame(column, workload)["state"] != "not measured").any():
            parts.append(tables.column_page(column, workload, root))
    parts = parts or ["Not measured yet."]
    return "\n\n".join([*parts, tables.then_table(root, workload, root)]).strip()


def notebook_map(root, start):
    """Return the Markdown table of workloads and frameworks, each cell a link to a notebook from folder `start`."""
    matrix, rows = Matrix(root), []
    for name, entry in matrix.frameworks.items():
        cells = [entry.get("title", name)]
        for workload in matrix.workloads:
            path = root / "notebooks" / workload / f"{name}.ipynb"
            cells.append(tables.link(path.name, path, start) if path.exists() else tables.DASH)
        rows.append(cells)
    pages = [
        tables.link("side by side", root / "notebooks" / w / "README.md", start) for w in matrix.workloads
    ]
    header = ["framework", *(entry["title"] for entry in matrix.workloads.values())]
    return tables.markdown(header, [*rows, ["**all**", *pages]])


def fill(text, root):
    """Return README text with every marked place filled; raise PublishError on a marker of no workload."""
    names = dict(tables.workloads(root))

    def place(match):
        opening, kind, workload, _, closing = match.groups()
        if workload and workload not in names:
            raise PublishError(
                f"README.md marks {kind} of {workload!r}; the workloads are: {', '.join(names)}"
            )
        if kind == "map":
            content = notebook_map(root, root)
        elif workload:
            content = {"figure": _figure, "tables": _tables}[kind](root, workload)
        elif kind == "figure":
            content = "\n\n".join(_figure(root, name) for name in names)
        else:
            content = "\n\n".join(f"### {title}\n\n{_tables(root, name)}" for name, title in names.items())
        return f"{opening}\n{content}\n\n{closing}"

    return MARKED.sub(place, text)


def render(root: Path):
    """Return {path: bytes} of all that is generated; a function of records, notebooks, matrix and templates alone."""
    root, files = Path(root), {}
    for column in tables.columns(root / "results" / "published"):
        files |= tables.column_files(column)
    for workload, _ in tables.workloads(root):
        files[root / "notebooks" / workload / "README.md"] = side_by_side.page(root, workload).encode()
    template = tables.templates.get_template("map.md")
    files[root / "notebooks" / "README.md"] = template.render(
        map=notebook_map(root, root / "notebooks")
    ).encode()
    readme = root / "README.md"
    if readme.exists():
        files[readme] = fill(readme.read_text(encoding="utf-8"), root).encode()
    return files


def outdated(root: Path):
    """Return the generated files that are missing or differ from what `regenerate` would write, sorted."""
    return sorted(p for p, content in render(root).items() if not p.exists() or p.read_bytes() != content)


def regenerate(root: Path):
    """Write all that is generated; return the paths that changed, none the second time."""
    changed = tables.write_files(render(root))
    # a page may link to another that only now exists
    return changed + (tables.write_files(render(root)) if changed else [])
