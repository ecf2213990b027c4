"""What all human scores share: choosing a task's judgments, averaging them, and the result object.

One chain for every kind: *assessments* (what one assessor's judgment of one output against one reference comes to)
→ evaluator normalisation → mean over the references an assessor compared with → mean or median over assessors → one
score per system and item. System scores are averages over items, plain or weighted (Leusch et al. 2005 §3.5).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypedDict

import numpy as np
import numpy.typing as npt
import pandas as pd

from metrics.errors import BadInput, UndefinedScoreWarning
from metrics.frames import scored
from metrics.human.normalise import Method, normalised
from metrics.signature import signature

ASSESSMENT = ["study", "task", "assessor", "system", "item", "unit", "control", "sitting"]
"""What identifies an assessment; ``unit`` is the reference (see) or the question, "" where there is none; ``sitting`` counts
judgments of one person about one thing where each is to count (``frames.settle_duplicates``)."""

DIRECTION = "higher_is_better"
"""The column of a score table that tells which way to look; without it, higher is better."""

Average = Literal["mean", "median"]
Weights = Literal["none", "tokens"]


class MissingAttribute(BadInput):
    """A score needs something beside the judgments that the attributes do not have."""


class Averaging(TypedDict, total=False):
    """The options of every score that averages values on a scale."""

    normalise: Method
    controls: bool  # control items take part in an assessor's mean and deviation (never in a score)
    average: Average  # over assessors


@dataclass(frozen=True)
class Resampling:
    """Scores of whole systems, made anew from resampled items, where they are no means over items."""

    systems: list[str]
    items: int
    scores: Callable[[npt.NDArray[np.float64]], npt.NDArray[np.float64]]
    """From how often each item counts, resamples × items, to scores, resamples × systems."""


@dataclass(frozen=True)
class HumanScore:
    """A human score: one row per system and item, and the assessments it was averaged from."""

    name: str
    scores: pd.DataFrame
    assessments: pd.DataFrame
    signature: str
    higher_is_better: bool = True
    pooled: pd.Series[float] | None = None
    """The scores of systems where they are no mean over items: a share of all comparisons, wherever they were made."""
    resampling: Resampling | None = None
    """How sure such scores are; None where a bootstrap of the means over items says it."""
    preferences: pd.DataFrame | None = None
    """Who was preferred to whom, item by item: ``item, system_a, system_b, won, lost, tied``; None where nobody compared."""

    def lower_is_better(self) -> HumanScore:
        """The same score, its table with a column that tells the direction."""
        return replace(self, scores=self.scores.assign(**{DIRECTION: False}), higher_is_better=False)

    def system_scores(
        self, *, weights: Weights = "none", attributes: pd.DataFrame | None = None
    ) -> pd.DataFrame:
        """One row per system with an empty item: the mean over items (or ``pooled``), or weighted by the outputs' tokens."""
        items = self.scores.dropna(subset="score")
        weight = pd.Series(1.0, index=items.index)
        if weights == "tokens":
            weight = output_attribute(items, attributes, "tokens")
        total = weight.groupby(items["system"]).sum()
        mean = (weight * items["score"]).groupby(items["system"]).sum() / total
        if weights == "none" and self.pooled is not None:
            mean = self.pooled
        mean = mean.reindex(sorted(self.scores["system"].unique()))
        table = pd.DataFrame(
            {"metric": self.name, "system": mean.index, "item": "", "score": mean.to_numpy()},
        )
        return table if self.higher_is_better else table.assign(**{DIRECTION: False})

    def system_signature(self, *, weights: Weights = "none") -> str:
        """The signature of :meth:`system_scores`."""
        if weights == "none" and self.pooled is not None:
            return self.signature.replace("|level:item|", "|level:system|items:pooled|", 1)
        return self.signature.replace("|level:item|", f"|level:system|weights:{weights}|", 1)


def select(
    judgments: pd.DataFrame, kind: str, *, task: str | None = None, criteria: Sequence[str] = ()
) -> pd.DataFrame:
    """The judgments of one task that count, control items included; BadInput if there is none or more than one."""
    rows = scored(judgments, controls=True)
    if "sitting" not in rows.columns:
        rows = rows.assign(sitting=1)
    rows = rows[(rows["kind"] == kind) & (True if task is None else rows["task"] == task)]
    if criteria:
        rows = rows[rows["criterion"].isin(criteria)]
    tasks = sorted(set(zip(rows["study"], rows["task"], strict=True)))
    what = f"judgments of kind {kind}" + (f" on {' or '.join(criteria)}" if criteria else "")
    if not tasks:
        raise BadInput(f"expected {what}" + (f" in task {task}" if task else "") + ", found none")
    if len(tasks) > 1:
        names = ", ".join("/".join(filter(None, pair)) for pair in tasks)
        raise BadInput(f"expected {what} of one task, found {names}: choose one", column="task")
    return _once(rows)


def _once(rows: pd.DataFrame) -> pd.DataFrame:
    """What one assessor judged twice, other than as a control item, counts once, with its mean."""
    key = [*ASSESSMENT, "document", "criterion"]
    plain = rows["control"] == ""
    again = rows.duplicated(key) & plain
    if not again.any():
        return rows
    mean = rows.groupby(key)["value"].transform("mean")
    return rows.assign(value=mean.where(plain, rows["value"]))[~again]


def averaged(
    name: str,
    assessments: pd.DataFrame,
    *,
    options: Mapping[str, object] | None = None,
    normalise: Method = "none",
    controls: bool = False,
    average: Average = "mean",
) -> HumanScore:
    """Assessments (ASSESSMENT columns, ``value``, perhaps ``criterion``) as scores per system and item."""
    if not controls:
        assessments = assessments[assessments["control"] == ""]
    if "criterion" in assessments.columns:
        assessments = assessments.assign(value=normalised(assessments, method=normalise))
        assessments = _mean_by(assessments, ASSESSMENT)
    else:
        assessments = assessments.assign(
            value=normalised(assessments.assign(criterion=name), method=normalise)
        )
    assessments = assessments[assessments["control"] == ""]
    if assessments.empty:
        raise BadInput(f"expected judgments for {name}, found control items only")
    by_assessor = _mean_by(assessments, ["system", "item", "assessor", "sitting"])
    score = by_assessor.groupby(["system", "item"])["value"].agg(average)
    return HumanScore(
        name=name,
        scores=score_table(name, score),
        assessments=assessments.reset_index(drop=True),
        signature=signature(
            name,
            {
                "level": "item",
                **(options or {}),
                "normalise": normalise,
                "controls": "counted" if controls else "out",
                "average": average,
                **counts(assessments),
            },
        ),
    )


def counts(assessments: pd.DataFrame) -> dict[str, int]:
    """How much a score stands on, for its signature; what has no value is not counted."""
    assessments = assessments[assessments["value"].notna()] if "value" in assessments.columns else assessments
    return {
        "systems": assessments["system"].nunique(),
        "items": assessments["item"].nunique(),
        "assessors": assessments["assessor"].nunique(),
        "judgments": len(assessments),
    }


def score_table(name: str, score: pd.Series[float]) -> pd.DataFrame:
    """A series indexed by system and item as ``metric, system, item, score``."""
    table = score.rename("score").rename_axis(["system", "item"]).sort_index().reset_index()
    table.insert(0, "metric", name)
    if table["score"].isna().any():
        missing = int(table["score"].isna().sum())
        warnings.warn(f"{name} is undefined for {missing} outputs", UndefinedScoreWarning, stacklevel=3)
    return table


def _mean_by(rows: pd.DataFrame, key: list[str]) -> pd.DataFrame:
    return rows.groupby(key, dropna=False, sort=False)["value"].mean().reset_index()


def attribute(attributes: pd.DataFrame | None, scope: str, name: str) -> pd.Series[str]:
    """One attribute of all things of a scope, as text indexed by id; empty if nothing is known."""
    if attributes is None:
        return pd.Series(dtype="str")
    rows = attributes[(attributes["scope"] == scope) & (attributes["name"] == name)]
    return rows.set_index("id")["value"]


def attribute_within(
    rows: pd.DataFrame, attributes: pd.DataFrame | None, scope: str, name: str
) -> pd.Series[str]:
    """One attribute of the unit that each row is about, under ``task/item/unit``, ``item/unit`` or the unit alone; NaN if unknown."""
    known = attribute(attributes, scope, name)
    within = rows["item"] + "/" + rows["unit"]
    found = (rows["task"] + "/" + within).map(known).astype("object")
    return found.fillna(within.map(known)).fillna(rows["unit"].map(known))


def attribute_of(
    keys: pd.Series[str], attributes: pd.DataFrame | None, scope: str, name: str
) -> pd.Series[str]:
    """One attribute of the thing each row names, "" where it is not known."""
    known = attribute(attributes, scope, name).to_dict()
    return pd.Series([known.get(key, "") for key in keys], index=keys.index, dtype="str")


def number_attribute(attributes: pd.DataFrame | None, scope: str, name: str) -> pd.Series[float]:
    """Like :func:`attribute`, as numbers."""
    text = attribute(attributes, scope, name)
    numbers = pd.to_numeric(text, errors="coerce").astype("float64")
    if numbers.isna().any():
        wrong = numbers.index[numbers.isna()][0]
        raise BadInput(
            f"expected a number as {name} of {scope} {wrong}, found {text[wrong]!r}", column="value"
        )
    return numbers


def output_attribute(rows: pd.DataFrame, attributes: pd.DataFrame | None, name: str) -> pd.Series[float]:
    """An attribute of the output each row speaks of; the id of an output is ``system/item``."""
    key = rows["system"] + "/" + rows["item"]
    values = key.map(number_attribute(attributes, "output", name)).astype("float64")
    refuse_unknown(values.isna(), key, f"{name} of output")
    return values


def unit_attribute(
    rows: pd.DataFrame, attributes: pd.DataFrame | None, scope: str, name: str
) -> pd.Series[str]:
    """An attribute of a nugget or SCU; ids that are only unique within an item are written ``item/unit``."""
    known = attribute(attributes, scope, name)
    within = rows["item"] + "/" + rows["unit"]
    values = within.map(known).fillna(rows["unit"].map(known))
    refuse_unknown(values.isna(), within, f"{name} of {scope}")
    return values


def refuse_unknown(unknown: pd.Series[bool], key: pd.Series[str], what: str) -> None:
    """Name the first thing an attribute is missing for."""
    if unknown.any():
        raise MissingAttribute(f"expected an attribute: {what} {key[unknown].iloc[0]}")


def sizes(scores: pd.DataFrame, attributes: pd.DataFrame | None) -> pd.DataFrame:
    """Averages per length asked for (DUC's 50, 100, 200, 400 words): ``metric, system, target, score, items``."""
    by = scores.assign(target=output_attribute(scores, attributes, "target"))
    mean = by.groupby(["metric", "system", "target"])["score"].agg(score="mean", items="count")
    return mean.reset_index()
