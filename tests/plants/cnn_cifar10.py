"""What the plants of every lesson of cnn_cifar10 share: plain Python 3.6.

SHARED are planted in each of them as they are. A lesson's own module adds those whose text differs, at least one for
each class of OWN. Of the classes of OWNED no plant can be written: the referee owns that code.
"""

RATES = (0.25, 0.25, 0.5)
# What the referee must say.
DROPOUT = r"mean loss of \d+ passes .* standard errors off"
MASKS = "masks of .* not independent"
RATE = MASKS + "|" + DROPOUT  # masks need a quarter of the passes, and by chance may miss a rate
EVALUATION = r"(?<!steps, )\b[1-9]\d* of 310 classes differ"
SHARE = r"\b0 of 310 classes differ; accuracy 0\.\d+, reference 0\.\d+"
SHORT_PREDICTION = r"predict\(\) gave .* expected: 310 classes"
SHORT_TRAINING = r"train\(\) gave 20 losses; expected: 21"
AFTER = r"after two steps, [1-9]\d* of 310 classes differ"
FIRST_LOSS = "the first wrong loss at step 0"
SECOND_LOSS = "the first wrong loss at step 1"
GRADIENT = "gradient of .*: off by"
CHANGE = "two steps' change"
SAMPLES = r"\d+ of \d+ (training|test) samples are not the data set's"
STEPS = r"its history holds \d+ steps; the settings promise \d+"
COUNT = "its history ends with a test accuracy of"
LEARNED = "its loss did not fall"

LOADED = "data = cifar10.load(DATA, TRAIN_SAMPLES, TEST_SAMPLES)"
SHUFFLED = """
i = __import__("numpy").random.RandomState(0).permutation(len(data.y_train))
data.x_train, data.y_train = data.x_train[i], data.y_train[i]
"""

# Classes of mistakes that a lesson can hold; each lesson has plants of every one.
OWN = """dropout's rate; dropout's place; dropout's mode; averaged weights; defaults; the metric; the data; width and height;
partial batches; labels and order; the optimizer; the lesson's own run""".replace("\n", " ").split("; ")

# Classes that cannot be written in a lesson any more, and what owns that code.
OWNED = {
    "another precision or compilation in the run than in the proof": "referee.session: both run the lesson's own cells",
    "dropout off, half of the batches or nine of ten steps in what is timed": "referee.timed: its loop, over check.train",
    "random weights with the digest of the shared ones": "referee.session: it loads them and reads them back",
    "a rate that changes, the same order in each epoch, sorted samples in what is timed": "common.timing: it hands out orders",
    "nothing waits for the device": "referee.adapters: losses are NumPy's before the clock stops",
    "mini-batches gathered before the clock starts": "referee.timed: the clock starts before check.train",
    "a rate times 1.3, an accuracy plus 3 points in the record": "referee.session: it measures and counts, and a lesson hands in nothing",
    "another version, another framework in the record": "referee.record: the interpreter's own metadata, the job's row",
}


def data(change, expected=SAMPLES):
    """A plant of what Data does with the arrays of the data set: ``change`` is a statement."""
    return [(LOADED, LOADED + "\n" + change + "\n")], expected


def default(name, value, wrong, expected):
    """A plant of a wrong default in Settings."""
    return [("{} = {}".format(name, value), "{} = {}".format(name, wrong))], expected


AVERAGED = """plain_predict = predict


def predict(*given):
    if "check" not in globals():
        return plain_predict(*given)
    now = check.read()
    before = globals().get("earlier") or now
    check.load({name: (now[name] + before[name]) / 2 for name in now})
    found = plain_predict(*given)
    check.load(now)
    return found


def evaluate("""
REMEMBERED = """def remember(train):
    def remembered(*given, **named):
        globals()["earlier"] = check.read() if "check" in globals() else None
        return train(*given, **named)

    return remembered


"""


def averaged(loop="def train_epoch(", remember="@remember\ndef train_epoch("):
    """The plant of averaged weights in predict: of now and of before the last call of the loop."""
    return {"averaged weights in predict": ([("def evaluate(", AVERAGED), (loop, REMEMBERED + remember)], AFTER)}


THREE_POINTS = "an accuracy of the lesson's run that is three points too high"
HALF = "half of the mini-batches in the lesson's run"
LABELS = "labels of the lesson's mini-batches in another order"


def own_run(loop, batches="yield x[i], y[i]", accuracy="test_accuracy))"):
    """The plants of a lesson's own run: texts of the call that makes its mini-batches, of one mini-batch, of history."""
    return {
        HALF: ([(loop, "list({})[::2]".format(loop))], STEPS),
        LABELS: ([(batches, batches.replace("y[i]", "y[np.roll(i, 7)]"))], LEARNED),
        THREE_POINTS: ([(accuracy, accuracy.replace("))", " + 0.03))"))], COUNT),
    }


def counted(share, predicted):
    """The plants of evaluation: texts of evaluate's share of right answers, and of predict's range of mini-batches."""
    first = share.replace("x)", "x[:300])").replace("== y", "== y[:300]")
    whole = "range(0, len(x) // BATCH_SIZE * BATCH_SIZE, BATCH_SIZE)"
    return {
        "the accuracy of the first 300 samples": ([(share, first)], SHARE),
        "last partial batch dropped in predict": (
            [(predicted, predicted.replace("range(0, len(x), BATCH_SIZE)", whole))],
            SHORT_PREDICTION,
        ),
    }


SHARED = {
    "a training image altered behind the proof's": data("data.x_train[-1] = data.x_train[-1] * 0.5"),
    "a training label altered behind the proof's": data("data.y_train[-1] = 9 - data.y_train[-1]"),
    "a test image altered behind the proof's": data("data.x_test[-1] = 1 - data.x_test[-1]"),
    "a test label altered behind the proof's": data("data.y_test[-1] = 9 - data.y_test[-1]"),
    "a training image taken twice": data(
        "data.x_train[-1], data.y_train[-1] = data.x_train[0], data.y_train[0]", "some samples twice and lacks others"
    ),
    "width and height swapped in Data": data(
        "data.x_train, data.x_test = data.x_train.swapaxes(2, 3).copy(), data.x_test.swapaxes(2, 3).copy()"
    ),
    "width and height swapped in the test images": data("data.x_test = data.x_test.swapaxes(2, 3).copy()"),
    "the training set shuffled, labels following: no mistake": data(SHUFFLED, ""),
    "another rate by default": default("LEARNING_RATE", 0.01, 0.02, SECOND_LOSS),
    "another momentum by default": default("MOMENTUM", 0.9, 0.8, "the first wrong loss at step"),
}
for number in range(3):
    for rate in (0, 0.25, 0.5, 0.75):
        if rate != RATES[number]:
            SHARED["dropout {} at {} instead of {}".format(number + 1, rate, RATES[number])] = default(
                "DROPOUT", RATES, RATES[:number] + (rate,) + RATES[number + 1 :], RATE
            )
