"""Mistakes planted in the lesson notebooks/mlp_mnist/pytorch.ipynb, in each of its three forms: see mlp_mnist.py."""

from tests.plants import cnn_cifar10 as cnn
from tests.plants import mlp_mnist as mlp

IN_PLACE = mlp.set_to("FORM", '"autograd"', '"inplace"')
COMPILED = mlp.set_to("FORM", '"autograd"', '"compiled"')
FORWARD = "return torch.sigmoid(self.output(torch.sigmoid(self.hidden(x))))"
LOSS = 'reduction="sum") / (2 * len(y))'
SGD = "lr=LEARNING_RATE)\n"
OPTIMIZER = "optimizer = torch.optim.SGD(model.parameters(), lr=LEARNING_RATE)"
LABELS = "loss_fn(model(x[i]), y[i])"
BATCHES = "for i in order.split(BATCH_SIZE)]\n    return"
UPDATE = "    loss.backward()\n    optimizer.step()\n"

PLANTS = {
    **mlp.SHARED,
    **mlp.averaged(),
    **mlp.own_run(
        ("torch.randperm(len(x_train), device=device))", "torch.randperm(len(x_train), device=device)[::2])"),
        ("optimizer, x_train, y_train, torch.randperm", "optimizer, x_train, y_train.roll(7, 0), torch.randperm"),
        "(losses.tolist(), train_accuracy, test_accuracy)",
    ),
    "float32 by default": ([("set_default_dtype(torch.float64)", "set_default_dtype(torch.float32)"), (".flatten(1).double()", ".flatten(1).float()"), ("device), 10).double()", "device), 10).float()")], mlp.FLOAT32),
    "float32 in the products alone": ([(FORWARD, "h = torch.sigmoid(F.linear(x.float(), self.hidden.weight.float(), self.hidden.bias.float()).double())\n        return torch.sigmoid(self.output(h))")], mlp.GRADIENT),
    "the rate divided by the batch": ([(OPTIMIZER, OPTIMIZER[:-1] + " / BATCH_SIZE)")], mlp.SECOND_LOSS),
    "the mean over the batch taken twice": ([(LOSS, 'reduction="sum") / (2 * len(y) ** 2)')], mlp.GRADIENT),
    "the loss without its half": ([(LOSS, LOSS.replace("(2 * len(y))", "len(y)"))], mlp.GRADIENT),
    "the mean over the outputs": ([(LOSS, 'reduction="mean")')], mlp.GRADIENT),
    "tanh in the hidden layer": ([(FORWARD, FORWARD.replace("(torch.sigmoid(", "(torch.tanh("))], mlp.GRADIENT),
    "no activation at the end": ([(FORWARD, "return self.output(torch.sigmoid(self.hidden(x)))")], mlp.GRADIENT),
    "labels of a batch in another order": ([(LABELS, LABELS.replace("y[i]", "y[i.flip(0)]"))], mlp.FIRST_LOSS + "|gradient of"),
    "labels of a batch in another order, in place": ([IN_PLACE, ("torch.index_select(y, 0, i, out=ys)", "torch.index_select(y, 0, i.flip(0), out=ys)")], mlp.FIRST_LOSS + "|gradient of"),
    "labels of a batch in another order, compiled": ([COMPILED, ("gradients_of(model, x[i], y[i])", "gradients_of(model, x[i], y[i.flip(0)])")], mlp.FIRST_LOSS),
    "the order of the samples ignored": ([("for i in order.split", "for i in order.sort().values.split")], "the first wrong loss at step"),
    "last partial batch dropped in training": ([(BATCHES, "for i in order.split(BATCH_SIZE) if len(order) < 10 or len(i) == BATCH_SIZE]\n    return")], cnn.SHORT_TRAINING),
    "last partial batch dropped in predict": ([("    return model(x).argmax(1)", "    return model(x[: len(x) // 25 * 25]).argmax(1)")], mlp.SHORT_PREDICTION),
    "classes of the smallest output": ([("model(x).argmax(1)", "model(x).argmin(1)")], mlp.EVALUATION),
    "the accuracy of the first 100 samples": ([("(predict(model, x) == labels)", "(predict(model, x[:100]) == labels[:100])")], mlp.SHARE),
    "momentum": ([(OPTIMIZER, OPTIMIZER[:-1] + ", momentum=0.1)")], mlp.LATER),
    "weight decay": ([(OPTIMIZER, OPTIMIZER[:-1] + ", weight_decay=1e-9)")], mlp.LATER),
    "biases at a rate that is too large": ([(OPTIMIZER, "optimizer = torch.optim.SGD([{'params': [p], 'lr': LEARNING_RATE * (1 if p.ndim == 2 else 1 + 1e-9)} for p in model.parameters()])")], mlp.LATER),
    "gradients not cleared": ([("    optimizer.zero_grad()\n", "")], "the first wrong loss at step 2"),
    "one update in five left out": ([(UPDATE, "    loss.backward()\n    i[0] % 5 == 0 or optimizer.step()\n")], "the first wrong loss at step"),
    "the targets of the mini-batch before, in place": ([IN_PLACE, (", torch.index_select(y, 0, i, out=ys)", ""), ("    torch.sub(a2, ys, out=d2)\n", "    torch.sub(a2, ys, out=d2)\n    torch.index_select(y, 0, i, out=ys)\n")], mlp.GRADIENT),
    "one buffer for the outputs and the scratch of a layer, in place": ([IN_PLACE, ("w2, out=d1), a1, s1)", "w2, out=d1), a1, a1)")], mlp.GRADIENT),
    "the slope of the wrong layer, in place": ([IN_PLACE, ("w2, out=d1), a1, s1)", "w2, out=d1), a1.sqrt(), s1)")], "gradient of hidden"),
    "an update between the two gradients, in place": ([IN_PLACE, ("times_slope(d2.div_(len(i)), a2, s2)", "times_slope(d2.div_(len(i)), a2, s2)\n    w2.sub_(torch.mm(d2.T, a1), alpha=optimizer.param_groups[0]['lr'])")], mlp.SECOND_LOSS + "|gradient of"),
    "gradients that add up, in place": ([IN_PLACE, ("torch.mm(d1.T, xs, out=dw1)", "dw1.add_(torch.mm(d1.T, xs))"), ("torch.empty_like(p)", "torch.zeros_like(p)")], "the first wrong loss at step 2"),
    "a tensor that never moves, in place": ([IN_PLACE, ("in zip(params, grads)", "in zip(params[:-1], grads)")], mlp.SECOND_LOSS),
    "a tensor that never moves, compiled": ([COMPILED, ("in model.named_parameters():\n        p.sub_(", "in list(model.named_parameters())[:-1]:\n        p.sub_(")], mlp.SECOND_LOSS),
    "a learning rate that stays, compiled": ([COMPILED, ("alpha=rate)", "alpha=1.25)")], mlp.CHANGE),
}
