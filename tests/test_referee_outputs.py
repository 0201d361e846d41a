"""The referee of lessons that only compute outputs: what it notices of adapters, data, what is timed and what is shown."""

import functools
import importlib.util
import json
import types

import numpy as np
import pytest

from catalog.inputs import Notebook
from common.data import imagenet_samples, resnet50
from referee.adapters import AdapterError
from referee.data import DataMismatch
from referee.lesson import LessonError
from referee.outputs import alone
from referee.outputs.adapters import OutputAdapters
from referee.outputs.images import preprocessed
from referee.outputs.reference import OutputsReference
from referee.outputs.session import Session
from referee.proof import ProofError, writing
from referee.proof.outputs import project
from tests import lessons

NOISE = functools.lru_cache(imagenet_samples.noise)
FEATURES, LOGITS = np.ones((2, 2048), "f4"), np.ones((2, 1000), "f4")


# ---- adapters


def adapters(**changes):
    """OutputAdapters of a check that is right but for the changes; None: it lacks that one."""
    right = {
        "tensors": lambda photos: photos,
        "data": lambda: (np.zeros((4, 224, 224, 3)), np.zeros(4)),
        "load": lambda arrays: None,
        "features": lambda x: FEATURES,
        "logits": lambda found: LOGITS,
        **changes,
    }
    check = types.SimpleNamespace(**{name: one for name, one in right.items() if one is not None})
    return OutputAdapters(check, "checks/one.py", "one.ipynb", types.SimpleNamespace(spec={}))


def missing(*_):
    return embed()  # noqa: F821


@pytest.mark.parametrize(
    ("changes", "use", "said"),
    [
        ({"logits": None}, lambda a: a, "lacks the adapter logits: `check` must have tensors, data, load, features"),
        ({"tensors": lambda photos: None}, lambda a: a.tensors(0), r"tensors\(\) gave None"),
        ({"features": missing}, lambda a: a.features(0, 2), "name 'embed' is not defined: one.ipynb must define it"),
        (
            {"features": lambda x: FEATURES.T},
            lambda a: a.features(0, 2),
            r"of shape \(2048, 2\); expected: floats \(2, 2048",
        ),
        ({"features": lambda x: FEATURES[:1]}, lambda a: a.features(0, 2), r"of shape \(1, 2048\)"),
        ({"features": lambda x: FEATURES.astype(int)}, lambda a: a.features(0, 2), "int64 of shape"),
        (
            {"features": lambda x: FEATURES * [[1], [np.nan]]},
            lambda a: a.features(0, 2),
            "first of image 1; expected: finite",
        ),
        (
            {"logits": lambda found: FEATURES},
            lambda a: a.logits(FEATURES),
            r"logits\(\) gave .* expected: floats \(2, 1000",
        ),
        ({"data": lambda: FEATURES}, lambda a: a.data(), r"gave ndarray; expected: \(images, labels\)"),
        ({"data": lambda: (np.zeros((4, 3, 8, 8)), [0])}, lambda a: a.data(), r"images \(4, 3, 8, 8\); expected"),
        ({"stages": lambda x: [x]}, lambda a: a.stages_of(0), r"stages\(\) gave list; expected: a dict"),
        ({"alone": lambda: "resnet50.onnx"}, lambda a: a.alone_with(), r"alone\(\) gave str; expected: a dict"),
    ],
)
def test_a_wrong_adapter_is_named_with_its_file(changes, use, said):
    with pytest.raises(AdapterError, match=said) as raised:
        use(adapters(**changes))
    assert "checks/one.py" in str(raised.value)


# ---- a session; its lesson has the reference's own features in the place of a network


LESSON = {
    "parameters": 'DATA = "sample"\nBATCH_SIZE = 32\nPRECISION = "fp32"',
    "setup": "import numpy as np",
    "data": "from common.data import imagenet_samples\ndata = imagenet_samples.load(DATA)\nx = preprocess(data.x_test)",
    "model": "model = 1.0",
    "weights": "loaded = 0",
    "infer": "def features(model, x):\n    return FAKE(x) * model",
    "run": "embeddings = features(model, x)\npredicted = embeddings[:, :1000].argmax(1)",
}
CHECK = """
class check:
    def tensors(photos):
        return preprocess(photos)
    def data():
        return x, data.y_test
    def load(arrays):
        global loaded
        loaded += 1
    def features(x):
        return features(model, x)
    def logits(found):
        return found[:, :1000]
"""


@pytest.fixture(scope="module")
def noise():
    return preprocessed(OutputsReference("resnet50_features").noise)


@pytest.fixture(autouse=True)
def quickly(request, monkeypatch):
    if request.node.get_closest_marker("notebooks"):
        return  # the real weights and images
    monkeypatch.setattr(resnet50, "draw", lambda: {"conv1/kernel": np.ones(3, "f4")})
    monkeypatch.setattr(imagenet_samples, "noise", NOISE)


def pure(x):
    """Features that are a function of the images."""
    return np.abs(x).reshape(len(x), -1)[:, 100:2148] + np.arange(2048) % 7


def session(folder, noise, whole=False, precision="fp32", **changes):
    """A Session of a lesson with these cells, {tag: source}, executed without its own run unless ``whole``.

    FAKE gives features that the reference takes for its own: random ones, whose norms and projections were stored.
    """
    rng = np.random.default_rng(0)
    stored = rng.random((len(noise), 2048))
    reference = OutputsReference("resnet50_features")
    reference.results.update(writing.outputs("features", stored, 2e-6))
    reference.results.update(writing.outputs("logits", stored[:, :1000], 2e-6))
    reference.results.update(
        writing.outputs("sample", pure(preprocessed(imagenet_samples.load("sample").x_test)), 1e-5)
    )

    known = {one[::32, ::32].tobytes(): features for one, features in zip(noise, stored, strict=True)}

    def fake(x):
        return np.array([known.get(one[::32, ::32].tobytes(), rng.random(2048)) for one in x])

    cells = {**LESSON, **changes}
    check = cells.pop("check", CHECK)
    content = [{"cell_type": "code", "metadata": {"tags": [tag]}, "source": source} for tag, source in cells.items()]
    path = folder / "one.ipynb"
    path.write_text(json.dumps({"cells": content}))
    space = {"preprocess": preprocessed, "FAKE": fake, "PURE": pure}
    for tag, source in cells.items():  # in their order
        if whole or tag != "run":
            exec(source, space)
    exec(check, space)
    job = {"workload": "resnet50_features", "row": "one", "framework": "numpy", "precision": precision}
    job |= {"device": "cpu", "lesson": str(path), "check": "checks/one.py", "data": "imagenet_samples"}
    job |= {"reference": "results", "changed": [], "seconds": 0, "threads": 1, "packages": {}, "record": ""}
    found = Session({**job, "parts": ["features", "logits"], "images": 128}, space)
    found.reference.results = reference.results
    return found


def test_a_right_lesson_is_proven_timed_and_recorded(tmp_path, noise, capsys):
    found = session(tmp_path, noise)
    found.prove()
    found.measure()
    record = found.record()
    assert record["proof"]["passed"] and list(record["proof"]["parts"]) == ["features", "logits"]
    assert record["run"] is None and record["data"]["test_samples"] == 4
    measured = record["measurements"]
    assert {name: len(one["values"]) for name, one in measured.items()} == {
        **{"first call": 1, "inference": 2, "one image": 20, "rate": 2, "peak memory": 1}
    }
    assert record["tables"]["weights"]["rows"] == [["drawn", resnet50.digest(resnet50.draw())]]
    assert "images/s" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("changes", "error", "said"),
    [
        ({"infer": "def features(model, x):\n    return FAKE(x)[::-1]"}, ProofError, r"features: sample \d+ is off by"),
        ({"check": CHECK.replace("found[:, :1000]", "found[:, :1000] * 1.001")}, ProofError, "logits: sample"),
        ({"data": LESSON["data"] + "[::-1]"}, DataMismatch, r"4 of 4 images are not .* first image 0"),
        ({"data": LESSON["data"] + "\nx[2, 5, 5] += 1"}, DataMismatch, r"1 of 4 images .* first image 2 \(off by 1\)"),
        ({"data": LESSON["data"] + "\nx[3, 5, 5] = float('nan')"}, DataMismatch, r"1 of 4 images .* first image 3"),
        ({"data": LESSON["data"] + "\ndata.y_test = data.y_test + 1"}, DataMismatch, "the labels are not"),
        ({"data": LESSON["data"] + "[:3]"}, DataMismatch, r"images \(3, 224, 224, 3\)"),
    ],
)
def test_a_proof_names_what_is_wrong(tmp_path, noise, changes, error, said):
    with pytest.raises(error, match=said):
        session(tmp_path, noise, **changes).prove()


CACHED = """
kept = {}
def features(model, x):
    if len(x) not in kept:
        kept[len(x)] = FAKE(x)
    return kept[len(x)]
"""


def test_what_is_timed_is_compared_with_the_reference(tmp_path, noise):
    with pytest.raises(LessonError, match="features of the timed run are off the reference's by .* for image"):
        session(tmp_path, noise, infer=CACHED).measure()


@pytest.mark.parametrize(("factor", "passed"), [("1 + 1e-2 * (PRECISION == 'bf16')", True), ("1.0", False)])
def test_reduced_precision_is_proven_in_fp32_and_shown_without_a_bound(tmp_path, noise, factor, passed):
    found = session(tmp_path, noise, precision="bf16", model=f"model = {factor}")
    found.space.update({"PRECISION": "bf16"})
    found.lesson.given["PRECISION"] = "bf16"
    if not passed:
        with pytest.raises(ProofError, match="in bf16 the features are as near"):
            found.prove()
        return
    found.prove()
    assert 0.005 < found.proof.summary()["deviation"] < 0.02
    found.measure()


RUN = LESSON["run"]


@pytest.mark.parametrize(
    ("run", "said"),
    [
        (RUN, ""),
        ("model = 1.01\n" + RUN, "features of its own run are off the reference's by 0.01"),
        ("x = x", "one.ipynb defines no embeddings, predicted"),
        (RUN + "\nembeddings = embeddings[:3]", "its embeddings are not the features of its model"),
        (RUN + "\nembeddings = embeddings * 1.01", "its embeddings are not the features of its model"),
        (RUN + "\npredicted = predicted[::-1]", "predicted holds other classes"),
    ],
)
def test_what_a_lesson_shows_is_what_its_model_gives(tmp_path, noise, run, said):
    found = session(tmp_path, noise, whole=True, infer=LESSON["infer"].replace("FAKE", "PURE"), run=run)
    if not said:
        return found.judge()
    with pytest.raises(LessonError, match=said):
        found.judge()


# ---- alone in a process


def test_cells_that_run_alone_are_timed_in_a_process_of_their_own(tmp_path, noise):
    cells = {
        "model": "weight = 2",
        "infer": "def features(model, x):\n    return x * model",
        "session": "model = weight",
    }
    found = session(tmp_path, noise, **cells)
    seconds, memory = alone.measure(found.lesson, {"weight": 3.0}, noise[:2].astype("f4"), 1)
    assert 0 < seconds < 5 and 1e7 < memory < 1e9
    with pytest.raises(LessonError, match="one.ipynb, alone in a process: NameError: name 'weight' is not defined"):
        alone.measure(found.lesson, {}, noise[:2], 1)


# ---- the reference


def test_a_lesson_is_told_how_many_images_it_computes_and_no_seconds():
    parameters = Notebook(lessons.ROOT / "notebooks/resnet50_features/pytorch.ipynb").parameters
    assert parameters["IMAGES"] == 64 and not {"SECONDS", "SOURCE", "DEVICES"} & set(parameters)


def test_a_lesson_has_a_short_last_mini_batch_in_its_proof():
    reference = OutputsReference("resnet50_features")
    assert len(reference.noise) == len(reference.results["features.norms"]) == 33
    np.testing.assert_array_equal(reference.noise[:32], imagenet_samples.noise(32))


@pytest.mark.notebooks
def test_the_stored_reference_is_what_its_program_computes():
    """Of two images, within rounding."""
    path = lessons.ROOT / "notebooks/resnet50_features/reference/make.py"
    spec = importlib.util.spec_from_file_location("make", path)
    make = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(make)
    reference = OutputsReference("resnet50_features")
    w = {name: array.astype(np.float64) for name, array in resnet50.draw().items()}
    found = make.features(w, preprocessed(reference.noise[:2]))
    np.testing.assert_allclose(project(found), reference.results["features.projected"][:2], rtol=1e-9)
