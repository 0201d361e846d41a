"""The figures of one workload, column and precision: PNG bytes, the same for the same records."""

from functools import partial

import numpy as np
import pandas as pd
from matplotlib.ticker import LogLocator, MaxNLocator

from common import plots

HIGHEST = 3.8  # inches; at 110 dpi 418 pixels
KINDS = ["#1b3a57", "#d1603d", "#e3a857", "#6a994e", "#7b6d8d", "#5fa8d3", "#a44a3f", "#bbbbbb"]  # the last: other


def plan(summary) -> dict:
    """{path: (alternative text, function that returns the PNG)} of the figures that apply to a statistics.Summary.

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
            picture = partial(draw, summary, known, [(name, label)], 7.6)
            found["speed" if measures[name].speed else name] = f"{measures[name].title} of each row", picture
    phases = [(name, measures[name].title) for name in work.page.get("phases", []) if lines[name].notna().sum() > 1]
    if phases:
        titles = ", ".join(title.removesuffix(", s") for _, title in phases)
        found["phases"] = f"seconds of {titles}", partial(draw, summary, lines, phases, 2.1 * len(phases) + 1.6)
    for table in work.page.get("tables", []):
        if table.get("shares") and (shares := _shares(lines, table["name"])):
            found[table["name"]] = f"{table['title']}, %", partial(draw_shares, shares)
    start = summary.column.path / "figures" / f"{work.name}-{summary.precision}"
    what = f"{work.title}, {summary.precision}, {summary.column.name}: "
    return {start.with_name(f"{start.name}-{name}.png"): (what + text, made) for name, (text, made) in found.items()}


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


def draw_shares(shares) -> bytes:
    """A panel for each step with one stacked bar for each row: what share of the time each kind of operation took."""
    rows = pd.concat(shares.values()).index.unique()
    figure, axes = plots.draw(2.1 * len(shares) + 3.4, min(HIGHEST, 1.4 + 0.2 * len(rows)), len(shares))
    for axis, (step, frame) in zip(axes, shares.items(), strict=True):
        places, start = rows.get_indexer(frame.index), frame.cumsum(axis="columns") - frame
        for number, kind in enumerate(frame.columns):
            colour = KINDS[-1 if kind == "other" else number]
            axis.barh(places, frame[kind], 0.7, left=start[kind], color=colour, label=kind)
        axis.set_xlim(0, 100)
        plots.clean(axis, "% of the time\n\n", "", step)  # two empty lines for the legend
        _name_rows(axis, rows, axis is axes[0])
    handles, kinds = axes[0].get_legend_handles_labels()
    figure.legend(handles, kinds, loc="lower center", ncol=-(-len(kinds) // 2), fontsize=7, frameon=False)
    return plots.finish(figure, "").png


def draw(summary, lines, panels, width) -> bytes:
    """A panel of dots for each (measure, label), the rows' titles on the left, frameworks of old in grey.

    The speed has lines from the slowest to the fastest round. Percentages have a linear axis with their mean and
    what other seeds reached; all else has a logarithmic axis.
    """
    figure, axes = plots.draw(width, min(HIGHEST, 0.9 + 0.2 * len(lines)), len(panels))
    seeds = summary.runs[summary.runs["seed"]]
    for axis, (name, label) in zip(axes, panels, strict=True):
        measure, values = summary.work.measures[name], lines[name].to_numpy(float)
        spread = lines[["low", "high"]] if measure.speed else lines[[name, name]]
        for y, (row, ends) in enumerate(zip(lines["row"], spread.to_numpy(float), strict=True)):
            colour = plots.BOUND if row.era else plots.INK
            if measure.unit == "%":
                reached = seeds.loc[seeds["row"] == row.id, name]
                axis.plot(reached, [y] * len(reached), "o", markerfacecolor="none", color=colour, markersize=5)
            axis.plot(ends, [y, y], "-", color=colour, linewidth=2)
            axis.plot(values[y], y, "o", color=colour, markersize=5)
        if measure.unit == "%":
            axis.axvline(values.mean(), color=plots.ACCENT, linewidth=1)
        else:
            _logarithmic(axis, spread.to_numpy(float), most=6 if len(panels) == 1 else 4)
        axis.grid(color="#e8e8e8", linewidth=0.6)
        plots.clean(axis, label, "", f"{summary.work.title}, {summary.precision}" if len(panels) == 1 else "")
        _name_rows(axis, lines["title"], axis is axes[0])
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
    axis.xaxis.set_major_formatter("{x:g}")
    axis.minorticks_off()
