"""Best–worst scaling: how often best less how often worst (Louviere & Woodworth 1991; Kiritchenko & Mohammad 2017).

Rows of kind ``best_worst``, one per system of a set, ``unit`` = the set: value 1 for the best, −1 for the worst, else 0. As pairs, the
best beats all others and all others beat the worst; of two in between nothing is known (:mod:`metrics.human.comparison`).
"""

from __future__ import annotations

import pandas as pd

from metrics.human.base import HumanScore
from metrics.human.comparison import has_values, withheld
from metrics.human.comparison_agreement import COEFFICIENTS
from metrics.human.comparison_scores import (
    BRADLEY_TERRY,
    CRITERION,
    EXPECTED_WINS,
    TRUESKILL,
    WINS,
    mean_value,
)
from metrics.human.comparison_tables import tables
from metrics.human.kind import HumanKind, Score

SLUG = "best_worst"


def best_worst(
    judgments: pd.DataFrame,
    *,
    attributes: pd.DataFrame | None = None,
    task: str | None = None,
    criterion: str = "",
) -> HumanScore:
    """(best − worst)/shown."""
    return mean_value("best-worst", judgments, SLUG, attributes=attributes, task=task, criterion=criterion)


def names(judgments: pd.DataFrame) -> list[str]:
    """Best–worst, a model of the pairs that follow, and shares of wins; other scores are asked for by name."""
    return ["best-worst", "bradley-terry", "wins"] if has_values(judgments) else []


KIND = HumanKind(
    slug=SLUG,
    scores=(
        Score(
            "best-worst",
            best_worst,
            (CRITERION,),
            meaning="How often the text was chosen as the best less how often as the worst, by how often it was shown.",
            definition="the number of times chosen best less the number of times chosen worst, divided by the times shown"
            " (Louviere and Woodworth 1991)",
        ),
        WINS,
        EXPECTED_WINS,
        BRADLEY_TERRY,
        TRUESKILL,
    ),
    names=names,
    tables=tables,
    withheld=withheld,
    coefficients=COEFFICIENTS,
)
