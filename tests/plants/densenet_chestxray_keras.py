"""Mistakes for tests/plant.py to plant in the lesson notebooks/densenet_chestxray/keras.ipynb.

Each name maps to the replacements in the text of the code cells and to a regular expression, which what the referee says
must match; "" where it must say nothing.
"""

from tests.plants import densenet_chestxray as dense

ADAM = "\noptimizer = keras.optimizers.Adam(LEARNING_RATE)"  # the plain one, not that of several devices
NORM = "layers.BatchNormalization(axis=AXIS, momentum=0.9, epsilon=1e-5)"
GIVEN = "self.paths, self.findings, self.training, self.size = paths, findings, training, size"
SHUFFLED = "            np.random.shuffle(self.order)\n"
CHOSEN = "        draws = self.draws[chosen] if"
NORMALIZED = "(images[..., None] / np.float32(255) - MEAN) / DEVIATION"


def adam(options, said=dense.LOSS):
    """The plant of other options of the optimizer."""
    return [(ADAM, ADAM[:-1] + ", " + options + ")")], said


def drawn(draws):
    """The plant of other draws for the images of a mini-batch."""
    return [
        (CHOSEN, "        if self.training:\n            self.draws[chosen] = {}\n".format(draws) + CHOSEN)
    ], dense.CROPS


PLANTS = {
    **dense.SHARED,
    # the network
    "a ReLU left out": ([("conv(norm_relu(new), 32", "conv(" + NORM + "(new), 32")], dense.GRADIENT),
    "maximum for the average": ([("layers.AveragePooling2D(2)", "layers.MaxPooling2D(2)")], dense.GRADIENT),
    "epsilon of 1e-3": ([(NORM, NORM.replace("1e-5", "1e-3"))], dense.GRADIENT),
    "momentum the other way round": ([(NORM, NORM.replace("0.9", "0.1"))], dense.MEANS),
    "padding at the end alone": (
        [("layers.ZeroPadding2D(1)", "layers.ZeroPadding2D(((0, 2), (0, 2)))")],
        dense.GRADIENT,
    ),
    # the loader
    "never mirrored": ([("image[:, ::-1] if mirror else image", "image")], dense.CROPS),
    "always the middle": ([("        top, left, mirror =", "        _, _, mirror =")], dense.CROPS),
    "the last offset left out": ([("(spare + 1, spare + 1, 2)", "(spare, spare + 1, 2)")], dense.CROPS),
    "one crop for a batch": drawn("self.draws[chosen[0]]"),
    "workers that share a seed": drawn("np.random.RandomState(number // WORKERS).random_sample((len(chosen), 3))"),
    "the same crops in each epoch": (
        [("self.draws = np.random.random(", "self.draws = np.random.RandomState(SEED).random_sample(")],
        dense.CROPS,
    ),
    "files not shuffled": ([(SHUFFLED, "")], dense.ORDER),
    "normalized twice": ([(NORMALIZED, "(" + NORMALIZED + " - MEAN) / DEVIATION")], dense.PIXELS),
    "evaluation through the training transform": (
        [
            (GIVEN, GIVEN.replace("training, size", "True, size") + "\n        self.mixed = training"),
            (SHUFFLED, "            if self.mixed:\n    " + SHUFFLED),
        ],
        dense.PIXELS,
    ),
    "findings of the next file": (
        [("self.findings[chosen]", "np.roll(self.findings, -1, axis=0)[chosen]")],
        dense.FINDINGS,
    ),
    "last partial batch dropped": (
        [("math.ceil(len(self.paths) / self.size)", "len(self.paths) // self.size")],
        dense.FILES,
    ),
    # loss and training
    "loss summed": ([("(from_logits=True)", '(from_logits=True, reduction="sum")')], dense.GRADIENT),
    "another beta": adam("beta_2=0.99"),
    "another rate": ([(ADAM, ADAM.replace("(LEARNING", "(1.1 * LEARNING"))], dense.LOSS),
    "weight decay": adam("weight_decay=0.01", dense.CHANGE),  # decoupled: 3e-6 of a weight, too little for a loss
    "averaged weights": adam("use_ema=True, ema_momentum=0.5, ema_overwrite_frequency=1"),
    # evaluation
    "the batch's own statistics in evaluation": (
        [
            (
                "model.predict(dataset, verbose=0)",
                "keras.ops.concatenate([model(dataset[k][0], training=True) for k in range(len(dataset))])",
            )
        ],
        dense.PROBABILITIES,
    ),
    "areas over all findings at once": (
        [
            (
                "roc_auc_score(findings[:, k], probabilities[:, k])",
                "roc_auc_score(findings.ravel(), probabilities.ravel())",
            )
        ],
        dense.AREA,
    ),
    # devices
    "gradients summed over devices": (
        [
            (
                "keras.optimizers.Adam(2 * LEARNING_RATE), loss_fn)",
                "keras.optimizers.Adam(2 * LEARNING_RATE), loss_fn, loss_weights=[2.0])",
            )
        ],
        dense.DEVICES,
    ),
    # the lesson's own run
    "areas that are too high in the lesson's run": (
        [
            (
                'history.append((logs["loss"], areas))',
                'history.append((logs["loss"], {name: area + 0.05 for name, area in areas.items()}))',
            )
        ],
        dense.SHOWN,
    ),
    # no mistakes
    "another layer for ReLU": ([("layers.ReLU()(x)", 'layers.Activation("relu")(x)')], ""),
}
