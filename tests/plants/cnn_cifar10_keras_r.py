"""Mistakes for tests/plant.py to plant in the lesson notebooks/cnn_cifar10/keras_r.ipynb: see tests/plants/cnn_cifar10.py.

The texts are R's.
"""

from tests.plants import cnn_cifar10 as cnn

LOADED = "data <- cifar10$load(DATA, TRAIN_SAMPLES, TEST_SAMPLES)"
SGD = "keras$optimizers$SGD(LEARNING_RATE, momentum = MOMENTUM)"
POOLED = "  layers$MaxPooling2D(),  # {} pixels\n  layers$ReLU(),\n  layers$Dropout(DROPOUT[[{}]]),\n"
BEFORE = "  layers$Dropout(DROPOUT[[{}]]),\n  layers$MaxPooling2D(),\n  layers$ReLU(),\n"
PREDICTED = "logits <- model$predict(x, batch_size = BATCH_SIZE, verbose = 0L)"
COMPILED = 'model$compile(optimizer, loss_fn, metrics = list("accuracy"))'
FITTED = "  x_train, y_train, batch_size = BATCH_SIZE, epochs = EPOCHS"
FIT_ENDS = "  callbacks = list(keras$callbacks$LambdaCallback(on_epoch_end = report))\n)"
AVERAGED = """plain_predict <- predict_classes

predict_classes <- function(model, x) {
  if (!exists("check")) return(plain_predict(model, x))
  now <- check$read()
  before <- if (is.null(earlier)) now else earlier
  check$load(Map(function(a, b) np$divide(np$add(a, b), 2L), now, before))
  on.exit(check$load(now))
  plain_predict(model, x)
}

evaluate <- function("""
REMEMBERED = """
earlier <- NULL
plain_fit <- model$fit
py_set_attr(model, "fit", r_to_py(function(...) {
  if (exists("check")) earlier <<- check$read()
  plain_fit(...)
}, convert = FALSE))
"""
NUMPY = 'import("numpy", convert = FALSE)'  # not every lesson imports it
FIRST = NUMPY + "$take({0}, seq_len(min({1}, py_len({0}))) - 1L, axis = 0L)"  # an array's first samples
WHOLE = FIRST.format("x", "py_len(x) %/% BATCH_SIZE * BATCH_SIZE")
HALVES = ", ".join(FIRST.format(name, "TRAIN_SAMPLES / 2") for name in ("x_train", "y_train"))
COUNTED = "h.history['val_accuracy'].__setitem__(-1, h.history['val_accuracy'][-1] + 0.03)"


def in_r(text, replacement):
    """A change that the lessons in Python share, as one of R's text."""
    if text == cnn.LOADED:  # Python's statement, executed on the same object
        statement = replacement[len(text) :].strip()
        return LOADED, LOADED + '\npy_eval(r"---(lambda data: exec({!r}))---")(data)\n'.format(statement)
    return tuple(one.replace(" = (", " = c(").replace(" = ", " <- ") for one in (text, replacement))


PLANTS = {
    **{name: ([in_r(*change) for change in changes], expected) for name, (changes, expected) in cnn.SHARED.items()},
    "averaged weights in predict": (
        [("evaluate <- function(", AVERAGED), (COMPILED, COMPILED + REMEMBERED)],
        cnn.AFTER,
    ),
    "dropout before the first pooling": ([(POOLED.format("16 x 16", 1), BEFORE.format(1))], cnn.DROPOUT),
    "dropout before the second pooling": ([(POOLED.format("8 x 8", 2), BEFORE.format(2))], cnn.DROPOUT),
    "dropout on in evaluation": (
        [(PREDICTED, "logits <- py_to_r(np$asarray(model(x, training = TRUE)))")],
        cnn.EVALUATION,
    ),
    "classes counted from 1 in evaluation": ([(" - 1L\n}", "\n}")], cnn.EVALUATION),
    "the accuracy of the first 300 samples": (
        [("model$evaluate(x, y,", "model$evaluate({}, {},".format(FIRST.format("x", 300), FIRST.format("y", 300)))],
        cnn.SHARE,
    ),
    "last partial batch dropped in predict": (
        [(PREDICTED, PREDICTED.replace("(x,", "({},".format(WHOLE)))],
        cnn.SHORT_PREDICTION,
    ),
    cnn.LABELS: ([(FITTED, FITTED.replace("y_train", NUMPY + "$roll(y_train, 7L)"))], cnn.LEARNED),
    cnn.HALF: ([(FITTED, FITTED.replace("x_train, y_train", HALVES))], cnn.STEPS),
    cnn.THREE_POINTS: ([(FIT_ENDS, FIT_ENDS + '\npy_eval("lambda h: {}")(history)'.format(COUNTED))], cnn.COUNT),
    "probabilities taken for logits": ([("from_logits = TRUE", "from_logits = FALSE")], cnn.FIRST_LOSS),
    "momentum forgotten": ([(SGD, "keras$optimizers$SGD(LEARNING_RATE)")], cnn.CHANGE),
    "Nesterov's momentum": ([(SGD, SGD[:-1] + ", nesterov = TRUE)")], cnn.CHANGE),
    "weight decay": ([(SGD, SGD[:-1] + ", weight_decay = 1e-4)")], cnn.CHANGE),
    "weights averaged by the optimizer": ([(SGD, SGD[:-1] + ", use_ema = TRUE, ema_momentum = 0.5)")], cnn.CHANGE),
}
