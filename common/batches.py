"""Mini-batches: which samples, in which order."""

import numpy as np


def epoch_order(samples, seed, epoch):
    """The sample numbers of one epoch, shuffled one by one: int64 (samples,).

    A generator of its own for each (``seed``, ``epoch``) gives every framework the same order.
    Raises ValueError for a count below 1.
    """
    if samples < 1:
        raise ValueError("{} samples: there must be at least 1".format(samples))
    return np.random.default_rng([seed, epoch]).permutation(samples)


def batch_indices(samples, batch_size, seed, epoch):
    """Yield the sample numbers of each mini-batch of one epoch, int64 (batch_size,).

    The last one is shorter where ``batch_size`` does not divide ``samples``. Raises ValueError for
    a count or a size below 1.
    """
    if batch_size < 1:
        raise ValueError("batches of {}: there must be at least 1 sample".format(batch_size))
    order = epoch_order(samples, seed, epoch)
    for start in range(0, samples, batch_size):
        yield order[start : start + batch_size]
