"""The lessons' pages, the documents' and the map of all lessons."""

import re

from website.markup import relative

IN_COLAB = ("numpy", "pytorch", "tensorflow", "keras", "jax", "numba", "cupy")  # what a Colab notebook brings along
ABOUT = {  # what the index says of the documents that it knows
    "method": "what is proven, how time is measured, what the words in the tables mean",
    "trials": "what was tried in each framework, where, and by how much",
    "adding": "how to add a framework, a program, or a column of your own",
    "site": "how this site is made",
    "running": "how to run the lessons on your machine",
    "lessons": "what the notebooks of 2018 taught, and what of it still holds",
    "memory": "why Julia was slower: one small network in several forms",
    "coming_from": "the tables at the top of the lessons, in one place",
}


def lessons(site):
    """Writes a page for each lesson, the lesson as a file, and the map of them all."""
    for work in site.works.values():
        for name, book in site.books[work.name].items():
            here, file = f"lessons/{work.name}/{name}/", f"notebooks/{work.name}/{name}.ipynb"
            site.files[file] = book.path.read_bytes()
            names = list(site.books[work.name])
            colab = site.today(name) and book.language == "python" and site.repository
            site.page(
                here,
                "lesson.html",
                title=f"{work.title}: {site.titles[name]}",
                kind="Lesson",
                work=work,
                name=name,
                book=book,
                file=file,
                sections=list(site.sections(book, here)),
                beside=[
                    (other, f"compare/{work.name}/{_pair(names, name, other)}/") for other in names if other != name
                ],
                github=site.markup.github(file),
                colab=f"https://colab.research.google.com/github/{site.repository}/blob/HEAD/{file}" if colab else "",
                first_cell=_first_cell(site, name),
                command=f"./run_all.sh --workload {work.name} --framework {name}",
            )
    works = [work for work in site.works.values() if site.books[work.name]]
    shown = [name for name in site.frameworks if any(name in site.books[work.name] for work in works)]
    groups = [
        ("Frameworks of today", [name for name in shown if site.today(name)]),
        ("Frameworks of 2018", [name for name in shown if not site.today(name)]),
    ]
    site.page("lessons/", "lessons_index.html", title="Lessons", groups=groups, works=works)


def _pair(names, one, other):
    return "-".join(sorted((one, other), key=names.index))


def _first_cell(site, name):
    """What a Colab notebook executes first: clones the repository, installs `common` and what Colab lacks."""
    more = [] if name in IN_COLAB else site.frameworks[name]["packages"]
    source = f"git+https://github.com/{site.repository}"
    return " ".join(["%pip install --quiet", source, *more])


def documents(site):
    """Writes a page for each Markdown file of docs/ and the like, or one for each of its sections, and their index."""
    listed = []
    for path, address in site.documents.items():
        text = site.text(path)
        title = re.sub("[`*]", "", next((line[2:] for line in text.splitlines() if line.startswith("# ")), path))
        if site.parts[path]:
            _sections(site, path, address, title)
        else:
            shown = site.markdown(text, path, address)
            outline = re.findall(r'<h2 id="([^"]*)">(.*?)</h2>', shown, re.DOTALL)
            outline = [(f"#{id}", re.sub(r"<[^>]+>|&\w+;", "", heading)) for id, heading in outline]
            site.page(address, "document.html", title=title, kind="Page", text=shown, outline=outline)
        listed.append((address, title, ABOUT.get(address.rstrip("/").rpartition("/")[2], "")))
    order = [*ABOUT.values(), ""]
    listed.sort(key=lambda one: order.index(one[2]))
    site.page("docs/", "documents_index.html", title="Method and more", documents=listed)


def _sections(site, path, address, title):
    """A page for each section of a long document, and one for what stands before the first."""
    parts = [part for part in site.parts[path] if part.name]
    for part in site.parts[path]:
        here, heading = part.address, f"{title}: {part.name}" if part.name else title
        shown = site.markdown(f"# {title}: {part.text[3:]}" if part.name else part.text, path, here)
        outline = [(relative(one.address, here), one.name) for one in parts]
        listed = all(f'href="{address}"' in shown for address, _ in outline)  # as the text itself has them
        site.page(here, "document.html", title=heading, kind="Page", text=shown, outline=[] if listed else outline)


def home(site):
    """Writes the first page: README's first sentences, and the two programs that stand there side by side."""
    text = (site.root / "README.md").read_text(encoding="utf-8")
    lead = next((part for part in text.split("\n\n")[1:] if re.match(r"[A-Z]", part)), "")
    names = re.findall(r"<th[^>]*>(.*?)</th>", text)
    stone = list(zip(names, re.findall(r"```python\n(.*?)\n```", text, re.DOTALL), strict=False))[:2]
    groups = {}
    for phrase in site.phrases:
        groups.setdefault(phrase.group, []).append(phrase)
    work = next((w for w in site.works.values() if {"pytorch", "jax"} <= {*site.books[w.name]}), None)
    lead = site.markdown(lead, "README.md", "")
    title = "The Rosetta Stone of deep-learning frameworks"
    site.page("", "home.html", title=title, lead=lead, stone=stone, work=work, groups=groups)
