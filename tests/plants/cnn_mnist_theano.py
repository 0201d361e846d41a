"""Mistakes planted in the lesson notebooks/cnn_mnist/theano.ipynb: see cnn_mnist.py."""

from tests.plants import cnn_mnist as cnn

LOSS = "T.nnet.categorical_crossentropy(T.nnet.softmax(logits), y).mean()"
GIVENS = '"givens": {x: x_train[i], y: y_train[i]}'
STEPS = "np.array([train_step(i) for i in batches])"
RUN = "train_epoch(minibatches(len(data.x_train)))"
# The lesson trains on the shared variables, so other labels are put into them.
ROLLED = "y_train.set_value(np.roll(y_train.get_value(), 7))\n    losses = "
STEP = "step = LEARNING_RATE / first * m / (T.sqrt(v / second) + 1e-8)"
COMPILED = "train_step = theano.function(**step, updates=optimizer(loss, model.params))"
FIRST = "x = T.nnet.relu(self.conv1(x))"

PLANTS = {
    **cnn.SHARED,
    **cnn.averaged(),
    **cnn.own_run((RUN, RUN[:-1] + "[::2])"), ("losses = train_epoch", ROLLED + "train_epoch")),
    "width and height swapped in the model": ([("self.dense(x.flatten(2))", "self.dense(x.dimshuffle(0, 1, 3, 2).flatten(2))")], cnn.GRADIENT),
    "a kernel that is flipped": ([(", filter_flip=False", "")], cnn.GRADIENT),
    "average pooling": ([("return pool_2d(x, (2, 2), ignore_border=True)", "return pool_2d(x, (2, 2), ignore_border=True, mode='average_exc_pad')")], cnn.GRADIENT),
    "no ReLU behind the first pooling": ([(FIRST, "x = self.conv1(x)")], cnn.GRADIENT),
    "the gradient to the first of equal values": ([("return pool_2d(x, (2, 2), ignore_border=True)", "h, w = x.shape[2] // 2 * 2, x.shape[3] // 2 * 2\n        a, b, c, d = [x[:, :, i:h:2, j:w:2] for i in (0, 1) for j in (0, 1)]\n        a, c = T.switch(a >= b, a, b), T.switch(c >= d, c, d)\n        return T.switch(a >= c, a, c)")], "gradient of conv"),
    "the sum of a batch's losses": ([(LOSS, LOSS.replace("mean()", "sum()"))], cnn.GRADIENT),
    "labels of a batch in another order": ([(GIVENS, GIVENS.replace("y_train[i]", "y_train[i[::-1]]"))], cnn.FIRST_LOSS),
    "last partial batch dropped in training": ([(STEPS, STEPS[:-2] + " if len(batches[0]) < 1000 or len(i) == BATCH_SIZE])")], cnn.SHORT_TRAINING),
    "last partial batch dropped in predict": ([("    batches = [images[k", "    images = images[: len(images) // 25 * 25]\n    batches = [images[k")], cnn.SHORT_PREDICTION),
    "classes of the smallest logit": ([("model(x).argmax(axis=1)", "model(x).argmin(axis=1)")], cnn.EVALUATION),
    "the accuracy of the first 100 samples": ([("np.mean(predict(images) == labels)", "np.mean(predict(images[:100]) == labels[:100])")], cnn.SHARE),
    "the updates left out": ([(COMPILED, "train_step = theano.function(**step)")], cnn.SECOND_LOSS),
    "an update without its correction": ([(STEP, "step = LEARNING_RATE * m / (T.sqrt(v) + 1e-8)")], cnn.SECOND_LOSS),
    "weight decay": ([("(p, p - step)", "(p, p - step - 1e-6 * p)")], cnn.LATER),
    "momentum of another size": ([("mean + 0.1 * (grad - mean)", "mean + 0.2 * (grad - mean)")], cnn.LATER),
    "the update of a step before": ([(STEP, STEP.replace(" m /", " mean /"))], cnn.SECOND_LOSS),
}
