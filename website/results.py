"""Results: for each program and machine a page with a table for each precision, its intervals drawn, and charts."""

import math

import pandas as pd

from report import figures, statistics, tables
from report.pages import published
from report.records import NAME, Column
from website import charts


class Columns:
    """All columns, the published ones first; what cannot be read is said in the site's `said`."""

    def __init__(self, site):
        self.published = published(site.root)
        there = sorted((site.root / "results" / "local").glob("*/*"))
        own = [Column(path) for path in there if NAME.fullmatch(path.name)]
        self.own = statistics.Results(site.declarations, own)
        self.own.inputs = self.published.inputs  # which reads each file once
        self.all = [*self.published.columns, *own]
        for column in self.all:
            site.said += [f"results of {column.name}: {sentence}" for sentence in column.unread]

    def summaries(self, work, column) -> list:
        """A statistics.Summary for each precision in which a column has anything of a workload to show."""
        return (self.own if column in self.own.columns else self.published).summaries(work, column)

    def key(self, column) -> str:
        """A column's part of an address."""
        return "-".join(["local"] * (column in self.own.columns) + [column.label, column.path.name])

    def named(self, column) -> str:
        """What a column is called where one is chosen."""
        own = " (yours)" if column in self.own.columns else ""
        profile = "" if column.profile == column.device else f", profile {column.profile}"
        return f"{column.label}, {column.device}{profile}{', settings of its own' * column.own_settings}{own}"


def pages(site):
    """Writes the index, and a page for each workload and column with anything to show."""
    columns, listed = Columns(site), []
    for column in columns.all:
        path = column.path / "records.csv"
        if path.exists():
            site.files[f"results/records/{columns.key(column)}.csv"] = path.read_bytes()
    for work in site.works.values():
        found = [column for column in columns.all if columns.summaries(work, column)]
        main = columns.published.main(work)
        main = main.column if main else next(iter(found), None)
        found.sort(key=lambda column: column is not main)
        here = f"results/{work.name}/"
        places = [(column, here + f"{columns.key(column)}/" * (column is not main)) for column in found]
        choices = [(address, columns.named(column)) for column, address in places]
        listed.append((work, choices))
        then = list(tables.then_and_now(columns.published, work, site.root / "results")) if found else []
        for column, address in places or [(None, here)]:
            _page(site, work, column, address, columns, choices, then)
    site.page("results/", "results_index.html", title="Results", listed=listed)


def _page(site, work, column, here, columns, choices, then):
    summaries = columns.summaries(work, column) if column else []
    own = column in columns.own.columns
    theirs = {one.precision: columns.published.beside(one) for one in summaries} if own else {}
    ours = list(dict.fromkeys(columns.named(one.column) for one in theirs.values() if one))
    title = f"Results: {work.title}"
    site.page(
        here,
        "results.html",
        title=f"{title}, {columns.named(column)}" if column else title,
        kind="Results" if here.count("/") == 2 else "",
        work=work,
        column=column,
        ours=tables.listed(ours),
        own=own,
        machine=" ".join(tables.page("machine.md", column=column).split()) if column else "",
        unread=column.unread if column else [],
        choices=choices,
        works=[(w.title, f"results/{w.name}/", w is work) for w in site.works.values()],
        parts=[_table(site, work, one, own, theirs.get(one.precision)) for one in summaries],
        then=[site.markdown(text, "results/README.md", here) for text in then],
        csv=f"results/records/{columns.key(column)}.csv" if column else "",
        study=work.page.get("study"),
        ROUNDS=statistics.ROUNDS,
    )


def _table(site, work, summary, own, theirs):
    """What the template shows of one precision; of a user's own column beside `theirs`, which may be missing."""
    speed, lines = work.speed, summary.shown.to_dict("records")
    beside = statistics.beside(summary, theirs).to_dict("index") if own else {}
    reference = next((line["title"] for line in lines if line["row"].name == work.reference_row), "")
    ratios = sum(not math.isnan(line["ratio"]) for line in lines) > 1
    ends = ("ratio_low", "ratio", "ratio_high") if ratios else ("low", speed.name, "high")
    scale = charts.Scale([line[end] for line in lines for end in ends])
    measures = [m for m in work.measures.values() if summary.shown[m.name].notna().any()]
    rows = []
    for line in lines:
        row, low, middle, high = line["row"], *(line[end] for end in ends)
        said = tables.number(middle) + (f" ({tables.number(low)}–{tables.number(high)})" if low < high else "")
        one = ratios and scale.low <= 1 <= scale.high
        other = beside.get(row.id, {})
        rows.append(
            {
                "id": row.id,
                "title": line["title"],
                "era": "2018" if row.era else "today",
                "lesson": f"lessons/{work.name}/{row.framework}/" if row.framework in site.books[work.name] else "",
                "old": line["state"] in statistics.OLD,
                "bad": line["state"] in statistics.BAD,
                "state": line["state"],
                "bar": charts.interval(scale, low, middle, high, said, one) if middle == middle and middle > 0 else "",
                "at": middle if middle == middle else "",
                "said": said if middle == middle else "",
                "measures": [(tables.measured(line[m.name], m), _sortable(line[m.name])) for m in measures],
                "share": "" if pd.isna(line["share"]) else f"{100 * line['share']:.0f} %",
                "share_at": _sortable(line["share"]),
                "published": tables.number(other["published"]) if other else "",
                "published_at": _sortable(other["published"]) if other else "",
                "ratio": tables.number(other["ratio"]) if other else "",
                "ratio_at": _sortable(other["ratio"]) if other else "",
                "version": tables.versions(line["versions"], 1),
                "versions": tables.versions(line["versions"]),
                "note": work.notes[row.note] if row.note else "",
                "settings": _settings(row, lines),
                "remarks": tables.remarks(other or line),
            }
        )
    return {
        "precision": summary.precision,
        "rows": rows,
        "measures": [m.title for m in measures],
        "speed": speed.title,
        "ratios": ratios,
        "reference": reference,
        "rounds": summary.rounds,
        "noise": [tables.number(one) for one in summary.noise],
        "drawn": any(row["bar"] for row in rows),
        "shares_of_peak": any(row["share"] for row in rows),
        "old": sum(row["old"] for row in rows),
        "curves": _curves(work, summary),
        "times": _times(summary),
    }


def _sortable(value):
    return "" if pd.isna(value) else f"{value:.6g}"


def _settings(row, lines):
    """The parameters in which a row differs from most others: {"COMPILE": True}."""
    given = [line["row"].parameters for line in lines]
    found = {}
    for name, value in row.parameters.items():
        others = [str(one.get(name)) for one in given]
        if others.count(str(value)) * 2 < len(others) or (len(set(others)) == 2 and others.count(str(value)) == 1):
            found[name] = value
    return found


def _curves(work, summary):
    """The accuracy after each epoch over the time that so many epochs take at the rounds' median speed, as SVG."""
    metric = next((m for m in work.measures.values() if m.runs == "full" and m.unit == "%"), None)
    lines = []
    for line in summary.shown.to_dict("records") if metric else ():
        rate = line[work.speed.name]
        full = [r for r in line["records"] if r["kind"] == "full" and not r["seed"] and not r["part"]]
        values = full[-1]["measurements"].get(metric.source, {}).get("values", []) if full else []
        if len(values) > 1 and rate == rate and rate > 0 and line["state"] not in statistics.BAD:
            seconds = full[-1]["data"]["train_samples"] / rate
            points = [(seconds * (epoch + 1), value) for epoch, value in enumerate(values)]
            lines.append(dict(row=line["row"].id, era=line["row"].era, title=line["title"], points=points))
    return charts.curves(lines, "seconds of training", f"{metric.title}, %") if len(lines) > 1 else ""


def _times(summary):
    """[(title, [kinds], [(row, bar, what it says)])] of the tables that say where the time goes."""
    found = []
    for text, figure in figures.plan(summary).values():
        for step, kinds in figure.shown.get("shares", {}).items():
            names, rows = list(kinds), list(dict.fromkeys(row for bars in kinds.values() for row in bars))
            bars = []
            for row in rows:
                parts = [(number, kinds[name].get(row, 0.0)) for number, name in enumerate(names)]
                said = ", ".join(f"{names[number]} {percent:.0f} %" for number, percent in parts if percent >= 0.5)
                bars.append((row, charts.share(parts), said))
            found.append((f"{text.rpartition(': ')[2]}{f': {step}' if step else ''}", names, bars))
    return found
