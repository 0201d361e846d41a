"""Compare: two frameworks' lessons, section by section, each pair a page that reads without JavaScript.

All pairs are pages: written from cells that are rendered once, they take seconds and 25 MB, and every link works
without JavaScript. A third column, and another order of the two, are
JavaScript's, which takes them from the lessons' pages.
"""

from itertools import combinations

from website import lessons
from website.code import highlighted
from website.markup import relative, slug

BEFORE = (("parameters", "Settings"), ("setup", "Setup"))  # rows beside those of the workload's page
NEXT = ("next", "Next")  # the section of links: it has no cells


def rows(work) -> list:
    """[(tag, title, anchor)] of the rows of a workload."""
    named = [(section["tag"], section["title"]) for section in work.page["sections"]]
    return [(tag, title, slug(title)) for tag, title in (*BEFORE, *named, NEXT)]


def sides(site, work, name: str, here: str) -> dict:
    """{tag: [HTML]} of a framework's cells, as pages at an address as deep as `here` show them.

    The last of each list stands for a further cell that only the other framework has.
    """
    book, found = site.books[work.name][name], {}
    draw = site.layout.get_template("macros.html").module.side
    lesson = (name, site.titles[name], relative(f"lessons/{work.name}/{name}/", here))
    for tag, title, _ in rows(work):
        if tag == NEXT[0]:
            texts = [i.source for s in book.sections if s.title == title for i in s.items if i.tag is None]
            cells = [(texts, None)] * bool(texts)
        else:
            cells = lessons.tagged(book, tag)
        made = []
        for texts, item in cells:
            text = site.markdown("\n\n".join(texts), book.path, here)
            code = {"code": highlighted(item.source, book.language), "id": item.id} if item else {"code": "", "id": ""}
            made.append(draw(*lesson, {"text": text, **code}, title, not made))
        found[tag] = [*(made or [draw(*lesson, None, title, True)]), draw(*lesson, None, title, False)]
    return found


def lacking(site, work) -> list:
    """Sentences on the sections that a lesson lacks and others of its workload have."""
    said = []
    for name, book in site.books[work.name].items():
        missing = [title for tag, title, _ in rows(work) if tag != NEXT[0] and not lessons.tagged(book, tag)]
        if missing:
            said.append(f"{work.name}/{name}.ipynb has no cell of: {', '.join(missing)}")
    return said


def pages(site):
    """Writes the pages of all workloads and all pairs, and their index."""
    for work in site.works.values():
        names = list(site.books[work.name])
        if not names:
            continue
        site.said += lacking(site, work)
        above, below = f"compare/{work.name}/", f"compare/{work.name}/pair/"
        shown = {name: sides(site, work, name, below) for name in names}
        first = {name: sides(site, work, name, above) for name in names[:2]}
        _page(site, work, above, names[:2], first, pair=False)
        for pair in combinations(names, 2):
            _page(site, work, f"compare/{work.name}/{'-'.join(pair)}/", pair, shown, pair=True)
    site.page("compare/", "compare_index.html", title="Compare frameworks")


def _page(site, work, here, chosen, shown, *, pair):
    aligned = []
    for tag, title, anchor in rows(work):
        columns = [shown[name][tag] for name in chosen]
        count = max(len(column) - 1 for column in columns)
        pairs = [[column[min(k, len(column) - 1)] for column in columns] for k in range(count)]
        aligned.append({"tag": tag, "title": title, "id": anchor, "pairs": pairs})
    names = " and ".join(site.titles[name] for name in chosen)
    site.page(
        here,
        "compare.html",
        title=f"{work.title}: {names}",
        work=work,
        chosen=chosen,
        shown=names,
        rows=aligned,
        names=list(site.books[work.name]),
        pair=pair,
    )
