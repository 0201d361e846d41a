"""Publishes a user's column: its records, lessons' outputs and machine, without a trace of the machine's folders."""

import hashlib
import json
import os
import re
from pathlib import Path

import nbformat

from catalog.declarations import Declarations
from catalog.inputs import Inputs, Notebook
from catalog.languages import canonical
from report import pages
from report.records import Column, columns, lines, notebook_of, plain, refuse
from report.statistics import changes, same_kind
from report.tables import QUICK

LIMIT = 120 * 1024  # bytes of an executed notebook
# what stands before the file of a package, or of a cell, in a warning
BEFORE = re.compile(r"(?:/[\w.-]+)+/(?:(?:site|dist)-packages|ipykernel_\d+)/")
FOLDER = re.compile(r"(?<![\w./:])/(?:home|root|tmp|Users|work|var|opt|mnt|usr)/[\w.-]+")

# what a Keras model's summary shows besides its text: an empty box
BOX = re.compile(r"\s*<pre[^>]*>\s*</pre>\s*")

# what Keras 2 and TensorFlow 1 print in every run: a greeting, and advice to move on to another release
CHATTER = re.compile(
    r"^(?:Using \w+ backend\.|WARNING:tensorflow:.*(?:\n(?:Instructions for updating:|If using Keras).*)*)\n+", re.M
)


def publish(folder: Path) -> str:
    """Copy a local column into results/published/ and notebooks/, regenerate the pages; return what was done.

    A row's rounds, its full run and its proof take the place of those that are published; what the column lacks stays.
    A lesson shows the full run of its default row on a CPU, without the referee's cells; where it shows another
    column's run of the same cells, and all that this column says of the row is up to date, it keeps that.

    Everything is checked before anything is written. Raises ReportError for a column of --set, a record, here or
    published, that cannot be read, a row that failed, a tree that was not committed, the label of another kind of
    machine, or a notebook that names a folder of this machine, is too large, or has other cells than its record says.
    """
    column = Column(folder)
    root, target = column.root, column.root / "results" / "published" / column.label / column.path.name
    shown = Column(target)
    refuse(column.own_settings, "it was measured with --set")
    refuse(column.unread, f"files that cannot be read: {'; '.join(column.unread)}")
    refuse(shown.unread, f"published lines that cannot be read, mend or delete them: {'; '.join(shown.unread)}")
    refuse(not any(record["status"] == "ok" for record in column.records), "it has no records")
    cores = [one.machine.get("physical_cores") for one in (column, shown)] if column.device == "cpu" else []
    other = not same_kind(column, shown) or len({*cores} - {None}) > 1
    refuse(shown.machine and other, "its label stands for another machine: choose a --label")
    declarations = Declarations(root)
    rows = _rows(declarations, column)
    elsewhere = [pair for other in columns(root) if other.path != target for pair in _shown(declarations, other)]
    again, files, notes = {*map(_runs, column.records)}, {}, []
    published = {workload: {} for workload, *_ in again}  # {workload: {name: record}} of the files that change
    for record in shown.records:
        if record["workload"] in published and _runs(record) not in again:
            published[record["workload"]][record["name"]] = plain(record)
    for record in column.records:
        name = f"{record['workload']}/{record['path'].name}"
        row = rows.get((record["workload"], record["row"]))
        refuse(record["status"] in ("failed", "interrupted"), f"{name}: {record['status']}; run it again")
        refuse((record["commit"] or "+").endswith("+"), f"{name}: made from a tree that was not committed")
        # of a reason all but the first line is a traceback with folders
        stored = plain(record) | {"notebook": None, "reason": record["reason"].split("\n")[0]}
        shown_by = row and row.default and column.profile != QUICK and column.device == "cpu"
        if shown_by and (record["kind"], record["status"]) == ("full", "ok") and not record["seed"]:
            lesson, cells = row.notebook, _own_cells(record["inputs"]["cells"])
            if cells != _own_cells(Notebook(lesson).digests()):
                notes.append(f"{name}: {lesson.name} keeps its outputs, its code changed since.")
            elif (lesson.resolve(), cells) not in elsewhere:
                notebook = nbformat.read(lesson, as_version=4)
                _take_outputs(notebook, _executed(record, name, root), name)
                files[lesson] = _encoded(notebook, name)
                stored["notebook"] = {"file": os.path.relpath(lesson, target), "sha256": _sha(files[lesson])}
        published[record["workload"]][record["name"]] = stored
        _refuse_folders(json.dumps(stored), root, name)
    files |= {target / f"{workload}.jsonl": lines(records) for workload, records in published.items()}
    peaks, before = column.machine.get("peaks", {}), shown.machine.get("peaks", {})
    # measured once: those published stay, but for those of one product alone
    peaks |= {device: found for device, found in before.items() if "of" in found or "of" not in peaks.get(device, {})}
    machine = json.dumps(column.machine | {"peaks": peaks}, indent=1, sort_keys=True)
    files[target.parent / "machine.json"] = f"{machine}\n".encode()
    changed = pages.write(files) + pages.regenerate(root)
    return "\n".join([*notes, f"Published {column.name}: {len(changed)} files changed."])


def _rows(declarations, column) -> dict:
    return {(row.workload, row.id): row for row in declarations.rows(column.profile, column.device)}


def _shown(declarations, column):
    """Yields (lesson, digests of its own cells) for each run of a published column whose row is up to date there."""
    rows, inputs = _rows(declarations, column), Inputs(declarations)
    good = [record for record in column.records if record["status"] == "ok" and not record["seed"]]
    for record in good:
        row = rows.get((record["workload"], record["row"]))
        if row and record["notebook"]:
            own = [r for r in good if (r["workload"], r["row"]) == (row.workload, row.id)]
            if not any(any(changes(inputs, row, r, column)) for r in own):
                yield notebook_of(record).resolve(), _own_cells(record["inputs"]["cells"])


def _own_cells(digests) -> dict:
    """Those of a lesson's cells that its own run executes: without the check."""
    return {tag: digest for tag, digest in digests.items() if tag != "check"}


def _runs(record) -> tuple:
    """What is published as one: all rounds of a row, or another run of it."""
    which = "round" if record["kind"] == "round" else record["repeat"].removesuffix(".failed")
    return record["workload"], record["row"], which


def _refuse_folders(text, root, what):
    own = [str(folder) for folder in (root, Path.home()) if len(folder.parts) > 1]  # of a bare user id home is /
    found = [*(folder for folder in own if f"{folder}/" in text), *FOLDER.findall(text)]
    refuse(found, f"{what} names a folder of this machine ({', '.join(found[:1])})")


def _sha(content):
    return hashlib.sha256(content).hexdigest()


def _executed(record, name, root):
    """A record's executed notebook, cleaned."""
    path = notebook_of(record)
    refuse(not path.exists(), f"{name}: there is no executed notebook {path.name}")
    content = path.read_bytes()
    refuse(_sha(content) != record["notebook"]["sha256"], f"{name}: {path.name} is not the notebook that it names")
    notebook = clean(nbformat.reads(content.decode(), as_version=4))
    outputs = [output for cell in _code(notebook) for output in cell.outputs]
    texts = [text for output in outputs for kind, text in output.get("data", output).items() if "image" not in kind]
    _refuse_folders("\n".join(map(str, texts)), root, f"{name}: what its notebook printed")
    return notebook


def _code(notebook, tag=None):
    """The code cells, or those with a tag."""
    return [c for c in notebook.cells if c.cell_type == "code" and (tag is None or tag in c.metadata.get("tags", []))]


def clean(notebook):
    """An executed notebook without papermill's traces, in place: as if run by hand.

    The referee's cells go, and the injected one. Metadata of papermill and timestamps go, folders in warnings, CHATTER,
    each BOX, and sizes of pictures, which R's kernel shows at half their pixels; the execution counts close the gap.
    """
    foreign = {"referee", "injected-parameters"}
    notebook.cells = [cell for cell in notebook.cells if not foreign & {*cell.metadata.get("tags", [])}]
    for part in (notebook, *notebook.cells):
        part.metadata = {name: value for name, value in part.metadata.items() if name not in ("papermill", "execution")}
    for cell in _code(notebook, "parameters"):
        cell.outputs = [o for o in cell.outputs if o.output_type != "execute_result"]  # Julia shows the last setting
    for count, cell in enumerate(_code(notebook), 1):
        cell.execution_count = count
        for output in cell.outputs:
            if output.output_type == "stream":
                output.text = CHATTER.sub("", BEFORE.sub("", output.text))
            if output.output_type == "execute_result":
                output.execution_count = count
            if "data" in output:
                output.metadata = {kind: told for kind, told in output.metadata.items() if kind not in output.data}
        cell.outputs = [o for o in cell.outputs if o.get("text") != "" and not BOX.fullmatch(_html(o))]
    return notebook


def _html(output):
    return output.get("data", {}).get("text/html", "")


def _take_outputs(now, ran, name):
    """Give a notebook, as it is now, the outputs of an executed one.

    Raises ReportError where this has other cells than its record says: then the outputs belong to another notebook.
    """
    pairs = list(zip(_code(now), _code(ran), strict=False))
    language = now.metadata.get("language_info", {}).get("name", "python")
    sources = [(new.metadata.tags, *(canonical(one.source, language) for one in (new, old))) for new, old in pairs]
    differing = [tags for tags, new, old in sources if new != old]
    differing = {tag for tags in differing for tag in tags} - {"parameters"}
    differing |= {"their number"} if len(_code(now)) != len(_code(ran)) else set()
    refuse(differing, f"{name}: cells differ from the notebook's ({', '.join(sorted(differing))}): run the row again")
    for new, old in pairs:
        new |= {"outputs": old.outputs, "execution_count": old.execution_count}


def _encoded(notebook, name) -> bytes:
    """A notebook as a file. Raises ReportError where it is too large."""
    content = (nbformat.writes(notebook).rstrip("\n") + "\n").encode()
    size = f"{len(content) // 1024} KB executed, more than {LIMIT // 1024} KB: show smaller plots"
    refuse(len(content) > LIMIT, f"{name}: {size}")
    return content
