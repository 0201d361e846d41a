"""Mistakes planted in the lesson notebooks/mlp_mnist_batch/pytorch.ipynb, eager and compiled: see mlp_mnist_batch.py."""

from tests.plants import mlp_mnist as mlp
from tests.plants import mlp_mnist_batch as batch

COMPILED = mlp.set_to("COMPILE", "False", "True")
ADAM = "optimizer = torch.optim.Adam(model.parameters(), lr=LEARNING_RATE, fused=True)"
LOSS = "return F.cross_entropy(model(x), y)"
FORWARD = "return self.output(F.relu(self.hidden(x)))"
UPDATE = "    loss.backward()\n    optimizer.step()\n"

PLANTS = {
    **batch.SHARED,
    **batch.averaged(),
    **batch.own_run(
        ("for epoch in range(EPOCHS):", "for epoch in range(EPOCHS // 2):"),
        ("optimizer, x_train, y_train).item()", "optimizer, x_train, y_train.roll(7, 0)).item()"),
    ),
    "GELU in the hidden layer": ([(FORWARD, FORWARD.replace("F.relu", "F.gelu"))], batch.GRADIENT),
    "no activation": ([(FORWARD, "return self.output(self.hidden(x))")], batch.GRADIENT),
    "softmax taken twice": ([(FORWARD, FORWARD + ".softmax(1)")], batch.GRADIENT),
    "bfloat16 in the products": ([(LOSS, "with torch.autocast(device.type, torch.bfloat16):\n        " + LOSS)], batch.GRADIENT),
    "the sum of the losses": ([(LOSS, LOSS.replace("y)", "y, reduction='sum')"))], batch.GRADIENT),
    "label smoothing": ([(LOSS, LOSS.replace("y)", "y, label_smoothing=0.01)"))], batch.GRADIENT),
    "labels of the batch in another order": ([(LOSS, LOSS.replace("y)", "y.flip(0))"))], batch.GRADIENT),
    "labels of the batch in another order, compiled": ([COMPILED, (LOSS, LOSS.replace("y)", "y.flip(0))"))], batch.GRADIENT),
    "half of the digits in each step": ([(LOSS, "x, y = x[::2], y[::2]\n    " + LOSS)], batch.GRADIENT),
    "last partial batch dropped in predict": ([("    return model(x).argmax(1)", "    return model(x[: len(x) // 25 * 25]).argmax(1)")], batch.SHORT_PREDICTION),
    "classes of the smallest logit": ([("model(x).argmax(1)", "model(x).argmin(1)")], batch.EVALUATION),
    "the accuracy of the first 100 samples": ([("(predict(model, x) == y)", "(predict(model, x[:100]) == y[:100])")], batch.SHARE),
    "an update with beta2 0.99": ([(ADAM, ADAM[:-1] + ", betas=(0.9, 0.99))")], batch.LATER),
    "weight decay": ([(ADAM, ADAM[:-1] + ", weight_decay=1e-3)")], batch.LATER),
    "momentum of another size": ([(ADAM, ADAM[:-1] + ", betas=(0.8, 0.999))")], batch.LATER),
    "Adam's epsilon a thousand times as large, a rate that falls with it": ([(ADAM, ADAM[:-1] + ", eps=1e-5)")], batch.LATER),
    "gradients not cleared": ([("    optimizer.zero_grad()\n", "")], batch.LATER),
    "plain SGD for the update": ([(ADAM, "optimizer = torch.optim.SGD(model.parameters(), lr=LEARNING_RATE)")], batch.SECOND_LOSS),
    "an update that is never made": ([(UPDATE, "    loss.backward()\n")], batch.SECOND_LOSS),
}
