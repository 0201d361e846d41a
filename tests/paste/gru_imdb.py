DATA = """
rng = np.random.default_rng(0)
x, y, order = rng.integers(0, 30000, (70, 150)), rng.integers(0, 2, 70), np.arange(70)
"""
FRAMEWORKS = {"numpy": "", "pytorch": "x, y, order = [torch.from_numpy(a) for a in (x, y, order)]"}
