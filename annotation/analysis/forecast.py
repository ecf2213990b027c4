"""What a study of a certain size can tell, before anybody has judged: how wide intervals will be, which differences will show.

The spread of judgments is not known beforehand, so it is assumed and said: a share of the scale. Half of its variance is
taken for what an item and a system have together, half for the assessor's noise, which averages out over several assessors.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import sqrt

from scipy import stats

from metrics.meta.power import power

TARGET = 0.8
LEVEL = 0.95
SIMULATED = 1000
MOST_ITEMS = 400  # beyond it the known law 1/√n goes on
STEPS = 12  # halvings of the interval in which the smallest difference lies
SEED = 20050629


@dataclass(frozen=True)
class Forecast:
    """In shares of the scale; for comparisons, of wins."""

    width: float  # of the 95 % interval of a system's mean
    difference: float  # the smallest true one that a test finds four times out of five
    n: int  # items, or comparisons of two systems


def forecast_means(*, items: int, assessors: int, spread: float) -> Forecast | None:
    """Of systems' means over items, each judged so many times; None where there are too few items to say anything."""
    if items < 2:
        return None
    per_item = sqrt(spread**2 / 2 * (1 + 1 / assessors))
    width = 2 * float(stats.t.ppf((1 + LEVEL) / 2, items - 1)) * per_item / sqrt(items)
    return Forecast(width, _smallest(items, "t") * sqrt(2) * per_item, items)


def forecast_wins(*, meetings: int) -> Forecast | None:
    """Of two systems' shares of wins over each other, in so many comparisons."""
    if meetings < 2:
        return None
    width = 2 * float(stats.norm.ppf((1 + LEVEL) / 2)) * 0.5 / sqrt(meetings)
    # A standardised difference d is won with probability Φ(d); a fair coin wins half.
    return Forecast(min(width, 1.0), float(stats.norm.cdf(_smallest(meetings, "sign"))) - 0.5, meetings)


@lru_cache(maxsize=256)
def _smallest(n: int, test: str) -> float:
    """The smallest difference, in standard deviations of the differences, that ``n`` items find with the target's power."""
    simulated = min(n, MOST_ITEMS)
    low, high = 0.0, 8.0
    for _ in range(STEPS):
        middle = (low + high) / 2
        found = power(
            items=(simulated,), effect=middle, deviation=1.0, test=test, n_simulations=SIMULATED, rng=SEED
        )
        low, high = (low, middle) if found.power[0] >= TARGET else (middle, high)
    return high * sqrt(simulated / n)
