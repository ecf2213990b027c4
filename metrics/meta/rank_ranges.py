"""Ranges of ranks over resampled items, and clusters, as WMT printed them (Bojar et al. 2013–2016).

In every resample systems are ranked anew. A system's range leaves out the same share of ranks at both ends; systems are listed by
score, and a line is drawn where no range above it reaches one below. Nothing is corrected for the number of systems.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from metrics.errors import BadInput
from metrics.human.base import Resampling
from metrics.meta.common import FloatArray, Rng, batches, check_level, drawn_counts, seeded
from metrics.meta.ties import settled


@dataclass(frozen=True)
class RankedRange:
    """One line of the list: the score with its interval, the range of its rank, and how often it came first."""

    system: str
    score: float
    low: float
    high: float
    best_rank: int
    worst_rank: int
    cluster: int
    first_share: float


@dataclass(frozen=True)
class RankRanges:
    """The list, the best system first; ``better[i, j]`` is the share of resamples in which the i-th of the list beat the j-th."""

    ranked: list[RankedRange]
    better: FloatArray
    n_resamples: int
    seed: int | None


def resampled_scores(resampling: Resampling, *, n_resamples: int, rng: Rng = None) -> FloatArray:
    """Scores of systems for items drawn with replacement, resamples × systems."""
    generator, _ = seeded(rng)
    width = max(resampling.items, len(resampling.systems) ** 2)
    parts = [
        resampling.scores(drawn_counts(generator, size, resampling.items))
        for size in batches(n_resamples, width)
    ]
    return np.concatenate(parts)


def resampled_pvalue(gaps: npt.ArrayLike) -> float:
    """Twice the smaller share of resamples on one side of zero, from the differences of two systems in them; NaN for fewer than two.

    >>> resampled_pvalue([1.0] * 97 + [-1.0, 0.0])
    0.06
    """
    known = np.asarray(gaps, dtype=np.float64)
    known = known[np.isfinite(known)]
    if len(known) < 2:
        return float("nan")
    behind = min((known <= 0).sum(), (known >= 0).sum())
    # No p is below what so many resamples can tell.
    return float(min(1.0, 2 * (behind + 1) / (len(known) + 1)))


def rank_ranges(
    systems: Sequence[str],
    scores: npt.ArrayLike,
    replicates: npt.ArrayLike,
    *,
    confidence_level: float = 0.95,
    seed: int | None = None,
) -> RankRanges:
    """Ranges and clusters of systems with these scores, from scores of resamples (resamples × systems).

    A resample in which a system has no score says nothing of its rank. Equal scores share the better rank.

    >>> found = rank_ranges(["A", "B", "C"], [3, 2, 0], [[3, 2, 0], [2, 3, 0], [3, 2, 1]])
    >>> [(one.system, one.best_rank, one.worst_rank, one.cluster) for one in found.ranked]
    [('A', 1, 2, 1), ('B', 1, 2, 1), ('C', 3, 3, 2)]
    """
    check_level(confidence_level)
    values, drawn = np.asarray(scores, dtype=np.float64), settled(np.asarray(replicates, dtype=np.float64))
    if values.shape != (len(systems),) or drawn.ndim != 2 or drawn.shape[1] != len(systems):
        raise BadInput("expected one score for each system, and one column of resampled scores")
    if np.isnan(values).any():
        raise BadInput("a system without a score cannot be ranked")
    order = np.argsort(-values, kind="stable")
    drawn = drawn[:, order]
    present = np.isfinite(drawn)
    with np.errstate(invalid="ignore"):
        ahead = drawn[:, :, None] < drawn[:, None, :]
    ranks = 1 + ahead.sum(axis=2)
    tail = (1 - confidence_level) / 2
    spans = [_span(ranks[present[:, place], place], tail) for place in range(len(order))]
    starts = [place for place in range(1, len(order)) if _apart(spans, place)]
    first = (ranks == 1) & present
    share = (first / np.maximum(first.sum(axis=1, keepdims=True), 1)).mean(axis=0)
    ranked = []
    for place, index in enumerate(order):
        own = drawn[present[:, place], place]
        low, high = np.quantile(own, [tail, 1 - tail]) if len(own) else (np.nan, np.nan)
        best, worst = spans[place]
        cluster = 1 + sum(start <= place for start in starts)
        ranked.append(
            RankedRange(
                str(systems[index]),
                float(values[index]),
                float(low),
                float(high),
                best,
                worst,
                cluster,
                float(share[place]),
            )
        )
    return RankRanges(ranked, ahead.swapaxes(1, 2).mean(axis=0), len(drawn), seed)


def _span(ranks: npt.NDArray[np.intp], tail: float) -> tuple[int, int]:
    """The first and the last rank that is left when the tails are cut off."""
    if not len(ranks):
        return 1, 1
    ordered = np.sort(ranks)
    out = int(tail * len(ordered) + 1e-9)
    return int(ordered[out]), int(ordered[len(ordered) - 1 - out])


def _apart(spans: Sequence[tuple[int, int]], place: int) -> bool:
    return max(worst for _, worst in spans[:place]) < min(best for best, _ in spans[place:])
