"""Mistakes planted in mlp_mnist's PyTorch notebook: {name: (changes of the text, what must be said)}."""

IN_PLACE = ('FORM = "autograd"', 'FORM = "inplace"')
COMPILED = ('FORM = "autograd"', 'FORM = "compiled"')

PLANTS = {
    "float32 arithmetic": (
        [('"fp64": torch.float64', '"fp64": torch.float32')],
        r"gradient of \w+\.\w+: off by \d\S*e-0[5-8]",
    ),
    "float32 in the products alone": (
        [
            (
                "return torch.sigmoid(self.output(torch.sigmoid(self.hidden(x))))",
                "h = torch.sigmoid(F.linear(x.float(), self.hidden.weight.float(), self.hidden.bias.float()).double())\n"
                "        return torch.sigmoid(self.output(h))",
            )
        ],
        r"gradient of \w+\.\w+: off by",
    ),
    "the learning rate divided by the batch": (
        [("lr=learning_rate)", "lr=learning_rate / BATCH_SIZE)")],
        r"wrong loss at step 1:",
    ),
    "the mean over the batch taken twice": ([("/ (2 * len(y))", "/ (2 * len(y) ** 2)")], r"gradient of"),
    "the loss without its half": ([("/ (2 * len(y))", "/ len(y)")], r"gradient of"),
    "the mean over the outputs": ([('reduction="sum") / (2 * len(y))', 'reduction="mean")')], r"gradient of"),
    "tanh in the hidden layer": (
        [("self.output(torch.sigmoid(self.hidden(x)))", "self.output(torch.tanh(self.hidden(x)))")],
        r"gradient of",
    ),
    "no activation at the end": (
        [
            (
                "return torch.sigmoid(self.output(torch.sigmoid(self.hidden(x))))",
                "return self.output(torch.sigmoid(self.hidden(x)))",
            )
        ],
        r"gradient of",
    ),
    "labels in another order": ([("loss(model(x[i]), y[i])", "loss(model(x[i]), y[: len(i)])")], r"wrong loss at step 0:"),
    "labels in another order, in place": (
        [IN_PLACE, ("torch.index_select(y, 0, i, out=ys)", "ys.copy_(y[: len(i)])")],
        r"wrong loss at step 0:",
    ),
    "labels of the run in another order": (
        [
            (
                "train_epoch(model, optimizer, x_train, y_train, to_order(order))",
                "train_epoch(model, optimizer, x_train, y_train.flip(0), to_order(order))",
            )
        ],
        r"the run cell must call train_epoch\(\.\.\., x_train, y_train",
    ),
    "the same order in every epoch": (
        [("x_train, y_train, to_order(order))", "x_train, y_train, torch.arange(len(x_train)))")],
        r"the run cell must hand each order",
    ),
    "the short last batch dropped": (
        [
            (
                "batches = order.split(BATCH_SIZE)",
                "batches = [i for i in order.split(BATCH_SIZE) if len(i) == BATCH_SIZE]\n"
                "    batches = batches or [order]",
            )
        ],
        r"20 losses were handed in, the reference has 21",
    ),
    "momentum": ([("lr=learning_rate)", "lr=learning_rate, momentum=0.1)")], r"wrong loss at step 2:|change of"),
    "weight decay": ([("lr=learning_rate)", "lr=learning_rate, weight_decay=1e-9)")], r"loss at step \d+:|change of"),
    "biases at another rate": (
        [
            (
                "torch.optim.SGD(model.parameters(), lr=learning_rate)",
                "torch.optim.SGD([{'params': [p], 'lr': learning_rate * (1 if p.ndim == 2 else 1 + 1e-9)}\n"
                "                            for p in model.parameters()])",
            )
        ],
        r"loss at step \d+:|change of \w+\.bias",
    ),
    "width and height exchanged": (
        [("to(device, dtype).flatten(1) / 255", "to(device, dtype).mT.flatten(1) / 255")],
        r"gradient of hidden\.weight",
    ),
    "pixels divided by 256": ([("flatten(1) / 255", "flatten(1) / 256")], r"gradient of"),
    "training digits of another scale": (
        [
            (
                "to_inputs(data.x_train), to_inputs(data.x_test)",
                "to_inputs(data.x_train) * 255 / 256, to_inputs(data.x_test)",
            )
        ],
        r"loss of the first training samples off",
    ),
    "the accuracy of a part": (
        [("(predict(model, x) == y)", "(predict(model, x[:100]) == y[:100])")],
        r"accuracy 0\.\d+, reference",
    ),
    "classes of the smallest output": (
        [("model(x).argmax(1)", "model(x).argmin(1)")],
        r"[1-9]\d* of 150 classes differ",
    ),
    "the buffers of the last batch, in place": (
        [
            IN_PLACE,
            ("[buffer[: len(i)] for buffer in", "[buffer[-len(i) :] for buffer in"),
            ("torch.sub(a2, ys, out=d2)", "torch.sub(buffers['a2'][: len(i)], ys, out=d2)"),
        ],
        r"gradient of",
    ),
    "the slope of the wrong layer, in place": (
        [
            IN_PLACE,
            (
                "times_slope(torch.mm(d2, output.weight, out=d1), a1, s1)",
                "times_slope(torch.mm(d2, output.weight, out=d1), a1.sqrt(), s1)",
            ),
        ],
        r"gradient of hidden",
    ),
    "an update between the two gradients, in place": (
        [
            IN_PLACE,
            (
                "times_slope(d2.div_(len(i)), a2, s2)",
                "times_slope(d2.div_(len(i)), a2, s2)\n    output.weight.sub_(torch.mm(d2.T, a1), alpha=optimizer.param_groups[0]['lr'])",
            ),
        ],
        r"loss at step 1:|change of",
    ),
    "gradients that add up, in place": (
        [
            IN_PLACE,
            ("torch.mm(d.T, inputs, out=layer.weight.grad)", "layer.weight.grad.add_(torch.mm(d.T, inputs))"),
            ("map(torch.empty_like,", "map(torch.zeros_like,"),
        ],
        r"wrong loss at step 2:|change of",
    ),
    "labels in another order, compiled": (
        [COMPILED, ("gradients_of(model, x[i], y[i])", "gradients_of(model, x[i], y[: len(i)])")],
        r"wrong loss at step 0:",
    ),
    "a tensor that never moves, compiled": (
        [
            COMPILED,
            (
                "    for name, p in model.named_parameters():\n        p.sub_(",
                "    for name, p in list(model.named_parameters())[:-1]:\n        p.sub_(",
            ),
        ],
        r"wrong loss at step 1:|change of output\.bias",
    ),
    "a learning rate that stays, compiled": (
        [COMPILED, ("alpha=rate)", "alpha=1.25)")],
        r"gradient of|change of",
    ),
}
