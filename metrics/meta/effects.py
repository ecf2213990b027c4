"""Beyond "significant": how large a difference is, how sure, and what could not have been seen.

- ``superiority``: P(A > B), how often a judgment of A is above one of B (McGraw & Wong 1992; Vargha & Delaney 2000).
- ``equivalence``: two one-sided tests (Schuirmann 1987): is the difference smaller than one that would matter?
- ``detectable``: the difference that a comparison of this size would have found (with every "not significant").
- ``partial_correlation``: agreement with people that is not due to a third thing, such as length.
- ``reliability_ceiling``: human scores are noisy too; no metric can be expected to correlate with them higher than √reliability
  (Spearman 1904).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy
from scipy import special

from metrics.errors import BadInput
from metrics.meta.common import (
    UNDEFINED_INTERVAL,
    Alternative,
    ConfidenceInterval,
    FloatArray,
    Rng,
    Scores,
    as_matrix,
    check_alternative,
    check_level,
    check_positive,
    interval_at,
    plain_array,
    seeded,
    symmetric_pvalue,
    undefined,
)
from metrics.meta.correlation_intervals import fisher_interval
from metrics.meta.generalisability import detectable_difference
from metrics.meta.ties import settled, settled_differences


@dataclass(frozen=True)
class EffectResult:
    """An effect with its interval; ``n`` counts the items (or systems) behind it."""

    statistic: float
    confidence_interval: ConfidenceInterval
    pvalue: float
    n: int
    name: str
    confidence_level: float


@dataclass(frozen=True)
class EquivalenceResult:
    """``pvalue`` of "the difference lies outside ± margin"; the interval has level 1 − 2α, as the two tests do."""

    difference: float
    pvalue: float
    confidence_interval: ConfidenceInterval
    margin: float
    n: int


@dataclass(frozen=True)
class CeilingResult:
    """Reliability of human system scores by split halves, and the correlation that it allows at most."""

    reliability: float
    ceiling: float
    splits: int
    over: str
    seed: int | None


def paired_difference(a: npt.ArrayLike, b: npt.ArrayLike, *, confidence_level: float = 0.95) -> EffectResult:
    """The mean difference over the items both have, with its t interval and p-value.

    >>> found = paired_difference([3, 4, 5, 4], [2, 4, 3, 3])
    >>> found.statistic, round(found.pvalue, 4)
    (1.0, 0.0917)
    """
    check_level(confidence_level)
    gaps = _gaps(a, b)
    n = len(gaps)
    if n < 2 or np.ptp(gaps) == 0:
        undefined("a difference needs two common items with differences that vary: its interval is NaN")
        mean = float(gaps.mean()) if n else float("nan")
        return EffectResult(mean, UNDEFINED_INTERVAL, float("nan"), n, "difference", confidence_level)
    mean, error = float(gaps.mean()), float(gaps.std(ddof=1) / np.sqrt(n))
    pvalue = float(2 * special.stdtr(n - 1, -abs(mean / error)))
    interval = _t_interval(mean, error, n - 1, confidence_level)
    return EffectResult(mean, interval, pvalue, n, "difference", confidence_level)


def _t_interval(
    centre: float,
    error: float,
    df: float,
    confidence_level: float,
    bounds: tuple[float, float] = (-np.inf, np.inf),
) -> ConfidenceInterval:
    def ends(level: float) -> tuple[float, float]:
        reach = float(special.stdtrit(df, (1 + level) / 2)) * error
        return max(bounds[0], centre - reach), min(bounds[1], centre + reach)

    return interval_at(ends, confidence_level)


def detectable(a: npt.ArrayLike, b: npt.ArrayLike, *, alpha: float = 0.05, power: float = 0.8) -> float:
    """The true mean difference that a paired t-test on these items would have found with this ``power``.

    >>> round(detectable([3, 4, 5, 4, 2, 5], [2, 4, 3, 3, 2, 4]), 2)
    1.08
    """
    gaps = _gaps(a, b)
    if len(gaps) < 2 or np.ptp(gaps) == 0:
        undefined("what could be found needs two common items with differences that vary: it is NaN")
        return float("nan")
    error = float(gaps.std(ddof=1) / np.sqrt(len(gaps)))
    return detectable_difference(error, len(gaps) - 1, alpha=alpha, power=power)


def superiority(
    a: npt.ArrayLike, b: npt.ArrayLike, *, paired: bool = True, confidence_level: float = 0.95
) -> EffectResult:
    """P(A > B) + ½ P(A = B): .5 where neither is better.

    ``paired`` counts the items that both have, with Wilson's interval for n items; otherwise every judgment of A is set
    beside every one of B, with Brunner & Munzel's (2000) interval and test.

    >>> round(superiority([3, 4, 5, 4], [2, 4, 3, 3]).statistic, 3)
    0.875
    """
    check_level(confidence_level)
    if not paired:
        return _unpaired_superiority(a, b, confidence_level)
    gaps = _gaps(a, b)
    n = len(gaps)
    if not n:
        undefined("P(A > B) needs an item that both have: it is NaN")
        return EffectResult(
            float("nan"), UNDEFINED_INTERVAL, float("nan"), 0, "superiority", confidence_level
        )
    wins, losses = int((gaps > 0).sum()), int((gaps < 0).sum())
    share = (wins + (n - wins - losses) / 2) / n
    # The sign test: as scipy.stats.binomtest has it, which takes a hundred times as long.
    pvalue = min(1.0, 2 * float(special.bdtr(min(wins, losses), wins + losses, 0.5)))
    # Ties make the share vary less than a coin would; Wilson's width, for coins, is then on the safe side.
    interval = interval_at(lambda level: _wilson(share, n, level), confidence_level)
    return EffectResult(share, interval, pvalue, n, "superiority", confidence_level)


def _wilson(share: float, n: int, level: float) -> tuple[float, float]:
    z = float(special.ndtri((1 + level) / 2))
    centre = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    reach = z * float(np.sqrt(share * (1 - share) / n + z**2 / (4 * n**2))) / (1 + z**2 / n)
    return centre - reach, centre + reach


def _unpaired_superiority(a: npt.ArrayLike, b: npt.ArrayLike, level: float) -> EffectResult:
    x, y = (plain_array(v) for v in (a, b))
    x, y = x[np.isfinite(x)], y[np.isfinite(y)]
    n, m = len(x), len(y)
    x, y = np.split(settled(np.concatenate([x, y])), [n])
    if n < 2 or m < 2:
        undefined("P(A > B) of unpaired judgments needs two of each: it is NaN")
        return EffectResult(float("nan"), UNDEFINED_INTERVAL, float("nan"), n + m, "superiority", level)
    ranks = scipy.stats.rankdata(np.concatenate([x, y]))
    own_x, own_y = ranks[:n] - scipy.stats.rankdata(x), ranks[n:] - scipy.stats.rankdata(y)
    share = float(own_x.mean() / m)
    variances = own_x.var(ddof=1) / (n * m**2), own_y.var(ddof=1) / (m * n**2)
    variance = sum(variances)
    if variance == 0:
        undefined("judgments of the two systems do not overlap, or none differs: P(A > B) has no interval")
        return EffectResult(share, UNDEFINED_INTERVAL, float("nan"), n + m, "superiority", level)
    df = variance**2 / (variances[0] ** 2 / (n - 1) + variances[1] ** 2 / (m - 1))
    error = float(np.sqrt(variance))
    pvalue = float(2 * special.stdtr(df, -abs(share - 0.5) / error))
    interval = _t_interval(share, error, float(df), level, bounds=(0.0, 1.0))
    return EffectResult(share, interval, pvalue, n + m, "superiority", level)


def equivalence(
    a: npt.ArrayLike, b: npt.ArrayLike, *, margin: float, alpha: float = 0.05
) -> EquivalenceResult:
    """TOST on paired items: a small p says that the mean difference is smaller than ``margin`` in either direction.

    >>> round(equivalence([3, 4, 5, 4, 2, 5], [3, 4, 4, 4, 3, 5], margin=1).pvalue, 4)
    0.0059
    """
    if not margin > 0:
        raise BadInput(f"margin must be the smallest difference that matters, above 0, not {margin}")
    gaps = _gaps(a, b)
    n = len(gaps)
    mean = float(gaps.mean()) if n else float("nan")
    if n < 2 or np.ptp(gaps) == 0:
        undefined("equivalence needs two common items with differences that vary: it is NaN")
        return EquivalenceResult(mean, float("nan"), UNDEFINED_INTERVAL, margin, n)
    error = float(gaps.std(ddof=1) / np.sqrt(n))
    pvalue = float(two_one_sided(np.array(mean), np.array(error), np.array(n - 1.0), margin))
    return EquivalenceResult(mean, pvalue, _t_interval(mean, error, n - 1, 1 - 2 * alpha), margin, n)


def two_one_sided(difference: FloatArray, error: FloatArray, df: FloatArray, margin: float) -> FloatArray:
    """TOST of estimated differences: p of the larger of the two one-sided t-tests against −margin and +margin.

    >>> two_one_sided(np.array([0.0, 0.4]), np.array([0.2, 0.2]), np.array([20.0, 20.0]), 0.5).round(4).tolist()
    [0.0106, 0.3113]
    """
    if not margin > 0:
        raise BadInput(f"margin must be the smallest difference that matters, above 0, not {margin}")
    tails = [
        special.stdtr(df, -(difference + margin) / error),
        special.stdtr(df, (difference - margin) / error),
    ]
    return np.asarray(np.maximum(*tails))


def partial_correlation(
    human: npt.ArrayLike,
    metric: npt.ArrayLike,
    third: npt.ArrayLike,
    *,
    method: str = "pearson",
    alternative: Alternative = "two-sided",
    confidence_level: float = 0.95,
) -> EffectResult:
    """The correlation that is left when both are freed of a ``third`` thing (length, say); on ranks with ``spearman``.

    t with n − 3 degrees of freedom, Fisher's interval with variance 1/(n − 4), one-sided where ``alternative`` is.

    >>> round(partial_correlation([1, 2, 3, 4, 5, 7], [2, 1, 4, 3, 6, 5], [1, 1, 2, 3, 3, 5]).statistic, 3)
    0.478
    """
    check_alternative(alternative)
    check_level(confidence_level)
    if method not in ("pearson", "spearman"):
        raise BadInput(f"method must be one of pearson, spearman, not {method!r}")
    x, y, z = (plain_array(values) for values in (human, metric, third))
    if not x.shape == y.shape == z.shape or x.ndim != 1:
        raise BadInput("expected three scores for each system: human, metric and the third")
    known = np.isfinite(x) & np.isfinite(y) & np.isfinite(z)
    table = settled(np.stack([x, y, z])[:, known])
    n = table.shape[1]
    if n < 4 or (np.ptp(table, axis=1) == 0).any():
        undefined("a partial correlation needs 4 systems with scores that differ: it is NaN")
        return EffectResult(float("nan"), UNDEFINED_INTERVAL, float("nan"), n, "partial", confidence_level)
    if method == "spearman":
        table = scipy.stats.rankdata(table, axis=1)
    r = np.asarray(np.corrcoef(table))
    below = (1 - r[0, 2] ** 2) * (1 - r[1, 2] ** 2)
    if below < 1e-12:
        undefined("the third score explains one of the two fully: the partial correlation is NaN")
        return EffectResult(float("nan"), UNDEFINED_INTERVAL, float("nan"), n, "partial", confidence_level)
    value = float(np.clip((r[0, 1] - r[0, 2] * r[1, 2]) / np.sqrt(below), -1, 1))
    with np.errstate(divide="ignore"):
        t = value * np.sqrt((n - 3) / max(1 - value**2, 1e-300))
    pvalue = float(symmetric_pvalue(t, lambda v: special.stdtr(n - 3, v), alternative))
    interval = UNDEFINED_INTERVAL
    if n > 4 and abs(value) < 1:
        # Fisher's, as of one system fewer.
        interval = fisher_interval(value, n - 1, confidence_level=confidence_level, alternative=alternative)
    return EffectResult(value, interval, pvalue, n, "partial", confidence_level)


def partial_correlations(
    human: npt.ArrayLike, metrics: npt.ArrayLike, third: npt.ArrayLike
) -> npt.NDArray[np.float64]:
    """The statistic of :func:`partial_correlation` of many metrics (metrics × systems), all scores known; NaN where it is undefined.

    >>> partial_correlations([1, 2, 3, 4, 5, 7], [[2, 1, 4, 3, 6, 5], [1] * 6], [1, 1, 2, 3, 3, 5]).round(3).tolist()
    [0.478, nan]
    """
    table = settled(np.vstack([plain_array(values) for values in (human, third, metrics)]))
    flat = np.ptp(table, axis=1) == 0
    if table.shape[1] < 4 or flat[:2].any():
        return np.full(len(table) - 2, np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        r = np.asarray(np.corrcoef(table))
        below = (1 - r[0, 1] ** 2) * (1 - r[1, 2:] ** 2)
        values = np.clip((r[0, 2:] - r[0, 1] * r[1, 2:]) / np.sqrt(below), -1, 1)
        return np.where(flat[2:] | (below < 1e-12), np.nan, values)


def reliability_ceiling(scores: Scores, *, splits: int = 1_000, rng: Rng = None) -> CeilingResult:
    """Split-half reliability of system means (Spearman–Brown), and √ of it, from system × item (or × assessor) scores.

    Items are split at random into halves, the systems' means of the halves are correlated, and the mean correlation r is
    stepped up to the full length, 2r/(1 + r). Give system × assessor means to split assessors instead.

    >>> rng = np.random.default_rng(1)
    >>> scores = np.arange(8)[:, None] + rng.normal(0, 3, (8, 20))
    >>> round(reliability_ceiling(scores, rng=1).ceiling, 2)
    0.97
    """
    check_positive("splits", splits)
    matrix = as_matrix(scores)
    systems, columns = matrix.shape
    if columns < 2 or systems < 3:
        undefined("a reliability needs 3 systems and 2 items: it is NaN")
        return CeilingResult(float("nan"), float("nan"), splits, "columns", None)
    generator, seed = seeded(rng)
    halves = np.argsort(generator.random((splits, columns)), axis=1) < columns // 2
    one, other = _half_means(matrix, halves), _half_means(matrix, ~halves)
    r = np.array([_correlation(a, b) for a, b in zip(one, other, strict=True)])
    mean = float(np.nanmean(r)) if np.isfinite(r).any() else float("nan")
    # Halves of an odd number of items are not equal: the step is from their mean length.
    reliability = 2 * mean / (1 + mean) if mean > -1 else float("nan")
    ceiling = float(np.sqrt(reliability)) if reliability > 0 else 0.0
    return CeilingResult(reliability, ceiling if np.isfinite(mean) else float("nan"), splits, "columns", seed)


def _half_means(matrix: FloatArray, chosen: npt.NDArray[np.bool_]) -> FloatArray:
    present = np.isfinite(matrix)
    weights = chosen.astype(np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        return settled((weights @ np.where(present, matrix, 0.0).T) / (weights @ present.T))


def _correlation(a: FloatArray, b: FloatArray) -> float:
    known = np.isfinite(a) & np.isfinite(b)
    if known.sum() < 3 or np.ptp(a[known]) == 0 or np.ptp(b[known]) == 0:
        return float("nan")
    return float(np.asarray(np.corrcoef(a[known], b[known]))[0, 1])


def _gaps(a: npt.ArrayLike, b: npt.ArrayLike) -> FloatArray:
    x, y = plain_array(a), plain_array(b)
    if x.shape != y.shape or x.ndim != 1:
        raise BadInput("expected the scores of two systems on the same items")
    known = np.isfinite(x) & np.isfinite(y)
    scale = float(np.abs(np.concatenate([x[known], y[known]])).max(initial=0.0))
    return settled_differences(x[known] - y[known], scale=scale)
