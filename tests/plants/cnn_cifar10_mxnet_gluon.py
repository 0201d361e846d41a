"""Mistakes for tests/plant.py to plant in the lesson notebooks/cnn_cifar10/mxnet_gluon.ipynb: see tests/plants/cnn_cifar10.py."""

from tests.plants import cnn_cifar10 as cnn

SGD = 'sgd = {"learning_rate": LEARNING_RATE, "momentum": MOMENTUM}'
RUN = "train_epoch(model, trainer, batches)\n    train_accuracy"
POOLED = "        nn.MaxPool2D(2),  # (N, {0})\n        nn.Activation(\"relu\"),\n        nn.Dropout(DROPOUT[{1}]),\n"
BEFORE = "        nn.Dropout(DROPOUT[{1}]),\n        nn.MaxPool2D(2),\n        nn.Activation(\"relu\"),\n"

PLANTS = {
    **cnn.SHARED,
    **cnn.averaged(),
    cnn.HALF: ([(RUN, RUN.replace("batches)", "list(batches)[::2])"))], cnn.STEPS),
    cnn.LABELS: ([("ArrayDataset(x_train, y_train)", "ArrayDataset(x_train, nd.array(np.roll(y_train.asnumpy(), 7), dtype='int32'))")], cnn.LEARNED),
    cnn.THREE_POINTS: ([("train_accuracy, test_accuracy))", "train_accuracy, test_accuracy + 0.03))")], cnn.COUNT),
    "the accuracy of the first 300 samples": ([("accuracy.update(labels=y, preds=predict(model, x))", "accuracy.update(labels=y[:300], preds=predict(model, x[:300]))")], cnn.SHARE),
    "last partial batch dropped in predict": ([("starts = range(0, len(x), BATCH_SIZE)", "starts = range(0, len(x) // BATCH_SIZE * BATCH_SIZE, BATCH_SIZE)")], cnn.SHORT_PREDICTION),
    "dropout before the first pooling": ([(POOLED.format("50, 16, 16", 0), BEFORE.format("", 0))], cnn.DROPOUT),
    "dropout before the second pooling": ([(POOLED.format("100, 8, 8", 1), BEFORE.format("", 1))], cnn.DROPOUT),
    "dropout on in evaluation": ([("    logits = [model(", "    with autograd.train_mode():\n      logits = [model(")], cnn.EVALUATION),
    "last partial batch dropped in training": ([("    for x, y in batches:\n", "    for x, y in batches:\n        if len(x) < BATCH_SIZE:\n            continue\n")], cnn.SHORT_TRAINING),
    "labels of a batch in another order": ([("loss = loss_fn(model(x), y)", "loss = loss_fn(model(x), y[::-1])")], cnn.FIRST_LOSS),
    "an update divided by another number of samples": ([("trainer.step(len(x))", "trainer.step(BATCH_SIZE)")], cnn.CHANGE),
    "momentum forgotten": ([(SGD, 'sgd = {"learning_rate": LEARNING_RATE}')], cnn.CHANGE),
    "Nesterov's momentum": ([("gluon.Trainer(model.collect_params(), \"sgd\", sgd)", "gluon.Trainer(model.collect_params(), \"nag\", sgd)")], cnn.CHANGE),
    "weight decay": ([(SGD, SGD[:-1] + ', "wd": 1e-4}')], cnn.CHANGE),
}
