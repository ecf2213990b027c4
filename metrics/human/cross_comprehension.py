"""Cross comprehension (Kolluru & Gotoh 2005 §4–6): do one author's questions find their answers in another's summary?

Rows of kind ``cross_comprehension``: system = author of the summary, unit ``question-author/question``, criterion
``answer``, value 3 relevant, 2 partially relevant, 1 irrelevant, 0 not found. Shares by the author of the summary are
*summary relevance*, by the author of the question *questionnaire relevance*.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Literal

import pandas as pd
import scipy

from metrics.human.base import (
    ASSESSMENT,
    HumanScore,
    MissingAttribute,
    attribute_of,
    averaged,
    output_attribute,
    select,
)
from metrics.human.kind import HumanKind, Score
from metrics.human.tables import Column, ResultTable, result_table

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
    return float(scipy.stats.pearsonr(table["characters"], table["found"]).statistic)


def _answers(judgments: pd.DataFrame, task: str | None) -> pd.DataFrame:
    rows = select(judgments, "cross_comprehension", task=task, criteria=("answer",))
    return rows.loc[rows["value"].notna(), [*ASSESSMENT, "value"]]


# --- tables ---------------------------------------------------------------------------------------------------------

_SHARES = (
    Column("relevant", "Relevant", 3),
    Column("partial", "Partially", 3),
    Column("irrelevant", "Irrelevant", 3),
    Column("not_found", "Not found", 3),
    Column("n", "Answers", 0),
)


_CROSS_WAYS: tuple[tuple[By, str, Column], ...] = (
    ("summary", "Answers by author of the summary", Column("system", "Summary by")),
    ("question", "Answers by author of the question", Column("question_author", "Question by")),
    ("type", "People and machines", Column("type", "Summaries by")),
)


def _tables(judgments: pd.DataFrame, attributes: pd.DataFrame | None, task: str) -> Iterator[ResultTable]:
    """Shares of the four answers by author of the summary and of the question, the crossing matrix, and length."""
    if not (judgments["criterion"] == "answer").any():
        return
    for by, title, column in _CROSS_WAYS:
        frame = shares(judgments, by=by, attributes=attributes, task=task)
        yield result_table(f"answers-by-{by}", title, frame, (column, *_SHARES))
    yield _crossing_matrix(shares(judgments, by="pair", attributes=attributes, task=task))
    with suppress(MissingAttribute):
        yield result_table(
            "length",
            "Answers against the length of summaries",
            against_length(judgments, attributes=attributes, task=task),
            (
                Column("system", "Summary by"),
                Column("characters", "Characters", 0),
                Column("relevant_or_partial", "Relevant or partially", 3),
                Column("found", "Found", 3),
            ),
        )


def _crossing_matrix(pairs: pd.DataFrame) -> ResultTable:
    matrix = pairs.pivot_table(index="system", columns="question_author", values="relevant")
    authors = [Column(str(author), f"Questions by {author}", 3) for author in matrix.columns]
    return result_table(
        "crossing",
        "Share of relevant answers, summary against questions",
        matrix.reset_index(),
        (Column("system", "Summary by"), *authors),
        note="Nobody’s summary meets their own questions.",
    )


KIND = HumanKind(
    slug="cross_comprehension",
    scores=(
        Score(
            "answer-relevant",
            answer_relevant,
            meaning="The share of other authors’ questions that the summary answers relevantly.",
            definition="the share of foreign questions that a summary answers relevantly (Kolluru and Gotoh 2005)",
        ),
        Score(
            "answer-found",
            answer_found,
            meaning="The share of other authors’ questions that the summary answers at all.",
            definition="the share of foreign questions that a summary answers at all (Kolluru and Gotoh 2005)",
        ),
    ),
    tables=_tables,
    first_over="over the foreign questions put to a summary",
    has_means=False,
)
