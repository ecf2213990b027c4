"""SEE: coverage, linguistic quality and the combined assessment (Lin & Hovy 2003 §2; Graham 2015 §3.1, §6).

Rows of kind ``see``: unit ``reference/unit``, criterion ``coverage``, value E · unit ``reference/unit:peer-unit``,
criterion ``mark`` · unit ``reference``, one per quality criterion. In the ``duc2004`` variant coverage has the unit
``reference`` and marks ``reference:peer-unit``.
"""

from __future__ import annotations

from functools import partial
from typing import Literal, Unpack

import pandas as pd

from metrics.errors import BadInput
from metrics.human.base import (
    ASSESSMENT,
    Averaging,
    HumanScore,
    averaged,
    number_attribute,
    output_attribute,
    refuse_unknown,
    score_table,
    select,
)
from metrics.human.kind import AVERAGING, HumanKind, Marks, Option, Score
from metrics.signature import signature

NOT_QUALITY = ("coverage", "mark", "related")
Mean = Literal["arithmetic", "geometric", "harmonic"]


def coverage(
    judgments: pd.DataFrame,
    *,
    attributes: pd.DataFrame | None = None,
    task: str | None = None,
    **how: Unpack[Averaging],
) -> HumanScore:
    """C = Σ E(u) / |MU| (Lin & Hovy eq. 1), the grades of the model units over their number."""
    rows = _graded_units(judgments, task)
    return averaged("coverage", _share_of_units(rows, rows["value"], attributes), **how)


def coverage_recall(
    judgments: pd.DataFrame,
    *,
    attributes: pd.DataFrame | None = None,
    task: str | None = None,
    **how: Unpack[Averaging],
) -> HumanScore:
    """Sentence recall: coverage with E = 1 for every marked unit. A unit is marked when its grade is not *none*."""
    rows = _graded_units(judgments, task)
    marked = (rows["value"] > 0).astype("float64")
    return averaged("coverage-recall", _share_of_units(rows, marked, attributes), **how)


def coverage_length_adjusted(
    judgments: pd.DataFrame, *, attributes: pd.DataFrame | None, task: str | None = None, alpha: float = 0.5
) -> HumanScore:
    """C′ = α·C + (1 − α)·B (DUC 2002), brevity B = max(0, (target − actual) / target) in words.

    Needs the attributes ``tokens`` and ``target`` of every output.
    """
    if not 0 <= alpha <= 1:
        raise BadInput(f"expected alpha between 0 and 1, found {alpha:g}")
    rows = _graded_units(judgments, task)
    assessments = _share_of_units(rows, rows["value"], attributes)
    target = output_attribute(assessments, attributes, "target")
    actual = output_attribute(assessments, attributes, "tokens")
    brevity = ((target - actual) / target).clip(lower=0)
    adjusted = assessments.assign(value=alpha * assessments["value"] + (1 - alpha) * brevity)
    return averaged("coverage-length-adjusted", adjusted, options={"alpha": f"{alpha:g}"})


def coverage_duc2004(
    judgments: pd.DataFrame,
    *,
    attributes: pd.DataFrame | None,
    task: str | None = None,
    **how: Unpack[Averaging],
) -> HumanScore:
    """CS = |matching PUs| · E / |MUs| with one overall E (Graham eq. 1); it may exceed 1.

    Needs the attribute ``units`` of every reference: the number of its model units.
    """
    rows = select(judgments, "see", task=task, criteria=("coverage", "mark"))
    estimates = rows[rows["criterion"] == "coverage"]
    marks = rows[rows["criterion"] == "mark"]
    matching = marks.assign(unit=marks["unit"].str.rsplit(":", n=1).str[0])
    matching = matching.groupby(ASSESSMENT, dropna=False).size().rename("matching").reset_index()
    units = number_attribute(attributes, "reference", "units")
    joined = estimates[[*ASSESSMENT, "value"]].merge(matching, on=ASSESSMENT, how="left")
    of_model = joined["unit"].map(units).astype("float64")
    refuse_unknown(of_model.isna(), joined["unit"], "units of reference")
    score = joined["matching"].fillna(0) * joined["value"] / of_model
    return averaged("coverage-duc2004", joined.assign(value=score).drop(columns="matching"), **how)


def quality(
    judgments: pd.DataFrame,
    *,
    attributes: pd.DataFrame | None = None,
    task: str | None = None,
    **how: Unpack[Averaging],
) -> HumanScore:
    """MLQ: the mean over quality criteria, from a ``see`` task, or from a ``rating`` task of quality criteria only."""
    own = judgments if task is None else judgments[judgments["task"] == task]
    in_see = own[(own["kind"] == "see") & ~own["criterion"].isin(NOT_QUALITY)]
    rows = select(own, "rating") if in_see.empty else select(in_see, "see")
    return averaged("quality", rows[[*ASSESSMENT, "criterion", "value"]], **how)


def assessment(
    judgments: pd.DataFrame,
    *,
    attributes: pd.DataFrame | None = None,
    task: str | None = None,
    quality_task: str | None = None,
    mean: Mean = "arithmetic",
    **how: Unpack[Averaging],
) -> HumanScore:
    """The mean of coverage and linguistic quality per output (Graham §3.1; §6 for the other two means).

    Coverage is the task's own: ``duc2004`` estimates where the task has them, graded units otherwise. Quality may come
    from a rating task (``quality_task``), as in DUC 2004.
    """
    if mean != "arithmetic" and how.get("normalise", "none") in {"z", "mean"}:
        raise BadInput(f"expected no normalisation: a {mean} mean is not defined for scores below zero")
    covered = (coverage_duc2004 if has_overall_estimate(judgments, task) else coverage)(
        judgments, attributes=attributes, task=task, **how
    )
    judged = quality(judgments, task=quality_task or _own_quality(judgments, task), **how)
    if how.get("normalise", "none") == "none" and judged.scores["score"].max() > 1:
        raise BadInput("expected quality between 0 and 1, as coverage is", column="value")
    pair = covered.scores.merge(judged.scores, on=["system", "item"], suffixes=("_coverage", "_quality"))
    if pair.empty:
        raise BadInput("expected outputs with both coverage and quality, found none")
    pair = pair.set_index(["system", "item"])
    name = "assessment" if mean == "arithmetic" else f"assessment-{mean}"
    score = _mean_of_two(pair["score_coverage"], pair["score_quality"], mean)
    return HumanScore(
        name=name,
        scores=score_table(name, score),
        assessments=pd.concat([covered.assessments, judged.assessments]).drop_duplicates(ASSESSMENT),
        signature=signature(
            name, {"level": "item", "mean": mean, "of": f"({covered.signature}) and ({judged.signature})"}
        ),
    )


def has_overall_estimate(judgments: pd.DataFrame, task: str | None) -> bool:
    """Whether the task is of the ``duc2004`` variant: its coverage rows speak of a reference, not of its units."""
    units = select(judgments, "see", task=task, criteria=("coverage",))["unit"]
    return not units.str.contains("/", regex=False).any()


def names(judgments: pd.DataFrame) -> list[str]:
    """The scores that one ``see`` task can give."""
    criteria = set(judgments["criterion"])
    found: list[str] = []
    if "coverage" in criteria and has_overall_estimate(judgments, None):
        found = ["coverage-duc2004"]
    elif "coverage" in criteria:
        found = ["coverage", "coverage-recall", "coverage-length-adjusted"]
    if criteria - set(NOT_QUALITY):
        found += ["quality", "assessment"] if found else ["quality"]
    return found


def _own_quality(judgments: pd.DataFrame, task: str | None) -> str | None:
    """The task itself where it asks for quality too; None leaves the choice to :func:`quality`."""
    asked = set(judgments.loc[judgments["task"] == task, "criterion"]) - set(NOT_QUALITY)
    return task if asked else None


def _graded_units(judgments: pd.DataFrame, task: str | None) -> pd.DataFrame:
    rows = select(judgments, "see", task=task, criteria=("coverage",))
    if has_overall_estimate(judgments, task):
        raise BadInput(
            "expected units such as reference/1; one overall estimate per reference is coverage-duc2004",
            column="unit",
        )
    return rows


def _share_of_units(
    rows: pd.DataFrame, grades: pd.Series[float], attributes: pd.DataFrame | None
) -> pd.DataFrame:
    """Per assessor, output and reference: the sum of grades over the number of model units.

    The number is the reference's attribute ``units`` where it is known (a table may leave out unmarked units, whose
    grade is 0), else the number of units that were graded.
    """
    by_reference = rows.assign(unit=rows["unit"].str.rsplit("/", n=1).str[0], grade=grades)
    table = by_reference.groupby(ASSESSMENT, dropna=False)["grade"].agg(["sum", "size"]).reset_index()
    units = table["unit"].map(number_attribute(attributes, "reference", "units")).astype("float64")
    return table[ASSESSMENT].assign(value=table["sum"] / units.fillna(table["size"]))


def _mean_of_two(a: pd.Series[float], b: pd.Series[float], mean: Mean) -> pd.Series[float]:
    if mean == "arithmetic":
        return (a + b) / 2
    if mean == "geometric":
        return (a * b) ** 0.5
    # A harmonic mean lies between its two terms, so that of two zeros is zero.
    return (2 * a * b / (a + b)).mask((a == 0) & (b == 0), 0.0)


QUALITY_TASK = Option("quality_task", "the rating task that gives quality", is_task=True)

KIND = HumanKind(
    slug="see",
    scores=(
        Score(
            "coverage",
            coverage,
            AVERAGING,
            meaning="How much of the model text the output expresses: the mean grade of its units.",
            definition="the sum of the grades of the model units over their number (Lin and Hovy 2003)",
        ),
        Score(
            "coverage-recall",
            coverage_recall,
            AVERAGING,
            meaning="The share of model units of which anything is expressed.",
            definition="the share of model units of which anything was marked",
        ),
        Score(
            "coverage-length-adjusted",
            coverage_length_adjusted,
            (Option("alpha", "weight of coverage (default 0.5)", type=float),),
            meaning="Coverage and brevity, half and half.",
            definition="half coverage and half brevity against the target length",
        ),
        Score(
            "coverage-duc2004",
            coverage_duc2004,
            AVERAGING,
            meaning="Matching units times the overall estimate, over the model’s units; can exceed 1.",
            definition="the number of matching peer units times the overall estimate, over the number of model units "
            "(Graham 2015)",
        ),
        Score(
            "quality",
            quality,
            AVERAGING,
            meaning="The mean of the quality criteria.",
            definition="the mean over the quality criteria",
        ),
        Score(
            "assessment",
            assessment,
            (*AVERAGING, QUALITY_TASK),
            meaning="The mean of coverage and quality.",
            definition="the mean of coverage and quality (Graham 2015)",
        ),
        Score(
            "assessment-geometric",
            partial(assessment, mean="geometric"),
            (*AVERAGING, QUALITY_TASK),
            meaning="The geometric mean of coverage and quality.",
            definition="the geometric mean of coverage and quality (Graham 2015)",
        ),
        Score(
            "assessment-harmonic",
            partial(assessment, mean="harmonic"),
            (*AVERAGING, QUALITY_TASK),
            meaning="The harmonic mean of coverage and quality.",
            definition="the harmonic mean of coverage and quality (Graham 2015)",
        ),
    ),
    names=names,
    first_over="over the references that an output was compared with",
    marks=Marks(criterion="mark", compared="coverage"),
)
