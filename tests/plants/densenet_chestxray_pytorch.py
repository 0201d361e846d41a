"""Mistakes for tests/plant.py to plant in the lesson notebooks/densenet_chestxray/pytorch.ipynb.

Each name maps to the replacements in the text of the code cells and to a regular expression, which what the referee says
must match; "" where it must say nothing.
"""

from tests.plants import densenet_chestxray as dense

GRAY = "return (image / 255 - MEAN) / DEVIATION, self.findings[k]"
DRAW = "top, left = torch.randint(spare + 1, (2,)).tolist()"
FRESH = "dataset = XRays(paths, findings, augment=training)"
RUN = "losses = train_epoch(model, optimizer, train_batches)"

PLANTS = {
    **dense.SHARED,
    # the network
    "a ReLU left out": ([("self.conv2(F.relu(self.norm2(new)))", "self.conv2(self.norm2(new))")], dense.GRADIENT),
    "the last ReLU left out": ([("F.relu(self.norm5(x)).mean", "self.norm5(x).mean")], dense.GRADIENT),
    "maximum for the average": ([("F.avg_pool2d(", "F.max_pool2d(")], dense.GRADIENT),
    "epsilon of 1e-3": (
        [("self.norm0 = nn.BatchNorm2d(64)", "self.norm0 = nn.BatchNorm2d(64, eps=1e-3)")],
        dense.GRADIENT,
    ),
    "momentum the other way round": (
        [("self.norm5 = nn.BatchNorm2d(width)", "self.norm5 = nn.BatchNorm2d(width, momentum=0.9)")],
        dense.MEANS,
    ),
    "a pooling that pads otherwise": (
        [("3, stride=2, padding=1)\n        for", "3, stride=2, ceil_mode=True)\n        for")],
        dense.GRADIENT,
    ),
    # the loader
    "never mirrored": ([("torch.rand(()) < 0.5", "torch.rand(()) < 0")], dense.CROPS),
    "always the middle": (
        [(DRAW + " if self.augment else (spare // 2, spare // 2)", "top, left = spare // 2, spare // 2")],
        dense.CROPS,
    ),
    "the last offset left out": ([("torch.randint(spare + 1, (2,))", "torch.randint(spare, (2,))")], dense.CROPS),
    "one offset for both sides": (
        [(DRAW, "top, left = torch.randint(spare + 1, (1,)).repeat(2).tolist()")],
        dense.CROPS,
    ),
    "one crop for a batch": (
        [
            (
                "top, left = torch.randint(spare + 1, (2,)).tolist() if",
                "self.count = getattr(self, 'count', -1) + 1\n        if self.count % BATCH_SIZE == 0:\n"
                "            self.where = torch.randint(spare + 1, (2,)).tolist()\n        top, left = self.where if",
            )
        ],
        dense.CROPS,
    ),
    "workers that share a seed": (
        [("num_workers=WORKERS,", "num_workers=WORKERS, worker_init_fn=lambda number: torch.manual_seed(SEED),")],
        dense.CROPS,
    ),
    "files not shuffled": ([("shuffle=training", "shuffle=False")], dense.ORDER),
    "normalized twice": (
        [(GRAY, "return ((image / 255 - MEAN) / DEVIATION - MEAN) / DEVIATION, self.findings[k]")],
        dense.PIXELS,
    ),
    "evaluation through the training transform": ([("augment=training", "augment=True")], dense.PIXELS),
    "findings of the next file": ([(GRAY, GRAY.replace("[k]", "[(k + 1) % len(self.findings)]"))], dense.FINDINGS),
    "last partial batch dropped": ([("shuffle=training,", "shuffle=training, drop_last=True,")], dense.FILES),
    # loss and training
    "loss summed": ([("nn.BCEWithLogitsLoss()", 'nn.BCEWithLogitsLoss(reduction="sum")')], dense.GRADIENT),
    "last partial batch dropped in training": (
        [
            (
                "    for x, y in batches:\n        x = x.to",
                "    for x, y in batches:\n        if len(x) < BATCH_SIZE:\n            continue\n        x = x.to",
            )
        ],
        r"train\(\) gave 20 losses; expected: 21",
    ),
    "another beta": (
        [
            (
                "torch.optim.Adam(model.parameters(), lr=LEARNING_RATE)",
                "torch.optim.Adam(model.parameters(), lr=LEARNING_RATE, betas=(0.9, 0.99))",
            )
        ],
        dense.LOSS,
    ),
    "a rate that falls": (
        [("        optimizer.step()\n", "        optimizer.step()\n        optimizer.param_groups[0]['lr'] *= 0.9\n")],
        dense.LOSS,
    ),
    "gradients not cleared": ([("        optimizer.zero_grad()\n", "")], dense.LOSS),
    "weight decay": (
        [
            (
                "torch.optim.Adam(model.parameters(), lr=LEARNING_RATE)",
                "torch.optim.Adam(model.parameters(), lr=LEARNING_RATE, weight_decay=0.01)",
            )
        ],
        dense.LOSS,
    ),
    # evaluation
    "the batch's own statistics in evaluation": ([("    model.eval()\n", "    model.train()\n")], dense.PROBABILITIES),
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
                "parallel = DistributedDataParallel(model)",
                "parallel = DistributedDataParallel(model)\n    parallel.register_comm_hook(None, lambda _, bucket: dist.all_reduce(bucket.buffer(), async_op=True).get_future().then(lambda done: done.value()[0]))",
            )
        ],
        dense.DEVICES,
    ),
    # the lesson's own run
    "half of the mini-batches in the lesson's run": (
        [(RUN, "losses = train_epoch(model, optimizer, list(train_batches)[::2])")],
        dense.STEPS,
    ),
    "areas that are too high in the lesson's run": (
        [
            (
                "history.append((losses.tolist(), areas))",
                "history.append((losses.tolist(), {name: area + 0.05 for name, area in areas.items()}))",
            )
        ],
        dense.SHOWN,
    ),
    # no mistakes
    "files in another order, drawn otherwise": (
        [("shuffle=training", "sampler=torch.utils.data.RandomSampler(dataset) if training else None")],
        "",
    ),
}
