"""Times a notebook's step against a bare script of the same framework, alternating, in one run.

    PYTHONPATH=. python tests/benchmarks/step.py                 all rows, each in a process of its own
    PYTHONPATH=. python tests/benchmarks/step.py keras-jax       one row
    options: --rounds N (alternations, default 7), --steps N (steps in each, default 10)

Prints the median seconds of a step of each, and the median, smallest and largest ratio of the alternations. The promise:
at most 1.05 times the bare script; PyTorch's compiled step at most 0.85 times a plain eager loop in (N, C, H, W); NumPy's
at most ten times PyTorch's eager one. Exit status 1 if one is broken. Run it on an otherwise idle machine.
"""

import argparse
import statistics
import subprocess
import sys
import time
from pathlib import Path

import nbformat
import numpy as np

ROOT = Path(__file__).resolve().parents[2]

# row: (notebook, parameters, the bare function and its arguments, the largest ratio allowed)
ROWS = {
    "pytorch-eager": ("pytorch", {"COMPILE": False}, ("pytorch", {}), 1.05),
    "pytorch-compiled": ("pytorch", {"COMPILE": True}, ("pytorch_compiled", {}), 1.05),
    "pytorch-compiled-plain": ("pytorch", {"COMPILE": True}, ("pytorch_plain", {}), 0.85),
    "tensorflow": ("tensorflow", {}, ("tensorflow", {}), 1.05),
    "keras-tensorflow": ("keras", {"BACKEND": "tensorflow", "JIT_COMPILE": False}, ("keras", {"jit_compile": False}), 1.05),
    "keras-torch": ("keras", {"BACKEND": "torch", "JIT_COMPILE": False}, ("keras", {"jit_compile": False}), 1.05),
    "keras-jax": ("keras", {"BACKEND": "jax", "JIT_COMPILE": "auto"}, ("keras", {"jit_compile": "auto"}), 1.05),
    "jax": ("jax", {}, ("jax", {}), 1.05),
    "numpy": ("numpy", {}, ("pytorch", {"channels_last": True}), 10.0),
}

# The notebook's step on the sample, from its own cells. Keras' training loop is `fit`: its "step" is a whole fit of
# `step.batches` batches.
STEP = {
    "numpy": """
_model = load_weights(reference.weights()); _velocity = make_optimizer(_model); _rng = np.random.default_rng(1)
def step():
    i = next(_order)
    return train_step(_model, _velocity, x_train[i], y_train[i], LEARNING_RATE, MOMENTUM, _rng)
""",
    "pytorch": """
_model = make_model(); _optimizer = make_optimizer(_model)
def step():
    i = torch.from_numpy(next(_order))
    return train_step(_model, _optimizer, x_train[i], y_train[i]).item()
""",
    "tensorflow": """
_step = make_train_step(load_weights(make_model()), make_optimizer())
def step():
    i = next(_order)
    return _step(tf.gather(x_train, i), tf.gather(y_train, i)).numpy()
""",
    "keras": """
model = compile_model(load_weights(make_model()))
epoch, means = 1, np.zeros((2, 20))
def step():
    model.fit(Shuffled(0), shuffle=False, verbose=0, callbacks=[Losses()])
step.batches = 20
""",
    "jax": """
_model = make_model(); _optimizer = make_optimizer(_model)
def step():
    i = next(_order)
    return train_step(_model, _optimizer, *take(x_train, y_train, i)).item()
""",
}


def notebook_step(name, parameters):
    """The step of a notebook, from its cells before the training loop, on the sample's images."""
    import __main__ as module
    from common.batches import batch_indices

    space = module.__dict__
    space["display"] = lambda *_: None
    for cell in nbformat.read(ROOT / "notebooks" / "cnn_cifar10" / f"{name}.ipynb", 4).cells:
        if cell.cell_type == "code":
            if "for epoch in range(EPOCHS)" in cell.source:
                break
            if "proof" in cell.source or "reference.write(" in cell.source:
                continue
            exec(compile(cell.source, name, "exec"), space)
            if "parameters" in cell.metadata.get("tags", []):
                space.update(DATA="sample", TRAIN_SAMPLES=1280, TEST_SAMPLES=64, **parameters)
    # Forever, and without the last partial batch: the sample is a whole number of batches.
    space["_order"] = (i for epoch in range(10**6) for i in batch_indices(1280, 64, 1, epoch))
    exec(STEP[name], space)
    return space["step"]


def measure(row, rounds, steps):
    """Alternate the two steps; print the figures; True if the promise holds."""
    notebook, parameters, (bare, arguments), allowed = ROWS[row]
    ours = notebook_step(notebook, parameters)
    from tests.benchmarks import bare as scripts

    theirs = getattr(scripts, bare)(**arguments)
    for step in (ours, theirs) * 2:
        step()
    times = {ours: [], theirs: []}
    for number in range(rounds):
        for step in (ours, theirs) if number % 2 == 0 else (theirs, ours):
            batches = getattr(step, "batches", 1)
            start = time.perf_counter()
            for _ in range(max(1, steps // batches)):
                step()
            times[step].append((time.perf_counter() - start) / max(1, steps // batches) / batches)
    ratios = np.array(times[ours]) / np.array(times[theirs])
    ratio = statistics.median(ratios)
    print(f"{row}: {statistics.median(times[ours]) * 1e3:.1f} ms against {bare} {statistics.median(times[theirs]) * 1e3:.1f} ms, "
          f"ratio {ratio:.3f} ({ratios.min():.3f} to {ratios.max():.3f}), allowed {allowed}"
          f"{'' if ratio <= allowed else ': BROKEN'}", flush=True)
    return ratio <= allowed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("row", nargs="?", choices=ROWS)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--steps", type=int, default=10)
    options = parser.parse_args()
    if options.row:
        return 0 if measure(options.row, options.rounds, options.steps) else 1
    counts = ["--rounds", str(options.rounds), "--steps", str(options.steps)]
    broken = [row for row in ROWS if subprocess.run([sys.executable, __file__, row, *counts], cwd=ROOT).returncode]
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
