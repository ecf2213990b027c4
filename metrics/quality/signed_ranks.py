"""Wilcoxon's signed-rank test, exact with ties: every pattern of signs is counted.

SciPy's exact distribution is that of ranks without ties; control items are few, and scales of five steps tie all the time.
"""

from __future__ import annotations

import numpy as np
import scipy

from metrics.meta.common import FloatArray

EXACT = 200
"""Up to so many differences all sign patterns are counted; the normal distribution does for more."""


def signed_rank_greater(differences: FloatArray) -> tuple[float, float]:
    """One-sided p-values of the median being above 0: the usual one, and the mid-p. Differences of 0 are left out (Wilcoxon).

    Nothing but zeros says nothing: 1 and ½.

    >>> signed_rank_greater(np.array([1.0, 2.0, 3.0, 4.0]))
    (0.0625, 0.03125)
    """
    moved = differences[np.abs(differences) > 1e-12]
    if not len(moved):
        return 1.0, 0.5
    ranks = scipy.stats.rankdata(np.round(np.abs(moved), 9))
    statistic = float(ranks[moved > 0].sum())
    if len(moved) > EXACT:
        deviation = np.sqrt((ranks**2).sum() / 4)
        middle = ranks.sum() / 2
        ndtr = scipy.special.ndtr
        return float(ndtr(-(statistic - 0.5 - middle) / deviation)), float(
            ndtr(-(statistic - middle) / deviation)
        )
    doubled = np.rint(2 * ranks).astype(np.intp)  # with ties, ranks are halves
    counts = np.zeros(int(doubled.sum()) + 1)
    counts[0] = 1.0
    for rank in doubled:
        shifted = np.zeros_like(counts)
        shifted[rank:] = counts[: len(counts) - rank]
        counts = (counts + shifted) / 2
    place = round(2 * statistic)
    above = float(counts[place + 1 :].sum())
    return min(1.0, above + float(counts[place])), above + float(counts[place]) / 2
