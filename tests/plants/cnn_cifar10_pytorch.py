"""Mistakes for tests/plant.py to plant in the lesson notebooks/cnn_cifar10/pytorch.ipynb.

Each name maps to the replacements in the text of the code cells and to a regular expression, which what the referee says
must match; "" where it must say nothing.
"""

from tests.plants import cnn_cifar10 as cnn

WHOLE = "[: len(x) // BATCH_SIZE * BATCH_SIZE]"
STEP = "    optimizer.step()\n"
AVERAGE = """    optimizer.step()
    for p in model.parameters():
        p.average = p.detach() * 0.5 + getattr(p, "average", p.detach()) * 0.5
"""
AVERAGED = """    model.eval()
    with torch.inference_mode(False):
        model = __import__("copy").deepcopy(model)
        for p, q in zip(model.parameters(), globals()["model"].parameters()):
            p.data = getattr(q, "average", q.data)
"""
RUN = "minibatches(x_train, y_train))"

PLANTS = {
    **cnn.SHARED,
    # dropout's place, mode
    "dropout before the first pooling": (
        [("self.drop1(F.relu(F.max_pool2d(self.conv2(x), 2)))", "F.relu(F.max_pool2d(self.drop1(self.conv2(x)), 2))")],
        cnn.DROPOUT,
    ),
    "dropout before the second pooling": (
        [("self.drop2(F.relu(F.max_pool2d(self.conv4(x), 2)))", "F.relu(F.max_pool2d(self.drop2(self.conv4(x)), 2))")],
        cnn.DROPOUT,
    ),
    "dropout on in evaluation": ([("    model.eval()\n", "")], cnn.EVALUATION),
    "dropout off in every epoch after an evaluation": ([("    model.train()\n", "")], "the masks repeat"),
    # averaged weights, the metric
    "averaged weights in predict": ([(STEP, AVERAGE), ("    model.eval()\n", AVERAGED)], cnn.AFTER),
    "the accuracy of the first 300 samples": (
        [("return (predict(model, x) == y).sum().item() / len(y)", "return (predict(model, x[:300]) == y[:300]).sum().item() / 300")],
        cnn.SHARE,
    ),
    "an accuracy that is three points too high": ([("history.append((losses.tolist(), train_accuracy, test_accuracy))", "history.append((losses.tolist(), train_accuracy, test_accuracy + 0.03))")], cnn.COUNT),
    # partial batches
    "last partial batch dropped in predict": ([("in x.split(", f"in x{WHOLE}.split(")], cnn.SHORT_PREDICTION.replace("320", "300")),
    "last partial batch dropped in training": (
        [("for x, y in batches])", "for x, y in batches if len(x) == BATCH_SIZE])")],
        cnn.SHORT_TRAINING,
    ),
    # labels and order, and the lesson's own run
    "labels of a batch in another order": ([("return torch.stack([train_step(model, optimizer, x, y)", "return torch.stack([train_step(model, optimizer, x, y.flip(0))")], cnn.FIRST_LOSS),
    "labels of the lesson's mini-batches in another order": ([("yield x[i], y[i]", "yield x[i], y[i.sort().values.flip(0)]")], cnn.LEARNED),
    "half of the mini-batches in the lesson's run": ([(RUN, "list(minibatches(x_train, y_train))[::2])")], cnn.STEPS),
    # the optimizer
    "one update left out": ([(STEP, "    optimizer.n = getattr(optimizer, 'n', 0) + 1\n    if optimizer.n % 10:\n        optimizer.step()\n")], "the first wrong loss at step 10"),
    "a rate that falls from epoch to epoch": ([("    model.train()\n", "    model.train()\n    optimizer.param_groups[0]['lr'] *= 0.9\n")], "the first wrong loss at step 1"),
    "gradients not cleared": ([("    optimizer.zero_grad()\n", "")], "the first wrong loss at step 2"),
    "momentum with dampening": ([("momentum=MOMENTUM)", "momentum=MOMENTUM, dampening=0.1)")], cnn.CHANGE),
    "Nesterov's momentum": ([("momentum=MOMENTUM)", "momentum=MOMENTUM, nesterov=True)")], cnn.CHANGE),
    "weight decay": ([("momentum=MOMENTUM)", "momentum=MOMENTUM, weight_decay=1e-4)")], cnn.CHANGE),
}
