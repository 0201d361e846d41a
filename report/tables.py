"""Summaries become Markdown. Nothing here knows a figure that no record holds; the sentences are templates."""

import os
import re
from pathlib import Path

import pandas as pd
from jinja2 import Environment, PackageLoader

from report import figures, statistics

DASH = "–"
WIDTH = 110  # of README's tables, in characters as shown
QUICK = "quick"  # the profile on samples: never beside published figures
OF_THE_RUN = ("DEVICE", "PRECISION")  # parameters that are shown elsewhere

# ---------------------------------------------------------------- text


def number(value, digits=3) -> str:
    """At least `digits` significant digits ("1,234", "17.3", "0.0123", "2.00e-05"); a dash for none."""
    if pd.isna(value):
        return DASH
    if value == 0 or abs(value) == float("inf"):
        return "0" if value == 0 else "∞"
    decimals = max(0, digits - 1 - int(f"{value:.{digits - 1}e}".split("e")[1]))
    return f"{value:,.{decimals}f}" if decimals <= 6 else f"{value:.{digits - 1}e}"


def measured(value, measure) -> str:
    """A value of a measure; percentages carry their sign, as titles do not; "yes or no" stands for 1 or 0."""
    text = number(value, len(f"{value:.0f}") if measure.unit == "photos" else 3)
    if measure.unit == "yes or no":
        return {1: "yes", 0: "no"}.get(value, text)
    return f"{text} %" if measure.unit == "%" and text != DASH else text


def shown(text) -> str:
    """A cell as a reader sees it: a link's text without its address, no tags."""
    return re.sub(r"<[^>]+>", "", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text))


def markdown(header, rows, padded=True) -> str:
    """A Markdown table, all but the first column right-aligned. Without links it can be padded, to be read as text."""
    plain = [[number(cell) if isinstance(cell, float) else str(cell) for cell in line] for line in [header, *rows]]
    lines = [[cell.replace("|", "\\|").replace("\n", " ") for cell in line] for line in plain]
    padded = padded and not any("](" in cell for line in lines for cell in line)
    widths = [max(3, *(len(line[i]) for line in lines)) if padded else 3 for i in range(len(header))]
    lines.insert(1, ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])])
    if padded:
        lines = [[line[0].ljust(widths[0]), *map(str.rjust, line[1:], widths[1:])] for line in lines]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def link(text, target: Path | None, start: Path) -> str:
    """A Markdown link from a page in folder `start`; the bare text where the target does not exist."""
    return f"[{text}]({os.path.relpath(target, start)})" if target and target.exists() else text


def slug(heading) -> str:
    """GitHub's anchor of a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def versions(found, most=None) -> str:
    """The versions of a row's packages, at most so many; Python's and, where there are others, NumPy's left out."""
    names = [name for name in found if name not in ("python", "numpy")] or [name for name in found if name == "numpy"]
    return ", ".join(f"{name} {found[name]}" for name in names[:most])


def listed(words) -> str:
    """ "a, b and c"; "a; b, c; and d" where one of them has a comma of its own, outside of brackets."""
    words = list(map(str, words))
    if len(words) > 1 and any("," in re.sub(r"\([^)]*\)", "", word) for word in words):
        return "; ".join([*words[:-1], f"and {words[-1]}"])
    return " and ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))


def _range(low, high):
    ends = dict.fromkeys(() if pd.isna(low) else (number(low), number(high)))
    return "–".join(ends) or DASH


templates = Environment(loader=PackageLoader("report"), trim_blocks=True, lstrip_blocks=True)
templates.filters |= dict(number=number, listed=listed, measured=measured)
templates.globals |= dict(markdown=markdown, link=link, versions=versions, slug=slug, plan=figures.plan)
templates.globals |= dict(first_figure=figures.first)
templates.globals |= dict(relative=os.path.relpath, DASH=DASH, ROUNDS=statistics.ROUNDS)


def page(name, **given) -> str:
    """A page, or a part of one: a template filled with what is given."""
    return templates.get_template(name).render(given)


# ---------------------------------------------------------------- the complete table of one precision


def complete(summary: statistics.Summary, start: Path) -> tuple:
    """(Markdown of the table, sentences below it), with links relative to folder `start`."""
    work, lines, letters = summary.work, summary.shown.to_dict("records"), {}
    whole = [*work.proof_parts, *work.table.get("full_proof_parts", [])]
    reference = next((line["title"] for line in lines if line["row"].name == work.reference_row), None)

    def cells(line):
        part = [record["data"]["train_samples"] for record in line["records"] if record["part"]][:1]
        notes = [f"Ran on {count:,} samples only: figures that need all data are left out." for count in part]
        notes += [work.notes[line["row"].note]] if line["row"].note else []
        marks = [letters.setdefault(note, chr(ord("a") + len(letters))) for note in notes]
        title = " ".join([link(line["title"], line["notebook"], start), *(f"<sup>{letter}</sup>" for letter in marks)])
        found = {"row": title}
        for measure in work.measures.values():
            found[measure.title] = measured(line[measure.name], measure)
            if measure.speed:
                found |= {"min–max": _range(line["low"], line["high"]), f"times {reference}": number(line["ratio"])}
                found["of each round"] = _range(line["ratio_low"], line["ratio_high"])
        found["share of peak"] = DASH if pd.isna(line["share"]) else f"{100 * line['share']:.0f} %"
        parts = f"{len(line['parts'])} of {len(whole)}, {number(line['proof'], 2)} of bound"
        found["proof"] = parts if line["parts"] else DASH
        found |= {"off reference by": number(line["deviation"], 2), "version": versions(line["versions"])}
        found["remarks"] = remarks(line)
        # else GitHub breaks a wide table's cells at every space, and each line grows tall
        return {name: text.replace(" ", "\u00a0") if len(shown(text)) < WIDTH else text for name, text in found.items()}

    header, rows = _filled(map(cells, lines))
    text = page("notes.md", s=summary, lines=lines, reference=reference, letters=letters, table=header, whole=whole)
    notes = [" ".join(note.split()) for note in text.split("\n\n") if note.strip()]
    return markdown(header, rows), notes


def profiles(summary: statistics.Summary):
    """Yields (title, columns, rows) of the free tables that the page declares, one of each row that has it."""
    for wanted in summary.work.page.get("tables", []):
        for line in summary.shown.to_dict("records"):
            found = [
                record["tables"][wanted["name"]] for record in line["records"] if wanted["name"] in record["tables"]
            ]
            if found:
                yield f"{wanted['title']}: {line['title']}", found[0]["columns"], found[0]["rows"]


def _filled(lines):
    """(header, rows) of a table, from {header: cell} of each line, a dash where there is nothing to say.

    A column without any figure is left out.
    """
    table = pd.DataFrame(lines).replace("", DASH)
    table = table.loc[:, (table != DASH).any()]
    return list(table), table.to_numpy().tolist()


def remarks(line) -> str:
    """The state of a row with its reason, unless it goes without saying, and what else is said of the row."""
    state = f"{line['state']}: {line['reason']}" if line["reason"] else line["state"]
    return "; ".join([*([] if line["state"] == "ok" else [state]), *line["remarks"]])


def settings(work, lines):
    """The parameters that all whole runs share, with their threads, and what the timed rounds have instead."""
    records = [r for line in lines for r in line["records"] if not r["part"] and not r["seed"]]

    def shared(kind):
        given = [r["parameters"] for r in records if r["kind"] == kind]
        names = [name for name in work.parameters if len({str(p.get(name)) for p in given}) == 1]
        return {name: given[0][name] for name in names if name in given[0] and name not in OF_THE_RUN}

    whole, rounds = shared("full"), shared("round")
    given = listed(sorted({r["threads"]["given"] for r in records if r["threads"]}))
    known = {name for r in records if r["kind"] == "full" for name in r["parameters"]}  # of what a whole run has none
    other = {k: v for k, v in rounds.items() if whole and (k not in known or whole.get(k, v) != v)}
    return (whole or rounds) | {"threads": given}, other


# ---------------------------------------------------------------- a workload's narrow table


def narrow(summary: statistics.Summary, start: Path, gpu: statistics.Summary | None = None) -> str:
    """The summary measures of each row with figures, at most WIDTH characters wide as shown.

    Beside the speed stands its ratio to the reference row's of the same round, the smallest and the largest;
    of `gpu`, a GPU's column, the speed alone, last the rows that have no other. That all rows are out of date is left
    to the caption.
    """
    work, gpu_speeds = summary.work, gpu.lines[summary.work.speed.name].dropna() if gpu else {}
    known = summary.lines.dropna(how="all", subset=[work.speed.name, *(m.name for m in summary.measures)])
    unsaid = ["ok", *(["out of date"] if set(summary.shown["state"]) == {"out of date"} else [])]
    on_gpu = gpu.lines.loc[gpu_speeds.index.difference(known.index, sort=False)] if gpu else known[:0]
    reference = next((row.title for row in summary.lines["row"] if row.name == work.reference_row), None)
    for most in (2, 1, 0):  # versions of a row
        rows = []
        for id, line in zip(known.index, known.to_dict("records"), strict=True):
            title = link(line["title"], line["notebook"], start)
            title += "" if line["state"] in unsaid else f" ({line['state']})"
            cells = {"row": title}
            for measure in summary.measures:
                cells[measure.title] = measured(line[measure.name], measure)
                if measure.speed and summary.rounds >= statistics.ROUNDS:
                    cells[f"times {reference}"] = _range(line["ratio_low"], line["ratio_high"])
                if measure.speed and gpu:
                    cells[f"{measure.title}, {gpu.column.label}"] = measured(gpu_speeds.get(id), measure)
            rows.append({**cells, "version": versions(line["versions"], most)})
        for id, line in zip(on_gpu.index, on_gpu.to_dict("records"), strict=True):
            cells = dict.fromkeys(rows[0] if rows else (), DASH) | {"row": link(line["title"], line["notebook"], start)}
            speed = f"{work.speed.title}, {gpu.column.label}"
            rows.append(
                cells | {speed: measured(gpu_speeds[id], work.speed), "version": versions(line["versions"], most)}
            )
        table = markdown(*_filled(rows))
        if max(len(shown(line)) for line in table.split("\n")) <= WIDTH:
            break
    return table


def of_gpu(summary: statistics.Summary) -> str:
    """What is to know of the GPU's speeds that stand beside a CPU's: rounds, packages, and whether they are current."""
    timed = summary.lines[summary.lines[summary.work.speed.name].notna()]
    packages = sorted({versions(found, 1) for found in timed["versions"]} - {""})
    rounds = f"medians over {summary.rounds} rounds" if summary.rounds > 1 else "one round"
    states = set(timed["state"])
    old = "; out of date" if states == {"out of date"} else "; partly out of date" if "out of date" in states else ""
    return f"{summary.column.label}: {rounds}, with {listed(packages)}{old}."


def leaders(summary: statistics.Summary) -> str:
    """The rows that no other is faster than: "Fastest on L: A (1,552 images/s), tied with B and C"; "" for no such row.

    Where one of them is out of date, "(out of date)" stands behind the column's label. Where others have a speed but
    none of the same rounds, it says of how many rows they are the fastest.
    """
    ids = statistics.fastest(summary.lines)
    if not ids:
        return ""
    speed = summary.work.speed
    timed = int(summary.lines[speed.name].notna().sum())
    compared = int((summary.lines["rounds"] >= statistics.ROUNDS).sum())
    lines = summary.lines.loc[ids].sort_values(speed.name, ascending=speed.better == "lower", kind="stable")
    first = f"{lines['title'].iloc[0]} ({measured(lines[speed.name].iloc[0], speed)} {speed.title})"
    tied = lines["title"].iloc[1:4].tolist() + ([f"{len(ids) - 4} more"] if len(ids) > 4 else [])
    old = " (out of date)" if "out of date" in set(lines["state"]) else ""
    whole = "Fastest" if compared == timed else f"Fastest of {compared} rows timed together (of {timed})"
    return f"{whole} on {summary.column.label}{old}: {first}" + (f", tied with {listed(tied)}" if tied else "")


# ---------------------------------------------------------------- figures of old


def then_and_now(results, work, start: Path):
    """Yields Markdown of each group of published figures beside today's value of the same measure.

    Where the group names a precision, today's rows of it follow, fastest first. Only columns with one of the rows show,
    but for those whose figures are all out of date, and up to date in another column of the device.
    """
    whole = [column for column in results.measured(work) if column.profile != QUICK]
    today = [(c, pd.concat([one.shown for one in results.summaries(work, c)]).to_dict("index")) for c in whole]
    titles = {row.id: row.title for row in results.declarations.rows(QUICK, "cpu", None, [work.name])}
    own = [line["row"] for _, lines in today for line in lines.values()]
    for old in work.published:
        added = dict.fromkeys(row.id for row in own if row.precision == old.get("precision"))
        rows = [*old["rows"], *({"name": DASH, "row": name} for name in added)]
        named = {row.get(key) for row in rows for key in ("row", "heir")}
        known = [(c, {k: line for k, line in ls.items() if pd.notna(line[old["measure"]])}) for c, ls in today]
        known = [(column, lines) for column, lines in known if named & {*lines}]
        now = [(c, k) for c, ls in known for k in named & {*ls} if ls[k]["state"] != "out of date"]
        current, fresh = [c for c, _ in now], {(c.device, k) for c, k in now}
        known = [(c, ls) for c, ls in known if c in current or not {(c.device, k) for k in named & {*ls}} <= fresh]
        yield page("then.md", old=old, rows=rows, work=work, today=known, titles=titles, start=start)


# ---------------------------------------------------------------- a column beside the published one


def beside(mine: statistics.Summary, theirs: statistics.Summary | None) -> str:
    """Markdown table of a column's rows beside those of the published column, with remarks."""
    lines = statistics.beside(mine, theirs).to_dict("records")
    rows = [[line["title"], line["speed"], line["published"], line["ratio"], remarks(line) or DASH] for line in lines]
    return markdown(["row", mine.work.speed.title, "published", "ratio", "remarks"], rows)


templates.globals |= dict(
    profiles=profiles,
    complete=complete,
    settings=settings,
    narrow=narrow,
    of_gpu=of_gpu,
    leaders=leaders,
    then_and_now=then_and_now,
    beside=beside,
)
