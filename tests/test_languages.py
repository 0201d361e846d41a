"""Lessons in R and Julia: what the referee asks of their kernels, and what it is answered."""

import json
import os
import shutil
import subprocess

import pytest

from catalog import inputs
from catalog.declarations import Declarations
from runner import environments
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


def said(language, *asked):
    """What plain R or Julia prints when the referee is asked for these, and whether it ended well."""
    name = ENVIRONMENT[language]
    try:
        _, environ = kernels.of(name)
    except environments.Broken:
        raise
    except environments.Unavailable as reason:
        pytest.skip(str(reason))
    program = {"R": [], "julia": [environ.get("ROSETTA_JULIA")]}[language]
    job = json.dumps({"session": "tests.fixtures.echo_session", "language": language})
    source = BEGIN[language].replace("JOB", job) + "\n".join(ASK[language].format(one) for one in asked)
    environ = {**environ, "PYTHONPATH": str(ROOT), "PATH": os.environ["PATH"]}
    done = subprocess.run([*program, *COMMAND[language], source], capture_output=True, text=True, env=environ)
    return done.stdout, done.stderr, done.returncode


@pytest.mark.parametrize("language", BEGIN)
def test_a_kernel_answers_every_question(language):
    out, errors, status = said(language, "prove", "record")
    assert status == 0, errors
    assert "all said: äöü 漢\ttab" in out and "fails: " in out and "it fails" in out
    assert language in out.lower() or language in out, "its version"
    assert "8" not in out.splitlines(), "what a cell prints again is not shown"


@pytest.mark.parametrize("language", BEGIN)
def test_what_the_referee_finds_is_the_cells_error(language):
    _, errors, status = said(language, "measure")
    assert status != 0 and "ValueError: no such thing" in errors
    _, errors, status = said(language, "judge")
    assert status != 0 and "in the cell" in errors


# ------------------------------------------------------------------------------------------------- what is out of date
CHANGES = {
    "julia": [
        "common/julia/mnist.jl",
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
