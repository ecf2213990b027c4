"""Exact p-values at small n, ties included: all orders of ranks, all signs, all splits.

Approximations by a normal or a t distribution are made for many points without ties. Where there are few, everything that
could have come about by chance is gone through instead: orders for Spearman's ρ and for Kendall's τ with ties up to nine points
(as R's ``cor.test``, which knows no ties), signs for Wilcoxon's signed ranks up to 50 differences (as R's ``coin::wilcoxsign_test``), splits for the rank sum.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations, permutations

import numpy as np
import numpy.typing as npt
import scipy
from scipy import special

from metrics.meta.common import Alternative, FloatArray, IntArray

ALL_ORDERS = 9  # points up to which Spearman's ρ and tied τ are compared with all orders: 9! = 362,880
ALL_SIGNS = 50  # differences up to which the signed ranks are compared with all signs
ALL_SPLITS = 8  # items up to which the rank sum is compared with all splits


def tail_pvalue(greater: float, less: float, alternative: Alternative) -> float:
    """The p-value from the chances of a value at least as large and at least as small."""
    if alternative == "two-sided":
        return min(1.0, 2 * min(greater, less))
    return greater if alternative == "greater" else less


def spearman_pvalue(a: FloatArray, b: FloatArray, alternative: Alternative) -> float:
    """p of Spearman's ρ among all orders of the ranks, for up to ``ALL_ORDERS`` points."""
    first, second = (_doubled_ranks(values) for values in (a, b))
    sums, shares = _order_distribution(tuple(sorted(first.tolist())), tuple(sorted(second.tolist())))
    own = int(first @ second)
    return tail_pvalue(float(shares[sums >= own].sum()), float(shares[sums <= own].sum()), alternative)


def _doubled_ranks(values: FloatArray) -> IntArray:
    """Twice the mean ranks, which are whole numbers: so many are smaller, and so many not larger."""
    smaller = values[None, :] < values[:, None]
    not_larger = values[None, :] <= values[:, None]
    return np.asarray(smaller.sum(axis=1) + not_larger.sum(axis=1) + 1, dtype=np.intp)


@lru_cache(maxsize=512)
def _order_distribution(first: tuple[int, ...], second: tuple[int, ...]) -> tuple[IntArray, FloatArray]:
    """Σ of products of two sets of doubled ranks over all orders: the sums that occur, and how often."""
    products = np.asarray(second, dtype=np.int64)[_orders(len(first))] @ np.asarray(first, dtype=np.int64)
    sums, counts = np.unique(products, return_counts=True)
    return sums, counts / len(products)


def tied_kendall_pvalue(a: FloatArray, b: FloatArray, alternative: Alternative) -> float:
    """p of Kendall's τ among all orders, ties included, for up to ``ALL_ORDERS`` points; τ-b and τ-c have the same."""
    first, second = (_doubled_ranks(values) for values in (a, b))
    sums, shares = _excess_distribution(tuple(sorted(first.tolist())), tuple(sorted(second.tolist())))
    i, j = np.triu_indices(len(a), 1)
    own = int((np.sign(first[i] - first[j]) * np.sign(second[i] - second[j])).sum())
    return tail_pvalue(float(shares[sums >= own].sum()), float(shares[sums <= own].sum()), alternative)


@lru_cache(maxsize=512)
def _excess_distribution(first: tuple[int, ...], second: tuple[int, ...]) -> tuple[IntArray, FloatArray]:
    """Concordant less discordant pairs over all orders of two sets of ranks: the numbers that occur, and how often."""
    orders = np.asarray(second, dtype=np.int16)[_orders(len(first))]
    excess = np.zeros(len(orders), dtype=np.int64)
    for i, j in combinations(range(len(first)), 2):
        if first[i] != first[j]:
            excess += np.sign(orders[:, j] - orders[:, i])
    sums, counts = np.unique(excess, return_counts=True)
    return sums, counts / len(orders)


@lru_cache(maxsize=ALL_ORDERS)
def _orders(n: int) -> npt.NDArray[np.int8]:
    return np.array(list(permutations(range(n))), dtype=np.int8)


def signed_rank(differences: FloatArray, alternative: Alternative) -> tuple[float, float]:
    """Wilcoxon's W and its p-value; zeros are dropped, ties share their mean rank.

    Up to ``ALL_SIGNS`` differences against all signs, above in normal approximation with corrections for ties and
    continuity, as R's ``wilcox.test`` has it. W is the smaller sum of ranks when two-sided, else that of the positive ones.
    """
    kept = differences[np.isfinite(differences) & (differences != 0)]
    if not len(kept):
        return float("nan"), float("nan")
    ranks = scipy.stats.rankdata(np.abs(kept))
    positive, total = float(ranks[kept > 0].sum()), float(ranks.sum())
    statistic = min(positive, total - positive) if alternative == "two-sided" else positive
    if len(kept) <= ALL_SIGNS:
        doubled = np.rint(2 * ranks).astype(np.int64)
        shares = _sign_distribution(tuple(sorted(doubled.tolist())))
        own = round(2 * positive)
        return statistic, tail_pvalue(float(shares[own:].sum()), float(shares[: own + 1].sum()), alternative)
    deviation = float(np.sqrt((ranks**2).sum() / 4))
    excess = positive - total / 2
    return statistic, tail_pvalue(
        float(special.ndtr(-(excess - 0.5) / deviation)),
        float(special.ndtr((excess + 0.5) / deviation)),
        alternative,
    )


@lru_cache(maxsize=512)
def _sign_distribution(doubled: tuple[int, ...]) -> FloatArray:
    """The chance of every sum of positive ones among these ranks (doubled, so that they are whole numbers)."""
    shares = np.zeros(sum(doubled) + 1)
    shares[0] = 1.0
    for rank in doubled:
        moved = np.zeros_like(shares)
        moved[rank:] = shares[:-rank]
        shares = (shares + moved) / 2
    return shares


def rank_sum(a: FloatArray, b: FloatArray, alternative: Alternative) -> tuple[float, float]:
    """Mann–Whitney's U with the share of all splits of the ranks (tied ones included) that are as extreme.

    Three items against three have 20 splits, so that no difference is significant at .05; the normal approximation
    would find some that are.
    """
    n = len(a)
    ranks = scipy.stats.rankdata(np.concatenate([a, b]))
    sums = ranks[_splits(n, len(b))].sum(axis=1)
    own = ranks[:n].sum()
    more, less = float((sums >= own - 1e-9).mean()), float((sums <= own + 1e-9).mean())
    return float(own - n * (n + 1) / 2), tail_pvalue(more, less, alternative)


@lru_cache(maxsize=128)
def _splits(n: int, m: int) -> IntArray:
    return np.array(list(combinations(range(n + m), n)), dtype=np.int64)
