"""From records to what a table says of each row: medians over rounds, ratios, intervals, remarks."""

import re
import statistics

import pandas as pd

from catalog.inputs import Inputs, stale, why
from report.records import Column, notebook_of, refuse, with_notebooks

ROUNDS = 6  # from as many on, smallest and largest are an interval of the median worth its name
PROBE_OFF = 10  # % of the column's median: beyond, the row is marked
BUSY = 0.8  # of the threads given: below, the row is marked
FEW = 4  # changed parts that a remark names
FAR = 1.4  # times off what the other rows suggest: beyond, the row is remarked on
COMMON_ROWS = 5  # with fewer, the other rows suggest nothing
COMPUTES = re.compile(
    r"3dnow|abm|adx|aes|amx|avx|bmi|f16c|fma|gfni|lzcnt|mmx|movbe|pclmul|popcnt|sha|s*sse|va?es|vpclmul|xop"
)
UNITS = {("byte", "MB"): 1e-6, ("s", "ms"): 1e3, ("s", "min"): 1 / 60}  # recorded, shown: factor
TAKE = dict(median=statistics.median, last=lambda v: v[-1])
BAD = ["failed", "interrupted", "skipped"]
OLD_FULL = "full run out of date"  # the rounds are current
OLD = ("out of date", OLD_FULL)
TOLD_BY = {"rounds": "round", "cold": "round", "full": "full"}  # the kind of record from which a measure comes


def value(measure, record, row) -> float:
    """What a measure takes from one record, in the measure's unit; NaN where the record has none.

    A measure of cold runs takes nothing from a run whose proof had warmed up the same kernel.

    Raises ReportError where the recorded unit is another that no factor is known for.
    """
    found = record["measurements"].get(measure.source)
    if found is None or (measure.whole and record["part"]) or (measure.runs == "cold" and record["proof"]):
        return float("nan")
    taken, units = TAKE[measure.take](found["values"]), (found["unit"], measure.unit)
    if measure.over is not None:
        over = {**row.parameters, **record["parameters"]}.get(measure.over, measure.over)
        return over / taken * UNITS.get(("s", measure.unit), 1) if taken else float("nan")
    strange = all(units) and units[0] != units[1] and units not in UNITS
    refuse(strange, f"{measure.name} is in {units[1]}, the record has {units[0]}: {record['path']}")
    return taken * UNITS.get(units, 1)


def probe(record) -> float:
    """The mean of the products measured before and after a run, in FLOP/s; NaN without any."""
    both = [flops for when in ("before", "after") if record["probe"] and (flops := record["probe"][when])]
    return statistics.fmean(both) if both else float("nan")


RUN = ["row", "kind", "round", "repeat", "order", "started", "whole", "seed", "share", "commit"]


class Summary:
    """What one workload of one column says in one precision; `inputs` tell what is out of date.

    `lines`: a frame with one line for each declared row, by row id, fastest first: a column for each measure (median
    over the rounds, NaN where there is none), "low" and "high" (of the speed), "ratio", "ratio_low", "ratio_high"
    (speed over the reference row's of the same round; above 1 is faster), "share" (of peak), "proof" (largest
    error over its bound), "deviation", "state", "remarks", "records", "notebook" (that of a full run, else of
    the first round that kept one, else the lesson) and "row". `shown`: the lines that have any figure or a reason for
    having none. `runs`: a frame with one line for each good record.

    `emulated`: the CPU only emulates the precision, or its flags are not known; `rounds`: the most that a row has;
    `whole`: there is a full run;
    `noise`: smallest and largest ratio of the reference row to itself, or (); `measures`: those of README's table. With
    the notebooks as they are, `current` rows were timed and `current_figures` of README's table were measured.
    """

    def __init__(self, inputs: Inputs, work, column: Column, precision: str):
        self.work, self.column, self.precision = work, column, precision
        flags, known = column.machine.get("flags"), inputs.declarations.precisions[precision]
        self.emulated = column.device == "cpu" and "native" in known and not {*known["native"]} & {*(flags or [])}
        peaks = column.machine.get("peaks", {}).get(column.device) or {}
        self.peak = peaks.get(precision, float("nan")) if "of" in peaks else float("nan")  # else of one product alone
        rows = inputs.declarations.rows(column.profile, column.device, flags, [work.name])
        rows = [row for row in rows if row.precision == precision]
        usual = pd.Series([probe(r) for r in column.records if r["precision"] == precision], dtype=float).median()
        lines = {row.id: _line(inputs, row, column, usual) for row in rows}
        runs = [self._run(record, line["row"]) for line in lines.values() for record in line["records"]]
        runs = pd.DataFrame(runs, columns=[*RUN, *work.measures])
        self.runs = runs = runs.astype({"whole": bool, "seed": bool})
        reference = next((row.id for row in rows if row.name == work.reference_row), None)
        timed = runs[runs["kind"] == "round"]
        ratios, self.noise = _ratios(work, timed, reference)
        self.rounds = int(timed.groupby("row")["round"].nunique().max()) if len(timed) else 0
        self.whole = bool((runs["kind"] == "full").any())
        figures = _medians(work, runs).join(ratios, how="outer")
        for row, count in timed.groupby("row")["round"].nunique().items():
            if count < min(self.rounds, ROUNDS):
                lines[row]["remarks"].append(f"{count} of {self.rounds} rounds: no interval")
        table = pd.DataFrame.from_dict(lines, orient="index").join(figures)
        table.loc[table["state"].isin(BAD), figures.columns] = float("nan")
        self.lines = table = table.sort_values(work.speed.name, ascending=False, kind="stable")
        self.shown = table[table["state"] != "not measured"]
        full, speeds = (table[table["state"].isin(states)].count() for states in (["ok"], ["ok", OLD_FULL]))
        self.current = int(speeds[work.speed.name])
        self.measures = [work.measures[name] for name in work.page["summary_measures"]]
        self.current_figures = sum(int((full if m.runs == "full" else speeds)[m.name]) for m in self.measures)

    def _run(self, record, row):
        """A record's line in `runs`."""
        flops = float("nan") if self.emulated else self.work.flops_of(self.column.profile)
        run = {name: record[name] for name in RUN if name in record}
        run |= {measure.name: value(measure, record, row) for measure in self.work.measures.values()}
        run["order"] = (record["order"] or {}).get("seed", -1)
        run["whole"] = record["kind"] != "round" or not row.shortened
        gpus = row.parameters.get("DEVICES", 1) if self.column.device == "gpu" else 1
        return run | {"share": run[self.work.speed.name] * flops / (gpus * self.peak)}


def _line(inputs, row, column, usual_probe) -> dict:
    """What is said of a row beside its figures, and the good records that its figures come from."""
    records = [r for r in column.records if (r["workload"], r["row"]) == (row.workload, row.id)]
    records.sort(key=lambda record: record["started"])
    good, bad = ([r for r in records if (r["status"] == "ok") == ok] for ok in (True, False))
    seeds, proven = [r for r in good if r["seed"]], [r for r in good if r["proof"]][-1:]
    measured, changed, state, reason = [], {}, "not measured", ""
    for kind in ("round", "full"):
        runs = [r for r in good if r["kind"] == kind and r not in seeds]
        for newest in runs[-1:]:  # only those of the same work as the newest count together
            measured += [r for r in runs if not stale(kind, r["inputs"], newest["inputs"], inputs.equal(row))]
            changed[kind] = changes(inputs, row, newest, column)[0]
    failed = [
        r for r in bad if r["status"] == "failed" and not r["seed"] and (not good or r["started"] > good[-1]["started"])
    ]
    if failed or (bad and not good):
        last = (failed or bad)[-1]
        state, reason, bad = last["status"], first_line(last["reason"]), []
    elif measured:
        old = [kind for kind in changed if changed[kind]]  # where there are rounds, the speed is theirs
        state = "ok" if not old else OLD_FULL if old == ["full"] and len(changed) > 1 else "out of date"
        reason = _few(dict.fromkeys(part for kind in old for part in changed[kind]))
    elif proven:
        state = "proof only"
    remarks = [f"{r['status']} in run {r['repeat'].split('.')[0]}: {first_line(r['reason'])}" for r in bad]
    dated = [("proof", changes(inputs, row, r, column)[1]) for r in proven if state != "out of date"]
    dated += [(r["repeat"], changes(inputs, row, r, column)[0]) for r in seeds]
    remarks += [f"{name} out of date: {_few(old)}" for name, old in dated if old]
    proof = proven[0]["proof"] if proven else {}
    parts = proof.get("parts", {})
    errors = [part["error"] / (part["bound"] or 1e-300) if part["error"] else 0.0 for part in parts.values()]
    found = max(measured or good, key=lambda record: record["started"])["versions"] if good else {}
    first = inputs.declarations.frameworks[row.framework].get("package")
    shown = measured + seeds + [r for r in proven if r["kind"] == "proof"]
    versions = {package: found[package] for package in sorted(found, key=lambda name: name != first)}
    remarks += _remarks(shown, usual_probe)
    line = dict(row=row, title=row.title, state=state, reason=reason, remarks=remarks, records=shown, versions=versions)
    line |= dict(notebook=next(map(notebook_of, with_notebooks(shown)), row.notebook), parts=tuple(parts))
    return line | dict(proof=max(errors, default=float("nan")), deviation=proof.get("deviation"))


def changes(inputs, row, record, column):
    """What changed since a record was made: (of what it measured, of its proof)."""
    found = why(inputs, row, record, record["seed"])
    if column.own_settings:  # a column of --set differs from the declarations because the user said so
        said = [part for parts in found.values() for part in parts]
        own = ("parameter ", "data") if any(part.startswith("parameter DATA ") for part in said) else "parameter "
        found = {what: [part for part in parts if not part.startswith(own)] for what, parts in found.items()}
    proof = found.pop("proof", [])
    return [part for parts in found.values() for part in parts], proof


def _few(parts) -> str:
    """The first parts that changed, and how many more there are."""
    parts, more = list(parts), len(parts) - FEW
    return ", ".join(parts[:FEW]) + f" and {more} more" if more > 1 else ", ".join(parts)


def first_line(text) -> str:
    """The first line of a reason, at most 160 characters."""
    return next((line[:160] for line in text.splitlines() if line.strip()), "no reason recorded")


def _remarks(records, usual_probe):
    """Threads of a CPU that were not busy, and rounds on a machine that was faster or slower than usual."""
    on_cpu = [r["threads"] for r in records if (r["device"], r["kind"]) == ("cpu", "round") and r["threads"]]
    threads = pd.DataFrame(on_cpu, columns=["given", "busy"]).dropna().astype(float).median()
    if threads["busy"] < BUSY * threads["given"]:
        yield f"ran with {threads['busy']:.1f} of {threads['given']:.0f} threads busy"
    off = {r["repeat"]: 100 * (probe(r) / usual_probe - 1) for r in records if r["kind"] == "round"}
    far = [f"{name} ({percent:+.0f} %)" for name, percent in off.items() if abs(percent) > PROBE_OFF]
    if far:
        yield f"probe off its median in round{'s' * (len(far) > 1)} {', '.join(far)}"


def _medians(work, runs):
    """Medians over the rounds, or what the full run says, by row."""
    rounds = runs[runs["kind"] == "round"]
    names = [*(m.name for m in work.measures.values() if m.runs != "full"), "share"]
    values = rounds.groupby(["row", "round"])[names].mean().groupby("row")  # the reference row runs twice in a round
    found = values.median()
    found["low"], found["high"] = values[work.speed.name].min(), values[work.speed.name].max()
    whole = rounds[rounds["whole"]].sort_values("round", kind="stable")  # of equal ones, which is first: on every CPU
    once = pd.concat([runs[(runs["kind"] == "full") & ~runs["seed"]], whole])
    names = [m.name for m in work.measures.values() if m.runs == "full"]
    return found.join(once.groupby("row")[names].first(), how="outer").astype(float)


def _ratios(work, rounds, reference):
    """Ratios to the reference row of the same round, by row, and the smallest and largest of it to itself."""
    speed = work.speed.name
    rounds = rounds[rounds[speed].notna()].sort_values("started", kind="stable")
    own = rounds[rounds["row"] == reference]
    base = own.groupby(["round", "order"])[speed].mean().rename("reference")
    # a row that was measured apart from the reference row has no ratio of the same round
    others = rounds[rounds["row"] != reference].join(base, on=["round", "order"], how="inner")
    others["ratio"] = others[speed] / others["reference"]
    found = others.groupby("row")["ratio"].agg(ratio="median", ratio_low="min", ratio_high="max", rounds="size")
    both = own.groupby("round")[speed]  # an interrupted round has two orders
    twice = (both.first() / both.last())[both.size() > 1]
    if len(own):
        found.loc[reference] = [1.0, twice.min(), twice.max(), len(twice)]
    return found.astype(float), (twice.min(), twice.max()) if len(twice) else ()


def fastest(table: pd.DataFrame) -> list:
    """The ids of the rows that no other row's interval of ratios lies wholly above, the highest median first.

    They are tied. Rows with fewer than six rounds have no interval: they are not among them and keep no other out.
    """
    known = table[table["rounds"] >= ROUNDS].sort_values("ratio", ascending=False, kind="stable")
    return list(known.index[known["ratio_high"] >= known["ratio_low"].max()])


# ---------------------------------------------------------------- a column beside the published one


def same_kind(column: Column, other: Column) -> bool:
    """Whether two columns were measured on the same kind of CPU or GPU; what is not known is never the same.

    Of a CPU's flags those of its instructions count. The others tell what its hypervisor lets through: one model of
    CPU was seen with and without ``ibpb``, ``ibrs``, ``ssbd``, ``stibp``, ``pku``, ``ospke`` and ``wbnoinvd``.
    """

    def kind(one):
        if one.device == "gpu":
            return [one.device, one.machine.get("gpu") or None]
        flags = {flag for flag in one.machine.get("flags") or [] if COMPUTES.match(flag)}
        return [one.device, *(one.machine.get(key) or None for key in ("vendor", "family", "model")), flags or None]

    return kind(column) == kind(other) and None not in kind(column)


def beside(mine: Summary, theirs: Summary | None) -> pd.DataFrame:
    """This column's rows beside the published ones: "speed", "published", "ratio" (above 1 is faster), "remarks".

    Nothing is compared where one of the two CPUs only emulates the precision. A speed is remarked on only between the
    same kind of machine and the same profile, from five common rows on.
    """
    speed, theirs = mine.work.speed.name, None if mine.emulated or (theirs and theirs.emulated) else theirs
    table = mine.shown[["title", "state", "reason", "remarks", speed]].rename(columns={speed: "speed"})
    table["published"] = theirs.lines[speed] if theirs else float("nan")
    table["ratio"] = table["speed"] / table["published"]
    known = table["ratio"].dropna()
    right = theirs and same_kind(mine.column, theirs.column) and mine.column.profile == theirs.column.profile
    for row, ratio in known.items() if right and len(known) >= COMMON_ROWS else []:
        off = ratio / known.drop(row).median()
        times, side = max(off, 1 / off), "faster" if off > 1 else "slower"
        if times > FAR:
            said = f"{times:.1f} times {side} than this machine's other rows suggest"
            table.at[row, "remarks"] = [*table.at[row, "remarks"], said]
    return table


class Results:
    """Columns with the declarations they are read by; each summary is made once."""

    def __init__(self, declarations, columns):
        self.declarations, self.columns = declarations, list(columns)
        self.inputs, self._made = Inputs(declarations), {}

    def summaries(self, work, column: Column) -> list:
        """A Summary for each precision in which a column has anything of a workload to show."""
        key, there = (work.name, column.path), {r["precision"] for r in column.records if r["workload"] == work.name}
        if key not in self._made:
            made = [Summary(self.inputs, work, column, p) for p in work.precisions if p in there]
            self._made[key] = [one for one in made if len(one.shown)]
        return self._made[key]

    def measured(self, work) -> list:
        """The columns that have anything of a workload to show, the main one first."""
        there, main = [column for column in self.columns if self.summaries(work, column)], self.main(work)
        return sorted(there, key=lambda column: main is None or column is not main.column)

    def main(self, work, device=None) -> Summary | None:
        """The summary of a workload's own precision with the most current speeds, and of such with the most figures.

        Of such the one of the most rounds: speeds are what the tables compare. Where no column of the device has as
        many current speeds as half the rows that one of them timed at any time, age does not count: a few new rows do
        not displace a whole column. ``device``: "cpu" or "gpu"; without it a CPU's, where there is one.
        """
        if device is None:
            return self.main(work, "cpu") or self.main(work, "gpu")
        columns = [column for column in self.columns if column.device == device]
        found = [one for column in columns for one in self.summaries(work, column)]
        found = [s for s in found if s.precision == work.precisions[0] and s.lines[work.speed.name].notna().any()]
        most = max(map(_timed, found), default=0)
        return max(found, key=lambda summary: _standing(summary, most), default=None)

    def beside(self, mine: Summary) -> Summary | None:
        """That of these columns that stands beside a user's own: of its device and precision, and with speeds.

        Of such it is one of the same kind of machine, of the same profile, or of the column with the most records.
        """

        def close(column):
            own = mine.column
            return same_kind(column, own), column.profile == own.profile, len(column.records)

        near = sorted((c for c in self.columns if c.device == mine.column.device), key=close, reverse=True)
        found = (one for column in near for one in self.summaries(mine.work, column))
        return next((one for one in found if one.precision == mine.precision and _timed(one)), None)

    def mistakes(self):
        """Yields a sentence, with file and line, for each measure that no record of a column has.

        Records that are out of date do not count: they may be older than the measure. What full runs tell is not
        missed in a column without any, nor what rounds tell, nor anything in one without the reference row: a few
        rows may lack what others measure.
        """
        for work, column in [(w, c) for w in self.declarations.workloads.values() for c in self.measured(w)]:
            lines = [line for one in self.summaries(work, column) for line in one.lines.itertuples()]
            records = [record for line in lines if line.state == "ok" for record in line.records]
            there = {name for r in records if r["kind"] != "proof" for name in r["measurements"]}
            kinds = {record["kind"] for record in records}
            due = {runs for runs, kind in TOLD_BY.items() if kind in kinds}
            whole = work.reference_row in {record["row"] for record in records}
            missing = [m for m in work.measures.values() if whole and m.runs in due and m.source not in there]
            text = f"no record of {column.name} has the measurement"
            yield from [str(work.error(f"{text} {m.source!r}", "measures", m.name)) for m in missing]


def _timed(summary) -> int:
    """How many rows have a speed, current or not."""
    return int(summary.lines[summary.work.speed.name].notna().sum())


def _standing(summary, most) -> tuple:
    """What puts one column before another; ``most``: the rows of the fullest column of the same device."""
    current = 2 * summary.current >= most and (summary.current, summary.current_figures)
    return current or (0, 0), min(summary.rounds, ROUNDS), _timed(summary), summary.current_figures
