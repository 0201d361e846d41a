"""Mistakes for tests/plant.py to plant in the lesson notebooks/densenet_chestxray/mxnet_gluon.ipynb.

Each name maps to the replacements in the text of the code cells and to a regular expression, which what the referee says
must match; "" where it must say nothing.
"""

from tests.plants import cnn_cifar10 as cnn
from tests.plants import densenet_chestxray as dense

LATER = r"the first wrong loss at step [1-9]\d*: off by"
NORM, ADAM = "nn.BatchNorm()", '"adam", {"learning_rate": LEARNING_RATE})'
READ = "        image = mx.image.imread(self.paths[k])"
AUGMENT = "        for augmenter in self.augmenters:\n"
STEP = "    trainer.step(len(x))\n    return loss.mean()"
BOTH = """    ours = [p for p in model.collect_params().values() if p.grad_req != "null"]
    before = [p.data(ctx).copy() for p in ours]
    trainer.step(len(x))
    for p, old in zip(ours, before):
        p.set_data((p.data(ctx) + old) / 2)
    return loss.mean()"""
BATCH = """        self.images = getattr(self, "images", -1) + 1
        random = __import__("random")
        random.seed(__import__("os").getpid() * 1000 + self.images // BATCH_SIZE)
"""
SAME = '        __import__("random").seed(int(np.random.randint(2**31)))\n'
RELU = 'F.Activation(self.norm2(new), act_type="relu")'
AREAS = "area(findings[:, k], probabilities[:, k])"

PLANTS = {
    **dense.SHARED,
    # the network
    "a ReLU left out": ([(RELU, "self.norm2(new)")], dense.GRADIENT),
    "maximum for the average": ([("nn.AvgPool2D(2)", "nn.MaxPool2D(2)")], dense.GRADIENT),
    "epsilon of 1e-3": ([(NORM, "nn.BatchNorm(epsilon=1e-3)")], dense.GRADIENT),
    "momentum the other way round": ([(NORM, "nn.BatchNorm(momentum=0.1)")], dense.MEANS),
    "MXNet's own ReLU for oneDNN's: no mistake": ([(RELU, "F.relu(self.norm2(new))")], ""),
    # the loader
    "never mirrored": ([("rand_mirror=augment", "rand_mirror=False")], dense.CROPS),
    "always the middle": ([("rand_crop=augment", "rand_crop=False")], dense.CROPS),
    "one crop for a whole batch": ([(READ, BATCH + READ)], dense.CROPS),
    "workers that share a seed": ([(AUGMENT, SAME + AUGMENT)], dense.CROPS),
    "files not shuffled": ([("shuffle=training", "shuffle=False")], dense.ORDER),
    "last partial batch dropped": (
        [("num_workers=WORKERS)", 'num_workers=WORKERS, last_batch="discard")')],
        dense.FILES,
    ),
    "normalized twice": (
        [("return image.transpose((2, 0, 1))", "return self.augmenters[-1](image).transpose((2, 0, 1))")],
        dense.PIXELS,
    ),
    "evaluation through the training transform": ([("augment=training)", "augment=True)")], dense.PIXELS),
    "findings of the next file": (
        [("self.findings[k]  # (3", "self.findings[(k + 1) % len(self)]  # (3")],
        dense.FINDINGS,
    ),
    # the score
    "areas over all findings at once": ([(AREAS, "area(findings.ravel(), probabilities.ravel())")], dense.AREA),
    # training
    "loss summed over findings": (
        [("loss = loss_fn(model(x), y)  #", "loss = 14 * loss_fn(model(x), y)  #")],
        dense.LOSS,
    ),
    "another rate": ([(ADAM, '"adam", {"learning_rate": 2 * LEARNING_RATE})')], LATER),
    "another beta": ([(ADAM, '"adam", {"learning_rate": LEARNING_RATE, "beta2": 0.99})')], LATER),
    "last partial batch dropped in training": (
        [
            (
                "    for x, y in batches:\n        losses.append(train_step",
                "    for x, y in batches:\n        if len(x) == BATCH_SIZE:\n            losses.append(train_step",
            )
        ],
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
    "the batch's own statistics in evaluation": (
        [
            (
                "    return nd.concat(*[model(x.as",
                "    with autograd.train_mode():\n        return nd.concat(*[model(x.as",
            )
        ],
        dense.PROBABILITIES,
    ),
    # several devices
    "gradients summed over devices": (
        [("        trainer.step(len(x))\n", "        trainer.step(len(x) // len(contexts))\n")],
        dense.DEVICES,
    ),
    # the lesson's own run
    "half of the mini-batches in the lesson's run": (
        [("train_epoch(model, trainer, train_batches)", "train_epoch(model, trainer, list(train_batches)[::2])")],
        dense.STEPS,
    ),
    "areas that are too high in the lesson's run": (
        [
            (
                "history.append((losses.tolist(), areas))",
                "history.append((losses.tolist(), {name: one + 0.05 for name, one in areas.items()}))",
            )
        ],
        dense.SHOWN,
    ),
}
