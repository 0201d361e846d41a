"""The figures of a column: PNG bytes drawn from a frame of tables.py, the same bytes for the same records."""

import io
from functools import partial

import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

# Okabe and Ito's colours, told apart with any colour vision; the markers tell lines apart without colour too
COLOURS = ["#0072B2", "#E69F00", "#009E73", "#D55E00", "#56B4E9", "#CC79A7", "#000000", "#999999"]
MARKERS = "osD^vPX*"
PHASES = {
    "import": "import",
    "data": "data",
    "first_step": "first step",
    "train": "training",
    "evaluate": "evaluation",
}
STYLE = {
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.grid": True,
    "grid.color": "#e4e4e4",
    "savefig.dpi": 100,
    "savefig.facecolor": "white",
    "figure.constrained_layout.use": True,
}


def plan(workload, track, lines):
    """Return {file name: (alternative text, function that returns the PNG)} for one track of a frame."""
    lines = lines[lines["state"] == "ok"]
    if lines.empty:
        return {}
    drawn = [
        ("epoch", "time per epoch by framework", time_per_epoch),
        ("accuracy", "test accuracy over training time", accuracy_over_time),
        ("phases", "where the time goes", where_time_goes),
    ]
    what = f"{workload}, {track}: "
    return {
        f"{workload}-{track}-{name}.png": (what + alt, partial(_png, draw, lines))
        for name, alt, draw in drawn
    }


def _png(draw, lines):
    with plt.rc_context(STYLE):
        figure = draw(lines)
        buffer = io.BytesIO()
        figure.savefig(
            buffer, format="png", metadata={"Software": None}
        )  # no version: same records, same bytes
        plt.close(figure)
    return buffer.getvalue()


def _bars(lines, panels=1):
    figure, axes = plt.subplots(1, panels, sharey=True, figsize=(7.6, 1.1 + 0.34 * len(lines)), squeeze=False)
    for axis in axes[0]:
        axis.grid(axis="y", visible=False)
        axis.tick_params(axis="y", length=0)
    axes[0][0].set_yticks(range(len(lines)), lines["title"])
    axes[0][0].invert_yaxis()
    return figure, axes[0]


def time_per_epoch(lines):
    """Horizontal bars of the median seconds per epoch with the smallest and largest as whiskers."""
    lines = lines.sort_values("epoch")
    figure, (axis,) = _bars(lines)
    spread = [lines["epoch"] - lines["epoch_min"], lines["epoch_max"] - lines["epoch"]]
    old = lines["era"].notna()
    axis.barh(
        range(len(lines)),
        lines["epoch"],
        xerr=spread,
        color=np.where(old, COLOURS[1], COLOURS[0]),
        height=0.66,
        error_kw=dict(ecolor="#222222", capsize=3, lw=1.2),
    )
    for y, (value, end) in enumerate(zip(lines["epoch"], lines["epoch_max"], strict=True)):
        axis.annotate(f"{value:.3g}", (end, y), xytext=(6, 0), textcoords="offset points", va="center")
    axis.set_xlim(0, 1.1 * lines["epoch_max"].max())
    axis.set_xlabel("seconds per epoch (median; whiskers: fastest and slowest epoch)")
    if old.any():
        handles = [plt.Rectangle((0, 0), 1, 1, color=colour) for colour in COLOURS[:2]]
        year = int(lines["era"].dropna().iloc[0])
        labels = ["today's", f"of {year}, in a release that still runs"]
        figure.legend(handles, labels, loc="outside upper center", ncols=2, frameon=False)
    return figure


def accuracy_over_time(lines):
    """Test accuracy after each epoch over the seconds of training so far (first step included); dashed: of then."""
    figure, axis = plt.subplots(figsize=(7.6, 4.2))
    lines = lines.sort_values("epoch")
    for i, ((_, line), old) in enumerate(zip(lines.iterrows(), lines["era"].notna(), strict=True)):
        record = line["good"][0]
        seconds = record["timings"]["first_step"] + np.cumsum(record["timings"]["epochs"])
        accuracy = 100 * np.array(record["metrics"]["test_accuracy"])
        style = dict(color=COLOURS[i % 8], marker=MARKERS[(i + i // 8) % 8], markersize=6, lw=1.6, ls="--" if old else "-")
        axis.plot(seconds, accuracy, label=line["title"], **style)
    axis.set_xlim(left=0)
    axis.set_xlabel("seconds of training, first step included")
    axis.set_ylabel("test accuracy, %")
    axis.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False)
    return figure


def where_time_goes(lines):
    """Stacked bars of the phases of a run: all of them, and again without training, which dwarfs the others."""
    lines = lines.sort_values("epoch")
    figure, axes = _bars(lines, panels=2)
    colours = dict(zip(PHASES, COLOURS, strict=False))
    for axis, phases in zip(axes, (PHASES, [p for p in PHASES if p != "train"]), strict=True):
        left = np.zeros(len(lines))
        for phase in phases:
            axis.barh(range(len(lines)), lines[phase], left=left, color=colours[phase], height=0.66)
            left += lines[phase].to_numpy(float)
    axes[0].set_xlabel("seconds, whole run")
    axes[1].set_xlabel("seconds, without training")
    handles = [plt.Rectangle((0, 0), 1, 1, color=colours[phase]) for phase in PHASES]
    figure.legend(handles, PHASES.values(), loc="outside upper center", ncols=len(PHASES), frameon=False)
    return figure
