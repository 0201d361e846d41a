"""Reads the records of a column, each once; names what cannot be read."""

import json
import math
import re
import sys
from pathlib import Path

import jsonschema

ROOT = Path(__file__).resolve().parent.parent
SCHEMA = json.loads((ROOT / "referee" / "record.schema.json").read_text())
NEWEST = SCHEMA["properties"]["schema"]["const"]
NAME = re.compile(r"(\w+)-(cpu|gpu)(-set-\w+)?")  # of a column's folder: profile, device, settings of its own
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


class ReportError(ValueError):
    """What cannot be read, shown or published; the message says why."""


def refuse(reason, sentence):
    """Raise ReportError with `sentence` where there is a reason."""
    if reason:
        raise ReportError(sentence)


class Column:
    """One column of the tables: a folder results/{local,published}/LABEL/PROFILE-DEVICE, an absolute path, as read.

    A local column has a file for each record, WORKLOAD/NAME.json; a published one has a line for each in
    WORKLOAD.jsonl. A sentence goes to stderr for each that cannot be read.

    `name`: as headings have it; `root`: the checkout that it is in; `own_settings`: measured with --set, never
    published; `records`: dicts, see `read`; `places`: the files, or folders of files, that they stand in; `unread`:
    the sentences.
    """

    def __init__(self, path: Path):
        found = NAME.fullmatch(path.name)
        refuse(not found, f"{path} is no column: its name must be PROFILE-cpu or PROFILE-gpu")
        refuse(
            len(path.parents) < 4, f"{path} is no column: it must be results/local/LABEL/PROFILE-DEVICE in a checkout"
        )
        self.path, self.label, self.root = path, path.parent.name, path.parents[3]
        self.profile, self.device, self.own_settings = found[1], found[2], bool(found[3])
        self.name = f"{self.label}, {self.device}, profile {self.profile}{', settings of its own' * self.own_settings}"
        self.machine, self.records, self.unread = {}, [], []
        described = path.parent / "machine.json"
        try:
            self.machine = dict(json.loads(described.read_text()) if described.exists() else {})
        except (ValueError, TypeError) as error:
            self.unread.append(f"{described.name}: no JSON that can be read ({error})")
        tables, files = sorted(path.glob("*.jsonl")), sorted(path.glob("*/*.json"))
        self.places = [*tables, *dict.fromkeys(file.parent for file in files)]
        self._names = set()
        for file in tables:
            for number, line in enumerate(file.read_bytes().splitlines(), 1):
                self._add(line, file, f", line {number}")
        for file in files:
            self._add(file.read_bytes(), file, name=file.stem)
        for sentence in self.unread:
            print(sentence, file=sys.stderr)

    def _add(self, content, file, where="", name=None):
        """Read one record; it is left out where that fails, or where the file has one of its name already."""
        try:
            record = read(content, file, name)
            refuse((file, record["name"]) in self._names, f"{record['name']} stands in it twice")
        except ReportError as error:
            self.unread.append(f"{file.relative_to(self.path)}{where}: {error}; it is left alone and not shown")
            return
        self._names.add((file, record["name"]))
        self.records.append(record)


def columns(root: Path) -> list:
    """Every column under results/published, sorted by name; each record is read once.

    Of several records that name one notebook, the last run wrote it: the others are read as having none.
    """
    found, wrote = [Column(p) for p in sorted(root.glob("results/published/*/*")) if NAME.fullmatch(p.name)], {}
    for record in sorted((r for c in found for r in c.records if r["notebook"]), key=lambda r: r["started"]):
        before = wrote.pop(path := notebook_of(record).resolve(), {})
        before["notebook"], wrote[path] = None, record
    return found


def read(content: bytes, path: Path, name: str | None = None) -> dict:
    """Read and check one record; a line of a published column has its "name" in it.

    Beside what the schema has, it holds its "name", such as "jax.round1", the "path" of its file, its "repeat" (see
    there) and "seed": whether the run was made to see how the metric varies with the seed.
    Raises ReportError for a record cut short, a number that is not finite, no schema, another one, or one that the
    schema refuses.
    """
    try:
        record = json.loads(content.decode("utf-8"), parse_constant=_finite, parse_float=_finite)
    except ValueError as error:
        raise ReportError(f"no JSON that can be read ({error})") from None
    number = record.get("schema") if isinstance(record, dict) else None
    refuse(type(number) is not int, "it names no schema")
    refuse(number > NEWEST, f"its schema {number} is newer than {NEWEST}")
    refuse(number != NEWEST, f"its schema {number} is not {NEWEST}")
    name = record.pop("name", None) if name is None else name
    refuse(not isinstance(name, str), "it has no name")
    wrong = jsonschema.exceptions.best_match(VALIDATOR.iter_errors(record))
    if wrong:
        raise ReportError(f"{'.'.join(map(str, wrong.absolute_path)) or 'the record'}: {wrong.message[:200]}")
    record |= {"name": name, "path": path}
    return record | {"repeat": repeat(record), "seed": repeat(record).startswith("seed ")}


def lines(records: dict) -> bytes:
    """The file of {name: record}: a line for each, sorted by name, so that a diff shows which runs changed."""
    texts = {name: json.dumps(records[name], sort_keys=True, separators=(",", ":")) for name in sorted(records)}
    return "".join(f'{{"name":{json.dumps(name)},{text[1:]}\n' for name, text in texts.items()).encode()


def plain(record: dict) -> dict:
    """A record that was read, without what reading added."""
    return {name: record[name] for name in SCHEMA["properties"] if name in record}


def _finite(text):
    refuse(not math.isfinite(float(text)), f"{text} is no number")
    return float(text)


def repeat(record: dict) -> str:
    """What a record is called beside its row: "1", "1b" (the reference row's second run), "full", "seed 2", "proof"."""
    rest = record["name"].removeprefix(record["row"] + ".")
    seed = re.match(r"seed(\d+)\.", rest)
    return f"seed {seed[1]}" if seed else re.sub(r"^round(?=\d)", "", rest)


def notebook_of(record: dict) -> Path | None:
    """The notebook that a record names: its executed one, or, of a published record, the lesson with its outputs."""
    return record["path"].parent / record["notebook"]["file"] if record["notebook"] else None


def with_notebooks(records) -> list:
    """Those with an executed notebook: first full runs, then rounds in their order, then runs with another seed."""
    kept = [record for record in records if record["notebook"] and record["kind"] != "proof"]
    return sorted(kept, key=lambda r: (r["seed"], r["kind"] != "full", r["round"], r["started"]))
