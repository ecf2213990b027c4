"""TrueSkill (Herbrich, Minka & Graepel 2007) as WMT used it (Sakaguchi, Post & Van Durme 2014).

Every system is a normal distribution of its skill, μ ± σ; a comparison moves both of its systems. WMT starts at μ = 0, σ = .5, lets
nothing drift (τ = 0), takes a quarter of comparisons for ties, and β = .5·n/40 for n comparisons. What comes out depends on the
order of comparisons, so the score of a system is the mean over many runs, each over resampled items in an order of its own.

The package ``trueskill`` (PyPI 0.4.5, of 2018) is the usual one. It rates one comparison at a time in pure Python: 1,000 runs over
WMT's 11,000 comparisons would take it most of an hour. Two players need no message passing, the update is a formula, and here it
is one for all runs at once. Its values are those of the package (``tests/metrics/human/test_trueskill.py``).

WMT takes a ranking of five for ten comparisons. As Herbrich et al. have it, a ranking is one update of all five: performances stand in
a chain, each above the next or tied with it, and messages go up and down the chain until nothing moves (:func:`ranked`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr, ndtri

from metrics.human.comparison import Ranking
from metrics.meta.common import BoolArray, FloatArray, IntArray

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


SWEEPS, STILL = 30, 1e-7
"""Messages are passed at most so often, and until means move by less than this share of a deviation."""


def ranked(skills: Skill, tied: BoolArray, linked: BoolArray, how: Settings) -> Skill:
    """Skills after whole rankings: arrays of rankings × systems, best first, of rankings × (systems − 1) between neighbours.

    ``tied``: neighbours are equal; ``linked``: there is a neighbour at all, as rankings may be of different lengths.
    """
    variance = skills.deviation**2 + how.drift**2
    chain = _Chain(skills.mean, variance + how.beta**2, tied, linked, how.margin)
    links = range(tied.shape[1])
    for _ in range(SWEEPS):
        moved = [chain.passed(link) for link in (*links, *reversed(links))]
        if max(moved, default=0.0) < STILL:
            break
    precision, pull = chain.heard()
    shrunk = 1 + precision * how.beta**2  # a performance says less of the skill than of itself
    precision, pull = 1 / variance + precision / shrunk, skills.mean / variance + pull / shrunk
    return Skill(pull / precision, 1 / np.sqrt(precision))


class _Chain:
    """Performances side by side, and what each link says to the two that it joins: precisions, and means times precisions."""

    def __init__(
        self, mean: FloatArray, variance: FloatArray, tied: BoolArray, linked: BoolArray, margin: float
    ):
        self.precision, self.pull = 1 / variance, mean / variance
        self.tied, self.linked, self.margin = tied, linked, margin
        # With an empty link at both ends every performance has one above and one below.
        self.above, self.below = (np.zeros((2, len(mean), mean.shape[1] + 1)) for _ in range(2))
        self.gap = np.zeros(tied.shape)

    def heard(self) -> tuple[FloatArray, FloatArray]:
        """What both links say to each performance."""
        both = self.below[:, :, :-1] + self.above[:, :, 1:]
        return both[0], both[1]

    def passed(self, link: int) -> float:
        """What a link says, given what all others said; how far the means at it moved, in deviations."""
        upper, lower = (
            (self.precision[:, place] + said[0, :, at], self.pull[:, place] + said[1, :, at])
            for place, said, at in ((link, self.below, link), (link + 1, self.above, link + 2))
        )
        better, worse = upper[1] / upper[0], lower[1] / lower[0]
        variance = 1 / upper[0] + 1 / lower[0]
        scale = np.sqrt(variance)
        gap = (better - worse) / scale
        shift, shrink = _moved(gap, self.margin / scale, np.where(self.tied[:, link], 0.0, 1.0))
        shrink = np.minimum(shrink, 1 - 1e-12)
        precision = shrink / (variance * (1 - shrink))
        pull = (shift + shrink * gap) / (scale * (1 - shrink))
        for said, at, other, mean, sign in (
            (self.above, link + 1, lower[0], worse, 1.0),
            (self.below, link + 1, upper[0], better, -1.0),
        ):
            share = np.where(self.linked[:, link], other / (other + precision), 0.0)
            said[0, :, at] = precision * share
            said[1, :, at] = (sign * pull + precision * mean) * share
        moved = np.abs(gap + shift - self.gap[:, link])[self.linked[:, link]]
        self.gap[:, link] = gap + shift
        return float(moved.max(initial=0.0))


def trueskill_of_sets(
    rankings: Sequence[Ranking], systems: int, orders: list[IntArray], how: Settings
) -> FloatArray:
    """As :func:`trueskill_of`, where each step is a whole ranking."""
    longest = max((len(one.order) for one in rankings), default=1)
    members = np.full((len(rankings), longest), -1, dtype=np.intp)
    tied = np.zeros((len(rankings), longest - 1), dtype=bool)
    for number, one in enumerate(rankings):
        members[number, : len(one.order)] = one.order
        tied[number, : len(one.tied)] = one.tied
    mean, deviation = (np.full((len(orders), systems), start) for start in (how.mean, how.deviation))
    for line in _steps(orders):
        runs = np.flatnonzero(line >= 0)
        which = line[runs]
        there = members[which] >= 0
        found = ranked(
            Skill(mean[runs[:, None], members[which]], deviation[runs[:, None], members[which]]),
            tied[which],
            there[:, 1:],
            how,
        )
        row, place = np.nonzero(there)
        mean[runs[row], members[which][there]] = found.mean[row, place]
        deviation[runs[row], members[which][there]] = found.deviation[row, place]
    return mean


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
    whole = min((len(order) for order in orders), default=0)
    begin = np.arange(len(orders)) * systems
    for number, line in enumerate(_steps(orders)):
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


def _steps(orders: list[IntArray]) -> IntArray:
    """What each run takes, step by step: steps × runs; −1 where a run is over."""
    steps = np.full((max((len(order) for order in orders), default=0), len(orders)), -1, dtype=np.intp)
    for run, order in enumerate(orders):
        steps[: len(order), run] = order
    return steps
