"""Mistakes for tests/plant.py to plant in notebooks/cnn_cifar10/mxnet_gluon.ipynb: see cnn_cifar10_pytorch.py."""

from tests.plants import cnn_cifar10 as cnn

WHOLE = "[:len(x) // BATCH_SIZE * BATCH_SIZE]"
RIGHT, RIGHT_OF_WHOLE = "(predict(model, x) == y)", f"(predict(model, x){WHOLE} == y{WHOLE})"
CLASSES = "    classes = [model(x[k:k + BATCH_SIZE]).argmax(axis=1) for k in starts]"
STEP = "    optimizer.step(len(x))"
PLANTS = {
    **cnn.dropouts(),
    "dropout on in evaluation": (
        [(CLASSES, "    with autograd.train_mode():\n    " + CLASSES)],
        cnn.EVALUATION,
    ),
    "dropout off in training": ([("autograd.record()", "autograd.record(train_mode=False)")], "the masks repeat"),
    "last partial batch dropped in predict and evaluate": (
        [
            ("starts = range(0, len(x), BATCH_SIZE)", "starts = range(0, len(x) // BATCH_SIZE * BATCH_SIZE, BATCH_SIZE)"),
            (RIGHT, RIGHT_OF_WHOLE),
        ],
        cnn.SHORT_PREDICTION,
    ),
    "last partial batch dropped in evaluate": (
        [("(predict(model, x) == y)", f"(predict(model, x) == y){WHOLE}")],
        cnn.SHORT_EVALUATION,
    ),
    "last partial batch dropped in training": (
        [("for k in range(0, len(order), BATCH_SIZE)]", "for k in range(0, len(order) // BATCH_SIZE * BATCH_SIZE, BATCH_SIZE)]")],
        cnn.SHORT_TRAINING,
    ),
    "labels of the timed loop in another order": (
        [("optimizer, x_train, y_train, to_integers", "optimizer, x_train, y_train[::-1], to_integers")],
        "y_train",
    ),
    "labels of a batch in another order": ([("nd.take(y, i))", "nd.take(y, i.sort().astype('int32')))")], cnn.FIRST_LOSS),
    "labels not indexed by the order": ([("nd.take(y, i))", "y[:len(i)])")], cnn.FIRST_LOSS),
    **cnn.dampened(': learning_rate, "momentum"'),
    "Nesterov's momentum": ([('"sgd", options', '"nag", options')], cnn.CHANGE),
    "no momentum": ([('"momentum": momentum', '"momentum": 0.0')], cnn.CHANGE),
    "weight decay": ([('"momentum": momentum', '"momentum": momentum, "wd": 1e-4')], cnn.CHANGE),
    "gradients of a sum": ([(STEP, "    optimizer.step(1)")], cnn.SECOND_LOSS),
    "gradients divided by the full batch": ([(STEP, "    optimizer.step(BATCH_SIZE)")], cnn.CHANGE),
    "gradients divided twice": ([("loss(model(x), y)  #", "loss(model(x), y).mean()  #")], cnn.SECOND_LOSS),
    "gradients added up": (
        [("    return model\n\n\nprint(", '    model.collect_params().setattr("grad_req", "add")\n    return model\n\n\nprint(')],
        cnn.CHANGE,
    ),
    "softmax applied twice": ([("return self.dense2(x)", "return F.softmax(self.dense2(x))")], cnn.FIRST_LOSS),
    "logits taken for log-probabilities": ([("CrossEntropyLoss()", "CrossEntropyLoss(from_logits=True)")], cnn.FIRST_LOSS),
    "an activation left out": ([('in_channels=50, activation="relu")', "in_channels=50)")], cnn.FIRST_LOSS),
    "pooling windows that overlap": ([("nn.MaxPool2D(2)", "nn.MaxPool2D(3, 2, 1)")], cnn.FIRST_LOSS),
    **cnn.swapped("to_images(data.x_train)", "to_images(data.x_test)"),
}
