"""Mistakes for tests/plant.py to plant in the lesson notebooks/gpt_text/paddle.ipynb: see tests/plants/gpt_text.py."""

from tests.plants import gpt_text as gpt

SDPA = """F.scaled_dot_product_attention(
            q, k, v, dropout_p=DROPOUT, is_causal=q.shape[1] > 1, training=self.training
        )"""
CAUSAL = "is_causal=q.shape[1] > 1"
MASK = "paddle.ones([q.shape[1], k.shape[1]])"
BLOCK = "class Block(nn.Layer):"
BY_HAND = """def by_hand(q, k, v, scale, over):
    q, k, v = [a.transpose([0, 2, 1, 3]) for a in (q, k, v)]
    later = paddle.ones([q.shape[2], k.shape[2]]).triu(1 + k.shape[2] - q.shape[2]) > 0
    scores = paddle.matmul(q, k, transpose_y=True) * scale
    return (F.softmax(scores.masked_fill(later, -1e30), over) @ v).transpose([0, 2, 1, 3])


"""
BRANCHES = """        x = x + self.drop(self.attention(self.norm1(x), cache))
        return x + self.drop(self.down(F.gelu(self.up(self.norm2(x)), approximate=True)))"""
POST = """        x = self.norm1(x + self.drop(self.attention(x, cache)))
        return self.norm2(x + self.drop(self.down(F.gelu(self.up(x), approximate=True))))"""
CLIP = "    grad_clip=nn.ClipGradByGlobalNorm(1.0),\n"
BEHIND = "@paddle.no_grad()\ndef generate("
STEPS = "    optimizer.step()\n    optimizer.clear_grad()\n    scheduler.step()\n"


def masked(mask):
    """The changes that put another mask in the place of the causal one."""
    return [(CAUSAL, "attn_mask=({})[None, None] > 0".format(mask))]


def by_hand(scale="32**-0.5", over=-1):
    """The changes that put an attention by hand in the place of Paddle's."""
    return [(SDPA, "by_hand(q, k, v, {}, {})".format(scale, over)), (BLOCK, BY_HAND + BLOCK)]


PLANTS = {
    **gpt.SHARED,
    **gpt.averaged(BEHIND),
    "mask off by one": (masked(MASK + ".tril(1 + k.shape[1] - q.shape[1])"), gpt.GRADIENT),
    "mask the other way round": (masked(MASK + ".triu(k.shape[1] - q.shape[1])"), gpt.GRADIENT),
    "a mask of zeros and ones that is added": (
        [(CAUSAL, "attn_mask={}.tril(k.shape[1] - q.shape[1])[None, None]".format(MASK))],
        gpt.GRADIENT,
    ),
    "scale 1/d": (by_hand(scale="1 / 32"), gpt.GRADIENT),
    "scale left out": (by_hand(scale="1.0"), gpt.GRADIENT),
    "softmax over queries": (by_hand(over=-2), gpt.GRADIENT),
    "heads merged in another order": ([("mixed.flatten(2)", "mixed.transpose([0, 1, 3, 2]).flatten(2)")], gpt.GRADIENT),
    "heads and bytes exchanged": (
        [("[0, 0, 3, HEADS, -1]).unbind(2)", "[0, 0, 3, HEADS, -1]).transpose([0, 3, 2, 1, 4]).unbind(2)"),
         ("mixed.flatten(2)", "mixed.transpose([0, 2, 1, 3]).flatten(2)"), ("q.shape[1] > 1", "q.shape[2] > 1")],
        gpt.GRADIENT,
    ),
    "post-norm for pre-norm": ([(BRANCHES, POST)], gpt.GRADIENT),
    "erf GELU for tanh": ([(", approximate=True", "")], gpt.GRADIENT),
    "epsilon 1e-6": ([("nn.LayerNorm(WIDTH)", "nn.LayerNorm(WIDTH, 1e-6)")], gpt.GRADIENT),
    "untied embedding": (
        [("self.tokens.weight, transpose_y", "self.tokens.weight.detach(), transpose_y")],
        gpt.GRADIENT,
    ),
    "positions shifted by one": (
        [("self.positions(places))", "self.positions((places + 1) % CONTEXT))")],
        gpt.GRADIENT,
    ),
    "decay on biases and norms": ([("lambda name: name in decays", "lambda name: True")], gpt.CHANGE),
    "decay by names that are PyTorch's": ([("lambda name: name in decays", 'lambda name: "bias" not in name')], gpt.CHANGE),
    "L2 for decoupled decay": (
        [("paddle.optimizer.AdamW(", "paddle.optimizer.Adam("), ("    apply_decay_param_fun=lambda name: name in decays,\n", "")],
        gpt.MOVED,
    ),
    "Adam's second momentum": ([("beta2=0.95", "beta2=0.999")], gpt.MOVED),
    "Adam's epsilon": ([("    beta2=0.95,\n", "    beta2=0.95,\n    epsilon=1e-6,\n")], gpt.MOVED),
    "clipping per tensor": ([("ClipGradByGlobalNorm", "ClipGradByNorm")], gpt.CHANGE),
    "clipping left out": ([(CLIP, "")], gpt.CHANGE),
    "schedule one step late": (
        [("LambdaDecay(LEARNING_RATE, warmup_cosine)", "LambdaDecay(LEARNING_RATE, lambda step: warmup_cosine(max(0, step - 1)))")],
        gpt.MOVED,
    ),
    "cosine that ends one step early": ([("(total - WARMUP + 1)", "(total - WARMUP)")], gpt.LATER),
    "scheduler stepped before the optimizer": (
        [(STEPS, "    scheduler.step()\n    optimizer.step()\n    optimizer.clear_grad()\n")],
        gpt.MOVED,
    ),
    "warm-up from 0": ([("return (step + 1) / WARMUP", "return step / WARMUP")], gpt.MOVED),
    "gradients not cleared": ([("    optimizer.clear_grad()\n", "")], gpt.MOVED),
    "cache that forgets the first token": (
        [("cache[:] = k, v", "cache[:] = k[:, 1:], v[:, 1:]"), ("caches[0][0].shape[1] if", "caches[0][0].shape[1] + 1 if")],
        gpt.CACHED,
    ),
    "cache at the place before": ([("caches[0][0].shape[1] if", "caches[0][0].shape[1] - 1 if")], gpt.CACHED),
    "dropout in generation": ([("    model.eval()\n    text = ", "    text = ")], gpt.GENERATED),
    "beginning of a long prompt kept": ([("prompt[-(CONTEXT - count) :]", "prompt[: CONTEXT - count]")], gpt.LONG_PROMPT),
    "temperature multiplied": ([("logits / temperature", "logits * temperature")], gpt.SAMPLED),
    "temperature left out": ([("F.softmax(logits / temperature)", "F.softmax(logits)")], gpt.SAMPLED),
    "temperature below 0 taken": ([("temperature < 0 or ", "")], "temperature of -1"),
    "dropout of the attention weights left out": ([("dropout_p=DROPOUT, ", "")], gpt.DROPOUT),
    "dropout of the embeddings left out": (
        [("self.drop(self.tokens(x) + self.positions(places))", "self.tokens(x) + self.positions(places)")],
        gpt.DROPOUT,
    ),
    "dropout of the attention's branch left out": (
        [("self.drop(self.attention(self.norm1(x), cache))", "self.attention(self.norm1(x), cache)")],
        gpt.DROPOUT,
    ),
    "dropout of the network's branch left out": (
        [("self.drop(self.down(F.gelu(self.up(self.norm2(x)), approximate=True)))", "self.down(F.gelu(self.up(self.norm2(x)), approximate=True))")],
        gpt.DROPOUT,
    ),
    "dropout of the attention weights in evaluation": ([(", training=self.training", "")], gpt.BITS),
    "dropout on in evaluation": ([("    model.eval()\n    nats", "    nats")], gpt.BITS),
    "the mean of the mini-batches": (
        [("loss_fn(model(part), after) * after.size", "loss_fn(model(part), after) / -(-len(x) // BATCH_SIZE) * y.size")],
        gpt.BITS,
    ),
    "nats for bits": ([(" / y.size / math.log(2)", " / y.size")], gpt.BITS),
    "last partial batch dropped in training": (
        [("for x, y in batches])", "for x, y in batches if len(x) == BATCH_SIZE])")],
        gpt.SHORT_TRAINING,
    ),
    "labels of a batch in another order": ([("loss_fn(model(x), y)\n", "loss_fn(model(x), y.flip(0))\n")], gpt.FIRST_LOSS),
    gpt.HALF: ([("minibatches(x_train, y_train))", "list(minibatches(x_train, y_train))[::2])")], gpt.STEPS.replace("200", "160")),
    gpt.LABELS: ([("yield x[i], y[i]", "yield x[i], y[i.roll(7)]")], gpt.LEARNED),
    gpt.LOW: ([("history.append((losses.tolist(), bits))", "history.append((losses.tolist(), bits - 0.05))")], gpt.COUNT),
}
