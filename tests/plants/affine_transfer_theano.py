"""Mistakes planted in affine_transfer's Theano notebook: {name: (changes of the text, what must be said)}."""

ALL = """    y = affine(kept["m"], kept["x"], kept["b"])
    return theano.function([], updates"""
LOOP = """    for _ in range(calls):
        call()
"""
SHARED = '[x], affine(m, x, b), givens=givens, name="parameters kept"'

PLANTS = {
    "the product hoisted out of the loop": (
        [
            (ALL, ALL.replace('affine(kept["m"], kept["x"], kept["b"])', 'kept["p"] + kept["b"]')),
            ('("m", "x", "b", "y")}', '("m", "x", "b", "y", "p")}'),
            (LOOP, '    kept["p"].set_value(m.dot(x))\n' + LOOP),
        ],
        r"products: the profile counts 0, expected \d+",
    ),
    "the loop in theano.scan, which hoists the product": (
        [
            (
                ALL,
                "    y = theano.scan(lambda: affine(kept['m'], kept['x'], kept['b']), n_steps=CALLS)[0][-1]\n"
                "    return theano.function([], updates",
            ),
            (LOOP, "    call()\n"),
        ],
        r"products: the profile counts 1, expected \d+",
    ),
    "constants, whose product is folded": (
        [(ALL, ALL.replace('affine(kept["m"], kept["x"], kept["b"])', "affine(*map(T.constant, globals_of_data()))"))]
        + [("def in_numpy(", "def globals_of_data():\n    return m, x, b\n\n\ndef in_numpy(")],
        r"products: the profile counts 0, expected \d+",
    ),
    "one call fewer": (
        [(LOOP, LOOP.replace("range(calls)", "range(calls - 1)"))],
        r"products: the profile counts \d+, expected \d+",
    ),
    "m transposed": ([("return m.dot(x) + b", "return m.T.dot(x) + b")], r"NumPy: sample \d+ is off"),
    "m transposed on the device alone": (
        [(ALL, ALL.replace('kept["m"]', 'kept["m"].T'))],
        r"all kept: sample \d+ is off",
    ),
    "m and x exchanged": ([("y = call(m, x, b)", "y = call(x, m, b)")], r"all handed over: sample \d+ is off"),
    "b added twice": ([("return m.dot(x) + b", "return m.dot(x) + b + b")], r"NumPy: sample \d+ is off"),
    "b left out where the parameters are kept": (
        [(SHARED, SHARED.replace("affine(m, x, b), givens=givens", "m.dot(x), givens=givens[:1]"))],
        r"parameters kept: sample \d+ is off",
    ),
    "b is never set": (
        [('    kept["b"].set_value(b, borrow=True)\n', '    kept["b"].set_value(0 * b)\n')],
        r"parameters kept: sample \d+ is off",
    ),
    "the result replaces b": (
        [
            ('updates=[(kept["y"], y)]', 'updates=[(kept["b"], y)]'),
            ('return kept["y"].get_value(', 'return kept["b"].get_value('),
        ],
        r"all kept: sample \d+ is off",
    ),
    "the update is forgotten": (
        [('theano.function([], updates=[(kept["y"], y)]', "theano.function([], y")],
        r"all kept has shape \(0, 0\)",
    ),
}
