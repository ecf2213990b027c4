"""Relevance prediction (Dorr et al. 2005 §3–6): does a surrogate let people decide as the full text would?

Rows of kind ``relevance``: system = the kind of surrogate or ``full``, item ``event/document``, criterion ``relevant``,
value 1 or 0. The external key is the attribute ``gold`` of scope ``item``, 1 or 0.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd
import scipy
from numpy.typing import ArrayLike, NDArray

from metrics.errors import BadInput, UndefinedScoreWarning
from metrics.human.base import (
    ASSESSMENT,
    HumanScore,
    MissingAttribute,
    attribute,
    averaged,
    refuse_unknown,
    select,
)
from metrics.human.kind import HumanKind, Score
from metrics.human.tables import Column, ResultTable, result_table
from metrics.meta.common import Rng, batches, seeded
from metrics.signature import signature

FULL = "full"
CELLS = ("Rel/Rel", "Rel/NonRel", "NonRel/Rel", "NonRel/NonRel")
"""Judgment on the surrogate / on the full text: true positive, false positive, false negative, true negative."""

Measure = Literal["relevance-prediction", "gold-agreement"]
_TRUTH = {"1": 1.0, "1.0": 1.0, "true": 1.0, "yes": 1.0, "0": 0.0, "0.0": 0.0, "false": 0.0, "no": 0.0}


def relevance_prediction(
    judgments: pd.DataFrame, *, attributes: pd.DataFrame | None = None, task: str | None = None
) -> HumanScore:
    """The share of judgments on a surrogate that equal the same assessor's on the full text (§3.1)."""
    return averaged("relevance-prediction", decisions(judgments, task=task)[[*ASSESSMENT, "value"]])


def gold_agreement(
    judgments: pd.DataFrame, *, attributes: pd.DataFrame | None, task: str | None = None
) -> HumanScore:
    """The share of judgments, on surrogates and full texts, that equal the external key ("LDC-Agreement")."""
    rows = decisions(judgments, measure="gold-agreement", attributes=attributes, task=task)
    return averaged("gold-agreement", rows[[*ASSESSMENT, "value"]])


def decisions(
    judgments: pd.DataFrame,
    *,
    measure: Measure = "relevance-prediction",
    attributes: pd.DataFrame | None = None,
    task: str | None = None,
) -> pd.DataFrame:
    """Every judgment with what it is compared to: ``judged``, ``standard``, ``value`` = they agree, ``event``."""
    rows = select(judgments, "relevance", task=task, criteria=("relevant",))
    rows = rows[rows["value"].notna()].rename(columns={"value": "judged"})
    rows["event"] = [
        item.removesuffix(f"/{document}") if document else item.rpartition("/")[0]
        for item, document in zip(rows["item"], rows["document"], strict=True)
    ]
    if measure == "gold-agreement":
        rows["standard"] = _gold(rows, attributes)
    else:
        rows = _with_own_full_text(rows)
    return rows.assign(value=(rows["judged"] == rows["standard"]).astype("float64"))


def rates(compared: pd.DataFrame, *, by: list[str]) -> pd.DataFrame:
    """Agreement per any of ``system`` (the kind), ``event``, ``assessor``: ``…, rate, n`` from :func:`decisions`."""
    rows = compared[compared["control"] == ""]
    return rows.groupby(by)["value"].agg(rate="mean", n="size").reset_index()


def confusion(compared: pd.DataFrame, *, scores: pd.DataFrame | None = None) -> pd.DataFrame:
    """Their Table 6: per kind and cell ``count, share, seconds`` and, given metric scores, ``score, deviation``.

    ``scores`` is a score table of one metric; the deviation is that of all surrogates in the cell (ddof = 0, as there).
    """
    rows = compared[compared["control"] == ""]
    surrogate = np.where(rows["judged"] > 0, "Rel", "NonRel")
    standard = np.where(rows["standard"] > 0, "Rel", "NonRel")
    rows = rows.assign(cell=[f"{a}/{b}" for a, b in zip(surrogate, standard, strict=True)], score=np.nan)
    if scores is not None:
        if (scores["metric"] != scores["metric"].iloc[0]).any():
            raise BadInput("expected the scores of one metric", column="metric")
        known = scores.set_index(["system", "item"])["score"]
        rows["score"] = known.reindex(pd.MultiIndex.from_frame(rows[["system", "item"]])).to_numpy()
    table = rows.groupby(["system", "cell"]).agg(
        count=("value", "size"),
        seconds=("seconds", "mean"),
        score=("score", "mean"),
        deviation=("score", lambda cell: cell.std(ddof=0)),
    )
    kinds = sorted(rows["system"].unique())
    table = table.reindex(pd.MultiIndex.from_product([kinds, CELLS], names=["system", "cell"]))
    table["count"] = table["count"].fillna(0).astype("int64")
    table.insert(1, "share", table["count"] / table.groupby("system")["count"].transform("sum"))
    return (table if scores is not None else table.drop(columns=["score", "deviation"])).reset_index()


def times(judgments: pd.DataFrame, *, task: str | None = None) -> pd.DataFrame:
    """``system, seconds, saved, n``: mean judgment time per kind, and the share of the full text's time it saves."""
    rows = select(judgments, "relevance", task=task, criteria=("relevant",))
    rows = rows[rows["control"] == ""]
    table = rows.groupby("system")["seconds"].agg(seconds="mean", n="count")
    table.insert(1, "saved", 1 - table["seconds"] / table["seconds"].get(FULL, float("nan")))
    return table.reset_index()


@dataclass(frozen=True)
class Comparison:
    """A test in SciPy's words, with what it compared."""

    statistic: float
    pvalue: float
    means: tuple[float, float]
    n: tuple[int, int]


def measures_anova(predicted: ArrayLike, gold: ArrayLike) -> Comparison:
    """One-way ANOVA: are Relevance-Prediction and gold agreement rates (say, per event or assessor) the same?"""
    a, b = np.asarray(predicted, dtype="float64"), np.asarray(gold, dtype="float64")
    return _comparison(scipy.stats.f_oneway(a, b), a, b)


def false_negatives(compared: pd.DataFrame, kind_a: str, kind_b: str) -> Comparison:
    """Student's t on how often a document that the full text makes relevant is missed (§6), kind against kind.

    Every judgment counts as 1 (a false negative) or 0, as in the paper's comparison of 117 with 77 among 600.
    """
    rows = compared[compared["control"] == ""]
    missed = ((rows["judged"] == 0) & (rows["standard"] > 0)).astype("float64")
    a, b = (missed[rows["system"] == kind].to_numpy() for kind in (kind_a, kind_b))
    return _comparison(scipy.stats.ttest_ind(a, b), a, b)


def _comparison(result: Any, a: NDArray[Any], b: NDArray[Any]) -> Comparison:
    means = (float(a.mean()), float(b.mean()))
    return Comparison(float(result.statistic), float(result.pvalue), means, (len(a), len(b)))


@dataclass(frozen=True)
class PartitionedCorrelation:
    """Pearson's r over random partitions: ``statistic`` is the mean, ``quartiles`` are 25, 50 and 75 %."""

    statistic: float
    quartiles: tuple[float, float, float]
    size: int
    groups: int
    partitions: int
    seed: int | None

    @property
    def signature(self) -> str:
        how = {"method": "pearson", "size": self.size, "groups": self.groups, "partitions": self.partitions}
        return signature("partitioned-correlation", {**how, "seed": self.seed})


def partitioned_correlation(
    agreement: ArrayLike,
    metric: ArrayLike,
    *,
    size: int = 4,
    partitions: int = 10_000,
    rng: Rng = None,
) -> PartitionedCorrelation:
    """Correlate averages over random groups of points (§5.1): shuffle, cut into groups of ``size``, average, repeat.

    One point per (event, document). Points that do not fill a group sit out, others each time.
    """
    points = np.stack([np.asarray(agreement, dtype="float64"), np.asarray(metric, dtype="float64")])
    generator, seed = seeded(rng)
    groups = points.shape[1] // size
    if groups < 2:
        raise BadInput(f"expected at least {2 * size} points for groups of {size}, found {points.shape[1]}")
    if size == 1:
        # Every partition into single points is the same.
        partitions = 1
    r = np.concatenate(
        [_correlations(points, size, groups, count, generator) for count in batches(partitions, points.size)]
    )
    if np.isnan(r).any():
        count = int(np.isnan(r).sum())
        warnings.warn(
            f"{count} partitions have no correlation: equal averages", UndefinedScoreWarning, stacklevel=2
        )
        r = r if np.isnan(r).all() else r[~np.isnan(r)]
    lower, median, upper = np.quantile(r, [0.25, 0.5, 0.75])
    quartiles = (float(lower), float(median), float(upper))
    return PartitionedCorrelation(float(r.mean()), quartiles, size, groups, partitions, seed)


def names(judgments: pd.DataFrame) -> list[str]:
    """Relevance prediction needs full texts that were judged."""
    return (
        ["relevance-prediction", "gold-agreement"] if FULL in set(judgments["system"]) else ["gold-agreement"]
    )


def _gold(rows: pd.DataFrame, attributes: pd.DataFrame | None) -> pd.Series[float]:
    known = attribute(attributes, "item", "gold").str.lower().map(_TRUTH)
    gold = rows["item"].map(known)
    refuse_unknown(gold.isna(), rows["item"], "gold (1 or 0) of item")
    return gold


def _with_own_full_text(rows: pd.DataFrame) -> pd.DataFrame:
    key = ["study", "task", "assessor", "item"]
    full = rows[(rows["system"] == FULL) & (rows["control"] == "")]
    if full.empty:
        raise BadInput(f"expected judgments of system {FULL}: the full texts", column="system")
    own = full.groupby(key)["judged"].mean().rename("standard").reset_index()
    surrogates = rows[rows["system"] != FULL]
    # A surrogate whose full text the assessor has not judged (yet) cannot be compared.
    return surrogates.merge(own, on=key, how="inner")


def _correlations(
    points: NDArray[np.float64], size: int, groups: int, count: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Pearson's r of ``count`` random partitions at once."""
    order = rng.permuted(np.tile(np.arange(points.shape[1]), (count, 1)), axis=1)[:, : groups * size]
    means = points[:, order].reshape(2, count, groups, size).mean(axis=3)
    deviations = means - means.mean(axis=2, keepdims=True)
    a, b = deviations
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray((a * b).sum(axis=1) / np.sqrt((a**2).sum(axis=1) * (b**2).sum(axis=1)))


# --- tables ---------------------------------------------------------------------------------------------------------

_SURROGATE = Column("system", "Kind")
_WAYS = (
    ("kind", "Agreement by kind of surrogate", ["system"], (_SURROGATE,)),
    ("event", "Agreement by event", ["event", "system"], (Column("event", "Event"), _SURROGATE)),
    (
        "assessor",
        "Agreement by assessor",
        ["assessor", "system"],
        (Column("assessor", "Assessor"), _SURROGATE),
    ),
)
_WORDS = {"Rel": "relevant", "NonRel": "not relevant"}


def _tables(judgments: pd.DataFrame, attributes: pd.DataFrame | None, task: str) -> Iterator[ResultTable]:
    """Agreement by kind, event and assessor (Dorr et al. Table 1), the confusion table (Table 6), and times."""
    measures = _measures(judgments, attributes, task)
    for name, title, by, columns in _WAYS:
        yield _agreement_table(f"agreement-by-{name}", title, by, columns, measures)
    if "prediction" in measures:
        yield _confusion_table(measures["prediction"])
    saved = times(judgments, task=task)
    yield result_table(
        "times",
        "Time per judgment, and time saved",
        saved.sort_values("seconds", ascending=False),
        (
            _SURROGATE,
            Column("seconds", "Mean seconds", 1),
            Column("saved", "Saved", 3),
            Column("n", "Judgments", 0),
        ),
        note="Active seconds: a hidden page and idle time do not count. Saved: the share of the full text’s time.",
    )


def _measures(judgments: pd.DataFrame, attributes: pd.DataFrame | None, task: str) -> dict[str, pd.DataFrame]:
    """What can be compared: with the own judgment of the full text, if there is any, and with the external key."""
    found = {}
    if FULL in set(judgments["system"]):
        found["prediction"] = decisions(judgments, task=task)
    with suppress(MissingAttribute):
        found["gold"] = decisions(judgments, measure="gold-agreement", attributes=attributes, task=task)
    return found


_MEASURE_COLUMNS = {
    "prediction": (Column("prediction", "Relevance-Prediction", 3), Column("prediction_n", "n", 0)),
    "gold": (Column("gold", "Gold agreement", 3), Column("gold_n", "n", 0)),
}


def _agreement_table(
    name: str,
    title: str,
    by: list[str],
    columns: tuple[Column, ...],
    measures: Mapping[str, pd.DataFrame],
) -> ResultTable:
    table = pd.DataFrame(columns=by)
    for measure, compared in measures.items():
        found = rates(compared, by=by).rename(columns={"rate": measure, "n": f"{measure}_n"})
        table = table.merge(found, on=by, how="outer")
    shown = [column for measure in measures for column in _MEASURE_COLUMNS[measure]]
    note = (
        "Relevance-Prediction: the share of judgments on a surrogate that equal the same assessor’s on the full text. "
        "Gold agreement: the share that equals the external key."
        if by == ["system"]
        else ""
    )
    return result_table(name, title, table.sort_values(by), (*columns, *shown), note=note)


def _confusion_table(compared: pd.DataFrame) -> ResultTable:
    table = confusion(compared)
    cells = table["cell"].str.split("/", expand=True)
    table["surrogate"], table["full"] = cells[0].map(_WORDS), cells[1].map(_WORDS)
    return result_table(
        "confusion",
        "Surrogate against full text",
        table,
        (
            _SURROGATE,
            Column("surrogate", "On the surrogate"),
            Column("full", "On the full text"),
            Column("count", "Judgments", 0),
            Column("share", "Share", 3),
            Column("seconds", "Mean seconds", 1),
        ),
        note="The time is that of the judgment on the surrogate.",
    )


KIND = HumanKind(
    slug="relevance",
    scores=(
        Score(
            "relevance-prediction",
            relevance_prediction,
            meaning="The share of judgments that equal the same assessor’s on the full text.",
            definition="the share of judgments that equal the same assessor's on the full text (Dorr et al. 2005)",
        ),
        Score(
            "gold-agreement",
            gold_agreement,
            meaning="The share of judgments that equal the external key.",
            definition="the share of judgments that equal the external key (Dorr et al. 2005)",
        ),
    ),
    names=names,
    tables=_tables,
    has_means=False,
)
