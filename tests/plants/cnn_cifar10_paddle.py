"""Mistakes for tests/plant.py to plant in the lesson notebooks/cnn_cifar10/paddle.ipynb: see tests/plants/cnn_cifar10.py."""

from tests.plants import cnn_cifar10 as cnn

MOMENTUM = "paddle.optimizer.Momentum(LEARNING_RATE, MOMENTUM, parameters=model.parameters())"
STEP = "    optimizer.step()\n"
TRAIN = "    model.train()\n"

PLANTS = {
    **cnn.SHARED,
    **cnn.averaged(),
    **cnn.own_run("minibatches(x_train, y_train)"),
    **cnn.counted("(predict(model, x) == y).sum().item() / len(y)", "range(0, len(x), BATCH_SIZE)])"),
    cnn.LABELS: ([("yield x[i], y[i]", "yield x[i], y[i.roll(7)]")], cnn.LEARNED),
    "dropout before the first pooling": (
        [("self.drop1(F.relu(F.max_pool2d(self.conv2(x), 2)))", "F.relu(F.max_pool2d(self.drop1(self.conv2(x)), 2))")],
        cnn.DROPOUT,
    ),
    "dropout before the second pooling": (
        [("self.drop2(F.relu(F.max_pool2d(self.conv4(x), 2)))", "F.relu(F.max_pool2d(self.drop2(self.conv4(x)), 2))")],
        cnn.DROPOUT,
    ),
    "dropout that scales in evaluation instead": (
        [("nn.Dropout(rate)", 'nn.Dropout(rate, mode="downscale_in_infer")')],
        cnn.EVALUATION + "|" + cnn.DROPOUT,
    ),
    "dropout of whole channels": (
        [("nn.Dropout(rate) for rate in DROPOUT", "nn.Dropout2D(rate) for rate in DROPOUT[:2]] + [nn.Dropout(DROPOUT[2])")],
        cnn.DROPOUT + "|" + cnn.MASKS,
    ),
    "dropout on in evaluation": ([("    model.eval()\n", "")], cnn.EVALUATION),
    "dropout off in every epoch after an evaluation": ([(TRAIN, "")], "the masks repeat"),
    "last partial batch dropped in training": (
        [("for x, y in batches])", "for x, y in batches if len(x) == BATCH_SIZE])")],
        cnn.SHORT_TRAINING,
    ),
    "labels of a batch in another order": (
        [("train_step(model, optimizer, x, y) for", "train_step(model, optimizer, x, y.flip(0)) for")],
        cnn.FIRST_LOSS,
    ),
    "a second softmax": ([("loss_fn(model(x), y)\n", "loss_fn(F.softmax(model(x)), y)\n")], cnn.FIRST_LOSS),
    "logits taken for probabilities": (
        [("nn.CrossEntropyLoss()", "nn.CrossEntropyLoss(use_softmax=False)")],
        cnn.GRADIENT + "|" + cnn.FIRST_LOSS + "|gave nan|finite",
    ),
    "one update in ten left out": (
        [(STEP, "    optimizer.n = getattr(optimizer, 'n', 0) + 1\n    if optimizer.n % 10:\n        optimizer.step()\n")],
        "the first wrong loss at step 10",
    ),
    "a rate that falls from epoch to epoch": (
        [(TRAIN, TRAIN + "    optimizer.set_lr(optimizer.get_lr() * 0.9)\n")],
        cnn.SECOND_LOSS,
    ),
    "gradients not cleared before the next update": ([("    optimizer.clear_grad()\n", "")], cnn.CHANGE),
    "SGD without momentum": (
        [(MOMENTUM, MOMENTUM.replace("Momentum(LEARNING_RATE, MOMENTUM", "SGD(LEARNING_RATE"))],
        "the first wrong loss at step",
    ),
    "Nesterov's momentum": ([(MOMENTUM, MOMENTUM[:-1] + ", use_nesterov=True)")], cnn.CHANGE),
    "weight decay": ([(MOMENTUM, MOMENTUM[:-1] + ", weight_decay=1e-4)")], cnn.CHANGE),
}
