"""Gwet's AC₁ and AC₂: agreement beyond chance that does not collapse when nearly all answers are the same.

κ and α measure chance by how often answers occur, so that two people who agree on 98 of 100 rare things may get 0 ("the
paradox of κ"). Gwet (2008; 2014, chapters 2 and 6) takes for chance what people answer at random who do not know: AC₁ for
categories, AC₂ with weights for scales. Missing judgments are allowed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt
from scipy import special

from metrics.errors import BadInput
from metrics.meta.common import (
    CERTAIN,
    UNDEFINED_INTERVAL,
    ConfidenceInterval,
    FloatArray,
    check_choice,
    check_level,
    interval_at,
    plain_array,
    undefined,
)

Weights = Literal["none", "linear", "quadratic", "ordinal"]


@dataclass(frozen=True)
class GwetResult:
    """AC₁ (``weights`` none) or AC₂ with its standard error and t interval over ``n`` things (Gwet 2014, §5.3)."""

    statistic: float
    error: float
    confidence_interval: ConfidenceInterval
    observed: float
    expected: float
    n: int
    weights: str


def gwet(
    ratings: npt.ArrayLike,
    *,
    weights: Weights = "none",
    categories: npt.ArrayLike | None = None,
    confidence_level: float = 0.95,
) -> GwetResult:
    """AC₁ of things × assessors, NaN where a judgment is missing; with ``weights`` AC₂.

    ``categories`` are all steps of the scale, also those that nobody used; without, those that occur.

    >>> round(gwet([[1, 1], [2, 2], [1, 1], [1, 2], [1, 1]]).statistic, 4)
    0.6552
    """
    check_choice("weights", weights, get_args(Weights))
    check_level(confidence_level)
    table = plain_array(ratings)
    if table.ndim != 2:
        raise BadInput(f"ratings must be a matrix of things × assessors, not of {table.ndim} dimensions")
    known = ~np.isnan(table)
    steps = np.unique(table[known] if categories is None else np.asarray(categories, dtype=np.float64))
    if not np.isin(table[known], steps).all():
        raise BadInput("expected every judgment to be one of the categories")
    counts = np.stack([(table == step).sum(axis=1) for step in steps], axis=1).astype(np.float64)
    counts = counts[counts.sum(axis=1) > 0]
    judged = counts.sum(axis=1)
    n, q = len(counts), len(steps)
    if q < 2 or not (judged >= 2).any():
        undefined("Gwet's coefficient needs something judged twice and two categories: it is NaN")
        nan = float("nan")
        return GwetResult(nan, nan, UNDEFINED_INTERVAL, nan, nan, n, weights)
    matrix = agreement_weights(steps, weights)
    shares = (counts / judged[:, None]).mean(axis=0)
    twice = judged >= 2
    agreeing = np.zeros(n)
    weighted = counts @ matrix
    agreeing[twice] = ((counts * (weighted - 1)).sum(axis=1) / np.where(twice, judged * (judged - 1), 1))[
        twice
    ]
    observed = float(agreeing.sum() / twice.sum())
    factor = matrix.sum() / (q * (q - 1))
    expected = float(factor * (shares * (1 - shares)).sum())
    statistic = (observed - expected) / (1 - expected)
    # Linearised: what each thing adds to the observed and, through the shares, to the expected agreement.
    own = np.where(twice, agreeing * n / twice.sum(), 0.0)
    own = np.where(twice, (own - expected * n / twice.sum()) / (1 - expected), 0.0)
    chance = factor * ((counts / judged[:, None]) * (1 - shares)).sum(axis=1)
    linear = own - 2 * (1 - statistic) * (chance - expected) / (1 - expected)
    error = float(np.sqrt(((linear - statistic) ** 2).sum() / (n * (n - 1)))) if n > 1 else float("nan")

    def ends(level: float) -> tuple[float, float]:
        reach = float(special.stdtrit(n - 1, (1 + level) / 2)) * error
        return max(-1.0, statistic - reach), min(1.0, statistic + reach)

    interval = UNDEFINED_INTERVAL
    if n > 1 and statistic <= 1 - CERTAIN and error > CERTAIN:
        interval = interval_at(ends, confidence_level)
    else:
        undefined(
            "Gwet's coefficient of one thing, of perfect agreement, or of things all alike has no interval: it is NaN"
        )
    return GwetResult(float(statistic), error, interval, observed, expected, n, weights)


def agreement_weights(steps: FloatArray, kind: str) -> FloatArray:
    """How far two steps of a scale agree: 1 on the diagonal.

    >>> agreement_weights(np.array([1.0, 2.0, 3.0]), "linear")[0].tolist()
    [1.0, 0.5, 0.0]
    """
    gap = np.abs(np.subtract.outer(steps, steps))
    if kind == "none":
        return np.eye(len(steps))
    if kind == "ordinal":
        places = np.arange(len(steps))
        between = np.abs(np.subtract.outer(places, places)) + 1
        pairs = between * (between - 1) / 2
        return np.asarray(1 - pairs / pairs.max())
    return np.asarray(1 - (gap / gap.max()) ** (1 if kind == "linear" else 2))
