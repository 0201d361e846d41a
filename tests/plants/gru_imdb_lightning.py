"""Mistakes for tests/plant.py to plant in the lesson notebooks/gru_imdb/lightning.ipynb: see tests/plants/cnn_cifar10.py.

The network is that of PyTorch's lesson, and so are its mistakes.
"""

from tests.plants import gru_imdb as gru
from tests.plants import gru_imdb_pytorch as pytorch

NETWORK = """a first state of ones; a state carried over between batches; a first token dropped;
the reset gate before the product; words first, reviews second; the state after the first word; zeros skipped;
the row of the zeros not trained""".replace("\n", " ").split("; ")
ADAM = "torch.optim.Adam(self.parameters(), lr=LEARNING_RATE, fused=True)"
LOSS = "F.cross_entropy(logits, y)"
MODULE = "class Reader(L.LightningModule):"
CHECKPOINTS = "    enable_checkpointing=False,\n"
FITTED = "    minibatches(RandomSampler(x_train), x_train, y_train),\n"
VALIDATED = "batches = minibatches(range(len(x)), x, y)"
ENDED = 'self.epochs.append((losses.tolist(), now["train_accuracy"], now["val_accuracy"]))'
LATER = gru.LATER + "|" + gru.CHANGE
SKIPPED = """    def optimizer_step(self, epoch, batch_idx, optimizer, closure):
        if batch_idx % 10 == 9:
            closure()
        else:
            optimizer.step(closure)
"""
EPSILON_INSIDE = """class EpsilonInside(torch.optim.Adam):
    count = 0

    def step(self, closure):
        self.count += 1
        self.param_groups[0]["eps"] = 1e-8 / (1 - 0.999**self.count) ** 0.5
        return super().step(closure)


"""
LAZY = """class Lazy(torch.optim.Adam):
    def step(self, closure):
        loss = closure()
        table = self.param_groups[0]["params"][0]
        absent, old = table.grad.abs().sum(1) == 0, table.detach().clone()
        super().step()
        with torch.no_grad():
            table[absent] = old[absent]
        return loss


"""


def hook(definition):
    """The changes that give the module one more method."""
    return [("    def configure_optimizers(", definition + "\n    def configure_optimizers(")]


def adam(name, definition):
    """The changes that put another Adam in the place of PyTorch's."""
    return [(ADAM, ADAM.replace("torch.optim.Adam", name)), (MODULE, definition + MODULE)]


PLANTS = {
    **gru.SHARED,
    **gru.averaged("def predict(model", "trainer.fit = remember(trainer.fit)\n\n\ndef predict(model"),
    **{name: pytorch.PLANTS[name] for name in NETWORK},
    # Each review keeps its wrong label, so the network can learn these by heart, and the loss may fall.
    gru.LABELS: (
        [(FITTED, FITTED.replace("y_train", "y_train.roll(7)"))],
        gru.LEARNED + "|always naming the commonest class",
    ),
    gru.HALF: ([(FITTED, FITTED.replace("(x_train)", "(x_train, num_samples=len(x_train) // 2)"))], gru.STEPS),
    gru.THREE_POINTS: ([(ENDED, ENDED.replace("))", " + 0.03))"))], gru.COUNT),
    "the accuracy of the first 100 samples": (
        [(VALIDATED, VALIDATED.replace("(x)", "(x[:100])").replace("x, y", "x[:100], y[:100]"))],
        gru.SHARE,
    ),
    "an accuracy that weighs all mini-batches alike": (
        [('"val_accuracy": accuracy})', '"val_accuracy": accuracy}, batch_size=1)')],
        gru.SHARE,
    ),
    "last partial batch dropped in predict": (
        [("minibatches(range(len(x)), x)))", "minibatches(range(len(x) // BATCH_SIZE * BATCH_SIZE), x)))")],
        gru.SHORT_PREDICTION,
    ),
    "last partial batch dropped in training": ([("drop_last=False", "drop_last=True")], gru.SHORT_TRAINING),
    "labels of a batch in another order": ([(LOSS, "F.cross_entropy(logits, y.flip(0))")], gru.FIRST_LOSS),
    "a second softmax": ([(LOSS, "F.cross_entropy(logits.softmax(1), y)")], gru.FIRST_LOSS),
    "one update in ten left out": (hook(SKIPPED), gru.LATER),
    "gradients not cleared": (hook("    def optimizer_zero_grad(self, *given):\n        pass\n"), LATER),
    "one update for two mini-batches": ([(CHECKPOINTS, CHECKPOINTS + "    accumulate_grad_batches=2,\n")], LATER),
    "gradients cut off": ([(CHECKPOINTS, CHECKPOINTS + "    gradient_clip_val=0.1,\n")], LATER),
    "weight decay": ([(ADAM, ADAM.replace("fused", "weight_decay=1e-4, fused"))], LATER),
    "Adam's second momentum": ([(ADAM, ADAM.replace("fused", "betas=(0.9, 0.99), fused"))], LATER),
    "Adam's epsilon inside the root's correction": (adam("EpsilonInside", EPSILON_INSIDE), LATER),
    "an update of the words that occur alone": (adam("Lazy", LAZY), gru.LATER),
}
