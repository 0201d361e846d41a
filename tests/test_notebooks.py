"""The notebooks: their contract, their template cells, and whether their proof can fail."""

import importlib
import json
import os
import re
import statistics
import subprocess
import sys
from pathlib import Path

import nbformat
import numpy as np
import pytest

from common.reference import ProofError, Reference
from runner import environments
from tests import kernels

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = sorted(ROOT.glob("notebooks/*/*.ipynb"))
HEADINGS = [
    "## Parameters", "## Setup", "## Data", "## Model", "## Loss and optimiser", "## Training step",
    "## The same computation", "## Train", "## Evaluate", "## Record",
]
every = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: f"{p.parent.name}-{p.stem}")


def read(path):
    notebook = nbformat.read(path, 4)
    nbformat.validate(notebook)
    return notebook


def code(path):
    return [cell for cell in read(path).cells if cell.cell_type == "code"]


def tagged(path, *tags):
    return [cell.source for cell in code(path) if set(tags) & set(cell.metadata.get("tags", []))]


@every
def test_headings_in_their_order(path):
    lines = "\n".join(cell.source for cell in read(path).cells if cell.cell_type == "markdown").splitlines()
    assert lines[0].startswith(f"# {path.parent.name}: ")
    assert [line for line in lines if line.startswith("## ")] == HEADINGS
    assert any(line.startswith("**What differs here.**") for line in lines)
    siblings = {p.name for p in NOTEBOOKS if p.parent == path.parent and p != path}
    assert siblings <= set(re.findall(r"\]\((\w+\.ipynb)\)", "\n".join(lines)))


@every
def test_cells_are_few_and_short(path):
    lengths = [len([line for line in cell.source.splitlines() if line.strip()]) for cell in code(path)]
    assert 10 <= len(lengths) <= (20 if path.stem == "numpy" else 16), len(lengths)
    assert statistics.median(lengths) <= 8, sorted(lengths)
    assert max(len(cell.source.splitlines()) for cell in code(path)) <= 30
    assert not [cell for cell in code(path) if re.search(r"^\s*[%!]", cell.source, re.M)], "no magics"


@every
def test_bootstrap_is_the_same_everywhere(path):
    (bootstrap,) = tagged(path, "bootstrap")
    assert bootstrap == tagged(NOTEBOOKS[0], "bootstrap")[0]
    assert len(bootstrap.splitlines()) <= 6


@every
def test_parameters_are_plain_and_explained(path):
    (cell,) = tagged(path, "parameters")
    assert "import" not in cell
    values = {}
    exec(cell, values)
    names = {name for name in values if name.isupper()}
    assert {"DATA", "TRAIN_SAMPLES", "TEST_SAMPLES", "BATCH_SIZE", "EPOCHS", "LEARNING_RATE", "MOMENTUM", "SEED",
            "DEVICE", "THREADS", "PRECISION", "RECORD_PATH"} <= names


@every
def test_stored_outputs_are_clean(path):
    for cell in code(path):
        for output in cell.outputs:
            text = json.dumps(output)
            assert output.output_type != "error", text
            assert not re.search(r"warning:|Traceback", text, re.I), text[:300]
            assert not re.search(r'(?<![\w./<~-])/(home|root|tmp|work|usr|opt)/\w', text), text[:300]


def run(arguments, folder, kernel=(sys.executable, os.environ), **environ):
    """A Python process that does not see the project unless PYTHONPATH says so."""
    python, variables = kernel
    environ = {**{k: v for k, v in variables.items() if k != "PYTHONPATH"}, **environ}
    done = subprocess.run([python, *arguments], cwd=folder, env=environ, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def in_its_kernel(request, path):
    """The interpreter of a notebook's environment; the frameworks of 2018 with --all-frameworks alone, for the time's sake."""
    environment = next(row.environment for row in kernels.MATRIX.rows("cpu", "cpu") if row.notebook == path and row.default)
    if environment != "main" and not request.config.getoption("--all-frameworks"):
        pytest.skip("--all-frameworks runs it; else the row's record stands for it")
    try:
        return kernels.of(environment)
    except environments.Unavailable as reason:
        pytest.skip(str(reason))


@every
def test_template_cells_work_when_pasted_elsewhere(path, tmp_path, request):
    cells = tagged(path, "parameters", "setup", "model", "loss", "train_step", "evaluate")
    assert "common" not in "\n".join(cells)
    pasted = importlib.import_module(f"tests.frameworks.{path.stem}").PASTED
    script = tmp_path / "pasted.py"
    script.write_text("\n\n".join(cells) + pasted + "\nprint([float(v) for v in values])\n")
    values = json.loads(run([str(script)], tmp_path, in_its_kernel(request, path)).splitlines()[-1])
    assert np.isfinite(values).all() and values[-1] < values[0], "the loss falls on one batch"


PLANTED = ["momentum 0.8", "learning rate 2 % off", "transposed kernel", "padding off by one", "dropout left on"]


@every
def test_the_proof_fails_on_planted_mistakes_and_says_where(path, request):
    said = run([str(ROOT / "tests" / "plant.py"), str(path), 'DATA="sample"', "TRAIN_SAMPLES=64", "TEST_SAMPLES=64"],
               path.parent, in_its_kernel(request, path), PYTHONPATH=str(ROOT))
    answers = json.loads(said.splitlines()[-1])
    assert sorted(answers) == sorted(["none", *PLANTED])
    assert answers["none"] == "", "without a plant it passes"
    for name in ("momentum 0.8", "learning rate 2 % off"):  # these show in the losses alone, and early
        step = int(re.search(r"leaves its bound at step (\d+)", answers[name]).group(1))
        assert 1 <= step <= 4 and "gradient of" not in answers[name], answers[name]
    for name in ("transposed kernel", "padding off by one", "dropout left on"):
        assert "gradient of conv" in answers[name] and "loss first leaves its bound at step 0" in answers[name], answers
    # Dropout before the last layer leaves that layer's own bias gradient nearly alone; the kernels before it tell.
    assert "conv2.weight" in answers["transposed kernel"]


@pytest.mark.parametrize("path", [p for p in NOTEBOOKS if p.stem in ("pytorch", "jax")], ids=lambda p: p.stem)
def test_a_notebook_runs_as_a_script(path, tmp_path):
    run(["-m", "jupyter", "nbconvert", "--to", "script", "--log-level", "ERROR", "--output-dir", str(tmp_path), str(path)],
        tmp_path)
    (exported,) = tmp_path.iterdir()
    source = exported.read_text()
    for name, value in (("DATA", '"sample"'), ("TRAIN_SAMPLES", "256"), ("TEST_SAMPLES", "100"), ("EPOCHS", "1")):
        source, count = re.subn(rf"^{name} = .*$", f"{name} = {value}", source, flags=re.M)
        assert count == 1
    script = tmp_path / "notebook.py"
    script.write_text(source)
    said = run([str(script)], tmp_path, PYTHONPATH=str(ROOT))
    assert "the same computation: gradients within" in said and "throughput" in said


def test_papermill_alone_runs_a_notebook(tmp_path):
    source, target = ROOT / "notebooks" / "cnn_cifar10" / "pytorch.ipynb", tmp_path / "out.ipynb"
    run(["-m", "papermill", str(source), str(target), "-p", "DATA", "sample", "-p", "TRAIN_SAMPLES", "128",
         "-p", "TEST_SAMPLES", "100", "-p", "EPOCHS", "1", "-k", "python3"], source.parent)
    assert "the same computation" in target.read_text()


def test_a_bad_parameter_is_refused_in_the_notebook(tmp_path):
    source = ROOT / "notebooks" / "cnn_cifar10" / "pytorch.ipynb"
    done = subprocess.run([sys.executable, "-m", "papermill", str(source), str(tmp_path / "out.ipynb"),
                           "-p", "BATCH_SIZE", "0"], cwd=source.parent, capture_output=True, text=True)
    assert done.returncode != 0 and "BATCH_SIZE is 0; it must be" in done.stderr


# ---- the reference


def test_the_shared_weights_are_the_same_bytes_everywhere():
    reference = Reference("cnn_cifar10")
    weights = reference.weights()
    assert sum(w.size for w in weights.values()) == 3441592
    limit = np.sqrt(6 / (50 * 9 + 100 * 9))
    assert 0.99 * limit < weights["conv3.weight"].max() <= limit
    assert not weights["conv3.bias"].any()


def test_the_check_reports_the_tensor_and_the_step():
    reference = Reference("cnn_cifar10")
    gradients = {name: reference.gradient(name) for name in reference.weights()}
    reference.check(gradients, reference.losses).require()
    wrong = dict(gradients, **{"conv3.bias": gradients["conv3.bias"] * 1.001})
    with pytest.raises(ProofError, match="gradient of conv3.bias is off by 0.001"):
        reference.check(wrong, reference.losses).require()
    losses = reference.losses.copy()
    losses[7] = float("nan")
    with pytest.raises(ProofError, match="at step 7"):
        reference.check(gradients, losses).require()
    with pytest.raises(ProofError, match="no gradient of dense2.bias"):
        reference.check({k: v for k, v in gradients.items() if k != "dense2.bias"}, reference.losses)
    with pytest.raises(ProofError, match="losses were handed in"):
        reference.check(gradients, reference.losses[:5])


def test_the_bounds_are_those_of_the_rule():
    bounds = Reference("cnn_cifar10").loss_bounds
    assert bounds[0] == pytest.approx(2e-6) and (np.diff(bounds) >= 0).all() and bounds[-1] < 1e-2
