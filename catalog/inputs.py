"""What a result depends on, part by part and from files alone, and which of the parts have changed since."""

import hashlib
from functools import partial

from catalog import files, languages, locks
from catalog.languages import canonical

OWN = {"run", "synthetic", "show", "more"}  # a lesson's own run, and what follows: nothing that is proven or timed
FULL = set("data loader model weights session loss train_step train evaluate infer profile run".split())
# Modules of the proof alone.
PROOFS = (
    "referee.proof.",
    "referee.files.prove.",
    "referee.files.augmentation.",
    "referee.outputs.prove.",
    "referee.calls.prove.",
    "referee.calls.counted.",
    "referee.text.prove.",
)
PRESENTATION = {"common.plots", "referee.record"}
SESSIONS = {  # the module behind a lesson, by the kind of its workload's proof
    "training": "referee.session",
    "files": "referee.files.session",
    "outputs": "referee.outputs.session",
    "calls": "referee.calls.session",
    "text": "referee.text.session",
}
TIMED = {"SECONDS": 0, "SOURCE": "files", "DEVICES": 1, "IMAGES": 64}  # a lesson's parameters that are the referee's
CLOCK = {"SECONDS", "IMAGES"}  # those that a proof knows nothing of
NEEDS = {  # the tag of lessons that have it
    "SECONDS": "loss",
    "SOURCE": "loader",
    "DEVICES": "loader",
    "IMAGES": "weights",
}


def digest(*parts) -> str:
    """Hex sha256 of texts and bytes, each with its length before it."""
    total = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        total.update(b"%d:" % len(data) + data)
    return total.hexdigest()


EMPTY = digest(canonical(""))


def fetchable(root) -> list:
    """The names of the modules of common/data that fetch a whole data set, or weights."""
    return sorted(f.stem for f in (root / "common/data").glob("*.py") if "\ndef fetch(" in f.read_text("utf-8"))


class Notebook:
    """A lesson: ``content`` as JSON has it, ``cells`` a list of (tag, source), ``parameters`` its defaults by name.

    ``language``: "python", "R" or "julia"; ``check``: the file of its adapters. A cell without a word does not count. A
    default that is no plain value is kept as its text. The parameters have, beside the lesson's own, those of TIMED
    that are for its kind.
    """

    def __init__(self, path):
        self.path, self.content, self.check = path, files.as_json(path), languages.check_of(path)
        try:
            code = [c for c in self.content["cells"] if c["cell_type"] == "code" and "".join(c["source"]).strip()]
            self.cells = [(" ".join(sorted(c["metadata"].get("tags", []))), "".join(c["source"])) for c in code]
        except (KeyError, TypeError, AttributeError) as error:
            raise files.BrokenFile(f"{path} is broken: no notebook of format 4 ({error!r})") from None
        about = self.content.setdefault("metadata", {})
        said = about.get("language_info", {}).get("name") or about.get("kernelspec", {}).get("language")
        self.language = said or languages.of_file(self.check)  # some tools strip what a notebook says of itself
        settings = "\n".join(source for tag, source in self.cells if tag == "parameters")
        self.parameters = languages.settings(settings, self.language)
        tags = {tag for tag, _ in self.cells}
        self.parameters.update((name, value) for name, value in TIMED.items() if NEEDS[name] in tags)

    def digests(self) -> dict:
        """{tag: digest of its cells}, "check" that of the check; parameters count by their values instead."""
        sources = {"check": [canonical(self.check.read_text(encoding="utf-8"), self.language)]}
        for tag, source in self.cells:
            if tag != "parameters":
                sources.setdefault(tag, []).append(canonical(source, self.language))
        return {tag: digest(*texts) for tag, texts in sources.items()}


class Inputs:
    """The inputs of rows as the files have them now; each lesson and module is read once.

    ``python``: the interpreter that runs every row; without one the locks say what is installed.
    """

    def __init__(self, declarations, python=None):
        self.declarations, self.root, self.python = declarations, declarations.root, python
        self._kept = {}
        self.harmless = declared_changes(declarations.root)

    def _once(self, key, make):
        if key not in self._kept:
            self._kept[key] = make()
        return self._kept[key]

    def notebook(self, row) -> Notebook:
        """The row's notebook."""
        return self._once(row.notebook, lambda: Notebook(row.notebook))

    def equal(self, row) -> dict:
        """{(part, digest): (part, digest)}: what a part became that counts as the same for the row."""
        changes = [parts for but, parts in self.harmless if f"{row.workload}/{row.name}" not in but]
        return {then: now for parts in changes for then, now in parts.items()}

    def parameters(self, row, kind, changes=None) -> dict:
        """What a run of that kind ("round", "full" or "proof") hands to the row's notebook, which knows the names.

        A proof runs on the quick profile's samples.
        """
        quick = self.declarations.workloads[row.workload].profiles.get("quick", {})
        proof = {**quick.get("parameters", {}), **quick.get("part", {})}
        given = {**row.parameters, **{"round": row.shortened, "full": {}, "proof": proof}[kind], **(changes or {})}
        return {name: value for name, value in given.items() if name in self.notebook(row).parameters}

    def of(self, row, kind, changes=None) -> dict:
        """The inputs of a run of that kind, as a record keeps them. ``changes``: parameters given by hand."""
        notebook, sample = self.notebook(row), f"common/data/{row.data}.npz"
        values = {**notebook.parameters, **self.parameters(row, kind, changes)}
        folder = row.notebook.parent.relative_to(self.root) / "reference"
        return {
            "cells": self._once(("cells", row.notebook), notebook.digests),
            "parameters": values,
            "environment": self._environment(row),
            "data": self._digest(row.data, sample if values.get("DATA") == "sample" else ""),
            "reference": self._digest(folder / "spec.json", folder / f"{row.reference}.npz", sample),
            "common": self._once(("common", row.notebook), lambda: self._modules(notebook, row)),
        }

    def data(self, row, kind, changes=None) -> set:
        """{(module of common.data, "full" or "small")} of the data set and weights that such a run loads; no sample."""
        given = self.of(row, kind, changes)
        source = given["parameters"].get("DATA", "sample")
        known = self._once("fetchable", lambda: fetchable(self.root)) if source != "sample" else []
        return {(name, source) for name in known if f"common.data.{name}" in given["common"]}

    def _digest(self, *paths):
        """Of the files' names and contents; a file that is not there counts by its name."""
        there = [self.root / path for path in paths if (self.root / path).is_file()]
        return self._once(paths, lambda: digest(*map(str, paths), *(path.read_bytes() for path in there)))

    def _environment(self, row):
        entry = self.declarations.environments[row.environment]
        own = [locks.normal(name) for name in row.packages]
        lock, pythons = locks.lock_file(self.root, entry, row.device), locks.pythons(entry)
        if self.python:
            text = self._once("installed", lambda: locks.output(self.python, locks.INSTALLED))
            if not text:
                raise RuntimeError(f"{self.python} could not list its packages: mend it (pip check), then run again")
            lock, pythons = None, [text.split()[1]]
        else:
            text = self._once(lock, lambda: lock.read_text(encoding="utf-8"))
        there = tuple(name for name in own if name in self._once((lock, "blocks"), lambda: locks.blocks(text)))
        pins = self._once((lock, there), lambda: locks.closure(text, there))
        declared = {"variables": entry.get("variables", {}) | row.variables, "caches": entry.get("caches", {})}
        return {"lock": lock and lock.name, "python": pythons, "packages": pins, "own": own, **declared}

    def _modules(self, notebook, row):
        """{module: digest} of the modules of common and referee that lesson, check and session import, or these import.

        A file in another language than Python is called by its path.
        """
        sources = [(source, notebook.path.parent) for tag, source in notebook.cells if tag not in OWN]
        sources.append((notebook.check.read_text(encoding="utf-8"), notebook.check.parent))
        todo, found = [SESSIONS[self.declarations.workloads[row.workload].proof]], {}
        if notebook.language != "python":
            name = notebook.language.lower()
            todo += [f"referee.languages.{name}", f"referee/languages/bridge{languages.SUFFIXES[notebook.language]}"]
            todo += [f"common.data.{row.data}"] if row.data else []  # by which the referee checks what the lesson loads
        for source, folder in sources:
            todo += self._imported(source, notebook.language, folder)
        while todo:
            parts = (asked := todo.pop()).split(".")
            names = [asked] if "/" in asked else [".".join(parts[:end]) for end in range(1, len(parts) + 1)]
            for name in names:
                if name not in found and (module := self._once(("module", name), partial(self._module, name))):
                    found[name], imported = module
                    todo += imported
        return found

    def _module(self, name):
        """(digest, what it imports) of a module, or of a file by its path; None where it does not count."""
        path, language, package = self.root / name, "python", ""
        if "/" in name:
            language = languages.of_file(name)
        elif name.split(".")[0] not in ("common", "referee") or name in PRESENTATION:
            return None
        else:
            path = self.root.joinpath(*name.split("."))
            package = name if path.is_dir() else name.rpartition(".")[0]
            path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
            if not path.exists():
                return None
        text = path.read_text(encoding="utf-8")
        return digest(canonical(text, language)), [*self._imported(text, language, path.parent, package)]

    def _imported(self, source, language, folder, package=""):
        """What a source in ``folder`` imports: dotted names, and files of the project by their path from its root."""
        for name in languages.imported(source, language, package):
            if "/" not in name or not name.endswith(tuple(languages.SUFFIXES.values())):
                yield name
            elif (path := (folder / name).resolve()).is_relative_to(self.root) and path.exists():
                yield path.relative_to(self.root).as_posix()


def declared_changes(root) -> list:
    """The changes of results/equivalences.toml: (rows for which it counts, as WORKLOAD/ROW, {then: now}) of each.

    A part is a (name, digest). Raises BrokenFile where an entry lacks something.
    """
    path = root / "results" / "equivalences.toml"
    changes = files.as_toml(path).get("change", []) if path.exists() else []
    try:
        found = [
            (one.get("but", []), {(p["part"], p["then"]): (p.get("became", p["part"]), p["now"]) for p in one["parts"]})
            for one in changes
        ]
    except (KeyError, TypeError, AttributeError) as error:
        raise files.BrokenFile(f"{path} is broken: a change or a part of it lacks something ({error!r})") from None
    known = {then: now for _, parts in found for then, now in parts.items()}
    for part in known:
        passed = {part}
        while (part := known.get(part)) is not None:
            if part in passed:
                raise files.BrokenFile(f"{path} is broken: {part[0]} becomes what it was, {part[1]}")
            passed.add(part)
    return found


def renewed(side: dict, known: dict) -> dict:
    """Inputs with each cell and module that has an equivalent in ``known`` (`Inputs.equal`) replaced by the newest one.

    Modules that hold nothing but a docstring are left out.
    """

    def newest(prefix, parts):
        found = {}
        for name, value in parts.items():
            part = prefix + name, value
            while part in known:
                part = known[part]
            found[part[0].removeprefix(prefix)] = part[1]
        return {name: value for name, value in found.items() if value != EMPTY}

    return {**side, "cells": newest("cell ", side["cells"]), "common": newest("", side["common"])}


def stale(kind: str, then: dict, now: dict, known: dict | None = None) -> list:
    """The parts that changed between two inputs and count for that kind of run; [] where it is up to date.

    "proof": everything but the lesson's own run; "round": all of that but the proof; "full": what decides the result.
    ``known``: changes that count as none, see `Inputs.equal`.
    """
    then, now = renewed(then, known or {}), renewed(now, known or {})
    old, new = then["environment"], now["environment"]
    pins = [dict(pin.split("==", 1) for pin in side["packages"]) for side in (old, new)]
    if kind == "full":
        pins = [{name: side[name] for name in new["own"] if name in side} for side in pins]
    changed = [tag for tag in _differing(then["cells"], now["cells"]) if _counts(kind, tag)]
    changed = [f"cell {tag or 'without a tag'}" for tag in changed]
    given = [side["parameters"] for side in (then, now)]
    if kind == "proof":
        given = [{name: value for name, value in side.items() if name not in CLOCK} for side in given]
    changed += _named("parameter", *given) + _named("package", *pins)
    changed += ["data"] * (then["data"] != now["data"])
    if kind == "full":
        return changed
    if not set(old["python"]) & set(new["python"]):
        changed.append(f"Python {' or '.join(old['python'])} -> {' or '.join(new['python'])}")
    changed += _named("variable", old["variables"], new["variables"]) + _named("cache", old["caches"], new["caches"])
    changed += [module for module in _differing(then["common"], now["common"]) if _counts(kind, module)]
    return changed + ["reference"] * (kind == "proof" and then["reference"] != now["reference"])


def _counts(kind, part):
    if kind == "full":
        return part in FULL
    return part not in OWN and (kind == "proof" or not f"{part}.".startswith(PROOFS))


def _differing(then, now):
    return [name for name in sorted({*then, *now}) if then.get(name) != now.get(name)]


def _named(what, then, now):
    return [f"{what} {name} {then.get(name, 'none')} -> {now.get(name, 'none')}" for name in _differing(then, now)]


def why(inputs: Inputs, row, record: dict, seeded=False, changes=None) -> dict:
    """{"round 1": parts that changed, "proof": ...} for a good record of the row: for what it measured, and its proof.

    `seeded`: its seed was given by hand; `changes`: other parameters that were. A record from an interpreter of the
    user's own is not held against the locks.
    """
    kind, label = record["kind"], f"round {record['round']}" if record["kind"] == "round" else record["kind"]
    seed = {name: value for name, value in record["parameters"].items() if seeded and name == "SEED"}
    now = inputs.of(row, kind, {**(changes or {}), **seed})
    if record["inputs"]["environment"]["lock"] is None and not inputs.python:
        now["environment"] = record["inputs"]["environment"]
    kinds = {label: kind} | ({"proof": "proof"} if record["proof"] else {})
    return {name: stale(which, record["inputs"], now, inputs.equal(row)) for name, which in kinds.items()}
