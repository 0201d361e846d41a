"""The house: which package may import which, how large each is, and what no file may hold."""

import ast
import io
import re
import subprocess
import tokenize
from pathlib import Path

import pytest

from tests import kernels

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("common", "referee", "catalog", "runner", "report", "phrases", "website")
# A package's modules may import these, beside their own package and libraries.
ALLOWED = {
    "common": set(),
    "referee": {"common"},
    "catalog": {"referee.parameters", "referee.languages.literals"},
    "runner": {"common", "referee", "catalog", "phrases.execute"},
    "report": {"common", "catalog", "phrases.pages"},
    "phrases": set(),
    "website": {"catalog", "report", "phrases.pages"},
}
# Each can be read in one sitting.
ROOMS = [*PACKAGES, "common.data", "runner.languages", "runner.hosts"]
ROOMS += [f"referee.{name}" for name in ("calls", "files", "languages", "outputs", "proof", "text")]
CODE_LINES = 1100  # of a room


def modules():
    """{dotted name: path} of all modules of the packages."""
    found = {}
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
            found[name.removesuffix(".__init__")] = path
    return found


MODULES = modules()


def imports(name, top_level=False):
    """The project's modules that a module imports (with ``top_level``: when it is itself imported)."""
    path, found = MODULES[name], set()
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    tree = ast.parse(path.read_text())
    for node in tree.body if top_level else ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            parts = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            base = ".".join([*parts, *filter(None, [node.module])])
            inside = {f"{base}.{alias.name}" for alias in node.names}
            found |= (inside & set(MODULES)) or {base}
    return {one for one in found if one.split(".")[0] in (*PACKAGES, "tests")} - {name}


@pytest.mark.parametrize("name", sorted(MODULES))
def test_dependencies_point_one_way(name):
    own = name.split(".")[0]
    outside = {one for one in imports(name) if one.split(".")[0] != own}
    forbidden = {one for one in outside if not any(one == ok or one.startswith(ok + ".") for ok in ALLOWED[own])}
    assert not forbidden


def test_no_import_runs_in_a_circle():
    graph = {name: imports(name, top_level=True) for name in MODULES}
    done, path = set(), []

    def visit(name):
        assert name not in path, " -> ".join([*path, name])
        if name not in done and name in graph:
            path.append(name)
            for other in graph[name]:
                visit(other)
            path.pop()
            done.add(name)

    for name in graph:
        visit(name)


def test_notebooks_import_nothing_but_common():
    """A check may import the referee, too."""
    for path in sorted([*ROOT.glob("notebooks/*/*.ipynb"), *ROOT.glob("notebooks/*/checks/*.py")]):
        foreign = "catalog|runner|report|tests" + "|referee" * (path.suffix == ".ipynb")
        assert not re.search(rf"\b(from|import) ({foreign})\b", path.read_text()), path


@pytest.mark.parametrize("name", sorted(MODULES))
def test_each_module_says_in_its_first_line_what_lives_there(name):
    first = MODULES[name].read_text().splitlines()[0]
    assert re.match(r'""".{15,}', first), first


def code_lines(path):
    """Lines that hold code: no blank ones, comments or docstrings."""
    source, lines = path.read_text(), set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in (
            tokenize.COMMENT,
            tokenize.NL,
            tokenize.NEWLINE,
            tokenize.INDENT,
            tokenize.DEDENT,
            tokenize.ENDMARKER,
        ):
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)) and ast.get_docstring(
            node
        ):
            lines -= set(range(node.body[0].lineno, node.body[0].end_lineno + 1))
    return len(lines)


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_can_be_held_in_the_head(room):
    def of(name):
        return max((one for one in ROOMS if f"{name}.".startswith(f"{one}.")), key=len)

    sizes = {name: code_lines(path) for name, path in MODULES.items() if of(name) == room}
    assert sum(sizes.values()) <= CODE_LINES, sizes


def test_public_functions_and_modules_are_documented():
    lacking = []
    for name, path in MODULES.items():
        tree = ast.parse(path.read_text())
        nodes = [tree, *(n for n in tree.body if isinstance(n, (ast.FunctionDef, ast.ClassDef)))]
        nodes += [n for c in tree.body if isinstance(c, ast.ClassDef) for n in c.body if isinstance(n, ast.FunctionDef)]
        for node in nodes:
            public = not getattr(node, "name", "").startswith("_") and getattr(node, "name", "") != "main"
            if public and not ast.get_docstring(node):
                lacking.append(f"{name}.{getattr(node, 'name', '')}")
    assert not lacking


def tracked():
    """The files of the checkout that git knows or would add; none where there is no git."""
    done = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    return [ROOT / line for line in done.stdout.splitlines() if (ROOT / line).is_file()]


def test_the_repository_stays_small():
    """Few files, so that one sees what is there; of results records, pages and what they show."""
    files = tracked()
    if not files:
        pytest.skip("git does not answer here")
    assert len(files) <= 900, f"{len(files)} files"
    assert sum(path.stat().st_size for path in files) <= 40e6
    results = [path for path in files if path.is_relative_to(ROOT / "results")]
    assert sum(path.stat().st_size for path in results) <= 15e6
    published = [path for path in results if path.is_relative_to(ROOT / "results" / "published")]
    kinds = {path.name if path.suffix == ".json" else path.suffix for path in published}
    assert kinds <= {".md", ".csv", ".jsonl", "machine.json"}


def test_no_page_is_too_long_to_be_shown():
    """GitHub shows a longer one slowly, or as text."""
    large = {path: path.stat().st_size for path in tracked() if path.suffix == ".md"}
    assert not {str(path.relative_to(ROOT)): size for path, size in large.items() if size > 150e3}


def test_no_file_holds_a_path_of_a_machine():
    pattern = re.compile(r"(?<![\w./<~{}-])/(home|root|tmp|work|mnt|Users)/[\w.]+")
    found, files = [], tracked()
    if not files:
        pytest.skip("git does not answer here")
    for path in files:
        if path.suffix in (
            ".py",
            ".md",
            ".toml",
            ".json",
            ".jsonl",
            ".ipynb",
            ".txt",
            ".in",
            ".sh",
            ".yml",
            ".csv",
            "",
        ):
            text = path.read_text(encoding="utf-8", errors="replace")
            found += [f"{path.relative_to(ROOT)}: {hit.group()}" for hit in pattern.finditer(text)]
    assert not found, found[:5]


def targets(text):
    """The files that a Markdown text links or shows."""
    plain = re.sub(r"```.*?```|`[^`]*`", "", text, flags=re.DOTALL)
    found = re.findall(r"\]\(([^)\s]+)\)", plain) + re.findall(r'(?:src|href)="([^"]+)"', plain)
    return [one.split("#")[0] for one in found if not re.match(r"\w+:|#", one)]


def anchors(text):
    """The anchors of a Markdown text's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", re.sub(r"```.*?```", "", text, flags=re.DOTALL), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


PAGES = [*ROOT.glob("*.md"), *ROOT.glob("notebooks/**/*.md")]
PAGES += [page for folder in ("docs", "phrasebook", "results") for page in ROOT.glob(f"{folder}/*.md")]


@pytest.mark.parametrize("page", sorted(PAGES), ids=lambda p: str(p.relative_to(ROOT)))
def test_every_link_of_a_page_leads_somewhere(page):
    text = page.read_text()
    missing = [one for one in targets(text) if one and not (page.parent / one).exists()]
    assert not missing
    plain = re.sub(r"```.*?```|`[^`]*`", "", text, flags=re.DOTALL)
    for target, anchor in re.findall(r"\]\(([^)\s#:]*)#([^)\s]+)\)", plain):
        other = page if not target else page.parent / target
        if other.suffix == ".md":
            assert anchor in anchors(other.read_text()), f"{target}#{anchor}"


def test_every_notebook_links_files_that_exist():
    notebooks = [*ROOT.glob("notebooks/*/*.ipynb"), *ROOT.glob("phrasebook/*.ipynb")]
    assert len(notebooks) > 150
    for path in sorted(notebooks):
        import nbformat

        text = "\n".join(c.source for c in nbformat.read(path, 4).cells if c.cell_type == "markdown")
        assert not [one for one in targets(text) if not (path.parent / one).exists()], path


def test_every_declared_link_and_section_is_there():
    for work in kernels.declarations().workloads.values():
        assert all(old["url"].startswith("http") for old in work.published)
        tags = {section["tag"] for section in work.page["sections"]}
        from tests.cells import code_cells

        # not every framework has a cell of its own for a step
        there = {tag for path in work.folder.glob("*.ipynb") for _, tags_of in code_cells(path) for tag in tags_of}
        assert tags <= there, f"{work.name}: no cell is tagged {tags - there}"
