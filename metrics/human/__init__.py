"""Human scores: one module per task kind, which declares its scores, tables and their meanings as ``KIND``.

Every score's function takes the checked long table of judgments (and the attributes it needs) and returns a ``HumanScore``:
the score table, the assessments behind it and a signature. ``human_score`` finds a score by its name, ``human_summary``
makes the table of all scores of a study. Which kinds there are is found out by :mod:`metrics.human.registry`.
"""

from __future__ import annotations

import warnings
from contextlib import suppress
from typing import Any

import pandas as pd

from metrics.errors import BadInput, UndefinedScoreWarning
from metrics.frames import scored
from metrics.human.base import HumanScore, MissingAttribute
from metrics.human.kind import Score
from metrics.human.registry import higher_is_better, kinds, kinds_with, score_meaning, scores

__all__ = [
    "HumanScore",
    "Score",
    "higher_is_better",
    "human_score",
    "human_summary",
    "kinds",
    "score_meaning",
    "scores",
]

SUMMARY_COLUMNS = ["task", "score", "system", "mean", "pooled", "items", "judgments", "assessors"]


def human_score(
    judgments: pd.DataFrame,
    name: str,
    *,
    attributes: pd.DataFrame | None = None,
    task: str | None = None,
    **options: Any,
) -> HumanScore:
    """The score called ``name``: one that a kind declares, or any criterion of a kind whose criteria are scores."""
    score = _find(judgments, name, task)
    wrong = sorted(option for option in options if not score.takes(option))
    if wrong:
        raise BadInput(f"expected no option {wrong[0]}: it has no meaning for {name}")
    for option in score.options:
        if option.choices and options.get(option.name, option.choices[0]) not in option.choices:
            choices = " or ".join(option.choices)
            raise BadInput(f"expected {choices} as {option.name} of {name}, found {options[option.name]!r}")
    made = score.function(judgments, attributes=attributes, task=task, **options)
    return made if score.higher_is_better else made.lower_is_better()


def _find(judgments: pd.DataFrame, name: str, task: str | None) -> Score:
    """A criterion that is called like a score is found where the table has no task of the score's kind."""
    own = judgments if task is None else judgments[judgments["task"] == task]
    of_criterion = {
        criterion: kind.criterion_score
        for slug, kind in kinds().items()
        if kind.criterion_score is not None
        for criterion in own.loc[own["kind"] == slug, "criterion"].unique()
    }
    declared = scores().get(name)
    if declared is not None and (kinds_with(name) & set(own["kind"]) or name not in of_criterion):
        return declared
    if name in of_criterion:
        return of_criterion[name](name)
    possible = ", ".join([*scores(), *sorted(of_criterion)])
    raise BadInput(f"expected a score among {possible}, found {name!r}")


def human_summary(judgments: pd.DataFrame, attributes: pd.DataFrame | None = None) -> pd.DataFrame:
    """Every score of every task: ``task, score, system, mean, pooled, items, judgments, assessors``.

    ``mean`` is over items, as in a report, or over all comparisons where a score says so; ``pooled``, of all units or words of a
    system together, is NaN where a score has no such value. The counts are what they stand on. Scores that miss an attribute are left out.
    """
    counted = scored(judgments)
    if len(set(counted["study"])) > 1:
        raise BadInput("expected the judgments of one study", column="study")
    tables = [pd.DataFrame(columns=SUMMARY_COLUMNS)]
    for task, rows in counted.groupby("task", sort=False):
        kind = kinds().get(str(rows["kind"].iloc[0]))
        out = kind.scores_withheld(attributes, str(task)) if kind is not None else {}
        for name in kind.score_names(rows) if kind is not None else ():
            if name in out:
                continue
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
    by_system["pooled"] = float("nan")
    if score.pooled is not None:
        # Comparisons are no mean over items; of units and words both can be told, and a report goes by the mean.
        by_system["pooled" if score.resampling is None else "mean"] = score.pooled
    if (score.scores["item"] == "").all():  # of whole systems: it stands on the items that were judged
        by_system["items"] = score.assessments.groupby("system")["item"].nunique()
    return by_system.join(behind).reset_index()
