"""How often a metric orders pairs as people do: pairwise accuracy and its two refinements.

- Pairwise accuracy (Kocmi et al. 2021): share of system pairs that metric and human order alike.
- Accuracy with tie calibration (Deutsch, Foster & Freitag 2023): pairs whose metric scores differ by at most ε count as
  tied, and ε is chosen to serve the metric best; it is reported, since it belongs to the result.
- Soft pairwise accuracy (Thompson et al. 2024): agreement of the two p-values of a pair instead of two yes-or-no.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from metrics.errors import BadInput
from metrics.meta.common import (
    FloatArray,
    NanPolicy,
    Rng,
    Scores,
    aligned,
    check_choice,
    check_positive,
    refuse_missing,
    seeded,
    undefined,
)
from metrics.meta.levels import LEVELS, system_means
from metrics.meta.randomization import randomization_shares
from metrics.meta.ties import CLOSE, settled
from metrics.signature import signature


@dataclass(frozen=True)
class AccuracyResult:
    """``n`` pairs in ``groups`` groups; ``epsilon`` is the calibrated tie threshold, ``all_tied`` if it ties every pair."""

    statistic: float
    n: int
    groups: int
    method: str
    level: str
    epsilon: float | None = None
    all_tied: bool = False
    n_resamples: int | None = None
    seed: int | None = None

    @property
    def signature(self) -> str:
        options = {"level": self.level, "n": self.n, "epsilon": self.epsilon}
        return signature(self.method, options | {"resamples": self.n_resamples, "seed": self.seed})


def pairwise_accuracy(human: Scores, metric: Scores, *, nan_policy: NanPolicy = "omit") -> AccuracyResult:
    """Share of system pairs whose difference has the same sign in both; two ties agree.

    >>> pairwise_accuracy([1, 2, 3], [1, 3, 2]).statistic
    0.6666666666666666
    """
    refuse_missing(nan_policy, human, metric)
    x, y = _system_scores(human, metric)
    first, second = np.triu_indices(len(x), 1)
    if not len(first):
        undefined("pairwise accuracy needs two systems with both scores")
        return AccuracyResult(float("nan"), 0, 0, "accuracy", "system")
    alike = np.sign(x[first] - x[second]) == np.sign(y[first] - y[second])
    return AccuracyResult(float(alike.mean()), len(first), 1, "accuracy", "system")


def tie_calibrated_accuracy(
    human: Scores,
    metric: Scores,
    *,
    level: str = "item",
    epsilon: float | None = None,
    nan_policy: NanPolicy = "omit",
) -> AccuracyResult:
    """acc_eq: share of pairs that both order alike or both tie, averaged over groups, at the best ε.

    A pair is tied in the metric when |difference| ≤ ε. All differences that occur are tried, from 0 (no new ties)
    upwards, and the smallest best one is kept; give ``epsilon`` to apply one calibrated elsewhere. Groups are items at
    level ``item``, systems at ``system-average``, everything at ``global`` and ``system``. Memory grows with the number
    of pairs.

    >>> people, metric = [[1], [1], [3]], [[0.1], [0.2], [0.9]]
    >>> result = tie_calibrated_accuracy(people, metric)
    >>> result.statistic, result.epsilon
    (1.0, 0.1)
    """
    check_choice("level", level, LEVELS)
    if epsilon is not None and epsilon < 0:
        raise BadInput(f"epsilon must be at least 0, not {epsilon}")
    refuse_missing(nan_policy, human, metric)
    size, untied, tied, weight, scale = _pairs(human, metric, level)
    groups = round(float(weight.sum()))
    if not groups:
        undefined("tie-calibrated accuracy needs a pair of outputs with both scores")
        return AccuracyResult(float("nan"), 0, 0, "accuracy-ties", level)
    weight = weight / groups
    size = _settled_sizes(size, scale)
    if epsilon is not None:
        size = np.where(np.abs(size - epsilon) <= CLOSE * scale, epsilon, size)
    candidates = np.unique(np.concatenate([[0.0], size])) if epsilon is None else np.array([epsilon])
    order = np.argsort(size, kind="stable")
    gain = np.concatenate([[0.0], np.cumsum((weight * (tied.astype(float) - untied))[order])])
    accuracy = float(weight @ untied) + gain[np.searchsorted(size[order], candidates, side="right")]
    # Equal accuracies may differ by rounding of the running sum; the smallest threshold of the best is wanted.
    best = int(np.flatnonzero(accuracy >= accuracy.max() - 1e-12)[0])
    return AccuracyResult(
        float(accuracy[best]),
        len(size),
        groups,
        "accuracy-ties",
        level,
        epsilon=float(candidates[best]),
        all_tied=bool(candidates[best] >= size.max()),
    )


def soft_pairwise_accuracy(
    human: Scores,
    metric: Scores,
    *,
    n_resamples: int = 1_000,
    nan_policy: NanPolicy = "omit",
    rng: Rng = None,
) -> AccuracyResult:
    """1 − mean |p_human − p_metric| over system pairs; p is the share of paired permutations with a difference at
    least as large as the observed one (one-sided, as in the paper).

    Human and metric p-values use the same random exchanges, so a metric equal to the human scores gets exactly 1.

    >>> people = [[1, 2, 3, 2], [2, 3, 4, 4], [1, 3, 3, 1]]
    >>> soft_pairwise_accuracy(people, people, n_resamples=100, rng=1).statistic
    1.0
    """
    check_positive("n_resamples", n_resamples)
    refuse_missing(nan_policy, human, metric)
    x, y = aligned(human, metric, items=True)
    both = np.isfinite(x) & np.isfinite(y)
    x, y = np.where(both, x, np.nan), np.where(both, y, np.nan)
    generator, seed = seeded(rng)
    first, second = np.triu_indices(len(x), 1)
    # What rounding can do is reckoned from the largest score: the two may be on scales of very different size.
    x, y = (m / (np.abs(m[both]).max(initial=0.0) or 1.0) for m in (x, y))
    shares = randomization_shares(
        np.concatenate([x, y]),
        np.concatenate([first, first + len(x)]),
        np.concatenate([second, second + len(x)]),
        n_resamples=n_resamples,
        alternative="greater",
        rng=generator,
    )
    distance = np.abs(shares[: len(first)] - shares[len(first) :])
    defined = np.isfinite(distance)
    if not defined.any():
        undefined("soft pairwise accuracy needs two systems with scores for the same items")
    statistic = 1 - float(distance[defined].mean()) if defined.any() else float("nan")
    return AccuracyResult(
        statistic, int(defined.sum()), 1, "soft-accuracy", "system", n_resamples=n_resamples, seed=seed
    )


def _system_scores(human: Scores, metric: Scores) -> tuple[FloatArray, FloatArray]:
    matrices = aligned(human, metric, items=False)
    x, y = (system_means(m[None])[0] for m in matrices)
    both = np.isfinite(x) & np.isfinite(y)
    return settled(x[both]), settled(y[both])


def _groups(human: Scores, metric: Scores, level: str) -> Iterator[tuple[FloatArray, FloatArray]]:
    if level == "system":
        yield _system_scores(human, metric)
        return
    x, y = aligned(human, metric, items=True)
    if level == "global":
        x, y = x.reshape(1, -1), y.reshape(1, -1)
    elif level == "item":
        x, y = x.T, y.T
    x, y = settled(x), settled(y)
    for a, b in zip(x, y, strict=True):
        both = np.isfinite(a) & np.isfinite(b)
        yield a[both], b[both]


def _pairs(human: Scores, metric: Scores, level: str) -> tuple[FloatArray, ...]:
    """For all pairs within groups: |metric difference|, right if untied, right if tied, 1 / pairs in the group, its largest score."""
    parts = []
    for a, b in _groups(human, metric, level):
        first, second = np.triu_indices(len(a), 1)
        if len(first):
            gold, scored = a[first] - a[second], b[first] - b[second]
            untied = (np.sign(gold) == np.sign(scored)) & (gold != 0)
            share, largest = np.full(len(first), 1 / len(first)), np.full(len(first), np.abs(b).max())
            parts.append((np.abs(scored), untied, gold == 0, share, largest))
    if not parts:
        return (np.empty(0),) * 5
    return tuple(np.concatenate(column).astype(np.float64) for column in zip(*parts, strict=True))


def _settled_sizes(size: FloatArray, scale: FloatArray) -> FloatArray:
    """.3 − .2 and .2 − .1 are one difference: no threshold may lie between them.

    What rounding can do is reckoned from the scores of each pair's own group: probabilities of a long text are far smaller than
    those of a short one. Ties within a group are exact.
    """
    order = np.argsort(size, kind="stable")
    ordered, near = size[order], CLOSE * scale[order]
    joined = (np.diff(ordered) <= np.maximum(near[:-1], near[1:])) & (ordered[:-1] > 0)
    starts = np.where(np.concatenate([[False], joined]), 0, np.arange(len(order)))
    result = np.empty_like(size)
    result[order] = ordered[np.maximum.accumulate(starts)]
    return result
