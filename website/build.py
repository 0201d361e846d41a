"""All pages of the site, as a function of the checkout, and how they come to a folder."""

from pathlib import Path

from website import books, compare, phrasebook, results, search
from website.site import STATIC, Site


def build(root: Path, repository: str = "") -> Site:
    """The whole site of the checkout at `root`: `files` {address: bytes}, `said` what is amiss."""
    site = Site(root, repository)
    site.phrases = phrasebook.read(site)
    books.lessons(site)
    compare.pages(site)
    phrasebook.pages(site)
    results.pages(site)
    books.documents(site)
    books.home(site)
    site.page("search/", "search.html", title="Search")
    name = repository.partition("/")[2]
    home = "/" if not name or name.endswith(".github.io") else f"/{name}/"  # where GitHub Pages have it
    site.files["404.html"] = site.layout.get_template("404.html").render(root=home).encode()
    site.files |= {f"static/{path.name}": path.read_bytes() for path in sorted(STATIC.iterdir())}
    site.files |= site.markup.files
    site.files |= search.files(site.indexed)
    site.files[".nojekyll"] = b""
    site.said += sorted(site.markup.missing)
    return site


def write(files: dict, folder: Path) -> list:
    """Makes `folder` hold {address: bytes} and nothing else; the addresses that were written or removed."""
    if folder.exists() and any(folder.iterdir()) and not (folder / ".nojekyll").exists():
        raise FileExistsError(f"{folder} is no site: move it away, or choose another: python -m website --out FOLDER")
    there = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    changed = []
    # first what tells a site from other folders: a build that was killed is gone on with
    for address, content in sorted(files.items(), key=lambda one: one[0] != ".nojekyll"):
        path = folder / address
        if address not in there or path.read_bytes() != content:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
            changed.append(address)
    for address in there.keys() - files.keys():
        there[address].unlink()
        changed.append(address)
    for path in sorted((p for p in folder.rglob("*") if p.is_dir()), reverse=True):
        if not any(path.iterdir()):
            path.rmdir()
    return changed
