"""Pyramid scores (Nenkova & Passonneau 2004): the weight a peer carries against the best it could.

Rows of kind ``pyramid``: unit = the SCU, criterion ``present``, value 1 or 0, one row for every SCU of the pyramid.
Attributes: ``weight`` of scope ``scu``; ``models`` of scope ``item``, the number of model summaries. An SCU of weight 0
stands for content that is not in the pyramid: it counts in the size of the peer and adds nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from pandas.api.typing import DataFrameGroupBy

from metrics.errors import BadInput
from metrics.human.base import ASSESSMENT, HumanScore, averaged, number_attribute, select, unit_attribute
from metrics.human.kind import HumanKind, Score


def best_sum(weights: ArrayLike, count: int) -> float:
    """The largest sum that ``count`` SCUs of a pyramid with these weights can reach."""
    return float(np.sort(np.asarray(weights, dtype="float64"))[::-1][:count].sum())


def original_score(weights: ArrayLike, present: ArrayLike) -> float:
    """Weight found over the best sum of as many SCUs as were found; NaN when none was."""
    weight, found = np.asarray(weights, dtype="float64"), np.asarray(present, dtype=bool)
    best = best_sum(weights, int(found.sum()))
    return float(weight[found].sum() / best) if best > 0 else float("nan")


def modified_score(weights: ArrayLike, present: ArrayLike, *, models: float | None = None) -> float:
    """Weight found over the best sum of as many SCUs as a model summary has on average (recall-like).

    A model contributes at most once to an SCU, so the weights sum to the models' SCUs together; the average is rounded
    to the nearest whole number. Without ``models``, the largest weight is taken for their number.
    """
    weight, found = np.asarray(weights, dtype="float64"), np.asarray(present, dtype=bool)
    number = weight.max(initial=0) if models is None else models
    if number <= 0:
        return float("nan")
    best = best_sum(weights, int(np.floor(weight.sum() / number + 0.5)))
    return float(weight[found].sum() / best) if best > 0 else float("nan")


def pyramid(
    judgments: pd.DataFrame, *, attributes: pd.DataFrame | None, task: str | None = None
) -> HumanScore:
    """The original score per peer."""
    peers = _peers(judgments, attributes, task)
    score = peers.apply(lambda peer: original_score(peer["weight"], peer["present"]))
    return averaged("pyramid", score.rename("value").reset_index())


def pyramid_modified(
    judgments: pd.DataFrame, *, attributes: pd.DataFrame | None, task: str | None = None
) -> HumanScore:
    """The modified score per peer."""
    known = number_attribute(attributes, "item", "models")
    peers = _peers(judgments, attributes, task)
    score = peers.apply(
        lambda peer: modified_score(
            peer["weight"], peer["present"], models=known.get(str(peer["of_item"].iloc[0]))
        )
    )
    options = {"models": "attribute" if len(known) else "largest-weight"}
    return averaged("pyramid-modified", score.rename("value").reset_index(), options=options)


def _peers(
    judgments: pd.DataFrame, attributes: pd.DataFrame | None, task: str | None
) -> DataFrameGroupBy[Any, Any]:
    """The SCUs of each peer, as one assessor judged it: ``weight``, ``present``, ``of_item``."""
    rows = select(judgments, "pyramid", task=task, criteria=("present",))
    text = unit_attribute(rows, attributes, "scu", "weight")
    weight = pd.to_numeric(text, errors="coerce")
    bad = weight.isna() | (weight < 0)
    if bad.any():
        raise BadInput(f"expected a weight of at least 0, found {text[bad].iloc[0]!r}", column="value")
    judged = rows.assign(unit="", weight=weight, present=rows["value"] > 0, of_item=rows["item"])
    return judged.groupby(ASSESSMENT, dropna=False)[["weight", "present", "of_item"]]


KIND = HumanKind(
    slug="pyramid",
    scores=(
        Score(
            "pyramid",
            pyramid,
            meaning="The weight of the content units found, over the best weight for as many units.",
            definition="the weight of the content units found over the best weight for as many units",
        ),
        Score(
            "pyramid-modified",
            pyramid_modified,
            meaning="The weight of the content units found, over the best weight for as many units as a model has.",
            definition="the weight of the content units found over the best weight for as many units as a model has on "
            "average",
        ),
    ),
)
