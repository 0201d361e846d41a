"""Reads frameworks.toml and every notebooks/*/workload.toml, and names each mistake with file and line."""

import json
import re
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match

from catalog import files, languages, locks
from referee import parameters

SCHEMAS = json.loads((Path(__file__).resolve().parent / "declarations.schema.json").read_text())


class DeclarationError(ValueError):
    """A mistake in a declaration: "FILE, line N: what is wrong"."""


@dataclass(frozen=True)
class Row:
    """One line of a table: a notebook with its parameters, in one precision on one device."""

    id: str  # "pytorch-eager-bf16"
    name: str  # as declared: "pytorch-eager"
    workload: str
    framework: str
    title: str
    precision: str
    device: str
    profile: str
    environment: str
    notebook: Path
    data: str  # module of common/data, "" for none
    proof_parts: list
    without: list  # of them, those that a round's own proof leaves out
    parameters: dict  # for papermill
    shortened: dict  # what a timed round changes of them; {}: a round is the whole run
    part: bool  # runs on a part of the data: only its speed is shown
    packages: list
    modules: list  # what must be importable
    default: bool
    reference: str = "results"  # stem of the results in reference/
    check: str = ""  # a snippet that fails, with the remedy, where the system lacks something
    gpu_check: str = ""
    no_gpu: str = ""  # why it is skipped on GPUs
    variables: dict = field(default_factory=dict)  # of the kernel's process, beside those of the environment
    era: int | None = None  # the year whose tables listed it; None: of today
    note: str = ""
    full: bool = True  # whether a full run tells what the lesson came to; else its rounds alone are shown

    @property
    def today(self) -> bool:
        """Whether its framework is one of today's."""
        return self.era is None


@dataclass(frozen=True)
class Measure:
    """A column of the tables: how a value is taken from a record, and how it reads."""

    name: str
    title: str
    source: str  # a measurement of the record
    unit: str
    better: str  # "lower" or "higher"
    take: str = "median"  # of the measurement's values
    over: object = None  # the value is this, a number or a parameter's name, divided by it
    runs: str = "rounds"
    speed: bool = False
    whole: bool = False


@dataclass(frozen=True)
class Workload:
    """One workload.toml, parsed and checked."""

    name: str
    path: Path
    text: str = field(repr=False)
    table: dict = field(repr=False)

    def __getattr__(self, key):
        # title, summary, proof, data, precisions, reference_row, headings, parameters, profiles, rows, page ...
        try:
            return self.table[key]
        except KeyError:
            raise AttributeError(f"{self.path.name} of {self.name} has no {key}") from None

    @property
    def folder(self) -> Path:
        """notebooks/WORKLOAD."""
        return self.path.parent

    @cached_property
    def measures(self) -> dict:
        """{name: Measure}, in the order of the tables."""
        found = {}
        for name, entry in self.table["measures"].items():
            found[name] = Measure(name, **{{"from": "source"}.get(key, key): value for key, value in entry.items()})
        return found

    @property
    def speed(self) -> Measure:
        """The measure whose ratios, intervals and ranks are shown."""
        return next(m for m in self.measures.values() if m.speed)

    def flops_of(self, profile: str) -> float:
        """Floating-point operations of one sample: the profile's own `flops`, else the workload's, else NaN."""
        return self.table["profiles"].get(profile, {}).get("flops", self.table.get("flops", float("nan")))

    def error(self, message: str, *place) -> DeclarationError:
        """A DeclarationError with the line of the table or key that `place` leads to."""
        return _error(self.path, self.text, message, place)


def _error(path, text, message, place):
    return DeclarationError(f"{path.parent.name}/{path.name}, line {line_of(text, place)}: {message}")


def line_of(text: str, place) -> int:
    """The line of a TOML text on which the table or key `place`, such as ("rows", "numpy"), stands."""
    lines, start, names = text.splitlines(), 0, [re.escape(str(key)) for key in place]
    for depth, name in enumerate(names):
        inline = rf"|.*[{{,]\s*{name}\s*=" if depth else ""
        pattern = re.compile(rf"\[+{'.'.join(names[: depth + 1])}[.\]]|\"?{name}\"?\s*={inline}")
        start = next((number for number in range(start, len(lines)) if pattern.match(lines[number])), start)
    return start + 1


def _read(path, which, above):
    """(text, table) of a file that keeps its schema; a name in it must stand in its own tables or in those `above`."""
    try:
        table = files.as_toml(path)
    except files.BrokenFile as error:
        raise DeclarationError(str(error)) from None
    text = path.read_text(encoding="utf-8")
    schema, tables = SCHEMAS[which], {**table, **above}
    known = {name: tables.get(name) for name in {*schema["properties"], *above}}
    declared = {name: {"type": "string", "enum": list(k) if isinstance(k, dict) else []} for name, k in known.items()}
    wrong = best_match(Draft202012Validator({**schema, "$defs": declared}).iter_errors(table))
    if wrong:
        place = list(wrong.absolute_path)
        of_a_key = wrong.validator == "additionalProperties" or "propertyNames" in wrong.absolute_schema_path
        key = re.findall(r"'([^']+)'", wrong.message)[:1] if of_a_key else []
        raise _error(path, text, f"{'.'.join(map(str, place)) or 'the file'}: {wrong.message}", place + key)
    return text, table


class Declarations:
    """All declarations of a checkout: frameworks, environments, profiles, precisions, workloads.

    Raises DeclarationError for the first mistake.
    """

    def __init__(self, root: Path):
        self.root = Path(root)
        _, top = _read(self.root / "frameworks.toml", "frameworks", {})
        self.frameworks, self.environments = top["frameworks"], top["environments"]
        self.precisions, self.profiles = top["precisions"], top["profiles"]
        self.first = top.get("first", list(self.frameworks))  # of which rows run where nothing is named
        self.workloads = {}
        for path in sorted(self.root.glob("notebooks/*/workload.toml")):
            text, table = _read(path, "workload", top)
            work = Workload(path.parent.name, path, text, {"published": [], **table})
            self._check(work)
            self.workloads[work.name] = work

    def _check(self, work):
        if work.data and not (self.root / "common" / "data" / f"{work.data}.py").exists():
            raise work.error(f"there is no data set common/data/{work.data}.py", "data")
        if sum(measure.speed for measure in work.measures.values()) != 1:
            raise work.error("one measure, and only one, must have speed = true", "measures")
        rows = [*work.rows.values(), *work.table.get("forms", {}).values()]
        parts = {*work.proof_parts, *(part for row in rows for part in row.get("proof_parts", []))}
        for name, profile in work.profiles.items():
            for part in ("parameters", "round", "part"):
                self.check_parameters(work, profile.get(part, {}), "profiles", name)
            for part in profile.get("without", []):
                if part not in parts:
                    raise work.error(f"the proof has no part {part!r}", "profiles", name, "without")
        for name, form in work.table.get("forms", {}).items():
            self.check_parameters(work, form.get("parameters", {}), "forms", name)
        study = work.page.get("study", {})
        tables = [table["name"] for table in work.page.get("tables", [])]
        if study and study["table"] not in tables:
            raise work.error(f"page.tables has no {study['table']!r}", "page", "study", "table")
        known = {column for old in work.published for column in old["columns"]}
        for measure, then in study.get("then", {}).items():
            if unknown := {*then["columns"]} - known:
                said = f"page.study.then.{measure}: no published figures have the column {min(unknown)!r}"
                raise work.error(said, "page", "study", "then")
        for name, row in work.rows.items():
            self.check_parameters(work, row.get("parameters", {}), "rows", name)
            if row.get("form") not in (None, *work.table.get("forms", {})):
                raise work.error(f"there is no form {row['form']!r}", "rows", name)
            framework = row["framework"]
            if row.get("variant") not in (None, *self.frameworks[framework].get("variants", {})):
                raise work.error(f"{framework} has no variant {row['variant']!r}", "rows", name)
            if not (work.folder / f"{framework}.ipynb").exists():
                raise work.error(f"row {name} has no notebook {framework}.ipynb", "rows", name)
            if not languages.check_of(work.folder / f"{framework}.ipynb"):
                raise work.error(f"row {name} has no check checks/{framework}.py", "rows", name)
            for profile in row.get("part", []):
                if "part" not in work.profiles.get(profile, {}):
                    raise work.error(f"profile {profile!r} has no part", "rows", name)

    def check_parameters(self, work, values: dict, *place):
        """Raises DeclarationError unless each value keeps its range in `work`; place: where the file has it."""
        for name, value in values.items():
            where = place or ("parameters", name)
            if name not in work.parameters:
                raise work.error(f"there is no parameter {name!r}", *where)
            try:
                parameters.check(name, value, work.parameters[name])
            except parameters.ParameterError as error:
                raise work.error(str(error), *where) from None

    def rows(self, profile: str, device: str, flags=None, workloads=None) -> list[Row]:
        """Every row of `profile` on `device` ("cpu" or "gpu"), workload by workload, in the declared order.

        flags: the CPU's feature flags, to tell whether it only emulates a precision; None: it does not.
        """
        found = []
        for work in self.workloads.values():
            if profile in work.profiles and (not workloads or work.name in workloads):
                for precision in work.precisions:
                    found += [self._row(work, name, precision, profile, device, flags) for name in work.rows]
        return [row for row in found if row]

    def _row(self, work, name, precision, profile, device, flags):
        """The row of that name; None where it has not that precision, or not on that device."""
        entry, values, kind = work.rows[name], work.profiles[profile], self.precisions[precision]
        framework = self.frameworks[entry["framework"]]
        variant = framework.get("variants", {}).get(entry.get("variant"), {})
        form = work.table.get("forms", {}).get(entry.get("form"), {})
        options = {"proof_parts": work.proof_parts, "default": False, **framework, **variant, **form, **entry}
        on_device = device in options.get("devices", [device]) and device in kind["devices"]
        if not on_device or precision not in options.get("precisions", [precision]):
            return None
        emulated = device == "cpu" and flags is not None and "native" in kind and not {*kind["native"]} & {*flags}
        part = "part" in values and (emulated or profile in options.get("part", []))
        called = work.parameters.get("DEVICE", {}).get(device, device)  # what the lessons call it
        given = {"DEVICE": called, "PRECISION": precision, **values["parameters"]}
        given |= framework.get("parameters", {}) | variant.get("parameters", {})
        given |= variant.get("gpu", {}) if device == "gpu" else {}
        given |= form.get("parameters", {}) | entry.get("parameters", {}) | (values["part"] if part else {})
        titled = {**framework, **variant, **entry}
        first, notebook = precision == work.precisions[0], work.folder / f"{entry['framework']}.ipynb"
        derived = {
            "name": name,
            "title": ", ".join(one["title"] for one in (titled, form) if "title" in one),
            "data": work.data,
            "id": name if first else f"{name}-{precision}",
            "notebook": notebook,
            "environment": locks.per_device(options, "environment", device),
            "variables": locks.per_device(options, "variables", device, {}),
            "modules": options.get("modules", [options["package"]]),
            "default": options["default"] and first,
            "parameters": {k: v for k, v in given.items() if k in work.parameters},
            "shortened": values.get("round", {}),
            "part": part,
            "proof_parts": options["proof_parts"],
            "without": [part for part in values.get("without", []) if part in options["proof_parts"]],
        }
        declared = {key: value for key, value in options.items() if key in Row.__annotations__}
        of_group = {"workload": work.name, "precision": precision, "device": device, "profile": profile}
        return Row(**declared | derived | of_group)
