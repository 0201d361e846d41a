"""Mistakes planted in the lesson notebooks/cnn_mnist/pytorch.ipynb, eager and compiled: see cnn_mnist.py."""

from tests.plants import cnn_mnist as cnn
from tests.plants import mlp_mnist as mlp

COMPILED = mlp.set_to("COMPILE", "False", "True")
ADAM = "optimizer = torch.optim.Adam(model.parameters(), lr=LEARNING_RATE, fused=True)"
STEP = "train_step(model, optimizer, x[i], y[i])"
BATCHES = "for i in order.split(BATCH_SIZE)]\n    return"
UPDATE = "    loss.backward()\n    optimizer.step()\n"
POOLED = "x = F.relu(F.max_pool2d(self.conv1(x), 2))"

PLANTS = {
    **cnn.SHARED,
    **cnn.averaged(),
    **cnn.own_run(
        ("torch.randperm(len(x_train), device=device))", "torch.randperm(len(x_train), device=device)[::2])"),
        ("optimizer, x_train, y_train, torch.randperm", "optimizer, x_train, y_train.roll(7, 0), torch.randperm"),
        "(losses.tolist(), train_accuracy, test_accuracy)",
    ),
    "width and height swapped in the model": ([("x.flatten(1)", "x.transpose(2, 3).flatten(1)")], cnn.GRADIENT),
    "pooling that keeps the last row": ([(POOLED, "x = F.relu(F.max_pool2d(self.conv1(x), 2, ceil_mode=True))[..., 1:, 1:]")], cnn.GRADIENT),
    "average pooling": ([(POOLED, POOLED.replace("max_pool2d", "avg_pool2d"))], cnn.GRADIENT),
    "no ReLU behind the first pooling": ([(POOLED, "x = F.max_pool2d(self.conv1(x), 2)")], cnn.GRADIENT),
    "bfloat16 in the forward pass": ([("loss = loss_fn(model(x), y)", "with torch.autocast(device.type, torch.bfloat16):\n        loss = loss_fn(model(x), y)")], cnn.GRADIENT),
    "the sum of a batch's losses": ([("loss_fn = F.cross_entropy", "def loss_fn(z, y):\n    return F.cross_entropy(z, y, reduction='sum')")], cnn.GRADIENT),
    "label smoothing": ([("loss_fn = F.cross_entropy", "def loss_fn(z, y):\n    return F.cross_entropy(z, y, label_smoothing=0.01)")], cnn.GRADIENT),
    "labels of a batch in another order": ([(STEP, "train_step(model, optimizer, x[i], y[i.flip(0)])")], cnn.FIRST_LOSS),
    "labels of a batch in another order, compiled": ([COMPILED, (STEP, "train_step(model, optimizer, x[i], y[i.flip(0)])")], cnn.FIRST_LOSS),
    "the order of the samples ignored": ([("for i in order.split", "for i in order.sort().values.split")], cnn.FIRST_LOSS),
    "last partial batch dropped in training": ([(BATCHES, "for i in order.split(BATCH_SIZE) if len(order) < 1000 or len(i) == BATCH_SIZE]\n    return")], cnn.SHORT_TRAINING),
    "last partial batch dropped in predict": ([("for part in x.split(BATCH_SIZE)]", "for part in x[: len(x) // 25 * 25].split(BATCH_SIZE)]")], cnn.SHORT_PREDICTION),
    "classes of the smallest logit": ([("model(part).argmax(1)", "model(part).argmin(1)")], cnn.EVALUATION),
    "the accuracy of the first 100 samples": ([("(predict(model, x) == y)", "(predict(model, x[:100]) == y[:100])")], cnn.SHARE),
    "an update with beta2 0.99": ([(ADAM, ADAM[:-1] + ", betas=(0.9, 0.99))")], cnn.LATER),
    "weight decay": ([(ADAM, ADAM[:-1] + ", weight_decay=1e-3)")], cnn.LATER),
    "momentum of another size": ([(ADAM, ADAM[:-1] + ", betas=(0.8, 0.999))")], cnn.LATER),
    "Adam's epsilon a thousand times as large, a rate that falls with it": ([(ADAM, ADAM[:-1] + ", eps=1e-5)")], cnn.LATER),
    "gradients not cleared": ([("    optimizer.zero_grad()\n", "")], cnn.LATER),
    "one update in two left out": ([(UPDATE, "    loss.backward()\n    y[0] % 2 == 0 or optimizer.step()\n")], "the first wrong loss at step|two steps"),
}
