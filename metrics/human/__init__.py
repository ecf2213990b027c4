"""Human scores: one module per task kind, one line per score in ``SCORES``.

Every function takes the checked long table of judgments (and the attributes it needs) and returns a ``HumanScore``:
the score table, the assessments behind it and a signature. ``human_score`` finds a score by its name, ``human_summary``
makes the table of all scores of a study.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

import pandas as pd

from metrics.errors import BadInput, UndefinedScoreWarning
from metrics.frames import scored
from metrics.human import cross_comprehension, likert, nuggets, pyramid, rating, relevance, see
from metrics.human.base import HumanScore, MissingAttribute

__all__ = ["KINDS", "SCORES", "HumanScore", "Score", "human_score", "human_summary"]

AVERAGING = ("normalise", "controls", "average")
SUMMARY_COLUMNS = ["task", "score", "system", "mean", "items", "judgments", "assessors"]


@dataclass(frozen=True)
class Score:
    """A score by name: the task kind it belongs to, its function, and the options that function takes."""

    kind: str
    function: Callable[..., HumanScore]
    options: tuple[str, ...] = ()


SCORES = {
    "coverage": Score("see", see.coverage, AVERAGING),
    "coverage-recall": Score("see", see.coverage_recall, AVERAGING),
    "coverage-length-adjusted": Score("see", see.coverage_length_adjusted, ("alpha",)),
    "coverage-duc2004": Score("see", see.coverage_duc2004, AVERAGING),
    "quality": Score("see", see.quality, AVERAGING),
    "assessment": Score("see", see.assessment, (*AVERAGING, "quality_task")),
    "assessment-geometric": Score(
        "see", partial(see.assessment, mean="geometric"), (*AVERAGING, "quality_task")
    ),
    "assessment-harmonic": Score(
        "see", partial(see.assessment, mean="harmonic"), (*AVERAGING, "quality_task")
    ),
    "combined": Score("rating", rating.combined, AVERAGING),
    "likert": Score("likert", likert.likert, (*AVERAGING, "points")),
    "answer-relevant": Score("cross_comprehension", cross_comprehension.answer_relevant),
    "answer-found": Score("cross_comprehension", cross_comprehension.answer_found),
    "relevance-prediction": Score("relevance", relevance.relevance_prediction),
    "gold-agreement": Score("relevance", relevance.gold_agreement),
    "nugget-f": Score("nuggets", nuggets.nugget_f, ("beta",)),
    "pyramid": Score("pyramid", pyramid.pyramid),
    "pyramid-modified": Score("pyramid", pyramid.pyramid_modified),
}

KINDS = {
    "see": see,
    "rating": rating,
    "likert": likert,
    "cross_comprehension": cross_comprehension,
    "relevance": relevance,
    "nuggets": nuggets,
    "pyramid": pyramid,
}
"""Each module says with ``names(judgments)`` which scores the judgments of one task can give."""


def human_score(
    judgments: pd.DataFrame,
    name: str,
    *,
    attributes: pd.DataFrame | None = None,
    task: str | None = None,
    **options: Any,
) -> HumanScore:
    """The score called ``name``: one of ``SCORES``, or any criterion of a rating task."""
    score = _find(judgments, name, task)
    wrong = sorted(set(options) - set(score.options))
    if wrong:
        raise BadInput(f"expected no option {wrong[0]}: it has no meaning for {name}")
    return score.function(judgments, attributes=attributes, task=task, **options)


def _find(judgments: pd.DataFrame, name: str, task: str | None) -> Score:
    """A criterion that is called like a score is found where the table has no task of the score's kind."""
    own = judgments if task is None else judgments[judgments["task"] == task]
    rated = own.loc[own["kind"] == "rating", "criterion"]
    known = SCORES.get(name)
    if known is not None and not (known.kind not in set(own["kind"]) and name in set(rated)):
        return known
    if name in set(rated):
        return Score("rating", partial(rating.criterion, name=name), AVERAGING)
    possible = ", ".join([*SCORES, *sorted(set(rated))])
    raise BadInput(f"expected a score among {possible}, found {name!r}")


def human_summary(judgments: pd.DataFrame, attributes: pd.DataFrame | None = None) -> pd.DataFrame:
    """Every score of every task: ``task, score, system, mean, items, judgments, assessors``.

    ``mean`` is over items; the counts are what it stands on. Scores that miss an attribute are left out.
    """
    counted = scored(judgments)
    if len(set(counted["study"])) > 1:
        raise BadInput("expected the judgments of one study", column="study")
    tables = [pd.DataFrame(columns=SUMMARY_COLUMNS)]
    for task, rows in counted.groupby("task", sort=False):
        kind = str(rows["kind"].iloc[0])
        for name in KINDS[kind].names(rows) if kind in KINDS else ():
            with suppress(MissingAttribute), warnings.catch_warnings():
                # A summary shows what is undefined as an empty cell; it need not say so for every output.
                warnings.simplefilter("ignore", UndefinedScoreWarning)
                score = human_score(rows, name, attributes=attributes, task=str(task))
                tables.append(_summary_of(score).assign(task=task, score=name)[SUMMARY_COLUMNS])
    return pd.concat(tables[1:] or tables, ignore_index=True)


def _summary_of(score: HumanScore) -> pd.DataFrame:
    behind = score.assessments.groupby("system").agg(
        judgments=("value", "count"), assessors=("assessor", "nunique")
    )
    by_system = score.scores.groupby("system").agg(mean=("score", "mean"), items=("score", "count"))
    return by_system.join(behind).reset_index()
