"""Mistakes for tests/plant.py to plant in the lesson notebooks/gpt_text/pytorch.ipynb: see tests/plants/gpt_text.py."""

from tests.plants import gpt_text as gpt

SDPA = "F.scaled_dot_product_attention(q, k, v, dropout_p=rate, is_causal=q.shape[2] > 1)"
MASK = "torch.ones(q.shape[2], k.shape[2], dtype=torch.bool, device=q.device)"
BLOCK = "class Block(nn.Module):"
OVER_QUERIES = """def over_queries(q, k, v):
    later = torch.ones(q.shape[2], k.shape[2], dtype=torch.bool).triu(1 + k.shape[2] - q.shape[2])
    return (q @ k.mT / 32**0.5).masked_fill(later, -1e30).softmax(-2) @ v


"""
BRANCHES = """        x = x + self.drop(self.attention(self.norm1(x), cache))
        return x + self.drop(self.down(F.gelu(self.up(self.norm2(x)), approximate="tanh")))"""
POST = """        x = self.norm1(x + self.drop(self.attention(x, cache)))
        return self.norm2(x + self.drop(self.down(F.gelu(self.up(x), approximate="tanh"))))"""
ADAMW = "torch.optim.AdamW(groups, lr=LEARNING_RATE, betas=(0.9, 0.95), fused=True)"
CLIP = "    nn.utils.clip_grad_norm_(model.parameters(), 1.0)\n"
LAMBDA = "LambdaLR(optimizer, warmup_cosine)"
SUM = "nats = sum(loss_fn(model(part), after) * after.numel() for part, after in parts)\n"
BEHIND = "@torch.inference_mode()\ndef generate("


def masked(mask):
    """The changes that put another mask in the place of the causal one."""
    return [(SDPA, SDPA.replace("is_causal=q.shape[2] > 1", "attn_mask=" + mask))]


PLANTS = {
    **gpt.SHARED,
    **gpt.averaged(BEHIND),
    "mask off by one": (masked(MASK + ".tril(1 + k.shape[2] - q.shape[2])"), gpt.GRADIENT),
    "mask the other way round": (masked(MASK + ".triu(k.shape[2] - q.shape[2])"), gpt.GRADIENT),
    "a mask for the one query with a cache": (
        [("is_causal=q.shape[2] > 1", "is_causal=True")],
        gpt.CACHED,
    ),
    "scale 1/d": ([(SDPA, SDPA.replace("dropout_p", "scale=1 / 32, dropout_p"))], gpt.GRADIENT),
    "scale left out": ([(SDPA, SDPA.replace("dropout_p", "scale=1.0, dropout_p"))], gpt.GRADIENT),
    "softmax over queries": ([(SDPA, "over_queries(q, k, v)"), (BLOCK, OVER_QUERIES + BLOCK)], gpt.GRADIENT),
    "heads merged in another order": (
        [("mixed.transpose(1, 2).flatten(2)", "mixed.permute(0, 2, 3, 1).flatten(2)")],
        gpt.GRADIENT,
    ),
    "post-norm for pre-norm": ([(BRANCHES, POST)], gpt.GRADIENT),
    "erf GELU for tanh": ([(', approximate="tanh"', "")], gpt.GRADIENT),
    "epsilon 1e-6": ([("nn.LayerNorm(WIDTH)", "nn.LayerNorm(WIDTH, 1e-6)")], gpt.GRADIENT),
    "untied embedding": ([("F.linear(self.norm(h), self.tokens.weight)", "F.linear(self.norm(h), self.tokens.weight.detach())")], gpt.GRADIENT),
    "positions shifted by one": (
        [("self.positions(places))", "self.positions((places + 1) % CONTEXT))")],
        gpt.GRADIENT,
    ),
    "decay on biases and norms": ([('"weight_decay": 0.0', '"weight_decay": WEIGHT_DECAY')], gpt.CHANGE),
    "L2 for decoupled decay": ([("torch.optim.AdamW(", "torch.optim.Adam(")], gpt.MOVED),
    "Adam's second momentum": ([("betas=(0.9, 0.95)", "betas=(0.9, 0.999)")], gpt.MOVED),
    "Adam's epsilon": ([(ADAMW, ADAMW.replace("fused", "eps=1e-6, fused"))], gpt.MOVED),
    "clipping per tensor": (
        [(CLIP, "    for p in model.parameters():\n        nn.utils.clip_grad_norm_([p], 1.0)\n")],
        gpt.CHANGE,
    ),
    "clipping left out": ([(CLIP, "")], gpt.CHANGE),
    "clipping before the backward pass": (
        [("    loss.backward()\n" + CLIP, CLIP + "    loss.backward()\n")],
        gpt.CHANGE,
    ),
    "schedule one step late": (
        [(LAMBDA, "LambdaLR(optimizer, lambda step: warmup_cosine(max(0, step - 1)))")],
        gpt.MOVED,
    ),
    "cosine that ends one step early": ([("(total - WARMUP + 1)", "(total - WARMUP)")], gpt.LATER),
    "scheduler stepped before the optimizer": (
        [("    optimizer.step()\n    scheduler.step()\n", "    scheduler.step()\n    optimizer.step()\n")],
        gpt.MOVED,
    ),
    "gradients not cleared": ([("    optimizer.zero_grad()\n", "")], gpt.MOVED),
    "cache that forgets the first token": (
        [("cache[:] = k, v", "cache[:] = k[:, :, 1:], v[:, :, 1:]"), ("caches[0][0].shape[2] if", "caches[0][0].shape[2] + 1 if")],
        gpt.CACHED,
    ),
    "cache at the place before": ([("caches[0][0].shape[2] if", "caches[0][0].shape[2] - 1 if")], gpt.CACHED),
    "dropout in generation": ([("    model.eval()\n    text = ", "    text = ")], gpt.GENERATED),
    "beginning of a long prompt kept": ([("prompt[-(CONTEXT - count) :]", "prompt[: CONTEXT - count]")], gpt.LONG_PROMPT),
    "temperature multiplied": ([("logits / temperature", "logits * temperature")], gpt.SAMPLED),
    "temperature left out": ([("(logits / temperature)", "logits")], gpt.SAMPLED),
    "temperature below 0 taken": ([("temperature < 0 or ", "")], "temperature of -1"),
    "dropout of the attention weights left out": ([("rate = DROPOUT if self.training else 0.0", "rate = 0.0")], gpt.DROPOUT),
    "dropout of the embeddings left out": (
        [("self.drop(self.tokens(x) + self.positions(places))", "self.tokens(x) + self.positions(places)")],
        gpt.DROPOUT,
    ),
    "dropout of the attention's branch left out": (
        [("self.drop(self.attention(self.norm1(x), cache))", "self.attention(self.norm1(x), cache)")],
        gpt.DROPOUT,
    ),
    "dropout of the network's branch left out": (
        [('x + self.drop(self.down(F.gelu(self.up(self.norm2(x)), approximate="tanh")))', 'x + self.down(F.gelu(self.up(self.norm2(x)), approximate="tanh"))')],
        gpt.DROPOUT,
    ),
    "dropout of the attention weights in evaluation": (
        [("rate = DROPOUT if self.training else 0.0", "rate = DROPOUT")],
        gpt.BITS,
    ),
    "dropout on in evaluation": ([("    model.eval()\n    parts", "    parts")], gpt.BITS),
    "the mean of the mini-batches": (
        [(SUM, SUM.replace(" * after.numel()", " / len(x.split(BATCH_SIZE)) * y.numel()"))],
        gpt.BITS,
    ),
    "nats for bits": ([(" / y.numel() / math.log(2)", " / y.numel()")], gpt.BITS),
    "last partial batch dropped in training": (
        [("for x, y in batches])", "for x, y in batches if len(x) == BATCH_SIZE])")],
        gpt.SHORT_TRAINING,
    ),
    "labels of a batch in another order": ([("loss_fn(model(x), y)\n", "loss_fn(model(x), y.flip(0))\n")], gpt.FIRST_LOSS),
    gpt.HALF: ([("minibatches(x_train, y_train))", "list(minibatches(x_train, y_train))[::2])")], gpt.STEPS.replace("200", "160")),
    gpt.LABELS: ([("yield x[i], y[i]", "yield x[i], y[i.roll(7)]")], gpt.LEARNED),
    gpt.LOW: ([("history.append((losses.tolist(), bits))", "history.append((losses.tolist(), bits - 0.05))")], gpt.COUNT),
}
