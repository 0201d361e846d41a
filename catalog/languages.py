"""The languages of notebooks: what a source says without comments and layout, its settings, and what it imports."""

import ast
import functools
import importlib.util
import re
from pathlib import Path

from referee.languages import literals

SUFFIXES = {"python": ".py", "R": ".R", "julia": ".jl"}  # of checks and modules, by a notebook's language_info
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
SETTING = re.compile(r"^(?:const\s+)?([A-Z][A-Z_0-9]*)\s*(?:=|<-)\s*(.*?)[\s;]*$", re.MULTILINE)
# import("common.data.mnist") of R's reticulate, include("../../common/julia/mnist.jl") of Julia
IMPORTS = {
    "R": re.compile(r"""\bimport\(["']([\w.]+)["']"""),
    "julia": re.compile(r"""\binclude\(.*?["']([^"']+)["']"""),
}


def of_file(path) -> str:
    """The language of a file, by its suffix."""
    return next(language for language, suffix in SUFFIXES.items() if str(path).endswith(suffix))


def check_of(notebook: Path):
    """The file of a lesson's adapters beside it, checks/FRAMEWORK.py or its language's; None without one."""
    there = [notebook.parent / "checks" / f"{notebook.stem}{suffix}" for suffix in SUFFIXES.values()]
    return next((path for path in there if path.exists()), None)


def parsed(source: str):
    """The tree of a Python source; None where it is none."""
    try:
        return ast.parse(source)
    except SyntaxError:
        return None


@functools.cache  # modules are read again for each lesson that imports them
def canonical(source: str, language: str = "python") -> str:
    """A source without comments and layout: Python's as its tree, without docstrings; others by their tokens.

    The tree is written out here: `ast.unparse` quotes f-strings in another way from Python 3.12 on.
    """
    if language != "python":
        return _stripped(source, language)
    if (tree := parsed(source)) is None:
        return source.strip()
    return _plain(tree)


def _plain(node):
    """A tree as the text of nested tuples: (node's name, (field, value), ...), less what is empty."""
    if isinstance(node, list):
        return f"[{', '.join(map(_plain, node))}]"
    if not isinstance(node, ast.AST):
        return repr(node)
    fields = {name: getattr(node, name, None) for name in node._fields}
    if isinstance(node, DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
        fields["body"] = node.body[1:]
    if isinstance(node, ast.JoinedStr):  # Python 3.12.0 adds empty texts
        fields["values"] = [part for part in node.values if getattr(part, "value", None) != ""]
    texts = [f", ('{name}', {_plain(value)})" for name, value in fields.items() if value not in (None, [])]
    return f"('{type(node).__name__}'{''.join(texts) or ','})"


def _stripped(source, language):
    from pygments import token  # a Python that only reads Python's notebooks needs none
    from pygments.lexers import get_lexer_by_name

    pieces = []
    for kind, text in get_lexer_by_name(language.lower()).get_tokens(source):
        if kind in token.Text or kind in token.Whitespace:
            pieces.append(re.sub(r"\s*\n\s*", "\n", re.sub(r"[ \t]+", " ", text)))
        elif kind not in token.Comment:
            pieces.append(text)
    return re.sub(r" ?(\n ?)+", "\n", "".join(pieces)).strip()


def settings(source: str, language: str = "python") -> dict:
    """{NAME: value} of the settings that a source assigns; one that is no plain value is kept as its text."""
    if language != "python":
        source = _stripped(source, language)
    found = {}
    for name, text in SETTING.findall(source):
        try:
            found[name] = literals.read(text, language)
        except ValueError:
            found[name] = canonical(text, language)
    return found


@functools.cache
def imported(source: str, language: str = "python", package: str = "") -> tuple:
    """What a source may load: dotted names of modules, of Julia paths of files. `package`: the one it lies in."""
    if language != "python":
        return tuple(IMPORTS[language].findall(_stripped(source, language)))
    found, todo = [], [parsed(source)] if "import" in source else []
    while todo:
        node = todo.pop()
        for block in ("body", "orelse", "finalbody", "handlers", "cases"):  # no expression imports anything
            todo += inside if isinstance(inside := getattr(node, block, None), list) else []
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            module = importlib.util.resolve_name("." * node.level + (node.module or ""), package)
            found += [f"{module}.{alias.name}" for alias in node.names]
    return tuple(found)
