"""The lessons: their form, their cells pasted elsewhere, and whether planted mistakes are noticed."""

import ast
import functools
import inspect
import json
import os
import re
import runpy
import shlex
import statistics
import subprocess
import sys
import textwrap
import zlib

import nbformat
import numpy as np
import pytest

from catalog import languages
from catalog.inputs import OWN, Notebook
from common.data import resnet50
from referee.languages import literals
from referee.lesson import TAGS
from report.publish import LIMIT
from runner import environments
from tests import cells, kernels, lessons, sample
from tests.plant import planted
from tests.plants import affine_transfer, cnn_cifar10, densenet_chestxray, gpt_text, gru_imdb, resnet50_features

every = pytest.mark.parametrize("path", lessons.LESSONS, ids=lambda path: f"{path.parent.name}-{path.stem}")
# Words of a lesson, its introduction, a sentence. A lesson's are all but tables, headings and the addresses of links.
WORDS, INTRODUCTION, SENTENCE = 700, 60, 34
# Tags of each kind of lesson; one of training less what a framework with a loop of its own does not have.
NEEDED = {
    "training": set("parameters setup data model loss evaluate run show more".split()),
    "outputs": set("parameters setup data model weights infer run show more".split()),
    "calls": set("parameters setup data model infer profile run show".split()),
}
NEEDED["text"] = NEEDED["training"]
NEEDED["files"] = NEEDED["training"] | {"loader", "synthetic", "devices"}
# Names of the field, and history as the pictures and the referee take it.
ARRAYS = ("x_train", "y_train", "x_test", "y_test", "history")
NAMES = {
    "training": (*ARRAYS, "def predict", "plots.training(history"),
    "files": ("data.x_train", "data.y_train", "history", "def predict", "def auc", "plots.findings(history"),
    "outputs": ("preprocess", "load_weights", "features", "logits", "embeddings", "predicted", "plots.top_classes("),
    "text": (*ARRAYS, "def evaluate", "def generate", "plots.text(history", "plots.attention("),
    "calls": ("m, x, b = ", "keep_all(m, x, b, calls", "forms = ", "profiled(", "shares(profiles, seconds)"),
}
# Headings whose text links the framework's documentation.
LINKED = dict.fromkeys(
    ("training", "files", "text"), ("Setup", "Data", "Model", "Loss and optimizer", "Training", "Evaluation")
) | {
    "outputs": ("Setup", "Ready-made", "Model", "Features", "Batch normalization"),
    "calls": ("Setup", "Data", "Affine map", "Forms", "Profile"),
}
OTHERS = {  # of lessons in other languages, where they differ
    ("R", "training"): (*ARRAYS, "predict_classes <- function"),
    ("R", "outputs"): tuple(name for name in NAMES["outputs"] if "plots" not in name),
    ("julia", "training"): (*ARRAYS, "predict(model, x)"),
}
# What a lesson takes from this project: the data set, and pictures.
OURS = {
    "python": [r"from common\.data import \w+", "from common import plots"],
    "R": [r'import\("common\.data\.\w+", convert = FALSE\)'],
    "julia": [r'include\("\.\./\.\./common/julia/mnist\.jl"\)', r'include\("\.\./\.\./common/julia/plots\.jl"\)'],
}
MACHINERY = re.compile(
    r"\b(runner|referee|proofs?|prove[sdn]?|proven|the record|papermill|published column|trials?(?!\.md)|not tried|we have not)\b",
    re.IGNORECASE,
)
# In prose and in what is printed; "the 1990s" is none.
TIMES = re.compile(r"\d ?(ms|milliseconds?|seconds?|minutes?)\b|\d s\b|(?<![12]\d\d)\ds\b")
PLANTS = 6  # of the default sample


def markdown(path):
    """The texts of the markdown cells."""
    return [cell.source for cell in nbformat.read(path, 4).cells if cell.cell_type == "markdown"]


def everything(path):
    """The text, equations and code with it, without headings, tables, and the addresses of links."""
    lines = "\n".join(markdown(path)).splitlines()
    return re.sub(r"\]\([^)]*\)", "]", "\n".join(line for line in lines if not line.startswith(("|", "#"))))


def prose(path):
    """The same without equations and code."""
    return re.sub(r"^```.*?^```$", "", everything(path), flags=re.MULTILINE | re.DOTALL)


def tagged(path, *tags):
    return [source for source, found in cells.code_cells(path) if set(found) & set(tags)]


# ---- the form


@every
def test_headings_and_tags_are_those_of_every_lesson(path):
    work = kernels.declarations().workloads[path.parent.name]
    text = "\n".join(markdown(path))
    assert re.match(rf"# {re.escape(work.title)} in \w", text)
    assert re.findall(r"^## (.+)$", text, re.MULTILINE) == work.headings
    tags = [tags for _, tags in cells.code_cells(path)]
    assert all(len(one) == 1 and one[0] in TAGS for one in tags), tags
    order = [TAGS.index(one[0]) for one in tags if one != ["show"]]
    assert order == sorted(order) and NEEDED[work.proof] <= {one[0] for one in tags}, tags
    assert [one[0] for one in tags].count("parameters") == 1


@every
def test_a_lesson_speaks_of_its_framework_alone(path):
    text = prose(path)
    links = "\n".join(line for line in "\n".join(markdown(path)).splitlines() if "](README.md)" in line)
    assert f"](../../results/{path.parent.name}.md)" in links
    assert links.count("](README.md)") == 1 and "docs/method.md" in "\n".join(markdown(path)), "the one line of links"
    assert len(everything(path).split()) <= WORDS, len(everything(path).split())
    assert not MACHINERY.findall(text), MACHINERY.findall(text)
    assert not TIMES.search(text), TIMES.search(text)
    language = Notebook(path).language
    ours = r"\bSECONDS\b|\bTHREADS\b|RECORD_PATH" + (r"|\bcolumn\b" if language == "python" else "")
    assert not re.search(ours, "\n".join(markdown(path)))
    code = "\n".join(source for source, _ in cells.code_cells(path))
    assert not re.search(r"devnull|/dev/null", code)  # MXNet's profiler replaces its file: run as root, a device
    assert not re.search(r"\b(referee|papermill|perf_counter|RECORD_PATH|SECONDS|THREADS)\b|sys\.path", code)
    mine = [line for line in code.splitlines() if re.search(r"\bcommon\b", line)]
    wanted = OURS[language][0 if kernels.declarations().workloads[path.parent.name].data else 1 :]
    wanted = wanted * len(mine) if language == "R" else wanted  # R imports module by module
    assert len(mine) == len(wanted), mine
    assert all(re.search(pattern, line) for pattern, line in zip(wanted, mine, strict=True)), mine


@every
def test_a_lesson_is_short_and_links_the_documentation(path):
    text = "\n".join(markdown(path))
    intro = text.split("\n## ")[0]
    first = next(part for part in intro.split("\n\n") if not part.startswith(("#", "|", "[")))
    assert len(first.split()) <= INTRODUCTION, len(first.split())
    table = [line for line in intro.splitlines() if line.startswith("|")]
    assert 5 <= len(table) <= 12, "a heading, a rule, at most ten lines"
    sections = dict(
        zip(
            re.findall(r"^## (.+)$", text, re.MULTILINE),
            re.split(r"^## .+$", text, flags=re.MULTILINE)[1:],
            strict=True,
        )
    )
    for heading in LINKED[kernels.declarations().workloads[path.parent.name].proof]:
        assert "](https://" in sections[heading], f"{heading} links no documentation"
    assert f"## Next{sections['Next']}\n".startswith(f"{lessons.NEXT}\n"), "Next begins as in every lesson"
    own = [line for line in f"## Next{sections['Next']}"[len(lessons.NEXT) :].splitlines() if line]
    assert len(own) <= 1 and not [line for line in own if line.startswith(("-", "|"))], own
    parts = re.split(r"\n\s*\n|\n(?=- )", prose(path))  # paragraphs and items of lists
    sentences = [one for part in parts for one in re.split(r"(?<=[.!?])\s+", part)]
    long = [one for one in sentences if len(one.split()) > SENTENCE]
    assert not long, long
    sources = [source for source, _ in cells.code_cells(path)]
    lengths = [len([line for line in source.splitlines() if line.strip()]) for source in sources]
    assert statistics.median(lengths) <= 10 and max(lengths) <= 30, sorted(lengths)
    assert max(len(line) for source in sources for line in source.splitlines()) <= 110
    assert not [source for source in sources if re.search(r"^\s*[%!]", source, re.MULTILINE)], "no magics"


@every
def test_settings_are_plain_and_those_of_the_published_run(path):
    (cell,) = tagged(path, "parameters")
    work, language = kernels.declarations().workloads[path.parent.name], Notebook(path).language
    values = languages.settings(cell, language)
    lines = ast.parse(cell).body if language == "python" else languages.canonical(cell, language).splitlines()
    assert len(values) == len(lines) and not [v for v in values.values() if isinstance(v, str) and "(" in v]
    kernels.declarations().check_parameters(work, values)
    (row,) = [row for row in lessons.rows_of(path, "cpu") if row.default]
    published = {**work.profiles["cpu"]["parameters"], **(row.parameters if row.part else {})}
    wrong = {
        name: values[name]
        for name in published
        if name in values and name != "DEVICE" and values[name] != published[name]
    }
    assert not wrong, wrong


@every
def test_stored_outputs_are_clean_and_small(path):
    assert path.stat().st_size <= LIMIT
    notebook = nbformat.read(path, 4)
    nbformat.validate(notebook)
    for cell in notebook.cells:
        assert "injected-parameters" not in cell.metadata.get("tags", []) and "referee" not in cell.metadata.get(
            "tags", []
        )
        for output in cell.get("outputs", []):
            text = json.dumps(output)
            assert output.output_type != "error", text
            assert not (output.output_type == "stream" and output.name == "stderr"), text[:300]
            assert not re.search(r"warning:|Traceback", text, re.IGNORECASE), text[:300]
            assert not re.search(r"(?<![\w./<~-])/(home|root|tmp|work|usr|opt)/\w", text), text[:300]
            assert not (output.output_type == "stream" and TIMES.search(output.text)), "times"


@every
def test_a_lesson_reads_like_its_neighbours(path):
    code = "\n".join(source for source, _ in cells.code_cells(path))
    proof = kernels.declarations().workloads[path.parent.name].proof
    for name in OTHERS.get((Notebook(path).language, proof), NAMES[proof]):
        assert name in code, name


# ---- what executes cells


def kernel_of(row):
    """(interpreter, variables) of a row's kernel; skips where this machine cannot have it."""
    try:
        python, environ = kernels.of(row.environment)
    except environments.Broken:
        raise
    except environments.Unavailable as reason:
        pytest.skip(str(reason))
    return python, {**environ, **kernels.variables(row)}


def run(arguments, folder, kernel, **environ):
    python, variables = kernel
    return subprocess.run(
        [python, *arguments], cwd=folder, env={**variables, **environ}, capture_output=True, text=True
    )


STUBS = {  # random data in the place of common.data's
    "training": """
class {module}:
    def load(*_):
        import numpy as np
        rng, found = np.random.RandomState(0), lambda: None
        for part, count in (("train", TRAIN_SAMPLES), ("test", TEST_SAMPLES)):
            samples = {
                "cifar10": lambda: rng.rand(count, 3, 32, 32).astype("float32"),
                "mnist": lambda: rng.randint(0, 256, (count, 28, 28)).astype("uint8"),
                "imdb": lambda: rng.randint(0, 30000, (count, 150)).astype("int32"),
            }["{module}"]()
            setattr(found, "x_" + part, samples)
            setattr(found, "y_" + part, rng.randint(0, 2 if "{module}" == "imdb" else 10, count).astype("int64"))
        found.classes = list("abcdefghij")
        return found
""",
    "files": """
class {module}:
    def load(*_):
        import numpy as np
        from PIL import Image
        rng, found = np.random.RandomState(0), lambda: None
        for part, count in (("train", TRAIN_SAMPLES), ("valid", 20), ("test", TEST_SAMPLES)):
            paths = ["{{}}{{}}.png".format(part, k) for k in range(count)]
            for path in paths:
                Image.fromarray(rng.randint(0, 256, (64, 64)).astype("uint8")).save(path)
            setattr(found, "x_" + part, paths)
            setattr(found, "y_" + part, (rng.rand(count, 14) < 0.5).astype("float32"))
        found.classes = found.counted = list("abcdefghijklmn")
        return found
""",
}
STUBS["text"] = """
class {module}:
    def load(*_):
        import numpy as np
        rng, found = np.random.RandomState(0), lambda: None
        for part, count in (("train", TRAIN_SAMPLES), ("test", TEST_SAMPLES)):
            for which in "xy":
                setattr(found, which + "_" + part, rng.randint(0, 256, (count, 128)).astype("uint8"))
        return found
"""
STUBS["R"] = """
py_run_string(r"---({stub})---")
{module} <- py_eval("{module}", convert = FALSE)
"""
STUBS["julia"] = """
digits(count) = rand(UInt8, 28, 28, count), rand(0:9, count)
load_{module}(_, train, test) = NamedTuple{(:x_train, :y_train, :x_test, :y_test)}((digits(train)..., digits(test)...))
"""
DRAWN = "\n".join(inspect.getsource(one) for one in (resnet50.layers, resnet50.draw))
STUBS["outputs"] = f"""
class {{module}}:
    def load(*_):
        import numpy as np
        rng, found = np.random.RandomState(0), lambda: None
        found.x_test = rng.randint(0, 256, (4, 224, 224, 3)).astype("uint8")
        found.y_test, found.animals = rng.randint(0, 1000, 4), np.array([True, False, False, True])
        found.classes = [str(k) for k in range(1000)]
        return found


def random_weights(*_):
    import numpy as np
    BLOCKS = {resnet50.BLOCKS!r}
{textwrap.indent(DRAWN, "    ")}
    return draw()


class resnet50:
    load = random_weights
"""
PASTED = {
    "python": r"^from common\.data import (\w+)(, resnet50)?$",
    "R": r'^\w+ <- import\("common\.data\.(\w+)", convert = FALSE\)$',
    "julia": r'^include\("\.\./\.\./common/julia/(\w+)\.jl"\)$',
}
FEW = {  # samples for 20 steps
    "training": {"TRAIN_SAMPLES": 1280, "TEST_SAMPLES": 100, "EPOCHS": 1},
    "files": {"TRAIN_SAMPLES": 160, "TEST_SAMPLES": 20, "EPOCHS": 1, "BATCH_SIZE": 8},
    "outputs": {"DATA": "sample", "BATCH_SIZE": 3},
    "calls": {"CALLS": 2, "SIZE": 100},
    "text": {"TRAIN_SAMPLES": 160, "TEST_SAMPLES": 20, "EPOCHS": 1, "BATCH_SIZE": 8},
}


@every
@pytest.mark.notebooks
def test_cells_up_to_evaluation_train_and_evaluate_when_pasted_elsewhere(path, tmp_path, request):
    """Without this repository: Settings to Evaluation, then the lesson's own loop, for 20 steps on random data.

    A lesson without a data set: all cells but the picture.
    """
    row = lessons.rows_of(path)[0]
    if not (request.config.getoption("--everything") or sample.pasted(path, request.config.getoption("--rotation"))):
        pytest.skip("not in today's sample; --everything runs all")
    later = {"show", "more", "synthetic", "devices"}
    found = [(source, tags[0]) for source, tags in cells.code_cells(path) if tags[0] not in later]
    proof = kernels.declarations().workloads[row.workload].proof
    text, language = "\n\n".join(source for source, _ in found), Notebook(path).language
    given = {**row.parameters, **FEW[proof]}
    stub = STUBS.get(proof, "") if language == "python" else STUBS[language]
    if language == "R":  # Python's stub stands in a text of R
        stub = stub.format(stub=f"globals().update({given!r})" + STUBS[proof], module="{module}")
    text, removed = re.subn(PASTED[language], lambda m: stub.replace("{module}", m[1]), text, flags=re.MULTILINE)
    assert bool(removed) == bool(row.data) and "common" not in re.sub(r"#.*", "", text)
    for name, value in given.items():
        plain = literals.written(value, language)
        text = re.sub(rf"^{name} (=|<-) .*$", rf"{name} \1 {plain}", text, flags=re.MULTILINE)
    script = tmp_path / f"pasted{languages.SUFFIXES[language]}"
    script.write_text(text)
    python, environ = kernel_of(row)
    program = {"python": [python], "R": ["Rscript", "--vanilla"], "julia": [environ.get("ROSETTA_JULIA"), "-q"]}[
        language
    ]
    done = subprocess.run([*program, str(script)], cwd=tmp_path, env=environ, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    line = done.stdout.splitlines()[-1]
    assert re.search("accuracy|AUC|photos|calls|bits per byte", line) and not re.search(r"\bnan\b", line), line


@pytest.mark.notebooks
def test_papermill_alone_runs_a_lesson(tmp_path):
    """The command that docs/running.md gives for a single notebook."""
    text = (lessons.ROOT / "docs" / "running.md").read_text()
    command = re.search(r"PYTHONPATH=\. \S+/papermill (\S+ out\.ipynb .*?)```", text, re.DOTALL)[1]
    words = shlex.split(command.replace("\\\n", " ").replace("out.ipynb", str(tmp_path / "out.ipynb")))
    path = lessons.ROOT / words[0]
    kernel = kernel_of(lessons.rows_of(path)[0])
    done = run(["-m", "papermill", *words], lessons.ROOT, kernel, PYTHONPATH=str(lessons.ROOT))
    assert done.returncode == 0, done.stderr[-3000:]
    assert "test accuracy" in (tmp_path / "out.ipynb").read_text()


@functools.cache
def plants_of(path):
    """(the lesson's default row, {name: (changes, expected)}): all that are planted in it."""
    row = lessons.rows_of(path)[0]
    module = lessons.ROOT / "tests" / "plants" / f"{row.workload}_{row.framework}.py"
    return row, runpy.run_path(str(module))["PLANTS"]


def plants():
    """[(row, name of a plant)] of all lessons, well mixed."""
    found = [(row, name) for row, named in map(plants_of, lessons.LESSONS) for name in named]
    return sorted(found, key=lambda one: zlib.crc32(f"{one[0].id} {one[1]}".encode()))  # a day's sample is of many


def test_a_plant_that_is_not_in_the_lesson_is_an_error():
    with pytest.raises(ValueError, match="not in the notebook: 'no such text'"):
        planted(Notebook(lessons.LESSONS[0]).content, [("no such text", "")])


@every
def test_every_plant_changes_text_that_is_in_its_lesson(path):
    content = {"cells": [{"cell_type": "code", "source": source} for source, _ in cells.code_cells(path)]}
    for name, (changes, expected) in plants_of(path)[1].items():
        assert planted(content, changes) != content and re.compile(expected) is not None, name


IMAGES = {"cifar10", "chestxray", "mnist"}
CLASSES = {  # of each kind of proof, words in the name of a plant of each class
    "training": {
        "dropout's rate": r"dropout \d at",
        "dropout's place": "before the (first|second) pooling",
        "dropout's mode": "dropout o(n|ff) in|evaluat",
        "averaged weights": "averaged weights",
        "defaults": "by default",
        "the metric": "accuracy",
        "the data": "altered behind the proof's",
        "width and height": "width and height",
        "partial batches": "partial batch",
        "labels and order": "labels of",
        "the optimizer": "momentum|update|weight decay|rate that",
        "the lesson's own run": "lesson's",
    },
    "files": densenet_chestxray.CLASSES,
    "outputs": resnet50_features.CLASSES,
    "calls": affine_transfer.CLASSES,
    "text": gpt_text.CLASSES,
}
MORE = {"gru_imdb": gru_imdb.MISTAKES}  # what only a recurrent network invites


@every
def test_every_lesson_has_plants_of_every_class(path):
    names = plants_of(path)[1]
    classes = {**CLASSES[kernels.declarations().workloads[path.parent.name].proof], **MORE.get(path.parent.name, {})}
    assert {*CLASSES["training"]} == {*cnn_cifar10.OWN}
    spec = json.loads((path.parent / "reference" / "spec.json").read_text())
    foreign = {kind for kind in classes if kind.startswith("dropout")} if "dropout" not in spec else set()
    foreign |= {"averaged weights"} if "after" not in spec else set()  # the part that shows them
    foreign |= {"width and height"} if spec["data"] not in IMAGES else set()
    classes = {kind: words for kind, words in classes.items() if kind not in foreign}
    lacking = [kind for kind, words in classes.items() if not any(re.search(words, name) for name in names)]
    assert not lacking, lacking


@pytest.mark.notebooks
@pytest.mark.parametrize("part", range(PLANTS))
def test_planted_mistakes_are_noticed(request, part):
    """A sample by rotation; with --everything all, and the lessons without a plant, too."""
    everything, number = request.config.getoption("--everything"), request.config.getoption("--rotation")
    chosen, wrong = {}, {}
    here = [one for one in plants() if one[0].device == "cpu"]
    for row, name in here if everything else sample.turned(here, number, PLANTS):
        chosen.setdefault(row.notebook, (row, ["none"] if everything else []))[1].append(name)
    mine = [*chosen.values()][part::PLANTS]
    if not mine:
        pytest.skip("today's plants are in fewer lessons")
    for row, names in mine:
        for name, answer in plant(row, names).items():
            if not answer["as_expected"]:
                wrong[f"{row.id}: {name}"] = answer
    assert not wrong, json.dumps(wrong, indent=1)


def plant(row, names):
    """The answers of plant.py for some plants of a row's lesson."""
    kernel_of(row)  # or skip
    command = [str(lessons.ROOT / "tests" / "plant.py"), row.workload, row.id]
    command += [word for name in names for word in ("--only", name)]
    done = run(command, lessons.ROOT, (sys.executable, dict(os.environ)), PYTHONPATH=str(lessons.ROOT))
    assert done.returncode in (0, 1) and done.stdout.strip(), done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


def test_a_referee_counts_what_a_lesson_predicts():
    """The reference's own classes pass; one wrong class in 320 does not."""
    from referee.proof.reference import Reference
    from referee.proof.training import TrainingProof

    reference = Reference("cnn_cifar10")
    known = reference.results
    for classes, passed in ((known["classes"], True), ((known["classes"] + 1) % 10, False)):
        proof = TrainingProof(reference)
        share = known["right"] / len(classes)
        proof.evaluation(np.array(classes), share, float(known["loss"]), known["test_losses"])
        assert proof.parts["evaluation"]["passed"] == passed


def test_the_tests_leave_out_the_cells_that_the_runner_leaves_out():
    assert cells.OWN == OWN
