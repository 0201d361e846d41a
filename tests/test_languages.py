"""Lessons in R and Julia: what the referee asks of their kernels, and what it is answered."""

import json
import os
import shutil
import subprocess
import sys

import pytest

from catalog import inputs, selection
from catalog.declarations import Declarations
from runner import environments, job
from runner.languages import julia
from runner.languages import kernels as commands
from tests import kernels

ROOT = kernels.ROOT
BEGIN = {
    "R": """X <- 3L
check <- list(
  same = function(x) x,
  named = function(w) w,
  tensors = function(x, y) reticulate::tuple(x, y),
  total = function(x, y) sum(reticulate::py_to_r(x)) + sum(reticulate::py_to_r(y)),
  fails = function() stop("it fails")
)
source(Sys.getenv("ROSETTA_BRIDGE"))
referee <- begin_referee(r"---(JOB)---")
""",
    "julia": """X = 3
check = (
    same = x -> x, named = w -> w, tensors = (x, y) -> (x, y), total = (x, y) -> sum(x) + sum(y),
    fails = () -> error("it fails"),
)
include(ENV["ROSETTA_BRIDGE"])
using .RefereeBridge
referee = begin_referee(raw\"\"\"JOB\"\"\");
""",
}
ASK = {"R": "referee${}()", "julia": 'ask(referee, "{}")'}
ENVIRONMENT = {"R": "r", "julia": "julia"}
COMMAND = {"R": ["Rscript", "--vanilla", "-e"], "julia": ["--startup-file=no", "-e"]}


def kernel(language):
    """(interpreter, variables) of the environment of a language; skips where this machine cannot have it."""
    try:
        return kernels.of(ENVIRONMENT[language])
    except environments.Broken:
        raise
    except environments.Unavailable as reason:
        pytest.skip(str(reason))


def said(language, *asked):
    """What plain R or Julia prints when the referee is asked for these, and whether it ended well."""
    _, environ = kernel(language)
    program = {"R": [], "julia": [environ.get("ROSETTA_JULIA")]}[language]
    job = json.dumps({"session": "tests.fixtures.echo_session", "language": language})
    source = BEGIN[language].replace("JOB", job) + "\n".join(ASK[language].format(one) for one in asked)
    environ = {**environ, "PYTHONPATH": str(ROOT), "PATH": os.environ["PATH"]}
    done = subprocess.run([*program, *COMMAND[language], source], capture_output=True, text=True, env=environ)
    return done.stdout, done.stderr, done.returncode


@pytest.mark.parametrize("language", BEGIN)
@pytest.mark.kernels
def test_a_kernel_answers_every_question(language):
    out, errors, status = said(language, "prove", "record")
    assert status == 0, errors
    assert "all said: äöü 漢\ttab" in out and "fails: " in out and "it fails" in out
    assert language in out.lower() or language in out, "its version"
    assert "8" not in out.splitlines(), "what a cell prints again is not shown"


@pytest.mark.parametrize("language", BEGIN)
@pytest.mark.kernels
def test_what_the_referee_finds_is_the_cells_error(language):
    _, errors, status = said(language, "measure")
    assert status != 0 and "ValueError: no such thing" in errors
    _, errors, status = said(language, "judge")
    assert status != 0 and "in the cell" in errors


# ------------------------------------------------------------------------------------------------- what is out of date
CHANGES = {
    "julia": [
        "common/julia/mnist.jl",
        "common/data/mnist.py",
        "referee/languages/bridge.jl",
        "referee/languages/julia.py",
        "referee/session.py",
    ],
    "R": ["common/data/cifar10.py", "referee/languages/bridge.R", "referee/languages/r.py", "referee/session.py"],
}
FILES = [(language, file) for language, files in CHANGES.items() for file in files]
ROWS = {"julia": ("mlp_mnist", "julia-inplace"), "R": ("cnn_cifar10", "keras_r")}
CODE = {".jl": "\nnever() = 1\n", ".R": "\nnever <- function() 1\n", ".py": "\nNEVER = 1\n"}


@pytest.mark.parametrize(("language", "file"), FILES)
def test_a_change_of_a_module_puts_a_row_out_of_date_and_a_comment_does_not(tmp_path, language, file):
    for name in ("common", "referee", "environments", "frameworks.toml", f"notebooks/{ROWS[language][0]}"):
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        copy(ROOT / name, tmp_path / name)

    def taken():
        declared = Declarations(tmp_path)
        (row,) = [r for r in declared.rows("quick", "cpu") if r.id == ROWS[language][1]]
        return inputs.Inputs(declared).of(row, "round")

    before, path = taken(), tmp_path / file
    text = path.read_text()
    path.write_text(text + "\n# a comment\n")
    assert inputs.stale("round", before, taken()) == []
    path.write_text(text + CODE[path.suffix])
    (changed,) = inputs.stale("round", before, taken())
    assert changed in (file, file.removesuffix(".py").replace("/", "."))


# ------------------------------------------------------------------------------------------------------- what is lacking
def program(folder, name, text):
    """A program of that name in a folder, which alone is on PATH."""
    path = folder / name
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return str(folder)


@pytest.mark.parametrize(
    ("name", "text", "language", "said"),
    [
        ("none", "", "R", r"there is no R: apt-get install r-base-core r-cran-irkernel r-cran-reticulate"),
        (
            "R",
            'echo "Error: R has no package reticulate" >&2; echo "Execution halted" >&2; exit 1',
            "R",
            r"R has no package reticulate: apt-get install .*r-cran-reticulate",
        ),
        ("julia", "echo julia version 1.0.5", "julia", r"is Julia 1\.0, too old: Julia 1\.5 or later .*install"),
        ("julia", "exit 1", "julia", r"is Julia of no version, too old"),
    ],
)
def test_what_a_language_lacks_is_told_with_the_command_that_helps(tmp_path, monkeypatch, name, text, language, said):
    monkeypatch.setenv("PATH", program(tmp_path, name, text))
    monkeypatch.setenv("HOME", str(tmp_path))
    with pytest.raises(commands.Lacking, match=said):
        commands.settle(language, tmp_path, sys.executable)


def test_another_system_without_julia_is_told_where_to_get_it(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", program(tmp_path, "none", ""))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(julia, "_text", lambda path: 'ID=ubuntu\nVERSION_ID="24.04"\n')
    with pytest.raises(commands.Lacking, match="there is no julia on PATH; install it .*julialang.org"):
        commands.settle("julia", tmp_path, sys.executable)
    monkeypatch.setattr(julia, "_text", lambda path: 'ID=debian\nVERSION_ID="12"\n')
    with pytest.raises(commands.Lacking, match="no apt-get"):
        commands.settle("julia", tmp_path, sys.executable)


@pytest.mark.kernels
def test_a_numpy_that_reticulate_cannot_read_is_told(tmp_path):
    """The main environment has NumPy 2, which reticulate of Debian 12 refuses."""
    kernel("R")
    version = subprocess.run(
        ["Rscript", "-e", 'cat(as.character(packageVersion("reticulate")))'], capture_output=True, text=True
    ).stdout
    if tuple(map(int, version.split("."))) >= (1, 41):
        pytest.skip(f"reticulate {version} reads NumPy 2")
    with pytest.raises(commands.Lacking, match="reticulate reads no array of this NumPy"):
        commands.settle("R", tmp_path, sys.executable)


# --------------------------------------------------------------------------------------------------- what kernels say
STOP = {"R": 'f <- function() stop("no such file")\nf()', "julia": 'f() = error("no such file")\nf()'}


def executed(folder, source, argv, environ, language):
    """Why a notebook with one cell below "## The loop" fails in a kernel."""
    meta = {"kernelspec": {"name": "x", "display_name": "x", "language": language}, "language_info": {"name": language}}
    cells = [
        {"cell_type": "markdown", "id": "a", "metadata": {}, "source": "## The loop"},
        {"cell_type": "code", "id": "b", "metadata": {}, "source": source, "execution_count": None, "outputs": []},
    ]
    path = folder / "one.ipynb"
    path.write_text(json.dumps({"cells": cells, "metadata": meta, "nbformat": 4, "nbformat_minor": 5}))
    jupyter = environments.write_kernel(folder / "jupyter", "rosetta", argv, language)
    environ = {**environ, "PYTHONPATH": str(ROOT), "JUPYTER_PATH": str(jupyter)}
    return job.execute(path, folder / "out.ipynb", folder, {}, environ, 240)


@pytest.mark.parametrize("language", STOP)
@pytest.mark.kernels
def test_an_error_in_a_cell_is_the_records_reason(tmp_path, language):
    python, environ = kernel(language)
    entry = kernels.declarations().environments[ENVIRONMENT[language]]
    prefix = environments.prefix_of(ROOT, ENVIRONMENT[language], entry, "cpu")
    reason = executed(tmp_path, STOP[language], commands.argv(language, prefix, python), environ, language)
    assert "no such file" in reason and '(in "## The loop")' in reason


@pytest.mark.kernels
def test_a_kernel_that_does_not_start_in_time_is_told_with_the_time(tmp_path, monkeypatch):
    monkeypatch.setattr(job, "START", 3)
    reason = executed(tmp_path, "1", ["sleep", "600"], dict(os.environ), "R")
    assert reason == "the kernel did not start within 3 s"


def test_the_first_command_needs_one_environment():
    """R, Julia and what lies in other environments are asked for: with their workload, their row, or all of today's."""
    declared, rows = kernels.declarations(), kernels.rows()
    asked = dict.fromkeys(("workload", "framework", "precision", "row"), ())
    for wanted, more, there in (
        (asked, {}, False),
        ({**asked, "workload": ["mlp_mnist"]}, {}, True),
        ({**asked, "row": ["julia-inplace"]}, {}, True),
        (asked, {"today": True}, True),
    ):
        chosen = selection.chosen(declared, rows, wanted, **more)
        assert any(row.id == "julia-inplace" for row in chosen) == there
    first = selection.chosen(declared, rows, asked)
    assert {row.environment for row in first} == {"main"} and {row.framework for row in first} == {*declared.first}
    assert {row.workload for row in first} == {*declared.workloads}, "every workload has one"
    assert [row.id for row in first if row.workload == "densenet_chestxray"] == ["pytorch"], "of its own list"
