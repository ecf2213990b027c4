"""Ratings: any criterion, and adequacy and fluency combined (Leusch et al. 2005 §3.5; Banerjee & Lavie 2005 §3.1).

Per item the mean (or median) over assessors; system scores are means over items, plain or weighted by the output's
length in tokens (``HumanScore.system_scores``).
"""

from __future__ import annotations

from functools import partial
from typing import Unpack

import pandas as pd

from metrics.errors import BadInput
from metrics.human.base import ASSESSMENT, Averaging, HumanScore, averaged, select
from metrics.human.kind import AVERAGING, HumanKind, Score

COMBINED = ("adequacy", "fluency")


def criterion(
    judgments: pd.DataFrame,
    name: str,
    *,
    attributes: pd.DataFrame | None = None,
    task: str | None = None,
    **how: Unpack[Averaging],
) -> HumanScore:
    """One criterion of a rating task, on its own scale."""
    rows = select(judgments, "rating", task=task, criteria=(name,))
    return averaged(name, rows[[*ASSESSMENT, "criterion", "value"]], **how)


def combined(
    judgments: pd.DataFrame,
    *,
    attributes: pd.DataFrame | None = None,
    task: str | None = None,
    **how: Unpack[Averaging],
) -> HumanScore:
    """The mean of adequacy and fluency, each normalised by itself."""
    rows = select(judgments, "rating", task=task, criteria=COMBINED)
    missing = set(COMBINED) - set(rows["criterion"])
    if missing:
        raise BadInput(f"expected judgments of adequacy and fluency, found none of {missing.pop()}")
    return averaged("combined", rows[[*ASSESSMENT, "criterion", "value"]], **how)


def names(judgments: pd.DataFrame) -> list[str]:
    """Every criterion with numbers, in the order of the table, and ``combined`` where it is defined."""
    found = list(dict.fromkeys(judgments.loc[judgments["value"].notna(), "criterion"]))
    return [*found, "combined"] if set(COMBINED) <= set(found) else found


KIND = HumanKind(
    slug="rating",
    scores=(
        Score(
            "combined",
            combined,
            AVERAGING,
            meaning="The mean of adequacy and fluency.",
            definition="the mean of adequacy and fluency",
        ),
    ),
    names=names,
    criterion_score=lambda name: Score(name, partial(criterion, name=name), AVERAGING),
    pools_criteria=True,
)
