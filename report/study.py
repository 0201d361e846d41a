"""A workload's page of its own: one program in several forms and languages, then and now, and where its time goes."""

import pandas as pd

from report import figures, statistics
from report.tables import DASH, link, listed, measured, number, page, then_and_now


def files(results, work) -> dict:
    """{path: text or Figure} of results/FILE.md and its figures; {} where the workload declares no such page."""
    plan, summary = work.page.get("study"), results.main(work)
    if not plan:
        return {}
    start, made = results.declarations.root / "results", {}
    drawn = figures.study(summary) if summary else {}
    for name, (text, figure) in drawn.items():
        path = start / "figures" / f"{plan['file']}-{name}.png"
        made[path] = f"{text}: {summary.column.name}", figure
    lines = _lines(work, summary, plan) if summary else []
    given = dict(work=work, plan=plan, summary=summary, lines=lines, figures=made, start=start)
    titles = {name: entry["title"] for name, entry in results.declarations.frameworks.items()}
    given |= dict(
        changes=list(_changes(work, plan, lines, titles)),
        said=list(_said(work, lines)),
        then=list(then_and_now(results, work, start)),
    )
    given |= dict(table=_table(work, plan, lines, start), notebooks=_notebooks(results, work, plan))
    return {start / f"{plan['file']}.md": page("study.md", **given)} | {p: f for p, (_, f) in made.items()}


def _lines(work, summary, plan):
    """The lines of the rows, in the page's order, each with its "form" and the "language" that it is written in."""
    found = []
    for form in plan["forms"]:
        for row in form["rows"]:
            if row in summary.lines.index:
                line = summary.lines.loc[row].to_dict()
                found.append({**line, "id": row, "form": form["title"], "language": line["row"].framework})
    return found


def _table(work, plan, lines, start):
    """(header, rows): what each row takes, and the kinds of work that take the most of its time."""
    measures = [work.measures[name] for name in plan["measures"]]
    rows = []
    for line in lines:
        values = [measured(line[measure.name], measure) for measure in measures]
        rows.append([link(line["title"], line["notebook"], start), *values, _largest(line, plan["table"])])
    return ["row", *(measure.title for measure in measures), "most of the time"], rows


def _largest(line, name):
    """ "elementwise 64 %, new arrays 22 %": the two kinds of work that take the most."""
    tables = [record["tables"][name] for record in line["records"] if name in record["tables"]]
    if not tables:
        return DASH
    kind, total = (tables[0]["columns"].index(column) for column in ("kind", "total, ms"))
    times = {}
    for row in tables[0]["rows"]:
        times[row[kind]] = times.get(row[kind], 0) + row[total]
    best = sorted(times, key=times.get, reverse=True)[:2]
    return ", ".join(f"{one} {100 * times[one] / (sum(times.values()) or 1):.0f} %" for one in best)


def _changes(work, plan, lines, titles):
    """Yields sentences that compare the languages in the first form, then each language's first two forms."""
    measures = [work.measures[name] for name in plan["measures"]]
    first, second = ([line for line in lines if line["form"] == form["title"]] for form in plan["forms"][:2])
    timed = sorted((one for one in first if pd.notna(one[work.speed.name])), key=lambda one: -one[work.speed.name])
    if len(timed) > 1:
        fast, slow = timed[0], timed[-1]
        names = [titles[one["language"]] for one in (slow, fast)]
        times = number(fast[work.speed.name] / slow[work.speed.name], 2)
        enough = all(one["rounds"] >= statistics.ROUNDS for one in (slow, fast))  # NaN: apart from the reference row
        touch = slow["ratio_high"] >= fast["ratio_low"]
        tied = "; their ranges overlap: tied" if touch else ""
        tied = tied if enough else "; too few rounds to tell whether they are tied"
        yield f"{first[0]['form']}, {names[0]} takes {times} times as long as {names[1]}{tied}."
    for before, after in ((a, b) for a in first for b in second if a["language"] == b["language"]):
        both = [(m, before[m.name], after[m.name]) for m in measures]
        both = [f"{m.title} {measured(a, m)} → {measured(b, m)}" for m, a, b in both if pd.notna(a) and pd.notna(b)]
        if both:
            forms = f"{before['form'].lower()} → {after['form'].lower()}"
            yield f"{titles[before['language']]}, {forms}: {'; '.join(both)}."


def _said(work, lines):
    """Yields sentences on what is missing or out of date, so that a reader trusts the rest."""
    speed = work.speed.name
    missing = [line["title"] for line in lines if pd.isna(line[speed])]
    if missing:
        yield f"Not timed yet: {listed(missing)}."
    old = [line["title"] for line in lines if line["state"] in statistics.OLD]
    if old:
        yield f"Measured with notebooks or packages that have changed since: {listed(old)}."
    bare = [
        line["title"] for line in lines if not any(work.page["study"]["table"] in r["tables"] for r in line["records"])
    ]
    if bare:
        yield f"No profile yet: {listed(bare)}."


def _notebooks(results, work, plan):
    """{title: path} of the lessons."""
    names = dict.fromkeys(work.rows[row]["framework"] for form in plan["forms"] for row in form["rows"])
    return {results.declarations.frameworks[name]["title"]: work.folder / f"{name}.ipynb" for name in names}
