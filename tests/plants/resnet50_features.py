"""What the plants of every lesson of resnet50_features share: plain Python 3.6."""

# What the proof must say where only what follows the last stage is wrong.
AFTER = r"features: sample \d+ is off by .*no stage diverges, only what follows"
FEATURES = r"features: sample \d+ is off by"
LOGITS = r"logits: sample \d+ is off by"
IMAGES = "images are not the data set's, blue first and less the mean"
LABELS = "the labels are not the data set's"
SHAPE = r"features\(\) gave .* expected: floats"
TIMED = "features of the timed run are off the reference's"
OWN_RUN = "features of its own run are off the reference's"
EMBEDDINGS = "its embeddings are not the features of its model"
PREDICTED = "predicted holds other classes than its model gives"


def first(stage, part="features"):
    """What the proof says where ``stage`` is the first that diverges."""
    return r"{}: sample \d+ is off by .*the first stage that diverges: {}, off by".format(part, stage)


# Words in the name of a plant of each class; each lesson has plants of every one.
CLASSES = {
    "epsilon": "epsilon",
    "biases": "bias dropped",
    "products of low precision": "TF32",
    "the order of colours": "red first",
    "the mean of colours": "mean in the order",
    "strides": "the stride in the 3x3 convolution",
    "padding": "asymmetric padding",
    "running values": "unbiased",
    "the mode": "training mode|inference",
    "the last pooling": "instead of mean|average pooling over",
    "the addition": "the addition",
    "kernels": "kernels",
    "names of weights": "exchanged",
    "partial batches": "partial batch",
    "work left out": "of an earlier call",
    "the data": "altered behind the proof's|photos swapped",
    "weights of the run": "weights never loaded",
    "the lesson's own run": "the lesson's",
}

LOADED = "data = imagenet_samples.load(DATA)"
WEIGHTS = "load_weights(model, resnet50.load(DATA))"


def data(change, expected=IMAGES):
    """A plant of what Data does with the photos: ``change`` is a statement."""
    return [(LOADED, LOADED + "\n" + change)], expected


SHARED = {
    "a photo altered behind the proof's back": data("data.x_test[-1] = 255 - data.x_test[-1]"),
    "a label altered behind the proof's back": data("data.y_test[-1] = 7", LABELS),
    "two photos swapped": data("data.x_test[:2] = data.x_test[1::-1].copy()"),
}


def own_run(embeddings, predicted, loaded=WEIGHTS):
    """Plants of a lesson's own run: texts of the lines that make ``embeddings``, ``predicted``, and load the weights."""
    return {
        "features of the lesson's run scaled": (
            [(embeddings, embeddings + "\nembeddings = embeddings * 1.001")],
            EMBEDDINGS,
        ),
        "classes of the lesson's run counted from 1": (
            [(predicted, predicted + "\npredicted = predicted + 1")],
            PREDICTED,
        ),
        "weights never loaded in the lesson's run": ([(loaded, "loaded = " + repr(loaded))], OWN_RUN),
    }
