"""Pairwise preferences: shares of wins, strength, and models of paired comparisons (:mod:`metrics.human.comparison`).

Rows of kind ``pairwise``, one per system of a pair, ``unit`` = the set: value +s for the winner and −s for the other, s being how
much better it is (1 where nobody asked), 0 for a tie of any kind, which the label names.
"""

from __future__ import annotations

import pandas as pd

from metrics.human.base import HumanScore
from metrics.human.comparison import fitted_name, has_values, withheld
from metrics.human.comparison_agreement import COEFFICIENTS
from metrics.human.comparison_scores import (
    BRADLEY_TERRY,
    CRITERION,
    DAVIDSON,
    EXPECTED_WINS,
    TRUESKILL,
    WINS,
    WINS_HALF,
    mean_value,
)
from metrics.human.comparison_tables import tables
from metrics.human.kind import HumanKind, Score

SLUG = "pairwise"


def strength(
    judgments: pd.DataFrame,
    *,
    attributes: pd.DataFrame | None = None,
    task: str | None = None,
    criterion: str = "",
) -> HumanScore:
    """The mean of the signed values: by how much a system is better, or worse."""
    return mean_value("strength", judgments, SLUG, attributes=attributes, task=task, criterion=criterion)


def names(judgments: pd.DataFrame) -> list[str]:
    """The model that fits, shares of wins, ``strength`` where anybody could say how much better; others are asked for by name."""
    if not has_values(judgments):
        return []
    asked_for = (judgments["value"].abs() > 1).any()
    return [fitted_name(judgments), "wins", "wins-half", *(["strength"] if asked_for else [])]


KIND = HumanKind(
    slug=SLUG,
    scores=(
        WINS,
        WINS_HALF,
        Score(
            "strength",
            strength,
            (CRITERION,),
            meaning="How much better than the other the text is on average; below 0, how much worse.",
            definition="the mean signed strength of the preferences, positive for the preferred output",
        ),
        EXPECTED_WINS,
        BRADLEY_TERRY,
        DAVIDSON,
        TRUESKILL,
    ),
    names=names,
    tables=tables,
    withheld=withheld,
    coefficients=COEFFICIENTS,
)
