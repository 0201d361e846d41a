"""Kernels in R and Julia: what they need, how they are found, and how they are started.

Standard library only, as `runner.environments`.
"""

import os
import shutil
import subprocess
from pathlib import Path

from runner.languages import julia


class Lacking(Exception):
    """What a language needs is not there; the message says what, and the command that helps."""


BRIDGES = Path(__file__).resolve().parent.parent.parent / "referee" / "languages"
R_KERNEL = ["R", "--vanilla", "--slave", "-e", "IRkernel::main()", "--args", "{connection_file}"]
R_NEEDS = "apt-get install r-base-core r-cran-irkernel r-cran-reticulate; then run again"
# Both say what is lacking in their last line. reticulate before 1.41 reads no array of NumPy 2.
R_PACKAGES = """
for (one in c("IRkernel", "reticulate")) if (!requireNamespace(one, quietly = TRUE)) stop("R has no package ", one)
"""
R_NUMPY = """
numbers <- tryCatch(reticulate::py_to_r(reticulate::import("numpy", convert = FALSE)$arange(3L)), error = identity)
if (!is.numeric(numbers) || sum(numbers) != 3)
  stop("reticulate reads no array of this NumPy")
"""
JULIA_KERNEL = 'using IJulia; print(joinpath(dirname(pathof(IJulia)), "kernel.jl"))'


def require(language: str):
    """Sees to it that the system has what an environment in `language` builds on. Raises Lacking."""
    if language == "R":
        if not shutil.which("R"):
            raise Lacking(f"there is no R: {R_NEEDS}")
        if said := _last(["R", "--vanilla", "--slave", "-e", R_PACKAGES], {}):
            raise Lacking(f"{said}: {R_NEEDS}")


def settle(language: str, prefix: Path, python: str):
    """Sees to it that kernels in `language` start in the finished environment `prefix`. Raises Lacking."""
    require(language)
    if language == "R":
        if said := _last(["R", "--vanilla", "--slave", "-e", R_NUMPY], environ(language, prefix, python)):
            raise Lacking(f"{said}: {R_NEEDS}")
    elif language == "julia":
        try:
            julia.settle(prefix)
        except julia.NoJulia as error:
            raise Lacking(str(error)) from None


def argv(language: str, prefix: Path, python: str) -> list:
    """The command of a kernel, as a kernel spec has it."""
    if language == "R":
        return R_KERNEL
    if language == "julia":
        if not os.path.exists(julia.program(prefix)):
            raise FileNotFoundError(
                f"{julia.program(prefix)} leads to no Julia any more: delete {prefix}, then run again"
            )
        own = subprocess.run(
            [julia.program(prefix), "--startup-file=no", "-e", JULIA_KERNEL],
            capture_output=True,
            text=True,
            check=False,
        )
        if own.returncode == 0:
            return [julia.program(prefix), "--startup-file=no", own.stdout.strip(), "{connection_file}"]
        return [python, "-m", "runner.languages.julia_kernel", "-f", "{connection_file}"]
    # What C libraries write to the process's own streams, such as oneDNN's greeting, is no output of a cell.
    program = str(Path(__file__).with_name("kernel.py"))
    return [python, program, "-f", "{connection_file}", "--IPKernelApp.capture_fd_output=False"]


def environ(language: str, prefix: Path, python: str) -> dict:
    """The variables through which a kernel finds the environment's Python, Julia, and the referee's file for it."""
    if language == "R":
        return {"RETICULATE_PYTHON": python, "ROSETTA_BRIDGE": str(BRIDGES / "bridge.R")}
    if language == "julia":
        own = {"ROSETTA_PYTHON": python, "ROSETTA_JULIA": julia.program(prefix)}
        return {**own, "ROSETTA_BRIDGE": str(BRIDGES / "bridge.jl")}
    return {}


def _last(command, more):
    """The last line that a failing command says; "" where it ends well."""
    done = subprocess.run(command, check=False, capture_output=True, text=True, env={**os.environ, **more})
    said = (done.stderr or done.stdout).strip().splitlines() or [f"ended with {done.returncode}"]
    return [line for line in said if "halted" not in line][-1] if done.returncode else ""
