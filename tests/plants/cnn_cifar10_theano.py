"""Mistakes for tests/plant.py to plant in notebooks/cnn_cifar10/theano.ipynb. Plain Python 3.6."""

from tests.plants import cnn_cifar10 as cnn

PREDICTED = "np.concatenate([step(i) for i in batches])"
TRAINED = "np.array([step(i) for i in batches])"
WHOLE = " if len(i) == BATCH_SIZE])"
RIGHT = "predict(model, x) == y.eval())"
STEP = "step = momentum * v - learning_rate * gradient"
IMAGES = "theano.shared(x, borrow=True) for x in (data.x_train, data.x_test)]"

PLANTS = {
    **cnn.dropouts(),
    "dropout on in evaluation": ([("model(x[i], train=False)", "model(x[i], train=True)")], cnn.EVALUATION),
    "dropout off in training": ([("model(images, train=True)", "model(images, train=False)")], "the masks repeat"),
    "the random stream keeps its state": (
        [("givens=givens)", "givens=givens, no_default_updates=True)")],
        "the masks repeat",
    ),
    "dropout without scaling": ([("dtype=x.dtype) / (1 - rate)", "dtype=x.dtype)")], "standard errors off"),
    "last partial batch dropped in predict and evaluate": (
        [(PREDICTED, PREDICTED[:-2] + WHOLE), (RIGHT, RIGHT[:-1] + "[:128])")],
        cnn.SHORT_PREDICTION,
    ),
    "last partial batch dropped in evaluate": (
        [(RIGHT, "predict(model, x)[:128] == y.eval()[:128])")],
        cnn.SHORT_EVALUATION,
    ),
    "last partial batch dropped in training": ([(TRAINED, TRAINED[:-2] + WHOLE)], cnn.SHORT_TRAINING),
    "labels of the timed loop in another order": (
        [("optimizer, x_train, y_train, order", "optimizer, x_train, y_train[::-1], order")],
        "y_train",
    ),
    "labels of a batch in another order": ([("labels: y[i]}", "labels: y[T.sort(i)]}")], cnn.FIRST_LOSS),
    "labels not indexed by the order": ([("labels: y[i]}", "labels: y[:i.shape[0]]}")], cnn.FIRST_LOSS),
    "the updates forgotten": ([("updates=optimizer(cost), ", "")], cnn.SECOND_LOSS),
    "the weights move by the velocity's old value": ([("(p, p + step)", "(p, p + v)")], cnn.CHANGE),
    "Nesterov's momentum": ([("(p, p + step)", "(p, p + momentum * step - learning_rate * gradient)")], cnn.CHANGE),
    "momentum with dampening": ([(STEP, STEP + " * (1 - 0.1)")], cnn.CHANGE),
    "weight decay": ([(STEP, "step = momentum * v - learning_rate * (gradient + 1e-4 * p)")], cnn.CHANGE),
    "kernels flipped": ([(", filter_flip=False)", ")")], "gradient of"),
    "softmax applied twice": ([("T.nnet.softmax(logits)", "T.nnet.softmax(T.nnet.softmax(logits))")], "gradient of"),
    "the sum instead of the mean": ([("logits), y).mean()", "logits), y).sum()")], "gradient of"),
    "average pooling": (
        [("(2, 2), ignore_border=True)", '(2, 2), ignore_border=True, mode="average_inc_pad")')],
        "gradient of",
    ),
    "width and height swapped in Data": (
        [(IMAGES, IMAGES.replace("shared(x, ", "shared(x.swapaxes(2, 3), "))],
        cnn.EVALUATION,
    ),
    "width and height swapped in the training images": (
        [(IMAGES, IMAGES.replace("(data.x_train,", "(data.x_train.swapaxes(2, 3),"))],
        cnn.TRAINING_IMAGES,
    ),
}
