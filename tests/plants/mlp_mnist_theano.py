"""Mistakes planted in the lesson notebooks/mlp_mnist/theano.ipynb, in both of its loops: see mlp_mnist.py."""

from tests.plants import cnn_cifar10 as cnn
from tests.plants import mlp_mnist as mlp

IN_C = mlp.set_to("WHOLE_EPOCH", "False", "True")
FORWARD = "return sigmoid(self.output(sigmoid(self.hidden(x))))"
LOSS = "T.sqr(a - y).sum() / (2 * a.shape[0])"
SGD = "(p, p - LEARNING_RATE * g)"
COST = "loss = loss_fn(model(x_train[i]), y_train[i])"
COST_IN_C = "loss_in_c = loss_fn(model(x_train[batch]), y_train[batch])"
STEPS = "np.array([train_step(i) for i in batches])"
INPUTS = "images.reshape(len(images), -1) / 255.0"
RUN = "train_epoch(np.random.permutation(len(data.x_train)))"
# The lesson trains on the shared variables, so other labels are put into them.
ROLLED = "y_train.set_value(np.roll(y_train.get_value(), 7, axis=0))\n    epoch_losses = "

PLANTS = {
    **mlp.SHARED,
    **mlp.averaged(),
    **mlp.own_run((RUN, RUN[:-1] + "[::2])"), ("epoch_losses = train_epoch", ROLLED + "train_epoch"), "(epoch_losses, train_accuracy, test_accuracy)"),
    "float32 in the hidden layer": ([(FORWARD, FORWARD.replace("self.hidden(x)", "T.cast(T.cast(self.hidden(x), 'float32'), 'float64')"))], mlp.GRADIENT),
    "digits rounded to float32": ([(INPUTS, "(" + INPUTS + ").astype('float32').astype('float64')")], "gradient of"),
    "the rate divided by the batch": ([(SGD, SGD.replace("LEARNING_RATE", "LEARNING_RATE / BATCH_SIZE"))], mlp.SECOND_LOSS),
    "the mean over the batch taken twice": ([(LOSS, LOSS + " / a.shape[0]")], mlp.GRADIENT),
    "the loss without its half": ([(LOSS, LOSS.replace("2 * ", ""))], mlp.GRADIENT),
    "the mean over the outputs": ([(LOSS, "T.sqr(a - y).mean()")], mlp.GRADIENT),
    "tanh in the hidden layer": ([(FORWARD, FORWARD.replace("(sigmoid(", "(T.tanh("))], mlp.GRADIENT),
    "Theano's own sigmoid, 1 above 19": ([("return (1 + T.tanh(x / 2)) / 2", "return T.nnet.sigmoid(x)")], mlp.GRADIENT),
    "Theano's hard sigmoid at the end": ([(FORWARD, FORWARD.replace("return sigmoid", "return T.nnet.hard_sigmoid"))], mlp.GRADIENT),
    "no activation at the end": ([(FORWARD, "return self.output(sigmoid(self.hidden(x)))")], mlp.GRADIENT),
    "labels of a batch in another order": ([(COST, COST.replace("y_train[i]", "y_train[i[::-1]]"))], mlp.FIRST_LOSS),
    "labels of a batch in another order, in C": ([IN_C, (COST_IN_C, COST_IN_C.replace("y_train[batch]", "y_train[batch[::-1]]"))], mlp.FIRST_LOSS),
    "last partial batch dropped in training": ([(STEPS, STEPS[:-2] + " if len(numbers) < 10 or len(i) == BATCH_SIZE])")], cnn.SHORT_TRAINING),
    "last partial batch dropped in training, in C": ([IN_C, ("count = -(-len(numbers) // BATCH_SIZE)", "count = max(1, len(numbers) // BATCH_SIZE)")], cnn.SHORT_TRAINING),
    "one step too few, in C": ([IN_C, ("step_in_c.fn(n_calls=count)", "step_in_c.fn(n_calls=max(1, count - 1))")], "the first wrong loss at step"),
    "the first mini-batch again and again, in C": ([IN_C, ("(k, k + 1)]", "(k, k + 0)]")], "the first wrong loss at step"),
    "mini-batches that overlap, in C": ([IN_C, ("(k + 1) * BATCH_SIZE]", "(k + 1) * BATCH_SIZE + 1]")], mlp.FIRST_LOSS + "|the first wrong loss at step"),
    "last partial batch dropped in predict": ([("    return classify(x)", "    return classify(x[: len(x) // 25 * 25])")], mlp.SHORT_PREDICTION),
    "classes of the smallest output": ([("model(x).argmax(axis=1)", "model(x).argmin(axis=1)")], mlp.EVALUATION),
    "the accuracy of the first 100 samples": ([("np.mean(predict(x) == labels)", "np.mean(predict(x[:100]) == labels[:100])")], mlp.SHARE),
    "the updates left out": ([(", updates=optimizer(loss, model.params), mode=mode)", ", mode=mode)")], mlp.SECOND_LOSS),
    "the updates of one layer left out, in C": ([IN_C, ("updates=progress + optimizer(loss_in_c, model.params)", "updates=progress + optimizer(loss_in_c, model.params)[2:]")], mlp.SECOND_LOSS),
    "weight decay": ([(SGD, "(p, p - LEARNING_RATE * (g + 1e-9 * p))")], mlp.LATER),
    "biases at a rate that is too large": ([(SGD, "(p, p - LEARNING_RATE * (1 if p.ndim == 2 else 1 + 1e-9) * g)")], mlp.LATER),
}
