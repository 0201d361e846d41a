"""Reads frameworks.toml and every notebooks/*/workload.toml, and names each mistake with file and line."""

import json
import re
import tomllib
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import jsonschema

SCHEMAS = Path(__file__).resolve().parent / "declarations.schema.json"


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
    reference: str  # stem of the results in reference/
    proof_parts: tuple
    parameters: dict  # for papermill, less RECORD_PATH and THREADS
    shortened: dict  # what a timed round changes of them; {}: a round is the whole run
    part: bool  # runs on a part of the data: only its speed is shown
    packages: tuple
    modules: tuple  # what must be importable
    check: str  # a snippet that fails, with the remedy, where the system lacks something
    gpu_check: str
    no_gpu: str  # why it is skipped on GPUs
    default: bool
    era: int | None  # the year whose tables listed it; None: of today
    note: str

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
            known = {k: v for k, v in entry.items() if k != "from"}
            found[name] = Measure(name=name, source=entry["from"], **known)
        return found

    @property
    def speed(self) -> Measure:
        """The measure whose ratios, intervals and ranks are shown."""
        return next(m for m in self.measures.values() if m.speed)

    @property
    def published(self) -> list:
        """The figures of old, [] where there are none."""
        return self.table.get("published", [])

    def error(self, message: str, *place) -> DeclarationError:
        """A DeclarationError with the line of the table or key that `place` leads to."""
        return _error(self.path, self.text, message, place)


def _error(path, text, message, place):
    return DeclarationError(f"{path.parent.name}/{path.name}, line {line_of(text, place)}: {message}")


def line_of(text: str, place) -> int:
    """The line of a TOML text on which the table or key `place`, such as ("rows", "numpy"), stands."""
    lines, start = text.splitlines(), 0
    for depth, key in enumerate(place):
        name = re.escape(str(key))
        table = rf"\[+{'.'.join(re.escape(str(k)) for k in place[: depth + 1])}[.\]]"
        for number in range(start, len(lines)):
            if re.match(rf"{table}|(\"?{name}\"?)\s*=", lines[number]) or (
                depth and re.search(rf"[{{,]\s*{name}\s*=", lines[number])
            ):
                start = number
                break
    return start + 1


class Declarations:
    """All declarations of a checkout: frameworks, environments, profiles, precisions, workloads.

    Raises DeclarationError for the first mistake.
    """

    def __init__(self, root: Path):
        self.root = Path(root)
        self.path = self.root / "frameworks.toml"
        self._schemas = json.loads(SCHEMAS.read_text())
        self.text, self.table = self._read(self.path, "frameworks")
        self.frameworks, self.environments = self.table["frameworks"], self.table["environments"]
        self.precisions, self.profiles = self.table["precisions"], self.table["profiles"]
        for name, entry in self.frameworks.items():
            for place, options in [
                ((name,), entry),
                *(((name, "variants", v), e) for v, e in entry.get("variants", {}).items()),
            ]:
                environment = options.get("environment", [])
                for one in [environment] if isinstance(environment, str) else dict(environment).values():
                    if one not in self.environments:
                        raise _error(self.path, self.text, f"there is no environment {one!r}", ("frameworks", *place))
        self.workloads = {}
        for path in sorted(self.root.glob("notebooks/*/workload.toml")):
            text, table = self._read(path, "workload")
            workload = self.workloads[path.parent.name] = Workload(path.parent.name, path, text, table)
            self._check(workload)

    def _read(self, path, schema):
        text = path.read_text(encoding="utf-8")
        try:
            table = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise DeclarationError(f"{path.parent.name}/{path.name}: {error}") from None
        errors = jsonschema.Draft202012Validator(self._schemas[schema]).iter_errors(table)
        for error in sorted(errors, key=lambda e: list(map(str, e.absolute_path))):
            place = list(error.absolute_path)
            unknown = re.findall(r"'(\w+)'", error.message) if error.validator == "additionalProperties" else []
            where = ".".join(map(str, place)) or "the file"
            raise _error(path, text, f"{where}: {error.message}", place + unknown[:1])
        return text, table

    def _check(self, work):
        known = set(work.parameters)
        if work.data and not (self.root / "common" / "data" / f"{work.data}.py").exists():
            raise work.error(f"there is no data set common/data/{work.data}.py", "data")
        for name, profile in work.profiles.items():
            if name not in self.profiles:
                raise work.error(f"there is no profile {name!r} in frameworks.toml", "profiles", name)
            for part in ("parameters", "round", "part"):
                for parameter, value in profile.get(part, {}).items():
                    self.check_parameter(work, parameter, value, ("profiles", name))
        for precision in work.precisions:
            if precision not in self.precisions:
                raise work.error(f"there is no precision {precision!r} in frameworks.toml", "precisions")
        if work.reference_row not in work.rows:
            raise work.error(f"there is no row {work.reference_row!r}", "reference_row")
        for name, row in work.rows.items():
            framework = self.frameworks.get(row["framework"])
            if framework is None:
                raise work.error(f"there is no framework {row['framework']!r} in frameworks.toml", "rows", name)
            if "variant" in row and row["variant"] not in framework.get("variants", {}):
                raise work.error(f"{row['framework']} has no variant {row['variant']!r}", "rows", name)
            if not (work.folder / f"{row['framework']}.ipynb").exists():
                raise work.error(f"row {name} has no notebook {row['framework']}.ipynb", "rows", name)
            if row.get("note", "") not in ("", *work.table.get("notes", {})):
                raise work.error(f"there is no note {row['note']!r}", "rows", name)
            for profile in row.get("part", []):
                if "part" not in work.profiles.get(profile, {}):
                    raise work.error(f"profile {profile!r} has no part", "rows", name)
            for parameter, value in row.get("parameters", {}).items():
                self.check_parameter(work, parameter, value, ("rows", name))
        if sum(m.speed for m in work.measures.values()) != 1:
            raise work.error("one measure, and only one, must have speed = true", "measures")
        for name, measure in work.measures.items():
            if isinstance(measure.over, str) and measure.over not in known:
                raise work.error(f"there is no parameter {measure.over!r}", "measures", name)
        for key in ("summary_measures", "phases"):
            for name in work.page.get(key, []):
                if name not in work.measures:
                    raise work.error(f"there is no measure {name!r}", "page", key)
        for number, old in enumerate(work.published):
            if old["measure"] not in work.measures:
                raise work.error(f"there is no measure {old['measure']!r}", "published", number, "measure")
            for line in old["rows"]:
                for key in ("row", "heir"):
                    if line.get(key, work.reference_row) not in work.rows:
                        raise work.error(f"there is no row {line[key]!r}", "published", line["name"])

    def check_parameter(self, work, name, value, place=()):
        """Raises DeclarationError unless `value` keeps the range that the workload declares for it."""
        from common import parameters

        if name not in work.parameters:
            raise work.error(f"there is no parameter {name!r}", *place)
        try:
            parameters.check(name, value, work.parameters[name])
        except parameters.ParameterError as error:
            raise work.error(str(error), *place) from None

    def rows(self, profile: str, device: str, flags=None, workloads=None) -> list[Row]:
        """Every row of `profile` on `device` ("cpu" or "gpu"), workload by workload, in the declared order.

        flags: the CPU's feature flags, to tell whether it only emulates a precision; None: it does not.
        """
        found = []
        for work in self.workloads.values():
            if profile not in work.profiles or (workloads and work.name not in workloads):
                continue
            for precision in work.precisions:
                for name, entry in work.rows.items():
                    framework = self.frameworks[entry["framework"]]
                    variant = framework.get("variants", {}).get(entry.get("variant"), {})
                    options = {**framework, **variant, **entry}
                    fits = device in options.get("devices", ["cpu", "gpu"])
                    fits = fits and device in self.precisions[precision]["devices"]
                    if fits and precision in options.get("precisions", [precision]):
                        found.append(self._row(work, name, options, precision, profile, device, flags))
        return found

    def _row(self, work, name, options, precision, profile, device, flags) -> Row:
        values = work.profiles[profile]
        native = self.precisions[precision].get("native")
        emulated = device == "cpu" and native and flags is not None and not set(native) & set(flags)
        part = "part" in values and bool(emulated or profile in options.get("part", []))
        framework = self.frameworks[options["framework"]]
        variant = framework.get("variants", {}).get(options.get("variant"), {})
        given = {"DEVICE": device, "PRECISION": precision, **values["parameters"]}
        given |= framework.get("parameters", {}) | variant.get("parameters", {})
        given |= variant.get("gpu", {}) if device == "gpu" else {}
        given |= work.rows[name].get("parameters", {}) | (values["part"] if part else {})
        environment = options["environment"]
        return Row(
            id=name if precision == work.precisions[0] else f"{name}-{precision}",
            name=name,
            workload=work.name,
            framework=options["framework"],
            title=options["title"],
            precision=precision,
            device=device,
            profile=profile,
            environment=environment if isinstance(environment, str) else environment[device],
            notebook=work.folder / f"{options['framework']}.ipynb",
            data=work.data,
            reference=options.get("reference", "results"),
            proof_parts=tuple(options.get("proof_parts", work.proof_parts)),
            parameters={k: v for k, v in given.items() if k in work.parameters},
            shortened={} if part else dict(values.get("round", {})),
            part=part,
            packages=tuple(options["packages"]),
            modules=tuple(options.get("modules", [options["package"]])),
            check=options.get("check", ""),
            gpu_check=options.get("gpu_check", ""),
            no_gpu=options.get("no_gpu", ""),
            default=options.get("default", False) and precision == work.precisions[0],
            era=options.get("era"),
            note=options.get("note", ""),
        )
