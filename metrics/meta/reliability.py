"""Coefficients of agreement between assessors, each for many resamples at once.

Ratings are a matrix of rated things × assessors, NaN where somebody did not rate. A coefficient prepares the ratings
once and returns its *estimate*: a function of weights, resamples × things, that say how often each thing counts. Ones
give the coefficient itself, multinomial counts give bootstrap replicates, so that both come from the same lines and no
replicate is computed in a loop.

Sources: Cohen (1960, 1968), Fleiss (1971), Krippendorff (2011, "Computing Krippendorff's alpha-reliability"),
Shrout & Fleiss (1979).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import combinations
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy import sparse

from metrics.meta.common import BoolArray, FloatArray
from metrics.meta.gwet import Weights, agreement_weights

Level = Literal["nominal", "ordinal", "interval", "ratio"]
KappaWeights = Literal["none", "linear", "quadratic"]
Form = Literal["1-1", "2-1", "3-1", "1-k", "2-k", "3-k"]
Estimate = Callable[[FloatArray], FloatArray]

# A sum of squares this small beside its terms is what rounding leaves of zero.
ROUNDING = 1e-12


def percent(ratings: FloatArray) -> Estimate:
    """The share of agreeing pairs of judgments on a thing, averaged over things judged at least twice."""
    twice = _judged_twice(ratings)
    share = _agreeing_share(_counts(ratings[twice]))

    def estimate(weights: FloatArray) -> FloatArray:
        weights = weights[:, twice]
        return _over(weights @ share, weights.sum(axis=1))

    return estimate


def fleiss(ratings: FloatArray) -> Estimate:
    """Fleiss' κ: agreement beyond what the shares of the categories alone would give.

    With different numbers of judgments per thing, each thing's share of agreeing pairs still counts once.
    """
    twice = _judged_twice(ratings)
    counts = _counts(ratings[twice])
    share = _agreeing_share(counts)

    def estimate(weights: FloatArray) -> FloatArray:
        weights = weights[:, twice]
        observed = _over(weights @ share, weights.sum(axis=1))
        totals = _totals(counts, weights)
        by_chance = _over((totals**2).sum(axis=1), totals.sum(axis=1) ** 2)
        return _over(observed - by_chance, 1 - by_chance)

    return estimate


def cohen(ratings: FloatArray, *, kind: KappaWeights) -> Estimate:
    """Cohen's κ, its disagreements plain or weighted by the distance of the values or its square.

    With more than two assessors, the mean over the pairs that judged something in common (Light's κ).
    """
    power = {"none": 0, "linear": 1, "quadratic": 2}[kind]
    values = np.unique(ratings[~np.isnan(ratings)])
    distance = _distance(np.subtract.outer(values, values), power)
    pairs = []
    for a, b in combinations(range(ratings.shape[1]), 2):
        both = ~np.isnan(ratings[:, [a, b]]).any(axis=1)
        if both.any():
            one, other = ratings[both, a], ratings[both, b]
            pairs.append(
                (both, _distance(one - other, power), _one_hot(one, values), _one_hot(other, values))
            )

    def estimate(weights: FloatArray) -> FloatArray:
        kappas = []
        for both, gap, one, other in pairs:
            share = weights[:, both]
            expected = ((share @ one @ distance) * (share @ other)).sum(axis=1)
            kappas.append(1 - _over((share @ gap) * share.sum(axis=1), expected))
        return _mean_of_defined(kappas, len(weights))

    return estimate


def krippendorff(ratings: FloatArray, *, level: Level) -> Estimate:
    """Krippendorff's α = 1 − (n − 1) · Σ_u D_u/(m_u − 1) / D, D summing δ² over pairs of values, within u and overall.

    Missing judgments are allowed; a thing judged once is left out. Ordinal δ is interval δ on mid-ranks: the sum of the
    counts between two values less half of each is the difference of their mid-ranks, which change with each resample.
    """
    twice = _judged_twice(ratings)
    ratings = ratings[twice]
    counts = _counts(ratings)
    m = _row_sums(counts)
    disagreement = _ordinal(counts, m) if level == "ordinal" else _fixed(ratings, counts, m, level)

    def estimate(weights: FloatArray) -> FloatArray:
        weights = weights[:, twice]
        within, overall = disagreement(weights)
        return 1 - _over((weights @ m - 1) * within, overall)

    return estimate


def krippendorff_within(ratings: FloatArray, strata: npt.NDArray[np.intp], *, level: Level) -> Estimate:
    """α over several criteria at once: 1 − Σ observed / Σ expected disagreement, both within each stratum.

    Criteria of different level would make any two judgments on the same one look alike beside judgments on others: that
    criteria differ is not that people agree. So what is expected by chance is expected among judgments on one criterion.
    """
    twice = _judged_twice(ratings)
    parts = []
    for stratum in np.unique(strata[twice]):
        chosen = np.flatnonzero(twice & (strata == stratum))
        counts = _counts(ratings[chosen])
        m = _row_sums(counts)
        fixed = _ordinal(counts, m) if level == "ordinal" else _fixed(ratings[chosen], counts, m, level)
        parts.append((chosen, m, fixed))

    def estimate(weights: FloatArray) -> FloatArray:
        observed, expected = np.zeros(len(weights)), np.zeros(len(weights))
        for chosen, m, disagreement in parts:
            own = weights[:, chosen]
            within, overall = disagreement(own)
            observed += within
            expected += np.nan_to_num(_over(overall, own @ m - 1))
        return 1 - _over(observed, expected)

    return estimate


def icc(ratings: FloatArray, *, form: Form) -> Estimate:
    """Intraclass correlation in the six forms of Shrout & Fleiss.

    One-way forms (1-1, 1-k) take every thing judged twice or more; the others need things that all assessors judged.
    Where the variance that a form divides by is estimated as 0 or below, it is undefined: it would be beyond 1.
    """
    if form.startswith("1"):
        return _one_way(ratings, average=form.endswith("k"))
    complete = complete_things(ratings)
    x = ratings[complete] - np.min(ratings[complete], initial=np.inf)
    k = x.shape[1]
    rows, squares = x.mean(axis=1), (x**2).sum(axis=1)

    def estimate(weights: FloatArray) -> FloatArray:
        weights = weights[:, complete]
        n = weights.sum(axis=1)
        grand, columns = _over(weights @ rows, n), _over(weights @ x, n[:, None])
        between_rows = k * (weights @ rows**2 - n * grand**2)
        between_columns = n * ((columns**2).sum(axis=1) - k * grand**2)
        total = _nonzero(weights @ squares - n * k * grand**2, weights @ squares)
        msr = _over(between_rows, n - 1)
        msc = between_columns / (k - 1)
        mse = _over(total - between_rows - between_columns, (n - 1) * (k - 1))
        below = {
            "2-1": msr + (k - 1) * mse + k * _over(msc - mse, n),
            "2-k": msr + _over(msc - mse, n),
            "3-1": msr + (k - 1) * mse,
            "3-k": msr,
        }[form]
        terms = np.abs(msr) + np.abs(mse) + np.abs(msc)
        return _over(msr - mse, np.where((total == 0) | (below <= ROUNDING * terms), 0.0, below))

    return estimate if len(x) > 1 and k > 1 else _undefined


def gwet_estimate(ratings: FloatArray, *, weights: Weights) -> Estimate:
    """Gwet's AC₁ (``weights`` none) or AC₂, of things judged twice or more; the steps of the scale are those that occur."""
    twice = _judged_twice(ratings)
    counts = _counts(ratings[twice]).toarray()
    values = np.unique(ratings[twice][~np.isnan(ratings[twice])])
    if len(values) < 2:
        return _undefined
    matrix = agreement_weights(values, weights)
    judged = counts.sum(axis=1)
    agreeing = (counts * (counts @ matrix - 1)).sum(axis=1) / (judged * (judged - 1))
    factor = matrix.sum() / (len(values) * (len(values) - 1))

    def estimate(drawn: FloatArray) -> FloatArray:
        drawn = drawn[:, twice]
        n = drawn.sum(axis=1)
        shares = _over(drawn @ (counts / judged[:, None]), n[:, None])
        expected = factor * (shares * (1 - shares)).sum(axis=1)
        return _over(_over(drawn @ agreeing, n) - expected, 1 - expected)

    return estimate


WITHIN: dict[str, Callable[[FloatArray, npt.NDArray[np.intp]], Estimate]] = {
    "percent": lambda ratings, _: percent(ratings),
    "alpha-nominal": partial(krippendorff_within, level="nominal"),
    "alpha-ordinal": partial(krippendorff_within, level="ordinal"),
    "alpha-interval": partial(krippendorff_within, level="interval"),
    "alpha-ratio": partial(krippendorff_within, level="ratio"),
}
"""Coefficients over several criteria, chance being chance within each."""

COEFFICIENTS: dict[str, Callable[[FloatArray], Estimate]] = {
    "percent": percent,
    "cohen": partial(cohen, kind="none"),
    "cohen-linear": partial(cohen, kind="linear"),
    "cohen-quadratic": partial(cohen, kind="quadratic"),
    "fleiss": fleiss,
    "alpha-nominal": partial(krippendorff, level="nominal"),
    "alpha-ordinal": partial(krippendorff, level="ordinal"),
    "alpha-interval": partial(krippendorff, level="interval"),
    "alpha-ratio": partial(krippendorff, level="ratio"),
    "gwet": partial(gwet_estimate, weights="none"),
    "gwet-linear": partial(gwet_estimate, weights="linear"),
    "gwet-quadratic": partial(gwet_estimate, weights="quadratic"),
    "gwet-ordinal": partial(gwet_estimate, weights="ordinal"),
    "icc-1-1": partial(icc, form="1-1"),
    "icc-2-1": partial(icc, form="2-1"),
    "icc-3-1": partial(icc, form="3-1"),
    "icc-1-k": partial(icc, form="1-k"),
    "icc-2-k": partial(icc, form="2-k"),
    "icc-3-k": partial(icc, form="3-k"),
}


def complete_things(ratings: FloatArray) -> BoolArray:
    """Things that every assessor judged, on which the forms 2-* and 3-* of the ICC stand."""
    return np.asarray(~np.isnan(ratings).any(axis=1))


def _undefined(weights: FloatArray) -> FloatArray:
    return np.full(len(weights), np.nan)


def _over(a: FloatArray, b: FloatArray) -> FloatArray:
    """a / b, NaN where b is 0: nothing to compare, or no variation at all."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(b == 0, np.nan, a / b)


def _nonzero(difference: FloatArray, terms: FloatArray) -> FloatArray:
    """A difference of large terms, exactly 0 where only rounding is left of it."""
    return np.where(difference <= ROUNDING * terms, 0.0, difference)


def _mean_of_defined(columns: list[FloatArray], length: int) -> FloatArray:
    """The mean over what is defined, replicate by replicate; NaN where nothing is."""
    if not columns:
        return np.full(length, np.nan)
    table = np.stack(columns)
    known = ~np.isnan(table)
    return _over(np.where(known, table, 0.0).sum(axis=0), known.sum(axis=0).astype(float))


def _judged_twice(ratings: FloatArray) -> BoolArray:
    return np.asarray((~np.isnan(ratings)).sum(axis=1) >= 2)


def _counts(ratings: FloatArray) -> sparse.csr_array:
    """Things × values, in order: how many assessors gave each value (sparse, for scales of many values)."""
    things, assessors = np.nonzero(~np.isnan(ratings))
    values, codes = np.unique(ratings[things, assessors], return_inverse=True)
    shape = (len(ratings), len(values))
    return sparse.csr_array(sparse.coo_array((np.ones(len(things)), (things, codes)), shape=shape))


def _row_sums(counts: sparse.csr_array) -> FloatArray:
    return np.asarray(counts.sum(axis=1), dtype=np.float64)


def _totals(counts: sparse.csr_array, weights: FloatArray) -> FloatArray:
    """Resamples × values: how often each value was given in all."""
    return np.asarray((counts.T @ weights.T).T)


def _agreeing_share(counts: sparse.csr_array) -> FloatArray:
    m = _row_sums(counts)
    return (_row_sums(counts * counts) - m) / (m * (m - 1))


def _one_hot(column: FloatArray, values: FloatArray) -> FloatArray:
    return np.equal.outer(column, values).astype(np.float64)


def _distance(difference: FloatArray, power: int) -> FloatArray:
    return np.where(difference == 0, 0.0, np.abs(difference) ** power)


def _ratio_delta(a: FloatArray, b: FloatArray) -> FloatArray:
    """((a − b)/(a + b))², 0 for two zeros."""
    total = a + b
    return np.where(total == 0, 0.0, ((a - b) / np.where(total == 0, 1.0, total)) ** 2)


Disagreement = Callable[[FloatArray], tuple[FloatArray, FloatArray]]
"""Weights → Σ_u w_u·D_u/(m_u − 1) within things, and D over all pairs of judgments, whatever they were about."""


def _fixed(ratings: FloatArray, counts: sparse.csr_array, m: FloatArray, level: Level) -> Disagreement:
    """Nominal, interval and ratio: δ is a matter of two values alone, so each thing's D_u is the same throughout."""
    values = np.unique(ratings[~np.isnan(ratings)])
    # Distances do not change with the origin; a near one keeps the squares small and exact.
    x = np.nan_to_num(ratings - np.min(values, initial=np.inf))
    sums, squares = x.sum(axis=1), (x**2).sum(axis=1)
    if level == "interval":
        own = m * squares - sums**2
    elif level == "nominal":
        own = (m**2 - _row_sums(counts * counts)) / 2
    else:
        pairs = combinations(ratings.T, 2)
        own = sum((np.nan_to_num(_ratio_delta(a, b)) for a, b in pairs), start=np.zeros(len(ratings)))
    per_pair = own / (m - 1)
    delta = _ratio_delta(values[:, None], values[None, :]) if level == "ratio" else None

    def disagreement(weights: FloatArray) -> tuple[FloatArray, FloatArray]:
        n = weights @ m
        if level == "interval":
            terms = n * (weights @ squares)
            return weights @ per_pair, _nonzero(terms - (weights @ sums) ** 2, terms)
        totals = _totals(counts, weights)
        overall = n**2 - (totals**2).sum(axis=1) if delta is None else ((totals @ delta) * totals).sum(axis=1)
        return weights @ per_pair, overall / 2

    return disagreement


def _ordinal(counts: sparse.csr_array, m: FloatArray) -> Disagreement:
    """The squares and sums of the interval form, on the mid-ranks of each resample."""

    def disagreement(weights: FloatArray) -> tuple[FloatArray, FloatArray]:
        totals = _totals(counts, weights)
        ranks = np.cumsum(totals, axis=1) - totals / 2
        per_pair = weights / (m - 1)
        sums = np.asarray((counts @ ranks.T).T)
        within = (_totals(counts, per_pair * m) * ranks**2).sum(axis=1) - (per_pair * sums**2).sum(axis=1)
        terms = totals.sum(axis=1) * (totals * ranks**2).sum(axis=1)
        return within, _nonzero(terms - (totals * ranks).sum(axis=1) ** 2, terms)

    return disagreement


def _one_way(ratings: FloatArray, *, average: bool) -> Estimate:
    """(MSB − MSW)/(MSB + (k₀ − 1)·MSW), or over MSB alone; k₀ is the number of judgments where it is constant."""
    twice = _judged_twice(ratings)
    x = ratings[twice]
    known = ~np.isnan(x)
    x = np.nan_to_num(x - np.min(x, initial=np.inf, where=known))
    k = known.sum(axis=1).astype(float)
    sums, squares = x.sum(axis=1), (x**2).sum(axis=1)

    def estimate(weights: FloatArray) -> FloatArray:
        weights = weights[:, twice]
        n, total = weights.sum(axis=1), weights @ k
        of_means, all_squares = weights @ (sums**2 / k), weights @ squares
        between = of_means - _over((weights @ sums) ** 2, total)
        msb, msw = _over(between, n - 1), _over(all_squares - of_means, total - n)
        k0 = _over(total - _over(weights @ k**2, total), n - 1)
        varies = _nonzero(all_squares - _over((weights @ sums) ** 2, total), all_squares) != 0
        return _over(msb - msw, np.where(varies, msb if average else msb + (k0 - 1) * msw, 0.0))

    return estimate if len(x) > 1 else _undefined
