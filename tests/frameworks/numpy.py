"""NumPy has no guide to stand against: its step is held against PyTorch's."""

SHIFTED = ("((0, 0), (1, 1), (1, 1), (0, 0))", "((0, 0), (0, 2), (0, 2), (0, 0))")
DROPPED = ("if rng is None:", "rng = rng or np.random.default_rng(0)\n    if rate != 0.5:")
PASTED = """
rng = np.random.default_rng(0)
model = {n: [rng.normal(0, 0.05, s).astype(np.float32), np.zeros(s[-1], np.float32)] for n, s in dict(
    conv1=(3, 3, 3, 50), conv2=(3, 3, 50, 50), conv3=(3, 3, 50, 100), conv4=(3, 3, 100, 100),
    dense1=(6400, 512), dense2=(512, 10)).items()}
optimizer = make_optimizer(model)
x, y = rng.random((8, 32, 32, 3), np.float32), rng.integers(0, 10, 8)
values = [train_step(model, optimizer, x, y, LEARNING_RATE, MOMENTUM) for _ in range(20)]
"""
STEP = """
_model = load_weights(reference.weights()); _velocity = make_optimizer(_model); _rng = np.random.default_rng(1)
def step():
    i = next(_order)
    return train_step(_model, _velocity, x_train[i], y_train[i], LEARNING_RATE, MOMENTUM, _rng)
"""
