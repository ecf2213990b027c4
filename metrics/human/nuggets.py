"""Nuggets of definition questions (Lin & Demner-Fushman 2005, Figure 2; TREC 2003 and 2004).

Rows of kind ``nuggets``: unit = the nugget, criterion ``present``, value 1 or 0, one row for every nugget of the
answer key. Attributes: ``status`` (``vital`` or ``okay``) of scope ``nugget``; of the output ``nonspace_characters``, or
``characters`` where that is not given (the signature says which; white space would count as length there).
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import pandas as pd

from metrics.errors import BadInput, UndefinedScoreWarning
from metrics.human.base import (
    ASSESSMENT,
    HumanScore,
    attribute,
    averaged,
    output_attribute,
    select,
    unit_attribute,
)
from metrics.human.kind import HumanKind, Option, Score

ALLOWANCE = 100
"""Characters that every nugget returned may take."""


@dataclass(frozen=True)
class NuggetScore:
    """F(β) of one response, and what it is made of."""

    f: float
    precision: float
    recall: float


def f_measure(
    *, vital: float, okay: float, vital_in_key: float, length: float, beta: float = 3.0
) -> NuggetScore:
    """F(β) from the nuggets returned and the length of the response; NaN where the key has no vital nugget."""
    if vital_in_key <= 0:
        return NuggetScore(float("nan"), float("nan"), float("nan"))
    recall = vital / vital_in_key
    allowance = ALLOWANCE * (vital + okay)
    precision = 1.0 if length < allowance or length == 0 else 1 - (length - allowance) / length
    if recall == 0:
        # F is 0 with recall 0 for every precision above 0, and lies between the two: so it is 0 with both at 0.
        return NuggetScore(0.0, precision, 0.0)
    weight = beta**2
    f = (weight + 1) * precision * recall / (weight * precision + recall)
    return NuggetScore(f, precision, recall)


def nugget_f(
    judgments: pd.DataFrame,
    *,
    attributes: pd.DataFrame | None,
    task: str | None = None,
    beta: float = 3.0,
) -> HumanScore:
    """F(β) per response, β = 3 (TREC 2004; 5 in 2003)."""
    table = responses(judgments, attributes=attributes, task=task, beta=beta)
    options = {"beta": f"{beta:g}", "length": _length_name(attributes)}
    return averaged("nugget-f", table[[*ASSESSMENT, "value"]], options=options)


def responses(
    judgments: pd.DataFrame, *, attributes: pd.DataFrame | None, task: str | None = None, beta: float = 3.0
) -> pd.DataFrame:
    """Per assessor and response the counts behind F: ``vital, okay, vital_in_key, length, precision, recall, value``."""
    rows = select(judgments, "nuggets", task=task, criteria=("present",))
    status = unit_attribute(rows, attributes, "nugget", "status").str.lower()
    unknown = ~status.isin(["vital", "okay"])
    if unknown.any():
        raise BadInput(f"expected status vital or okay, found {status[unknown].iloc[0]!r}", column="value")
    present, is_vital = rows["value"] > 0, status == "vital"
    counted = rows.assign(vital=present & is_vital, okay=present & ~is_vital, vital_in_key=is_vital, unit="")
    table = counted.groupby(ASSESSMENT, dropna=False)[["vital", "okay", "vital_in_key"]].sum().reset_index()
    table["length"] = output_attribute(table, attributes, _length_name(attributes))
    results = [
        f_measure(vital=vital, okay=okay, vital_in_key=in_key, length=length, beta=beta)
        for vital, okay, in_key, length in table[["vital", "okay", "vital_in_key", "length"]].to_numpy()
    ]
    if (table["vital_in_key"] == 0).any():
        warnings.warn(
            "F is undefined where an answer key has no vital nugget", UndefinedScoreWarning, stacklevel=3
        )
    return table.assign(
        precision=[result.precision for result in results],
        recall=[result.recall for result in results],
        value=[result.f for result in results],
    )


def _length_name(attributes: pd.DataFrame | None) -> str:
    known = attribute(attributes, "output", "nonspace_characters")
    return "characters" if known.empty else "nonspace_characters"


KIND = HumanKind(
    slug="nuggets",
    scores=(
        Score(
            "nugget-f",
            nugget_f,
            (Option("beta", "weight of recall (default 3)", type=float),),
            meaning="The share of vital nuggets found, against the length of the response: F with β = 3.",
            definition="the F-score of nuggets with β = 3 (Lin and Demner-Fushman 2005)",
        ),
    ),
)
