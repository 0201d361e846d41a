"""Checks of a lesson's settings against its workload's declaration, before anything is computed."""

import os
import subprocess
from pathlib import Path

NOTEBOOKS = Path(__file__).resolve().parent.parent / "notebooks"


class ParameterError(ValueError):
    """A parameter is out of its range; the message names it."""


def settings(workload, namespace):
    """The settings in a namespace: every plain value whose name is in capitals; a dict.

    Each is checked against the ranges in the workload's workload.toml; names that are not declared
    there are left out. Raises ParameterError for a value out of range, and for PRECISION "tf32" on DEVICE "cpu".
    """
    declared = declaration(NOTEBOOKS / workload / "workload.toml")["parameters"]
    plain = (str, int, float, bool, list, tuple)  # not a module that is called F
    found = {
        name: value
        for name, value in namespace.items()
        if name.isupper() and not name.startswith("_") and isinstance(value, plain)
    }
    for name, value in sorted(found.items()):
        if name in declared:
            check(name, value, declared[name])
    if found.get("PRECISION") == "tf32" and found.get("DEVICE") == "cpu":
        raise ParameterError("PRECISION is 'tf32', which only GPUs have; on DEVICE 'cpu' take 'fp32'")
    return {name: value for name, value in found.items() if name in declared}


def declaration(path):
    """The content of a TOML file as a dict."""
    try:
        import tomllib
    except ImportError:  # before Python 3.11
        import tomli as tomllib
    with open(str(path), encoding="utf-8") as stream:
        return tomllib.loads(stream.read())


def check(name, value, rule):
    """Raise ParameterError unless ``value`` keeps ``rule``.

    A rule has "choices", a list; or "type" ("int", "float", "str" or "bool") with, for numbers, "min"
    (allowed), "above" and "below" (not allowed), and "count" where it is a list of so many of them.
    """
    if "count" in rule:
        if not isinstance(value, (list, tuple)) or len(value) != rule["count"]:
            raise ParameterError("{} is {!r}; it must be a list of {} numbers".format(name, value, rule["count"]))
        one = {key: limit for key, limit in rule.items() if key != "count"}
        for number, part in enumerate(value):
            check("{}[{}]".format(name, number), part, one)
        return
    if "choices" in rule:
        good, wanted = value in rule["choices"], "one of {}".format(rule["choices"])
        # 1 == True: a choice of a number is no choice of a flag
        good = good and type(value) in {type(choice) for choice in rule["choices"]}
    else:
        types = {"int": (int,), "float": (int, float), "str": (str,), "bool": (bool,)}[rule["type"]]
        flag = isinstance(value, bool) and rule["type"] != "bool"
        good = isinstance(value, types) and not flag
        if good and rule["type"] in ("int", "float"):
            good = rule.get("min", value) <= value < rule.get("below", float("inf"))
            good = good and ("above" not in rule or value > rule["above"])
        limits = [("min", "at least"), ("above", "above"), ("below", "below")]
        words = ["{} {}".format(word, rule[key]) for key, word in limits if key in rule]
        wanted = " ".join(
            [
                {"int": "a whole number", "float": "a number", "str": "a text", "bool": "True or False"}[rule["type"]],
                " and ".join(words),
            ]
        ).strip()
    if not good:
        raise ParameterError("{} is {!r}; it must be {}".format(name, value, wanted))


def physical_cores():
    """How many threads a computation should have: a core's second hardware thread adds little.

    The smaller of two counts: the CPUs that this process may run on, where each hardware thread is one, and the
    physical cores that lscpu lists for the whole machine. Without lscpu it is the first.
    """
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    try:
        listing = subprocess.check_output(["lscpu", "-p=CORE,SOCKET"], stderr=subprocess.DEVNULL).decode()
    except (OSError, subprocess.CalledProcessError):
        return allowed
    cores = {line for line in listing.splitlines() if line and not line.startswith("#")}
    return min(allowed, len(cores) or allowed)
