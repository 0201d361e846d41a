"""Reads the records of a column, each once; upgrades old ones; names what cannot be read."""

import json
import math
import re
import sys
from pathlib import Path

import jsonschema

ROOT = Path(__file__).resolve().parent.parent
SCHEMA = json.loads((ROOT / "referee" / "record.schema.json").read_text())
NEWEST = SCHEMA["properties"]["schema"]["const"]
EARLIER = (1,)  # schemas whose records are upgraded, shown, and marked "earlier notebooks"
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

    A sentence goes to stderr for each file that cannot be read. `name`: as headings have it; `root`: the checkout that
    it is in; `own_settings`: measured with --set, never published; `records`: dicts, see `read`; `unread`: the
    sentences; `earlier`: whether any record was made by earlier notebooks, so that nothing is added to the column.
    """

    def __init__(self, path: Path):
        found = NAME.fullmatch(path.name)
        refuse(not found, f"{path} is no column: its name must be PROFILE-cpu or PROFILE-gpu")
        self.path, self.label, self.root = path, path.parent.name, path.parents[3]
        self.profile, self.device, self.own_settings = found[1], found[2], bool(found[3])
        self.name = f"{self.label}, {self.device}, profile {self.profile}{', settings of its own' * self.own_settings}"
        self.machine, self.records, self.unread = {}, [], []
        described = path.parent / "machine.json"
        try:
            self.machine = dict(json.loads(described.read_text()) if described.exists() else {})
        except (ValueError, TypeError) as error:
            self.unread.append(f"{described.name}: no JSON that can be read ({error})")
        for file in sorted([*path.glob("*/*.json"), *path.glob("*/seeds/*.json")]):
            try:
                self.records.append(read(file, self.machine.get("peaks", {}).get(self.device) or {}))
            except ReportError as error:
                self.unread.append(f"{file.relative_to(path)}: {error}; it is left alone and not shown")
        for sentence in self.unread:
            print(sentence, file=sys.stderr)
        self.earlier = any(record["earlier"] for record in self.records)


def columns(root: Path) -> list:
    """Every column under results/published, sorted by name; each record is read once.

    Of several records that name one notebook, the last run wrote it: the others are read as having none.
    """
    found, wrote = [Column(p) for p in sorted(root.glob("results/published/*/*")) if NAME.fullmatch(p.name)], {}
    for record in sorted((r for c in found for r in c.records if r["notebook"]), key=lambda r: r["started"]):
        before = wrote.pop(path := notebook_of(record).resolve(), {})
        before["notebook"], wrote[path] = None, record
    return found


def read(path: Path, peaks: dict) -> dict:
    """Read and check one record; schema 1 is upgraded, `peaks` being what machine.json has of the device.

    Beside what the schema has, it holds its "path", whether it is "earlier" (of schema 1), its "repeat" (see there)
    and "seed": whether the run was made to see how the metric varies with the seed.
    Raises ReportError for a file cut short, a number that is not finite, no schema, a newer one, or one that
    the schema refuses.
    """
    try:
        record = json.loads(path.read_bytes().decode("utf-8"), parse_constant=_finite, parse_float=_finite)
    except ValueError as error:
        raise ReportError(f"no JSON that can be read ({error})") from None
    number = record.get("schema") if isinstance(record, dict) else None
    refuse(type(number) is not int, "it names no schema")
    refuse(number > NEWEST, f"its schema {number} is newer than {NEWEST}")
    refuse(number not in (NEWEST, *EARLIER), f"its schema {number} is not {NEWEST}")
    try:
        record = upgrade(record, peaks, path.parent.name == "seeds") if number in EARLIER else record
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ReportError(f"its schema {number} could not be upgraded ({error!r})") from None
    wrong = jsonschema.exceptions.best_match(VALIDATOR.iter_errors(record))
    if wrong:
        raise ReportError(f"{'.'.join(map(str, wrong.absolute_path)) or 'the record'}: {wrong.message[:200]}")
    record |= {"path": path, "earlier": number in EARLIER}
    return record | {"repeat": repeat(record), "seed": repeat(record).startswith("seed ")}


def _finite(text):
    refuse(not math.isfinite(float(text)), f"{text} is no number")
    return float(text)


def upgrade(old: dict, peaks: dict, other_seed=False) -> dict:
    """A good record of schema 1 as one of schema 2, with what schema 1 did not know left empty.

    Its repeats become rounds, its epochs training rates, its accuracies percentages. The first epoch was timed
    without its first batch. `peaks`: the products measured once for the machine, which stand for the probe;
    `other_seed`: the run was made for the spread of the accuracy alone.
    """
    times, proof, peak = old["timings"], old["proof"], peaks.get(f"{old['precision']}_flops")
    samples = [old["data"]["train_samples"]] * len(times["epochs"])
    samples[0] -= old["parameters"]["BATCH_SIZE"]
    measured = {
        "training rate": ("1/s", [n / seconds for n, seconds in zip(samples, times["epochs"], strict=True)]),
        "test accuracy": ("%", [100 * accuracy for accuracy in old["metrics"]["test_accuracy"]]),
        "evaluation": ("s", times["evaluate"]),
        **{name: ("s", [times[name.replace(" ", "_")]]) for name in ("first step", "import", "data")},
        "peak memory": ("byte", [old["peak_memory_bytes"]]),
    }

    def part(error, bound, where):
        return {"passed": error <= bound, "error": error, "bound": bound, "where": where, "text": ""}

    parts = {"gradients": part(proof["gradient_error"], proof["gradient_bound"], proof["gradient_tensor"])}
    parts["losses"] = part(proof["loss_error_over_bound"], 1.0, f"step {proof['loss_step']}")
    same = {"python": ["?"], "lock": None, "packages": [], "own": [], "variables": {}, "caches": {}}
    return {
        **{name: old[name] for name in SCHEMA["properties"] if name in old},
        **{"schema": NEWEST, "part": bool(old["partial"]), "reason": "", "tables": {}},
        **{"kind": "full" if other_seed else "round", "round": 0 if other_seed else old["repeat"]},
        "threads": {"given": old["threads"], "busy": None, "pools": []},
        "measurements": {name: {"unit": unit, "values": values} for name, (unit, values) in measured.items()},
        "proof": {"kind": "training", "passed": proof["passed"], "deviation": proof["deviation"], "parts": parts},
        "machine": {"flags": [], **old["machine"]},
        "probe": {"before": peak, "after": None, "unit": "FLOP/s", "by": peaks.get("by", "")} if peak else None,
        **{"run": None, "order": None, "notebook": {"file": f"{old['row']}.ipynb", "sha256": ""}},
        # one key stood for all inputs: only runs of the same key are the same work
        "inputs": {"cells": {"model": old["key"]}, "environment": same, "parameters": {}, "common": {}}
        | {"data": "", "reference": ""},
    }


def repeat(record: dict) -> str:
    """What a record is called beside its row: "1", "1b" (the reference row's second run), "full", "seed 2", "proof"."""
    rest = record["path"].name.removeprefix(record["row"] + ".").removesuffix(".json")
    seed = re.match(r"s(?:eed)?(\d+)\.", rest)
    return f"seed {seed[1]}" if seed else re.sub(r"^(round|r)(?=\d)", "", rest)


def notebook_of(record: dict) -> Path | None:
    """The executed notebook that a record names; None for none."""
    return record["path"].parent / record["notebook"]["file"] if record["notebook"] else None


def with_notebooks(records) -> list:
    """Those with an executed notebook: first full runs, then rounds in their order, then runs with another seed."""
    kept = [record for record in records if record["notebook"] and record["kind"] != "proof"]
    return sorted(kept, key=lambda r: (r["seed"], r["kind"] != "full", r["round"], r["started"]))
