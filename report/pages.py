"""Every page that is generated from records, a user's own column, and README's marked places.

Marked places in README.md are filled by `regenerate`; what stands between the markers is never written by hand:

    <!-- figure:WORKLOAD -->     ... <!-- /figure -->       the workload's speed figure
    <!-- table:WORKLOAD -->      ... <!-- /table -->        the workload's narrow table
    <!-- workloads:WORKLOAD -->  ... <!-- /workloads -->    a line for each workload but that one
    <!-- frameworks:WORKLOAD --> ... <!-- /frameworks -->   links to the lessons of that workload, else of any
"""

import os
import re
import sys
from pathlib import Path

import pandas as pd

from catalog.declarations import Declarations
from catalog.inputs import Notebook
from phrases import pages as phrases
from report import cells, figures, study
from report.records import Column, columns, notebook_of, refuse
from report.statistics import Results
from report.tables import page, profiles

MARKED = re.compile(r"(<!-- (figure|table|workloads|frameworks):(\w+) -->\n)(.*?)(<!-- /\2 -->)", re.DOTALL)


def published(root: Path) -> Results:
    """Everything under results/published, each record read once."""
    return Results(Declarations(root), columns(root))


# ---------------------------------------------------------------- the files of a column


def column_files(results, column) -> dict:
    """{path: bytes} of a published column: README.md, profiles.md if there are any, and records.csv."""
    profiled = [one for one in _summaries(results, column) if any(profiles(one))]
    text = page("column.md", results=results, column=column, start=column.path, profiled=profiled)
    more = page("profiles.md", column=column, summaries=profiled).encode() if profiled else None
    return {column.path / "README.md": text.encode(), column.path / "profiles.md": more} | _listing(results, column)


def local_files(results, column, comparison) -> dict:
    """{path: bytes or Figure} of a user's column: tables.md with all that there is, its figures, and records.csv.

    Figures that are no longer drawn have None. `comparison`: what the page says of the published column.
    """
    given = dict(results=results, column=column, start=column.path, comparison=comparison)
    files = {column.path / "tables.md": page("column.md", whole=True, **given).encode()} | _listing(results, column)
    files |= dict.fromkeys(column.path.glob("figures/*.png"))
    for one in _summaries(results, column):
        files |= {column.path / "figures" / name: figure for name, (_, figure) in figures.plan(one).items()}
    return files


def _summaries(results, column):
    return [one for work in results.declarations.workloads.values() for one in results.summaries(work, column)]


def _listing(results, column):
    """{path of records.csv: a line for each record}."""
    found = [*map(_runs, _summaries(results, column))]
    text = pd.concat(found).to_csv(index=False, lineterminator="\n") if found else ""
    return {column.path / "records.csv": text.encode()}


def _runs(summary):
    runs = summary.runs.drop(columns=["whole", "seed"]).assign(workload=summary.work.name)
    runs["commit"], runs["state"] = runs.pop("commit"), runs["row"].map(summary.lines["state"])
    return runs.rename(columns={m.name: f"{m.name} ({m.unit})" for m in summary.work.measures.values()})


def local(folder: Path) -> str:
    """Write tables.md, figures and records.csv into a user's column; the comparison to print.

    Beside each table stands a published column of the same device that has speeds of the workload; if there is one, of
    this kind of machine and this profile.
    """
    column = Column(folder)
    refuse(not folder.is_dir(), f"{folder} is no column: there is no such folder")
    declarations = Declarations(column.root)
    results, published = Results(declarations, [column]), Results(declarations, columns(column.root))
    text = page("local.md", results=results, column=column, published=published)
    write(local_files(results, column, text))
    return text


# ---------------------------------------------------------------- the pages of all columns


def fill(text: str, results) -> str:
    """README's text with every marked place filled; raises ReportError on a marker of no workload."""
    root, works = results.declarations.root, results.declarations.workloads

    def place(match):
        opening, kind, name, _, closing = match.groups()
        refuse(name not in works, f"README.md marks a place of {name!r}; the workloads are: {', '.join(works)}")
        given = dict(results=results, start=root, work=works[name], without=[name])
        given |= dict(lessons=_first_lessons(results.declarations, name)) if kind == "frameworks" else {}
        return f"{opening}\n{page(f'{kind}.md', **given).strip()}\n\n{closing}"

    return MARKED.sub(place, text)


def _first_lessons(declarations, first) -> dict:
    """{era: [(framework's title, path of its lesson of the workload `first`, else of another)]}; today's era is ""."""
    order = [declarations.workloads[first], *declarations.workloads.values()]
    found = {}
    for name, entry in declarations.frameworks.items():
        paths = [path for work in order if (path := work.folder / f"{name}.ipynb").exists()]
        if paths:
            found.setdefault(entry.get("era", ""), []).append((entry["title"], paths[0]))
    return found


def render(results) -> dict:
    """{path: bytes or Figure} of all that is generated: a function of records, notebooks, declarations and templates.

    Figures that are no longer drawn have None.
    """
    root, declarations, files = results.declarations.root, results.declarations, {}
    for column in results.columns:
        files |= column_files(results, column)
    works = declarations.workloads.values()
    texts = {}
    for work in works:
        texts |= cells.lesson_pages(declarations, work)
    runs = [
        (r["started"], notebook_of(r).resolve(), c.label) for c in results.columns for r in c.records if r["notebook"]
    ]
    ran = {notebook: label for _, notebook, label in sorted(runs) if _executed(notebook)}  # the last to write it
    start = root / "notebooks"
    texts[start / "README.md"] = page("notebooks.md", declarations=declarations, ran=ran, start=start)
    texts |= phrasebook(declarations)
    start = root / "results"
    files |= dict.fromkeys((start / "figures").glob("*.png"))
    for work in works:
        for path, made in study.files(results, work).items():
            (texts if isinstance(made, str) else files)[path] = made
        files |= {path: figure for path, (_, figure) in figures.first(results, work).items()}
    texts[start / "README.md"] = page("results.md", results=results, start=start)
    texts |= {start / f"{work.name}.md": page("workload.md", results=results, work=work, start=start) for work in works}
    files[root / "README.md"] = fill((root / "README.md").read_text(encoding="utf-8"), results).encode()
    return files | {path: f"{text.strip()}\n".encode() for path, text in texts.items()}


def _executed(path) -> bool:
    """Whether a notebook has outputs; those of cells that changed too much may have been cleared."""
    return path.exists() and any(cell.get("outputs") for cell in Notebook(path).content["cells"])


def phrasebook(declarations) -> dict:
    """{path: text} of the phrasebook's index, tasks down and frameworks across, and of the lessons' tables in one."""
    start = declarations.root / "phrasebook"
    groups = {group: [] for group in phrases.GROUPS}
    for one in phrases.read_all(declarations.root):
        groups[one.group].append(one)
    lessons = {}
    for name, entry in declarations.frameworks.items():
        for work in declarations.workloads.values():
            path = work.folder / f"{name}.ipynb"
            if path.exists() and (rows := phrases.coming_from(path)):
                header, *calls = rows
                table = lessons.setdefault(entry["title"], {}).setdefault(header, {})
                for call in calls:
                    table.setdefault(call, []).append((work.title, path))
    index = page("phrasebook.md", groups=groups, frameworks=phrases.FRAMEWORKS, start=start)
    return {start / "README.md": index, start / "coming_from.md": page("coming_from.md", lessons=lessons, start=start)}


# ---------------------------------------------------------------- writing


def differing(files: dict) -> list:
    """The paths of {path: content} that are missing or have other bytes, or show another Figure, or, for None, are."""
    return [path for path, content in files.items() if not _there(path, content)]


def _there(path, content) -> bool:
    if isinstance(content, figures.Figure):
        return content.digest == figures.drawn(path)
    return content == (path.read_bytes() if path.exists() else None)


def regenerate(root: Path) -> list:
    """Write all that is generated from results/published; the paths that changed, none the second time."""
    results = published(root)
    for sentence in results.mistakes():
        print(sentence, file=sys.stderr)
    return write(render(results))


def write(files: dict) -> list:
    """Write {path: bytes or Figure}, each atomically and only where it differs, remove those of None; what changed."""
    changed = differing(files)
    for path in changed:
        content = files[path]
        if content is None:
            path.unlink()
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_name(f"{path.name}.{os.getpid()}.part")  # other reports may write, too
        part.write_bytes(content.png() if isinstance(content, figures.Figure) else content)
        part.replace(path)
    return changed
