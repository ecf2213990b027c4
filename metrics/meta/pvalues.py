"""p-values of single correlations, many at once: each is a few lines of arithmetic, not a call of a general routine.

Pearson by the t (beta) distribution. Spearman among all orders of the ranks up to nine points, ties included, above by t.
Kendall exactly where nothing ties and there are at most 33 points, and where something ties among all orders up to nine; else in
normal approximation with the variance for ties, as SciPy decides it.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from scipy import special

from metrics.meta.common import Alternative, FloatArray, symmetric_pvalue
from metrics.meta.exact import ALL_ORDERS, spearman_pvalue, tail_pvalue, tied_kendall_pvalue

ALL_INVERSIONS = 33  # points up to which Kendall's τ without ties is compared with all orders


def correlation_pvalue(
    a: FloatArray, b: FloatArray, statistic: float, method: str, alternative: Alternative
) -> float:
    """p of one coefficient over points without missing values; R² and the regression's t have that of Pearson's r."""
    n = len(a)
    if method == "spearman":
        return spearman_pvalue(a, b, alternative) if n <= ALL_ORDERS else _by_t(statistic, n, alternative)
    if method.startswith("kendall"):
        return _kendall(a, b, alternative)
    if method in ("r2", "regression-t"):
        statistic = float(np.corrcoef(a, b)[0, 1])
    return _by_t(statistic, n, alternative)


def _by_t(r: float, n: int, alternative: Alternative) -> float:
    """The t of r with n − 2 degrees of freedom, written with the beta distribution, which stays exact near 1."""

    def below(value: FloatArray) -> FloatArray:
        return np.asarray(special.betainc(n / 2 - 1, n / 2 - 1, np.clip((1 + value) / 2, 0.0, 1.0)))

    return float(symmetric_pvalue(r, below, alternative))


def _kendall(a: FloatArray, b: FloatArray, alternative: Alternative) -> float:
    n = len(a)
    signs_a, signs_b = (np.sign(values[:, None] - values[None, :]) for values in (a, b))
    excess = float((signs_a * signs_b).sum()) / 2
    ties_a, ties_b = (np.unique(values, return_counts=True)[1].astype(np.float64) for values in (a, b))
    pairs = n * (n - 1) / 2
    if len(ties_a) == len(ties_b) == n and n <= ALL_INVERSIONS:
        shares = _inversions(n)
        discordant = round((pairs - excess) / 2)
        return tail_pvalue(
            float(shares[: discordant + 1].sum()), float(shares[discordant:].sum()), alternative
        )
    if n <= ALL_ORDERS:
        return tied_kendall_pvalue(a, b, alternative) if min(len(ties_a), len(ties_b)) > 1 else float("nan")
    tied = [(t * (t - 1)).sum() for t in (ties_a, ties_b)]
    by_ties = sum((t * (t - 1) * (2 * t + 5)).sum() for t in (ties_a, ties_b))
    threes = [(t * (t - 1) * (t - 2)).sum() for t in (ties_a, ties_b)]
    variance = (n * (n - 1) * (2 * n + 5) - by_ties) / 18
    variance += tied[0] * tied[1] / (2 * n * (n - 1))
    if n > 2:
        variance += threes[0] * threes[1] / (9 * n * (n - 1) * (n - 2))
    if not variance > 0:
        return float("nan")
    return float(symmetric_pvalue(excess / np.sqrt(variance), special.ndtr, alternative))


@lru_cache(maxsize=ALL_INVERSIONS)
def _inversions(n: int) -> FloatArray:
    """The chance of every number of discordant pairs among n points in random order."""
    shares = np.ones(1)
    for k in range(2, n + 1):
        shares = np.convolve(shares, np.full(k, 1 / k))
    return shares
