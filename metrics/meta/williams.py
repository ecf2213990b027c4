"""Is one metric's correlation with human scores higher than another's? Tests for dependent correlations.

The two correlations share a variable, the human scores, and come from the same systems; the tests use how strongly
the two metrics correlate with each other. Williams (1959) as in Graham (2015, §4); Steiger (1980, formula 14) and Meng,
Rosenthal & Rubin (1992) beside it, for users who expect them. Variable 3 is the human score throughout.

Signs are kept: a metric that correlates negatively is worse than one that does not correlate at all. Taking absolute
values, as some scripts do, would call it good; a metric for which lower is better is to be negated beforehand.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import special

from metrics.errors import BadInput
from metrics.meta.common import (
    Alternative,
    BoolArray,
    FloatArray,
    check_alternative,
    plain_array,
    symmetric_pvalue,
    undefined,
)
from metrics.signature import signature

# Correlations closer to 1 than this are those of one metric with itself, up to rounding.
IDENTICAL = 1 - 1e-12
CONSTANT = 1e-13
"""Scores that differ from their mean by less than this share of it are one score, as in ``coefficients``."""


@dataclass(frozen=True)
class DependentCorrelationResult:
    """Positive ``statistic``: r13 is the larger one. ``alternative="greater"`` means r13 > r23."""

    statistic: float
    pvalue: float
    n: int
    test: str
    alternative: str

    @property
    def signature(self) -> str:
        return signature(self.test, {"n": self.n, "alternative": self.alternative})


@dataclass(frozen=True)
class WilliamsMatrix:
    """All pairs of M metrics: row metric i against column metric j, ``statistic`` > 0 where i correlates higher.

    ``correlation[i, j]`` is metric i's correlation with the human scores and ``between`` that of i with j, over the
    ``n`` systems that have both metrics' and human scores; the diagonal compares a metric with itself.
    """

    correlation: FloatArray
    between: FloatArray
    n: FloatArray
    statistic: FloatArray
    pvalue: FloatArray
    alternative: Alternative

    def not_outperformed(self, *, alpha: float = 0.05) -> BoolArray:
        """Metrics that no other metric significantly outperforms (Graham's •): one-sided Williams tests at α.

        A metric without a correlation of its own (constant scores) is none of them: nothing was tested.
        """
        with np.errstate(invalid="ignore"):
            wins = special.stdtr(self.n - 3, -self.statistic) < alpha
        beaten = (wins & ~np.eye(len(wins), dtype=bool)).any(axis=0)
        return np.asarray(~beaten & np.isfinite(self.correlation.diagonal()))

    @property
    def signature(self) -> str:
        sizes = np.unique(self.n)
        n = f"{sizes[0]:.0f}" if len(sizes) == 1 else f"{sizes[0]:.0f}-{sizes[-1]:.0f}"
        return signature("williams", {"n": n, "alternative": self.alternative})


def williams(
    r12: float, r13: float, r23: float, n: int, *, alternative: Alternative = "two-sided"
) -> DependentCorrelationResult:
    """t(n − 3) = (r13 − r23)·√((n−1)(1+r12)) / √(2K(n−1)/(n−3) + (r23+r13)²/4·(1−r12)³).

    K = 1 − r12² − r13² − r23² + 2·r12·r13·r23. Two metrics that are the same (r12 = 1) have p = 1; n ≤ 3 gives NaN.

    >>> result = williams(r12=0.3, r13=0.65, r23=0.55, n=50)
    >>> round(result.statistic, 3), round(result.pvalue, 3)
    (0.816, 0.419)
    """
    _check(r12, r13, r23, alternative)
    statistic = _statistic(np.asarray(r12), np.asarray(r13), np.asarray(r23), np.asarray(float(n)))
    return _result("williams", float(statistic), n, r12, alternative, df=n - 3)


def steiger(
    r12: float, r13: float, r23: float, n: int, *, alternative: Alternative = "two-sided"
) -> DependentCorrelationResult:
    """Steiger's z (1980, formula 14): difference of Fisher's z, covariance from the mean of the two correlations.

    >>> round(steiger(r12=0.3, r13=0.65, r23=0.55, n=50).statistic, 3)
    0.812
    """
    _check(r12, r13, r23, alternative)
    mean2 = ((r13 + r23) / 2) ** 2
    with np.errstate(divide="ignore", invalid="ignore"):
        covariance = r12 * (1 - 2 * mean2) - mean2 * (1 - 2 * mean2 - r12**2) / 2
        covariance = np.float64(covariance) / (1 - mean2) ** 2
        z = (np.arctanh(r13) - np.arctanh(r23)) * np.sqrt(np.float64(n - 3)) / np.sqrt(2 - 2 * covariance)
    return _result("steiger", z, n, r12, alternative)


def meng(
    r12: float, r13: float, r23: float, n: int, *, alternative: Alternative = "two-sided"
) -> DependentCorrelationResult:
    """Meng, Rosenthal & Rubin's z (1992, formulas 1 to 3).

    >>> round(meng(r12=0.3, r13=0.65, r23=0.55, n=50).statistic, 3)
    0.811
    """
    _check(r12, r13, r23, alternative)
    mean2 = (r13**2 + r23**2) / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        f = np.minimum(1.0, (1 - r12) / (2 * (1 - np.float64(mean2))))
        h = (1 - f * mean2) / (1 - mean2)
        z = (np.arctanh(r13) - np.arctanh(r23)) * np.sqrt(np.float64(n - 3) / (2 * (1 - r12) * h))
    return _result("meng", z, n, r12, alternative)


def williams_matrix(
    human: npt.ArrayLike, metrics: npt.ArrayLike, *, alternative: Alternative = "two-sided"
) -> WilliamsMatrix:
    """Williams tests between all pairs of metrics (metrics × systems) in one go; NaN marks a missing score.

    Every pair uses the systems that the human scores and both metrics have, so n and a metric's own correlation may
    differ from pair to pair.

    >>> people = [1, 2, 3, 4, 5, 6]
    >>> matrix = williams_matrix(people, [[1, 2, 3, 4, 6, 5], [3, 1, 2, 6, 4, 5]])
    >>> matrix.n[0, 1], bool(matrix.statistic[0, 1] > 0)
    (np.float64(6.0), True)
    """
    check_alternative(alternative)
    gold, scores = plain_array(human), plain_array(metrics)
    if gold.ndim != 1 or scores.ndim != 2 or scores.shape[1] != len(gold):
        raise BadInput(
            "expected human scores (systems) and metric scores (metrics × systems) of the same systems"
        )
    n, with_human, between = _pairwise_correlations(gold, scores)
    statistic = _statistic(between, with_human, with_human.T, n)
    same = between >= IDENTICAL
    pvalue = np.where(same & (n > 3), 1.0, _matrix_pvalue(statistic, n, alternative))
    if np.isnan(pvalue[~np.eye(len(scores), dtype=bool)]).any():
        undefined(
            "some pairs have 3 systems or fewer in common, or constant scores: their Williams test is NaN"
        )
    statistic = np.where(same & (n > 3), 0.0, statistic)
    return WilliamsMatrix(with_human, between, n, statistic, pvalue, alternative)


def _check(r12: float, r13: float, r23: float, alternative: Alternative) -> None:
    check_alternative(alternative)
    for name, value in (("r12", r12), ("r13", r13), ("r23", r23)):
        if abs(value) > 1:
            raise BadInput(f"{name} must be a correlation between -1 and 1, not {value}")


def _result(
    test: str, statistic: float, n: int, r12: float, alternative: Alternative, df: int | None = None
) -> DependentCorrelationResult:
    value, pvalue = float(statistic), float("nan")
    if n <= 3:
        value = float("nan")
        undefined(f"a test of dependent correlations over {n} systems is undefined: 4 are needed")
    elif r12 >= IDENTICAL:
        value, pvalue = 0.0, 1.0
    elif np.isnan(value):
        undefined(
            "no three variables have these correlations, or a correlation is undefined: the test is NaN"
        )
    else:
        pvalue = float(
            symmetric_pvalue(
                value, special.ndtr if df is None else lambda t: special.stdtr(df, t), alternative
            )
        )
    return DependentCorrelationResult(value, pvalue, n, test, alternative)


def _statistic(r12: FloatArray, r13: FloatArray, r23: FloatArray, n: FloatArray) -> FloatArray:
    """Williams' t, elementwise; NaN where n ≤ 3 or where no three variables could have these correlations."""
    determinant = 1 - r12**2 - r13**2 - r23**2 + 2 * r12 * r13 * r23
    # Rounding may push a determinant of 0 (one correlation is 1) just below it.
    determinant = np.where(determinant > -1e-9, np.maximum(determinant, 0.0), np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        denominator = 2 * determinant * (n - 1) / (n - 3) + (r23 + r13) ** 2 / 4 * (1 - r12) ** 3
        statistic = (r13 - r23) * np.sqrt((n - 1) * (1 + r12)) / np.sqrt(denominator)
    return np.asarray(np.where((n > 3) & (denominator > 0), statistic, np.nan))


def _matrix_pvalue(statistic: FloatArray, n: FloatArray, alternative: Alternative) -> FloatArray:
    """p-values of an antisymmetric matrix of t statistics: only one half is looked up in the distribution."""
    upper = np.triu_indices(len(statistic))
    tail = np.empty_like(statistic)
    with np.errstate(invalid="ignore"):
        tail[upper] = tail.T[upper] = special.stdtr(n[upper] - 3, -np.abs(statistic[upper]))
    if alternative == "two-sided":
        return 2 * tail
    return np.where((statistic > 0) == (alternative == "greater"), tail, 1 - tail)


def _pairwise_correlations(gold: FloatArray, scores: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """n, r(i, human) and r(i, j) for every pair, each over the systems that human, i and j have in common.

    Sums over the common systems of a pair are products of matrices, because a system is common when both indicators
    are 1; so missing scores cost no loop.
    """
    present = np.isfinite(scores) & np.isfinite(gold)
    have = present.astype(np.float64)
    x, h = _centred(scores, present), _centred(gold, np.isfinite(gold))
    x /= np.maximum(np.abs(x).max(1, keepdims=True), np.finfo(float).tiny)
    # One product for all six sums: many small ones would spend their time on starting threads.
    summands = np.concatenate([have, x, x * x, have * h, have * h * h, x * h])
    n, sum_x, sum_xx, sum_h, sum_hh, sum_xh = np.split(summands @ have.T, 6)
    with np.errstate(divide="ignore", invalid="ignore"):
        var_x, var_h = sum_xx - sum_x**2 / n, sum_hh - sum_h**2 / n
        var_x = np.where(var_x > 1e-13 * sum_xx, var_x, np.nan)
        var_h = np.where(var_h > 1e-13 * sum_hh, var_h, np.nan)
        with_human = (sum_xh - sum_x * sum_h / n) / np.sqrt(var_x * var_h)
        between = (x @ x.T - sum_x * sum_x.T / n) / np.sqrt(var_x * var_x.T)
    return n, np.clip(with_human, -1, 1), np.clip(between, -1, 1)


def _centred(values: FloatArray, present: BoolArray) -> FloatArray:
    """Values less their mean along the last axis, 0 where one is missing, and throughout where only rounding tells them apart."""
    kept = np.where(present, values, 0.0)
    mean = kept.sum(-1, keepdims=True) / np.maximum(1, present.sum(-1, keepdims=True))
    shifted = np.where(present, values - mean, 0.0)
    constant = np.abs(shifted).max(-1, keepdims=True, initial=0.0) <= CONSTANT * np.abs(mean)
    return np.where(constant, 0.0, shifted)
