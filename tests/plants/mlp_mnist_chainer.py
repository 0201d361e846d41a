"""Mistakes planted in the lesson notebooks/mlp_mnist/chainer.ipynb, in both of its forms: see mlp_mnist.py."""

from tests.plants import cnn_cifar10 as cnn
from tests.plants import mlp_mnist as mlp

STATIC = mlp.set_to("FORM", '"autograd"', '"static"')
FORWARD = "return F.sigmoid(self.output(F.sigmoid(self.hidden(x))))"
WRITTEN = "return sigmoid(self.output(sigmoid(self.hidden(x))))"
LOSS = "return 5 * F.mean_squared_error(a, y)"
SGD = "optimizer = chainer.optimizers.SGD(LEARNING_RATE).setup(model)"
GATHERED = "xs, ys = x[i], y[i]  #"
STEP = "train_step(model, optimizer, x, y, i) for i in batches])"
UPDATE = "    optimizer.update()\n"

PLANTS = {
    **mlp.SHARED,
    **mlp.averaged(),
    **mlp.own_run(
        ("np.random.permutation(len(x_train)))", "np.random.permutation(len(x_train))[::2])"),
        ("optimizer, x_train, y_train, np.random", "optimizer, x_train, np.roll(y_train, 7, axis=0), np.random"),
    ),
    "float32 by default": ([("dtype = np.float64", "dtype = np.float32"), (GATHERED, 'xs, ys = x[i].astype("f"), y[i].astype("f")  #')], mlp.FLOAT32),
    "float32 in the first layer alone": ([(FORWARD, FORWARD.replace("self.hidden(x)", "F.cast(F.cast(self.hidden(x), 'f'), 'd')"))], mlp.GRADIENT),
    "the rate divided by the batch": ([(SGD, SGD.replace("LEARNING_RATE", "LEARNING_RATE / BATCH_SIZE"))], mlp.SECOND_LOSS),
    "the mean over the batch taken twice": ([(LOSS, LOSS + " / len(y)")], mlp.GRADIENT),
    "the loss without its half": ([(LOSS, LOSS.replace("5", "10"))], mlp.GRADIENT),
    "the mean over the outputs": ([(LOSS, LOSS.replace("5 * ", ""))], mlp.GRADIENT),
    "tanh in the hidden layer": ([(FORWARD, FORWARD.replace("(F.sigmoid(", "(F.tanh("))], mlp.GRADIENT),
    "no activation at the end": ([(FORWARD, "return self.output(F.sigmoid(self.hidden(x)))")], mlp.GRADIENT),
    "labels of a batch in another order": ([(GATHERED, "xs, ys = x[i], y[i[::-1]]  #")], mlp.FIRST_LOSS + "|gradient of"),
    "the order of the samples ignored": ([("np.split(order,", "np.split(np.sort(order),")], "the first wrong loss at step"),
    "last partial batch dropped in training": ([(STEP, STEP[:-2] + " if len(order) < 10 or len(i) == BATCH_SIZE])")], cnn.SHORT_TRAINING),
    "last partial batch dropped in predict": ([("        return model(x).array", "        return model(x[: len(x) // 25 * 25]).array")], mlp.SHORT_PREDICTION),
    "classes of the smallest output": ([("array.argmax(axis=1)", "array.argmin(axis=1)")], mlp.EVALUATION),
    "the accuracy of the first 100 samples": ([("(predict(model, x) == labels)", "(predict(model, x[:100]) == labels[:100])")], mlp.SHARE),
    "momentum": ([(SGD, SGD.replace("SGD(LEARNING_RATE)", "MomentumSGD(LEARNING_RATE, 0.1)"))], mlp.LATER),
    "weight decay": ([(SGD, SGD + "\noptimizer.add_hook(chainer.optimizer_hooks.WeightDecay(1e-9))")], mlp.LATER),
    "updates with clipped gradients": ([(SGD, SGD + "\noptimizer.add_hook(chainer.optimizer_hooks.GradientClipping(0.5))")], mlp.LATER + "|gradient of"),
    "a tensor that never moves, its update left out": ([(SGD, SGD + "\nmodel.output.b.update_rule.enabled = False")], mlp.SECOND_LOSS),
    "gradients not cleared": ([("    model.cleargrads()\n    loss", "    loss")], "the first wrong loss at step|gradient of|NaN|nan"),
    "one update in five left out": ([(UPDATE, "    i[0] % 5 == 0 or optimizer.update()\n")], "the first wrong loss at step"),
    "F.sigmoid in a static graph": ([STATIC, (WRITTEN, FORWARD)], "the first wrong loss at step 2"),
    "one sigmoid left out, static": ([STATIC, (WRITTEN, "return self.output(sigmoid(self.hidden(x)))")], mlp.GRADIENT),
    "labels of a batch in another order, static": ([STATIC, (GATHERED, "xs, ys = x[i], y[i[::-1]]  #")], mlp.FIRST_LOSS + "|gradient of"),
}
