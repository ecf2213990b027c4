"""Coefficients of agreement between assessors, each for many resamples at once.

Ratings are a matrix of rated things × assessors, NaN where somebody did not rate. Every estimator takes the ratings and
*weights*, resamples × things: how often each thing counts. Ones give the coefficient itself, multinomial counts give
bootstrap replicates, so that both come from the same lines and no replicate is computed in a loop.

Sources: Cohen (1960, 1968), Fleiss (1971), Krippendorff (2011, "Computing Krippendorff's alpha-reliability"),
Shrout & Fleiss (1979).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import combinations
from typing import Literal

import numpy as np
from scipy import sparse

from metrics.meta.common import FloatArray

Level = Literal["nominal", "ordinal", "interval", "ratio"]
KappaWeights = Literal["none", "linear", "quadratic"]
Form = Literal["1-1", "2-1", "3-1", "1-k", "2-k", "3-k"]


def percent(ratings: FloatArray, weights: FloatArray) -> FloatArray:
    """The share of agreeing pairs of judgments on a thing, averaged over things judged at least twice."""
    ratings, weights = _pairable(ratings, weights)
    return _over(weights @ _agreeing_share(ratings), weights.sum(axis=1))


def fleiss(ratings: FloatArray, weights: FloatArray) -> FloatArray:
    """Fleiss' κ: agreement beyond what the shares of the categories alone would give.

    With different numbers of judgments per thing, each thing's share of agreeing pairs still counts once.
    """
    ratings, weights = _pairable(ratings, weights)
    observed = _over(weights @ _agreeing_share(ratings), weights.sum(axis=1))
    totals = _weighted_counts(ratings, weights)
    by_chance = _over((totals**2).sum(axis=1), totals.sum(axis=1) ** 2)
    return _over(observed - by_chance, 1 - by_chance)


def cohen(ratings: FloatArray, weights: FloatArray, *, kind: KappaWeights) -> FloatArray:
    """Cohen's κ, its disagreements plain or weighted by the distance of the values or its square.

    With more than two assessors, the mean over the pairs that judged something in common (Light's κ).
    """
    power = {"none": 0, "linear": 1, "quadratic": 2}[kind]
    values = np.unique(ratings[~np.isnan(ratings)])
    distance = _distances(values, values, power)
    kappas = []
    for a, b in combinations(range(ratings.shape[1]), 2):
        both = ~np.isnan(ratings[:, [a, b]]).any(axis=1)
        if both.any():
            one, other, share = ratings[both, a], ratings[both, b], weights[:, both]
            observed = share @ np.where(one == other, 0.0, np.abs(one - other) ** power)
            p, q = share @ _one_hot(one, values), share @ _one_hot(other, values)
            expected = ((p @ distance) * q).sum(axis=1)
            kappas.append(1 - _over(observed * share.sum(axis=1), expected))
    return _mean_of_defined(kappas, len(weights))


def krippendorff(ratings: FloatArray, weights: FloatArray, *, level: Level) -> FloatArray:
    """Krippendorff's α = 1 − (n − 1) · Σ_u D_u/(m_u − 1) / D, D summing δ² over pairs of values, within u and overall.

    Missing judgments are allowed; a thing judged once is left out. Ordinal δ is interval δ on mid-ranks: the sum of the
    counts between two values less half of each is the difference of their mid-ranks, which change with each resample.
    """
    ratings, weights = _pairable(ratings, weights)
    known = ~np.isnan(ratings)
    m = known.sum(axis=1)
    n = weights @ m
    per_pair = weights / (m - 1)
    if level == "ordinal":
        within, overall = _ordinal_disagreement(ratings, weights, per_pair)
    else:
        within = per_pair @ _disagreement_within(ratings, level)
        overall = _disagreement_overall(ratings, weights, level)
    return 1 - _over((n - 1) * within, overall)


def icc(ratings: FloatArray, weights: FloatArray, *, form: Form) -> FloatArray:
    """Intraclass correlation in the six forms of Shrout & Fleiss.

    One-way forms (1-1, 1-k) take every thing judged twice or more; the others need things that all assessors judged.
    """
    if form.startswith("1"):
        return _icc_one_way(ratings, weights, average=form.endswith("k"))
    complete = ~np.isnan(ratings).any(axis=1)
    x, weights = ratings[complete], weights[:, complete]
    k = x.shape[1]
    if len(x) < 2 or k < 2:
        return np.full(len(weights), np.nan)
    x = x - x.min()
    n = weights.sum(axis=1)
    rows, grand = x.mean(axis=1), weights @ x.mean(axis=1) / n
    columns = weights @ x / n[:, None]
    between_rows = k * (weights @ rows**2 - n * grand**2)
    between_columns = n * ((columns**2).sum(axis=1) - k * grand**2)
    total = weights @ (x**2).sum(axis=1) - n * k * grand**2
    msr = between_rows / (n - 1)
    msc = between_columns / (k - 1)
    mse = (total - between_rows - between_columns) / ((n - 1) * (k - 1))
    below = {
        "2-1": msr + (k - 1) * mse + k * (msc - mse) / n,
        "2-k": msr + (msc - mse) / n,
        "3-1": msr + (k - 1) * mse,
        "3-k": msr,
    }[form]
    return _over(msr - mse, _if_varied(below, _weighted_counts(ratings[complete], weights)))


Estimator = Callable[[FloatArray, FloatArray], FloatArray]

COEFFICIENTS: dict[str, Estimator] = {
    "percent": percent,
    "cohen": partial(cohen, kind="none"),
    "cohen-linear": partial(cohen, kind="linear"),
    "cohen-quadratic": partial(cohen, kind="quadratic"),
    "fleiss": fleiss,
    "alpha-nominal": partial(krippendorff, level="nominal"),
    "alpha-ordinal": partial(krippendorff, level="ordinal"),
    "alpha-interval": partial(krippendorff, level="interval"),
    "alpha-ratio": partial(krippendorff, level="ratio"),
    "icc-1-1": partial(icc, form="1-1"),
    "icc-2-1": partial(icc, form="2-1"),
    "icc-3-1": partial(icc, form="3-1"),
    "icc-1-k": partial(icc, form="1-k"),
    "icc-2-k": partial(icc, form="2-k"),
    "icc-3-k": partial(icc, form="3-k"),
}


def _over(a: FloatArray, b: FloatArray) -> FloatArray:
    """a / b, NaN where b is 0: nothing to compare, or no variation at all."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(b == 0, np.nan, a / b)


def _mean_of_defined(columns: list[FloatArray], length: int) -> FloatArray:
    """The mean over what is defined, replicate by replicate; NaN where nothing is."""
    if not columns:
        return np.full(length, np.nan)
    table = np.stack(columns)
    known = ~np.isnan(table)
    return _over(np.where(known, table, 0.0).sum(axis=0), known.sum(axis=0).astype(float))


def _pairable(ratings: FloatArray, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
    twice = (~np.isnan(ratings)).sum(axis=1) >= 2
    return ratings[twice], weights[:, twice]


def _counts(ratings: FloatArray) -> sparse.csr_array:
    """Things × values: how many assessors gave each value (sparse, for scales of many values)."""
    things, assessors = np.nonzero(~np.isnan(ratings))
    values, codes = np.unique(ratings[things, assessors], return_inverse=True)
    shape = (len(ratings), len(values))
    return sparse.csr_array(sparse.coo_array((np.ones(len(things)), (things, codes)), shape=shape))


def _sizes(ratings: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Per thing, the number of judgments and the sum of the squared counts of its values."""
    counts = _counts(ratings)
    return np.asarray(counts.sum(axis=1)), np.asarray((counts * counts).sum(axis=1))


def _weighted_counts(ratings: FloatArray, weights: FloatArray) -> FloatArray:
    """Resamples × values: how often each value was given in all."""
    return np.asarray((_counts(ratings).T @ weights.T).T)


def _agreeing_share(ratings: FloatArray) -> FloatArray:
    m, squares = _sizes(ratings)
    return (squares - m) / (m * (m - 1))


def _one_hot(column: FloatArray, values: FloatArray) -> FloatArray:
    return np.equal.outer(column, values).astype(np.float64)


def _distances(a: FloatArray, b: FloatArray, power: int) -> FloatArray:
    gap = np.abs(np.subtract.outer(a, b))
    return np.where(gap == 0, 0.0, gap**power)


def _ratio_delta(a: FloatArray, b: FloatArray) -> FloatArray:
    """((a − b)/(a + b))², 0 for two zeros."""
    total = a + b
    return np.where(total == 0, 0.0, ((a - b) / np.where(total == 0, 1.0, total)) ** 2)


def _disagreement_within(ratings: FloatArray, level: Level) -> FloatArray:
    """Per thing, δ² summed over its pairs of judgments."""
    if level == "ratio":
        pairs = combinations(range(ratings.shape[1]), 2)
        return sum(
            (np.nan_to_num(_ratio_delta(ratings[:, a], ratings[:, b])) for a, b in pairs),
            start=np.zeros(len(ratings)),
        )
    if level == "nominal":
        m, squares = _sizes(ratings)
        return (m**2 - squares) / 2
    # Distances do not change with the origin; a near one keeps the squares small and exact.
    x = ratings - np.min(ratings, initial=np.inf, where=~np.isnan(ratings))
    m = (~np.isnan(x)).sum(axis=1)
    return np.asarray(m * np.nansum(x**2, axis=1) - np.nansum(x, axis=1) ** 2)


def _disagreement_overall(ratings: FloatArray, weights: FloatArray, level: Level) -> FloatArray:
    """Per resample, δ² summed over all pairs of judgments, whatever they were about."""
    totals = _weighted_counts(ratings, weights)
    values = np.unique(ratings[~np.isnan(ratings)])
    if level == "nominal":
        overall = (totals.sum(axis=1) ** 2 - (totals**2).sum(axis=1)) / 2
    elif level == "ratio":
        overall = ((totals @ _ratio_delta(values[:, None], values[None, :])) * totals).sum(axis=1) / 2
    else:
        x = values - values[:1]
        overall = totals.sum(axis=1) * (totals @ x**2) - (totals @ x) ** 2
    return _if_varied(overall, totals)


def _if_varied(overall: FloatArray, totals: FloatArray) -> FloatArray:
    """Rounding must not turn "no variation at all" into a tiny number to divide by."""
    return np.where((totals > 0).sum(axis=1) > 1, overall, 0.0)


def _ordinal_disagreement(
    ratings: FloatArray, weights: FloatArray, per_pair: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Both sums at once on the mid-ranks of each resample: resamples × things × assessors."""
    known = ~np.isnan(ratings)
    totals = _weighted_counts(ratings, weights)
    ranks = np.cumsum(totals, axis=1) - totals / 2
    codes = np.zeros(ratings.shape, dtype=np.intp)
    codes[known] = np.unique(ratings[known], return_inverse=True)[1]
    own = np.where(known, ranks[:, codes], 0.0)
    m = known.sum(axis=1)
    within = (per_pair * (m * (own**2).sum(axis=2) - own.sum(axis=2) ** 2)).sum(axis=1)
    overall = totals.sum(axis=1) * (totals * ranks**2).sum(axis=1) - (totals * ranks).sum(axis=1) ** 2
    return within, _if_varied(overall, totals)


def _icc_one_way(ratings: FloatArray, weights: FloatArray, *, average: bool) -> FloatArray:
    """(MSB − MSW)/(MSB + (k₀ − 1)·MSW), or over MSB alone; k₀ is the number of judgments where it is constant."""
    ratings, weights = _pairable(ratings, weights)
    if len(ratings) < 2:
        return np.full(len(weights), np.nan)
    x = ratings - np.nanmin(ratings)
    k = (~np.isnan(x)).sum(axis=1).astype(float)
    n, total = weights.sum(axis=1), weights @ k
    means = np.nansum(x, axis=1) / k
    grand = weights @ (k * means) / total
    within = weights @ (np.nansum(x**2, axis=1) - k * means**2)
    between = weights @ (k * means**2) - total * grand**2
    msb, msw = between / (n - 1), _over(within, total - n)
    k0 = (total - (weights @ k**2) / total) / (n - 1)
    below = msb if average else msb + (k0 - 1) * msw
    return _over(msb - msw, _if_varied(below, _weighted_counts(ratings, weights)))
