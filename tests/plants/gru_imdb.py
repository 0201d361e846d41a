"""What the plants of the GRU's notebooks share: the words of the proof, and code that is planted in several of them."""

GRADIENT = "gradient of"
LOSS = "first wrong loss at step"
FIRST_LOSS = "loss of the first training samples off by"
CHANGE = "two steps' change"
CLASSES = r"[1-9]\d* of 150 classes differ"
WHOLE = "[: len(x) // BATCH_SIZE * BATCH_SIZE]"


def define(code, before):
    """The replacement that puts ``code`` in front of the line that starts with ``before``."""
    return before, code.strip("\n") + "\n\n\n" + before


SWAP = """
def swap(w):  # gates z, r, n in place of r, z, n
    return w if len(w) != 300 else np.concatenate([w[100:200], w[:100], w[200:]])
"""

AT_END = """
def at_end(x):
    return np.stack([np.roll(tokens, -np.flatnonzero(tokens)[0]) for tokens in x])
"""

SHIFTED = """
def shifted(x, which=slice(None)):
    x = x.copy()
    x[which] = np.roll(x[which], 1, axis=-1)
    return x
"""
