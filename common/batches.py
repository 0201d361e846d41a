"""Mini-batches: which samples, in which order."""

import numpy as np


def batch_indices(samples, batch_size, seed, epoch):
    """Yield the sample numbers of each mini-batch of one epoch, int64 (batch_size,), the last one shorter if need be.

    The samples are shuffled one by one (not batch by batch), by a generator of its own for each (``seed``, ``epoch``), so
    that every framework sees the same batches. ``x_train[indices]`` of a NumPy array, or of a framework's tensor on its
    device, is a contiguous batch. Raises ValueError for a count or a size below 1.
    """
    if samples < 1 or batch_size < 1:
        raise ValueError("{} samples in batches of {}: both must be at least 1".format(samples, batch_size))
    order = np.random.default_rng([seed, epoch]).permutation(samples)
    for start in range(0, samples, batch_size):
        yield order[start:start + batch_size]
