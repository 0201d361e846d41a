"""What the tests put beside the notebooks of cnn_cifar10 that are not yet of the new contract: one module a framework.

Plain Python 3.6. Each module has
PLANTS: made by `plants` from the text that moves the picture by one pixel (zeros beyond two borders only).
PASTED: what a reader types after pasting the template cells, twenty steps on one batch; leaves the losses in `values`.
STEP: one step of the notebook over the batches of the iterator `_order`; leaves the function `step`.
bare(parameters): the network as the framework's own guide writes it, on random data in memory; a function that runs one
step and returns when it is done. `parameters` are those of the row. `step.batches` says how many batches it runs, if
not one.
"""

import numpy as np

BATCH = 64
IMAGES = np.random.RandomState(0).rand(BATCH, 3, 32, 32).astype(np.float32)
IMAGES_LAST = np.ascontiguousarray(IMAGES.transpose(0, 2, 3, 1))
LABELS = np.random.RandomState(1).randint(0, 10, BATCH)

STEPS = 6  # a mistake shows by then


def shortened(cls):
    """A Reference of the first few batches."""
    def make(*names):
        reference = cls(*names)
        reference.steps, reference.order = STEPS, reference.order[: STEPS * reference.batch_size]
        for name in ("losses", "loss_bounds"):
            reference.results[name] = reference.results[name][:STEPS]
        return reference

    return make


def slower(cls):
    """A Reference that asks for another momentum."""
    def make(*names):
        reference = shortened(cls)(*names)
        reference.momentum = 0.8
        return reference

    return make


def faster(cls):
    """A Reference that asks for a learning rate 2 % off."""
    def make(*names):
        reference = shortened(cls)(*names)
        reference.learning_rate *= 1.02
        return reference

    return make


def transposed(cls):
    """A Reference whose weights of conv2 have input and output swapped."""
    def make(*names):
        reference = shortened(cls)(*names)
        weights = reference.weights()
        weights["conv2.weight"] = weights["conv2.weight"].transpose(1, 0, 2, 3).copy()
        reference.weights = lambda: dict(weights)
        return reference

    return make


def plants(shifted, dropped=("dropout=(0, 0, 0)", "dropout=(0, 0, 0.5)")):
    """Five mistakes and what the proof must say of each: plant.py describes the form.

    The first two show in the losses alone, and early. Dropout before the last layer leaves that layer's own bias
    gradient nearly alone; the kernels before it tell.
    """
    def reference(change):
        made = "from tests.frameworks import {0}; reference = {0}(Reference)(".format(change)
        return ("reference = Reference(", made)

    early = r"^not the reference's computation: the first wrong loss at step [1-4]:"
    gradients = r"gradient of .*conv.*; the first wrong loss at step 0:"
    return {
        "momentum 0.8": ([reference("slower")], early),
        "learning rate 2 % off": ([reference("faster")], early),
        "transposed kernel": ([reference("transposed")], r"gradient of .*conv2\.weight.*; the first wrong loss at step 0:"),
        "padding off by one": ([shifted, reference("shortened")], gradients),
        "dropout left on": ([dropped, reference("shortened")], gradients),
    }
