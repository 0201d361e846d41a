"""Real records, and columns that are derived from them."""

import copy
import functools
import hashlib
import json
import shutil
from pathlib import Path

import nbformat

from catalog.declarations import Declarations
from catalog.inputs import Inputs
from report import records

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
WORKLOAD = "cnn_cifar10"
FLAGS = ["avx", "avx2", "fma"]
MACHINE = dict(label="box", cpu="AMD EPYC 7763", vendor="AuthenticAMD", family="25", model="1", flags=FLAGS)
MACHINE |= dict(physical_cores=2, ram_gb=23.5, gpu=None, driver=None, os="Linux 6.1 x86_64")
OLDER = dict(label="older", cpu="AMD EPYC", flags=[], physical_cores=2, ram_gb=23.5, os="Linux 6.18 x86_64")  # no more
README = """# Title

<!-- figure:cnn_cifar10 -->
<!-- /figure -->

Prose stays.

<!-- table:cnn_cifar10 -->
old
<!-- /table -->
"""
SEEDED = "pytorch-eager.seed2.full"
ROWS = ("pytorch-eager", "pytorch-compiled", "jax", "tensorflow", "keras-torch", "mxnet_gluon", "theano")


def checkout(folder: Path) -> Path:
    """An otherwise empty checkout with the declarations and notebooks of one workload; its results are empty."""
    for name in ("common", "referee", "environments"):
        (folder / name).symlink_to(ROOT / name)
    shutil.copy(ROOT / "frameworks.toml", folder)
    (folder / "notebooks" / WORKLOAD).mkdir(parents=True)
    for path in (ROOT / "notebooks" / WORKLOAD).iterdir():
        if path.suffix != ".md":
            (folder / "notebooks" / WORKLOAD / path.name).symlink_to(path)
    (folder / "README.md").write_text(README)
    (folder / "results" / "published").mkdir(parents=True)
    return folder


@functools.lru_cache
def real_records() -> dict:
    """{name: record} of a machine of which little is known; their inputs are those of no lesson of today."""
    path = HERE / "records.jsonl"
    read = [records.read(line, path) for line in path.read_bytes().splitlines()]
    return {record["name"]: records.plain(record) for record in read}


def real(row: str) -> dict:
    """A row's real record."""
    return copy.deepcopy(real_records()[f"{row}.round1"])


def with_published(folder: Path) -> Path:
    """The same with all real rows published: two rounds each, of which the first is proven, and a full run."""
    column = Column(folder, "published", machine=OLDER)
    for row in sorted({record["row"] for record in real_records().values()}):
        column.rounds([row], count=2, speeds={row: [1, 1]})
        column.put(column.record(row, "full"))
    seeded = column.record("pytorch-eager", "full") | {"measurements": real_records()[SEEDED]["measurements"]}
    column.put(seeded, SEEDED)
    return folder


@functools.lru_cache
def inputs_of(root: Path) -> Inputs:
    """The inputs of a checkout's rows, each file read once for all tests that share it."""
    return Inputs(Declarations(root))


def named(path: Path) -> dict:
    """{name: record} of a published file; of none, nothing."""
    lines = map(json.loads, path.read_text().splitlines() if path.exists() else [])
    return {record.pop("name"): record for record in lines}


class Column:
    """A column of records, derived from real ones: results/WHERE/LABEL/PROFILE-cpu."""

    def __init__(self, root: Path, where="local", profile="cpu", machine=MACHINE, name=None):
        self.root, self.machine, self.published = root, machine, where == "published"
        self.path = root / "results" / where / machine["label"] / (name or f"{profile}-cpu")
        self.path.mkdir(parents=True, exist_ok=True)
        (self.path.parent / "machine.json").write_text(
            json.dumps(machine | {"peaks": {"cpu": {"fp32": 1.5e11, "copy": 3e10, "by": "torch", "of": "all"}}})
        )
        self.inputs = inputs_of(root)
        rows = self.inputs.declarations.rows(profile, "cpu", machine["flags"], [WORKLOAD])
        self.rows = {row.id: row for row in rows}

    def record(self, row, kind="round", number=1, speed=1.0, **changes) -> dict:
        """The real record of a row as a run of this column, `speed` times as fast; `changes` replace its entries."""
        record, declared = real(row), self.rows[row]
        inputs = copy.deepcopy(self.inputs.of(declared, kind))
        record |= dict(kind=kind, round=number if kind == "round" else 0, machine=self.machine, commit="0123456789ab")
        record |= dict(profile=declared.profile, inputs=inputs, part=declared.part, title=declared.title)
        record |= dict(started=f"2026-11-2{number}T10:00:00Z", order={"seed": number, "position": 1}, notebook=None)
        record["parameters"] |= inputs["parameters"]
        record["threads"]["busy"] = 1.9
        rate = record["measurements"]["training rate"]
        rate["values"] = [speed * value for value in rate["values"]]
        if number > 1:
            record["proof"] = None
        return record | changes

    def put(self, record, name=None) -> Path:
        """Write a record into its place: a file, of a published column a line; return the file's path."""
        kind = record["kind"] + (str(record["round"]) if record["kind"] == "round" else "")
        name = name or f"{record['row']}.{kind}"
        if self.published:
            path = self.path / f"{WORKLOAD}.jsonl"
            path.write_bytes(records.lines(named(path) | {name: record}))
            return path
        path = self.path / WORKLOAD / f"{name}.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(record))
        return path

    def rounds(self, rows=ROWS, count=6, speeds=None):
        """Rounds of rows; `speeds`: {row: one factor for each round}; the reference row runs twice in each."""
        for number in range(1, count + 1):
            for row in rows:
                speed = (speeds or {}).get(row, [1 + 0.01 * (k % 3) for k in range(count)])[number - 1]
                self.put(self.record(row, number=number, speed=speed))
                if row == "pytorch-eager" and count > 1:
                    again = self.record(row, number=number, speed=1.02 * speed, started=f"2026-11-2{number}T20:00:00Z")
                    self.put(again | {"proof": None}, f"{row}.round{number}b")
        return self

    def execute(self, record, change=None, **parameters) -> Path:
        """Put a record with the notebook that papermill would leave, the referee's cells last; return its path."""
        notebook = nbformat.read(self.rows[record["row"]].notebook, as_version=4)
        source = "# Parameters\n" + "\n".join(f"{name} = {json.dumps(value)}" for name, value in parameters.items())
        cell = nbformat.v4.new_code_cell(source, metadata={"tags": ["injected-parameters"]})
        where = next(k for k, c in enumerate(notebook.cells) if "parameters" in c.metadata.get("tags", []))
        notebook.cells.insert(where + 1, cell)
        for kind in ("markdown", "code"):
            behind = getattr(nbformat.v4, f"new_{kind}_cell")("referee.judge()", metadata={"tags": ["referee"]})
            notebook.cells.append(behind)
        notebook.metadata["papermill"] = {"duration": 3, "input_path": "/somewhere/run.ipynb"}
        for count, cell in enumerate([c for c in notebook.cells if c.cell_type == "code"], 1):
            cell.metadata |= {"papermill": {"duration": 1}, "execution": {"iopub.execute_input": "2026"}}
            cell.execution_count = count
            text = f"{record['row']} cell {count} of {self.machine['label']}"
            cell.outputs = [nbformat.v4.new_output("stream", name="stdout", text=text)]
        if change:
            change(notebook)
        content = nbformat.writes(notebook).encode()
        sha = hashlib.sha256(content).hexdigest()
        path = self.put(
            record | {"notebook": {"file": f"{record['row']}.{record['kind']}-{sha[:8]}.ipynb", "sha256": sha}}
        )
        path.with_name(f"{record['row']}.{record['kind']}-{sha[:8]}.ipynb").write_bytes(content)
        return path
