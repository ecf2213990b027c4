"""Questionnaires on a Likert scale (Murray et al. 2005 §3.1.2): reversal, groups, consistency, Cronbach's α.

Rows of kind ``likert``: criterion = the statement, raw value 1 … k. Attributes of scope ``statement``: ``polarity``
(``positive`` or ``negative``), ``pair`` (the statement that says the opposite), ``group``, ``points`` (k). A negative
statement is reversed to k + 1 − x, so that higher is better throughout.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import suppress
from typing import Unpack

import numpy as np
import pandas as pd
import scipy

from metrics.errors import BadInput, UndefinedScoreWarning
from metrics.human.base import (
    ASSESSMENT,
    Averaging,
    HumanScore,
    MissingAttribute,
    attribute,
    attribute_of,
    averaged,
    number_attribute,
    select,
)
from metrics.human.kind import AVERAGING, HumanKind, Option, Score
from metrics.human.tables import Column, ResultTable, result_table

NEGATIVE = {"negative", "-", "−", "-1", "-1.0"}
POSITIVE = {"positive", "+", "1", "+1", "1.0", ""}


def likert(
    judgments: pd.DataFrame,
    *,
    attributes: pd.DataFrame | None = None,
    task: str | None = None,
    points: int | None = None,
    **how: Unpack[Averaging],
) -> HumanScore:
    """The mean over all statements, negative ones reversed."""
    rows = reversed_answers(judgments, attributes=attributes, task=task, points=points)
    options = {
        "statements": rows["criterion"].nunique(),
        "reversed": rows.loc[rows["negative"], "criterion"].nunique(),
    }
    return averaged("likert", rows[[*ASSESSMENT, "criterion", "value"]], options=options, **how)


def reversed_answers(
    judgments: pd.DataFrame,
    *,
    attributes: pd.DataFrame | None = None,
    task: str | None = None,
    points: int | None = None,
) -> pd.DataFrame:
    """The task's answers with ``value`` reversed for negative statements, ``raw``, ``negative`` and ``group``.

    This is what the tables below are made of.
    """
    rows = select(judgments, "likert", task=task)
    rows = rows[rows["value"].notna()]
    polarity = attribute_of(rows["criterion"], attributes, "statement", "polarity").str.lower()
    unknown = ~polarity.isin(NEGATIVE | POSITIVE)
    if unknown.any():
        raise BadInput(
            f"expected polarity positive or negative, found {polarity[unknown].iloc[0]!r}", column="value"
        )
    negative = polarity.isin(NEGATIVE)
    top = rows["criterion"].map(number_attribute(attributes, "statement", "points")).astype("float64")
    top = top if points is None else top.fillna(points)
    if top[negative].isna().any():
        statement = rows.loc[negative & top.isna(), "criterion"].iloc[0]
        raise MissingAttribute(f"expected an attribute: points of statement {statement}, to reverse it")
    if (rows["value"] > top).any() or (rows["value"] < 1).any():
        raise BadInput(
            f"expected values from 1 to {top.max():g}, found {rows['value'].max():g}", column="value"
        )
    group = attribute_of(rows["criterion"], attributes, "statement", "group")
    return rows.assign(
        raw=rows["value"],
        value=rows["value"].where(~negative, top + 1 - rows["value"]),
        negative=negative,
        group=group,
    )


def statement_means(answers: pd.DataFrame) -> pd.DataFrame:
    """``group, statement, negative, system, raw, mean, n``: as judged, and with negative statements reversed."""
    rows = _counted(answers)
    key = ["group", "criterion", "negative", "system"]
    table = rows.groupby(key, sort=True).agg(raw=("raw", "mean"), mean=("value", "mean"), n=("value", "size"))
    return table.reset_index().rename(columns={"criterion": "statement"})


def group_means(answers: pd.DataFrame) -> pd.DataFrame:
    """``group, system, mean, statements, n``; a statement without a group counts in the group ""."""
    rows = _counted(answers)
    table = rows.groupby(["group", "system"]).agg(
        mean=("value", "mean"), statements=("criterion", "nunique"), n=("value", "size")
    )
    return table.reset_index()


def pair_consistency(answers: pd.DataFrame, attributes: pd.DataFrame | None) -> pd.DataFrame:
    """Do people answer opposite statements oppositely? ``statement, opposite, n, correlation, mean_difference``.

    Both after reversal: a consistent assessor gives a correlation near 1 and a mean absolute difference near 0.
    """
    rows = _counted(answers)
    filled_in = _questionnaires(rows)
    pairs = attribute(attributes, "statement", "pair")
    pairs = pairs[(pairs != "") & pairs.index.isin(filled_in.columns) & pairs.isin(filled_in.columns)]
    found = []
    for one, other in sorted({(min(a, b), max(a, b)) for a, b in zip(pairs.index, pairs, strict=True)}):
        both = filled_in[[one, other]].dropna()
        found.append(
            {
                "statement": one,
                "opposite": other,
                "n": len(both),
                "correlation": _pearson(both[one], both[other], f"statements {one} and {other}"),
                "mean_difference": (both[one] - both[other]).abs().mean(),
            }
        )
    return pd.DataFrame(found, columns=["statement", "opposite", "n", "correlation", "mean_difference"])


def reliability(answers: pd.DataFrame) -> pd.DataFrame:
    """Cronbach's α of each group of statements after reversal: ``group, statements, n, alpha``."""
    rows = _counted(answers)
    found = []
    for group, of_group in rows.groupby("group"):
        filled_in = _questionnaires(of_group).dropna()
        found.append(
            {
                "group": group,
                "statements": filled_in.shape[1],
                "n": len(filled_in),
                "alpha": cronbach_alpha(filled_in.to_numpy()),
            }
        )
    return pd.DataFrame(found, columns=["group", "statements", "n", "alpha"])


def cronbach_alpha(answers: np.typing.NDArray[np.float64]) -> float:
    """α = k/(k − 1) · (1 − Σ variances of the statements / variance of their sum), questionnaires × statements."""
    n, k = answers.shape
    total = answers.sum(axis=1).var(ddof=1) if n > 1 else 0.0
    if k < 2 or not total > 0:
        warnings.warn(
            "Cronbach's alpha needs two statements and varying answers", UndefinedScoreWarning, stacklevel=2
        )
        return float("nan")
    return float(k / (k - 1) * (1 - answers.var(axis=0, ddof=1).sum() / total))


def _counted(rows: pd.DataFrame) -> pd.DataFrame:
    return rows[rows["control"] == ""]


def _questionnaires(rows: pd.DataFrame) -> pd.DataFrame:
    """One row per questionnaire filled in, one column per statement."""
    return rows.pivot_table(index=["assessor", "system", "item"], columns="criterion", values="value")


def _pearson(a: pd.Series[float], b: pd.Series[float], what: str) -> float:
    if len(a) < 2 or a.min() == a.max() or b.min() == b.max():
        warnings.warn(f"no correlation of {what}: answers do not vary", UndefinedScoreWarning, stacklevel=3)
        return float("nan")
    return float(scipy.stats.pearsonr(a, b).statistic)


# --- tables ---------------------------------------------------------------------------------------------------------


def _tables(judgments: pd.DataFrame, attributes: pd.DataFrame | None, task: str) -> Iterator[ResultTable]:
    """Means by group and by statement after reversal, consistency of opposite statements, Cronbach's α."""
    with suppress(MissingAttribute):
        answers = reversed_answers(judgments, attributes=attributes, task=task)
        yield _group_table(answers)
        yield _statement_table(answers, attributes)
        pairs = pair_consistency(answers, attributes)
        if len(pairs):
            yield result_table(
                "pair-consistency",
                "Consistency of opposite statements",
                pairs,
                (
                    Column("statement", "Statement"),
                    Column("opposite", "Opposite"),
                    Column("correlation", "Correlation", 2),
                    Column("mean_difference", "Mean difference", 2),
                    Column("n", "Questionnaires", 0),
                ),
                note="After reversal: a correlation near 1 and a difference near 0 say that opposites got opposite answers.",
            )
        yield result_table(
            "reliability",
            "Cronbach’s α",
            reliability(answers).assign(group=lambda table: table["group"].replace("", "all")),
            (
                Column("group", "Group"),
                Column("alpha", "α", 2),
                Column("statements", "Statements", 0),
                Column("n", "Questionnaires", 0),
            ),
            note="How far the statements of a group measure the same thing, after reversal.",
        )


def _group_table(answers: pd.DataFrame) -> ResultTable:
    """One row per system, one column per group of statements."""
    table = group_means(answers)
    means = table.set_index(["system", "group"])["mean"].to_dict()
    filled_in = answers.drop_duplicates(["assessor", "system", "item"]).groupby("system").size()
    groups = sorted(set(table["group"]))
    return ResultTable(
        "group-means",
        "Means by group of statements",
        (
            Column("system", "System"),
            *(Column(group or "all", (group or "all").capitalize(), 2) for group in groups),
            Column("n", "Questionnaires", 0),
        ),
        [
            (str(system), *(means.get((system, group)) for group in groups), number)
            for system, number in filled_in.items()
        ],
        note="Negative statements are reversed: higher is better throughout.",
    )


def _statement_table(answers: pd.DataFrame, attributes: pd.DataFrame | None) -> ResultTable:
    """One row per statement in the order of the questionnaire, one column per system."""
    table = statement_means(answers)
    means = table.set_index(["statement", "system"])["mean"].to_dict()
    numbers = table.groupby("statement")["n"].sum()
    about = table.drop_duplicates("statement").set_index("statement")
    systems = sorted(set(table["system"]))
    asked = [name for name in attribute(attributes, "statement", "polarity").index if name in about.index]
    return ResultTable(
        "statement-means",
        "Means by statement",
        (
            Column("statement", "Statement"),
            Column("group", "Group"),
            Column("reversed", "Reversed"),
            *(Column(system, system, 2) for system in systems),
            Column("n", "Answers", 0),
        ),
        [
            (
                name,
                str(about["group"][name]),
                "yes" if about["negative"][name] else "",
                *(means.get((name, system)) for system in systems),
                int(numbers[name]),
            )
            for name in [*asked, *about.index.difference(asked)]
        ],
    )


KIND = HumanKind(
    slug="likert",
    scores=(
        Score(
            "likert",
            likert,
            (*AVERAGING, Option("points", "points of the scale, where the attributes do not say", type=int)),
            meaning="The mean over all statements, negative ones reversed.",
            definition="the mean over all statements, negative ones reversed",
        ),
    ),
    tables=_tables,
)
