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
GRADIENT = "gradient of .*: off by"
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


def gathered(optimizer="optimizer"):
    """The plants of a train_epoch that takes each mini-batch by NumPy's indexing; ``optimizer``: its name in the run."""
    loop = "{}, x_train, y_train".format(optimizer)
    return {
        "last partial batch dropped in training": (
            [("y[i]) for i in batches]", "y[i]) for i in batches if len(i) == BATCH_SIZE]")],
            SHORT_TRAINING,
        ),
        "labels of the timed loop in another order": ([(loop + ", order", loop + "[::-1], order")], "y_train"),
        "labels of a batch in another order": ([("y[i])", "y[np.sort(i)])")], FIRST_LOSS),
        "labels not indexed by the order": ([("y[i])", "y[: len(i)])")], FIRST_LOSS),
    }


def dampened(call):
    """The plant of dampened momentum, here as a smaller rate; ``call``: where the optimizer takes its rate."""
    rate = "learning_rate * (1 - momentum)"
    return {"momentum with dampening": ([(call, call.replace("learning_rate", rate))], CHANGE)}


def keras_sgd(call):
    """The plants of Keras' SGD and of images and kernels with channels last; ``call``: how the notebook makes it."""
    kernels = [
        ("w.transpose(2, 3, 1, 0) if", "w.transpose(3, 2, 1, 0) if"),
        ("w.transpose(3, 2, 0, 1) if", "w.transpose(3, 2, 1, 0) if"),
    ]
    flat = [('if name == "dense1.weight":', "if False:")]
    return {
        "momentum forgotten": ([(call, "SGD(learning_rate)")], CHANGE),
        **dampened(call),
        "Nesterov's momentum": ([(call, "SGD(learning_rate, momentum, nesterov=True)")], CHANGE),
        "weight decay": ([(call, "SGD(learning_rate, momentum, weight_decay=1e-4)")], CHANGE),
        "gradients clipped": ([(call, "SGD(learning_rate, momentum, clipnorm=1.0)")], CHANGE),
        **swapped("to_images(data.x_train)", "to_images(data.x_test)"),
        "images with width before height": ([("x.transpose(0, 2, 3, 1)", "x.transpose(0, 3, 2, 1)")], GRADIENT),
        "kernels with width before height": (kernels, GRADIENT),
        "the first dense layer's inputs in PyTorch's order": (flat, GRADIENT),
    }


def _swap(text, images):
    return text.replace(images, images + ".swapaxes(2, 3)")
