"""Checks of a notebook's parameters, before anything is computed."""

import os
import subprocess


class ParameterError(ValueError):
    """A parameter is out of its range; the message names it."""


def positive(value):
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


RULES = {
    "DATA": (lambda v: v in ("full", "sample"), "'full' or 'sample'"),
    "TRAIN_SAMPLES": (positive, "a whole number from 1"),
    "TEST_SAMPLES": (positive, "a whole number from 1"),
    "BATCH_SIZE": (positive, "a whole number from 1"),
    "EPOCHS": (positive, "a whole number from 1"),
    "LEARNING_RATE": (lambda v: isinstance(v, (int, float)) and 0 < v < float("inf"), "a number above 0"),
    "MOMENTUM": (lambda v: isinstance(v, (int, float)) and 0 <= v < 1, "a number from 0 to below 1"),
    "SEED": (lambda v: isinstance(v, int) and v >= 0, "a whole number from 0"),
    "DEVICE": (lambda v: v in ("cpu", "gpu"), "'cpu' or 'gpu'"),
    "THREADS": (lambda v: v == 0 or positive(v), "a whole number from 0; 0 takes every physical core"),
    "PRECISION": (lambda v: v in ("fp32", "tf32", "bf16"), "'fp32', 'tf32' or 'bf16'"),
    "COMPILE": (lambda v: isinstance(v, bool), "True or False"),
    "BACKEND": (lambda v: isinstance(v, str) and v, "the name of a backend"),
    "JIT_COMPILE": (lambda v: isinstance(v, bool) or v == "auto", "True, False or 'auto'"),
    "RECORD_PATH": (lambda v: isinstance(v, str), "a path, or '' for none"),
}


def settings(namespace):
    """The parameters among ``globals()``: every plain value whose name is in capitals, checked; a dict.

    Raises ParameterError for a value out of range, naming the parameter, its value and what it may be.
    """
    plain = (str, int, float, bool)  # not a module that is called F
    found = {name: value for name, value in namespace.items()
             if name.isupper() and not name.startswith("_") and isinstance(value, plain)}
    for name, value in sorted(found.items()):
        if name in RULES and not RULES[name][0](value):
            raise ParameterError("{} is {!r}; it must be {}".format(name, value, RULES[name][1]))
    if found.get("PRECISION") == "tf32" and found.get("DEVICE") == "cpu":
        raise ParameterError("PRECISION is 'tf32', which only GPUs have; on DEVICE 'cpu' take 'fp32' or 'bf16'")
    return found


def physical_cores():
    """The number of physical cores this process may use: two hardware threads of one core add little to a product."""
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    try:
        listing = subprocess.check_output(["lscpu", "-p=CORE,SOCKET"], stderr=subprocess.DEVNULL).decode()
    except (OSError, subprocess.CalledProcessError):
        return allowed
    return min(allowed, len({line for line in listing.splitlines() if line and not line.startswith("#")}) or allowed)
