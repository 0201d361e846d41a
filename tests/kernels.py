"""The interpreters in which the tests execute notebooks: those of the runner's environments."""

import os
import sys
import tempfile
from functools import cache
from pathlib import Path

from catalog.declarations import Declarations
from referee.parameters import physical_cores
from runner import environments

ROOT = Path(__file__).resolve().parent.parent
SCRATCH = tempfile.TemporaryDirectory(prefix="rosetta-tests-")  # compilers' caches, gone with the tests


@cache
def declarations():
    """The checkout's declarations."""
    return Declarations(ROOT)


@cache
def rows(profile="quick", device="cpu"):
    """Every row of a profile on a device, workload by workload."""
    return declarations().rows(profile, device)


def row(workload, name):
    """The CPU row of that id, as the profile quick runs it."""
    return next(row for row in rows() if row.workload == workload and row.id == name)


def variables(row):
    """The variables of a row's process, its caches with those of the tests."""
    return {name: value.replace("{scratch}", SCRATCH.name) for name, value in row.variables.items()}


@cache
def environment_of(path):
    """The name of a notebook's environment; on GPUs, where it has rows there alone."""
    found = [row for device in ("cpu", "gpu") for row in rows(device=device) if row.notebook == path]
    return found[0].environment


def of(environment):
    """(interpreter, its process environment without the project on the path) of an environment, made if need be.

    A thread for each physical core, as the runner has it, shared with the tests that run beside this one. The tests
    themselves run in the environment main.
    Raises environments.Unavailable where this machine cannot have it.
    """
    entry = declarations().environments[environment]
    prefix = Path(sys.prefix) if environment == "main" else environments.make(ROOT, environment, entry, "cpu")
    threads = max(1, physical_cores() // int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", 1)))
    environ = environments.kernel_environ(entry, prefix, threads, Path(SCRATCH.name))
    python = sys.executable if environment == "main" else environments.interpreter(prefix)
    return python, environ
