"""Mistakes for tests/plant.py to plant in the lesson notebooks/gpt_text/lightning.ipynb: see tests/plants/gpt_text.py.

Network, optimizer and generation are those of PyTorch's lesson, and so are their mistakes.
"""

from tests.plants import gpt_text as gpt
from tests.plants import gpt_text_pytorch as pytorch

SAME = """mask off by one; mask the other way round; a mask for the one query with a cache; scale 1/d; scale left out;
softmax over queries; heads merged in another order; post-norm for pre-norm; erf GELU for tanh; epsilon 1e-6; untied embedding;
positions shifted by one; decay on biases and norms; L2 for decoupled decay; Adam's second momentum;
cosine that ends one step early; cache that forgets the first token; cache at the place before;
beginning of a long prompt kept; temperature multiplied; temperature left out; temperature below 0 taken;
dropout of the attention weights left out; dropout of the embeddings left out; dropout of the attention's branch left out;
dropout of the network's branch left out; dropout of the attention weights in evaluation"""
LAMBDA = "lambda step: warmup_cosine(step, total)"
CLIP = "    gradient_clip_val=1.0,\n"
PER_TENSOR = """    def configure_gradient_clipping(self, optimizer, gradient_clip_val, gradient_clip_algorithm):
        for p in self.parameters():
            nn.utils.clip_grad_norm_([p], 1.0)
"""
BEFORE = """    def configure_gradient_clipping(self, optimizer, gradient_clip_val, gradient_clip_algorithm):
        pass

    def backward(self, loss):
        nn.utils.clip_grad_norm_([p for p in self.parameters() if p.grad is not None], 1.0)
        loss.backward()
"""
FITTED = "    minibatches(RandomSampler(x_train), x_train, y_train),\n"
BEHIND = "@torch.no_grad()  # weights that `to` moves in inference mode could not be trained on\ndef generate("
ENDED = "self.epochs.append((losses.tolist(), bits))"
BITS = "self.loss(batch) / math.log(2))"


def hook(definition):
    """The changes that give the module one more method."""
    return [("    def configure_optimizers(", definition + "\n    def configure_optimizers(")]


PLANTS = {
    **gpt.SHARED,
    **gpt.averaged(BEHIND, "def evaluate(model", "trainer.fit = remember(trainer.fit)\n\n\ndef evaluate(model"),
    **{name: pytorch.PLANTS[name] for name in SAME.replace("\n", " ").split("; ")},
    "Adam's epsilon": ([("betas=(0.9, 0.95)", "betas=(0.9, 0.95), eps=1e-6")], gpt.MOVED),
    "clipping per tensor": (hook(PER_TENSOR), gpt.CHANGE),
    "clipping by value": ([(CLIP, CLIP + '    gradient_clip_algorithm="value",\n')], gpt.CHANGE),
    "clipping left out": ([(CLIP, "")], gpt.CHANGE),
    "clipping before the backward pass": (hook(BEFORE), gpt.CHANGE),
    "schedule one step late": ([(LAMBDA, LAMBDA.replace("(step,", "(max(0, step - 1),"))], gpt.MOVED),
    "schedule of half as many steps": ([("stepping_batches  #", "stepping_batches // 2  #")], gpt.LATER),
    "schedule that steps once per epoch": ([(', "interval": "step"}', "}")], gpt.LATER),
    "gradients not cleared": (hook("    def optimizer_zero_grad(self, *given):\n        pass\n"), gpt.MOVED),
    "one update for two mini-batches": ([(CLIP, CLIP + "    accumulate_grad_batches=2,\n")], gpt.LATER),
    "mixed precision by default": ([('if PRECISION == "bf16" else "32-true"', 'if PRECISION else "32-true"')], gpt.GRADIENT),
    "dropout in generation": ([("model.to(trainer.strategy.root_device).eval()", "model.to(trainer.strategy.root_device)")], gpt.GENERATED),
    "dropout on in evaluation": ([(BITS, "self.train()." + BITS[5:])], gpt.BITS),
    "dropout off in a model that was left in evaluation": (
        [("model = LanguageModel()", "model = LanguageModel().eval()")],
        gpt.DROPOUT,
    ),
    "the mean of the mini-batches": ([(BITS, BITS[:-1] + ", batch_size=1)")], gpt.BITS),
    "nats for bits": ([(BITS, BITS.replace(" / math.log(2)", ""))], gpt.BITS),
    "last partial batch dropped in training": ([("drop_last=False", "drop_last=True")], gpt.SHORT_TRAINING),
    "labels of a batch in another order": ([("y.flatten())", "y.flip(0).flatten())")], gpt.FIRST_LOSS),
    gpt.HALF: ([(FITTED, FITTED.replace("(x_train)", "(x_train, num_samples=len(x_train) // 2)"))], gpt.STEPS.replace("200", "160")),
    gpt.LABELS: ([(FITTED, FITTED.replace("y_train", "y_train.roll(7, 0)"))], gpt.LEARNED),
    gpt.LOW: ([(ENDED, ENDED.replace("))", " - 0.05))"))], gpt.COUNT),
}
