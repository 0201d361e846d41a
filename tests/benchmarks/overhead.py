"""Times what the runner costs: PyTorch's notebook through it, against the same cells as a plain script, alternating.

    PYTHONPATH=. python tests/benchmarks/overhead.py [--rounds N]      (default 5)

Prints the median, smallest and largest ratio of an epoch's seconds, and the seconds that a notebook takes longer in all:
kernel, papermill, record, executed notebook. The promise: at most 1.02 and 15 s. Exit status 1 if one is broken. Run it on
an otherwise idle machine.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from runner import execute, machine
from tests import kernels
from tests.plant import code_cells

MORE = {"DATA": "sample", "TRAIN_SAMPLES": 1280, "TEST_SAMPLES": 250, "EPOCHS": 3}


def as_script(folder, row, parameters):
    """(seconds in all, seconds of each epoch) of the notebook's cells as one script."""
    script, written = folder / "script.py", folder / "script.json"
    cells = code_cells(str(row.notebook))
    overrides = "\n".join(f"{name} = {value!r}" for name, value in {**parameters, "RECORD_PATH": str(written)}.items())
    parts = [source + "\n\n" + overrides if "parameters" in tags else source for source, tags in cells]
    script.write_text("\n\n".join(parts))
    python, environ = kernels.of(row.environment)
    environ["PYTHONPATH"] = str(kernels.ROOT)
    begin = time.perf_counter()
    subprocess.run([python, str(script)], cwd=folder, env=environ, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - begin, json.loads(written.read_text())["timings"]["epochs"]


def through_the_runner(folder, row):
    """The same through the runner, and the parameters it ran with."""
    facts = machine.facts("benchmark", "cpu")
    batch = execute.Batch(kernels.MATRIX, facts, folder / "column", None, 900)
    (job,) = batch.jobs([row], 1)
    job.parameters.update(MORE)
    begin = time.perf_counter()
    record = batch.run(job)
    seconds = time.perf_counter() - begin
    assert record["status"] == "ok", record["reason"]
    return seconds, record["timings"]["epochs"], job.parameters


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    row = kernels.row("pytorch-eager")
    ratios, costs = [], []
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        for number in range(rounds):
            ours, epochs, parameters = through_the_runner(folder, row)
            theirs, bare = as_script(folder, row, parameters)
            ratios.append(np.median(epochs) / np.median(bare))
            costs.append(ours - theirs)
            print(f"{number + 1}/{rounds}: epoch {np.median(epochs):.3f} s against {np.median(bare):.3f} s, "
                  f"notebook {ours:.1f} s against {theirs:.1f} s", flush=True)
    ratio, cost = np.median(ratios), np.median(costs)
    print(f"epoch ratio {ratio:.3f} ({min(ratios):.3f} to {max(ratios):.3f}), allowed 1.02; "
          f"a notebook takes {cost:.1f} s longer, allowed 15")
    return 0 if ratio <= 1.02 and cost <= 15 else 1


if __name__ == "__main__":
    sys.exit(main())
