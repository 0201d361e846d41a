"""What a reader types after pasting a notebook's template cells: one module a workload.

DATA: code that leaves random samples `x`, `y` and sample numbers `order` (NumPy), in the layout of common/data.
FRAMEWORKS: {framework: code that converts them as the notebook's Data section does}; "": nothing to convert.
CALL, where it is not the one below: code that leaves a list of floats in `values`, the losses of a training, and a
float `share`.
"""

TRAINING = """
model = make_model()
optimizer = make_optimizer(model)
values = [float(train_epoch(model, optimizer, x, y, order[:8])[0]) for _ in range(20)]
share = float(evaluate(model, x, y))
"""
