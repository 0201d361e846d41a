"""Mistakes planted in affine_transfer's NumPy notebook: {name: (changes of the text, what must be said)}.

A product hoisted out of the loop is not among them: nothing counts NumPy's products, and the proof calls each step
once. The runner fails such a row, whose rate is above the machine's peak.
"""

AFFINE = "return m @ x + b"
KEPT = "np.matmul(m, x, out=y)"

PLANTS = {
    "m transposed": ([(AFFINE, "return m.T @ x + b")], r"NumPy: sample \d+ is off"),
    "m transposed where all is kept": ([(KEPT, KEPT.replace("m,", "m.T,"))], r"all kept: sample \d+ is off"),
    "m and x exchanged where all is kept": ([(KEPT, KEPT.replace("m, x", "x, m"))], r"all kept: sample \d+ is off"),
    "b added twice": ([(AFFINE, AFFINE + " + b")], r"NumPy: sample \d+ is off"),
    "b left out where all is kept": ([("        y += b\n", "")], r"all kept: sample \d+ is off"),
    "element by element": ([(AFFINE, "return m * x + b")], r"NumPy: sample \d+ is off"),
    "x rounded to float16": (
        [(AFFINE, "return m @ x.astype(np.float16).astype(x.dtype) + b")],
        r"NumPy: sample \d+ is off",
    ),
    "x rounded to TF32 where all is kept": (
        [(KEPT, KEPT.replace("x,", "((x.view(np.int32) + 4096) & -8192).view(np.float32),"))],
        r"all kept: sample \d+ is off",
    ),
}
