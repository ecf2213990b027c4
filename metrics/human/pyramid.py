"""Pyramid scores (Nenkova & Passonneau 2004): the weight a peer carries against the best it could.

Matching is in rows of kind ``pyramid`` with a system: unit = the SCU, criterion ``present``, value 1 or 0, one row for every SCU
of the pyramid. A unit with ``#`` is what a peer says beside: ``1#2`` the second contributor to SCU 1, ``0#1`` content that is
not in the pyramid. Both have weight 0: they count in the size of the peer and add nothing, as in DUCView.

An SCU's weight is the attribute ``weight`` of scope ``scu``, else the number of models among its contributors
(``SCU/REFERENCE/12:27``, rows of the building that have no system). The number of models is the attribute ``models`` of scope
``item``, else that of the models that contribute at all, else the largest weight.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from pandas.api.typing import DataFrameGroupBy

from metrics.cells import span_read
from metrics.errors import BadInput
from metrics.frames import scored
from metrics.human.agreed import f1_of_sets
from metrics.human.base import (
    ASSESSMENT,
    HumanScore,
    attribute_within,
    averaged,
    number_attribute,
    refuse_unknown,
    select,
)
from metrics.human.kind import HumanKind, Option, Score
from metrics.human.tables import Column, ResultTable, result_table

BESIDE = "#"
"""What tells a repeated or outside unit from an SCU."""

Rounding = Literal["round", "floor"]


def best_sum(weights: ArrayLike, count: int) -> float:
    """The largest sum that ``count`` SCUs of a pyramid with these weights can reach."""
    return float(np.sort(np.asarray(weights, dtype="float64"))[::-1][:count].sum())


def original_score(weights: ArrayLike, present: ArrayLike) -> float:
    """Weight found over the best sum of as many SCUs as were found; NaN when none was."""
    weight, found = np.asarray(weights, dtype="float64"), np.asarray(present, dtype=bool)
    best = best_sum(weights, int(found.sum()))
    return float(weight[found].sum() / best) if best > 0 else float("nan")


def modified_score(
    weights: ArrayLike, present: ArrayLike, *, models: float | None = None, average: Rounding = "round"
) -> float:
    """Weight found over the best sum of as many SCUs as a model summary has on average (recall-like).

    A model contributes at most once to an SCU, so the weights sum to the models' SCUs together; the average is rounded
    to the nearest whole number, or down as in DUCView. Without ``models``, the largest weight is taken for their number.
    """
    weight, found = np.asarray(weights, dtype="float64"), np.asarray(present, dtype=bool)
    number = weight.max(initial=0) if models is None else models
    if number <= 0:
        return float("nan")
    half = 0.5 if average == "round" else 0.0
    best = best_sum(weights, int(np.floor(weight.sum() / number + half)))
    return float(weight[found].sum() / best) if best > 0 else float("nan")


def coverage_score(weights: ArrayLike, present: ArrayLike, *, models: float | None = None) -> float:
    """DUCView's coverage: the modified score with the average rounded down, and at most 1."""
    return float(np.minimum(1.0, modified_score(weights, present, models=models, average="floor")))


def comprehensive_score(weights: ArrayLike, present: ArrayLike, *, models: float | None = None) -> float:
    """DUCView's comprehensive score: the harmonic mean of quality (the original score) and coverage; 0 where both are."""
    quality = original_score(weights, present)
    coverage = coverage_score(weights, present, models=models)
    return 2 * quality * coverage / (quality + coverage) if quality + coverage != 0 else 0.0


def pyramid(
    judgments: pd.DataFrame, *, attributes: pd.DataFrame | None = None, task: str | None = None
) -> HumanScore:
    """The original score per peer; with what it says beside the pyramid, DUCView's quality."""
    peers = _peers(judgments, attributes, task)
    score = peers.apply(lambda peer: original_score(peer["weight"], peer["present"]))
    return averaged("pyramid", score.rename("value").reset_index())


def pyramid_modified(
    judgments: pd.DataFrame,
    *,
    attributes: pd.DataFrame | None = None,
    task: str | None = None,
    average: Rounding = "round",
) -> HumanScore:
    """The modified score per peer."""
    score = _peers(judgments, attributes, task).apply(
        lambda peer: modified_score(peer["weight"], peer["present"], models=_models_of(peer), average=average)
    )
    options = {"models": _source_of_models(judgments, attributes), "average-scus": average}
    return averaged("pyramid-modified", score.rename("value").reset_index(), options=options)


def pyramid_coverage(
    judgments: pd.DataFrame, *, attributes: pd.DataFrame | None = None, task: str | None = None
) -> HumanScore:
    """DUCView's coverage per peer."""
    score = _peers(judgments, attributes, task).apply(
        lambda peer: coverage_score(peer["weight"], peer["present"], models=_models_of(peer))
    )
    options = {"models": _source_of_models(judgments, attributes)}
    return averaged("pyramid-coverage", score.rename("value").reset_index(), options=options)


def pyramid_comprehensive(
    judgments: pd.DataFrame, *, attributes: pd.DataFrame | None = None, task: str | None = None
) -> HumanScore:
    """DUCView's comprehensive score per peer."""
    score = _peers(judgments, attributes, task).apply(
        lambda peer: comprehensive_score(peer["weight"], peer["present"], models=_models_of(peer))
    )
    options = {"models": _source_of_models(judgments, attributes)}
    return averaged("pyramid-comprehensive", score.rename("value").reset_index(), options=options)


def _models_of(peer: pd.DataFrame) -> float | None:
    known = peer["models"].iloc[0]
    return None if np.isnan(known) else float(known)


def _source_of_models(judgments: pd.DataFrame, attributes: pd.DataFrame | None) -> str:
    if len(number_attribute(attributes, "item", "models")):
        return "attribute"
    return "contributors" if len(contributors(judgments)) else "largest-weight"


def contributors(judgments: pd.DataFrame, *, task: str | None = None) -> pd.DataFrame:
    """Who contributes to which SCU, from the rows of building: ``item, scu, reference, span, words, assessor``."""
    rows = judgments[(judgments["kind"] == "pyramid") & (judgments["system"] == "")]
    rows = scored(rows[rows["criterion"] == "contributor"])
    if task is not None:
        rows = rows[rows["task"] == task]
    # The id of a reference may hold a slash; that of an SCU and a span cannot.
    parts = rows["unit"].str.extract(r"^(?P<scu>[^/]*)/(?P<reference>.*)/(?P<span>[^/]*)$")
    return parts.assign(item=rows["item"], words=rows["label"], assessor=rows["assessor"]).reset_index(
        drop=True
    )


def _peers(
    judgments: pd.DataFrame, attributes: pd.DataFrame | None, task: str | None
) -> DataFrameGroupBy[Any, Any]:
    """The SCUs of each peer, as one assessor judged it: ``weight``, ``present``, ``models``."""
    rows = select(judgments, "pyramid", task=task, criteria=("present",))
    built = contributors(judgments, task=task)
    models = pd.concat(
        [built.groupby("item")["reference"].nunique(), number_attribute(attributes, "item", "models")]
    )
    models = models[~models.index.duplicated(keep="last")]
    judged = rows.assign(
        unit="",
        weight=_weights(rows, built, attributes),
        present=rows["value"] > 0,
        models=rows["item"].map(models).astype("float64"),
    )
    return judged.groupby(ASSESSMENT, dropna=False)[["weight", "present", "models"]]


def _weights(rows: pd.DataFrame, built: pd.DataFrame, attributes: pd.DataFrame | None) -> pd.Series[float]:
    within = rows["item"] + "/" + rows["unit"]
    text = attribute_within(rows, attributes, "scu", "weight")
    weight = pd.to_numeric(text, errors="coerce")
    bad = text.notna() & (weight.isna() | (weight < 0))
    if bad.any():
        raise BadInput(f"expected a weight of at least 0, found {text[bad].iloc[0]!r}", column="value")
    counted = built.groupby(built["item"] + "/" + built["scu"])["reference"].nunique()
    _refuse_two_pyramids(built, used=bool(text.isna().any()))
    weight = weight.fillna(within.map(counted))
    weight = weight.mask(text.isna() & rows["unit"].str.contains(BESIDE, regex=False), 0)
    refuse_unknown(weight.isna(), within, "weight of scu")
    return weight.astype("float64")


def _refuse_two_pyramids(built: pd.DataFrame, *, used: bool) -> None:
    """Contributors of two builders must not be added up: which pyramid went on is in the attributes."""
    builders = built.groupby("item")["assessor"].nunique()
    if used and (builders > 1).any():
        item = builders.index[builders > 1][0]
        raise BadInput(
            f"expected weights of the pyramid that went on as attributes: {item} was built by several people"
        )


# --- agreement of builders ----------------------------------------------------------------------------------------


# Scripts without spaces (Thai to Tibetan, Burmese, Khmer, kana, Han) have a word in every letter.
_UNSPACED = (
    "\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
_WORD = re.compile(rf"[{_UNSPACED}]|[^\s{_UNSPACED}]+")


def pairs_of_words(built: pd.DataFrame) -> set[tuple[str, tuple[str, int], tuple[str, int]]]:
    """Pairs of words of the models that share an SCU: (item, word, word), a word being (reference, where it starts)."""
    found: set[tuple[str, tuple[str, int], tuple[str, int]]] = set()
    for (item, _), scu in built.groupby(["item", "scu"]):
        spans = zip(scu["reference"], scu["span"], scu["words"], strict=True)
        words = sorted({word for span in spans for word in _words(*span)})
        found |= {(str(item), one, other) for n, one in enumerate(words) for other in words[n + 1 :]}
    return found


def _words(reference: str, span: str, text: str) -> Iterator[tuple[str, int]]:
    """Where the words of a contributor start; its parts are told apart by three dots in the text."""
    at = 0
    for start, end in span_read(span):
        for word in _WORD.finditer(text[at : at + end - start]):
            if any(character.isalnum() for character in word[0]):
                yield reference, start + word.start()
        at += end - start + len("...")


def pair_f1(one: pd.DataFrame, other: pd.DataFrame) -> float:
    """F1 of the pairs of words that share an SCU, of two builders (rows of :func:`contributors`); NaN where both have none."""
    return f1_of_sets(pairs_of_words(one), pairs_of_words(other))


def tables(judgments: pd.DataFrame, attributes: pd.DataFrame | None, task: str) -> Iterator[ResultTable]:
    """Agreement of people who built one pyramid independently, and the SCUs by how many peers have them."""
    built = contributors(judgments, task=task)
    compared = [
        {"item": item, "one": one, "other": other, "f1": pair_f1(people[one], people[other])}
        for item, of_item in built.groupby("item")
        for people in [{str(name): rows for name, rows in of_item.groupby("assessor")}]
        for one, other in combinations(sorted(people), 2)
    ]
    if compared:
        yield result_table(
            "builders",
            "Agreement of builders",
            pd.DataFrame(compared),
            (Column("item", "Topic"), Column("one", "One"), Column("other", "Other"), Column("f1", "F1", 3)),
            note="F1 of the pairs of words that share a content unit.",
        )
    rows = judgments[
        judgments["criterion"].eq("present") & ~judgments["unit"].str.contains(BESIDE, regex=False)
    ]
    if rows.empty:
        return
    found = rows.groupby(["item", "unit"], sort=False)["value"].mean().rename("share").reset_index()
    found = found.join(_described(found.assign(task=task), judgments, built, attributes))
    yield result_table(
        "units",
        "The pyramid, and what of it was found",
        found.sort_values(["item", "weight", "share"], ascending=[True, False, False], kind="stable"),
        (
            Column("unit", "Unit"),
            Column("label", "Label"),
            Column("item", "Topic"),
            Column("weight", "Weight", 0),
            Column("models", "Models"),
            Column("share", "Share of peers", 2),
        ),
        note="How many models express each unit, which they are, and the share of judgments of peers that have it.",
        tiers=("item", "weight", "label", "models", "share"),
    )


def _described(
    units: pd.DataFrame, judgments: pd.DataFrame, built: pd.DataFrame, attributes: pd.DataFrame | None
) -> pd.DataFrame:
    """Label, weight and models of units: as the attributes have the pyramid that went on, else as the table has it."""
    of = units["item"] + "/" + units["unit"]
    rows = judgments[judgments["criterion"] == "scu"].drop_duplicates(["item", "unit"])
    labels = rows.set_index(rows["item"] + "/" + rows["unit"])["label"]
    by_unit = built.groupby(built["item"] + "/" + built["scu"])["reference"]
    models = by_unit.agg(lambda names: ", ".join(sorted(set(names))))
    weight = pd.to_numeric(attribute_within(units, attributes, "scu", "weight"), errors="coerce")
    return pd.DataFrame(
        {
            "label": attribute_within(units, attributes, "scu", "label").fillna(of.map(labels)).fillna(""),
            "weight": weight.fillna(of.map(by_unit.nunique())).astype("float64"),
            "models": attribute_within(units, attributes, "scu", "models").fillna(of.map(models)).fillna(""),
        }
    )


def names(judgments: pd.DataFrame) -> list[str]:
    """All scores once peers are matched; a pyramid alone has none."""
    return [score.name for score in KIND.scores] if judgments["criterion"].eq("present").any() else []


ROUNDING = Option(
    "average",
    "how the average number of SCUs in a model is made whole (default round)",
    choices=("round", "floor"),
)

KIND = HumanKind(
    slug="pyramid",
    scores=(
        Score(
            "pyramid",
            pyramid,
            meaning="The weight of the content units found, over the best weight for as many units.",
            definition="the weight of the content units found over the best weight for as many units",
        ),
        Score(
            "pyramid-modified",
            pyramid_modified,
            (ROUNDING,),
            meaning="The weight of the content units found, over the best weight for as many units as a model has.",
            definition="the weight of the content units found over the best weight for as many units as a model has on "
            "average",
        ),
        Score(
            "pyramid-coverage",
            pyramid_coverage,
            meaning="As the modified score, with DUCView’s rounding down, and at most 1.",
            definition="the modified pyramid score with the average number of units rounded down, at most 1 (DUCView)",
        ),
        Score(
            "pyramid-comprehensive",
            pyramid_comprehensive,
            meaning="The harmonic mean of the original pyramid score and coverage, as DUCView prints it.",
            definition="the harmonic mean of the original pyramid score and of coverage (DUCView)",
        ),
    ),
    names=names,
    tables=tables,
    has_means=False,
)
