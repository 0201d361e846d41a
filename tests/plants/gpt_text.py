"""What the plants of every lesson of gpt_text share: plain Python 3.6. See tests/plants/cnn_cifar10.py.

SHARED are planted in each of them as they are. A lesson's own module adds those whose text differs, at least one for
each class of CLASSES.
"""

from tests.plants.cnn_cifar10 import CHANGE, FIRST_LOSS, GRADIENT, SHORT_TRAINING, SHUFFLED, STEPS, default  # noqa: F401

CLASSES = {  # of mistakes that a lesson about text can hold, with words of their plants' names
    "the mask's place": "mask off by one",
    "the mask's side": "mask the other way round",
    "the scale": "scale 1/d",
    "no scale": "scale left out",
    "the softmax": "softmax over queries",
    "the heads": "heads merged in another order",
    "the norm's place": "post-norm",
    "GELU": "erf GELU",
    "epsilon": "epsilon 1e-6",
    "the tied embedding": "untied embedding",
    "positions": "positions shifted by one",
    "what decays": "decay on biases and norms",
    "how it decays": "L2 for decoupled decay",
    "clipping": "clipping per tensor",
    "the schedule": "schedule one step late",
    "the cache": "cache that forgets the first token",
    "generation": "dropout in generation",
    "the temperature": "temperature",
    "the prompt": "beginning of a long prompt",
    "dropout's rate": r"dropout at \d",
    "dropout's places": "dropout of the .* left out",
    "dropout's mode": "dropout on in evaluation",
    "averaged weights": "averaged weights",
    "defaults": "by default",
    "the metric": "nats|mean of the mini-batches",
    "the data": "altered behind the proof's",
    "partial batches": "partial batch",
    "labels and order": "labels of",
    "the optimizer": "Adam's",
    "the lesson's own run": "lesson's",
}

# What the referee must say.
LATER = "the first wrong loss at step"
MOVED = LATER + "|" + CHANGE
DROPOUT = r"mean loss of \d+ passes .* off|masks repeat"
BITS = r"(?<!steps, )evaluate gives .* off by \d"
AFTER = "after two steps, evaluate gives"
LOGITS = "logits: sample .* is off"
GENERATED = r"[1-9]\d* of \d+ bytes are others"
CACHED = GENERATED + ".* with a cache"
LONG_PROMPT = GENERATED + ".*prompt 1"
SAMPLED = r"sampling: -?[1-9]\d"
COUNT = "its history ends with"
LEARNED = "a table of how frequent each byte is needs|its loss did not fall"  # both look at the lesson's own run
SEQUENCES = r"\d+ of \d+ (training|test) samples are not the data set's"
HALF = "half of the mini-batches in the lesson's run"
LABELS = "labels of the lesson's mini-batches in another order"
LOW = "bits of the lesson's run that are 0.05 too low"

LOADED = "data = shakespeare.load(DATA, TRAIN_SAMPLES, TEST_SAMPLES)"


def data(change, expected=SEQUENCES):
    """A plant of what Data does with the arrays of the data set: ``change`` is a statement."""
    return [(LOADED, LOADED + "\n" + change + "\n")], expected


AVERAGED = """plain_evaluate = evaluate


def evaluate(*given):
    if "check" not in globals():
        return plain_evaluate(*given)
    now = check.read()
    before = globals().get("earlier") or now
    check.load({name: (now[name] + before[name]) / 2 for name in now})
    found = plain_evaluate(*given)
    check.load(now)
    return found


"""
REMEMBERED = """def remember(train):
    def remembered(*given, **named):
        globals()["earlier"] = check.read() if "check" in globals() else None
        return train(*given, **named)

    return remembered


"""


def averaged(behind, loop="def train_epoch(", remember="@remember\ndef train_epoch("):
    """The plant of averaged weights in evaluate: of now and of before the last call of the loop.

    ``behind``: the first line behind the definition of evaluate.
    """
    return {"averaged weights in evaluate": ([(behind, AVERAGED + behind), (loop, REMEMBERED + remember)], AFTER)}


SHARED = {
    "a training sequence altered behind the proof's": data("data.x_train[-1, -1] += 1"),
    "a byte after a training sequence altered behind the proof's": data("data.y_train[-1, 0] += 1"),
    "a test sequence altered behind the proof's": data("data.x_test[-1, -1] += 1"),
    "a byte after a test sequence altered behind the proof's": data("data.y_test[-1, 0] += 1"),
    "a training sequence taken twice": data(
        "data.x_train[-1], data.y_train[-1] = data.x_train[0], data.y_train[0]", "some samples twice and lacks others"
    ),
    "text read from its end": data("data.x_train = data.x_train[:, ::-1].copy()"),
    "labels of the same byte": data("data.y_train = data.x_train.copy()"),
    "the training set shuffled, labels following: no mistake": data(SHUFFLED, ""),
    "another rate by default": default("LEARNING_RATE", 0.003, 0.006, LATER),
    "another decay by default": default("WEIGHT_DECAY", 0.1, 0.2, MOVED),
}
for rate in (0, 0.05, 0.2):
    SHARED["dropout at {} instead of 0.1".format(rate)] = default("DROPOUT", 0.1, float(rate), DROPOUT)
