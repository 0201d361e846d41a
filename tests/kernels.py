"""The interpreters in which the notebooks' tests run: those of the runner's environments."""

import os
from pathlib import Path

from common.parameters import physical_cores
from runner import environments
from runner.execute import THREAD_VARIABLES
from runner.matrix import Matrix

ROOT = Path(__file__).resolve().parent.parent
MATRIX = Matrix(ROOT)


def of(environment):
    """(interpreter, its process environment without the project on the path) of an environment, made if need be.

    A thread for each physical core, as the runner has it.
    Raises environments.Unavailable where this machine cannot have it.
    """
    entry = MATRIX.environments[environment]
    prefix = environments.make(ROOT, environment, entry, "cpu")
    environ = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    threads = dict.fromkeys(THREAD_VARIABLES, str(physical_cores()))
    return environments.interpreter(prefix), {**environ, **threads, **environments.variables(entry, prefix)}


def row(name):
    """The fp32 CPU row of that name, as the profile `cpu` runs it."""
    return next(row for row in MATRIX.rows("cpu", "cpu") if row.id == name)
