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
