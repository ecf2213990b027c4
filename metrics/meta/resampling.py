"""Bootstrap and permutation for correlations with human scores (Deutsch, Dror & Roth 2021).

The paper's methods keep their names apart by what is resampled: BOOT-SYSTEMS, BOOT-INPUTS and BOOT-BOTH draw systems
(rows), items (columns) or both with replacement; PERM-SYSTEMS, PERM-INPUTS and PERM-BOTH exchange the two metrics'
scores for whole systems (rows), whole items (columns) or single outputs (cells). "Inputs" are called items here.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from metrics.errors import BadInput
from metrics.meta.coefficients import COEFFICIENTS
from metrics.meta.common import (
    Alternative,
    ConfidenceInterval,
    FloatArray,
    Rng,
    Scores,
    aligned,
    as_extreme,
    batches,
    check_alternative,
    check_choice,
    check_level,
    check_positive,
    drawn_counts,
    seeded,
    undefined,
)
from metrics.meta.levels import LEVELS, correlations
from metrics.signature import signature

RESAMPLE = ("systems", "items", "both")
PERMUTE = ("systems", "items", "cells")
DEFAULT_RESAMPLES = 9_999


@dataclass(frozen=True)
class DifferenceResult:
    """Is metric a's correlation with the human scores different from metric b's?"""

    statistic: float
    pvalue: float
    confidence_interval: ConfidenceInterval | None
    test: str
    level: str
    method: str
    resampled: str
    alternative: str
    n_resamples: int
    seed: int | None

    @property
    def signature(self) -> str:
        options = {"resampled": self.resampled, "level": self.level, "method": self.method}
        options |= {"alternative": self.alternative, "resamples": str(self.n_resamples)}
        return signature(self.test, options | {"seed": self.seed})


def bootstrap_correlations(
    human: FloatArray,
    metrics: FloatArray,
    *,
    level: str,
    method: str,
    resample: str = "both",
    n_resamples: int = DEFAULT_RESAMPLES,
    rng: np.random.Generator,
) -> FloatArray:
    """Correlations of each metric (metrics × systems × items) with ``human`` in each resample: (draws, metrics).

    All metrics see the same resamples, so that differences between them are paired.
    """
    systems, items = human.shape[0], max(human.shape[1], metrics.shape[2])
    if resample != "systems" and len({human.shape[1], metrics.shape[2], 1}) > 2:
        raise BadInput("to draw items, human and metric scores must be for the same items")
    coefficient = COEFFICIENTS[method]
    draws = []
    for size in batches(n_resamples, _numbers_per_draw(systems, items, level, method)):
        rows = drawn_counts(rng, size, systems) if resample != "items" else None
        columns = drawn_counts(rng, size, items) if resample != "systems" else None
        weights = {"system_weights": rows, "item_weights": columns}
        draws.append(
            [correlations(human, m, level=level, coefficient=coefficient, **weights) for m in metrics]
        )
    return np.concatenate([np.stack([np.broadcast_to(r, len(d[0])) for r in d], axis=1) for d in draws])


def percentile_interval(draws: FloatArray, confidence_level: float) -> ConfidenceInterval:
    """The middle ``confidence_level`` of the resampled values; undefined resamples are left out."""
    kept = draws[np.isfinite(draws)]
    if not len(kept):
        undefined("no resample gave a defined correlation: the bootstrap interval is NaN")
        return ConfidenceInterval(float("nan"), float("nan"))
    tail = (1 - confidence_level) / 2
    low, high = np.quantile(kept, [tail, 1 - tail])
    return ConfidenceInterval(float(low), float(high))


def bootstrap_difference(
    metric_a: Scores,
    metric_b: Scores,
    human: Scores,
    *,
    level: str = "system",
    method: str = "pearson",
    resample: str = "both",
    n_resamples: int = DEFAULT_RESAMPLES,
    confidence_level: float = 0.95,
    alternative: Alternative = "two-sided",
    rng: Rng = None,
) -> DifferenceResult:
    """Bootstrap interval and test of r(a, human) − r(b, human).

    The p-value inverts the percentile interval: it is the smallest α at which the 1 − α interval leaves out 0, with
    the observed data counted as one resample.
    """
    _check(level, method, alternative, n_resamples)
    check_choice("resample", resample, RESAMPLE)
    check_level(confidence_level)
    a, b, gold = aligned(metric_a, metric_b, human, items=level != "system")
    generator, seed = seeded(rng)
    options = {"level": level, "method": method, "resample": resample}
    metrics = np.stack(_same_width(a, b))
    draws = bootstrap_correlations(gold, metrics, n_resamples=n_resamples, rng=generator, **options)
    observed = correlations(gold, a, level=level, coefficient=COEFFICIENTS[method])
    observed = observed - correlations(gold, b, level=level, coefficient=COEFFICIENTS[method])
    differences = draws[:, 0] - draws[:, 1]
    return DifferenceResult(
        statistic=float(observed[0]),
        pvalue=bootstrap_pvalue(differences, alternative),
        confidence_interval=percentile_interval(differences, confidence_level),
        test="bootstrap",
        level=level,
        method=method,
        resampled=resample,
        alternative=alternative,
        n_resamples=n_resamples,
        seed=seed,
    )


def bootstrap_pvalue(differences: FloatArray, alternative: Alternative) -> float:
    """How often resampled differences lie on the wrong side of 0, doubled when two-sided."""
    kept = differences[np.isfinite(differences)]
    if not len(kept):
        return float("nan")
    not_greater = (np.sum(kept <= 0) + 1) / (len(kept) + 1)
    not_less = (np.sum(kept >= 0) + 1) / (len(kept) + 1)
    if alternative == "two-sided":
        return float(min(1.0, 2 * min(not_greater, not_less)))
    return float(not_greater if alternative == "greater" else not_less)


def permutation_test(
    metric_a: Scores,
    metric_b: Scores,
    human: Scores,
    *,
    level: str = "system",
    method: str = "pearson",
    permute: str = "cells",
    n_resamples: int = DEFAULT_RESAMPLES,
    alternative: Alternative = "two-sided",
    rng: Rng = None,
) -> DifferenceResult:
    """Permutation test of r(a, human) − r(b, human), p = (c + 1)/(R + 1).

    Under the null hypothesis the two metrics are exchangeable, so their scores may be swapped: for whole ``systems``
    (PERM-SYSTEMS), whole ``items`` (PERM-INPUTS) or single outputs, ``cells`` (PERM-BOTH in the paper; nlpstats swaps
    rows and then columns under that name, which is a different test). Both metrics are brought to mean 0 and standard
    deviation 1 first, or else a swap would exchange scales and not judgments.
    """
    _check(level, method, alternative, n_resamples)
    check_choice("permute", permute, PERMUTE)
    a, b, gold = aligned(metric_a, metric_b, human, items=level != "system")
    a, b = _exchangeable(*_same_width(a, b))
    generator, seed = seeded(rng)
    coefficient = COEFFICIENTS[method]

    def difference(first: FloatArray, second: FloatArray) -> FloatArray:
        return correlations(gold, first, level=level, coefficient=coefficient) - correlations(
            gold, second, level=level, coefficient=coefficient
        )

    observed = difference(a, b)
    if not np.isfinite(observed[0]):
        undefined("a metric's correlation with the human scores is undefined: the permutation test is NaN")
    extreme = counted = 0
    for size in batches(n_resamples, _numbers_per_draw(a.shape[0], a.shape[1], level, method, varying=True)):
        pseudo = difference(*_swapped(a, b, size, permute, generator, means_only=level == "system"))
        extreme += int(as_extreme(pseudo, observed, np.full(1, 1e-12), alternative).sum())
        counted += int(np.isfinite(pseudo).sum())
    defined = np.isfinite(observed[0]) and counted
    return DifferenceResult(
        statistic=float(observed[0]),
        pvalue=(extreme + 1) / (counted + 1) if defined else float("nan"),
        confidence_interval=None,
        test="permutation",
        level=level,
        method=method,
        resampled=permute,
        alternative=alternative,
        n_resamples=n_resamples,
        seed=seed,
    )


def _check(level: str, method: str, alternative: Alternative, n_resamples: int) -> None:
    check_choice("level", level, LEVELS)
    check_choice("method", method, COEFFICIENTS)
    check_alternative(alternative)
    check_positive("n_resamples", n_resamples)


def _swapped(
    a: FloatArray, b: FloatArray, draws: int, permute: str, rng: np.random.Generator, *, means_only: bool
) -> tuple[FloatArray, FloatArray]:
    """The two metrics with random scores exchanged, one pair of matrices per draw.

    Where only system means are asked for, they are moved by what the exchange brings, and no matrix is made.
    """
    systems, items = a.shape
    size = {"systems": (draws, systems, 1), "items": (draws, 1, items), "cells": (draws, systems, items)}[
        permute
    ]
    swap = rng.integers(0, 2, size, dtype=np.int8).astype(bool)
    if not means_only:
        return np.where(swap, b, a), np.where(swap, a, b)
    gain = np.nan_to_num(b - a)
    if permute == "systems":
        moved = swap[..., 0] * gain.sum(axis=1)
    elif permute == "items":
        moved = swap[:, 0].astype(np.float64) @ gain.T
    else:
        moved = np.einsum("dsi,si->ds", swap, gain)
    moved = moved / np.maximum(1, np.isfinite(a).sum(axis=1))
    return (_row_means(a)[:, 0] + moved)[..., None], (_row_means(b)[:, 0] - moved)[..., None]


def _exchangeable(a: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Both standardised over the outputs that both have scored: only those can be exchanged."""
    both = np.isfinite(a) & np.isfinite(b)
    a, b = np.where(both, a, np.nan), np.where(both, b, np.nan)
    if not both.any():
        return a, b
    spread_a, spread_b = np.nanstd(a) or 1.0, np.nanstd(b) or 1.0
    return (a - np.nanmean(a)) / spread_a, (b - np.nanmean(b)) / spread_b


def _same_width(a: FloatArray, b: FloatArray) -> list[FloatArray]:
    """System scores beside item scores can only be compared as system scores."""
    if a.shape[1] == b.shape[1]:
        return [a, b]
    with np.errstate(invalid="ignore"):
        return [m if m.shape[1] == 1 else _row_means(m) for m in (a, b)]


def _row_means(matrix: FloatArray) -> FloatArray:
    present = np.isfinite(matrix)
    counts = present.sum(1, keepdims=True)
    totals = np.where(present, matrix, 0.0).sum(1, keepdims=True)
    return np.where(counts > 0, totals / np.maximum(1, counts), np.nan)


def _numbers_per_draw(systems: int, items: int, level: str, method: str, *, varying: bool = False) -> int:
    """How many numbers one draw needs at once: a row of weights, a matrix of cells, or all pairs of points."""
    points = {"system": systems, "item": systems, "global": systems * items, "system-average": items}[level]
    samples = {"system": 1, "item": items, "global": 1, "system-average": systems}[level]
    cells = systems * items if varying or level == "global" else systems + items
    if not method.startswith("kendall"):
        return cells + points * samples
    return cells + points * samples * (points if varying or level == "system" else 1)
