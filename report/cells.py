"""The same cells of all frameworks side by side."""

import ast
import re
import subprocess
import textwrap

from catalog.inputs import Notebook
from report.tables import page

WIDTH = 54  # characters of code in one of two columns: two such fit GitHub's 1012 pixels
PAIRS = (("pytorch", "jax"), ("tensorflow", "keras"))  # what readers compare most
COMMENT = re.compile(rf"^(?=.{{{WIDTH + 1}}})( *)(?:(\S.*?) +)?# (.*)$", re.MULTILINE)  # of a line that is too long
APART = "numpy"  # the reference is longer than any framework's cells: it opens on request


def tagged(notebook: Notebook, tag: str) -> str:
    """The sources of a notebook's code cells with `tag`, as one text; "" if there are none."""
    return "\n\n\n".join(source.strip("\n") for own, source in notebook.cells if own == tag)


def wrapped(source: str, language: str = "python") -> str:
    """Python code with its long lines broken inside brackets by ruff, which never changes what they mean.

    The comment of a long line moves above it. Other languages are returned as they are.
    """
    if language != "python":
        return source
    from ruff import find_ruff_bin  # --python may name an environment without it, which draws a column's tables alone

    def comment_above(match):
        start, code, text = f"{match[1]}# ", match[2], re.sub(r"^\((?!.*->)", "-> (", match[3])  # a result's shape
        above = textwrap.fill(text, WIDTH, initial_indent=start, subsequent_indent=start)
        return f"{above}\n{match[1]}{code}" if code else above

    text = COMMENT.sub(comment_above, re.sub(r"\n+", "\n", source))  # ruff sets empty lines
    command = [find_ruff_bin(), "format", "--isolated", f"--line-length={WIDTH}", "--stdin-filename=cell.py", "-"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    same = done.returncode == 0 and ast.dump(ast.parse(done.stdout)) == ast.dump(ast.parse(source))
    return done.stdout.strip("\n") if same else source


def side_by_side(declarations, work) -> str:
    """notebooks/WORKLOAD/README.md, made from the notebooks that exist."""
    known, sections = declarations.frameworks, []
    there = {name: Notebook(path) for name in known if (path := work.folder / f"{name}.ipynb").exists()}
    declared = {name: [row for row in work.rows.values() if row["framework"] == name] for name in there}
    # a framework's one row may have a better title
    alone = {name: own[0] for name, own in declared.items() if len(own) == 1}
    titles = {name: alone.get(name, {}).get("title", known[name]["title"]) for name in there}
    for wanted in work.page["sections"]:
        cells = {}
        for name, notebook in there.items():
            if code := tagged(notebook, wanted["tag"]):
                narrow = wrapped(code, notebook.language)
                fits = max(map(len, narrow.splitlines())) <= WIDTH
                cell = dict(name=name, title=titles[name], code=narrow if fits else code, fits=fits)
                cells[name] = {**cell, "language": notebook.language}
        apart = [name for name in cells if name == APART or "era" in known[name]]
        rows = _paired({name: cell for name, cell in cells.items() if name not in apart})
        sections.append(dict(title=wanted["title"], rows=rows, apart=[cells[name] for name in apart], there=cells))
    return page("side_by_side.md", work=work, titles=titles, sections=sections, width=WIDTH)


def _paired(cells):
    """Rows of one or two cells: the usual pairs first, then neighbours; cells too wide stand alone."""
    rows = [[cells[name] for name in pair if name in cells] for pair in PAIRS]
    rest = [cell for name, cell in cells.items() if not any(name in pair for pair in PAIRS)]
    rows += [rest[k : k + 2] for k in range(0, len(rest), 2)]
    return [part for row in rows if row for part in ([row] if all(c["fits"] for c in row) else [[c] for c in row])]
