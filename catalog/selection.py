"""Which rows the options select, and how their records stand against the files as they are now."""

from catalog import files
from catalog.inputs import Inputs, why


def chosen(declared, rows, wanted: dict, every=False, today=False) -> list:
    """Those of `rows` that `wanted` names: {"workload", "framework", "precision", "row": names, none for any}.

    A row of one workload alone is named WORKLOAD/ROW. Where nothing but workloads is named, today's default rows; where
    nothing is named at all, of them those of the frameworks that `declared.first` lists, or of a workload whose profile
    has a list `first` the rows of that; `today`: all of today's; `every`: all. Raises LookupError where a name is not
    declared, or nothing fits.
    """
    known = {"workload": declared.workloads, "framework": declared.frameworks, "precision": declared.precisions}
    known["row"] = dict.fromkeys(row.id for row in rows)
    apart = {f"{row.workload}/{row.id}" for row in rows}
    for what, names in wanted.items():
        for name in set(names) - set(known[what]) - (apart if what == "row" else set()):
            flag = "--row or --why" if what == "row" else f"--{what}"
            raise LookupError(f"argument {flag}: one of {', '.join(known[what])}, not {name!r}")
    named = any(names for what, names in wanted.items() if what != "workload")
    rows = [row for row in rows if every or (row.today if today else named or (row.today and row.default))]
    if not (every or today or any(wanted.values())):
        rows = [row for row in rows if first(declared, row)]
    for what, names in wanted.items():
        rows = [row for row in rows if not names or called(row, what) & {*names}]
    if not rows:
        raise LookupError("no row fits these options; --list shows what there is")
    return rows


def first(declared, row) -> bool:
    """Whether the command that names nothing runs the row, a default one."""
    listed = declared.workloads[row.workload].profiles[row.profile].get("first")
    return row.name in listed if listed else row.framework in declared.first


def called(row, what: str) -> set:
    """What an option may call a row, its workload, framework or precision."""
    return {row.id, f"{row.workload}/{row.id}"} if what == "row" else {getattr(row, what)}


def standing(inputs: Inputs, rows, folders: str, brief: bool, schema: int, changes=None) -> list:
    """Lines that say how rows stand in the columns results/local/`folders`: how many records are up to date (`brief`),
    or, record by record, which parts changed since. `schema`: of today's records; `changes`: parameters given by hand.
    """
    lines = []
    for row in rows:
        found = []  # (label, record, how it stands)
        for path in sorted(inputs.root.glob(f"results/local/{folders}/{row.workload}/{row.id}.*.json")):
            try:
                record = files.as_json(path)
                if record["schema"] != schema:
                    raise ValueError(f"its schema is {record['schema']}, this checkout's {schema}")
                bad = {path.stem: [f"{record['status']}: {record['reason']}"]}
                parts = why(inputs, row, record, ".seed" in path.name, changes) if record["status"] == "ok" else bad
            except files.BrokenFile as error:  # the record, or what it would be compared with
                parts = {path.name: [str(error)]}
            except (OSError, ValueError, KeyError, TypeError) as error:
                parts = {path.name: [f"is no record of today's: {error!r}"]}
            found += [(path.parents[2].name, what, "; ".join(said) or "up to date") for what, said in parts.items()]
        current = sum(said == "up to date" for _, _, said in found)
        if brief:
            how = f"{current} of {len(found)} up to date" if found else "not run yet"
            lines.append(f"  {row.workload:<18} {row.id:<24} {how}")
        else:
            told = [f"{row.workload} {label}, {what}: {said}" for label, what, said in found]
            lines += told or [f"{row.workload}: not run yet"]
    return lines
