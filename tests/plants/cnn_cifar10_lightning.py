"""Mistakes for tests/plant.py to plant in the lesson notebooks/cnn_cifar10/lightning.ipynb: see tests/plants/cnn_cifar10.py."""

from tests.plants import cnn_cifar10 as cnn

SGD = "torch.optim.SGD(self.parameters(), self.hparams.learning_rate, self.hparams.momentum)"
LOSS = "F.cross_entropy(logits, y)"
TRAINER = "    enable_model_summary=False,\n)"
TRAIN_STEP = "    def training_step(self, batch, batch_idx):\n"
FITTED = "    minibatches(RandomSampler(x_train), x_train, y_train),\n"
VALIDATED = "batches = minibatches(range(len(x)), x, y)"
ENDED = 'self.epochs.append((losses.tolist(), now["train_accuracy"], now["val_accuracy"]))'
def hook(definition):
    """The changes that give the module one more method."""
    return [("    def configure_optimizers(", definition + "\n    def configure_optimizers(")]


SKIPPED = """    def optimizer_step(self, epoch, batch_idx, optimizer, closure):
        if batch_idx % 10 == 9:
            closure()
        else:
            optimizer.step(closure)
"""
FALLING = "        return [optimizer], [torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.9)]"

PLANTS = {
    **cnn.SHARED,
    **cnn.averaged("def predict(model", "trainer.fit = remember(trainer.fit)\n\n\ndef predict(model"),
    # dropout's place, mode
    "dropout before the first pooling": (
        [("self.drop1(F.relu(F.max_pool2d(self.conv2(x), 2)))", "F.relu(F.max_pool2d(self.drop1(self.conv2(x)), 2))")],
        cnn.DROPOUT,
    ),
    "dropout before the second pooling": (
        [("self.drop2(F.relu(F.max_pool2d(self.conv4(x), 2)))", "F.relu(F.max_pool2d(self.drop2(self.conv4(x)), 2))")],
        cnn.DROPOUT,
    ),
    "dropout on in evaluation": ([("self(batch[0]).argmax(1)", "self.train()(batch[0]).argmax(1)")], cnn.EVALUATION),
    "dropout off in every epoch after an evaluation": (
        [("    return torch.cat(trainer.predict(", "    model.eval()\n    return torch.cat(trainer.predict(")],
        "the masks repeat",
    ),
    "dropout off in a model that was left in evaluation": (
        [("model = Classifier(LEARNING_RATE, MOMENTUM)", "model = Classifier(LEARNING_RATE, MOMENTUM).eval()")],
        "the masks repeat",
    ),
    "the seed set in every step": (
        [(TRAIN_STEP, TRAIN_STEP + "        L.seed_everything(SEED, verbose=False)\n")],
        "the masks repeat",
    ),
    # the metric
    "the accuracy of the first 300 samples": (
        [(VALIDATED, VALIDATED.replace("(x)", "(x[:300])").replace("x, y", "x[:300], y[:300]"))],
        cnn.SHARE,
    ),
    "an accuracy that weighs all mini-batches alike": (
        [('"val_accuracy": accuracy})', '"val_accuracy": accuracy}, batch_size=1)')],
        cnn.SHARE,
    ),
    cnn.THREE_POINTS: ([(ENDED, ENDED.replace("))", " + 0.03))"))], cnn.COUNT),
    # partial batches
    "last partial batch dropped in predict": (
        [("minibatches(range(len(x)), x)))", "minibatches(range(len(x) // BATCH_SIZE * BATCH_SIZE), x)))")],
        cnn.SHORT_PREDICTION,
    ),
    "last partial batch dropped in training": ([("drop_last=False", "drop_last=True")], cnn.SHORT_TRAINING),
    # labels and order, and the lesson's own run
    "labels of a batch in another order": ([(LOSS, "F.cross_entropy(logits, y.flip(0))")], cnn.FIRST_LOSS),
    cnn.LABELS: ([(FITTED, FITTED.replace("y_train", "y_train.roll(7)"))], cnn.LEARNED),
    cnn.HALF: ([(FITTED, FITTED.replace("(x_train)", "(x_train, num_samples=len(x_train) // 2)"))], cnn.STEPS),
    "a second softmax": ([(LOSS, "F.cross_entropy(logits.softmax(1), y)")], cnn.FIRST_LOSS),
    # the optimizer
    "mixed precision by default": ([('if PRECISION == "bf16" else "32-true"', 'if PRECISION else "32-true"')], cnn.GRADIENT),
    "one update left out": (hook(SKIPPED), "the first wrong loss at step 10"),
    "gradients not cleared": (
        hook("    def optimizer_zero_grad(self, *given):\n        pass\n"),
        "the first wrong loss at step 2",
    ),
    "one update for two mini-batches": (
        [(TRAINER, TRAINER.replace("\n)", "\n    accumulate_grad_batches=2,\n)"))],
        cnn.FIRST_LOSS,  # callbacks see half the loss
    ),
    "an update by clipped gradients": (
        [(TRAINER, TRAINER.replace("\n)", "\n    gradient_clip_val=0.1,\n)"))],
        cnn.SECOND_LOSS,
    ),
    "a rate that falls from epoch to epoch": ([("        return " + SGD, "        optimizer = " + SGD + "\n" + FALLING)], cnn.CHANGE),
    "momentum forgotten": ([(SGD, SGD.replace(", self.hparams.momentum", ""))], cnn.CHANGE),
    "momentum with dampening": ([(SGD, SGD[:-1] + ", dampening=0.1)")], cnn.CHANGE),
    "Nesterov's momentum": ([(SGD, SGD[:-1] + ", nesterov=True)")], cnn.CHANGE),
    "weight decay": ([(SGD, SGD[:-1] + ", weight_decay=1e-4)")], cnn.CHANGE),
}
