"""What a run leaves behind: one JSON file, written whole or not at all, and a small table in the notebook."""

import json
import os
import platform
import sys
import tempfile

import numpy as np

from .parameters import physical_cores


class Record(dict):
    """The notebook's part of a record; in a notebook it shows itself as a table."""

    def rows(self):
        """(name, text) pairs for the table."""
        timings, proof, metrics = self["timings"], self["proof"], self["metrics"]
        accuracy = metrics.get("test_accuracy") or []
        return [
            ("row", "{workload}: {framework}, {precision}, {device}, {threads} threads".format(**self)),
            ("versions", ", ".join("{} {}".format(*pair) for pair in self["versions"].items())),
            ("data", "{name} ({source}): {train_samples} training and {test_samples} test samples".format(**self["data"])),
            ("import, data", "{:.1f} s, {:.1f} s".format(timings["import"], timings["data"])),
            ("first step", "{:.2f} s".format(timings["first_step"])),
            ("epochs", ", ".join("{:.1f} s".format(seconds) for seconds in timings["epochs"])),
            ("throughput", "{:.0f} samples/s".format(self["samples_per_second"])),
            ("evaluate", ", ".join("{:.1f} s".format(seconds) for seconds in timings["evaluate"])),
            ("test accuracy", ", ".join("{:.2%}".format(value) for value in accuracy)),
            ("proof", "{}: gradients {:.1e} of {:.0e}, losses {:.2f} of their bound".format(
                "passed" if proof["passed"] else "FAILED", proof["gradient_error"], proof["gradient_bound"],
                proof["loss_error_over_bound"])),
            ("peak memory", "{:.0f} MB".format(self["peak_memory_bytes"] / 1e6)),
        ]

    def _repr_html_(self):
        lines = ["<tr><th style='text-align:left'>{}</th><td style='text-align:left'>{}</td></tr>".format(*row)
                 for row in self.rows()]
        return "<table>{}</table>".format("".join(lines))

    def __repr__(self):
        return "\n".join("{:14} {}".format(*row) for row in self.rows())


def make_record(workload, framework, settings, dataset, timer, proof, versions, flops_per_sample, metrics,
                peak_memory_bytes=None):
    """Gather a run into a Record and, if ``settings["RECORD_PATH"]`` names a file, write it there.

    ``settings``: the parameters; ``dataset``: a ``datasets.Dataset``; ``timer``: a ``timing.Timer`` with the phases import,
    data, first step, epoch and evaluate, in seconds; ``proof``: a ``reference.Proof``; ``versions``: {package: version};
    ``flops_per_sample``: floating-point operations of the model, forward and backward; ``metrics``: {name: list, one value
    per epoch}; ``peak_memory_bytes``: the device's, if it is not the process's. Raises KeyError for a missing phase.
    """
    seconds = timer.seconds
    samples, batch = len(dataset.x_train), settings["BATCH_SIZE"]
    first = seconds.get("first step", [])
    # The first step of the run is not in the first epoch's time, so its samples are not either.
    counts = [samples - (batch if number == 0 and first else 0) for number in range(len(seconds["epoch"]))]
    rates = [count / duration for count, duration in zip(counts, seconds["epoch"]) if count > 0]
    record = Record(
        schema=1, workload=workload, framework=framework, precision=settings["PRECISION"], device=settings["DEVICE"],
        parameters={name: value for name, value in settings.items() if name != "RECORD_PATH"},
        data={"name": dataset.name, "source": dataset.source, "digest": dataset.digest,
              "train_samples": samples, "test_samples": len(dataset.x_test)},
        versions=dict([("python", platform.python_version()), ("numpy", np.__version__)], **versions),
        threads=settings["THREADS"] or int(os.environ.get("OMP_NUM_THREADS") or physical_cores()), seed=settings["SEED"],
        timings={"import": sum(seconds["import"]), "data": sum(seconds["data"]), "first_step": sum(first),
                 "epochs": seconds["epoch"], "evaluate": seconds["evaluate"]},
        samples_per_second=float(np.median(rates)) if rates else 0.0, flops_per_sample=flops_per_sample,
        metrics={name: [float(value) for value in values] for name, values in metrics.items()},
        proof=proof.summary(), peak_memory_bytes=int(peak_memory_bytes or peak_memory()),
    )
    if settings.get("RECORD_PATH"):
        write_json(settings["RECORD_PATH"], record)
    return record


def peak_memory():
    """The largest resident size of this process so far, in bytes."""
    import resource

    largest = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return largest if sys.platform == "darwin" else largest * 1024  # kilobytes everywhere but on macOS


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
    except BaseException:
        os.unlink(part)
        raise
