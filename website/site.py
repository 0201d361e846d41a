"""What all pages share: declarations, lessons, the layout, where files of the repository are shown, what is amiss."""

import hashlib
import re
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from catalog.declarations import Declarations
from website import lessons
from website.code import highlighted
from website.markup import Markup, relative, slug

TEMPLATES = Path(__file__).resolve().parent / "templates"
STATIC = TEMPLATES.parent / "static"
FIRST = ("pytorch", "jax", "tensorflow", "keras")  # what readers compare most: they stand first
AREAS = (("compare/", "Compare"), ("phrasebook/", "Phrasebook"), ("lessons/", "Lessons"), ("results/", "Results"))
LARGE = 80_000  # characters of Markdown, about two thirds of its HTML: beyond, each section is a page


@dataclass(frozen=True)
class Part:
    """A section of a long document, `## NAME` first, as a page at `address`; without a name what stands above them."""

    name: str
    text: str
    address: str


def parts(text: str, address: str) -> list:
    """The Parts of a document at `address`, [] where it is short enough for one page."""
    if len(text) <= LARGE:
        return []
    top, *rest = re.split(r"^(?=## )", text, flags=re.MULTILINE)
    names = [part[3:].partition("\n")[0].strip() for part in rest]
    return [Part("", top, address), *(Part(n, t, f"{address}{slug(n)}/") for n, t in zip(names, rest, strict=True))]


class Site:
    """The site while it is built: `files` {address: bytes} grows with each page.

    `books`: {workload: {framework: Notebook}}, those of FIRST first; `said`: sentences on what is amiss; `indexed`:
    {address: (HTML, kind)} of the pages that the search finds.
    """

    def __init__(self, root: Path, repository: str = ""):
        self.root, self.repository = Path(root), repository
        self.declarations = Declarations(self.root)
        self.works, self.frameworks = self.declarations.workloads, self.declarations.frameworks
        self.titles = {name: entry["title"] for name, entry in self.frameworks.items()}
        self.markup = Markup(self.root, repository)
        self.files, self.said, self.indexed = {}, [], {}
        self.books = {work: self._books(self.works[work].folder) for work in self.works}
        self.documents = {}  # {path in the checkout: address} of Markdown files that are pages
        self.parts = {}  # {path: [Part]} of these
        self._place()
        self.layout = Environment(
            loader=FileSystemLoader(TEMPLATES),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        statics = b"".join(path.read_bytes() for path in sorted(STATIC.iterdir()))
        version = hashlib.sha256(statics).hexdigest()[:8]  # so that no old style meets a new page
        self.layout.globals |= dict(site=self, areas=AREAS, highlighted=highlighted, version=version)

    def _books(self, folder):
        found, order = {}, [name for name in FIRST if name in self.frameworks]
        for name in dict.fromkeys([*order, *self.frameworks]):
            path = folder / f"{name}.ipynb"
            if path.exists():
                try:
                    found[name] = lessons.read(path)
                except lessons.UnreadableError as error:
                    self.said.append(f"{error}; it is left out")
                    continue
                if not found[name].executed:
                    self.said.append(f"{folder.name}/{path.name} has no outputs")
        return found

    def _place(self):
        """Where the repository's own files are shown."""
        pages = self.markup.pages
        pages |= {"README.md": "", "notebooks/README.md": "lessons/", "results/README.md": "results/"}
        for work in self.works:
            pages[f"notebooks/{work}/README.md"] = f"compare/{work}/"
            pages[f"results/{work}.md"] = f"results/{work}/"
            pages |= {f"notebooks/{work}/{name}.ipynb": f"lessons/{work}/{name}/" for name in self.books[work]}
            for one, other in combinations(self.books[work], 2):
                pair = f"compare/{work}/{one}-{other}/"
                pages |= dict.fromkeys(
                    (f"notebooks/{work}/{one}_{other}.md", f"notebooks/{work}/{other}_{one}.md"), pair
                )
        pages["phrasebook/README.md"] = "phrasebook/"
        for path in sorted(self.root.glob("phrasebook/*.ipynb")):
            pages[f"phrasebook/{path.name}"] = f"phrasebook/{path.stem}/"
        self.documents = {f"docs/{path.name}": f"docs/{path.stem}/" for path in sorted(self.root.glob("docs/*.md"))}
        studies = [work.page["study"]["file"] for work in self.works.values() if "study" in work.page]
        others = {f"results/{name}.md": f"results/{name}/" for name in studies}
        others["phrasebook/coming_from.md"] = "phrasebook/coming_from/"
        self.documents |= {path: at for path, at in others.items() if (self.root / path).exists()}
        pages |= self.documents
        self.parts = {path: parts(self.text(path), at) for path, at in self.documents.items()}
        for path, part in [(path, part) for path, found in self.parts.items() for part in found if part.name]:
            self.markup.places[path, slug(part.name)] = part.address
            for heading in re.findall(r"^###+ (.+)", part.text, re.MULTILINE):
                self.markup.places[path, slug(heading)] = f"{part.address}#{slug(heading)}"
        self.markup.anchored |= {*self.documents, *(path for path in pages if path.endswith(".ipynb"))}
        pages["docs/README.md"] = pages["docs"] = "docs/"

    def text(self, path: str) -> str:
        """What a document says, in Markdown."""
        return (self.root / path).read_text(encoding="utf-8")

    def today(self, name: str) -> bool:
        """Whether a framework is one of today's."""
        return "era" not in self.frameworks[name]

    def page(self, address: str, template: str, *, title: str, kind: str = "", about: str = "", **given):
        """Renders a template as the page at `address`; of a `kind` ("Lesson", ...) the search finds it."""
        text = self.layout.get_template(template).render(
            here=address,
            title=title,
            about=about,
            root=relative("", address),
            href=lambda target: relative(target, address),
            **given,
        )
        self.files[f"{address}index.html"] = text.encode()
        if kind:
            self.indexed[address] = text, kind

    def markdown(self, text: str, source, here: str) -> str:
        """Markdown of a file of the checkout, a path or its name, as HTML for the page at `here`."""
        if isinstance(source, Path):
            source = source.relative_to(self.root).as_posix()
        return self.markup.markdown(text, source, here)

    def sections(self, notebook, here: str):
        """Yields each section of a notebook as a dict with `title`, `id` and rendered `items`."""
        for section in notebook.sections:
            items = []
            for item in section.items:
                if item.tag is None:
                    items.append({"text": self.markdown(item.source, notebook.path, here)})
                else:
                    shown = {"code": highlighted(item.source, notebook.language), "tag": item.tag, "id": item.id}
                    items.append({**shown, "outputs": list(self.markup.outputs(item.cell, here))})
            if items or section.title:
                yield {"title": section.title, "id": section.id, "items": items}
