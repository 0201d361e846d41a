"""The area under the ROC curve, by ranks."""

import numpy as np


def area(truth, scores):
    """The share of pairs of a positive and a negative sample that ``scores`` order rightly; ties count half.

    Hanley and McNeil 1982, The meaning and use of the area under a ROC curve. Raises ValueError where ``truth``, (N,)
    of 0 and 1, has only one of them.
    """
    truth, scores = np.asarray(truth) > 0.5, np.asarray(scores, np.float64)
    positive = int(truth.sum())
    if positive in (0, len(truth)):
        raise ValueError("a ROC curve needs samples with the finding and samples without it")
    values, place, counts = np.unique(scores, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2.0)[place]  # equal scores share the mean of their ranks
    above = ranks[truth].sum() - positive * (positive + 1) / 2.0
    return float(above / (positive * (len(truth) - positive)))
