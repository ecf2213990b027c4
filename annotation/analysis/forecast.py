"""What a study of a certain size can tell, before anybody has judged: how wide intervals will be, which differences will show.

How much judgments spread is not known beforehand, nor what makes them differ: both are assumed, and said. The rest is the
generalisability study of :mod:`metrics.meta.generalisability`, so that a plan promises what the report's mixed model will
find: for other documents and other assessors than those of the study, all pairs of systems adjusted.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import floor, sqrt

from scipy import stats

from metrics.meta.generalisability import GeneralisabilityStudy
from metrics.meta.power import power

ASSUMED_SHARES = {
    "item": 0.12,
    "assessor": 0.08,
    "assessor:system": 0.06,
    "item:system": 0.34,
    "residual": 0.40,
}
"""Shares of the variance of one system's judgments: the mean of coherence and relevance as experts judged them in SummEval
(Fabbri et al. 2021), by lme4 (tests/metrics/report/test_rederived.py)."""
OF_A_DIFFERENCE = ("assessor:system", "item:system", "residual")
TARGET = 0.8
LEVEL = 0.95
SIMULATED = 1000
MOST_COMPARISONS = 400  # beyond it the known law 1/√n goes on
STEPS = 12  # halvings of the interval in which the smallest difference lies
SEED = 20050629


@dataclass(frozen=True)
class Forecast:
    """In shares of the scale; for comparisons, of wins."""

    width: float  # of the 95 % interval of a system's mean
    difference: float  # the smallest true one that a test finds four times out of five; NaN for one system
    n: int  # items, or comparisons of two systems


def forecast_means(*, items: int, systems: int, people: int, each: int, spread: float) -> Forecast | None:
    """Of systems' means over items, each output judged by ``each`` of the people; None where there are too few items to say anything."""
    if items < 2:
        return None
    assessors = _assessors(items, people, each)
    variances = {name: share * spread**2 for name, share in _shares(assessors).items()}
    study = GeneralisabilityStudy(
        {"system": 0.0} | variances, {}, systems, items, assessors, items * systems * each
    )
    pairs = systems * (systems - 1) // 2
    plan = study.plan(
        items, assessors, per_output=min(each, assessors), alpha=(1 - LEVEL) / max(pairs, 1), target=TARGET
    )
    width = 2 * float(stats.t.ppf((1 + LEVEL) / 2, plan.mean_df)) * plan.mean_error
    return Forecast(min(width, 1.0), plan.detectable if pairs else float("nan"), items)


def forecast_wins(*, items: int, people: int, each: int) -> Forecast | None:
    """Of two systems' shares of wins over each other: they meet on so many items, each time before ``each`` people.

    Several comparisons of the same texts, or by the same person, say less than as many that have nothing in common: they count
    as so many of these as have the same standard error.
    """
    assessors = _assessors(items, people, each)
    shares = {name: share for name, share in _shares(assessors).items() if name in OF_A_DIFFERENCE}
    levels = {"assessor:system": assessors, "item:system": items, "residual": items * each}
    if items * each < 2:
        return None
    error = sum(share / levels[name] for name, share in shares.items()) / sum(shares.values())
    alone = max(2, floor(1 / error + 1e-9))
    width = 2 * float(stats.norm.ppf((1 + LEVEL) / 2)) * 0.5 / sqrt(alone)
    # A standardised difference d is won with probability Φ(d); a fair coin wins half.
    return Forecast(min(width, 1.0), float(stats.norm.cdf(_smallest(alone))) - 0.5, items * each)


def _assessors(items: int, people: int, each: int) -> int:
    """So many can judge a system at all."""
    return max(1, min(people, items * each))


def _shares(assessors: int) -> dict[str, float]:
    """With one assessor a study is about this one alone: what others would see is not in any interval of it."""
    return (
        ASSUMED_SHARES
        if assessors > 1
        else {k: v for k, v in ASSUMED_SHARES.items() if not k.startswith("assessor")}
    )


@lru_cache(maxsize=256)
def _smallest(n: int) -> float:
    """The smallest difference, in standard deviations, that the sign test on ``n`` comparisons finds with the target's power."""
    simulated = min(n, MOST_COMPARISONS)
    low, high = 0.0, 8.0
    for _ in range(STEPS):
        middle = (low + high) / 2
        found = power(
            items=(simulated,), effect=middle, deviation=1.0, test="sign", n_simulations=SIMULATED, rng=SEED
        )
        low, high = (low, middle) if found.power[0] >= TARGET else (middle, high)
    return high * sqrt(simulated / n)
