"""Mistakes for tests/plant.py to plant in notebooks/cnn_cifar10/caffe.ipynb. Plain Python 3.6."""

from tests.plants import cnn_cifar10 as cnn

IMAGES = "x_train, x_test = data.x_train, data.x_test"
WHOLE = "[: len(x) // BATCH_SIZE * BATCH_SIZE]"
LOSS = "n.loss = L.SoftmaxWithLoss(n.dense2, n.label"
STEP = "    optimizer.step(1)\n"
CONV = '    conv = {"kernel_size": 3, '
GRADIENT = "gradient of"

PLANTS = {
    **cnn.dropouts(),
    "dropout on in evaluation": ([("definition, caffe.TEST)", "definition, caffe.TRAIN)")], cnn.EVALUATION),
    "dropout off in training": (
        [
            (
                "train_net_param=model.definition,",
                "train_net_param=model.definition, train_state=caffe_pb2.NetState(phase=caffe.TEST),",
            )
        ],
        "the masks repeat",
    ),
    "the same mask in every step": ([(STEP, "    caffe.set_random_seed(SEED)\n" + STEP)], "the masks repeat"),
    "last partial batch dropped in predict and evaluate": (
        [
            ("range(0, len(x), BATCH_SIZE)", "range(0, len(x) // BATCH_SIZE * BATCH_SIZE, BATCH_SIZE)"),
            ("(predict(model, x) == y)", "(predict(model, x) == y{})".format(WHOLE)),
        ],
        cnn.SHORT_PREDICTION,
    ),
    "last partial batch dropped in evaluate": (
        [("(predict(model, x) == y)", "(predict(model, x) == y){}".format(WHOLE))],
        cnn.SHORT_EVALUATION,
    ),
    "mean of the mini-batches' accuracies, as the Accuracy layer's": (
        [
            (
                "return (predict(model, x) == y).mean()",
                "parts = np.split(predict(model, x) == y, range(BATCH_SIZE, len(y), BATCH_SIZE))\n"
                "    return np.mean([part.mean() for part in parts])",
            )
        ],
        cnn.SHORT_EVALUATION,
    ),
    "last partial batch dropped in training": (
        [("y[i]) for i in batches]", "y[i]) for i in batches if len(i) == BATCH_SIZE]")],
        cnn.SHORT_TRAINING,
    ),
    "last partial batch filled with zeros": (
        [
            (
                "        net.blobs[name].reshape(*array.shape)\n        net.blobs[name].data[...] = array\n",
                "        net.blobs[name].data[...] = 0\n        net.blobs[name].data[: len(array)] = array\n",
            )
        ],
        GRADIENT,
    ),
    "labels of the timed loop in another order": (
        [("optimizer, x_train, y_train, order", "optimizer, x_train, y_train[::-1], order")],
        "y_train",
    ),
    "labels of a batch in another order": ([("x[i], y[i])", "x[i], y[np.sort(i)])")], cnn.FIRST_LOSS),
    "labels not indexed by the order": ([("x[i], y[i])", "x[i], y[: len(i)])")], cnn.FIRST_LOSS),
    "no momentum": ([("        momentum=momentum,\n", "")], cnn.CHANGE),
    **cnn.dampened("=learning_rate,"),
    "Nesterov's momentum": ([("caffe.SGDSolver", "caffe.NesterovSolver")], cnn.CHANGE),
    "weight decay": ([("        momentum=momentum,\n", "        momentum=momentum, weight_decay=1e-4,\n")], cnn.CHANGE),
    "the falling rate of Caffe's LeNet example": (
        [('lr_policy="fixed"', 'lr_policy="inv", gamma=1e-4, power=0.75')],
        cnn.CHANGE,
    ),
    "biases at twice the rate, as in Caffe's examples": (
        [(CONV, CONV + '"param": [{"lr_mult": 1}, {"lr_mult": 2}], ')],
        cnn.CHANGE,
    ),
    **cnn.swapped(IMAGES),
    "kernels with width and height swapped": (
        [("= weights[name]", "= weights[name] if weights[name].ndim < 4 else weights[name].swapaxes(2, 3)")],
        GRADIENT,
    ),
    "weights not shared with the solver": ([("    solver.net.share_with(model)\n", "")], GRADIENT),
    "the solver's weights shared with the model": (
        [("solver.net.share_with(model)", "model.share_with(solver.net)")],
        GRADIENT,
    ),
    "gradients read after the update": (
        [("optimizer.net.forward()\noptimizer.net.backward()\n", "optimizer.step(1)\n")],
        GRADIENT,
    ),
    "softmax applied twice": ([(LOSS, LOSS.replace("n.dense2", "L.Softmax(n.dense2)"))], GRADIENT),
    "sum of the losses instead of their mean": (
        [(LOSS, LOSS + ', loss_param={"normalization": P.Loss.NONE}')],
        GRADIENT,
    ),
    "average pooling": ([("P.Pooling.MAX", "P.Pooling.AVE")], GRADIENT),
}
