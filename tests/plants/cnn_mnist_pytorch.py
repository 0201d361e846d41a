"""Mistakes planted in cnn_mnist's PyTorch notebook: {name: (changes of the text, what must be said)}."""

FIRST = "x = F.relu(F.max_pool2d(self.conv1(x), 2))"
SECOND = "x = F.relu(F.max_pool2d(self.conv2(x), 2))"
ADAM = "lr=learning_rate, eps=1e-8, fused=True)"
STEP = "x[i], y[i]) for i in order.split(BATCH_SIZE)]"

PLANTS = {
    "the activation of one layer exchanged": ([(SECOND, SECOND.replace("relu", "leaky_relu"))], r"gradient of"),
    "no activation in one layer": ([(FIRST, FIRST.replace("F.relu(", "("))], r"gradient of"),
    "the mean over the batch taken twice": (
        [("return F.cross_entropy(logits, labels)", "return F.cross_entropy(logits, labels) / len(labels)")],
        r"gradient of",
    ),
    "pooling with padding, of the same size": (
        [(SECOND, SECOND.replace("self.conv2(x), 2)", "F.pad(self.conv2(x), (1, 0, 1, 0)), 2)"))],
        r"gradient of",
    ),
    "average pooling": ([(FIRST, FIRST.replace("max_pool2d", "avg_pool2d"))], r"gradient of"),
    "float32 arithmetic in fp64": (
        [
            ('PRECISION = "fp32"     #', 'PRECISION = "fp64"     #'),
            ('{"fp32": torch.float32, "fp64": torch.float64}', '{"fp32": torch.float32, "fp64": torch.float32}'),
        ],
        r"gradient of \w+\.\w+: off by \d\S*e-0[5-8]",
    ),
    "the same order in every epoch": (
        [("to_order(order)) for order in reference.orders]", "to_order(reference.order)) for _ in reference.orders]")],
        r"loss at step 2:",
    ),
    "the same order in every epoch of the run": (
        [("x_train, y_train, to_order(order))", "x_train, y_train, torch.arange(len(x_train)))")],
        r"the run cell must hand each order",
    ),
    "labels in another order": ([(STEP, STEP.replace("y[i]", "y[: len(i)]"))], r"wrong loss at step 0:"),
    "the short last batch dropped": (
        [(STEP, STEP.replace("order.split(BATCH_SIZE)", "order.split(BATCH_SIZE) if len(i) in (8, BATCH_SIZE)"))],
        r"10 losses were handed in, the reference has 20",
    ),
    "epsilon inside the bias correction": (
        [(ADAM, "lr=learning_rate, eps=1e-8 / 0.001**0.5, fused=True)")],
        r"loss at step \d+:|change of",
    ),
    "AdamW": ([("torch.optim.Adam(", "torch.optim.AdamW(")], r"loss at step \d+:|change of"),
    "another beta": ([(ADAM, ADAM.replace("eps", "betas=(0.9, 0.99), eps"))], r"loss at step \d+:|change of"),
    "gradients that add up": ([("    optimizer.zero_grad()\n", "")], r"loss at step \d+:|change of"),
    "width and height exchanged": (
        [(".unsqueeze(1) / 255", ".mT.unsqueeze(1) / 255")],
        r"gradient of",
    ),
    "pixels divided by 256": ([(".unsqueeze(1) / 255", ".unsqueeze(1) / 256")], r"gradient of"),
    "the accuracy of a part": (
        [("(predict(model, x) == y)", "(predict(model, x[:100]) == y[:100])")],
        r"accuracy 0\.\d+, reference",
    ),
    "classes of the smallest output": ([(".argmax(1)", ".argmin(1)")], r"[1-9]\d* of 150 classes differ"),
}
