"""What a check finds of everybody: numbers by person, how sure they are, and a line in words."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import scipy

from metrics.meta.common import FloatArray, IntArray

LEVEL = 0.95
UNLESS_ABOVE = 0.5


@dataclass(frozen=True)
class Finding:
    """One check of everybody, in the order of the crowd's people.

    ``n`` is what the check is over (0: nothing, and there is no row). ``evidence`` is a standard normal deviate, high for answers
    that somebody who does not look would hardly give; NaN where a check says nothing of that.
    """

    check: str
    n: IntArray
    statistic: FloatArray
    pvalue: FloatArray
    low: FloatArray
    high: FloatArray
    words: list[str]
    evidence: FloatArray = field(default_factory=lambda: np.empty(0))
    warns: FloatArray = field(default_factory=lambda: np.empty(0))
    """1 where the check alone makes somebody look careless, ``UNLESS_ABOVE`` where it does unless the answers are above chance."""


def nothing(size: int) -> FloatArray:
    """NaN for everybody."""
    return np.full(size, np.nan)


def deviate(pvalue: FloatArray) -> FloatArray:
    """The standard normal deviate of a one-sided p-value; none counts for more than 30."""
    return np.asarray(np.clip(-scipy.special.ndtri(np.clip(pvalue, 0.0, 1.0)), -30.0, 30.0), dtype=np.float64)


def t_interval(mean: FloatArray, deviation: FloatArray, n: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Student's interval of a mean; NaN of fewer than two values."""
    with np.errstate(invalid="ignore", divide="ignore"):
        half = scipy.special.stdtrit(np.maximum(n - 1, 1), (1 + LEVEL) / 2) * deviation / np.sqrt(n)
    half = np.where(n > 1, half, np.nan)
    return mean - half, mean + half


def wilson_interval(share: FloatArray, n: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Wilson's score interval of a share."""
    z = float(scipy.special.ndtri((1 + LEVEL) / 2))
    with np.errstate(invalid="ignore", divide="ignore"):
        middle = (share + z**2 / (2 * n)) / (1 + z**2 / n)
        half = z / (1 + z**2 / n) * np.sqrt(share * (1 - share) / n + z**2 / (4 * n**2))
    low, high = np.clip(middle - half, 0.0, 1.0), np.clip(middle + half, 0.0, 1.0)
    return np.where(share == 0, 0.0, low), np.where(share == 1, 1.0, high)


def moments(person: IntArray, values: FloatArray, size: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Number, mean and standard deviation (n − 1) by person; NaN where there are too few."""
    n = np.bincount(person, minlength=size).astype(np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.bincount(person, values, minlength=size) / n
        square = np.bincount(person, (values - mean[person]) ** 2, minlength=size) / (n - 1)
        return n, mean, np.where(n > 1, np.sqrt(square), np.nan)


def percent(share: float) -> str:
    return f"{100 * share:.0f} %"
