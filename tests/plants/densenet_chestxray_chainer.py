"""Mistakes for tests/plant.py to plant in the lesson notebooks/densenet_chestxray/chainer.ipynb.

Each name maps to the replacements in the text of the code cells and to a regular expression, which what the referee says
must match; "" where it must say nothing.
"""

from tests.plants import cnn_cifar10 as cnn
from tests.plants import densenet_chestxray as dense

LATER = r"the first wrong loss at step [1-9]\d*: off by"
NORM = "L.BatchNormalization(width, eps=1e-5)"
ADAM = "optimizer = chainer.optimizers.Adam(alpha=LEARNING_RATE).setup(model)"
CROPS = "random.randint(0, spare), random.randint(0, spare)"
FLIP = "if augment and random.random() < 0.5:"
EXAMPLE = "    image, findings = example\n"
BATCH = (
    EXAMPLE
    + """    prepare.calls = getattr(prepare, "calls", -1) + 1
    random.seed(prepare.calls // BATCH_SIZE)
"""
)
WORKERS = "MultiprocessIterator(dataset, batch_size, repeat=False, shuffle=training, n_processes=WORKERS)"
PAIRS = "list(zip(paths, findings))"
AREAS = "area(findings[:, k], probabilities[:, k])"
LOOP = "    for batch in batches:\n        x, y = concat_examples(batch)"
STEP = "        optimizer.update()\n        losses.append(loss.array)\n"
BOTH = """        before = [np.array(p.array) for p in model.params()]
        optimizer.update()
        device = model.device
        model.to_device("@numpy")
        for p, old in zip(model.params(), before):
            p.array[...] = (p.array + old) / 2
        model.to_device(device)
        losses.append(loss.array)
"""

PLANTS = {
    **dense.SHARED,
    # the network
    "a ReLU left out": ([("self.conv2(F.relu(self.norm2(new)))", "self.conv2(self.norm2(new))")], dense.GRADIENT),
    "maximum for the average": ([("F.average_pooling_2d(", "F.max_pooling_2d(")], dense.GRADIENT),
    "epsilon of 1e-3": ([(NORM, "L.BatchNormalization(width, eps=1e-3)")], dense.GRADIENT),
    "momentum the other way round": ([(NORM, "L.BatchNormalization(width, decay=0.1, eps=1e-5)")], dense.MEANS),
    "the transition's ReLU as a leaky one without a leak: no mistake": (
        [("self.conv(F.relu(self.norm(x)))", "self.conv(F.leaky_relu(self.norm(x), 0.0))")],
        "",
    ),
    # the loader
    "never mirrored": ([(FLIP, "if False:")], dense.CROPS),
    "always the middle": ([(CROPS, "spare // 2, spare // 2")], dense.CROPS),
    "one crop for a whole batch": (
        [(EXAMPLE, BATCH), (WORKERS, "SerialIterator(dataset, batch_size, repeat=False, shuffle=training)")],
        dense.CROPS,
    ),
    "workers that share a seed": (
        [
            (CROPS, "np.random.randint(spare + 1), np.random.randint(spare + 1)"),
            (FLIP, "if augment and np.random.rand() < 0.5:"),
        ],
        dense.CROPS,
    ),
    "files not shuffled": ([("repeat=False, shuffle=training,", "repeat=False, shuffle=False,")], dense.ORDER),
    "last partial batch dropped": ([(PAIRS, PAIRS + "[:len(paths) // batch_size * batch_size]")], dense.FILES),
    "normalized twice": (
        [
            (
                "return (image / 255 - MEAN) / DEVIATION, findings",
                "return ((image / 255 - MEAN) / DEVIATION - MEAN) / DEVIATION, findings",
            )
        ],
        dense.PIXELS,
    ),
    "evaluation through the training transform": (
        [("prepare(example, training)", "prepare(example, True)")],
        dense.PIXELS,
    ),
    "findings of the next file": ([(PAIRS, "list(zip(paths, np.roll(findings, -1, axis=0)))")], dense.FINDINGS),
    # the score
    "areas over all findings at once": ([(AREAS, "area(findings.ravel(), probabilities.ravel())")], dense.AREA),
    # training
    "loss summed over findings": (
        [("loss_fn = F.sigmoid_cross_entropy", "loss_fn = lambda x, y: 14 * F.sigmoid_cross_entropy(x, y)")],
        dense.LOSS,
    ),
    "another rate": ([(ADAM, ADAM.replace("LEARNING_RATE", "2 * LEARNING_RATE"))], LATER),
    "another beta": ([(ADAM, ADAM.replace("LEARNING_RATE", "LEARNING_RATE, beta2=0.99"))], LATER),
    "last partial batch dropped in training": (
        [(LOOP, LOOP.replace("batches:\n", "batches:\n        if len(batch) < BATCH_SIZE:\n            continue\n"))],
        r"train\(\) gave 20 losses; expected: 21",
    ),
    "weights averaged with those before the step": ([(STEP, BOTH)], LATER),
    "averaged weights in predict": (
        [
            ("def area(", cnn.AVERAGED.replace("def evaluate(", "def area(")),
            ("def train_epoch(", cnn.REMEMBERED + "@remember\ndef train_epoch("),
        ],
        dense.PROBABILITIES,
    ),
    "the batch's own statistics in evaluation": ([('chainer.using_config("train", False), ', "")], dense.PROBABILITIES),
    # several devices
    "gradients summed over devices": ([("loss_fn(logits, y) / len(devices)", "loss_fn(logits, y)")], dense.DEVICES),
    # the lesson's own run
    "half of the mini-batches in the lesson's run": (
        [("train_epoch(model, optimizer, train_iter)", "train_epoch(model, optimizer, list(train_iter)[::2])")],
        dense.STEPS,
    ),
    "areas that are too high in the lesson's run": (
        [
            (
                "history.append((losses, areas))",
                "history.append((losses, {name: one + 0.05 for name, one in areas.items()}))",
            )
        ],
        dense.SHOWN,
    ),
}
