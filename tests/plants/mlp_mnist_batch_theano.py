"""Mistakes planted in the lesson notebooks/mlp_mnist_batch/theano.ipynb: see mlp_mnist_batch.py."""

from tests.plants import mlp_mnist_batch as batch

LOSS = "T.nnet.categorical_crossentropy(T.nnet.softmax(logits), y).mean()"
STEP = "step = LEARNING_RATE / first * m / (T.sqrt(v / second) + 1e-8)"
FORWARD = "return self.output(T.nnet.relu(self.hidden(x)))"
CALLED = "loss = loss_fn(model(x_train), y_train)"
# The lesson trains on the shared variables, so other labels are put into them.
ROLLED = "y_train.set_value(np.roll(y_train.get_value(), 7))\n    step_loss = float"

PLANTS = {
    **batch.SHARED,
    **batch.averaged("train_step = theano.function([], loss, updates=optimizer(loss, model.params))", "\n\ntrain_step = remember(theano.function([], loss, updates=optimizer(loss, model.params)))"),
    **batch.own_run(
        ("for epoch in range(EPOCHS):", "for epoch in range(EPOCHS // 2):"),
        ("step_loss = float", ROLLED),
        "([step_loss], train_accuracy, test_accuracy)",
    ),
    "no activation": ([(FORWARD, "return self.output(self.hidden(x))")], batch.GRADIENT),
    "softplus in the hidden layer": ([(FORWARD, FORWARD.replace("relu", "softplus"))], batch.GRADIENT),
    "softmax taken twice": ([(FORWARD, "return T.nnet.softmax(self.output(T.nnet.relu(self.hidden(x))))")], batch.GRADIENT),
    "the sum of the losses": ([(LOSS, LOSS.replace("mean()", "sum()"))], batch.GRADIENT),
    "labels of the batch in another order": ([(CALLED, "loss = loss_fn(model(x_train), y_train[::-1])")], batch.FIRST_LOSS),
    "half of the digits in each step": ([(CALLED, "loss = loss_fn(model(x_train[::2]), y_train[::2])")], batch.FIRST_LOSS),
    "last partial batch dropped in predict": ([("    return classify(images)", "    return classify(images[: len(images) // 25 * 25])")], batch.SHORT_PREDICTION),
    "classes of the smallest logit": ([("model(x).argmax(axis=1)", "model(x).argmin(axis=1)")], batch.EVALUATION),
    "the accuracy of the first 100 samples": ([("np.mean(predict(images) == labels)", "np.mean(predict(images[:100]) == labels[:100])")], batch.SHARE),
    "the updates left out": ([("train_step = theano.function([], loss, updates=optimizer(loss, model.params))", "train_step = theano.function([], loss)")], batch.SECOND_LOSS),
    "an update without its correction": ([(STEP, "step = LEARNING_RATE * m / (T.sqrt(v) + 1e-8)")], batch.SECOND_LOSS),
    "weight decay": ([("(p, p - step)", "(p, p - step - 1e-6 * p)")], batch.LATER),
    "momentum of another size": ([("mean + 0.1 * (grad - mean)", "mean + 0.2 * (grad - mean)")], batch.LATER),
}
