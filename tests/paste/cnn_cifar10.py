DATA = """
rng = np.random.default_rng(0)
x, y, order = rng.random((70, 3, 32, 32), np.float32), rng.integers(0, 10, 70), np.arange(70)
"""
FRAMEWORKS = {
    "numpy": "x = np.ascontiguousarray(x.transpose(0, 2, 3, 1))",
    "pytorch": "x, y, order = [torch.from_numpy(a) for a in (x, y, order)]",
}
