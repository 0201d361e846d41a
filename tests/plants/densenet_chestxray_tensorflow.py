"""Mistakes for tests/plant.py to plant in the lesson notebooks/densenet_chestxray/tensorflow.ipynb.

Each name maps to the replacements in the text of the code cells and to a regular expression, which what the referee says
must match; "" where it must say nothing.
"""

from tests.plants import densenet_chestxray as dense

ADAM = "optimizer = tf.keras.optimizers.Adam(LEARNING_RATE)\noptimizer"  # the plain one, not that of several devices
NORM = "layers.BatchNormalization(momentum=0.9, epsilon=1e-5)"
CROP = "tf.image.stateless_random_crop(read(path), (CROP, CROP, 3), seeds[:2])"
FLIP = "    image = tf.image.stateless_random_flip_left_right(image, seeds[2:])\n"
SEEDS = "seeds = tf.data.Dataset.random(rerandomize_each_iteration=True).batch(4)"
SHUFFLED = "dataset.shuffle(len(paths))"
NORMALIZED = "return (tf.cast(image, tf.float32) / 255 - MEAN) / DEVIATION"
RUN = "losses = train_epoch(model, optimizer, train_batches)"


def adam(options, said=dense.LOSS):
    """The plant of other options of the optimizer."""
    return [(ADAM, ADAM.replace("LEARNING_RATE", "LEARNING_RATE, " + options))], said


def repeated(times):
    """The plant of ``times`` neighbours that have the same seeds."""
    return [
        (SEEDS, SEEDS + ".flat_map(lambda four: tf.data.Dataset.from_tensors(four).repeat({}))".format(times))
    ], dense.CROPS


PLANTS = {
    **dense.SHARED,
    # the network
    "a ReLU left out": (
        [
            (
                "self.conv2(tf.nn.relu(self.norm2(new, training=training)))",
                "self.conv2(self.norm2(new, training=training))",
            )
        ],
        dense.GRADIENT,
    ),
    "maximum for the average": ([("tf.nn.avg_pool2d(", "tf.nn.max_pool2d(")], dense.GRADIENT),
    "epsilon of 1e-3": ([(NORM, NORM.replace("1e-5", "1e-3"))], dense.GRADIENT),
    "momentum the other way round": ([(NORM, NORM.replace("0.9", "0.1"))], dense.MEANS),
    "padding at the end alone": (
        [("[0, 0], [1, 1], [1, 1], [0, 0]", "[0, 0], [0, 2], [0, 2], [0, 0]")],
        dense.GRADIENT,
    ),
    # the loader
    "never mirrored": ([(FLIP, "")], dense.CROPS),
    "always the middle": ([(CROP, "tf.image.resize_with_crop_or_pad(read(path), CROP, CROP)")], dense.CROPS),
    "one crop for a batch": repeated("BATCH_SIZE"),
    "workers that share a seed": repeated("WORKERS"),
    "the same crops in each epoch": ([("rerandomize_each_iteration=True", "seed=SEED")], dense.CROPS),
    "files not shuffled": ([(SHUFFLED, "dataset")], dense.ORDER),
    "normalized twice": (
        [(NORMALIZED, NORMALIZED.replace("return (", "return ((") + " - MEAN) / DEVIATION")],
        dense.PIXELS,
    ),
    "evaluation through the training transform": (
        [
            ("    if training:\n", "    if True:\n"),
            (SHUFFLED, SHUFFLED + " if training else dataset"),
            ("training_example if training else test_example", "training_example"),
        ],
        dense.PIXELS,
    ),
    "findings of the next file": (
        [("from_tensor_slices((paths, findings))", "from_tensor_slices((paths, np.roll(findings, -1, axis=0)))")],
        dense.FINDINGS,
    ),
    "last partial batch dropped": ([(".batch(size)", ".batch(size, drop_remainder=True)")], dense.FILES),
    # loss and training
    "loss summed": ([("(from_logits=True)", '(from_logits=True, reduction="sum")')], dense.GRADIENT),
    "last partial batch dropped in training": (
        [
            (
                "for x, y in batches]\n    return tf.stack(losses)",
                "for x, y in batches if len(x) == BATCH_SIZE]\n    return tf.stack(losses)",
            )
        ],
        r"train\(\) gave 20 losses; expected: 21",
    ),
    "another beta": adam("beta_2=0.99"),
    "another rate": ([(ADAM, ADAM.replace("(LEARNING", "(1.1 * LEARNING"))], dense.LOSS),
    "weight decay": adam("weight_decay=0.01", dense.CHANGE),  # decoupled: 3e-6 of a weight, too little for a loss
    "averaged weights": adam("use_ema=True, ema_momentum=0.5, ema_overwrite_frequency=1"),
    "statistics of evaluation in training": (
        [("model(x, training=True))\n    grads", "model(x, training=False))\n    grads")],
        dense.LOSS,
    ),
    # evaluation
    "the batch's own statistics in evaluation": (
        [("tf.sigmoid(model(x, training=False))", "tf.sigmoid(model(x, training=True))")],
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
                "loss = loss_fn(y, model(x, training=True))",
                "loss = loss_fn(y, model(x, training=True)) * tf.distribute.get_strategy().num_replicas_in_sync",
            )
        ],
        dense.DEVICES,
    ),
    # the lesson's own run
    "half of the mini-batches in the lesson's run": (
        [(RUN, RUN.replace("train_batches)", "train_batches.shard(2, 0))"))],
        dense.STEPS,
    ),
    "areas that are too high in the lesson's run": (
        [
            (
                "history.append((losses, areas))",
                "history.append((losses, {name: area + 0.05 for name, area in areas.items()}))",
            )
        ],
        dense.SHOWN,
    ),
    # no mistakes
    "another number of threads": ([("num_parallel_calls=WORKERS", "num_parallel_calls=1")], ""),
}
