"""Mistakes planted in mlp_mnist_batch's PyTorch notebook: {name: (changes of the text, what must be said)}."""

FORWARD = "return self.output(F.relu(self.hidden(x)))"
ADAM = "lr=learning_rate, eps=1e-8, fused=True)"
LOSS = "return F.cross_entropy(model(x), y)"
STEPS = "losses = [train_step(model, optimizer, x, y) for _ in order]"

PLANTS = {
    "the activation exchanged": ([(FORWARD, FORWARD.replace("F.relu", "torch.sigmoid"))], r"gradient of"),
    "no activation": ([(FORWARD, FORWARD.replace("F.relu", ""))], r"gradient of"),
    "an activation at the end": ([(FORWARD, "return F.relu(self.output(F.relu(self.hidden(x))))")], r"gradient of"),
    "the mean over the batch taken twice": ([(LOSS, LOSS + " / len(y)")], r"gradient of"),
    "the sum over the batch": ([(LOSS, LOSS.replace(", y)", ', y, reduction="sum")'))], r"gradient of"),
    "float32 arithmetic in fp64": (
        [
            ('PRECISION = "fp32"     #', 'PRECISION = "fp64"     #'),
            ('{"fp32": torch.float32, "fp64": torch.float64}', '{"fp32": torch.float32, "fp64": torch.float32}'),
        ],
        r"gradient of \w+\.\w+: off by \d\S*e-0[5-8]",
    ),
    "one product in float32 in fp64": (
        [
            ('PRECISION = "fp32"     #', 'PRECISION = "fp64"     #'),
            (FORWARD, FORWARD.replace("self.hidden(x)", "self.hidden(x).float().double()")),
        ],
        r"gradient of",
    ),
    "the last step left out": (
        [(STEPS, STEPS.replace("for _ in order", "for _ in order[: max(1, len(order) - 1)]"))],
        r"19 losses were handed in, the reference has 20",
    ),
    "half of the digits": (
        [(STEPS, STEPS.replace("x, y)", "x[: 1 + len(x) // 2], y[: 1 + len(x) // 2])"))],
        r"gradient of",
    ),
    "epsilon inside the bias correction": (
        [(ADAM, "lr=learning_rate, eps=1e-8 / 0.001**0.5, fused=True)")],
        r"loss at step \d+:|change of",
    ),
    "AdamW": ([("torch.optim.Adam(", "torch.optim.AdamW(")], r"loss at step \d+:|change of"),
    "another beta": ([(ADAM, ADAM.replace("eps", "betas=(0.9, 0.99), eps"))], r"loss at step \d+:|change of"),
    "gradients that add up": ([("    optimizer.zero_grad()\n", "")], r"loss at step \d+:|change of"),
    "width and height exchanged": ([(".flatten(1) / 255", ".mT.flatten(1) / 255")], r"gradient of hidden\.weight"),
    "pixels divided by 256": ([(".flatten(1) / 255", ".flatten(1) / 256")], r"gradient of"),
    "the accuracy of a part": (
        [("(predict(model, x) == y)", "(predict(model, x[:100]) == y[:100])")],
        r"accuracy 0\.\d+, reference",
    ),
    "classes of the smallest output": ([(".argmax(1)", ".argmin(1)")], r"[1-9]\d* of 150 classes differ"),
}
