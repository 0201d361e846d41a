"""Mistakes for tests/plant.py to plant in the lesson notebooks/cnn_cifar10/caffe.ipynb: see tests/plants/cnn_cifar10.py."""

from tests.plants import cnn_cifar10 as cnn

SOLVER = "    momentum=MOMENTUM,\n"

PLANTS = {
    **cnn.SHARED,
    **cnn.averaged(),
    **cnn.own_run("minibatches(x_train, y_train)"),
    "the accuracy of the first 300 samples": ([("return (predict(model, x) == y).mean()", "return (predict(model, x[:300]) == y[:300]).mean()")], cnn.SHARE),
    "last partial batch dropped in predict": ([("model.forward_all(data=x)", "model.forward_all(data=x[: len(x) // BATCH_SIZE * BATCH_SIZE])")], cnn.SHORT_PREDICTION),
    "dropout before the first pooling": (
        [
            ("n.pool1 = L.Pooling(n.conv2, **pool)", "n.drop1 = L.Dropout(n.conv2, dropout_ratio=DROPOUT[0], in_place=True)\nn.pool1 = L.Pooling(n.drop1, **pool)"),
            ("n.drop1 = L.Dropout(n.relu2, dropout_ratio=DROPOUT[0], in_place=True)\n", ""),
            ("L.Convolution(n.drop1,", "L.Convolution(n.relu2,"),
        ],
        cnn.DROPOUT,
    ),
    "dropout before the second pooling": (
        [
            ("n.pool2 = L.Pooling(n.conv4, **pool)", "n.drop2 = L.Dropout(n.conv4, dropout_ratio=DROPOUT[1], in_place=True)\nn.pool2 = L.Pooling(n.drop2, **pool)"),
            ("n.drop2 = L.Dropout(n.relu4, dropout_ratio=DROPOUT[1], in_place=True)\n", ""),
            ("L.InnerProduct(n.drop2,", "L.InnerProduct(n.relu4,"),
        ],
        cnn.DROPOUT,
    ),
    "dropout on in evaluation": ([("model = caffe.Net(deploy, caffe.TEST)", "model = caffe.Net(deploy, caffe.TRAIN)")], cnn.EVALUATION),
    "last partial batch dropped in training": ([("for x, y in batches]", "for x, y in batches if len(x) == BATCH_SIZE]")], cnn.SHORT_TRAINING),
    "labels of a batch in another order": ([('("label", y):', '("label", y[::-1]):')], cnn.FIRST_LOSS),
    "momentum forgotten": ([(SOLVER, "")], cnn.CHANGE),
    "Nesterov's momentum": ([('type="SGD"', 'type="Nesterov"')], cnn.CHANGE),
    "weight decay": ([(SOLVER, SOLVER + "    weight_decay=1e-4,\n")], cnn.CHANGE),
    "gradients clipped before the update": ([(SOLVER, SOLVER + "    clip_gradients=1.0,\n")], cnn.CHANGE),
}
