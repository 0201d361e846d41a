"""In which order an epoch takes the samples."""

import numpy as np


def epoch_order(samples, seed, epoch):
    """The sample numbers of one epoch, shuffled one by one: int64 (samples,).

    A generator of its own for each (``seed``, ``epoch``) gives every framework the same order.
    Raises ValueError for a count below 1.
    """
    if samples < 1:
        raise ValueError("{} samples: there must be at least 1".format(samples))
    return np.random.default_rng([seed, epoch]).permutation(samples)
