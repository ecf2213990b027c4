"""Intervals of one correlation: Fisher's z for Pearson and the rank coefficients, and Lin's for the concordance coefficient."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import special

from metrics.errors import BadInput
from metrics.meta.common import (
    UNDEFINED_INTERVAL,
    Alternative,
    ConfidenceInterval,
    FloatArray,
    check_alternative,
    check_level,
    interval_at,
    symmetric_pvalue,
    tails,
)

CERTAIN = 1 - 1e-12
"""A correlation this close to 1 is 1: every point lies on the line, and no formula knows how far another would lie off it."""

if TYPE_CHECKING:
    from metrics.meta.correlation import CorrelationOptions


def fisher_of(
    a: FloatArray, b: FloatArray, statistic: float, options: CorrelationOptions
) -> ConfidenceInterval:
    """Interval by Fisher's z; those of R² and t are Pearson's, carried over by the same function."""
    method, level, side = options.method, options.confidence_level, options.alternative
    if method not in ("r2", "regression-t"):
        return fisher_interval(statistic, len(a), method=method, confidence_level=level, alternative=side)
    r = float(np.corrcoef(a, b)[0, 1])
    if method == "regression-t":
        of_r = fisher_interval(r, len(a), confidence_level=level, alternative=side)
        return interval_at(lambda at: (_t_of(of_r(at).low, len(a)), _t_of(of_r(at).high, len(a))), level)
    of_r = fisher_interval(r, len(a), confidence_level=level)
    return UNDEFINED_INTERVAL if np.isnan(of_r.low) else interval_at(lambda at: _squared(of_r(at)), level)


def _squared(interval: ConfidenceInterval) -> tuple[float, float]:
    squares = (interval.low**2, interval.high**2)
    return 0.0 if interval.low < 0 < interval.high else min(squares), max(squares)


def _t_of(r: float, n: int) -> float:
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(np.float64(r) * np.sqrt((n - 2) / (1 - np.float64(r) ** 2)))


def fisher_interval(
    r: float,
    n: int,
    *,
    method: str = "pearson",
    confidence_level: float = 0.95,
    alternative: Alternative = "two-sided",
) -> ConfidenceInterval:
    """tanh(atanh r ± z·c/√(n − b)), NaN when n ≤ b, and NaN at |r| = 1, where the formula would claim to be sure.

    b and c are 3 and 1 for Pearson; Bonett & Wright (2000) give 3 and √(1 + r²/2) for Spearman, 4 and √.437 for
    Kendall.

    >>> interval = fisher_interval(0.8, 20, method="kendall")
    >>> round(interval.low, 3), round(interval.high, 3)
    (0.65, 0.89)
    """
    check_level(confidence_level)
    check_alternative(alternative)
    if method == "pearson":
        b, c = 3, 1.0
    elif method == "spearman":
        b, c = 3, float(np.sqrt(1 + r**2 / 2))
    elif method in ("kendall", "kendall-c"):
        b, c = 4, float(np.sqrt(0.437))
    else:
        raise BadInput(f"Fisher's interval is not defined for an average of {method}: take t or bootstrap")
    if n <= b or np.isnan(r) or abs(r) >= CERTAIN:
        return UNDEFINED_INTERVAL

    def ends(level: float) -> tuple[float, float]:
        low, high = (
            float(np.tanh(np.arctanh(r) + special.ndtri(tail) * c / np.sqrt(n - b)))
            for tail in tails(level, alternative)
        )
        return low, high

    return interval_at(ends, confidence_level)


def concordance_error(a: FloatArray, b: FloatArray, ccc: float) -> float:
    """Standard error of atanh(CCC) (Lin 1989 with his correction of 2000)."""
    if np.ptp(a) == 0 or np.ptp(b) == 0:
        return float("nan")
    r = float(np.corrcoef(a, b)[0, 1])
    if np.isnan(r) or r == 0 or abs(ccc) >= CERTAIN:
        return float("nan")
    u2 = (a.mean() - b.mean()) ** 2 / (a.std() * b.std())
    rest = 1 - ccc**2
    variance = (1 - r**2) * ccc**2 / (rest * r**2) + 2 * ccc**3 * (1 - ccc) * u2 / (r * rest**2)
    variance -= ccc**4 * u2**2 / (2 * r**2 * rest**2)
    return float(np.sqrt(variance / (len(a) - 2)))


def concordance_inference(
    ccc: float, error: float, options: CorrelationOptions
) -> tuple[float, ConfidenceInterval]:
    if not error > 0:  # on a straight line, or undefined
        return float("nan"), UNDEFINED_INTERVAL
    z = np.arctanh(ccc)
    pvalue = float(symmetric_pvalue(z / error, special.ndtr, options.alternative))

    def ends(level: float) -> tuple[float, float]:
        low, high = (
            float(np.tanh(z + special.ndtri(tail) * error)) for tail in tails(level, options.alternative)
        )
        return low, high

    return pvalue, interval_at(ends, options.confidence_level)
