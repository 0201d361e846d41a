"""Storing a reference's results: for a workload's ``reference/make.py`` alone."""

import numpy as np

from .outputs import project
from .reference import fingerprint
from .training import fingerprint_error

SMALLEST_BOUND = 2e-6  # relative; below this a bound would measure the order of summation
FACTOR = 10  # a bound is this many times what perturbed runs stray


def bound(exact, runs, smallest=SMALLEST_BOUND, largest=np.inf):
    """Ten times the largest relative error of ``runs`` against ``exact``, within the two limits.

    ``exact`` (n,), ``runs`` a list of (n,): the bounds grow with the step, as errors do.
    """
    errors = np.max([np.abs(np.asarray(run) - exact) / np.abs(exact) for run in runs], axis=0)
    return np.clip(FACTOR * np.maximum.accumulate(errors), smallest, largest)


def change(before, after, runs, smallest=SMALLEST_BOUND):
    """Fingerprints of the change of each tensor, with bounds from ``runs``, a list of dicts like ``after``.

    ``before``: the shared weights; each run's change is measured from them, too.
    """
    found = {}
    for name, start in before.items():

        def moved(tensors, name=name, start=start):
            return fingerprint(np.asarray(tensors[name], np.float64) - start, name)

        found["change." + name] = exact = moved(after)
        errors = [fingerprint_error(moved(run), exact) for run in runs]
        found["change_bound." + name] = max(FACTOR * max(errors), smallest)
    return found


def evaluation(logits, labels, loss, loss_runs, smallest=SMALLEST_BOUND):
    """Classes, margins and number of right ones of ``logits`` (N, classes), and the loss with its bound."""
    ordered = np.sort(logits, axis=1)
    classes = logits.argmax(axis=1)
    runs = [np.array([run]) for run in loss_runs]
    return {
        "classes": classes,
        "margins": ordered[:, -1] - ordered[:, -2],
        "right": int(np.sum(classes == labels)),
        "loss": loss,
        "loss_bound": bound(np.array([loss]), runs, smallest)[0],
    }


def dropout(losses):
    """Mean, deviation, and standard error of the mean of the losses under many masks."""
    losses = np.asarray(losses, np.float64)
    return {
        "dropout_mean": losses.mean(),
        "dropout_deviation": losses.std(ddof=1),
        "dropout_error": losses.std(ddof=1) / np.sqrt(len(losses)),
    }


def outputs(name, values, largest_error):
    """Norms and projections of ``values`` (N, ...), float64, with the bound ``largest_error``."""
    return {
        name + ".shape": np.array(values.shape),
        name + ".projected": project(values),
        name + ".norms": np.linalg.norm(values.reshape(len(values), -1), axis=1),
        name + ".bound": largest_error,
    }


def gradients(named, factors=None, rows=()):
    """Gradients to store: whole, as two factors {name: (left, right)}, or the rows that are not zero."""
    found, factors = {}, factors or {}
    for name, gradient in named.items():
        if name in factors:
            found["gradient." + name + ".left"], found["gradient." + name + ".right"] = factors[name]
        elif name in rows:
            touched = np.flatnonzero(np.any(gradient != 0, axis=1))
            found["gradient." + name + ".rows"] = touched
            found["gradient." + name + ".values"] = gradient[touched]
        else:
            found["gradient." + name] = gradient
    return found


def write(reference, **results):
    """Store ``results`` as the reference's, and load them again."""
    if "samples" in reference.results:
        results["samples"] = reference.results["samples"]
    np.savez_compressed(str(reference.path), **results)
    with np.load(str(reference.path), allow_pickle=False) as npz:
        reference.results = {key: npz[key] for key in npz.files}
