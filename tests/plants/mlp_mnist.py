"""What the plants of the lessons of mlp_mnist share: plain Python 3.6. See tests/plants/cnn_cifar10.py.

SHARED are planted in each of them as they are. A lesson's own module adds those whose text differs.
"""

from tests.plants import cnn_cifar10 as cnn

EVALUATION, SHARE, SHORT_PREDICTION = [
    said.replace("310", "140") for said in (cnn.EVALUATION, cnn.SHARE, cnn.SHORT_PREDICTION)
]
GRADIENT = cnn.GRADIENT
FIRST_LOSS, SECOND_LOSS, CHANGE = cnn.FIRST_LOSS, cnn.SECOND_LOSS, cnn.CHANGE
STEPS = cnn.STEPS.replace("200", "1280")
# A network that starts saturated lowers its loss on wrong labels, too; what it predicts stays wrong.
LEARNED = cnn.LEARNED + "|always naming the commonest class"
LATER = "the first wrong loss at step|two steps' change"
FLOAT32 = r"gradient of \w+\.\w+: off by \d\S*e-0[4-9]"

LOADED = "data = mnist.load(DATA, TRAIN_SAMPLES, TEST_SAMPLES)"
SHUFFLED = """
i = __import__("numpy").random.RandomState(0).permutation(len(data.y_train))
data.x_train, data.y_train = data.x_train[i], data.y_train[i]
"""


def data(change, expected=cnn.SAMPLES):
    """A plant of what Data does with the arrays of the data set: ``change`` is a statement."""
    return [(LOADED, LOADED + "\n" + change + "\n")], expected


def set_to(name, value, wrong):
    """The change of one line of Settings; what follows the value on its line stays."""
    return "{} = {}".format(name, value), "{} = {}".format(name, wrong)


SHARED = {
    "a training image altered behind the proof's": data("data.x_train[-1] //= 2"),
    "a training label altered behind the proof's": data("data.y_train[-1] = 9 - data.y_train[-1]"),
    "a test image altered behind the proof's": data("data.x_test[-1] = 255 - data.x_test[-1]"),
    "a test label altered behind the proof's": data("data.y_test[-1] = 9 - data.y_test[-1]"),
    "a training image taken twice": data(
        "data.x_train[-1], data.y_train[-1] = data.x_train[0], data.y_train[0]", "some samples twice and lacks others"
    ),
    "width and height swapped in Data": data(
        "data.x_train, data.x_test = data.x_train.swapaxes(1, 2).copy(), data.x_test.swapaxes(1, 2).copy()"
    ),
    "width and height swapped in the test images": data("data.x_test = data.x_test.swapaxes(1, 2).copy()"),
    "the training set shuffled, labels following: no mistake": data(SHUFFLED, ""),
    "another rate by default": ([set_to("LEARNING_RATE", 1.25, 1.0)], SECOND_LOSS),
    "another batch size by default": ([set_to("BATCH_SIZE", 10, 5)], r"train\(\) gave \d+ losses; expected:"),
}


AVERAGED = """plain_predict = predict


def predict(*given):
    if "check" not in globals() or "earlier" not in globals():
        return plain_predict(*given)
    now = check.read()
    check.load({name: (now[name] + earlier[name]) / 2 for name in now})
    found = plain_predict(*given)
    check.load(now)
    return found


def evaluate("""
REMEMBERED = """def remember(train):
    def remembered(*given, **named):
        globals().setdefault("earlier", check.read()) if "check" in globals() else None
        return train(*given, **named)

    return remembered


"""


def own_run(order, given, accuracy="(losses, train_accuracy, test_accuracy)"):
    """The plants of a lesson's own run: texts of an epoch's order, of the arrays that it is given, of history's entry.

    ``order``: (text, that of half of it); ``given``: (text, that with labels rolled).
    """
    return {
        cnn.HALF: ([order], STEPS),
        cnn.LABELS: ([given], LEARNED),
        cnn.THREE_POINTS: ([(accuracy, accuracy.replace("test_accuracy", "test_accuracy + 0.03"))], cnn.COUNT),
    }
