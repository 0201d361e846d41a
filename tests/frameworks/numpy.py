"""NumPy has no guide to stand against: its step is held against PyTorch's."""

STEP = """
_model = load_weights(make_model(), reference.weights()); _optimizer = make_optimizer(_model)
def step():
    return train_epoch(_model, _optimizer, x_train, y_train, next(_order))
"""
