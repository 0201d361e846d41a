"""The referee's bad input: each is named with its file and with what was expected."""

import importlib.util
import json
import re
import types

import numpy as np
import pytest

from catalog.inputs import OWN, SESSIONS, Notebook
from referee import data, session, timed
from referee.adapters import AdapterError, Adapters
from referee.lesson import Lesson, LessonError
from referee.proof import Proof, masks
from referee.proof.prove import Prover
from referee.proof.reference import Reference
from runner import compose
from tests import kernels, lessons
from tests.fixtures import fake_repo

REFERENCE = types.SimpleNamespace(spec={"tensors": [["w", [2, 3], "zeros"]]})


def lesson(folder, space=None, **cells):
    """A Lesson of these cells, {tag: source}, whose definitions were executed."""
    space = {} if space is None else space
    content = fake_repo.notebook()
    found = {"parameters": "RATE = 0.5\nDROPOUT = (0.25,)", "model": "made = made + 1\nmodel = RATE", **cells}
    content["cells"] = [
        {"cell_type": "code", "metadata": {"tags": [tag]}, "source": source} for tag, source in found.items()
    ]
    path = folder / "one.ipynb"
    path.write_text(json.dumps(content))
    space.update(made=0)
    for source in found.values():
        exec(source, space)
    return Lesson(path, space)


def adapters(**changes):
    """Adapters of a check that is right but for the changes; None: it lacks that one."""
    array = np.zeros((2, 3))
    right = dict.fromkeys(Adapters.REQUIRED, lambda *_: 0.0)
    right.update(
        tensors=lambda x, y: (x, y),
        data=lambda: ((array, array), (array, array)),
        read=lambda: {"w": array},
        gradients=lambda x, y: {"w": array},
        train=lambda x, y, order: [1.0, 2.0],
        predict=lambda x: np.array([1, 2]),
    )
    right.update(changes)
    check = types.SimpleNamespace(**{name: one for name, one in right.items() if one})
    return Adapters(check, "checks/one.py", "one.ipynb", REFERENCE)


def nan(shape):
    return np.full(shape, np.nan)


# ---- rerun


def test_a_rerun_makes_the_lesson_anew_with_other_settings_until_the_next(tmp_path, capsys):
    space = {}
    found = lesson(tmp_path, space, train="print('muted')")
    capsys.readouterr()
    found.rerun(RATE=2)
    assert (space["model"], space["made"]) == (2, 2)
    found.rerun("model")
    assert (space["model"], space["made"]) == (0.5, 3) and capsys.readouterr().out == ""


def test_a_function_that_is_made_again_keeps_its_source(tmp_path):
    """TensorFlow's AutoGraph reads it."""
    import inspect

    space = {}
    lesson(tmp_path, space, train="def train_epoch():\n    return RATE").rerun()
    assert "return RATE" in inspect.getsource(space["train_epoch"])


@pytest.mark.parametrize(
    ("tags", "settings", "said"),
    [
        (["train_stp"], {}, "one.ipynb has no cell tagged 'train_stp'; its tags: parameters, model"),
        ([], {"LEARNIG_RATE": 1}, "one.ipynb has no setting LEARNIG_RATE: .* it defines RATE, DROPOUT"),
    ],
)
def test_a_rerun_names_what_the_lesson_lacks(tmp_path, tags, settings, said):
    with pytest.raises(LessonError, match=said):
        lesson(tmp_path).rerun(*tags, **settings)


def test_a_lesson_without_settings_is_named(tmp_path):
    path = tmp_path / "bare.ipynb"
    path.write_text(json.dumps({"cells": []}))
    with pytest.raises(LessonError, match="bare.ipynb has no cell tagged 'parameters'; its tags: none"):
        Lesson(path, {})


@pytest.mark.parametrize("tags", [["los"], []])
def test_a_cell_that_would_never_run_again_is_named(tmp_path, tags):
    cells = [(["parameters"], "RATE = 0.5"), (tags, "loss_fn = abs\noptimizer = 1"), ([], "\n")]
    path = tmp_path / "one.ipynb"
    content = [{"cell_type": "code", "metadata": {"tags": own}, "source": source} for own, source in cells]
    path.write_text(json.dumps({"cells": content}))
    with pytest.raises(LessonError, match="one.ipynb: the cell that begins 'loss_fn = abs' needs one of .*loss"):
        Lesson(path, {})


@pytest.mark.parametrize(
    ("history", "said"),
    [
        ("", "one.ipynb defines no history"),
        ("history = [1, 2]", "history must be a list of"),
        ("history = []", "history must be a list of"),
    ],
)
def test_a_history_of_another_form_is_named(tmp_path, history, said):
    with pytest.raises(LessonError, match=said):
        lesson(tmp_path, run=history or "pass").history()


def test_histories_of_both_forms_are_read(tmp_path):
    steps, losses, share = lesson(tmp_path, run="history = [([2.0, 1.0], 0.1, 0.2), ([0.5], 0.3, 0.4)]").history()
    assert (steps, losses.tolist(), share) == (3, [2.0, 1.0, 0.5], 0.4)
    keras = "import types\nhistory = types.SimpleNamespace(history={'loss': [2.0, 1.0], 'val_accuracy': [0.1, 0.2]}, "
    steps, losses, share = lesson(tmp_path, run=keras + "params={'steps': 4}, epoch=[0, 1])").history()
    assert (steps, losses.tolist(), share) == (8, [2.0, 1.0], 0.2)
    nats = lesson(tmp_path, run=keras.replace("val_accuracy", "val_loss") + "params={'steps': 4}, epoch=[0, 1])")
    assert nats.history("losses, bits", {"val_loss": 10})[2] == 2.0
    with pytest.raises(LessonError, match="no val_accuracy: give validation_data"):
        nats.history()
    areas = lesson(tmp_path, run="history = [([2.0], {'Mass': 0.5}), ([1.0], {'Mass': 0.75})]")
    assert areas.history("losses, {finding: area}", (), lambda found: found["Mass"])[2] == 0.75
    with pytest.raises(LessonError, match="must be a list of .losses, training accuracy, test accuracy."):
        areas.history()


# ---- adapters


@pytest.mark.parametrize("name", Adapters.REQUIRED)
def test_a_check_that_lacks_an_adapter_is_named(name):
    with pytest.raises(AdapterError, match=f"checks/one.py lacks the adapter {name}: `check` must have tensors, data"):
        adapters(**{name: None})


class Refusing:
    """As a PyTorch tensor that requires a gradient."""

    def __array__(self, dtype=None, copy=None):
        raise RuntimeError("Can't call numpy() on Tensor that requires grad")


def missing(*_):
    return train_epoch()  # noqa: F821


@pytest.mark.parametrize(
    ("changes", "call", "said"),
    [
        ({"train": missing}, ("train", 0, 0, 0, 2), r"train\(\): name 'train_epoch' is not defined: one.ipynb must"),
        ({"gradients": lambda *_: {}}, ("gradients", 0, 0), r"gradients\(\) gave no tensor w; expected: w"),
        ({"gradients": lambda *_: [1]}, ("gradients", 0, 0), r"gradients\(\) gave list; expected: a dict"),
        ({"read": lambda: {"w": np.zeros((3, 2))}}, ("read",), r"w of shape \(3, 2\); expected: shape \(2, 3\)"),
        ({"gradients": lambda *_: {"w": nan((2, 3))}}, ("gradients", 0, 0), "values of w that are not finite"),
        ({"train": lambda *_: [1.0]}, ("train", 0, 0, 0, 2), r"train\(\) gave 1 losses; expected: 2, one for each"),
        ({"train": lambda *_: [1.0, np.nan]}, ("train", 0, 0, 0, 2), "gave nan as value 1; expected: finite numbers"),
        ({"train": lambda *_: None}, ("train", 0, 0, 0, 2), r"train\(\) gave"),
        ({"loss": lambda *_: [1.0, 2.0]}, ("loss", 0, 0), r"loss\(\) gave 2 values; expected: one number"),
        ({"predict": lambda x: np.zeros((2, 10))}, ("predict", 0, 2), r"shape \(2, 10\); expected: 2 classes"),
        ({"predict": lambda x: Refusing()}, ("predict", 0, 2), r"predict\(\) gave Refusing, and Can't call numpy\(\)"),
        ({"predict": lambda x: np.array(["a", "b"])}, ("predict", 0, 2), "expected: 2 classes"),
        ({"predict": lambda x: np.array([0.5, 1])}, ("predict", 0, 2), "expected: 2 classes, whole numbers"),
        ({"evaluate": lambda *_: 63.0}, ("evaluate", 0, 0), r"evaluate\(\) gave \[63.0\]; expected: one share"),
        ({"tensors": lambda x, y: x}, ("tensors", 1, 2), r"tensors\(\) gave int; expected: \(samples, labels\)"),
        ({"data": lambda: None}, ("data",), r"data\(\) gave NoneType; expected: \(\(x_train"),
    ],
)
def test_what_an_adapter_gives_is_looked_at(changes, call, said):
    with pytest.raises(AdapterError, match=f"checks/one.py, .*{said}|checks/one.py, {said}"):
        getattr(adapters(**changes), call[0])(*call[1:])


def test_right_adapters_pass():
    found = adapters()
    assert found.train(0, 0, 0, 2).tolist() == [1.0, 2.0] and found.predict(0, 2).tolist() == [1, 2]
    assert found.synchronize is None and found.loss(0, 0) == 0.0


# ---- the data


X, Y = np.arange(24, dtype="f4").reshape(6, 2, 2), np.arange(6)


def changed(array, place, value):
    array = array.copy()
    array[place] = value
    return array


@pytest.mark.parametrize(
    ("x", "y", "said"),
    [
        (changed(X, 5, 0.5), Y, "1 of 6 training samples .* first sample 5 .*differ by up to"),
        (X, changed(Y, 2, 3), r"first sample 2 \(label 3, the data set's 2"),
        (X, Y[::-1], "6 of 6|4 of 6"),
        (changed(X, 5, X[0]), changed(Y, 5, 0), "some samples twice and lacks others"),
        (X[:5], Y[:5], r"samples have shape \(5, 2, 2\), the data set's \(6, 2, 2\)"),
        (X.swapaxes(1, 2), Y, "6 of 6 training samples"),
        (X, Y + 0.5, "no whole numbers"),
    ],
)
def test_other_samples_and_labels_are_named(x, y, said):
    with pytest.raises(data.DataMismatch, match=said):
        data.compare("training", x, y, X, Y)


def test_another_order_and_another_layout_in_memory_are_no_other_data():
    order = np.random.default_rng(0).permutation(6)
    data.compare("training", np.asfortranarray(X[order]), Y[order].astype("i4"), X, Y)


# ---- the parts of a proof


class Counting(Prover):
    """Of parts that always hold, but for the last, whose adapter fails."""

    PARTS = {"one": ["a"], "two": ["b", "c"], "three": ["d"], "four": ["e"]}

    def hold(self, *parts):
        for part in parts:
            self.proof.add(part, 0, 1, "", f"{part} holds")

    def one(self):
        self.hold("a")

    def two(self):
        self.hold("b", "c")

    def three(self):
        self.hold("d")

    def four(self):
        raise AdapterError("no e")


def counting(changed=(), precision="fp32"):
    found = types.SimpleNamespace(defaults={"EPOCHS": 5, "LEARNING_RATE": 0.1, "PRECISION": "bf16", "SEED": 1})
    reference = types.SimpleNamespace(spec={"settings": {"EPOCHS": 1}})
    return Counting(found, None, reference, precision=precision, changed=changed)


@pytest.mark.parametrize("parts", [["a", "b", "c", "d"], ["a", "d"], ["d"], []])
def test_the_parts_that_are_asked_for_are_computed_and_no_others(parts):
    assert list(counting().prove(parts[::-1]).parts) == parts


def test_an_adapter_that_fails_leaves_the_parts_before_it_printed(capsys):
    with pytest.raises(AdapterError, match="no e"):
        counting().prove(["a", "c", "e"])
    assert re.findall("(.) holds", capsys.readouterr().out) == ["a", "b", "c"]


def test_settings_of_a_proof_are_the_lesson_s_but_for_those_of_the_reference():
    assert counting().own == {"EPOCHS": 1}
    assert counting(["EPOCHS", "LEARNING_RATE"], "tf32").own == {"EPOCHS": 1, "LEARNING_RATE": 0.1, "PRECISION": "fp32"}


@pytest.mark.parametrize("kind", [kind for kind in SESSIONS if kind != "calls"])  # whose parts are a lesson's forms
def test_a_round_leaves_parts_out_and_a_check_has_all(kind):
    """What is declared for a row is what its prover computes, in that order, also less what its rounds leave out."""
    prover, all_parts, left_out = importlib.import_module(SESSIONS[kind]).Session.PROVER, set(), set()

    def computed(parts):
        return [part for own in prover.PARTS.values() if set(own) & set(parts) for part in own]

    declared = kernels.declarations()
    works = {name: work for name, work in declared.workloads.items() if work.proof == kind}
    for row in [row for p in declared.profiles for device in ("cpu", "gpu") for row in kernels.rows(p, device)]:
        if row.workload in works:
            brief = [part for part in row.proof_parts if part not in row.without]
            assert computed(row.proof_parts) == row.proof_parts and computed(brief) == brief, row.id
            all_parts, left_out = all_parts.union(row.proof_parts), left_out.union(row.without)
    for work in works.values():
        whole = [*work.proof_parts, *work.table.get("full_proof_parts", [])]
        assert computed(whole) == whole
        all_parts.update(whole)
    assert all_parts == {part for own in prover.PARTS.values() for part in own}
    assert all(callable(getattr(prover, name)) for name in prover.PARTS)
    assert bool(left_out) == (kind != "outputs")


# ---- masks of dropout


def losses_of(reference, kept):
    """What the passes say where those places are kept."""
    asked, places = reference.spec["dropout"]["masks"], kept.shape[1]
    own = np.log(2**places - (kept << np.arange(places)).sum(axis=1))
    return (own + (asked["samples"] - 1) * np.log(2**places)) / asked["samples"]


def right(x):
    return x


def one_seed(x):  # every layer has the first one's numbers
    return np.repeat(x[:, :1], x.shape[1], axis=1)


def two_layers(x):
    return np.column_stack([x[:, 1], *x.T[1:]])


def every_second(x):  # a clock that is slower than the passes
    return np.repeat(x[::2], 2, axis=0)


def larger_rates(x):
    return x * 0.6


@pytest.mark.parametrize(
    "change, said",
    [
        (right, "passes independent"),
        (one_seed, "not independent; least likely: pixel 3 of layer 1 and channel 3"),
        (two_layers, "not independent; least likely: pixel 3 of layer 1 and channel 3 of layer 1"),
        (every_second, "not independent; least likely: .* in a pass and the next"),
        (np.ones_like, "not independent; least likely: how often .* is kept"),
        (larger_rates, "not independent; least likely: how often .* is kept"),
    ],
)
def test_masks_that_are_not_independent_are_named(change, said):
    reference = Reference("cnn_cifar10")
    asked = reference.spec["dropout"]["masks"]
    numbers = np.random.default_rng(5).random((asked["passes"], len(asked["places"])))
    kept = (change(numbers) >= [rate for _, rate in asked["places"]]).astype(int)
    proof = Proof(reference)
    masks.judge(proof, losses_of(reference, kept))
    assert re.search(said, proof.parts["masks"]["text"])
    assert proof.parts["masks"]["passed"] == (change is right)


def test_a_loss_that_masks_cannot_give_is_named():
    proof = Proof(Reference("cnn_cifar10"))
    masks.judge(proof, [np.log(10.0)] * 160)
    assert "no masks can give" in proof.failures()[0]


def test_few_right_masks_are_refused():
    random = np.random.default_rng(0).random((2000, 2, 160))
    assert max(masks.together(a >= 0.25, b >= 0.5) for a, b in random) < masks.CHANCE
    counts, refused = np.arange(161), 0.0
    for count in counts:
        if masks.often(counts[1:] <= count, 0.25) > masks.CHANCE:
            refused += np.exp(masks.ways(160, count) + count * np.log(0.75) + (160 - count) * np.log(0.25))
    assert 1e-8 < refused < 10**-masks.CHANCE


def test_losses_show_the_masks_of_the_reference_network():
    """The weights of this part, in the reference's own network."""
    spec = importlib.util.spec_from_file_location("make", lessons.ROOT / "notebooks/cnn_cifar10/reference/make.py")
    make = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(make)
    reference, rng = Reference("cnn_cifar10"), np.random.default_rng(0)
    weights, (x, y) = make.here(masks.weights(reference), np.float32), masks.samples(reference)
    first, losses, true = make.block(weights, make.images(x, np.float32), "conv1", "conv2")[0], [], []
    shapes = first.shape, (len(x), 8, 8, 100), (len(x), 512)
    for _ in range(20):
        m1, m2, m3 = [(rng.random(s) >= r) / np.float32(1 - r) for s, r in zip(shapes, make.RATES, strict=True)]
        second = make.block(weights, first * m1, "conv3", "conv4")[0]
        hidden = make.dense(weights, second * m2)[1][1]
        losses.append(make.cross_entropy(hidden * m3 @ weights["dense2.weight"] + weights["dense2.bias"], y)[0])
        true.append([m1[0, 0, 3, 0], m1[0, 0, 0, 3], m2[0, 0, 3, 0], m2[0, 0, 0, 3], m3[0, 3]])
    assert (masks.kept(reference, losses) == (np.array(true) > 0)).all()


def made_by(workload):
    """The module reference/make.py of a workload."""
    spec = importlib.util.spec_from_file_location("make", lessons.ROOT / "notebooks" / workload / "reference/make.py")
    make = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(make)
    return make


def test_the_stored_reference_of_the_small_network_is_what_its_program_computes():
    """Within rounding; its gradients are the slope of the loss."""
    make, reference = made_by("mlp_mnist"), Reference("mlp_mnist")
    found = make.made(reference)
    assert set(found) == set(reference.results)
    for name, value in found.items():
        if "bound" in name:  # of rounding itself
            assert (0.1 < value / reference.results[name]).all() and (value / reference.results[name] < 10).all(), name
        else:
            np.testing.assert_allclose(value, reference.results[name], rtol=1e-11, atol=1e-14, err_msg=name)
    wrong = {name: -value for name, value in make.Maker(reference).gradients().items()}
    slope, difference = make.Maker(reference).slopes({name[len("gradient.") :]: g for name, g in wrong.items()})
    assert not np.allclose(slope, difference, rtol=0.1)


@pytest.mark.parametrize(
    ("workload", "variant"), [("mlp_mnist_batch", "results"), ("cnn_mnist", "results"), ("cnn_mnist", "ties")]
)
def test_the_stored_references_of_mnist_in_float32_are_what_their_programs_compute(workload, variant):
    """All that takes no training of the whole sample; with one perturbed run, so less its bounds."""
    make, reference = made_by(workload), Reference(workload, variant)
    make.RUNS = 1
    maker = make.Maker(reference)
    found = {**maker.gradients(), **maker.change(), **maker.evaluation()}
    assert set(found) | {"losses", "loss_bounds"} == set(reference.results)
    for name, value in found.items():
        if "bound" not in name:
            np.testing.assert_allclose(value, reference.results[name], rtol=1e-9, atol=1e-12, err_msg=name)
    wrong = {name[len("gradient.") :]: -value for name, value in found.items() if name.startswith("gradient.")}
    slope, difference = maker.slopes(wrong)
    assert variant == "ties" or not np.allclose(slope, difference, rtol=0.1)


# ---- the timed run


def test_a_lesson_without_batches_takes_all_samples_in_each_step(tmp_path):
    """An epoch is a step then, the rate is in samples, and predict is called once, behind the last step."""
    cells = {"parameters": "RATE = 0.5\nEPOCHS = 3", "data": "x_train = y_train = x_test = y_test = None"}
    labels, asked, predicted = np.arange(7), [], []
    given = adapters(
        data=lambda: ((labels, labels), (labels, labels)),
        train=lambda x, y, order: asked.append(sorted(order)) or [1.0],
        predict=lambda x: predicted.append(len(asked)) or labels,
    )
    found = lesson(tmp_path, {}, **cells)
    clock, accuracies = timed.run(found, given, 0)
    assert asked == [list(range(7))] * 3 and predicted == [3] and accuracies == [1.0]
    seconds = clock.seconds["training"]
    assert clock.measurements()["training rate"][1] == pytest.approx([7 / one for one in seconds])
    batches = lesson(tmp_path, {}, **{**cells, "parameters": "RATE = 0.5\nEPOCHS = 3\nBATCH_SIZE = 7"})
    assert timed.run(batches, given, 0)[1] == [1.0] * 3


# ---- bytes


def test_bytes_come_back_from_numbers_between_0_and_1():
    images = np.random.default_rng(0).integers(0, 256, (2500, 3), dtype=np.uint8)
    assert (data.to_bytes(images.astype(np.float32) / 255) == images).all()
    assert data.to_bytes(images.astype(np.float32) / 255).dtype == np.uint8
    wrong = images.astype(np.float32) / 256
    assert data.to_bytes(wrong).dtype == np.float32, "to be seen"


# ---- what is executed


@pytest.mark.parametrize("kind", ["proof", "round", "full"])
def test_a_run_is_the_lesson_and_then_the_referee(kind):
    path = lessons.LESSONS[0]
    content = Notebook(path)
    made = compose.compose(content.content, kind, True, content.check, {"session": "referee.session", "seconds": 0})
    code = [cell for cell in made["cells"] if cell["cell_type"] == "code"]
    sources = ["".join(cell["source"]) for cell in code]
    asked = [source for cell, source in zip(code, sources, strict=True) if "referee" in cell["metadata"]["tags"]]
    own = [source for tag, source in content.cells if kind == "full" or tag not in OWN]
    assert [source for source in sources if source not in asked] == own and asked[1] == content.check.read_text()
    behind = {
        "proof": ["referee.prove()", "referee.record()"],
        "round": ["referee.prove()", "referee.measure()", "referee.record()"],
        "full": ["referee.judge()", "referee.count()", "referee.record()"],
    }
    assert asked[2:] == behind[kind] and sources[-1] == "referee.record()"
    if kind == "full":
        place = sources.index("referee.judge()")
        assert code[place - 3]["metadata"]["tags"] == ["run"], "what the run came to, before another cell trains on"
        assert sources[-2] == "referee.count()" and place < len(sources) - 3


def test_what_an_editor_adds_to_a_lesson_is_no_change(tmp_path):
    """JupyterLab saves an empty cell, other metadata, outputs and counts."""
    path = lessons.LESSONS[0]
    (tmp_path / "checks").mkdir()
    (tmp_path / "checks" / f"{path.stem}.py").write_text(Notebook(path).check.read_text())
    content = json.loads(path.read_text())
    content["metadata"]["language_info"] |= {"version": "3.13.1", "pygments_lexer": "ipython3"}
    content["cells"].append({"cell_type": "code", "metadata": {}, "source": [], "outputs": [], "execution_count": None})
    content["cells"][2]["outputs"], content["cells"][2]["execution_count"] = [], 7
    saved = tmp_path / path.name
    saved.write_text(json.dumps(content))
    assert Notebook(saved).digests() == Notebook(path).digests()
    assert Notebook(saved).parameters == Notebook(path).parameters


@pytest.mark.parametrize("kind", SESSIONS)
def test_a_full_run_of_every_kind_ends_with_a_count(kind):
    """What an epoch allocates and where its time goes are told by checks of lessons that train in memory alone."""
    module = importlib.import_module(SESSIONS[kind])
    (known,) = {one for one in vars(module).values() if isinstance(one, type) and issubclass(one, Adapters)}
    session, there = object.__new__(module.Session), object.__new__(known)
    there.check = types.SimpleNamespace(profile=lambda: {"update": 2.0})
    for name in known.OPTIONAL:
        setattr(there, name, getattr(there.check, name, None))
    session.adapters, session.count_allocations = lambda: there, lambda adapters: (3, 4)
    session.measured, session.tables = {}, {}
    session.count()
    assert [*session.measured, *session.tables] == ["allocations", "allocated", "profile"] * (kind == "training")


# ---- what a lesson's own run came to

LABELS, FALLING = np.array([0, 0, 0, 1, 1, 2, 2, 3, 3, 4]), np.array([2.0, 1.5, 1.2, 1.0])


def judged(steps=4, losses=FALLING, shown=1.0, predicted=LABELS, long=4):
    """The measured test accuracy of a run of two epochs of ten samples in mini-batches of five."""
    found = object.__new__(session.Session)
    found.lesson = types.SimpleNamespace(
        name="one.ipynb",
        given={"EPOCHS": 2, "BATCH_SIZE": 5},
        named=lambda *_: [None],
        history=lambda: (steps, losses, shown),
    )
    given = adapters(data=lambda: ((LABELS, LABELS), (LABELS, LABELS)), predict=lambda x: predicted)
    found.reference, found.adapters = types.SimpleNamespace(spec={"long": long}), lambda: given
    found.look, found.measured = lambda _: None, {}
    found.judge()
    return found.measured["test accuracy"]


def test_a_right_run_is_believed_and_a_short_one_need_not_have_learned():
    assert judged() == ("%", [100.0])
    assert judged(losses=np.full(4, 2.0), shown=0.3, predicted=0 * LABELS, long=5) == ("%", [pytest.approx(30)])


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"steps": 3}, "its history holds 3 steps; the settings promise 4"),
        ({"losses": np.array([2, np.nan, 1, 1])}, "with finite losses"),
        ({"losses": np.array([2, 2, 2, 1.99])}, "its loss did not fall"),
        ({"shown": 0.9}, "ends with a test accuracy of 90.00%; predict is right on 100.00%"),
        ({"shown": 0.3, "predicted": 0 * LABELS}, "commonest class, on 30.00%"),
    ],
)
def test_what_a_training_lesson_shows_is_counted(wrong, said):
    with pytest.raises(LessonError, match=said):
        judged(**wrong)
