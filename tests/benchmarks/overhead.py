"""Times what the runner costs: PyTorch's notebook through it, against the same cells as a plain script, alternating.

    PYTHONPATH=. python tests/benchmarks/overhead.py [--rounds N]      (default 5)

Prints the median, smallest and largest ratio of the training rates, and the seconds that a notebook takes longer in
all: kernel, papermill, record, executed notebook, without the probe. The promise: at most 2 % of the rate and 15 s.
Exit status 1 if one is broken. Run it on an otherwise idle machine, with the main environment's interpreter.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from catalog.inputs import Notebook
from runner import batch, job
from runner.hosts import machine
from tests import kernels

MORE = {"DATA": "sample", "TRAIN_SAMPLES": 1280, "TEST_SAMPLES": 150, "EPOCHS": 3}


def as_script(folder, content):
    """(seconds in all, training rates) of the notebook's cells as one script, with the job's parameters and kernel."""
    script, written = folder / "script.py", folder / "script.json"
    overrides = "\n".join(f"{name} = {value!r}" for name, value in content["parameters"].items())
    composed = job.executed(content, Notebook(Path(content["notebook"])), written)["cells"]
    code = [cell for cell in composed if cell["cell_type"] == "code"]
    cells = [("".join(cell["source"]), cell["metadata"].get("tags", [])) for cell in code]
    script.write_text(
        "\n\n".join(source + ("\n" + overrides if "parameters" in tags else "") for source, tags in cells)
    )
    environ = {name: value.replace("{scratch}", str(folder)) for name, value in content["kernel"]["environ"].items()}
    begin = time.perf_counter()
    subprocess.run(
        [content["kernel"]["python"], str(script)], cwd=folder, env=environ, check=True, stdout=subprocess.DEVNULL
    )
    return time.perf_counter() - begin, json.loads(written.read_text())["measurements"]["training rate"]["values"]


def through_the_runner(folder, content):
    """The same through the runner; the seconds of the two probes are taken off."""
    file = folder / "job.json"
    file.write_text(json.dumps(content))
    Path(content["record"]).unlink(missing_ok=True)
    begin = time.perf_counter()
    status = job.main(str(file))
    seconds = time.perf_counter() - begin
    record = json.loads(Path(content["record"]).read_text())
    assert status == 0, record["reason"]
    begin = time.perf_counter()
    machine.measure("cpu", content["machine"]["physical_cores"], content["precision"])
    return seconds - 2 * (time.perf_counter() - begin), record["measurements"]["training rate"]["values"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    row = kernels.row("cnn_cifar10", "pytorch-eager")
    ratios, costs = [], []
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        runs = batch.Batch(kernels.declarations(), folder / "quick-cpu", sys.executable, MORE)
        content = runs.job(batch.Run(row, "round", 1), machine.facts("benchmark", "cpu"), {}, 900)
        for number in range(rounds):
            ours, rates = through_the_runner(folder, content)
            theirs, bare = as_script(folder, content)
            ratios.append(np.median(bare) / np.median(rates))
            costs.append(ours - theirs)
            print(
                f"{number + 1}/{rounds}: {np.median(rates):.1f} images/s against {np.median(bare):.1f}, "
                f"notebook {ours:.1f} s against {theirs:.1f} s",
                flush=True,
            )
    ratio, cost = np.median(ratios), np.median(costs)
    print(
        f"time ratio {ratio:.3f} ({min(ratios):.3f} to {max(ratios):.3f}), allowed 1.02; "
        f"a notebook takes {cost:.1f} s longer, allowed 15"
    )
    return 0 if ratio <= 1.02 and cost <= 15 else 1


if __name__ == "__main__":
    sys.exit(main())
