"""The pages that lead to a workload's lessons, and those that set two lessons beside each other, section by section."""

from catalog.inputs import Notebook
from report.tables import page

PAIRS = (("pytorch", "jax"), ("keras", "tensorflow"))  # what readers compare most; the site has all others


def tagged(notebook: Notebook, tag: str) -> str:
    """The sources of a notebook's code cells with `tag`, as one text; "" if there are none."""
    return "\n\n\n".join(source.strip("\n") for own, source in notebook.cells if own == tag)


def lesson_pages(declarations, work) -> dict:
    """{path: text} of a workload's own page and of its pairs, made from the notebooks that exist."""
    known = declarations.frameworks
    there = {name: path for name in known if (path := work.folder / f"{name}.ipynb").exists()}
    declared = [
        *declarations.rows("quick", "cpu", None, [work.name]),
        *declarations.rows("gpu", "gpu", None, [work.name]),
    ]
    rows = {name: list(dict.fromkeys(row.title for row in declared if row.framework == name)) for name in there}
    # a framework's one row may have a better title
    titles = {name: own[0] if len(own) == 1 else known[name]["title"] for name, own in rows.items()}
    pairs = {pair: [titles[name] for name in pair] for pair in PAIRS if {*pair} <= {*there}}
    files = {work.folder / f"{'_'.join(pair)}.md": _pair(work, pair, both) for pair, both in pairs.items()}
    names = {"_".join(pair): " and ".join(both) for pair, both in pairs.items()}
    return files | {work.folder / "README.md": page("lessons.md", work=work, titles=titles, rows=rows, pairs=names)}


def _pair(work, names, titles):
    """The page of two lessons: the cells of each section that `workload.toml` names, unbroken."""
    notebooks = [Notebook(work.folder / f"{name}.ipynb") for name in names]
    sections = []
    for wanted in work.page["sections"]:
        codes = [(notebook, tagged(notebook, wanted["tag"])) for notebook in notebooks]
        cells = [
            dict(title=title, code=code, language=notebook.language)
            for title, (notebook, code) in zip(titles, codes, strict=True)
        ]
        if any(cell["code"] for cell in cells):
            sections.append(dict(title=wanted["title"], cells=cells))
    there = list(zip(names, titles, strict=True))
    return page("pair.md", work=work, titles=titles, there=there, sections=sections)
