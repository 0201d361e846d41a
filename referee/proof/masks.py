"""The masks of dropout, read off the losses of training: are they independent between layers and between passes?

``spec["dropout"]["masks"]`` has "places": [[name, rate of its layer], ...] of single values that dropout may drop;
"passes"; "samples" of a mini-batch; "ones": where the first sample is 1, while all else is 0; and "weights": [[tensor,
index, value], ...] of all that are not 0, where an index holds numbers and [start, stop, step]. The first sample's loss
is then log(2^places - sum of 2^k over the places k that are kept), that of all others log(2^places). The places are the
fourth values in memory of every layer's first sample, with channels first and with channels last: layers that draw from
one seed have the same random number there. (The very first number is less random: some generators give the seed.)
"""

from itertools import combinations
from math import lgamma, log

import numpy as np

CHANCE = 7.0  # -log10 of what is too unlikely: a right lesson fails one of its twenty counts 1 time in 1,300,000
NEAR = 0.2  # how far a sum of exp(logits) may be from a whole number


def weights(reference):
    """The weights of this part, in the shared layout."""
    found = {name: np.zeros(shape, np.float32) for name, shape, _ in reference.spec["tensors"]}
    for name, index, value in reference.spec["dropout"]["masks"]["weights"]:
        found[name][tuple(i if isinstance(i, int) else slice(*i) for i in index)] = value
    return found


def samples(reference):
    """The mini-batch of every pass, and its labels, as the data module gives them."""
    asked = reference.spec["dropout"]["masks"]
    x, y = np.zeros_like(reference.x[: asked["samples"]]), np.zeros_like(reference.y[: asked["samples"]])
    for index in asked["ones"]:
        x[(0,) + tuple(index)] = 1
    return x, y


def order(reference):
    """The numbers of the samples of all passes, one pass after the other."""
    asked = reference.spec["dropout"]["masks"]
    return np.tile(np.arange(asked["samples"]), asked["passes"])


def kept(reference, losses):
    """Which places were kept: (passes, places) bool; None where a loss is none that masks can give."""
    asked, losses = reference.spec["dropout"]["masks"], np.asarray(losses, np.float64)
    places = np.arange(len(asked["places"]))
    whole = 2 ** len(places)
    found = whole - np.exp(np.minimum(losses * asked["samples"] - log(whole) * (asked["samples"] - 1), 700))
    codes = np.rint(found)
    if not np.all((abs(found - codes) < NEAR) & (codes >= 0) & (codes < whole)):
        return None
    return (codes.astype(int)[:, None] >> places & 1) == 1


def ways(n, k):
    """The logarithm of the number of ways to choose k of n."""
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)


def surprise(possible, logarithms, seen):
    """-log10 of the chance of a count at least as far out as ``seen``, to either side.

    ``possible``: all counts; ``logarithms``: of their chances.
    """
    chances = np.exp(logarithms)
    side = min(chances[possible <= seen].sum(), chances[possible >= seen].sum())
    return max(0.0, -float(np.log10(2 * side)))


def together(a, b):
    """The surprise of how often both of two series of bools are true, were they independent: Fisher's exact test."""
    count, left, right = len(a), int(a.sum()), int(b.sum())
    both = np.arange(max(0, left + right - count), min(left, right) + 1)
    return surprise(
        both, [ways(left, k) + ways(count - left, right - k) - ways(count, right) for k in both], (a & b).sum()
    )


def often(a, rate):
    """The surprise of how often a bool is true whose chance is 1 - ``rate``: a binomial test."""
    counts = np.arange(len(a) + 1)
    return surprise(counts, [ways(len(a), k) + k * log(1 - rate) + (len(a) - k) * log(rate) for k in counts], a.sum())


def judge(proof, losses):
    """Add the part "masks" to a proof, from the losses of all passes."""
    asked, found = proof.reference.spec["dropout"]["masks"], kept(proof.reference, losses)
    if found is None:
        text = "masks of {} passes not independent: a loss that no masks can give".format(len(losses))
        return proof.add("masks", np.inf, CHANCE, "loss", text)
    columns, chances = list(zip(asked["places"], found.T)), {}
    for (name, rate), one in columns:
        chances["how often {} is kept".format(name)] = often(one, rate)
        pairs = one[: len(one) // 2 * 2].reshape(-1, 2)  # that share no pass
        chances["{} in a pass and the next".format(name)] = together(*pairs.T)
    for ((one, _), a), ((other, _), b) in combinations(columns, 2):
        chances["{} and {}".format(one, other)] = together(a, b)
    where = max(chances, key=lambda key: chances[key])
    text = "masks of {} passes {}independent; least likely: {}, a chance of 1e-{:.1f} (bound 1e-{:.0f})".format(
        len(found), "not " if chances[where] > CHANCE else "", where, chances[where], CHANCE
    )
    return proof.add("masks", chances[where], CHANCE, where, text)
