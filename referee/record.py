"""What a run leaves behind: one JSON file, written whole or not at all, and a table in the executed notebook.

``record.schema.json`` describes the file; the runner adds its own part and checks the whole.
"""

import json
import os
import platform
import tempfile

import numpy as np

from .parameters import physical_cores

SCHEMA = 2


class Record(dict):
    """The referee's part of a record; in a notebook it shows itself as a table."""

    def rows(self):
        """(name, text) pairs for the table."""
        rows = [("versions", ", ".join("{} {}".format(*pair) for pair in self["versions"].items()))]
        if self["data"]:
            data = "{name} ({source}): {train_samples} training and {test_samples} test samples"
            rows.append(("data", data.format(**self["data"])))
        if self["run"]:
            rows.append(("trained", "{steps} steps on {samples} samples".format(**self["run"])))
        given, busy = self["threads"]["given"], self["threads"]["busy"]
        rows.append(("threads", "{} given{}".format(given, "" if busy is None else ", {:.1f} busy".format(busy))))
        for name, measurement in self["measurements"].items():
            values = measurement["values"]
            shown = ", ".join("{:.4g}".format(value) for value in values[:4])
            more = " … {:.4g} ({} values)".format(values[-1], len(values)) if len(values) > 4 else ""
            rows.append((name, "{}{} {}".format(shown, more, measurement["unit"]).strip()))
        if self["proof"]:
            passed = "passed" if self["proof"]["passed"] else "FAILED"
            rows.append(("proof", "{}: {}".format(passed, ", ".join(self["proof"]["parts"]))))
        return rows

    def _repr_html_(self):
        cell = "<{0} style='text-align:left'>{1}</{0}>"
        lines = [cell.format("th", name) + cell.format("td", text) for name, text in self.rows()]
        return "<table>{}</table>".format("".join("<tr>{}</tr>".format(line) for line in lines))

    def __repr__(self):
        return "\n".join("{:18} {}".format(*row) for row in self.rows())


def write(
    workload, framework, settings, versions, timer, proof=None, data=None, weights=None, measurements=None, tables=None
):
    """Gather a run into a Record; where ``settings["RECORD_PATH"]`` names a file, write it there.

    ``settings``: the parameters, all recorded but RECORD_PATH; THREADS (else OMP_NUM_THREADS, else the physical cores),
    PRECISION (else "fp32") and DEVICE (else "cpu") have fields of their own, too; ``versions``: {package: version};
    ``timer``: a ``timing.Timer`` or ``timing.Run``; ``proof``: a ``proof.Proof``; ``data``: a
    ``common.data.files.Dataset``; ``weights``: hex digest of the weights that the run started from
    (``weights.digest``); ``measurements``: {name: (unit, values)} beside the timer's; ``tables``: {name: (columns,
    rows)}, such as a profile. Raises what ``write_json`` raises.
    """
    found = dict(timer.measurements(), **(measurements or {}))
    memory = getattr(timer, "peak_memory_bytes", None)
    if memory:
        found["peak memory"] = ("byte", [memory])
    run = None
    if hasattr(timer, "seen"):
        run = {"steps": len(timer.losses), "samples": timer.seen, "weights": weights}
    versions = dict([("python", platform.python_version()), ("numpy", np.__version__)], **versions)
    record = Record(
        schema=SCHEMA,
        workload=workload,
        framework=framework,
        precision=settings.get("PRECISION", "fp32"),
        device=settings.get("DEVICE", "cpu"),
        parameters={name: v for name, v in settings.items() if name != "RECORD_PATH"},
        data=data.summary() if data else None,
        versions=versions,
        run=run,
        threads=threads(settings.get("THREADS"), getattr(timer, "busy", None)),
        measurements={
            name: {"unit": unit, "values": [float(v) for v in values]} for name, (unit, values) in found.items()
        },
        tables={
            name: {"columns": list(columns), "rows": [[_plain(v) for v in row] for row in rows]}
            for name, (columns, rows) in (tables or {}).items()
        },
        proof=proof.summary() if proof else None,
    )
    if settings.get("RECORD_PATH"):
        write_json(settings["RECORD_PATH"], record)
    return record


def versions(packages):
    """{name: version} of the first of each name's distributions that is installed here.

    ``packages``: {name: [distribution, ...]}. They come from the interpreter's own metadata, not from what a module
    says of itself.
    """
    found = {}
    for name, distributions in packages.items():
        for one in distributions:
            version = _version(one)
            if version:
                found[name] = version
                break
    return found


def _version(distribution):
    """The version of an installed distribution; None where it is not installed."""
    try:
        from importlib import metadata
    except ImportError:  # before Python 3.8
        import pkg_resources

        try:
            return pkg_resources.get_distribution(distribution).version
        except pkg_resources.DistributionNotFound:
            return None
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return None


def threads(given, busy):
    """The threads' part of the record: how many were given, were busy, and are in each pool."""
    try:
        from threadpoolctl import threadpool_info

        known = threadpool_info()
    except ImportError:
        known = []
    named = {"library": "internal_api", "version": "version", "threads": "num_threads"}
    pools = [{name: pool.get(key) for name, key in named.items()} for pool in known]
    given = given or int(os.environ.get("OMP_NUM_THREADS") or physical_cores())
    return {"given": int(given), "busy": None if busy is None else float(busy), "pools": pools}


def _plain(value):
    """A cell of a table as JSON has it."""
    return value if isinstance(value, (str, int, float, bool)) or value is None else float(value)


def write_json(path, content):
    """Write ``content`` to ``path`` as JSON: the whole file appears at once, or the old one stays.

    Raises OSError when the folder cannot be written, ValueError for a number that JSON has not (NaN).
    """
    text = json.dumps(content, indent=1, sort_keys=True, allow_nan=False) + "\n"
    folder = os.path.dirname(os.path.abspath(str(path)))
    os.makedirs(folder, exist_ok=True)
    handle, part = tempfile.mkstemp(dir=folder, prefix=".", suffix=".part")
    try:
        with os.fdopen(handle, "w") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        os.chmod(part, 0o644)
        os.replace(part, str(path))
    except BaseException as error:
        os.unlink(part)
        if isinstance(error, OSError) and not error.filename:  # such as a full disk
            error.filename = str(path)
        raise
