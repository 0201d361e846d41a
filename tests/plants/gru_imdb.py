"""What the plants of every lesson of gru_imdb share: plain Python 3.6. See tests/plants/cnn_cifar10.py.

SHARED are planted in each of them as they are. A lesson's own module adds those whose text differs, at least one for
each class of OWN. MISTAKES are the classes that a recurrent network has of its own, with words of their plants' names.
"""

from tests.plants import cnn_cifar10 as cnn
from tests.plants.cnn_cifar10 import (  # noqa: F401
    AVERAGED,
    CHANGE,
    COUNT,
    FIRST_LOSS,
    HALF,
    LABELS,
    LEARNED,
    SAMPLES,
    SECOND_LOSS,
    SHORT_TRAINING,
    STEPS,
    THREE_POINTS,
    default,
    own_run,
)

EVALUATION, SHARE, SHORT_PREDICTION, AFTER = [
    said.replace("310", r"\d+") for said in (cnn.EVALUATION, cnn.SHARE, cnn.SHORT_PREDICTION, cnn.AFTER)
]
LATER = "the first wrong loss at step"
FORWARD = "|".join([r"classes differ; .*; loss of .* off by \d", cnn.GRADIENT, LATER])

MISTAKES = {
    "the first state": "first state of ones",
    "a state that stays": "state carried over between batches",
    "the first token": "first token dropped",
    "the gates": "gates?",
}
FOREIGN = "dropout's rate; dropout's place; dropout's mode; width and height".split("; ")
OWN = [kind for kind in cnn.OWN if kind not in FOREIGN] + list(MISTAKES)

LOADED = "data = imdb.load(DATA, TRAIN_SAMPLES, TEST_SAMPLES)"


def data(change, expected=SAMPLES):
    """A plant of what Data does with the arrays of the data set: ``change`` is a statement."""
    return [(LOADED, LOADED + "\n" + change + "\n")], expected


def averaged(*loop):
    """The plant of averaged weights in predict, as cnn_cifar10's."""
    return {name: (changes, AFTER) for name, (changes, _) in cnn.averaged(*loop).items()}


def counted(share, predicted):
    """The plants of evaluation, as cnn_cifar10's: of evaluate's share of right answers, of predict's mini-batches."""
    return {
        name.replace("300", "100"): ([(old, new.replace("[:300]", "[:100]")) for old, new in changes], said)
        for (name, (changes, _)), said in zip(cnn.counted(share, predicted).items(), (SHARE, SHORT_PREDICTION))
    }


BEHIND = """
import numpy
data.x_test = numpy.stack([numpy.roll(tokens, -numpy.flatnonzero(tokens)[0]) for tokens in data.x_test])
"""
SHARED = {
    "a training review altered behind the proof's": data("data.x_train[-1, -1] += 1"),
    "a training label altered behind the proof's": data("data.y_train[-1] = 1 - data.y_train[-1]"),
    "a test review altered behind the proof's": data("data.x_test[-1, -1] += 1"),
    "a test label altered behind the proof's": data("data.y_test[-1] = 1 - data.y_test[-1]"),
    "a training review taken twice": data(
        "data.x_train[-1], data.y_train[-1] = data.x_train[0], data.y_train[0]", "some samples twice and lacks others"
    ),
    "reviews read from their end": data("data.x_train = data.x_train[:, ::-1].copy()"),
    "the zeros behind the words": data(BEHIND),
    "reviews shifted by one word": data("data.x_test[:, 1:] = data.x_test[:, :-1].copy()"),
    "the training set shuffled, labels following: no mistake": data(cnn.SHUFFLED, ""),
    "another rate by default": default("LEARNING_RATE", 0.001, 0.002, SECOND_LOSS),
}

# ---- of the notebooks that are not lessons yet

GRADIENT = "gradient of"
LOSS = "first wrong loss at step"
CLASSES = r"[1-9]\d* of 150 classes differ"
WHOLE = "[: len(x) // BATCH_SIZE * BATCH_SIZE]"


def define(code, before):
    """The replacement that puts ``code`` in front of the line that starts with ``before``."""
    return before, code.strip("\n") + "\n\n\n" + before


SWAP = """
def swap(w):  # gates z, r, n in place of r, z, n
    return w if len(w) != 300 else np.concatenate([w[100:200], w[:100], w[200:]])
"""

AT_END = """
def at_end(x):
    return np.stack([np.roll(tokens, -np.flatnonzero(tokens)[0]) for tokens in x])
"""

SHIFTED = """
def shifted(x, which=slice(None)):
    x = x.copy()
    x[which] = np.roll(x[which], 1, axis=-1)
    return x
"""
