"""Every page that is generated from records, a user's own column, and README's marked places.

Marked places in README.md are filled by `regenerate`; what stands between the markers is never written by hand:

    <!-- figure:WORKLOAD -->  ... <!-- /figure -->    the workload's speed figure
    <!-- tables -->           ... <!-- /tables -->    each workload's narrow table and a link to the complete ones
"""

import os
import re
import sys
from pathlib import Path

import pandas as pd

from catalog.declarations import Declarations
from report import cells, figures, tables
from report.records import columns, read_column
from report.statistics import Results, same_kind
from report.tables import templates

MARKED = re.compile(r"(<!-- (?:figure:(\w+)|tables) -->\n)(.*?)(<!-- /\w+ -->)", re.DOTALL)
NOTHING = "Not measured yet."


class PageError(ValueError):
    """A page that cannot be generated, and why."""


def warn(sentence):
    """Print a sentence on stderr."""
    print(sentence, file=sys.stderr)


def published(root: Path, declarations=None) -> Results:
    """Everything under results/published, each record read once."""
    return Results(declarations or Declarations(root), columns(Path(root) / "results" / "published", warn))


# ---------------------------------------------------------------- tables, figures and the list of a column


def _drawn(summary):
    """{path: (alternative text, function that returns the PNG)} of a summary's figures."""
    folder = summary.column.path / "figures"
    return {folder / f"{name}.png": figure for name, figure in figures.plan(summary).items()}


def section(results, work, column, start: Path) -> str:
    """The tables, figures and notes of one workload in one column, with links relative to folder `start`."""
    given = dict(work=work, column=column, start=start, drawn=_drawn, complete=tables.complete)
    return templates.get_template("section.md").render(given, summaries=results.summaries(work, column)).strip()


def column_files(results, column) -> dict:
    """{path: bytes} of a column's figures and of records.csv, one line for each good record.

    Figures that are no longer drawn have None.
    """
    made = [one for work in results.declarations.workloads.values() for one in results.summaries(work, column)]
    files = dict.fromkeys(column.path.glob("figures/*.png"))
    files |= {path: draw() for one in made for path, (_, draw) in _drawn(one).items()}
    listing = pd.concat(map(_listing, made)).to_csv(index=False, lineterminator="\n") if made else ""
    return files | {column.path / "records.csv": listing.encode()}


def _listing(summary):
    runs = summary.runs.drop(columns=["record", "whole", "seed", "earlier"]).assign(workload=summary.work.name)
    runs["commit"] = [record["commit"] for record in summary.runs["record"]]
    runs["state"] = runs["row"].map(summary.lines["state"])
    return runs.rename(columns={m.name: f"{m.name} ({m.unit})" for m in summary.work.measures.values()})


def results_page(results, start: Path) -> str:
    """All columns of all workloads, and the figures of old."""
    given = dict(results=results, start=start, nothing=NOTHING, section=section)
    return templates.get_template("results.md").render(given, then_and_now=tables.then_and_now)


def _column_page(results, column, beside="") -> bytes:
    """All tables of a column, the free ones of each row included."""
    given = dict(results=results, column=column, section=section, beside=beside)
    return templates.get_template("column.md").render(given).encode()


def local(folder: Path) -> str:
    """Write tables.md, figures and records.csv into a user's column; the comparison to print.

    Beside it stands a published column of the same device; if there is one, of this kind of machine and this profile.
    """
    column = read_column(folder, warn)
    declarations = Declarations(column.root)
    others = [one for one in published(column.root, declarations).columns if one.device == column.device]
    others.sort(key=lambda one: (same_kind(one, column), one.profile == column.profile, len(one.records)))
    results, there = Results(declarations, [column]), others[-1] if others else None
    beside = tables.beside(results, column, there)
    text = templates.get_template("local.md").render(column=column, there=there, results=results, beside=beside)
    write(column_files(results, column) | {column.path / "tables.md": _column_page(results, column, text)})
    return text


# ---------------------------------------------------------------- README's marked places


def _figure(results, work):
    main = results.main([work])
    for path, (alternative, _) in list(_drawn(main).items())[:1] if main else []:
        return f"![{alternative}]({os.path.relpath(path, results.declarations.root)})"
    return NOTHING


def fill(text: str, results) -> str:
    """README's text with every marked place filled; raises PageError on a marker of no workload."""
    root, works = results.declarations.root, results.declarations.workloads
    given = dict(results=results, root=root, nothing=NOTHING, narrow=tables.narrow)

    def place(match):
        opening, name, _, closing = match.groups()
        if name and name not in works:
            raise PageError(f"README.md marks the figure of {name!r}; the workloads are: {', '.join(works)}")
        page = templates.get_template("narrow.md")
        content = _figure(results, works[name]) if name else page.render(given).strip()
        return f"{opening}\n{content}\n\n{closing}"

    return MARKED.sub(place, text)


# ---------------------------------------------------------------- writing


def render(results) -> dict:
    """{path: bytes} of all that is generated: a function of records, notebooks, declarations and templates alone.

    Figures that are no longer drawn have None.
    """
    root, declarations = results.declarations.root, results.declarations
    files = {column.path / "README.md": _column_page(results, column) for column in results.columns}
    for column in results.columns:
        files |= column_files(results, column)
    for work in declarations.workloads.values():
        files[work.folder / "README.md"] = cells.side_by_side(declarations, work).encode()
    page = templates.get_template("notebooks.md").render(declarations=declarations, start=root / "notebooks")
    files[root / "notebooks" / "README.md"] = page.encode()
    files[root / "results" / "README.md"] = results_page(results, root / "results").encode()
    if (root / "README.md").exists():
        files[root / "README.md"] = fill((root / "README.md").read_text(encoding="utf-8"), results).encode()
    return files


def differing(files: dict) -> list:
    """The paths of {path: bytes} that are missing or have other bytes, or, where it is None, that are there."""
    return [path for path, content in files.items() if content != (path.read_bytes() if path.exists() else None)]


def outdated(root: Path) -> list:
    """The generated files that differ from what `regenerate` would write, or that are no longer generated."""
    return sorted(differing(render(published(root))))


def regenerate(root: Path) -> list:
    """Write all that is generated from results/published; the paths that changed, none the second time."""
    results = published(root)
    for sentence in results.mistakes():
        warn(sentence)
    return write(render(results))


def write(files: dict) -> list:
    """Write {path: bytes}, each atomically and only where it differs, remove those of None; the paths that changed."""
    changed = differing(files)
    for path in changed:
        if files[path] is None:
            path.unlink()
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_name(path.name + ".part")
        part.write_bytes(files[path])
        part.replace(path)
    return changed
