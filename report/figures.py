"""The figures of one workload, column and precision. What they show is compared, never the bytes of the PNG.

A logarithm's last bit differs between CPUs, and with it a few pixels of an axis; other releases of Matplotlib and of
Pillow draw and compress differently. So a figure has a digest of the plain data handed to the drawing and of the code
that draws, and its PNG carries this digest in a text chunk. A figure is drawn anew where the digest is another: not on
another CPU, nor with another Matplotlib. To have one drawn anew all the same, delete its file.
"""

import inspect
import io
import json
import re
import struct
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.ticker import LogLocator, MaxNLocator
from PIL import Image

from catalog.inputs import digest
from catalog.languages import canonical
from common import plots

HIGHEST = 3.8  # inches; at 110 dpi 418 pixels
KINDS = ["#1b3a57", "#d1603d", "#e3a857", "#6a994e", "#7b6d8d", "#5fa8d3", "#a44a3f", "#bbbbbb"]  # the last: other
HEADER = 33  # bytes of a PNG's signature and first chunk


@dataclass(frozen=True)
class Figure:
    """A figure that need not be drawn to be compared: `draw(**shown)` gives its PNG; `shown` is plain data, as JSON."""

    draw: Callable
    shown: dict

    @property
    def digest(self) -> str:
        """Of what is drawn and how, 16 hex digits: the same on every machine."""
        return digest(self.draw.__name__, json.dumps(self.shown), code(self.draw))[:16]

    def png(self) -> bytes:
        """The figure, drawn and stamped."""
        return stamped(self.draw(**self.shown), self.digest)


def code(draws) -> str:
    """The code with which the function `draws` draws, without comments and layout, and the looks that it uses."""
    sources = [canonical(inspect.getsource(function)) for function in dict.fromkeys((*DRAWING, draws))]
    return json.dumps([sources, HIGHEST, KINDS, plots.INK, plots.ACCENT, plots.BOUND])


def stamped(png: bytes, what: str) -> bytes:
    """A PNG with a text chunk "drawn" behind its header: the digest of what it shows, and that of its pixels.

    The second tells a picture that was drawn on another CPU, and says so itself, from one that was changed afterwards.
    """
    chunk = b"tEXtdrawn\0" + f"{what} {_pixels(Image.open(io.BytesIO(png)))}".encode()
    chunk = struct.pack(">I", len(chunk) - 4) + chunk + struct.pack(">I", zlib.crc32(chunk))
    return png[:HEADER] + chunk + png[HEADER:]


def drawn(path: Path) -> str | None:
    """The digest of what a PNG shows; None where there is no file, no stamp, or not the pixels that were stamped."""
    try:
        with Image.open(path) as image:
            what, _, pixels = image.info.get("drawn", "").partition(" ")
            return what if pixels == _pixels(image) else None
    except (OSError, SyntaxError):  # so Pillow says that a file is broken
        return None


def _pixels(image) -> str:
    return digest(str(image.size), image.convert("RGB").tobytes())[:16]


def rounded(values) -> list:
    """Floats with 6 significant digits, more than a picture shows; what other CPUs sum up otherwise is the same then.

    12 digits come first: else a value such as 63.40625, its last bit off, would fall on either side of the 5.
    """
    return [float(f"{float(f'{value:.12g}'):.6g}") for value in values]


def plan(summary) -> dict:
    """{file name: (alternative text, Figure)} of the figures that apply to a statistics.Summary.

    The speed first and always; each measure of full runs that is a percentage; the phases that the page names; the
    shares of its tables that are marked so.
    """
    work, measures, found = summary.work, summary.work.measures, {}
    lines = summary.lines.dropna(subset=[work.speed.name])
    spread = "median, smallest and largest round" if summary.rounds > 1 else "one round"
    grey = next((f"; grey: frameworks of {row.era}" for row in lines["row"] if row.era), "")
    rings = "; rings: other seeds" if summary.runs["seed"].any() else ""
    labels = {work.speed.name: f"{work.speed.title} (logarithmic; {spread}{grey})"}
    percentages = [m for m in measures.values() if m.runs == "full" and m.unit == "%"]
    labels |= {m.name: f"{m.title}, % (line: mean{rings}{grey})" for m in percentages}
    for name, label in labels.items():
        known = lines.dropna(subset=[name])
        known = known.sort_values(name, ascending=measures[name].better == "lower", kind="stable")
        if len(known) > 1:
            picture = Figure(draw, _dots(summary, known, {name: label}, 7.6))
            found["speed" if measures[name].speed else name] = f"{measures[name].title} of each row", picture
    phases = {name: measures[name].title for name in work.page.get("phases", []) if lines[name].notna().sum() > 1}
    if phases:
        titles = ", ".join(title.removesuffix(", s") for title in phases.values())
        found["phases"] = f"seconds of {titles}", Figure(draw, _dots(summary, lines, phases, 2.1 * len(phases) + 1.6))
    for table in work.page.get("tables", []):
        if table.get("shares") and (shares := _shares(lines, table["name"])):
            found[table["name"]] = f"{table['title']}, %", Figure(draw_shares, {"shares": _bars(shares)})
    start, what = f"{work.name}-{summary.precision}", f"{work.title}, {summary.precision}, {summary.column.name}: "
    return {f"{start}-{name}.png": (what + text, made) for name, (text, made) in found.items()}


def first(results, work) -> dict:
    """{path: (alternative text, Figure)} of the one figure that a workload's page shows, README too; {} for none."""
    main, folder = results.main(work, "cpu"), results.declarations.root / "results" / "figures"
    return {folder / name: one for name, one in list(plan(main).items())[:1]} if main else {}


def study(summary) -> dict:
    """{name: (alternative text, Figure)} of a workload's page of its own: what took the time, then and now."""
    plan, found = summary.work.page["study"], {}
    rows = [row for form in plan["forms"] for row in form["rows"]]
    lines = summary.lines.reindex([row for row in rows if row in summary.lines.index])
    shares = _shares(lines, plan["table"])
    if shares:
        ordered = {
            step: frame.reindex([t for t in lines["title"] if t in frame.index]) for step, frame in shares.items()
        }
        found["profile"] = (
            "what share of the time each kind of work takes",
            Figure(draw_shares, {"shares": _bars(ordered)}),
        )
    panels = [_then(summary, lines, name) for name in plan["measures"] if name in plan.get("then", {})]
    panels = [panel for panel in panels if any(panel["then"]) or any(value == value for value in panel["now"])]
    if panels:
        labels = ", ".join(panel["label"] for panel in panels)
        found["then"] = f"{labels}, then and now", Figure(draw_then, {"rows": list(lines["title"]), "panels": panels})
    return found


def _then(summary, lines, name) -> dict:
    """A panel of draw_then: today's values of a measure, and each published figure of the same row."""
    measure, given = summary.work.measures[name], summary.work.page["study"]["then"][name]
    times, entries = given.get("times", 1), [entry for old in summary.work.published for entry in old["rows"]]
    then = []
    for row in lines.index:
        said = [
            entry[column]
            for entry in entries
            if row in (entry.get("row"), entry.get("heir"))
            for column in given["columns"]
            if column in entry
        ]
        numbers = [[float(one) * times for one in re.findall(r"[\d.]+", str(text))] for text in said]  # "6.1 to 7.1"
        then.append([rounded([min(one), max(one)]) for one in numbers if one])
    years = sorted({str(old["year"]) for old in summary.work.published})
    return {"label": measure.title, "years": ", ".join(years), "now": rounded(lines[name]), "then": then}


def _shares(lines, name) -> dict:
    """{step: frame of %, a line for each row, a column for each kind of operation} of the rows that hold the table.

    A table has the columns "kind" and "total, ms", and "step" where a row's run has several. The kinds that take the
    largest shares stand first; those for which there is no colour are added up as "other".
    """
    frames = []
    for title, records in zip(lines["title"], lines["records"], strict=True):
        tables = [record["tables"][name] for record in records if name in record["tables"]]
        if tables and "kind" in tables[0]["columns"]:
            frames.append(pd.DataFrame(tables[0]["rows"], columns=tables[0]["columns"]).assign(row=title))
    if len(frames) < 2:
        return {}
    whole = pd.concat([frame if "step" in frame else frame.assign(step="") for frame in frames])
    times = whole.groupby(["step", "row", "kind"], sort=False)["total, ms"].sum().unstack(fill_value=0)
    shares = 100 * times.div(times.sum(axis=1), axis=0)
    named = shares.drop(columns="other", errors="ignore").sum().nlargest(len(KINDS) - 1).index
    shares = shares[named].assign(other=shares.drop(columns=named).sum(axis=1)).loc[:, lambda found: found.any()]
    return {step: part.droplevel("step") for step, part in shares.groupby("step", sort=False)}


def _bars(shares) -> dict:
    """{step: {kind: {row: %}}} of the frames of _shares, as plain data."""
    return {
        step: {kind: dict(zip(frame.index, rounded(frame[kind]), strict=True)) for kind in frame}
        for step, frame in shares.items()
    }


def _dots(summary, lines, labels, width) -> dict:
    """What draw() takes, from the lines of a Summary and {measure: label}."""
    seeds, panels = summary.runs[summary.runs["seed"]], []
    for name, label in labels.items():
        measure = summary.work.measures[name]
        low, high = ("low", "high") if measure.speed else (name, name)
        panel = {"label": label, "percent": measure.unit == "%", "values": rounded(lines[name])}
        panel |= {"low": rounded(lines[low]), "high": rounded(lines[high]), "seeds": []}
        if panel["percent"]:
            panel["seeds"] = [rounded(seeds.loc[seeds["row"] == row.id, name]) for row in lines["row"]]
        panels.append(panel)
    title = f"{summary.work.title}, {summary.precision}" if len(panels) == 1 else ""
    grey = [bool(row.era) for row in lines["row"]]
    return {"rows": list(lines["title"]), "grey": grey, "panels": panels, "title": title, "width": round(width, 2)}


# ---------------------------------------------------------------- drawing: from plain data alone


def draw_shares(shares) -> bytes:
    """A panel for each step with one stacked bar for each row: what share of the time each kind of operation took.

    `shares`: {step: {kind: {row: %}}}.
    """
    rows = list(dict.fromkeys(row for kinds in shares.values() for bars in kinds.values() for row in bars))
    figure, axes = plots.draw(2.1 * len(shares) + 3.4, min(HIGHEST, 1.4 + 0.2 * len(rows)), len(shares))
    for axis, (step, kinds) in zip(axes, shares.items(), strict=True):
        start = dict.fromkeys(rows, 0.0)
        for number, (kind, bars) in enumerate(kinds.items()):
            colour, places = KINDS[-1 if kind == "other" else number], list(map(rows.index, bars))
            axis.barh(places, list(bars.values()), 0.7, left=[start[row] for row in bars], color=colour, label=kind)
            start |= {row: start[row] + share for row, share in bars.items()}
        axis.set_xlim(0, 100)
        plots.clean(axis, "% of the time\n\n", "", step)  # two empty lines for the legend
        _name_rows(axis, rows, axis is axes[0])
    handles, kinds = axes[0].get_legend_handles_labels()
    figure.legend(handles, kinds, loc="lower center", ncol=-(-len(kinds) // 2), fontsize=7, frameon=False)
    return plots.finish(figure, "").png


def draw_then(rows, panels) -> bytes:
    """A panel for each measure, one below the other: dots of today, grey rings of what was published, "then".

    A panel: its "label"; "years"; "now", a value of each row, NaN for none; "then", of each [[lowest, highest], ...].
    """
    figure, axes = plots.draw(5.5, len(panels) * (0.75 + 0.14 * len(rows)), 1, len(panels))
    for axis, panel in zip(axes, panels, strict=True):
        for y, (value, then) in enumerate(zip(panel["now"], panel["then"], strict=True)):
            for low, high in then:
                axis.plot([low, high], [y, y], "o-", color=plots.BOUND, markerfacecolor="none", markersize=5, zorder=1)
            axis.plot(value, y, "o", color=plots.ACCENT, markersize=6)
        ends = [value for then in panel["then"] for pair in then for value in pair]
        _logarithmic(axis, np.array([*panel["now"], *ends], float), most=6)
        axis.grid(color="#e8e8e8", linewidth=0.6)
        plots.clean(axis, f"{panel['label']} (red: now; grey: {panel['years']}, other machines)", "", "")
        _name_rows(axis, rows, True)
    return plots.finish(figure, "").png


def draw(rows, grey, panels, title, width) -> bytes:
    """A panel of dots for each measure, the rows' titles on the left, those of frameworks of old in `grey`.

    A panel: its "label"; "values", "low" and "high", one of each row, NaN for none; lines lead from low to high.
    Those of "percent" have a linear axis with the mean, and rings at the "seeds" that each row reached; all else has a
    logarithmic axis. `width` in inches.
    """
    figure, axes = plots.draw(width, min(HIGHEST, 0.9 + 0.2 * len(rows)), len(panels))
    for axis, panel in zip(axes, panels, strict=True):
        ends = np.column_stack([panel["low"], panel["high"]])
        for y, (value, old) in enumerate(zip(panel["values"], grey, strict=True)):
            colour = plots.BOUND if old else plots.INK
            if panel["percent"]:
                reached = panel["seeds"][y]
                axis.plot(reached, [y] * len(reached), "o", markerfacecolor="none", color=colour, markersize=5)
            axis.plot(ends[y], [y, y], "-", color=colour, linewidth=2)
            axis.plot(value, y, "o", color=colour, markersize=5)
        if panel["percent"]:
            axis.axvline(np.mean(panel["values"]), color=plots.ACCENT, linewidth=1)
        else:
            _logarithmic(axis, ends, most=6 if len(panels) == 1 else 4)
        axis.grid(color="#e8e8e8", linewidth=0.6)
        plots.clean(axis, panel["label"], "", title)
        _name_rows(axis, rows, axis is axes[0])
    return plots.finish(figure, "").png


def _name_rows(axis, titles, shown):
    """The rows from top to bottom, with their titles where these are shown."""
    axis.set_yticks(range(len(titles)), titles if shown else [])
    axis.set_ylim(len(titles) - 0.4, -0.6)
    axis.tick_params(axis="y", labelsize=min(8, 190 / len(titles)), length=0)


def _logarithmic(axis, values, most):
    """A logarithmic axis with at most about so many plain numbers, a little wider than its values."""
    values = values[np.isfinite(values) & (values > 0)]
    axis.set(xscale="log", xlim=(values.min() / 1.25, values.max() * 1.25))
    decades = np.log10(values.max() / values.min() * 1.25**2)
    few = [1] if decades > most / 2 else [1, 3] if decades > most / 3 else [1, 2, 5]
    steps = few if decades > most / 6 else [1, 1.5, 2, 3, 5, 7]
    axis.xaxis.set_major_locator(MaxNLocator(most) if decades < 0.4 else LogLocator(subs=steps, numticks=20))
    axis.xaxis.set_major_formatter("{x:,.10g}")
    axis.minorticks_off()


DRAWING = (draw, draw_shares, _name_rows, _logarithmic, plots.draw, plots.finish, plots.clean)  # see code()
