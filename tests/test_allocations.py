"""The count of allocations finds a known number of buffers."""

from itertools import repeat

import numpy as np
import pytest

pytest.importorskip("memray")

from referee import allocations  # noqa: E402

SIZE = 1_000_000
FEW = 3  # requests of the interpreter itself, such as a table that grows


def repeated(make, times):
    """A function that calls ``make`` so many times, and drops what it returns."""

    def work():
        for _ in repeat(None, times):
            make()

    return work


@pytest.mark.parametrize("buffers", [0, 1, 40, 300])
@pytest.mark.parametrize("make", [lambda: bytes(SIZE), lambda: np.empty(SIZE, np.uint8)], ids=["Python", "NumPy"])
def test_a_known_number_of_buffers_is_found(make, buffers):
    found, size = allocations.count(repeated(make, buffers))
    assert buffers <= found <= buffers + FEW
    assert 0 <= size - buffers * SIZE <= 100 * buffers + 10000


def test_tensors_are_found():
    torch = pytest.importorskip("torch")
    few, many = [allocations.count(repeated(lambda: torch.empty(SIZE, dtype=torch.uint8), n)) for n in (100, 200)]
    each = (many[0] - few[0]) / 100  # the memory, and the objects of C++ around it
    assert 1 <= each <= 10 and abs(few[0] / 100 - each) < 0.1
    assert SIZE <= (many[1] - few[1]) / 100 <= SIZE + 1000


def test_work_in_place_asks_for_nothing():
    a, b = np.ones(SIZE), np.ones(SIZE)
    assert allocations.count(repeated(lambda: np.add(a, b, out=a), 50))[0] <= FEW
    found, size = allocations.count(repeated(lambda: a + b, 50))
    assert 50 <= found <= 50 + FEW and 0 <= size - 50 * a.nbytes <= 10000


def test_what_is_freed_counts_as_much_as_what_is_kept():
    kept = [None] * 40
    places = iter(range(0, 80))

    def keep():
        kept[next(places) % 40] = bytes(SIZE)

    found, _ = allocations.count(repeated(keep, 40))
    assert 40 <= found <= 40 + FEW


def test_the_work_is_done_twice_and_its_errors_come_through():
    calls = []
    allocations.count(lambda: calls.append(1))
    assert len(calls) == 2
    with pytest.raises(ZeroDivisionError):
        allocations.count(lambda: 1 / 0)
