"""TrueSkill (Herbrich, Minka & Graepel 2007) as WMT used it (Sakaguchi, Post & Van Durme 2014).

Every system is a normal distribution of its skill, μ ± σ; a comparison moves both of its systems. WMT starts at μ = 0, σ = .5, lets
nothing drift (τ = 0), takes a quarter of comparisons for ties, and β = .5·n/40 for n comparisons. What comes out depends on the
order of comparisons, so the score of a system is the mean over many runs, each over resampled items in an order of its own.

The package ``trueskill`` (PyPI 0.4.5, of 2018) is the usual one. It rates one comparison at a time in pure Python: 1,000 runs over
WMT's 11,000 comparisons would take it most of an hour. Two players need no message passing, the update is a formula, and here it
is one for all runs at once. Its values are those of the package (``tests/metrics/human/test_trueskill.py``).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr, ndtri

from metrics.meta.common import FloatArray, IntArray

PER_BETA = 40
RUNS_AT_ONCE = 1_000


@dataclass(frozen=True)
class Skill:
    """A system's skill: means and standard deviations, of one run or of many."""

    mean: FloatArray
    deviation: FloatArray


@dataclass(frozen=True)
class Settings:
    """Where skills start and how much a comparison says of them."""

    mean: float = 0.0
    deviation: float = 0.5
    beta: float = 0.25
    """How much a performance varies about the skill."""
    draws: float = 0.25
    """The share of ties that is expected."""
    drift: float = 0.0
    """τ: how much skills change from comparison to comparison."""

    @property
    def margin(self) -> float:
        """Performances closer than this tie."""
        return float(ndtri((self.draws + 1) / 2) * math.sqrt(2) * self.beta)


def wmt_settings(comparisons: int) -> Settings:
    """WMT's, for so many comparisons (``infer_TS.py`` of wmt-trueskill)."""
    return Settings(beta=0.5 * comparisons / PER_BETA)


def compared(first: Skill, second: Skill, outcome: npt.ArrayLike, how: Settings) -> tuple[Skill, Skill]:
    """Both skills after a comparison: ``outcome`` is 1 where the first has won, −1 where the second has, 0 for a tie.

    >>> both = Skill(np.array([25.0]), np.array([25 / 3]))
    >>> won, lost = compared(both, both, 1, Settings(25, 25 / 3, 25 / 6, 0.1, 25 / 300))
    >>> won.mean.round(4).tolist(), lost.deviation.round(4).tolist()
    ([29.3958], [7.1715])
    """
    result = np.asarray(outcome, dtype=np.float64)
    variance, other = first.deviation**2 + how.drift**2, second.deviation**2 + how.drift**2
    square = variance + other + 2 * how.beta**2
    scale = np.sqrt(square)
    shift, shrink = _moved((first.mean - second.mean) / scale, how.margin / scale, result)
    pull, shrink = shift / scale, shrink / square
    return (
        Skill(first.mean + variance * pull, np.sqrt(variance * (1 - variance * shrink))),
        Skill(second.mean - other * pull, np.sqrt(other * (1 - other * shrink))),
    )


def _moved(gap: FloatArray, margin: FloatArray, result: FloatArray) -> tuple[FloatArray, FloatArray]:
    """How far means move apart, and how much variances shrink, after each result."""
    result = np.broadcast_to(result, gap.shape)
    tied = result == 0
    side = np.where(tied, 1.0, result)
    shift, shrink = _win(side * gap, margin)
    shift *= side
    if tied.any():
        shift[tied], shrink[tied] = _tie(gap[tied], margin[tied])
    return shift, shrink


_PEAK = 1 / math.sqrt(2 * math.pi)
_LEAST = 1e-300


def _win(gap: FloatArray, margin: FloatArray) -> tuple[FloatArray, FloatArray]:
    """When the one who is ``gap`` ahead wins."""
    over = gap - margin
    shift = _PEAK * np.exp(-over * over / 2) / np.maximum(ndtr(over), _LEAST)
    return shift, shift * (shift + over)


def _tie(gap: FloatArray, margin: FloatArray) -> tuple[FloatArray, FloatArray]:
    """When they tie."""
    ahead = np.abs(gap)
    near, far = margin - ahead, -margin - ahead
    mass = np.maximum(ndtr(near) - ndtr(far), _LEAST)
    at_near, at_far = _PEAK * np.exp(-near * near / 2), _PEAK * np.exp(-far * far / 2)
    shift = (at_far - at_near) / mass
    return np.where(gap < 0, -shift, shift), shift * shift + (near * at_near - far * at_far) / mass


def trueskill_of(
    first: IntArray,
    second: IntArray,
    outcome: IntArray,
    systems: int,
    orders: list[IntArray],
    *,
    how: Settings | None = None,
) -> FloatArray:
    """Means of skills, runs × systems: each run takes the comparisons in its own order, some of them often, some never."""
    how = how or wmt_settings(len(first))
    parts = [
        _runs(first, second, outcome, systems, orders[start : start + RUNS_AT_ONCE], how)
        for start in range(0, len(orders), RUNS_AT_ONCE)
    ]
    return np.concatenate(parts) if parts else np.empty((0, systems))


def _runs(
    first: IntArray,
    second: IntArray,
    outcome: IntArray,
    systems: int,
    orders: list[IntArray],
    how: Settings,
) -> FloatArray:
    mean = np.full(len(orders) * systems, float(how.mean))
    deviation = np.full(len(orders) * systems, float(how.deviation))
    longest = max((len(order) for order in orders), default=0)
    steps = np.full((longest, len(orders)), -1, dtype=np.intp)
    for run, order in enumerate(orders):
        steps[: len(order), run] = order
    whole = min((len(order) for order in orders), default=0)
    begin = np.arange(len(orders)) * systems
    for number, line in enumerate(steps):
        runs, step = begin, line
        if number >= whole:  # some runs are over
            runs, step = begin[line >= 0], line[line >= 0]
        one, other = runs + first[step], runs + second[step]
        won, lost = compared(
            Skill(mean[one], deviation[one]), Skill(mean[other], deviation[other]), outcome[step], how
        )
        mean[one], deviation[one] = won.mean, won.deviation
        mean[other], deviation[other] = lost.mean, lost.deviation
    return mean.reshape(len(orders), systems)
