"""Records become frames, frames become Markdown. Nothing here knows a figure that no record holds."""

import json
import math
import os
import tomllib
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from statistics import median

import pandas as pd
from jinja2 import Environment, FileSystemLoader

from runner import figures
from runner.matrix import Matrix

HERE = Path(__file__).resolve().parent
DASH = "–"
TRACKS = ("fp32", "tf32", "bf16")
SETTINGS = (
    "DATA",
    "TRAIN_SAMPLES",
    "TEST_SAMPLES",
    "BATCH_SIZE",
    "EPOCHS",
    "LEARNING_RATE",
    "MOMENTUM",
    "SEED",
)
HINT_BELOW = 0.7  # of the published share of peak

templates = Environment(loader=FileSystemLoader(HERE / "templates"), trim_blocks=True, lstrip_blocks=True)


@dataclass(frozen=True)
class Column:
    """One column of the tables: a folder ROOT/results/{local,published}/LABEL/PROFILE-DEVICE of records."""

    path: Path

    @property
    def root(self):
        return self.path.parents[3]

    @property
    def label(self):
        return self.path.parent.name

    @property
    def profile(self):
        return self.path.name.rsplit("-", 1)[0]

    @property
    def device(self):
        return self.path.name.rsplit("-", 1)[1]

    @property
    def name(self):
        return f"{self.label}, {self.device}, profile {self.profile}"

    @cached_property
    def machine(self):
        path = self.path.parent / "machine.json"
        return json.loads(path.read_text()) if path.exists() else {}

    def peak(self, precision):
        """Return the measured matrix-product peak in FLOP/s, or NaN where it was not measured."""
        return self.peaks.get(f"{precision}_flops") or float("nan")

    @property
    def peaks(self):
        return self.machine.get("peaks", {}).get(self.device) or {}


def columns(results: Path):
    """Return the columns under results/published or results/local, sorted by name."""
    return [Column(path) for path in sorted(Path(results).glob("*/*-*")) if path.is_dir()]


def read_records(column: Column, workload):
    """Return {row id: (good records of the newest key, newest failed record or None)}."""
    found = {}
    for path in sorted((column.path / workload).glob("*.json")):
        record = json.loads(path.read_text())
        record["path"] = path
        good, failed = found.setdefault(record["row"], ([], []))
        (good if record["status"] == "ok" else failed).append(record)
    result = {}
    for row, (good, failed) in found.items():
        if good:
            key = max(good, key=lambda record: record["started"])["key"]
            good = [record for record in good if record["key"] == key]
        result[row] = good, failed[0] if failed else None
    return result


def _settings(record):
    return tuple(record["parameters"].get(name) for name in SETTINGS)


def frame(column: Column, workload):
    """Return one line per matrix row, measured or not, as a DataFrame indexed by row id.

    `epoch`, `epoch_min`, `epoch_max`, `first_step`, `total`, `import`, `data`, `train` and `evaluate` are seconds,
    `images` is samples per second, `share` and `accuracy` are fractions; all are medians over the repeats.
    `state` is "ok", "partial", "not measured", "other settings" or what went wrong; no other state than the
    first two has figures.
    """
    records = read_records(column, workload)
    full = Counter(_settings(r) for good, _ in records.values() for r in good if not r["partial"])
    usual = full.most_common(1)[0][0] if full else None  # a column holds one group of settings, never two
    lines = {}
    for row in Matrix(column.root).rows(column.profile, column.device):
        if row.workload != workload:
            continue
        good, failed = records.get(row.id, ([], None))
        line = dict(title=row.title, framework=row.framework, precision=row.precision, era=row.era, good=good, state="ok")
        if failed:
            done = f"; last good: {good[0]['started'][:10]}" if good else f": {first_line(failed['reason'])}"
            line["state"] = failed["status"] + done
        elif not good:
            line["state"] = "not measured"
        elif good[0]["partial"]:
            line["state"] = "partial"
        elif _settings(good[0]) != usual:
            line["state"] = "other settings: " + _differences(_settings(good[0]), usual)
        if line["state"] in ("ok", "partial"):
            line |= _figures(good, column, partial=line["state"] == "partial")
        lines[row.id] = line
    table = pd.DataFrame.from_dict(lines, orient="index").reindex(columns=COLUMNS)
    table = table.astype(dict.fromkeys(MEASURED, float))
    # fastest first; rows without figures keep the matrix' order at the end
    return table.sort_values("images", ascending=False, na_position="last", kind="stable")


MEASURED = """images share epoch epoch_min epoch_max first_step total import data train evaluate accuracy proof
deviation""".split()
COLUMNS = ["title", "framework", "precision", "era", "state", "good", "versions", *MEASURED]


def _figures(good, column, partial):
    def middle(value):
        return median(value(record) for record in good)

    precision, proofs = good[0]["precision"], [record["proof"] for record in good]
    images = middle(lambda r: r["samples_per_second"])
    line = {
        "images": images,
        "share": images * good[0]["flops_per_sample"] / column.peak(precision),
        "proof": max(
            max(p["gradient_error"] / p["gradient_bound"], p["loss_error_over_bound"]) for p in proofs
        ),
        "deviation": max((p["deviation"] for p in proofs if p.get("deviation") is not None), default=None),
        "versions": _versions(good[0]["versions"]),
    }
    if partial:  # too little data for anything but a speed
        return line
    epochs = [seconds for record in good for seconds in record["timings"]["epochs"]]
    return line | {
        "epoch": median(epochs),
        "epoch_min": min(epochs),
        "epoch_max": max(epochs),
        "first_step": middle(lambda r: r["timings"]["first_step"]),
        "total": middle(lambda r: r["timings"]["first_step"] + sum(r["timings"]["epochs"])),
        "import": middle(lambda r: r["timings"]["import"]),
        "data": middle(lambda r: r["timings"]["data"]),
        "train": middle(lambda r: sum(r["timings"]["epochs"])),
        "evaluate": middle(lambda r: sum(r["timings"]["evaluate"])),
        "accuracy": middle(lambda r: r["metrics"]["test_accuracy"][-1]),
    }


def _versions(versions):
    packages = {name: v for name, v in versions.items() if name not in ("python", "numpy")} or versions
    return ", ".join(f"{name} {version}" for name, version in packages.items() if name != "python")


def first_line(text):
    lines = (text or "no reason recorded").strip().splitlines()
    return lines[0][:160] if lines else "no reason recorded"


def _differences(settings, usual):
    return ", ".join(f"{n}={a}" for n, a, b in zip(SETTINGS, settings, usual, strict=True) if a != b)


# ---------------------------------------------------------------- text


def number(value, digits=3):
    """Format with at least `digits` significant digits ("1,234", "17.3", "0.0123", "2.00e-05"); a dash for none."""
    if value is None or pd.isna(value):
        return DASH
    if value == 0:
        return "0"
    decimals = max(0, digits - 1 - math.floor(math.log10(abs(float(f"{value:.{digits}g}")))))
    return f"{value:,.{decimals}f}" if decimals <= 6 else f"{value:.{digits - 1}e}"


def percent(value, digits=1):
    """Format a fraction as a percentage; a dash for none."""
    return DASH if value is None or pd.isna(value) else f"{100 * value:.{digits}f} %"


def markdown(header, rows):
    """Return a padded Markdown table, readable as plain text too; every column but the first is right-aligned."""
    rows = [[str(cell).replace("|", "\\|") for cell in row] for row in rows]
    widths = [max(3, *(len(line[i]) for line in [header, *rows])) for i in range(len(header))]
    rule = ["-" * widths[0], *("-" * (w - 1) + ":" for w in widths[1:])]

    def line(cells):
        padded = [
            cells[0].ljust(widths[0]),
            *(c.rjust(w) for c, w in zip(cells[1:], widths[1:], strict=True)),
        ]
        return "| " + " | ".join(padded) + " |"

    return "\n".join(line(cells) for cells in [header, rule, *rows])


def link(text, target: Path, start: Path):
    """Return a Markdown link from a page in folder `start`; the bare text where the target does not exist."""
    return f"[{text}]({os.path.relpath(target, start)})" if target.exists() else text


def _record_links(good, start):
    return " ".join(link(f"r{r['repeat']}", r["path"], start) for r in good) or DASH


def _title(line, start):
    if not line.good:
        return line.title
    newest = line.good[0]["path"]
    return link(line.title, newest.with_name(newest.name.split(".")[0] + ".ipynb"), start)


def track_table(lines, start: Path):
    """Return the Markdown table of one precision track of a frame, with links relative to folder `start`."""
    reduced = lines["precision"].iloc[0] != "fp32"
    header = ["row", "s per epoch", "min–max", "first step, s", "in all, s", "images/s", "share of peak"]
    header += ["test accuracy", "error / bound", *(["off fp32 by"] if reduced else []), "version", "record"]
    rows = []
    for line in lines.itertuples():
        if line.state not in ("ok", "partial"):
            rows.append(
                [
                    _title(line, start),
                    line.state,
                    *[DASH] * (len(header) - 3),
                    _record_links(line.good, start),
                ]
            )
            continue
        whole = line.state == "ok"
        rows.append(
            [
                _title(line, start) + ("" if whole else " ¹"),
                number(line.epoch),
                f"{number(line.epoch_min)}–{number(line.epoch_max)}" if whole else DASH,
                number(line.first_step),
                number(line.total),
                number(line.images),
                percent(line.share, 0) if whole else DASH,
                percent(line.accuracy),
                number(line.proof, 2),
                *([number(line.deviation, 2)] if reduced else []),
                line.versions,
                _record_links(line.good, start),
            ]
        )
    return markdown(header, rows)


def spread_notes(column: Column, workload, lines):
    """Return sentences on the fp32 rows' mean test accuracy, its spread over seeds, and the times of rows run again."""
    notes = []
    known = lines[(lines["precision"] == "fp32") & lines["accuracy"].notna()]
    if len(known) > 1:
        mean = known["accuracy"].mean()
        far = (known["accuracy"] - mean).abs().idxmax()
        points = 100 * abs(known.loc[far, "accuracy"] - mean)
        notes.append(
            f"Mean test accuracy of these {len(known)} rows: {percent(mean)}; "
            f"the farthest from it is {known.loc[far, 'title']}, by {points:.1f} points."
        )
    seeds = {}
    runs = {row: list(good) for row, good in known["good"].items()}
    for record in [json.loads(path.read_text()) for path in (column.path / workload / "seeds").glob("*.json")]:
        if record["status"] == "ok" and record["row"] in runs:
            for one in [record, *lines["good"][record["row"]]]:  # the row's own seed counts, too
                seeds.setdefault(record["row"], {})[one["seed"]] = one["metrics"]["test_accuracy"][-1]
            runs[record["row"]].append(record)
    for row, reached in sorted(seeds.items()):
        spread = 100 * (max(reached.values()) - min(reached.values()))
        title = lines["title"].get(row, row)
        values = ", ".join(f"{100 * accuracy:.1f}" for _, accuracy in sorted(reached.items()))
        which = ", ".join(map(str, sorted(reached)))
        notes.append(
            f"Over {len(reached)} seeds ({which}) {title} reached {values} % (spread {spread:.1f} points)."
        )
    # Neither the seed nor the repeat changes the work: these differences are the machine's, from hour to hour.
    again = []
    for row, records in runs.items():
        if len(records) > 1:
            records = sorted(records, key=lambda record: record["started"])
            seconds = ", ".join(f"{median(record['timings']['epochs']):.0f}" for record in records)
            again.append(f"{known['title'][row]} {seconds} s")
    if again:
        notes.append(f"Rows that were run more than once, and the median epoch of each run: {'; '.join(again)}.")
    return " ".join(notes)


def settings_note(lines):
    """Return a sentence on what the rows of a track trained on, and with what."""
    notes = []
    whole = [good[0] for good in lines.loc[lines["state"] == "ok", "good"]]
    if whole:
        p, data = whole[0]["parameters"], whole[0]["data"]
        threads = ", ".join(str(n) for n in sorted({record["threads"] for record in whole}))
        notes.append(
            f"Trained on {data['train_samples']:,} and tested on {data['test_samples']:,} samples of {data['name']}, "
            f"{p['EPOCHS']} epoch{'s' if p['EPOCHS'] > 1 else ''}, batch {p['BATCH_SIZE']}, "
            f"learning rate {p['LEARNING_RATE']}, momentum {p['MOMENTUM']}, seed {p['SEED']}, threads {threads}."
        )
    partial = [good[0] for good in lines.loc[lines["state"] == "partial", "good"]]
    if partial:
        what = sorted(
            {f"{r['data']['train_samples']:,} samples, {r['parameters']['EPOCHS']} epochs" for r in partial}
        )
        notes.append(
            f"¹ Trained on a part only ({'; '.join(what)}): speed, no time per epoch and no accuracy."
        )
    return " ".join(notes)


def machine_note(column: Column):
    """Return a sentence on the machine and its measured peaks."""
    m = column.machine
    if not m:
        return f"Machine {column.label}: not described."
    facts = [m.get("cpu"), f"{m['physical_cores']} physical cores" if m.get("physical_cores") else None]
    facts += [
        f"{m['ram_gb']:.0f} GB RAM" if m.get("ram_gb") else None,
        m.get("gpu"),
        m.get("driver"),
        m.get("os"),
    ]
    peaks = column.peaks
    measured = [
        f"{t} matrix product {number(column.peak(t) / 1e12)} TFLOP/s" for t in TRACKS if column.peak(t) > 0
    ]
    if peaks.get("copy_bytes_per_second"):
        measured.append(f"copy {number(peaks['copy_bytes_per_second'] / 1e9)} GB/s")
    return (
        f"Machine {column.label}: {', '.join(f for f in facts if f)}. Peaks measured on it"
        f"{' with ' + peaks['by'] if peaks.get('by') else ''}: {', '.join(measured) or 'none'}; a share of peak is the "
        "model's FLOPs per second over the matrix product's in that precision."
    )


# ---------------------------------------------------------------- then and now


def then_table(root: Path, workload, start: Path):
    """Return the Markdown of the published figures beside today's, or "" where a workload has none.

    A published column of today stands there if it has whole-data rows; each figure is seconds per epoch on both sides.
    """
    then = tomllib.loads((HERE / "then.toml").read_text())
    if workload not in then["workloads"]:
        return ""
    old = then["workloads"][workload]
    source = then["sources"][old["source"]]
    today = []
    for column in columns(root / "results/published"):
        lines = frame(column, workload)
        lines = lines[
            [
                s == "ok" and g[0]["data"]["source"] == "full"
                for s, g in zip(lines.state, lines.good, strict=True)
            ]
        ]
        if len(lines):
            today.append((column, lines, lines["good"].iloc[0][0]["parameters"]["EPOCHS"]))
    header = [f"{source['year']}"]
    for name in old["columns"]:
        header += [f"{name}: {old['epochs']} epochs, s", f"{name}: s per epoch"]
    for which in ("that release again", "its heir today"):
        header += [which, *(f"{c.label} ({c.device}, {n} epochs): s per epoch" for c, _, n in today)]
    titles = {r.id: r.title for device in ("cpu", "gpu") for r in Matrix(root).rows(device, device)}
    rows = []
    for line in old["rows"]:
        cells = [line["name"]]
        for name in old["columns"]:
            seconds = line.get(name)
            cells += [seconds or DASH, number(seconds and seconds / old["epochs"])]
        for row in (line.get("row"), line.get("heir")):
            cells.append(titles.get(row, DASH))
            for _, lines, _ in today:
                cells.append(
                    link(number(lines.loc[row, "epoch"]), lines.loc[row, "good"][0]["path"], start)
                    if row in lines.index
                    else DASH
                )
        rows.append(cells)
    return templates.get_template("then.md").render(
        table=markdown(header, rows), source=source, old=old, today=today
    )


# ---------------------------------------------------------------- pages


def column_page(column: Column, workload, start: Path):
    """Return the Markdown of all tracks of one workload in one column, with links relative to folder `start`."""
    lines = frame(column, workload)
    tracks = []
    for track in TRACKS:
        part = lines[lines["precision"] == track]
        if not any(state != "not measured" for state in part["state"]):
            continue
        folder = column.path / "figures"
        tracks.append(
            dict(
                name=track,
                table=track_table(part, start),
                notes=[
                    n
                    for n in (
                        spread_notes(column, workload, part) if track == "fp32" else "",
                        settings_note(part),
                    )
                    if n
                ],
                figures=[
                    (alt, os.path.relpath(folder / name, start))
                    for name, (alt, _) in figures.plan(workload, track, part).items()
                ],
            )
        )
    return templates.get_template("column.md").render(
        column=column, tracks=tracks, machine=machine_note(column)
    )


def column_files(column: Column):
    """Return {path: bytes} of a column's tables.md and figures."""
    files, pages = {}, []
    for workload, title in workloads(column.root):
        lines = frame(column, workload)
        if all(lines["state"] == "not measured"):
            continue
        pages.append(f"## {title}\n\n{column_page(column, workload, column.path)}")
        for track in TRACKS:
            part = lines[lines["precision"] == track]
            for name, (_, draw) in figures.plan(workload, track, part).items():
                files[column.path / "figures" / name] = draw()
    text = f"# {column.name}\n\n" + "\n\n".join(pages or ["Nothing was measured yet."]) + "\n"
    return {column.path / "tables.md": text.encode(), **files}


def workloads(root: Path):
    """Return [(name, title)] of the matrix' workloads."""
    return [(name, entry["title"]) for name, entry in Matrix(root).workloads.items()]


def write_files(files):
    """Write {path: bytes}, each atomically and only where it differs; return the paths that changed."""
    changed = []
    for path, content in files.items():
        if path.exists() and path.read_bytes() == content:
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_name(path.name + ".part")
        part.write_bytes(content)
        part.replace(path)
        changed.append(path)
    return changed


# ---------------------------------------------------------------- the user's own column


def compare(column: Column, published_root: Path):
    """Return (published column to compare with or None, Markdown tables of this column beside it)."""
    candidates = [c for c in columns(published_root) if c.device == column.device]
    # the same profile first, else the column that measured most
    rank = lambda c: (c.profile == column.profile, len(list(c.path.glob("*/*.r1.json"))))  # noqa: E731
    there = max(candidates, key=rank, default=None)
    parts = []
    for workload, title in workloads(column.root):
        mine = frame(column, workload)
        theirs = frame(there, workload) if there else mine.iloc[:0]
        rows = []
        for row, line in mine.iterrows():
            if line["state"] == "not measured":
                continue
            other = theirs.loc[row] if row in theirs.index else None
            rows.append(_beside(line, other, there is not None and there.profile == column.profile))
        if rows:
            header = ["row", "s per epoch", "published", "ratio", "images/s", "published", "ratio"]
            header += ["share of peak", "published", "verdict"]
            parts.append(f"{title}\n\n{markdown(header, rows)}")
            if ((mine["share"] > 1) & (mine["precision"] != "fp32")).any():
                parts.append("Above 100 % of the peak: computed otherwise than by that precision's product, which is slow here.")
    return there, "\n\n".join(parts)


def _beside(line, other, same_profile):
    """Return the cells of one row: its figures, the published ones, their ratios, and the verdict."""
    nothing = float("nan")
    theirs = other if other is not None and other["state"] in ("ok", "partial") else None
    cells = [line["title"] + ("" if line["precision"] == "fp32" else f", {line['precision']}")]
    for name, show in (("epoch", number), ("images", number), ("share", lambda s: percent(s, 0))):
        there = theirs[name] if theirs is not None and (name != "epoch" or same_profile) else nothing
        cells += [show(line[name]), show(there)]
        if name != "share":
            cells.append(DASH if pd.isna(line[name] / there) else f"{line[name] / there:.2f}")
    return [*cells, _verdict(line, theirs)]


def _verdict(line, theirs):
    if line["state"] not in ("ok", "partial"):
        return line["state"]
    if theirs is None:
        return "no published row to compare with"
    ratio = line["share"] / theirs["share"]
    if pd.isna(ratio):
        return "no measured peak to compare with"
    if ratio >= HINT_BELOW:
        return f"as it should be ({ratio:.2f} of the published share)"
    return f"slow ({ratio:.2f} of the published share): is the machine idle, is THREADS its physical cores?"


def write_local(column_dir: Path, published_root: Path) -> str:
    """Write tables.md and figures/ into a column's folder and return the comparison to print.

    `published_root` is results/published. The text shows each row beside its published one as ratios, with a
    verdict: the share of this machine's measured peak against the published share of that machine's.
    """
    column = Column(Path(column_dir))
    there, beside = compare(column, published_root)
    text = templates.get_template("local.md").render(column=column, there=there, beside=beside)
    files = column_files(column)
    page = column.path / "tables.md"
    files[page] += b"\n## Beside the published column\n\n" + text.encode() + b"\n"
    write_files(files)
    return text
