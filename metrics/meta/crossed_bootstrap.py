"""Items and assessors drawn together: the pigeonhole bootstrap of crossed random effects (Owen 2007).

A judgment counts as often as its item was drawn times as often as its assessor was. The variance is a little too large
rather than too small where there are many of both (Owen, Theorem 3); with
three assessors to draw from it is too small, and tests err too often (benchmarks/calibration.py). All pairs of systems are tested in one family by the largest studentised
difference of each resample (Westfall & Young 1993, single step).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from metrics.meta.common import FloatArray, batches, check_positive, drawn_counts, undefined
from metrics.meta.judged import Judged


@dataclass(frozen=True)
class CrossedBootstrap:
    """Means of the systems and all pairs of them; the intervals of the pairs hold for all together."""

    mean: FloatArray
    error: FloatArray
    low: FloatArray
    high: FloatArray
    difference: FloatArray
    pair_error: FloatArray
    statistic: FloatArray
    pvalue: FloatArray
    pvalue_adjusted: FloatArray
    pair_low: FloatArray
    pair_high: FloatArray
    over: tuple[str, ...]


def crossed_bootstrap(
    data: Judged, *, confidence_level: float, n_resamples: int, rng: np.random.Generator
) -> CrossedBootstrap:
    """Draw items and assessors, each with replacement; where there is one of either, it stays as it is.

    >>> import pandas as pd
    >>> from metrics.meta.judged import judged
    >>> table = pd.DataFrame({"assessor": list("aabb") * 2, "system": list("xxxxyyyy"), "item": list("1212") * 2,
    ...                       "value": [3.0, 4, 3, 5, 1, 2, 1, 1]})
    >>> drawn = crossed_bootstrap(judged(table), confidence_level=0.95, n_resamples=999, rng=np.random.default_rng(1))
    >>> drawn.difference.tolist(), drawn.over
    ([2.5], ('items', 'assessors'))
    """
    check_positive("n_resamples", n_resamples)
    over = tuple(name for name in ("items", "assessors") if len(getattr(data, name)) > 1)
    systems = len(data.systems)
    first, second = np.triu_indices(systems, 1)
    mean = np.bincount(data.system, data.value, systems) / np.bincount(data.system, minlength=systems)
    difference = mean[first] - mean[second]
    if not over:
        undefined("one assessor judged one item: nothing can be said of others")
        nothing, none = np.full(systems, np.nan), np.full(len(first), np.nan)
        return CrossedBootstrap(
            mean, nothing, nothing, nothing, difference, none, none, none, none, none, none, ()
        )
    draws = _draw_means(data, n_resamples, rng)
    tail = (1 - confidence_level) / 2
    error = np.nanstd(draws, axis=0)
    # Judgments that do not differ say nothing of others: no spread is no certainty.
    error = np.where(error > 1e-12 * np.abs(mean).max(initial=1.0), error, np.nan)
    low, high = np.where(np.isnan(error), np.nan, np.nanquantile(draws, [tail, 1 - tail], axis=0))
    gaps = draws[:, first] - draws[:, second] - difference
    pair_error = np.sqrt(np.nanmean(gaps**2, axis=0))
    pair_error = np.where(pair_error > 1e-12 * np.abs(mean).max(initial=1.0), pair_error, np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        statistic = difference / pair_error
        pseudo = np.abs(gaps) / pair_error
    usable = np.isfinite(pseudo).any(axis=1)
    largest = np.sort(np.nanmax(np.where(np.isfinite(pseudo), pseudo, -np.inf)[usable], axis=1))
    critical = float(np.quantile(largest, confidence_level)) if len(largest) else float("nan")
    adjusted = (len(largest) - np.searchsorted(largest, np.abs(statistic) - 1e-12) + 1) / (len(largest) + 1)
    alone = (np.sum(pseudo >= np.abs(statistic) - 1e-12, axis=0) + 1) / (np.isfinite(pseudo).sum(axis=0) + 1)
    known = np.isfinite(statistic)
    return CrossedBootstrap(
        mean=mean,
        error=error,
        low=low,
        high=high,
        difference=difference,
        pair_error=pair_error,
        statistic=statistic,
        pvalue=np.where(known, alone, np.nan),
        pvalue_adjusted=np.where(known, np.maximum(adjusted, alone), np.nan),
        pair_low=difference - critical * pair_error,
        pair_high=difference + critical * pair_error,
        over=over,
    )


def _draw_means(data: Judged, n_resamples: int, rng: np.random.Generator) -> FloatArray:
    """Means of the systems in each resample (draws × systems), NaN where a system is not in it."""
    count = len(data)
    of_system = sparse.csr_array(
        (np.ones(count), (np.arange(count), data.system)), shape=(count, len(data.systems))
    )
    parts = []
    for size in batches(n_resamples, count):
        weights = np.ones((size, count))
        if len(data.items) > 1:
            weights *= drawn_counts(rng, size, len(data.items))[:, data.item]
        if len(data.assessors) > 1:
            weights *= drawn_counts(rng, size, len(data.assessors))[:, data.assessor]
        totals = weights @ of_system
        with np.errstate(divide="ignore", invalid="ignore"):
            parts.append((weights * data.value) @ of_system / totals)
    return np.concatenate(parts)
