"""The same cells of all frameworks side by side."""

import ast
import re
import subprocess
import textwrap

from catalog.inputs import Notebook
from report.tables import templates

WIDTH = 60  # characters of code in one of two columns
PAIRS = (("pytorch", "jax"), ("tensorflow", "keras"))  # what readers compare most
COMMENT = re.compile(r"( *)(?:(\S.*?) +)?# (.*)")
APART = "numpy"  # the reference is longer than any framework's cells: it opens on request


def tagged(notebook: Notebook, tag: str) -> str:
    """The sources of a notebook's code cells with `tag`, as one text; "" if there are none."""
    return "\n\n\n".join(source.strip("\n") for own, source in notebook.cells if own == tag)


def wrapped(source: str, width: int = WIDTH) -> str:
    """Python code with its long lines broken inside brackets by ruff, which never changes what they mean.

    The comment of a long line moves above it. Other languages are returned as they are.
    """
    from ruff import find_ruff_bin  # --python may name an environment without it, which draws a column's tables alone

    def comment_above(line):
        match = COMMENT.fullmatch(line) if len(line) > width else None
        if not match:
            return [line] if line else []
        indent, code, text = match.groups()
        above = [f"{indent}# {part}" for part in textwrap.wrap(text, width - len(indent) - 2)]
        return [*above, indent + code] if code else above

    text = "\n".join(part for line in source.split("\n") for part in comment_above(line))
    command = [find_ruff_bin(), "format", "--isolated", f"--line-length={width}", "--stdin-filename=cell.py", "-"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    same = done.returncode == 0 and ast.dump(ast.parse(done.stdout)) == ast.dump(ast.parse(source))
    return done.stdout.strip("\n") if same else source


def side_by_side(declarations, work) -> str:
    """notebooks/WORKLOAD/README.md, made from the notebooks that exist."""
    paths = {name: work.folder / f"{name}.ipynb" for name in declarations.frameworks}
    there = {name: Notebook(path) for name, path in paths.items() if path.exists()}
    entries, sections = {name: dict(declarations.frameworks[name]) for name in there}, []
    for name, entry in entries.items():  # a framework's one row may have a better title
        own = [row for row in work.rows.values() if row["framework"] == name]
        entry["title"] = own[0].get("title", entry["title"]) if len(own) == 1 else entry["title"]
    for wanted in work.page["sections"]:
        cells = {}
        for name in [name for name in there if tagged(there[name], wanted["tag"])]:
            code = tagged(there[name], wanted["tag"])
            narrow, fence = wrapped(code), "````" if "```" in code else "```"
            fits = max(map(len, narrow.splitlines())) <= WIDTH
            cells[name] = dict(name=name, code=narrow if fits else code, fits=fits, fence=fence)
        apart = [name for name in cells if name == APART or "era" in entries[name]]
        rows = _paired({name: cell for name, cell in cells.items() if name not in apart})
        missing = [entry["title"] for name, entry in entries.items() if name not in cells]
        sections.append(dict(title=wanted["title"], rows=rows, apart=[cells[name] for name in apart], missing=missing))
    return templates.get_template("side_by_side.md").render(work=work, entries=entries, sections=sections)


def _paired(cells):
    """Rows of one or two cells: the usual pairs first, then neighbours; cells too wide stand alone."""
    rest = dict(cells)
    rows = [[rest.pop(name) for name in pair if name in rest] for pair in PAIRS]
    rest = list(rest.values())
    rows += [rest[k : k + 2] for k in range(0, len(rest), 2)]
    return [part for row in rows if row for part in ([row] if all(c["fits"] for c in row) else [[c] for c in row])]
