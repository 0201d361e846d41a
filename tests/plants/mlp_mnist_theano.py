"""Mistakes for tests/plant.py to plant in notebooks/mlp_mnist/theano.ipynb. Plain Python 3.6."""

IN_C = ("WHOLE_EPOCH = False ", "WHOLE_EPOCH = True ")
HIDDEN = "x = sigmoid(dense(x, *self.hidden))"
OUTPUT = "return sigmoid(dense(x, *self.output))"
LOSS = "T.sqr(a - y).sum() / (2 * a.shape[0])"
SGD = "(p, p - learning_rate * g)"
DATA = "images.reshape(len(images), -1).astype(theano.config.floatX) / 255"
COST = "cost = loss(model(x[i]), y[i])\n    step ="
COST_IN_C = "cost = loss(model(x[i]), y[i])\n    updates ="
TRAINED = "np.array([step(i) for i in batches])"

PLANTS = {
    "float32 arithmetic": (
        [(HIDDEN, "x = T.cast(sigmoid(T.cast(dense(x, *self.hidden), 'float32')), 'float64')")],
        r"gradient of \w+\.\w+: off by \d\S*e-0[5-8]",
    ),
    "digits rounded to float32": ([(DATA, DATA.replace("theano.config.floatX", "np.float32"))], r"gradient of"),
    "the learning rate divided by the batch": (
        [(SGD, SGD.replace("learning_rate", "learning_rate / BATCH_SIZE"))],
        r"wrong loss at step 1:",
    ),
    "the mean over the batch taken twice": ([(LOSS, LOSS + " / a.shape[0]")], r"gradient of"),
    "the loss without its half": ([(LOSS, LOSS.replace("2 * ", ""))], r"gradient of"),
    "the mean over the outputs": ([(LOSS, "T.sqr(a - y).mean()")], r"gradient of"),
    "tanh in the hidden layer": ([(HIDDEN, HIDDEN.replace("sigmoid", "T.tanh"))], r"gradient of"),
    "Theano's hard sigmoid": ([(HIDDEN, HIDDEN.replace("sigmoid", "T.nnet.hard_sigmoid"))], r"gradient of"),
    "Theano's own sigmoid, 1 above 19": (
        [("return (1 + T.tanh(x / 2)) / 2", "return T.nnet.sigmoid(x)")],
        r"gradient of \w+\.\w+: off by \d\S*e-09",
    ),
    "no activation at the end": ([(OUTPUT, "return dense(x, *self.output)")], r"gradient of"),
    "labels in another order": ([(COST, COST.replace("y[i]", "y[: i.shape[0]]"))], r"wrong loss at step 0:"),
    "labels in another order, in C": (
        [IN_C, (COST_IN_C, COST_IN_C.replace("y[i]", "y[: i.shape[0]]"))],
        r"wrong loss at step 0:",
    ),
    "labels of the run in another order": (
        [("x_train, y_train, order)", "x_train, y_train[::-1], order)")],
        r"the run cell must call train_epoch\(\.\.\., x_train, y_train",
    ),
    "the same order in every epoch": (
        [("x_train, y_train, order)", "x_train, y_train, np.arange(len(data.x_train)))")],
        r"the run cell must hand each order",
    ),
    "the short last batch dropped": (
        [(TRAINED, "np.array([step(i) for i in batches if len(i) in (8, BATCH_SIZE)])")],
        r"20 losses were handed in, the reference has 21",
    ),
    "the short last batch dropped, in C": (
        [IN_C, ("count = -(-len(order) // BATCH_SIZE)", "count = max(1, len(order) // BATCH_SIZE)")],
        r"20 losses were handed in, the reference has 21",
    ),
    "one step too few, in C": (
        [IN_C, ("step.fn(n_calls=count)", "step.fn(n_calls=max(1, count - 1))")],
        r"wrong loss at step 20:",
    ),
    "the first mini-batch again and again, in C": ([IN_C, ("(k, k + 1)]", "(k, k + 0)]")], r"loss at step \d+:"),
    "mini-batches that overlap, in C": (
        [IN_C, ("order[k * BATCH_SIZE : (k + 1) * BATCH_SIZE]", "order[k * BATCH_SIZE : (k + 1) * BATCH_SIZE + 1]")],
        r"loss at step \d+:",
    ),
    "the updates forgotten": ([(", updates=optimizer(cost))", ")")], r"wrong loss at step 1:"),
    "the updates of one layer forgotten, in C": (
        [IN_C, ("updates=updates + optimizer(cost))", "updates=updates + optimizer(cost)[2:])")],
        r"wrong loss at step 1:",
    ),
    "weight decay": ([(SGD, "(p, p - learning_rate * (g + 1e-9 * p))")], r"loss at step \d+:|change of"),
    "biases at another rate": (
        [(SGD, "(p, p - learning_rate * (1 if p.ndim == 2 else 1 + 1e-9) * g)")],
        r"loss at step \d+:|change of \w+\.bias",
    ),
    "width and height exchanged": ([(DATA, DATA.replace("images.", "images.swapaxes(1, 2).", 1))], r"gradient of hidden"),
    "pixels divided by 256": ([(DATA, DATA.replace("255", "256"))], r"gradient of"),
    "training digits of another scale": (
        [("to_inputs(data.x_train),", "to_inputs(data.x_train // 2 * 2),")],
        r"loss of the first training samples off",
    ),
    "the accuracy of a part": (
        [("np.mean(predict(model, x) == y.eval())", "np.mean(predict(model, x)[:100] == y.eval()[:100])")],
        r"accuracy 0\.\d+, reference",
    ),
    "classes of the smallest output": ([("argmax(axis=1)", "argmin(axis=1)")], r"[1-9]\d* of 150 classes differ"),
}
