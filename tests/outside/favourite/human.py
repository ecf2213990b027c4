"""The favourite of several texts, as a score: how often a system's text was chosen."""

from __future__ import annotations

from typing import Unpack

import pandas as pd

from metrics.human.base import ASSESSMENT, Averaging, HumanScore, averaged, select
from metrics.human.kind import AVERAGING, HumanKind, Score


def chosen(
    judgments: pd.DataFrame,
    *,
    attributes: pd.DataFrame | None = None,
    task: str | None = None,
    **how: Unpack[Averaging],
) -> HumanScore:
    rows = select(judgments, "favourite", task=task, criteria=("best",))
    return averaged("chosen", rows[[*ASSESSMENT, "value"]], **how)


KIND = HumanKind(
    slug="favourite",
    scores=(
        Score(
            "chosen",
            chosen,
            AVERAGING,
            meaning="How often the text was the favourite of its set.",
            definition="the share of sets in which the text was chosen",
        ),
    ),
)
