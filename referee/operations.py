"""How long NumPy's operations take in a piece of work, and what of it the making of new arrays costs."""

import time

import numpy as np

PRODUCTS = {"dot", "matmul", "vdot", "inner", "tensordot"}
SPENT = dict.fromkeys(("products", "elementwise", "new arrays"), 0.0)  # seconds


class Watched(np.ndarray):
    """An array whose operations add their time to SPENT.

    A call of a ufunc, or of a product such as ``np.dot``, that made a new array is done once more, into that array:
    what it took longer the first time is the price of new memory. All else that NumPy hands to this class, such as a
    sum over an axis, is done once and counts as elementwise. The method ``array.dot`` and an assignment to a slice are
    not seen.
    """

    def __array_ufunc__(self, ufunc, method, *inputs, **options):
        return _timed(ufunc.__name__, getattr(ufunc, method), inputs, options, method == "__call__")

    def __array_function__(self, function, types, inputs, options):
        return _timed(function.__name__, function, inputs, options, function.__name__ in {*PRODUCTS, "outer"})


def watch(array):
    """The same numbers, watched."""
    return np.asarray(array).view(Watched)


def _plain(value):
    if isinstance(value, (list, tuple)):
        return type(value)(_plain(one) for one in value)
    return value.view(np.ndarray) if isinstance(value, Watched) else value


def _timed(name, function, inputs, options, again):
    inputs, options = _plain(inputs), {key: _plain(value) for key, value in options.items()}
    began = time.perf_counter()
    result = function(*inputs, **options)
    spent = time.perf_counter() - began
    if again and options.get("out") is None and isinstance(result, np.ndarray):
        began = time.perf_counter()
        function(*inputs, **dict(options, out=result))
        once_more = time.perf_counter() - began
        SPENT["new arrays"] += spent - once_more
        spent = once_more
    SPENT["products" if name in PRODUCTS else "elementwise"] += spent
    return result.view(Watched) if isinstance(result, np.ndarray) else result


def profile(work):
    """{kind: milliseconds} of ``work(made)``, a function that passes each array through ``made`` before it computes.

    It runs twice: ``made`` is np.asarray, to know how long the whole takes, then ``watch``. "other" is the rest, most
    of it the interpreter's.
    """
    began = time.perf_counter()
    work(np.asarray)
    whole = time.perf_counter() - began
    SPENT.update(dict.fromkeys(SPENT, 0.0))
    work(watch)
    found = {kind: max(0.0, seconds) for kind, seconds in SPENT.items()}
    found["other"] = max(0.0, whole - sum(found.values()))
    return {kind: 1000 * seconds for kind, seconds in found.items()}
