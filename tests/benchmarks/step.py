"""Times a lesson's timed loop against a bare script of the same framework, alternating, in one run.

    PYTHONPATH=. python tests/benchmarks/step.py                          all rows of all workloads with bare scripts
    PYTHONPATH=. python tests/benchmarks/step.py cnn_cifar10              all rows of one workload
    PYTHONPATH=. python tests/benchmarks/step.py cnn_cifar10 keras-jax    one row, in a process of its own environment
    options: --rounds N (alternations, default 7), --steps N (steps in each, mostly 10)

A bare script is a function in tests/bare/WORKLOAD.py, which has the framework's name if OTHERS has no other.
Prints the median seconds of a step of each, and the median, smallest and largest ratio of the alternations. The
promise: at most 1.05 times the bare script; PyTorch's compiled step at most 0.85 times a plain eager loop in
(N, C, H, W); NumPy's at most ten times PyTorch's eager one. Exit status 1 if one is broken. Run it on an otherwise idle
machine, with the main environment's interpreter.
"""

import argparse
import contextlib
import importlib
import io
import json
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
WARM = 2  # alternations before those that count: the first compiles
# Comparisons of their own: the row, the function that it is held against, and the largest ratio allowed.
OTHERS = {
    "affine_transfer": {},
    "cnn_cifar10": {
        "numpy": ("numpy", "pytorch", 10.0),
        "pytorch-compiled-plain": ("pytorch-compiled", "pytorch_plain", 0.85),
    },
    "cnn_mnist": {"numpy": ("numpy", "pytorch", 10.0)},
    "densenet_chestxray": {},
    "gpt_text": {"numpy": ("numpy", "pytorch", 10.0)},
    "gru_imdb": {"numpy": ("numpy", "pytorch", 10.0)},
    "mlp_mnist": {},
    "mlp_mnist_batch": {"numpy": ("numpy", "pytorch", 10.0)},
    "resnet50_features": {"numpy": ("numpy", "pytorch", 10.0)},
}
ONE_BATCH = {"mlp_mnist_batch"}  # a step takes all samples, so they are as many as in the profile cpu
FILES = {"densenet_chestxray"}  # of these the rows that train on arrays in memory, on one device
# Steps in each alternation, where 10 are too few or too many.
STEPS = {"densenet_chestxray": 4, "mlp_mnist": 200, "mlp_mnist_batch": 1}
# Of a lesson about repeated calls all forms that keep or hand over matrices run in turn; a call is a step.
CALLS = """
def alternate(session, placed, run):  # a function, or its names would be the lesson's
    adapters, calls = session.adapters(), session.lesson.given["CALLS"]
    forms = [form for form in adapters.names(session.job["parts"]) if form != "NumPy"]
    handed = adapters.matrices(*[placed(one) for one in session.reference.drawn(session.lesson.given["SIZE"])])
    for _ in run:
        for form in forms:
            adapters.compute(form, handed, calls)
        run.done(range(calls * len(forms)))


import common.timing
import {module}

alternate({module}.Session({job!r}, globals()), {module}.placed, common.timing.Run(1, 1))
"""
FOREIGN = {"r", "julia"}  # step_foreign.py has their rows


class Finished(Exception):
    """All alternations are done; what follows is not of interest."""


class Alternating:
    """Stands in for the referee's timing.Run: hands out orders, and runs the bare script between them."""

    ends_epoch = False

    def __init__(self, samples, batch_size, bare, rounds, steps):
        self.order = np.arange(steps * batch_size) % max(1, samples)  # a sample may be smaller: it is taken again
        self.bare, self.rounds, self.steps, self.batch_size = bare, rounds, steps, batch_size
        self.ours, self.theirs = [], []  # seconds of a step

    def __iter__(self):
        for number in range(WARM + self.rounds):
            if number % 2:
                self.run_bare()
            self.begin = time.perf_counter()
            yield self.order
            if not number % 2:
                self.run_bare()
        raise Finished

    def done(self, losses):
        self.ours.append((time.perf_counter() - self.begin) / len(losses))

    def run_bare(self):
        batches = getattr(self.bare, "batches", 1)
        count = max(1, self.steps // batches)
        start = time.perf_counter()
        for _ in range(count):
            self.bare()
        self.theirs.append((time.perf_counter() - start) / count / batches)


class AlternatingPasses(Alternating):
    """Stands in for the timing.Timer of a lesson that infers: behind each pass of two batches the bare script runs."""

    def __init__(self, bare, rounds, steps, synchronize=None):
        super().__init__(0, 1, bare, rounds, steps)
        self.synchronize, self.seconds = synchronize or (lambda: None), {}

    @contextlib.contextmanager
    def phase(self, name):
        self.synchronize()
        begin = time.perf_counter()
        yield
        self.synchronize()
        self.seconds.setdefault(name, []).append(time.perf_counter() - begin)
        if name == "inference":
            self.ours.append(self.seconds[name][-1] / 2)
            self.run_bare()
            if len(self.ours) == WARM + self.rounds:
                raise Finished


def timed_cells(path, job):
    """[(source, tags)] up to what is timed: a lesson's definitions, its check, and the referee's timed run."""
    from tests.cells import OWN, code_cells

    found = [(source, tags) for source, tags in code_cells(path) if not OWN & set(tags)]
    check = path.parent / job["check"]
    job = dict(job, lesson=str(path), images=10**6)  # more than are needed: Finished ends it
    module = job.pop("session")
    started = "from {module} import Session\nSession({job!r}, globals()).measure()"
    run = (CALLS if "calls" in module else started).format(module=module, job=job)
    return found + [(check.read_text(encoding="utf-8"), ["check"]), (run, ["run"])]


def alternated(notebook, parameters, job, bare, rounds, steps):
    """Seconds of a step of what a round times and of the bare script: two arrays."""
    import __main__ as module
    import referee.calls.session  # its class of timing.Timer, before another takes that name
    import referee.timed  # noqa: F401  and of timing.Run
    from common import timing
    from tests.cells import execute

    space, runs = module.__dict__, []

    def alternating(samples, batch_size, *_):
        runs.append(Alternating(samples, batch_size, bare, rounds, steps))
        return runs[0]

    def alternating_passes(synchronize=None, *_):
        runs.append(AlternatingPasses(bare, rounds, steps, synchronize))
        return runs[0]

    timing.Run, timing.Timer, space["display"] = alternating, alternating_passes, lambda *_: None
    try:
        for source, tags in timed_cells(ROOT / "notebooks" / notebook, job):
            with contextlib.redirect_stdout(io.StringIO()):
                execute(source, space)
            if "parameters" in tags:
                space.update(parameters, IMAGES=64 * (WARM + rounds))  # as many as Finished needs
    except Finished:
        pass
    return np.array(runs[0].ours[WARM:]), np.array(runs[0].theirs[WARM:])


def measure(name, notebook, parameters, job, workload, function, allowed, rounds, steps):
    """Alternate the two; print the figures; True if the promise holds. Plain Python 3.6: runs anywhere."""
    bare = getattr(importlib.import_module("tests.bare." + workload), function)(parameters)
    ours, theirs = alternated(notebook, parameters, job, bare, rounds, steps)
    ratios = ours / theirs
    print(
        "{}: {:.1f} ms against {:.1f} ms, ratio {:.3f} ({:.3f} to {:.3f}), allowed {}{}".format(
            name,
            np.median(ours) * 1e3,
            np.median(theirs) * 1e3,
            np.median(ratios),
            ratios.min(),
            ratios.max(),
            allowed,
            "" if np.median(ratios) <= allowed else ": BROKEN",
        ),
        flush=True,
    )
    return np.median(ratios) <= allowed


def comparisons(workload):
    """{name: (row, function, largest ratio allowed)} of a workload's rows in all precisions of a CPU."""
    from tests import kernels

    others = OTHERS.get(workload, {})
    profile = "cpu" if workload in ONE_BATCH else "quick"
    rows = {row.id: row for row in kernels.rows(profile) if row.workload == workload and row.environment not in FOREIGN}
    if workload in FILES:
        given = {name: row.parameters for name, row in rows.items()}
        rows = {n: rows[n] for n in rows if given[n].get("SOURCE") == "memory" and "DEVICES" not in given[n]}
    found = {name: (name, row.framework, 1.05) for name, row in rows.items()} | others
    return {name: (rows[row], *more) for name, (row, *more) in found.items()}


def main():
    from tests import kernels, lessons

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("workload", nargs="?", choices=sorted(OTHERS))
    parser.add_argument("row", nargs="?")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--steps", type=int)
    options = parser.parse_args()
    broken = 0
    for workload in [options.workload] if options.workload else OTHERS:
        found = comparisons(workload)
        if options.row and options.row not in found:
            parser.error(f"{options.row} is no row of {workload}: {', '.join(found)}")
        for name in [options.row] if options.row else found:
            row, function, allowed = found[name]
            notebook = row.notebook.relative_to(ROOT / "notebooks").as_posix()
            arguments = [name, notebook, row.parameters, lessons.job(row), workload, function, allowed]
            python, environ = kernels.of(row.environment)
            environ = {**environ, **kernels.variables(row)}
            steps = options.steps or STEPS.get(workload, 10)
            command = [python, __file__, "--measure", json.dumps([*arguments, options.rounds, steps])]
            broken += subprocess.run(command, cwd=ROOT, env={**environ, "PYTHONPATH": str(ROOT)}).returncode != 0
    return 1 if broken else 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        sys.exit(0 if measure(*json.loads(sys.argv[2])) else 1)
    sys.exit(main())
