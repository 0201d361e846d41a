"""Compare: two frameworks' lessons, section by section, each pair a page that reads without JavaScript.

All pairs are pages: written from cells that are rendered once, they take seconds and 25 MB, and every link works
without JavaScript. A third column, and another order of the two, are
JavaScript's, which takes them from the lessons' pages.
"""

from itertools import combinations, zip_longest

from website import lessons
from website.code import highlighted
from website.markup import slug

BEFORE = (("parameters", "Settings"), ("setup", "Setup"))  # rows beside those of the workload's page
NEXT = ("next", "Next")  # the section of links: it has no cells


def rows(work) -> list:
    """[(tag, title, anchor)] of the rows of a workload."""
    named = [(section["tag"], section["title"]) for section in work.page["sections"]]
    return [(tag, title, slug(title)) for tag, title in (*BEFORE, *named, NEXT)]


def cells(site, work, name: str, here: str) -> dict:
    """{tag: [{text, code, id}]} of a framework's lesson, rendered for a page at the address `here`."""
    book = site.books[work.name][name]
    found = {}
    for tag, title, _ in rows(work):
        if tag == NEXT[0]:
            texts = [i.source for s in book.sections if s.title == title for i in s.items if i.tag is None]
            found[tag] = [{"text": site.markdown("\n\n".join(texts), book.path, here), "code": "", "id": "next"}]
            found[tag] *= bool(texts)
            continue
        found[tag] = []
        for texts, item in lessons.tagged(book, tag):
            text = site.markdown("\n\n".join(texts), book.path, here)
            found[tag].append({"text": text, "code": highlighted(item.source, book.language), "id": item.id})
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
        shown = {name: cells(site, work, name, below) for name in names}
        first = {name: cells(site, work, name, above) for name in names[:2]}
        _page(site, work, above, names[:2], first, pair=False)
        for pair in combinations(names, 2):
            _page(site, work, f"compare/{work.name}/{'-'.join(pair)}/", pair, shown, pair=True)
    site.page("compare/", "compare_index.html", title="Compare frameworks")


def _page(site, work, here, chosen, shown, *, pair):
    aligned = []
    for tag, title, anchor in rows(work):
        sides = [shown[name][tag] for name in chosen]
        pairs = list(zip_longest(*sides)) or [[None] * len(chosen)]
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
