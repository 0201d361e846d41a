"""What the plants of every lesson of densenet_chestxray share: what the referee must say, and the classes of mistakes."""

GRADIENT = r"gradient of \S+: off by"
DEVICES = r"gradient on two devices of"
LOSS = "loss at step"
MEANS = "running means of"
VARIANCES = r"running (un)?biased variances of"
PROBABILITIES = "probabilities of test image"
AREA = "area of"
PIXELS = "pixels of file"
FINDINGS = r"the findings of file \d+ are another's"
FILES = "each file once"
ORDER = "files in the same order in two epochs, or not shuffled"
CROPS = "deviations off uniform and independent"
CHANGE = "change of"
DATA = "are not the data set's files and findings"
STEPS = r"its history holds \d+ losses; the settings promise"
SHOWN = "its history ends with a mean area of"

# Words in the name of a plant of each class; each lesson has plants of every one.
CLASSES = {
    "a layer": "a ReLU left out",
    "pooling": "maximum for the average",
    "epsilon": "epsilon of 1e-3",
    "momentum": "momentum the other way round",
    "mirroring": "never mirrored",
    "cropping": "always the middle",
    "independence": "one crop for a (whole )?batch",
    "normalization": "normalized twice",
    "the transform of evaluation": "evaluation through the training transform",
    "the metric": "areas over all findings at once",
    "findings and files": "findings of the next file",
    "devices": "gradients summed over devices",
    "workers": "same (draws|crops) in (all|both) workers|workers that share",
    "partial batches": "partial batch",
    "shuffling": "not shuffled",
    "the loss": "loss summed",
    "the optimizer": "beta|rate that|another rate",
    "the mode": "(batch's|own) statistics in evaluation",
    "the data": "altered behind the proof's",
    "the lesson's own run": "lesson's",
}

LOADED = "data = chestxray.load(DATA, TRAIN_SAMPLES, TEST_SAMPLES)"


def data(change):
    """A plant of what Data does with the lists: ``change`` is a statement."""
    return [(LOADED, LOADED + "\n" + change + "\n")], DATA


SHARED = {
    "files altered behind the proof's back": data("data.x_train = data.x_train[1:] + data.x_train[:1]"),
    "findings altered behind the proof's back": data(
        "data.y_test = data.y_test.copy()\ndata.y_test[0, 0] = 1 - data.y_test[0, 0]"
    ),
}
