"""NumPy's operations are timed by kind, whatever stands around them."""

import numpy as np
import pytest

from referee import operations
from tests import test_referee


def test_products_elementwise_operations_and_new_arrays_are_told_apart():
    a, b = np.random.default_rng(1).random((2, 400, 400))
    seen = []

    def work(made):
        x, y = made(a), made(b)
        seen.append((x @ y, np.outer(x[0], y[0]), x + y, np.exp(x, out=made(np.empty_like(a))), x.sum(axis=0)))

    found = operations.profile(work)
    assert list(found) == ["products", "elementwise", "new arrays", "other"] and min(found.values()) >= 0
    assert found["products"] > 0 and found["elementwise"] > 0
    for plain, watched in zip(*seen, strict=True):
        assert isinstance(watched, operations.Watched) and np.array_equal(plain, watched), "the same numbers"


def test_operations_in_place_make_no_new_arrays():
    a, kept = np.ones((300, 300)), np.empty((300, 300))

    def work(made):
        x, out = made(a), made(kept)
        for _ in range(20):
            np.add(x, x, out=out)
            np.dot(x, x, out=out)
            x *= 1

    assert operations.profile(work)["new arrays"] == 0


def test_a_profile_is_a_table():
    columns, rows = test_referee.adapters(profile=lambda: {"products": 1, "other": 2.5}).profiled()
    assert (list(columns), rows) == (["kind", "total, ms"], [["other", 2.5], ["products", 1]])
    given = ["operation", "kind", "total, ms"], [["mm", "products", 3.0]]
    assert test_referee.adapters(profile=lambda: given).profiled() == (given[0], given[1])
    assert test_referee.adapters().profiled() is None


@pytest.mark.parametrize(
    "found", [3, {}, {"products": -1.0}, {"products": float("nan")}, {"products": "3 ms"}, (["kind"], [["products"]])]
)
def test_a_profile_of_another_form_is_named(found):
    with pytest.raises(test_referee.AdapterError, match=r"checks/one.py, profile\(\) gave"):
        test_referee.adapters(profile=lambda: found).profiled()
