"""The interpreters in which the tests execute notebooks: those of the runner's environments."""

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


def rows(profile="quick"):
    """Every CPU row of a profile, workload by workload."""
    return declarations().rows(profile, "cpu")


def row(workload, name):
    """The CPU row of that id, as the profile quick runs it."""
    return next(row for row in rows() if row.workload == workload and row.id == name)


def variables(row):
    """The variables of a row's process, its caches with those of the tests."""
    return {name: value.replace("{scratch}", SCRATCH.name) for name, value in row.variables.items()}


def row_of(path, profile="quick", device="cpu"):
    """The row whose notebook this is: the default one; None where the profile has none on the device."""
    rows = [row for row in declarations().rows(profile, device) if row.notebook == path]
    return next((row for row in rows if row.default), rows[0] if rows else None)


@cache
def environment_of(path):
    """The name of a notebook's environment; on GPUs, where it has rows there alone."""
    return (row_of(path) or row_of(path, device="gpu")).environment


def of(environment):
    """(interpreter, its process environment without the project on the path) of an environment, made if need be.

    A thread for each physical core, as the runner has it. The tests themselves run in the environment main.
    Raises environments.Unavailable where this machine cannot have it.
    """
    entry = declarations().environments[environment]
    prefix = Path(sys.prefix) if environment == "main" else environments.make(ROOT, environment, entry, "cpu")
    environ = environments.kernel_environ(entry, prefix, physical_cores(), Path(SCRATCH.name))
    python = sys.executable if environment == "main" else environments.interpreter(prefix)
    return python, environ
