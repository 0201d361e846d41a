"""Computes the reference of the affine map in float64, with the bounds of float32: PYTHONPATH=. python make.py

Each set of the proof's matrices is computed once in float64, and eight times in float32 from matrices perturbed by one
part in ten million. The bound is ten times the largest error of a row.
"""

import numpy as np

from referee import weights
from referee.calls.reference import CallReference
from referee.proof import writing


def error(y, exact):
    """The largest error of a row, 2-norm, relative."""
    return np.max(np.linalg.norm(y - exact, axis=1) / np.linalg.norm(exact, axis=1))


def main():
    reference, found = CallReference("affine_transfer"), {}
    for number, (m, x, b) in enumerate(reference.sets()):
        exact = m.astype(np.float64) @ x.astype(np.float64) + b.astype(np.float64)
        runs = [weights.perturbed({"m": m, "x": x, "b": b}, 1e-7, [2015, seed]) for seed in range(8)]
        bound = writing.FACTOR * max(error(run["m"] @ run["x"] + run["b"], exact) for run in runs)
        found.update(writing.outputs(f"y{number}", exact, bound))
        print(f"matrices {number}: bound {bound:.2e}")
    writing.write(reference, **found)


if __name__ == "__main__":
    main()
