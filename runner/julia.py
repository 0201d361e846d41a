"""Where Julia is on this machine, and how its kernel is started. Standard library only."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

OLDEST = (1, 5)  # include_string with a function that maps expressions, exit_on_sigint
VARIABLE = "ROSETTA_JULIA"  # names an interpreter


def find():
    """The path of a `julia`: the one that ROSETTA_JULIA names, else on PATH, else juliaup's; None without one."""
    juliaup = Path.home() / ".juliaup" / "bin" / "julia"
    return shutil.which(os.environ.get(VARIABLE) or "julia") or shutil.which(str(juliaup))


def version(julia):
    """(major, minor, patch) of an interpreter; None where it does not say so."""
    try:
        done = subprocess.run([julia, "--version"], capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return None
    found = re.search(r"(\d+)\.(\d+)\.(\d+)", done.stdout)
    return tuple(map(int, found.groups())) if found and done.returncode == 0 else None


def lacking():
    """Why this machine cannot run Julia's lessons, one sentence with the remedy; "" where it can."""
    remedy = f"install Julia (https://julialang.org/install), or set {VARIABLE} to its path; then run again"
    julia = find()
    if julia is None:
        named = os.environ.get(VARIABLE)
        return f"{VARIABLE} names {named}, which is no program: {remedy}" if named else f"there is no julia: {remedy}"
    found = version(julia)
    if found is None:
        return f"{julia} does not run: {remedy}"
    if found[:2] < OLDEST:
        needed = ".".join(map(str, OLDEST))
        return f"{julia} is Julia {'.'.join(map(str, found))}, older than {needed}: {remedy}"
    return ""


def kernelspec():
    """kernel.json's content of the kernel in `runner.julia_kernel`; its process needs the project on PYTHONPATH."""
    argv = [sys.executable, "-m", "runner.julia_kernel", "-f", "{connection_file}"]
    return {"argv": argv, "display_name": "Julia", "language": "julia", "interrupt_mode": "signal"}
