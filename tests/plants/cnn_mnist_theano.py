"""Mistakes for tests/plant.py to plant in notebooks/cnn_mnist/theano.ipynb. Plain Python 3.6."""

FIRST = "x = T.nnet.relu(pool(conv(x, *self.conv1)))"
SECOND = "x = T.nnet.relu(pool(conv(x, *self.conv2)))"
LOSS = "T.nnet.softmax(logits), y).mean()"
STEP = "(p, p - rate * m / (root * T.sqrt(v) + epsilon))"
ADAM = r"loss at step \d+:|change of"
FP64 = ('PRECISION = "fp32"     #', 'PRECISION = "fp64"     #')
DATA = "images[:, None].astype(theano.config.floatX) / 255"
TRAINED = "np.array([step(i) for i in batches])"
PREDICTED = "np.concatenate([step(i) for i in batches])"
GIVENS = "{images: x[i], labels: y[i]}"

PLANTS = {
    "the activation of one layer exchanged": ([(SECOND, SECOND.replace("relu", "sigmoid"))], r"gradient of"),
    "no activation in one layer": ([(FIRST, FIRST.replace("T.nnet.relu(", "("))], r"gradient of"),
    "softmax applied twice": ([(LOSS, "T.nnet.softmax(" + LOSS.replace("), y)", ")), y)"))], r"gradient of"),
    "the mean over the batch taken twice": ([(LOSS, LOSS + " / y.shape[0]")], r"gradient of"),
    "the sum over the batch": ([(LOSS, LOSS.replace("mean", "sum"))], r"gradient of"),
    "kernels flipped": ([(", filter_flip=False)", ")")], r"gradient of"),
    "the reference that gives the gradient to the first": ([(', PRECISION, "ties")', ", PRECISION)")], r"gradient of"),
    "the bias added behind the pooling": (
        [
            (' + b.dimshuffle("x", 0, "x", "x")', ""),
            (FIRST, 'x = T.nnet.relu(pool(conv(x, *self.conv1)) + self.conv1[1].dimshuffle("x", 0, "x", "x"))'),
            (SECOND, 'x = T.nnet.relu(pool(conv(x, *self.conv2)) + self.conv2[1].dimshuffle("x", 0, "x", "x"))'),
        ],
        r"gradient of conv\d\.bias",
    ),
    "pooling with padding": (
        [(SECOND, SECOND.replace("pool(conv(x, *self.conv2))", "pool_2d(conv(x, *self.conv2), (2, 2), ignore_border=True, pad=(1, 1))[:, :, :6, :6]"))],
        r"gradient of",
    ),
    "average pooling": (
        [("(2, 2), ignore_border=True)", '(2, 2), ignore_border=True, mode="average_inc_pad")')],
        r"gradient of",
    ),
    "float32 arithmetic in fp64": (
        [FP64, ('"fp64": "float64"}', '"fp64": "float32"}')],
        r"gradient of \w+\.\w+: off by \d\S*e-0[5-8]",
    ),
    "one layer rounded to float32 in fp64": (
        [FP64, (SECOND, SECOND.replace("conv(x,", "conv(T.cast(T.cast(x, 'float32'), 'float64'),"))],
        r"gradient of",
    ),
    "the same order in every epoch": (
        [("x, y, order) for order in reference.orders]", "x, y, reference.order) for _ in reference.orders]")],
        r"loss at step 2:",
    ),
    "the same order in every epoch of the run": (
        [("x_train, y_train, order)", "x_train, y_train, np.arange(len(data.x_train)))")],
        r"the run cell must hand each order",
    ),
    "labels of the run in another order": (
        [("x_train, y_train, order)", "x_train, y_train[::-1], order)")],
        r"the run cell must call train_epoch",
    ),
    "labels in another order": ([(GIVENS, "{images: x[i], labels: y[T.sort(i)]}")], r"loss at step 0:"),
    "labels not indexed by the order": ([(GIVENS, "{images: x[i], labels: y[: i.shape[0]]}")], r"loss at step 0:"),
    "the short last batch dropped": (
        [(TRAINED, "np.array([step(i) for i in batches if len(i) in (8, BATCH_SIZE)])")],
        r"10 losses were handed in, the reference has 20",
    ),
    "the updates forgotten": ([("updates=optimizer(cost), ", "")], r"loss at step 1:|change of"),
    "epsilon inside the bias correction": ([(STEP, STEP.replace("root * T.sqrt(v)", "root * (T.sqrt(v)") + ")")], ADAM),
    "another beta": ([("beta2=0.999", "beta2=0.99")], ADAM),
    "no bias correction of the squares": ([("root = 1 / T.sqrt(-T.expm1((t + 1) * log(beta2)))", "root = 1")], ADAM),
    "weight decay": ([(STEP, STEP.replace("p - rate", "(1 - 1e-5) * p - rate"))], ADAM),
    "width and height exchanged": ([(DATA, DATA.replace("images", "images.swapaxes(1, 2)"))], r"gradient of"),
    "pixels divided by 256": ([(DATA, DATA.replace("255", "256"))], r"gradient of"),
    "training digits of another scale": (
        [("to_images(data.x_train),", "to_images(data.x_train // 2 * 2),")],
        r"loss of the first training samples off",
    ),
    "the accuracy of a part": (
        [("np.mean(predict(model, x) == y.eval())", "np.mean(predict(model, x)[:100] == y.eval()[:100])")],
        r"accuracy 0\.\d+, reference",
    ),
    "the last partial batch dropped in evaluation": (
        [(PREDICTED, "np.concatenate([step(i) for i in batches])[: count // 100 * 100]")],
        r"classes were predicted for|accuracy",
    ),
    "classes of the smallest output": ([("argmax(axis=1)", "argmin(axis=1)")], r"[1-9]\d* of 150 classes differ"),
}
