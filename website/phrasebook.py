"""The phrasebook: an index with a filter, and a page for each task with all frameworks beside each other."""

import re
from dataclasses import dataclass

from phrases.pages import FRAMEWORKS, GROUPS
from website import lessons
from website.lessons import Notebook

DEFAULTS = "defaults-that-differ"  # the anchor


@dataclass(frozen=True)
class Phrase:
    """A task. `says`: {framework: the call as HTML, or ""}; `defaults`: whether the frameworks' differ.

    `top`, `said` {framework: items} and `rest` (sections) are what its page shows, rendered.
    """

    name: str
    title: str
    group: str
    words: list
    says: dict
    defaults: bool
    book: Notebook
    top: list
    said: dict
    rest: list

    @property
    def address(self) -> str:
        """The address of its page."""
        return f"phrasebook/{self.name}/"


def read(site) -> list:
    """All phrases, by group and title. What one lacks is said in `site.said`, and on its page."""
    found = []
    for path in sorted((site.root / "phrasebook").glob("*.ipynb")):
        try:
            found.append(_phrase(site, lessons.read(path)))
        except lessons.UnreadableError as error:
            site.said.append(f"{error}; it is left out")
    order = [*GROUPS, *sorted({phrase.group for phrase in found} - {*GROUPS})]
    return sorted(found, key=lambda phrase: (order.index(phrase.group), phrase.title.lower()))


def _phrase(site, book):
    name, about = book.path.stem, book.about.get("phrase", {})
    here, source = f"phrasebook/{name}/", book.path.relative_to(site.root).as_posix()
    prose = "\n\n".join(item.source for section in book.sections for item in section.items if item.tag is None)
    table = dict(re.findall(r"^\| *([^|]+?) *\| *(.+?) *\|$", prose, re.MULTILINE))
    said, top, rest, differing = {framework: [] for framework in FRAMEWORKS}, [], [], []
    for section in site.sections(book, here):
        differing += [item for item in section["items"] if item.get("tag") == "defaults"]
        items = [item for item in section["items"] if item.get("tag") != "defaults"]
        framework = next((key for key, title in FRAMEWORKS.items() if title == section["title"]), None)
        if framework:
            said[framework] += items
        elif section["title"]:
            rest.append({**section, "items": items, "defaults": False})
        else:
            top += items
    if differing:
        rest.insert(0, {"title": "Defaults that differ", "id": DEFAULTS, "items": differing, "defaults": True})
    missing = [title for key, title in FRAMEWORKS.items() if not said[key] or title not in table]
    if missing:
        site.said.append(f"phrasebook/{name}.ipynb does not say it in {', '.join(missing)}")
    if not book.executed:
        site.said.append(f"phrasebook/{name}.ipynb has no outputs")
    says = {key: _inline(site, table.get(title, ""), source) for key, title in FRAMEWORKS.items()}
    title, group = about.get("title") or book.title, about.get("group") or GROUPS[0]
    return Phrase(name, title, group, list(about.get("words") or []), says, bool(differing), book, top, said, rest)


def _inline(site, text, source):
    shown = site.markdown(text.replace(r"\|", "|"), source, "phrasebook/")
    return re.sub(r"^<p>|</p>$", "", shown.strip())


def pages(site):
    """Writes the index and the pages."""
    groups = {}
    for phrase in site.phrases:
        groups.setdefault(phrase.group, []).append(phrase)
    site.page("phrasebook/", "phrasebook.html", title="Phrasebook", groups=groups, frameworks=FRAMEWORKS)
    for phrase in site.phrases:
        file = f"phrasebook/{phrase.name}.ipynb"
        site.files[file] = phrase.book.path.read_bytes()
        site.page(
            phrase.address,
            "phrase.html",
            title=phrase.title,
            kind="Phrase",
            about=", ".join(phrase.words),
            p=phrase,
            frameworks=FRAMEWORKS,
            file=file,
            github=site.markup.github(file),
            others=[other for other in groups[phrase.group] if other is not phrase],
        )
