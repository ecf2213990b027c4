"""Content units of a reference that an output has: LitePyramid (Shapira et al. 2019) and ACU (RoSE, Liu et al. 2023).

Rows of kind ``units_present``: unit = ``REFERENCE/NUMBER``, criterion ``present``, value 1 or 0, one row for every unit asked.
``acu-normalized`` needs ``treebank_tokens`` of the output and of the reference (scope ``reference``) as attributes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import numpy as np
import pandas as pd

from metrics.human.base import (
    ASSESSMENT,
    HumanScore,
    averaged,
    number_attribute,
    output_attribute,
    refuse_unknown,
    select,
)
from metrics.human.kind import HumanKind, Option, Score
from metrics.human.tables import Column, ResultTable, result_table

SLUG = "units_present"
MAJORITY = "majority"
"""Who has judged once votes are counted."""

Votes = Literal["mean", "majority"]


def acu(
    judgments: pd.DataFrame,
    *,
    attributes: pd.DataFrame | None = None,
    task: str | None = None,
    votes: Votes = "mean",
) -> HumanScore:
    """The share of units present, per reference and then over references."""
    return averaged("acu", _shares(judgments, task, votes), options={"votes": votes})


def acu_normalized(
    judgments: pd.DataFrame,
    *,
    attributes: pd.DataFrame | None = None,
    task: str | None = None,
    votes: Votes = "mean",
) -> HumanScore:
    """The share of units present, less where the output is longer than the reference (Liu et al. 2023, eq. 2, α = 2)."""
    shares = _shares(judgments, task, votes)
    tokens = output_attribute(shares, attributes, "treebank_tokens")
    of_reference = shares["unit"].map(number_attribute(attributes, "reference", "treebank_tokens"))
    refuse_unknown(of_reference.isna(), shares["unit"], "treebank_tokens of reference")
    value = normalized(shares["value"], tokens, of_reference)
    return averaged("acu-normalized", shares.assign(value=value), options={"votes": votes, "alpha": 2})


def normalized(
    share: pd.Series[float], tokens: pd.Series[float], reference_tokens: pd.Series[float]
) -> pd.Series[float]:
    """``acu · exp(min(0, (1 − |s|/|r|)/2))``."""
    return share * np.exp(np.minimum(0.0, (1 - tokens / reference_tokens) / 2))


def _shares(judgments: pd.DataFrame, task: str | None, votes: Votes) -> pd.DataFrame:
    """The share of units present, as one assessor, or the majority, judged an output by one reference."""
    rows = select(judgments, SLUG, task=task, criteria=("present",))
    if votes == "majority":
        cast = [
            *(name for name in ASSESSMENT if name not in ("assessor", "sitting")),
            "document",
            "criterion",
        ]
        share = rows.groupby(cast, dropna=False, sort=False)["value"].mean().reset_index()
        rows = share.assign(value=(share["value"] > 0.5).astype("float64"), assessor=MAJORITY, sitting=1)
    reference = rows["unit"].str.rpartition("/")[0]
    return rows.assign(unit=reference).groupby(ASSESSMENT, dropna=False)["value"].mean().reset_index()


def tables(judgments: pd.DataFrame, attributes: pd.DataFrame | None, task: str) -> Iterator[ResultTable]:
    """How often each unit was found, and how sure people are of it."""
    rows = judgments[judgments["criterion"] == "present"]
    share = rows.groupby(["unit", "item", "system"], sort=False)["value"].mean()
    by_unit = pd.DataFrame(
        {
            "share": share.groupby(["item", "unit"], sort=False).mean(),
            "split": ((share > 0) & (share < 1)).groupby(["item", "unit"], sort=False).mean(),
        }
    ).reset_index()
    yield result_table(
        "units",
        "Content units found",
        by_unit,
        (
            Column("unit", "Unit"),
            Column("item", "Item"),
            Column("share", "Share of outputs", 2),
            Column("split", "Of which people disagree", 2),
        ),
        note="The share of outputs that have the unit, and the share on which its judges were divided.",
    )


VOTES = Option(
    "votes",
    "of several people: their mean, or present if most say so (default mean)",
    choices=("mean", "majority"),
)

KIND = HumanKind(
    slug=SLUG,
    scores=(
        Score(
            "acu",
            acu,
            (VOTES,),
            meaning="The share of the reference’s content units that the text has.",
            definition="the share of the reference's content units found in the output (Shapira et al. 2019; Liu et al. 2023)",
        ),
        Score(
            "acu-normalized",
            acu_normalized,
            (VOTES,),
            meaning="The share of content units present, lowered where the text is longer than the reference.",
            definition="the share of content units found, multiplied by exp(min(0, (1 − |s|/|r|)/2)) (Liu et al. 2023)",
        ),
    ),
    first_over="over the references an output was judged by",
    tables=tables,
)
