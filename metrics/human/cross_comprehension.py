"""Cross comprehension (Kolluru & Gotoh 2005 §4–6): do one author's questions find their answers in another's summary?

Rows of kind ``cross_comprehension``: system = author of the summary, unit ``question-author/question``, criterion
``answer``, value 3 relevant, 2 partially relevant, 1 irrelevant, 0 not found. Shares by the author of the summary are
*summary relevance*, by the author of the question *questionnaire relevance*.
"""

from __future__ import annotations

from typing import Literal

import pandas as pd
from scipy import stats

from metrics.human.base import (
    ASSESSMENT,
    HumanScore,
    attribute_of,
    averaged,
    output_attribute,
    select,
)

RELEVANT, PARTIAL, IRRELEVANT, NOT_FOUND = 3, 2, 1, 0
By = Literal["summary", "question", "pair", "type", "overall"]
_KEYS: dict[str, list[str]] = {
    "summary": ["system"],
    "question": ["question_author"],
    "pair": ["system", "question_author"],
    "type": ["type"],
    "overall": [],
}


def answer_relevant(
    judgments: pd.DataFrame, *, attributes: pd.DataFrame | None = None, task: str | None = None
) -> HumanScore:
    """The share of foreign questions whose answer in the summary is relevant."""
    rows = _answers(judgments, task)
    return averaged("answer-relevant", rows.assign(value=(rows["value"] == RELEVANT).astype("float64")))


def answer_found(
    judgments: pd.DataFrame, *, attributes: pd.DataFrame | None = None, task: str | None = None
) -> HumanScore:
    """The share of foreign questions to which the summary gives any answer: 1 − not found."""
    rows = _answers(judgments, task)
    return averaged("answer-found", rows.assign(value=(rows["value"] > NOT_FOUND).astype("float64")))


def shares(
    judgments: pd.DataFrame, *, by: By, attributes: pd.DataFrame | None = None, task: str | None = None
) -> pd.DataFrame:
    """Shares of the four answers, ``relevant_or_partial`` and ``found``, and the number of answers n.

    ``by``: the author of the summary, of the question, the pair, the type of the summary's author (attribute ``type``
    of scope ``system``: machine summaries beside humans), or overall.
    """
    rows = _answers(judgments, task)
    rows = rows[rows["control"] == ""]
    rows = rows.assign(
        question_author=rows["unit"].str.rsplit("/", n=1).str[0],
        type=attribute_of(rows["system"], attributes, "system", "type"),
        relevant=rows["value"] == RELEVANT,
        partial=rows["value"] == PARTIAL,
        irrelevant=rows["value"] == IRRELEVANT,
        not_found=rows["value"] == NOT_FOUND,
        relevant_or_partial=rows["value"] >= PARTIAL,
        found=rows["value"] > NOT_FOUND,
        n=1,
    )
    columns = ["relevant", "partial", "irrelevant", "not_found", "relevant_or_partial", "found"]
    how = {**dict.fromkeys(columns, "mean"), "n": "sum"}
    if not _KEYS[by]:
        return rows.agg(how).to_frame().T.astype({"n": "int64"})
    return rows.groupby(_KEYS[by]).agg(how).reset_index()


def against_length(
    judgments: pd.DataFrame, *, attributes: pd.DataFrame | None, task: str | None = None
) -> pd.DataFrame:
    """Does length alone decide (§5.1)? ``system, characters, relevant_or_partial, found`` per author.

    ``characters`` is the mean of the outputs' attribute of that name, over the items judged.
    """
    table = shares(judgments, by="summary", task=task)
    rows = _answers(judgments, task).drop_duplicates(["system", "item"])
    length = output_attribute(rows, attributes, "characters").groupby(rows["system"]).mean()
    table.insert(1, "characters", table["system"].map(length))
    return table[["system", "characters", "relevant_or_partial", "found"]]


def length_correlation(table: pd.DataFrame) -> float:
    """Pearson's r between length and answers found, over the authors of :func:`against_length`."""
    return float(stats.pearsonr(table["characters"], table["found"]).statistic)


def names(judgments: pd.DataFrame) -> list[str]:
    """Both scores need nothing but the answers."""
    return ["answer-relevant", "answer-found"]


def _answers(judgments: pd.DataFrame, task: str | None) -> pd.DataFrame:
    rows = select(judgments, "cross_comprehension", task=task, criteria=("answer",))
    return rows.loc[rows["value"].notna(), [*ASSESSMENT, "value"]]
