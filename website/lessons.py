"""A notebook as the site shows it: its title, its sections, and in each of them texts and cells."""

import json
import re
from dataclasses import dataclass, field
from pathlib import Path

from website.markup import slug


@dataclass(frozen=True)
class Item:
    """A text (`tag` None) or a code cell: its id, its source, and the cell as the notebook has it."""

    source: str
    tag: str | None = None
    id: str = ""
    cell: dict = field(default_factory=dict, repr=False)


@dataclass(frozen=True)
class Section:
    """What stands below one heading of the second level; `id` is the heading's anchor, "top" before the first."""

    title: str
    id: str
    items: list


@dataclass(frozen=True)
class Notebook:
    """A notebook. `executed`: whether any cell has outputs; `about`: its metadata; `language` as Pygments names it."""

    path: Path
    title: str
    language: str
    executed: bool
    about: dict
    sections: list


class UnreadableError(ValueError):
    """A file is no notebook; the message names it and says why."""


def read(path: Path) -> Notebook:
    """The notebook at `path`. Raises UnreadableError where it is none."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        return _notebook(path, content["cells"], content["metadata"])
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise UnreadableError(f"{path.parent.name}/{path.name} cannot be read as a notebook: {error!r}") from None


def _notebook(path, cells, about):
    title, sections = path.stem, [Section("", "top", [])]
    for number, cell in enumerate(cells):
        text = "".join(cell["source"])
        if cell["cell_type"] == "code":
            tag = " ".join(cell["metadata"].get("tags", []))
            ident = re.sub(r"[^\w-]", "", cell.get("id") or "") or str(number)
            sections[-1].items.append(Item(text.strip("\n"), tag, f"cell-{ident}", cell))
            continue
        for part in re.split(r"^(?=## )", text, flags=re.MULTILINE):
            if heading := re.match(r"(##?) +(.+?) *(?:\n+|$)", part):
                part = part[heading.end() :]
                if heading[1] == "#" and len(sections) == 1 and not sections[0].items:
                    title = heading[2]
                else:
                    used = {section.id for section in sections}
                    name = slug(heading[2])
                    name = f"{name}-{len(sections)}" if name in used else name
                    sections.append(Section(heading[2], name, []))
            if part.strip():
                sections[-1].items.append(Item(part))
    executed = any(cell.get("outputs") for cell in cells if cell["cell_type"] == "code")
    language = about.get("language_info", {}).get("name", "python")
    return Notebook(path, title, language, executed, about, sections)


def tagged(notebook: Notebook, tag: str) -> list:
    """[(texts, cell)] of each code cell with a tag, with the texts that stand directly before it."""
    found = []
    for section in notebook.sections:
        texts = []
        for item in section.items:
            if item.tag is None:
                texts.append(item.source)
            elif item.tag == tag:
                found.append((texts, item))
                texts = []
            else:
                texts = []
    return found
