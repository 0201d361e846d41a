"""The pages as the files have them: one task each, said in every framework of today."""

import json
import re
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

GROUPS = ("Layers", "Losses", "Optimizers", "Training", "Data", "Files", "Devices", "Derivatives")
FRAMEWORKS = {"pytorch": "PyTorch", "tensorflow": "TensorFlow", "keras": "Keras", "jax": "JAX"}
BACKENDS = ("tensorflow", "jax", "torch")  # of Keras: the first is the one that stored outputs are of
OF_KERAS = ("given", "keras", "check keras")  # of the cells that run on each backend; the others run on the first alone
TAGS = ("given", *FRAMEWORKS, "defaults", "check", "check keras")  # of a page's code cells
METADATA = {"title", "group", "words", "backends"}


class PageError(ValueError):
    """A page lacks what the index or the runner needs; the message names the file and what was expected."""


@dataclass(frozen=True)
class Page:
    """A page. ``says``: {framework: the call, as its table has it}; ``cells``: [(tag, source)] of its code.

    ``backends``: those of Keras; on the second and further ones only the cells OF_KERAS are executed. ``prose``: all of
    its Markdown.
    """

    path: Path
    title: str
    group: str
    words: list
    backends: list
    says: dict
    cells: list
    prose: str


def read(path: Path) -> Page:
    """The page at ``path``. Raises PageError where its metadata, its table or a tag are not as they must be."""
    texts = {kind: [] for kind in ("markdown", "code")}
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        about = dict(content["metadata"].get("phrase", {}))
        for cell in content["cells"]:
            texts[cell["cell_type"]].append((cell["metadata"].get("tags", []), "".join(cell["source"])))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise PageError(f"{path.name} cannot be read as a notebook: {error!r}") from None
    wrong = [f"no {name}" for name in ("title", "group", "words") if not about.get(name)]
    wrong += [f"an unknown {name}" for name in sorted(set(about) - METADATA)]
    wrong += (
        [f"no group {about['group']!r}: {', '.join(GROUPS)}"] if about.get("group", GROUPS[0]) not in GROUPS else []
    )
    backends = about.get("backends", list(BACKENDS[:1]))
    wrong += [f"no backend {one!r}: {', '.join(BACKENDS)}" for one in backends if one not in BACKENDS]
    cells = [(" ".join(tags), source) for tags, source in texts["code"]]
    wrong += [f"a cell tagged {tag!r}: {', '.join(TAGS)}" for tag, _ in cells if tag not in TAGS]
    several = len(backends) > 1 and "check keras" not in {tag for tag, _ in cells}
    wrong += ["several backends, and no cell tagged check and keras"] * several
    prose = "\n\n".join(source for _, source in texts["markdown"])
    rows = dict(re.findall(r"^\| *([^|]+?) *\| *(.+?) *\|$", prose, re.MULTILINE))
    says = {name: rows.get(title) for name, title in FRAMEWORKS.items()}
    wrong += [f"no line of {FRAMEWORKS[name]} in its table" for name, call in says.items() if not call]
    if wrong:
        raise PageError(f"{path.name}: metadata `phrase`, tags or table: {'; '.join(wrong)}")
    return Page(path, about["title"], about["group"], list(about["words"]), backends, says, cells, prose)


def read_all(root: Path) -> list:
    """All pages of ``root``/phrasebook, by group and then by title."""
    found = [read(path) for path in sorted((root / "phrasebook").glob("*.ipynb"))]
    return sorted(found, key=lambda page: (GROUPS.index(page.group), page.title.lower()))


def coming_from(path: Path) -> list:
    """The lines of the table at a lesson's top, as tuples of cells, its header first; [] where it has none."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    top = ["".join(cell["source"]) for cell in takewhile(lambda cell: cell["cell_type"] == "markdown", cells)]
    lines = [line for line in "\n".join(top).splitlines() if line.startswith("|")]
    rows = [tuple(cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]) for line in lines]
    return rows[:1] + rows[2:]
