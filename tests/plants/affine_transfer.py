"""What the plants of the lessons of affine_transfer share: what the referee must say, and the classes of mistakes.

SHARED are planted in each of them as they are; ``hoisted`` and others make those whose text differs.
"""

COUNT = r"(products|sums): .+ computes \d+ in \d+ calls"
PRODUCTS, SUMS = [COUNT.replace("(products|sums)", part) for part in ("products", "sums")]
ROW = r"row \d+ of y with matrices \d is off"
OTHERS = r"row \d+ of y with matrices [12] is off"  # right with those that a form was given first
TYPE = r"\(\) gave float\d+ of shape \(1000, 1000\); expected: float32 of shape"
MATRIX = "is not the workload's matrix|the workload's is float32"
LEFT = r"its profile of '.+' has \d+ (products|sums); the settings promise"
OFF = r"y of '.+' is off by"

CLASSES = {  # words in the name of a plant of each class; each lesson has plants of every one
    "hoisting": "hoisted",
    "fewer calls": "one call fewer",
    "the sums": "sum once|b added once",
    "kept results": "kept from the first",
    "operands": "transposed|exchanged",
    "the sum left out or doubled": "b (added twice|left out)",
    "precision": "rounded to",
    "the dtype": "in float64",
    "the profile": "profile that",
    "the data": "altered",
    "the lesson's own run": "lesson's",
}

DRAWN = 'm, x, b = rng.standard_normal((3, SIZE, SIZE)).astype("float32")'
SHARED = {
    "a matrix altered in Data": ([(DRAWN, DRAWN + "\nx[-1, -1] += 1\n")], MATRIX),
    "a matrix altered in Data: float64": ([(DRAWN, DRAWN.replace('.astype("float32")', ""))], MATRIX),
    "another seed, all matrices altered": ([("default_rng(2015)", "default_rng(2016)")], MATRIX),
    "the lesson's profiles of half of the calls": (
        [("y, profiles[name] = profiled(forms[name], m, x, b, CALLS)", "y, profiles[name] = profiled(forms[name], m, x, b, CALLS // 2)")],
        LEFT,
    ),
}

AFFINE = "return m @ x + b"
TF32 = "((x.view(np.int32) + 4096) & -8192).view(np.float32)"

FEWER = """def fewer(form):
    return lambda m, x, b, calls, *more, **named: form(m, x, b, max(1, calls - 1), *more, **named)


@fewer
"""
KEPT = """def kept(form):
    found = []

    def first(*given, **named):
        found[:] = found or [form(*given, **named)]
        return found[0]

    return first


@kept
"""


def decorated(text, *names):
    """The changes that put a decorator before the functions of these names."""
    return [("def {}(".format(name), text + "def {}(".format(name)) for name in names]


def wrapped(*names):
    """The plants of every form of these names: calls left out, results kept."""
    found = {}
    for name in names:
        found["one call fewer in " + name] = decorated(FEWER, name), COUNT
        found["the result of {} kept from the first call".format(name)] = decorated(KEPT, name), OTHERS
    return found


def placed(product="{} @ {}", transposed="{}.T", indent="    "):
    """The plants of a lesson with to_device and to_numpy: how it writes a product, and a transposed matrix.

    ``indent``: of the loops' lines.
    """
    loop = "{0}for _ in range(calls):\n{0}    y = affine(m, x, b)\n{0}return to_numpy(y)".format(indent)
    call = "y = to_numpy(affine(m, to_device(x), b))"
    kept = "{0}for _ in range(calls):\n{0}    {1}".format(indent, call)
    hoisted = "{0}p = {1}\n{0}for _ in range(calls):\n{0}    y = {2}"
    here, there = product.format("m", "x"), product.format("m", "to_device(x)")
    moved = "m, x, b = to_device(m), to_device(x), to_device(b)"
    return {
        "the product hoisted out of the loop": (
            [(loop, hoisted.format(indent, here, "p + b") + "\n{}return to_numpy(y)".format(indent))],
            PRODUCTS,
        ),
        "the product hoisted where the parameters are kept": (
            [(kept, hoisted.format(indent, there, "to_numpy(p + b)"))],
            PRODUCTS,
        ),
        "the sum once": (
            [(loop, loop.replace("affine(m, x, b)", here).replace("to_numpy(y)", "to_numpy(y + b)"))],
            SUMS,
        ),
        "m transposed on the device alone": (
            [(moved, moved.replace("to_device(m)", transposed.format("to_device(m)")))],
            "all kept: " + ROW,
        ),
        "m and x exchanged": (
            [("affine(to_device(m), to_device(x)", "affine(to_device(x), to_device(m)")],
            "all handed over: " + ROW,
        ),
        "b left out where the parameters are kept": (
            [(call, call.replace("affine(m, to_device(x), b)", there))],
            "parameters kept: " + ROW,
        ),
        "x rounded to TF32": ([(kept, "{}x = {}\n{}".format(indent, TF32, kept))], "parameters kept: " + ROW),
    }


PLACED = ("in_numpy", "hand_over_all", "keep_parameters", "keep_all")  # the forms of such a lesson
