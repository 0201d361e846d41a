"""Mistakes planted in affine_transfer's PyTorch notebook: {name: (changes of the text, what must be said)}."""

LOOP = """    for _ in range(calls):
        y = affine(m, x, b)
    return to_numpy(y)"""
PARAMETERS = """    for _ in range(calls):
        y = to_numpy(affine(m, to_device(x), b))"""

PLANTS = {
    "the product hoisted out of the loop": (
        [(LOOP, "    p = m @ x\n    for _ in range(calls):\n        y = p + b\n    return to_numpy(y)")],
        r"products: the profile counts 1, expected \d+",
    ),
    "the product of the kept parameters hoisted": (
        [(PARAMETERS, "    p = m @ to_device(x)\n    for _ in range(calls):\n        y = to_numpy(p + b)")],
        r"products: the profile counts 1, expected \d+",
    ),
    "one call fewer": (
        [(LOOP, LOOP.replace("range(calls)", "range(calls - 1)"))],
        r"products: the profile counts \d+, expected \d+",
    ),
    "m transposed": ([("return m @ x + b", "return m.T @ x + b")], r"NumPy: sample \d+ is off"),
    "m transposed on the device alone": (
        [
            (
                "m, x, b = to_device(m), to_device(x), to_device(b)",
                "m, x, b = to_device(m).T, to_device(x), to_device(b)",
            )
        ],
        r"all kept: sample \d+ is off",
    ),
    "m and x exchanged": (
        [("affine(to_device(m), to_device(x)", "affine(to_device(x), to_device(m)")],
        r"all handed over: ",
    ),
    "b added twice": ([("return m @ x + b", "return m @ x + b + b")], r"NumPy: sample \d+ is off"),
    "b left out where the parameters are kept": (
        [(PARAMETERS, PARAMETERS.replace("affine(m, to_device(x), b)", "m @ to_device(x)"))],
        r"parameters kept: sample \d+ is off",
    ),
    "bfloat16": (
        [
            ("torch.from_numpy(a).to(device)", "torch.from_numpy(a).to(device, torch.bfloat16)"),
            ("y.cpu().numpy()", "y.float().cpu().numpy()"),
        ],
        r"all handed over: sample \d+ is off",
    ),
}
