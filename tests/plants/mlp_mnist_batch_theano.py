"""Mistakes for tests/plant.py to plant in notebooks/mlp_mnist_batch/theano.ipynb. Plain Python 3.6."""

HIDDEN = "x = T.nnet.relu(dense(x, *self.hidden))"
OUTPUT = "return dense(x, *self.output)"
LOSS = "T.nnet.softmax(logits), y).mean()"
MEAN = "m = old_m + (1 - beta1) * (gradient - old_m)"
SQUARE = "v = old_v + (1 - beta2) * (gradient**2 - old_v)"
STEP = "(p, p - rate * m / (root * T.sqrt(v) + epsilon))"
ADAM = r"loss at step \d+:|change of"
FP64 = ('PRECISION = "fp32"     #', 'PRECISION = "fp64"     #')
DATA = "images.reshape(len(images), -1).astype(theano.config.floatX) / 255"

PLANTS = {
    "the activation exchanged": ([(HIDDEN, HIDDEN.replace("relu", "sigmoid"))], r"gradient of"),
    "no activation": ([(HIDDEN, "x = dense(x, *self.hidden)")], r"gradient of"),
    "an activation at the end": ([(OUTPUT, "return T.nnet.relu(dense(x, *self.output))")], r"gradient of"),
    "softmax applied twice": ([(LOSS, "T.nnet.softmax(" + LOSS.replace("), y)", ")), y)"))], r"gradient of"),
    "the mean over the batch taken twice": ([(LOSS, LOSS + " / y.shape[0]")], r"gradient of"),
    "the sum over the batch": ([(LOSS, LOSS.replace("mean", "sum"))], r"gradient of"),
    "float32 arithmetic in fp64": (
        [FP64, ('"fp64": "float64"}', '"fp64": "float32"}')],
        r"gradient of \w+\.\w+: off by \d\S*e-0[5-8]",
    ),
    "one product in float32 in fp64": (
        [FP64, (OUTPUT, "return T.cast(dense(T.cast(x, 'float32'), *self.output), 'float64')")],
        r"gradient of",
    ),
    "the first sums rounded to float32 in fp64": (
        [FP64, ("return x.dot(w) + b", "return T.cast(T.cast(x.dot(w), 'float32'), 'float64') + b")],
        r"gradient of",
    ),
    "the updates forgotten": ([("updates=optimizer(cost), ", "")], r"loss at step 1:|change of"),
    "the last step left out": (
        [("step() for _ in order]", "step() for _ in order[: max(1, len(order) - 1)]]")],
        r"19 losses were handed in, the reference has 20",
    ),
    "half of the digits": (
        [("cost = loss(model(x), y)", "cost = loss(model(x[: 1 + x.shape[0] // 2]), y[: 1 + x.shape[0] // 2])")],
        ADAM,
    ),
    "labels in another order": ([("cost = loss(model(x), y)", "cost = loss(model(x), y[::-1])")], r"loss at step 0:"),
    "labels of the run in another order": (
        [("x_train, y_train, order)", "x_train, y_train[::-1], order)")],
        r"the run cell must call train_epoch",
    ),
    "epsilon inside the bias correction": ([(STEP, STEP.replace("root * T.sqrt(v)", "root * (T.sqrt(v)") + ")")], ADAM),
    "epsilon of 1e-7": ([("epsilon=1e-8", "epsilon=1e-7")], ADAM),
    "no bias correction of the squares": ([("root = 1 / T.sqrt(-T.expm1((t + 1) * log(beta2)))", "root = 1")], ADAM),
    "the number of the step one too high": (
        [("T.expm1((t + 1) * log(beta1))", "T.expm1((t + 2) * log(beta1))")],
        ADAM,
    ),
    "the weights move by the mean's old value": ([(STEP, STEP.replace("rate * m", "rate * old_m"))], ADAM),
    "another beta": ([("beta2=0.999", "beta2=0.99")], ADAM),
    "weight decay": ([(STEP, STEP.replace("p - rate", "(1 - 1e-5) * p - rate"))], ADAM),
    "the square of the mean": ([(SQUARE, SQUARE.replace("gradient**2", "m**2"))], ADAM),
    "width and height exchanged": ([(DATA, DATA.replace("images.", "images.swapaxes(1, 2).", 1))], r"gradient of hidden"),
    "pixels divided by 256": ([(DATA, DATA.replace("255", "256"))], r"gradient of"),
    "training digits of another scale": (
        [("to_inputs(data.x_train),", "to_inputs(data.x_train // 2 * 2),")],
        r"loss of the first training samples off",
    ),
    "weights not transposed back": ([("{p.name: g.T for", "{p.name: g for")], r"has shape"),
    "the accuracy of a part": (
        [("np.mean(predict(model, x) == y.eval())", "np.mean(predict(model, x)[:100] == y.eval()[:100])")],
        r"accuracy 0\.\d+, reference",
    ),
    "classes of the smallest output": ([("argmax(axis=1)", "argmin(axis=1)")], r"[1-9]\d* of 150 classes differ"),
}
