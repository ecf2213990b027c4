"""Nuggets of questions (Lin & Demner-Fushman 2005, Figure 2; TREC 2003 and 2004; AutoNuggetizer, TREC 2024).

Rows of kind ``nuggets`` with a system: unit = the nugget, criterion ``present``, value 1 (support), ½ (partial support) or 0, one
row for every nugget of the answer key. Rows without a system are the key: criteria ``nugget`` and ``status``, their text in ``label``.
Attributes: ``status`` (``vital`` or ``okay``) of scope ``nugget``, else that of the key; of the output ``nonspace_characters``, or
``characters`` where that is not given (the signature says which; white space would count as length there).
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

import pandas as pd

from metrics.errors import BadInput, UndefinedScoreWarning
from metrics.frames import scored
from metrics.human.base import (
    ASSESSMENT,
    HumanScore,
    MissingAttribute,
    attribute,
    attribute_within,
    averaged,
    output_attribute,
    refuse_unknown,
    select,
)
from metrics.human.kind import HumanKind, Option, Score
from metrics.human.tables import Column, ResultTable, result_table

ALLOWANCE = 100
"""Characters that every nugget returned may take."""

FULL = 1.0
"""The value of full support."""


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
    """F(β) per response, β = 3 (TREC 2004; 5 in 2003). Only full support counts: TREC knew no partial one."""
    table = responses(judgments, attributes=attributes, task=task, beta=beta)
    options = {"beta": f"{beta:g}", "length": _length_name(attributes)}
    return averaged("nugget-f", table[[*ASSESSMENT, "value"]], options=options)


def responses(
    judgments: pd.DataFrame, *, attributes: pd.DataFrame | None, task: str | None = None, beta: float = 3.0
) -> pd.DataFrame:
    """Per assessor and response the counts behind F: ``vital, okay, vital_in_key, length, precision, recall, value``."""
    rows = select(judgments, "nuggets", task=task, criteria=("present",))
    present, is_vital = rows["value"] >= FULL, _status(rows, judgments, attributes, task) == "vital"
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


def _status(
    rows: pd.DataFrame, judgments: pd.DataFrame, attributes: pd.DataFrame | None, task: str | None
) -> pd.Series[str]:
    """``vital`` or ``okay`` for every row: as the attributes say, else as the key of the table does."""
    within = rows["item"] + "/" + rows["unit"]
    status = attribute_within(rows, attributes, "nugget", "status")
    if status.isna().any():  # of several keys in the table, the attributes say which went on
        status = status.fillna(within.map(key(judgments, task=task).set_index("of")["status"]))
    refuse_unknown(status.isna(), within, "status of nugget")
    status = status.str.lower()
    unknown = ~status.isin(["vital", "okay"])
    if unknown.any():
        raise BadInput(f"expected status vital or okay, found {status[unknown].iloc[0]!r}", column="value")
    return status


def key(judgments: pd.DataFrame, *, task: str | None = None) -> pd.DataFrame:
    """The answer key, from the rows without a system: ``item, unit, of (ITEM/UNIT), text, status``."""
    rows = judgments[(judgments["kind"] == "nuggets") & (judgments["system"] == "")]
    rows = scored(rows if task is None else rows[rows["task"] == task])
    rows = rows.assign(of=rows["item"] + "/" + rows["unit"])
    makers = rows.groupby("item")["assessor"].nunique()
    if (makers > 1).any():
        item = makers.index[makers > 1][0]
        raise BadInput(f"expected one answer key: that of {item} was made by several people")
    text = rows[rows["criterion"] == "nugget"].set_index("of")["label"]
    status = rows[rows["criterion"] == "status"]
    return status[["item", "unit", "of"]].assign(
        text=status["of"].map(text).fillna(""), status=status["label"]
    )


def nugget_references(
    judgments: pd.DataFrame, *, attributes: pd.DataFrame | None = None, task: str | None = None
) -> pd.DataFrame:
    """The answer key as references of POURPRE: ``item, reference (the nugget), text, status``, in the order of the judgments."""
    rows = select(judgments, "nuggets", task=task, criteria=("present",))
    rows = rows.drop_duplicates(["item", "unit"])
    status = _status(rows, judgments, attributes, task)
    text = attribute_within(rows, attributes, "nugget", "text")
    if text.isna().any():
        of = rows["item"] + "/" + rows["unit"]
        text = text.fillna(of.map(key(judgments, task=task).set_index("of")["text"]))
    refuse_unknown(text.isna(), rows["item"] + "/" + rows["unit"], "text of nugget")
    found = rows[["item"]].assign(
        reference=rows["unit"], text=text.astype("str"), status=status.astype("str")
    )
    return found.reset_index(drop=True)


def nugget_recall(
    name: str,
    judgments: pd.DataFrame,
    *,
    attributes: pd.DataFrame | None = None,
    task: str | None = None,
) -> HumanScore:
    """AutoNuggetizer's recall: support counts 1, partial support ½ unless strict; over vital nuggets, or over all.

    NaN where there is nothing to find; its own script writes 0 there.
    """
    rows = select(judgments, "nuggets", task=task, criteria=("present",))
    value = rows["value"].where(rows["value"] >= FULL, 0) if name.endswith("-strict") else rows["value"]
    if name.startswith("nuggets-vital"):
        value = value.where(_status(rows, judgments, attributes, task) == "vital")
    found = rows.assign(value=value, unit="").groupby(ASSESSMENT, dropna=False)["value"].mean().reset_index()
    return averaged(name, found)


def tables(judgments: pd.DataFrame, attributes: pd.DataFrame | None, task: str) -> Iterator[ResultTable]:
    """Which nuggets were found by which system: the mean support, over the people who judged."""
    rows = judgments[judgments["criterion"] == "present"]
    if rows.empty:
        return
    support = rows.pivot_table(
        index=["item", "unit"], columns="system", values="value", sort=False
    ).reset_index()
    named = support.assign(task=task)
    texts = attribute_within(named, attributes, "nugget", "text")
    if texts.isna().all():
        of = support["item"] + "/" + support["unit"]
        texts = of.map(key(judgments, task=task).set_index("of")["text"])
    support["status"] = ""
    with suppress(MissingAttribute):
        support["status"] = _status(named, judgments, attributes, task)
    support["text"] = texts.fillna("")
    systems = sorted(rows["system"].unique())
    yield result_table(
        "nuggets",
        "Nuggets found",
        support,
        (
            Column("unit", "Nugget"),
            Column("text", "Text"),
            Column("item", "Topic"),
            Column("status", "Status"),
            *(Column(system, system, 2) for system in systems),
        ),
        note="1 is support, ½ partial support, 0 none; the mean over those who judged. A dash: not judged.",
        marks=True,
    )


def names(judgments: pd.DataFrame) -> list[str]:
    """All scores once responses are judged; a key alone has none."""
    return [score.name for score in KIND.scores] if judgments["criterion"].eq("present").any() else []


def _length_name(attributes: pd.DataFrame | None) -> str:
    known = attribute(attributes, "output", "nonspace_characters")
    return "characters" if known.empty else "nonspace_characters"


def _recall(name: str, meaning: str, definition: str) -> Score:
    return Score(name, partial(nugget_recall, name), meaning=meaning, definition=definition)


KIND = HumanKind(
    slug="nuggets",
    answer_key=nugget_references,
    scores=(
        Score(
            "nugget-f",
            nugget_f,
            (Option("beta", "weight of recall (default 3)", type=float),),
            meaning="The share of vital nuggets found, against the length of the response: F with β = 3.",
            definition="the F-score of nuggets with β = 3 (Lin and Demner-Fushman 2005)",
        ),
        _recall(
            "nuggets-vital",
            "The share of vital nuggets found; partial support counts half.",
            "the share of vital nuggets supported, partial support counting one half (AutoNuggetizer)",
        ),
        _recall(
            "nuggets-vital-strict",
            "The share of vital nuggets found; only full support counts.",
            "the share of vital nuggets fully supported (AutoNuggetizer)",
        ),
        _recall(
            "nuggets-all",
            "The share of all nuggets found; partial support counts half.",
            "the share of all nuggets supported, partial support counting one half (AutoNuggetizer)",
        ),
        _recall(
            "nuggets-all-strict",
            "The share of all nuggets found; only full support counts.",
            "the share of all nuggets fully supported (AutoNuggetizer)",
        ),
    ),
    names=names,
    tables=tables,
    has_means=False,
)
