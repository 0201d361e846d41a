"""The referee of lessons about repeated calls: what it notices of forms, results, counts and profiles."""

import types

import numpy as np
import pytest

from referee.adapters import AdapterError
from referee.calls import counted, prove
from referee.calls.adapters import COUNTS, CallAdapters
from referee.calls.reference import ADDRESS, LINE, CallReference, placed
from referee.calls.session import Session
from referee.data import DataMismatch
from referee.lesson import LessonError
from referee.proof import ProofError

REFERENCE = CallReference("affine_transfer")
FORMS = ["NumPy", "all kept"]
SMALL = tuple(np.float32(one) for one in np.random.default_rng(1).normal(size=(3, 4, 4)))


def in_numpy(m, x, b, calls):
    for _ in range(calls):
        y = m @ x + b
    return y


def in_place(m, x, b, calls):
    y = np.empty_like(b)
    for _ in range(calls):
        np.matmul(m, x, out=y)
        y += b
    return y


def rows(calls):
    return [("mm", "product", calls, 5.0), ("add", "sum", calls, 1.0)]


def adapters(form=in_numpy, **changes):
    """CallAdapters of a check that is right but for the changes; None: it lacks that one."""
    right = {
        "forms": lambda: dict.fromkeys(FORMS, form),
        "compute": lambda name, *given: form(*given),
        "profile": lambda name, m, x, b, calls: (form(m, x, b, calls), rows(calls)),
    }
    right.update(changes)
    check = types.SimpleNamespace(**{name: one for name, one in right.items() if one})
    return CallAdapters(check, "checks/one.py", "one.ipynb", REFERENCE)


class Lesson:
    """One that has nothing to run again."""

    name, defaults = "one.ipynb", {}

    def __init__(self, calls):
        self.given = {"CALLS": calls}

    def rerun(self):
        """Nothing."""


def proven(form=in_numpy, calls=3, **changes):
    prover = prove.CallsProver(Lesson(calls), adapters(form, **changes), REFERENCE)
    return prover.prove([*FORMS, *COUNTS])


# ---- counting on NumPy's arrays


@pytest.mark.parametrize(
    ("work", "products", "sums"),
    [
        (lambda m, x, b: m @ x + b, 1, 1),
        (lambda m, x, b: in_numpy(m, x, b, 3), 3, 3),
        (lambda m, x, b: in_place(m, x, b, 3), 3, 3),
        (lambda m, x, b: m.dot(x) + b, 1, 1),
        (lambda m, x, b: np.dot(m, x) + b, 1, 1),
        (lambda m, x, b: np.add(np.matmul(m, x), b), 1, 1),
        (lambda m, x, b: [m @ x + b] + [b for _ in range(4)], 1, 1),
        (lambda m, x, b: (m @ x, [b + b for _ in range(4)]), 1, 4),
        (lambda m, x, b: np.asarray(m) @ np.asarray(x) + np.asarray(b), 0, 0),
    ],
)
def test_products_and_sums_are_counted(work, products, sums):
    found = counted.operations(lambda arrays: work(*arrays), SMALL)
    assert found == {"products": products, "sums": sums}


def test_counting_changes_no_result_and_no_matrix():
    before = [one.copy() for one in SMALL]
    for form in (in_numpy, in_place):
        kept = []
        counted.operations(lambda arrays, form=form, kept=kept: kept.append(form(*arrays, 2)), SMALL)
        assert np.array_equal(kept[0], in_numpy(*SMALL, 1))
    assert all(map(np.array_equal, before, SMALL))


# ---- the proof


def test_right_forms_pass_with_all_parts_and_a_table():
    proof = proven()
    assert list(proof.parts) == [*FORMS, "products", "sums"] and not proof.failures()
    assert [line[:3] for line in proof.lines] == [["all kept", "mm", 3], ["all kept", "add", 3]]
    assert sum(line[4] for line in proof.lines) == pytest.approx(100) and all(
        len(line) == len(prove.COLUMNS) for line in proof.lines
    )
    assert proven(in_place).summary()["passed"] and proof.plot().png[:4] == b"\x89PNG"


KEPT = []


def kept_from_the_first(m, x, b, calls):
    KEPT[:] = KEPT or [in_numpy(m, x, b, calls)]
    return KEPT[0]


def hoisted(m, x, b, calls):
    p = m @ x
    for _ in range(calls):
        y = p + b
    return y


def summed_once(m, x, b, calls):
    for _ in range(calls):
        y = m @ x
    return y + b


@pytest.mark.parametrize(
    ("form", "said"),
    [
        (kept_from_the_first, r"row \d+ of y with matrices 1 is off"),
        (lambda m, x, b, calls: in_numpy(m.T, x, b, calls), r"NumPy: row \d+ of y with matrices \d is off"),
        (lambda m, x, b, calls: in_numpy(m, x, b, calls) + np.float32(1e-2), "is off by"),
        (lambda m, x, b, calls: in_numpy(m, np.float16(x).astype("float32"), b, calls), "is off by"),
        (hoisted, "products: NumPy computes 1 in 2 calls"),
        (summed_once, "sums: NumPy computes 1 in 2 calls"),
        (lambda m, x, b, calls: in_numpy(m, x, b, calls + 1), "products: NumPy computes 3 in 2 calls"),
    ],
)
def test_a_wrong_form_fails(form, said):
    proof = proven(form)
    with pytest.raises(ProofError, match=said):
        proof.require()


@pytest.mark.parametrize(
    ("found", "said"),
    [
        ([("mm", "product", 1, 5.0), ("add", "sum", 3, 1.0)], "products: all kept computes 1 in 3 calls"),
        ([("mm", "product", 3, 5.0)], "sums: all kept computes 0 in 3 calls"),
        ([("gemm", "product and sum", 2, 5.0), ("mm", "product", 1, 1.0)], "sums: all kept computes 2 in 3 calls"),
    ],
)
def test_a_profile_with_other_counts_fails(found, said):
    proof = proven(profile=lambda name, *given: (in_numpy(*given), found))
    assert said in "; ".join(proof.failures())


def test_product_and_sum_in_one_operation_count_as_both():
    assert prove.totals([("gemm", "product and sum", 3, 1.0), ("back", "back", 3, 1.0)]) == {"products": 3, "sums": 3}


def test_what_was_shown_before_an_adapter_fails_is_printed(capsys):
    with pytest.raises(AdapterError):
        proven(profile=lambda *given: None)
    assert "NumPy: row" in capsys.readouterr().out


# ---- adapters


def missing(*_):
    return form  # noqa: F821


ARRAYS = tuple(np.zeros((2, 2), np.float32) for _ in range(3))


@pytest.mark.parametrize(
    ("changes", "use", "said"),
    [
        ({"profile": None}, lambda a: a, "lacks the adapter profile: `check` must have forms, compute, profile"),
        ({"forms": None, "compute": None}, lambda a: a, "lacks the adapter forms, compute"),
        ({"compute": missing}, lambda a: a.compute("NumPy", ARRAYS, 1), "name 'form' is not defined: one.ipynb must"),
        ({"forms": lambda: ["NumPy"]}, lambda a: a.names(FORMS), r"forms\(\) gave NumPy; expected: NumPy, all kept"),
        ({"forms": dict}, lambda a: a.names(FORMS), "gave nothing; expected"),
        ({}, lambda a: a.looked_at(np.zeros((2, 3), np.float32), (2, 2)), r"float32 of shape \(2, 3\); expected: fl"),
        ({}, lambda a: a.looked_at(np.zeros((2, 2)), (2, 2)), r"compute\(\) gave float64 of shape"),
        ({}, lambda a: a.looked_at(np.float32([[0, np.nan]]), (1, 2)), "1 values that are not finite"),
        ({"compute": lambda *_: "y"}, lambda a: a.looked_at(a.compute("", ARRAYS, 1), (2, 2)), "of shape"),
        (
            {"profile": lambda *_: 1},
            lambda a: a.profile("", ARRAYS, 1, (2, 2)),
            r"int; expected: \(y, rows of the prof",
        ),
        (
            {"profile": lambda *_: (ARRAYS[0], [("mm", "products", 1, 1.0)])},
            lambda a: a.profile("", ARRAYS, 1, (2, 2)),
            "the row .*products.*; expected: .operation, kind, calls, milliseconds., a kind of to the device, product",
        ),
        (
            {"profile": lambda *_: (ARRAYS[0], [("mm", "product", 1, np.nan)])},
            lambda a: a.profile("", ARRAYS, 1, (2, 2)),
            "nan as value 1; expected: finite numbers",
        ),
        ({"profile": lambda *_: (ARRAYS[0], [("mm", 1)])}, lambda a: a.profile("", ARRAYS, 1, (2, 2)), "the row"),
    ],
)
def test_a_wrong_adapter_is_named_with_its_file(changes, use, said):
    with pytest.raises(AdapterError, match=said) as raised:
        use(adapters(**changes))
    assert "checks/one.py" in str(raised.value)


# ---- a session


SOURCES = {
    "parameters": "CALLS = 2\nSIZE = 30",
    "setup": "import numpy as np",
    "data": 'm, x, b = np.random.default_rng(2015).standard_normal((3, SIZE, SIZE)).astype("float32")',
    "infer": "def form(m, x, b, calls):\n    for _ in range(calls):\n        y = m @ x + b\n    return y\n\n\n"
    'forms = {"NumPy": form, "all kept": form}',
    "profile": "def profiled(form, m, x, b, calls):\n    return form(m, x, b, calls), "
    '[("mm", "product", calls, 5.0), ("add", "sum", calls, 1.0)]',
    "run": 'profiles = {"all kept": profiled(form, m, x, b, CALLS)[1]}',
}
CHECK = """class check:
    def forms():
        return forms

    def compute(form, *given):
        return forms[form](*given)

    def profile(form, *given):
        return profiled(forms[form], *given)
"""


def session(folder, **changes):
    """A Session of a small lesson whose cells were executed."""
    import json

    from tests.fixtures import fake_repo

    sources = {**SOURCES, **changes}
    content = fake_repo.notebook()
    content["cells"] = [
        {"cell_type": "code", "metadata": {"tags": [tag]}, "source": source} for tag, source in sources.items()
    ]
    path, space = folder / "one.ipynb", {}
    path.write_text(json.dumps(content))
    for source in [*sources.values(), CHECK]:
        exec(source, space)
    job = {"workload": "affine_transfer", "row": "one", "framework": "numpy", "precision": "fp32", "device": "cpu"}
    job |= {"lesson": str(path), "check": "checks/one.py", "data": "", "reference": "results", "changed": []}
    job |= {"seconds": 0, "threads": 1, "packages": {"numpy": ["numpy"]}, "record": ""}
    return Session(job | {"parts": [*FORMS, *COUNTS]}, space)


def test_a_session_proves_times_and_records(tmp_path):
    found = session(tmp_path)
    assert found.prove().png and found.measure() is None
    record = found.record()
    assert record["proof"]["kind"] == "calls" and record["proof"]["passed"] and record["data"] is None
    names = {"NumPy", "all kept", "rate", "first call", "peak memory"}
    assert set(record["measurements"]) == names and record["measurements"]["rate"]["unit"] == "1/s"
    assert [row[6] for row in record["tables"]["profile"]["rows"]] == ["product", "sum"]
    assert record["parameters"]["CALLS"] == 2 and record["parameters"]["SIZE"] == 30


def test_a_full_run_is_judged(tmp_path):
    found = session(tmp_path)
    found.judge()
    assert found.record()["tables"]["profile"]["rows"][0][:3] == ["all kept", "mm", 2]


@pytest.mark.parametrize(
    ("changes", "error", "said"),
    [
        ({"data": SOURCES["data"] + "\nx[0, 0] = 1"}, DataMismatch, "x is not the workload's matrix: row 0 is the"),
        (
            {"data": SOURCES["data"] + "\nb = b[:3]", "run": "profiles = {}"},
            DataMismatch,
            r"b is float32 of shape \(3, 30\); the workload's",
        ),
        ({"data": SOURCES["data"] + "\nm = m.astype(float)"}, DataMismatch, "m is float64"),
        ({"data": SOURCES["data"] + "\nz = b\ndel b", "run": "profiles = {}"}, LessonError, "one.ipynb defines no b"),
        ({"run": "profile = {}"}, LessonError, "one.ipynb defines no profiles"),
        ({"run": "profiles = {}"}, LessonError, "its profiles lack 'all kept'; they have none"),
        (
            {"run": 'profiles = {"all kept": profiled(form, m, x, b, 1)[1]}'},
            LessonError,
            "its profile of 'all kept' has 1 products; the settings promise 2",
        ),
        (
            {"infer": SOURCES["infer"].replace("m @ x + b", "m @ x")},
            LessonError,
            "y of 'NumPy' is off by .* times the root of 30",
        ),
    ],
)
def test_what_a_lesson_leaves_is_looked_at(tmp_path, changes, error, said):
    with pytest.raises(error, match=said):
        session(tmp_path, **changes).judge()


def test_matrices_of_another_language_must_be_such_a_draw(tmp_path):
    found = session(tmp_path, data="rng = np.random.default_rng(7)\nm, x, b = rng.normal(size=(3, 30, 30)).astype('f')")
    found.space.apart = True
    found.look(found.adapters())
    found.space["x"][:] *= 1.5
    with pytest.raises(DataMismatch, match=r"x is no draw from N\(0, 1\): its mean is .*, its deviation 1.5"):
        found.look(found.adapters())


def test_a_timed_run_with_a_wrong_result_fails(tmp_path):
    with pytest.raises(LessonError, match="is off by"):
        session(tmp_path, infer=SOURCES["infer"].replace("m @ x + b", "m @ x - b")).measure()


# ---- the matrices


def test_matrices_are_those_that_lessons_draw():
    ours = np.random.default_rng(2015).standard_normal((3, 30, 30)).astype("float32")
    assert all(map(np.array_equal, ours, REFERENCE.drawn(30)))
    assert all(map(np.array_equal, REFERENCE.drawn(1000), REFERENCE.weights().values()))


def test_sets_differ_and_lie_where_no_luck_decides():
    sets = REFERENCE.sets()
    assert len(sets) == 3 and all(one.ctypes.data % LINE == ADDRESS for arrays in sets for one in arrays)
    assert not np.array_equal(sets[0][1], sets[1][1]) and not np.array_equal(sets[0][0], sets[2][0])
    array = np.arange(12.0).reshape(3, 4)
    assert np.array_equal(placed(array), array) and placed(array).flags.writeable


def test_bounds_are_tight():
    bounds = [float(REFERENCE.results[f"y{number}.bound"]) for number in range(len(REFERENCE.spec["sets"]))]
    assert all(1e-6 < bound < 1e-5 for bound in bounds), bounds
