"""Times a notebook's step against a bare script of the same framework, alternating, in one run.

    PYTHONPATH=. python tests/benchmarks/step.py                 all rows, each in a process of its own environment
    PYTHONPATH=. python tests/benchmarks/step.py keras-jax       one row
    options: --rounds N (alternations, default 7), --steps N (steps in each, default 10)

Prints the median seconds of a step of each, and the median, smallest and largest ratio of the alternations. The
promise: at most 1.05 times the bare script; PyTorch's compiled step at most 0.85 times a plain eager loop in
(N, C, H, W); NumPy's at most ten times PyTorch's eager one. Exit status 1 if one is broken. Run it on an otherwise idle
machine, with the main environment's interpreter.
"""

import argparse
import importlib
import json
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
# Comparisons of their own: the row, the module and the function that it is held against, and the largest ratio allowed.
OTHERS = {
    "numpy": ("numpy", "pytorch", "bare", 10.0),
    "pytorch-compiled-plain": ("pytorch-compiled", "pytorch", "plain", 0.85),
}


def notebook_step(name, parameters, step):
    """The step of a notebook, from its cells before the run, on the sample's images; `step` is text."""
    import __main__ as module
    from common.batches import batch_indices
    from tests.cells import code_cells

    space = module.__dict__
    space["display"] = lambda *_: None
    for source, tags in code_cells(ROOT / "notebooks" / "cnn_cifar10" / (name + ".ipynb")):
        if "run" in tags:
            break
        if "proof" in tags or "show" in tags:
            continue
        exec(compile(source, name, "exec"), space)
        if "parameters" in tags:
            space.update(DATA="sample", TRAIN_SAMPLES=1280, TEST_SAMPLES=150, **parameters)
    # Forever, and without the last partial batch: the sample is a whole number of batches.
    space["_order"] = (i for epoch in range(10**6) for i in batch_indices(1280, 64, 1, epoch))
    exec(step, space)
    return space["step"]


def measure(name, notebook, parameters, against, function, allowed, rounds, steps):
    """Alternate the two steps; print the figures; True if the promise holds. Plain Python 3.6: runs anywhere."""
    ours = notebook_step(notebook, parameters, importlib.import_module("tests.frameworks." + notebook).STEP)
    theirs = getattr(importlib.import_module("tests.frameworks." + against), function)(parameters)
    for step in (ours, theirs) * 2:
        step()
    times = {ours: [], theirs: []}
    for number in range(rounds):
        for step in (ours, theirs) if number % 2 == 0 else (theirs, ours):
            batches = getattr(step, "batches", 1)
            count = max(1, steps // batches)
            start = time.perf_counter()
            for _ in range(count):
                step()
            times[step].append((time.perf_counter() - start) / count / batches)
    ratios = np.array(times[ours]) / np.array(times[theirs])
    print(
        "{}: {:.1f} ms against {:.1f} ms, ratio {:.3f} ({:.3f} to {:.3f}), allowed {}{}".format(
            name,
            np.median(times[ours]) * 1e3,
            np.median(times[theirs]) * 1e3,
            np.median(ratios),
            ratios.min(),
            ratios.max(),
            allowed,
            "" if np.median(ratios) <= allowed else ": BROKEN",
        ),
        flush=True,
    )
    return np.median(ratios) <= allowed


def main():
    from tests import kernels

    rows = [row.id for row in kernels.rows() if row.workload == "cnn_cifar10" and row.precision == "fp32"]
    names = [*rows, *(name for name in OTHERS if name not in rows)]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("row", nargs="?", choices=names)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--steps", type=int, default=10)
    options = parser.parse_args()
    broken = 0
    for name in [options.row] if options.row else names:
        row = kernels.row("cnn_cifar10", OTHERS.get(name, [name])[0])
        against, function, allowed = OTHERS[name][1:] if name in OTHERS else (row.framework, "bare", 1.05)
        own = {
            key: value
            for key, value in row.parameters.items()
            if key in ("COMPILE", "BACKEND", "JIT_COMPILE", "DATA_FORMAT")
        }
        python, environ = kernels.of(row.environment)
        arguments = [name, row.framework, own, against, function, allowed, options.rounds, options.steps]
        command = [python, __file__, "--measure", json.dumps(arguments)]
        broken += subprocess.run(command, cwd=ROOT, env={**environ, "PYTHONPATH": str(ROOT)}).returncode != 0
    return 1 if broken else 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        sys.exit(0 if measure(*json.loads(sys.argv[2])) else 1)
    sys.exit(main())
