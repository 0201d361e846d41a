"""Mistakes to plant in the lesson notebooks/gru_imdb/keras_r.ipynb: see tests/plants/cnn_cifar10.py. The texts are R's."""

from tests.plants import cnn_cifar10 as cnn
from tests.plants import gru_imdb as gru
from tests.plants import gru_imdb_keras as keras
from tests.plants.cnn_cifar10_keras_r import (
    AVERAGED,
    COMPILED,
    COUNTED,
    FIRST,
    FIT_ENDS,
    FITTED,
    HALVES,
    NUMPY,
    PREDICTED,
    REMEMBERED,
    WHOLE,
)

EVALUATION, SHARE, SHORT_PREDICTION = gru.EVALUATION, gru.SHARE, gru.SHORT_PREDICTION
LOADED = "data <- imdb$load(DATA, TRAIN_SAMPLES, TEST_SAMPLES)"
GRU, ADAM = "layers$GRU(100L)", "keras$optimizers$Adam(LEARNING_RATE)"
MODEL = "model <- keras$Sequential(list("
EMBEDDING = "layers$Embedding(30000L, 125L)"
RESET_BEFORE = """
import keras
from keras import ops

class Cell(keras.layers.GRUCell):
    def call(self, inputs, states, training=False):
        h, w, (given, own) = states[0], self.recurrent_kernel, ops.unstack(self.bias)
        a = inputs @ self.kernel + given
        z, r = ops.split(ops.sigmoid(a[:, :200] + h @ w[:, :200] + own[:200]), 2, axis=1)
        n = ops.tanh(a[:, 200:] + (r * h) @ w[:, 200:] + own[200:])
        h = z * h + (1 - z) * n
        return h, [h]

class Planted(keras.layers.RNN):
    def __init__(self, units):
        super().__init__(Cell(units))
"""


def data(statement, expected=cnn.SAMPLES):
    """A plant of what Data does with the arrays: a statement of Python, executed on the same object."""
    return [(LOADED, LOADED + '\npy_eval(r"---(lambda data: exec({!r}))---")(data)\n'.format(statement))], expected


def layer(definition):
    """The changes that put a class of Python's, Planted, in the place of the GRU."""
    return [(GRU, 'py_eval("Planted")(100L)'), (MODEL, 'py_run_string(r"---({})---")\n'.format(definition) + MODEL)]


PLANTS = {
    "a training review altered behind the proof's": data("data.x_train[-1, -1] += 1"),
    "a training label altered behind the proof's": data("data.y_train[-1] = 1 - data.y_train[-1]"),
    "a test review altered behind the proof's": data("data.x_test[-1, -1] += 1"),
    "a test label altered behind the proof's": data("data.y_test[-1] = 1 - data.y_test[-1]"),
    "reviews read from their end": data("data.x_train = data.x_train[:, ::-1].copy()"),
    "the zeros behind the words": data(
        "import numpy as np; data.x_test = np.sort(data.x_test == 0) * 0 + data.x_test[:, ::-1]"
    ),
    "another rate by default": ([("LEARNING_RATE <- 0.001", "LEARNING_RATE <- 0.002")], cnn.SECOND_LOSS),
    "averaged weights in predict": (
        [("evaluate <- function(", AVERAGED), (COMPILED, COMPILED + REMEMBERED)],
        gru.AFTER + "|" + gru.EVALUATION,
    ),
    "another activation of the gates": (
        [(GRU, 'layers$GRU(100L, recurrent_activation = "hard_sigmoid")')],
        cnn.GRADIENT,
    ),
    "a first state of ones": (layer(keras.ONES), gru.FORWARD),
    "a state carried over between batches": (layer(keras.CARRIED), gru.FORWARD),
    "a first token dropped": ([(EMBEDDING, EMBEDDING + ", layers$Cropping1D(tuple(1L, 0L))")], gru.FORWARD),
    "the reset gate before the product": (layer(RESET_BEFORE), cnn.GRADIENT),
    "the time axis reversed": ([(GRU, "layers$GRU(100L, go_backwards = TRUE)")], cnn.GRADIENT),
    "zeros masked": ([(EMBEDDING, "layers$Embedding(30000L, 125L, mask_zero = TRUE)")], cnn.GRADIENT),
    "classes counted from 1 in evaluation": ([(" - 1L\n}", "\n}")], EVALUATION),
    "the accuracy of the first 100 samples": (
        [("model$evaluate(x, y,", "model$evaluate({}, {},".format(FIRST.format("x", 100), FIRST.format("y", 100)))],
        SHARE,
    ),
    "last partial batch dropped in predict": (
        [(PREDICTED, PREDICTED.replace("(x,", "({},".format(WHOLE)))],
        SHORT_PREDICTION,
    ),
    "probabilities taken for logits": ([("from_logits = TRUE", "from_logits = FALSE")], cnn.FIRST_LOSS),
    "weight decay": ([(ADAM, ADAM[:-1] + ", weight_decay = 0.004)")], cnn.CHANGE),
    "Adam's second momentum": ([(ADAM, ADAM[:-1] + ", beta_2 = 0.99)")], "loss at step|" + cnn.CHANGE),
    cnn.LABELS: (
        [(FITTED, FITTED.replace("y_train", NUMPY + "$roll(y_train, 7L)"))],
        cnn.LEARNED + "|always naming the commonest class",  # ten epochs learn wrong labels by heart
    ),
    cnn.HALF: ([(FITTED, FITTED.replace("x_train, y_train", HALVES))], cnn.STEPS),
    cnn.THREE_POINTS: ([(FIT_ENDS, FIT_ENDS + '\npy_eval("lambda h: {}")(history)'.format(COUNTED))], cnn.COUNT),
}
