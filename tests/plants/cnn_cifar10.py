"""What the plants of every notebook of cnn_cifar10 share: plain Python 3.6."""

RATES = (0.25, 0.25, 0.5)
# What the proof, or timing.Run, must say.
EVALUATION = r"[1-9]\d* of 150 classes differ"
TRAINING_IMAGES = "loss of the first training samples off by"
SHORT_PREDICTION = "128 classes were predicted for 150 samples"
SHORT_EVALUATION = r"0 of 150 classes differ; accuracy 0\.\d+, reference 0\.\d+"
SHORT_TRAINING = "20 losses were handed in, the reference has 21"
FIRST_LOSS = "the first wrong loss at step 0"
SECOND_LOSS = "the first wrong loss at step 1"
CHANGE = "two steps' change"


def dropouts(text="dropout={}"):
    """The nine plants of a wrong dropout rate: ``text`` formats the three rates as make_model's default."""
    return {
        "dropout {} at {} instead of {}".format(number + 1, rate, RATES[number]): (
            [(text.format(RATES), text.format(RATES[:number] + (rate,) + RATES[number + 1 :]))],
            r"mean loss of 24 passes .* standard errors off",
        )
        for number in range(3)
        for rate in (0, 0.25, 0.5, 0.75)
        if rate != RATES[number]
    }


def swapped(*texts):
    """The two plants of width and height swapped: ``texts`` are where Data takes data.x_train and data.x_test."""
    both = [(text, _swap(_swap(text, "data.x_train"), "data.x_test")) for text in texts]
    training = [(text, _swap(text, "data.x_train")) for text in texts if "data.x_train" in text]
    return {
        "width and height swapped in Data": (both, EVALUATION),
        "width and height swapped in the training images": (training, TRAINING_IMAGES),
    }


def _swap(text, images):
    return text.replace(images, images + ".swapaxes(2, 3)")
