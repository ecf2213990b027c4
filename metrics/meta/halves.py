"""Split-half reliability: would other assessors, or other items, have given the systems the same scores?

Assessors (or items) are cut into two random halves; each half has scores of all systems, and the two are correlated. A half is
not a whole: r of two halves becomes 2r / (1 + r) for all of them (Spearman 1910; Brown 1910). The mean over many cuts is
reported, with the middle 95 % of the cuts, which say how much the cut matters and are no confidence interval.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from metrics.errors import BadInput
from metrics.meta.coefficients import COEFFICIENTS
from metrics.meta.common import (
    ConfidenceInterval,
    FloatArray,
    Rng,
    Scores,
    batches,
    check_choice,
    check_positive,
    plain_array,
    seeded,
    undefined,
)
from metrics.signature import signature

METHODS = ("pearson", "spearman", "kendall")


@dataclass(frozen=True)
class SplitHalfResult:
    """``statistic`` is the stepped-up mean, ``half`` the mean correlation of two halves, ``middle`` the middle 95 % of cuts."""

    statistic: float
    half: float
    middle: ConfidenceInterval
    n: int
    systems: int
    over: str
    method: str
    n_resamples: int
    seed: int | None

    @property
    def signature(self) -> str:
        options = {"over": self.over, "method": self.method, "n": self.n, "systems": self.systems}
        return signature(
            "split-half",
            options | {"correction": "spearman-brown", "splits": self.n_resamples, "seed": self.seed},
        )


def split_half(
    scores: Scores, *, over: str = "items", method: str = "pearson", n_resamples: int = 1_000, rng: Rng = None
) -> SplitHalfResult:
    """Reliability of system scores over ``items`` (system × item) or ``assessors`` (assessors × systems × items).

    >>> scores = [[1, 2, 1, 2, 1, 2], [3, 4, 3, 4, 4, 3], [6, 5, 6, 6, 5, 6]]
    >>> split_half(scores, rng=1).statistic > 0.95
    True
    """
    check_choice("over", over, ("items", "assessors"))
    check_choice("method", method, METHODS)
    check_positive("n_resamples", n_resamples)
    values = plain_array(scores)
    if values.ndim != (2 if over == "items" else 3):
        raise BadInput("expected system × item scores, or assessors × systems × items to split assessors")
    # What is split comes first, systems second; all else is summed.
    parts = values.T[:, :, None] if over == "items" else values
    present = np.isfinite(parts)
    sums, counts = np.where(present, parts, 0.0).sum(axis=2), present.sum(axis=2).astype(np.float64)
    generator, seed = seeded(rng)
    n, systems = sums.shape
    found = _halves(sums, counts, method, n_resamples, generator) if n > 1 and systems > 2 else np.empty(0)
    found = found[np.isfinite(found)]
    if not len(found):
        undefined(f"split-half reliability needs two {over} and three systems whose scores differ")
        found = np.full(1, np.nan)
    low, high = np.quantile(_stepped_up(found), [0.025, 0.975])
    half = float(found.mean())
    return SplitHalfResult(
        float(_stepped_up(np.array(half))),
        half,
        ConfidenceInterval(float(low), float(high)),
        n,
        systems,
        over,
        method,
        n_resamples,
        seed,
    )


def _stepped_up(half: FloatArray) -> FloatArray:
    """Spearman and Brown's 2r/(1 + r). Halves that contradict each other have no more of it as a whole: r as it is."""
    return np.where(half < 0, half, 2 * half / (1 + np.abs(half)))


def _halves(
    sums: FloatArray, counts: FloatArray, method: str, total: int, rng: np.random.Generator
) -> FloatArray:
    """The correlation of the two halves' system means in each cut."""
    n, systems = sums.shape
    found = []
    for size in batches(total, n + 2 * systems):
        side = rng.permuted(np.tile(np.arange(n) < n // 2, (size, 1)), axis=1).astype(np.float64)
        with np.errstate(invalid="ignore", divide="ignore"):
            one, other = (half @ sums / (half @ counts) for half in (side, 1 - side))
        found.append(COEFFICIENTS[method](one[:, None], other[:, None], np.ones((1, systems)))[:, 0])
    return np.concatenate(found)
