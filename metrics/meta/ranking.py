"""Significance clusters of systems, as the WMT news task prints them.

Systems are listed by score. A line is drawn below a system when every system above the line is significantly better
than every system below it; systems between two lines share a cluster and cannot be told apart as a group, even where
single pairs differ. WMT counts wins: the system above a line must have beaten as many systems as are listed below it.
That matters where a rank test prefers the system with the lower mean. Such a win upsets the list, and the published
tables draw no line right below the winner (WMT 2021, Hindi to Bengali, rank 7); neither do we.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from metrics.errors import BadInput
from metrics.meta.common import Alternative, Rng, Scores, as_matrix, plain_array, seeded
from metrics.meta.multiplicity import checked_pvalues
from metrics.meta.significance import Test, compare_systems


@dataclass(frozen=True)
class RankedSystem:
    """One line of the list: ``start`` to ``end`` are the ranks its cluster spans.

    ``wins`` systems are significantly worse and ``losses`` significantly better, so its own rank lies anywhere between
    ``best_rank`` and ``worst_rank``.
    """

    system: str
    score: float
    wins: int
    losses: int
    total: int
    cluster: int
    start: int
    end: int

    @property
    def best_rank(self) -> int:
        return self.losses + 1

    @property
    def worst_rank(self) -> int:
        return self.total - self.wins


def significance_clusters(
    systems: Sequence[str], scores: npt.ArrayLike, pvalues: npt.ArrayLike, *, alpha: float = 0.05
) -> list[RankedSystem]:
    """Rank systems by score and cut them into clusters.

    ``pvalues[i, j]`` is the one-sided p-value that system i is better than system j; NaN is not significant. A rank test
    may find the system with the lower mean better, so all cells are read.

    >>> ranked = significance_clusters(["A", "B", "C"], [3, 2.9, 1], [[1, 0.4, 0.01], [0.6, 1, 0.02], [0.9, 0.9, 1]])
    >>> [(row.system, row.start, row.end) for row in ranked]
    [('A', 1, 2), ('B', 1, 2), ('C', 3, 3)]
    """
    values, table = plain_array(scores), checked_pvalues(pvalues)
    count = len(systems)
    if values.shape != (count,) or table.shape != (count, count):
        raise BadInput("expected one score for each system and a p-value for each pair")
    if np.isnan(values).any():
        raise BadInput("a system without a score cannot be ranked")
    order = np.argsort(-values, kind="stable")
    wins = table[np.ix_(order, order)] < alpha
    np.fill_diagonal(wins, False)
    lines = [cut for cut in range(1, count) if wins[:cut, cut:].all() and wins[cut - 1].sum() == count - cut]
    starts = [0, *lines]
    ends = [*lines, count]
    return [
        RankedSystem(
            system=systems[index],
            score=float(values[index]),
            wins=int(wins[place].sum()),
            losses=int(wins[:, place].sum()),
            total=count,
            cluster=cluster,
            start=start + 1,
            end=end,
        )
        for cluster, (start, end) in enumerate(zip(starts, ends, strict=True), start=1)
        for place, index in enumerate(order[start:end], start=start)
    ]


def rank_systems(
    systems: Sequence[str],
    scores: Scores,
    *,
    test: Test = "rank-sum",
    alpha: float = 0.05,
    n_resamples: int = 10_000,
    rng: Rng = None,
) -> list[RankedSystem]:
    """Clusters straight from a score matrix (system × item): one-sided tests of the better against the worse.

    >>> ranked = rank_systems(["A", "B"], [[1, 2, 1, 2, 1], [4, 5, 4, 5, 5]])
    >>> [(row.system, row.cluster) for row in ranked]
    [('B', 1), ('A', 2)]
    """
    matrix = as_matrix(scores)
    if len(matrix) != len(systems):
        raise BadInput("expected one row of scores for each system")
    present = np.isfinite(matrix)
    if not present.any(axis=1).all():
        raise BadInput("a system without a score cannot be ranked")
    means = np.where(present, matrix, 0.0).sum(axis=1) / present.sum(axis=1)
    _, seed = seeded(rng)
    table = np.full((len(matrix), len(matrix)), np.nan)
    sides: tuple[Alternative, Alternative] = ("greater", "less")
    for alternative in sides:
        # A test that draws sees the same draws both times, so that the two p-values of a pair fit together.
        tests = compare_systems(
            matrix,
            test=test,
            alternative=alternative,
            n_resamples=n_resamples,
            rng=rng if seed is None else seed,
        )
        better, worse = (
            (tests.first, tests.second) if alternative == "greater" else (tests.second, tests.first)
        )
        table[better, worse] = tests.pvalue
    return significance_clusters(systems, means, table, alpha=alpha)
