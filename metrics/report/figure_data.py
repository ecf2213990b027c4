"""The numbers behind each figure, taken from ``report.json``: what is drawn, and what its CSV file holds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pandas as pd

from metrics.automatic.bewte.explanation import element_table
from metrics.errors import BadInput
from metrics.report.book import frame_of, records
from metrics.report.meta import opposite
from metrics.report.printed.systems import is_moved
from metrics.tables import json_records

Row = dict[str, Any]
Spec = dict[str, Any]

MOST_ASSESSORS = 40


def human_of(data: Row, identity: str) -> Row:
    """The section of a human score."""
    for section in data["human"]:
        if section["id"] == identity:
            return dict(section)
    raise BadInput(f"expected a human score of the report, found {identity!r}")


def meta_of(data: Row, identity: str) -> Row:
    """Metrics against this human score."""
    return next(dict(section) for section in data["meta"] if section["human"] == identity)


def figure_frame(data: Row, spec: Spec) -> pd.DataFrame:
    """The numbers behind a figure."""
    return _FRAMES[spec["kind"]](data, spec)


def figure_rows(data: Row, spec: Spec) -> list[Row]:
    """The same, one dictionary per row; what is undefined is None."""
    return json_records(figure_frame(data, spec))


def _systems(data: Row, spec: Spec) -> pd.DataFrame:
    table = frame_of(human_of(data, spec["human"])["systems"])
    return table[["system", "estimate", "low", "high", "items", "cluster", "start", "end"]]


def _pairs(data: Row, spec: Spec) -> pd.DataFrame:
    table = frame_of(human_of(data, spec["human"])["pairs"])
    return table[["system_a", "system_b", "difference", "low", "high", "pvalue", "pvalue_adjusted"]]


def _duels(data: Row, spec: Spec) -> pd.DataFrame:
    """Every two systems both ways round, in the order of the table of systems."""
    section = human_of(data, spec["human"])
    rows = []
    for row in records(section["duels"]):
        one = {"won": row["won"], "lost": row["lost"], "tied": row["tied"]}
        rows.append(
            {"system": row["system_a"], "other": row["system_b"], **one}
            | {name: row[name] for name in ("share", "low", "high")}
        )
        turned = {"won": row["lost"], "lost": row["won"], "tied": row["tied"]}
        ends = {"share": _rest(row["share"]), "low": _rest(row["high"]), "high": _rest(row["low"])}
        rows.append({"system": row["system_b"], "other": row["system_a"], **turned, **ends})
    place = {row["system"]: number for number, row in enumerate(records(section["systems"]))}
    frame = pd.DataFrame(rows)
    frame = frame[frame["system"].isin(list(place)) & frame["other"].isin(list(place))]
    order = frame["system"].map(place) * len(place) + frame["other"].map(place)
    return frame.iloc[order.argsort()].reset_index(drop=True)


def _rest(share: float | None) -> float | None:
    return None if share is None else 1 - share


def _own(data: Row, name: str, spec: Spec, *columns: str) -> pd.DataFrame:
    """The rows of a table of assessors that are about the task (and criterion) of the figure."""
    table = frame_of(data["assessors"][name])
    own = table[table["task"] == spec["task"]]
    if "criterion" in spec:
        own = own[own["criterion"] == spec["criterion"]]
    busiest = set(busy_assessors(data, spec))
    chosen: pd.DataFrame = own.loc[own["assessor"].isin(busiest), list(columns)]
    return chosen.reset_index(drop=True)


def busy_assessors(data: Row, spec: Spec) -> list[str]:
    """Those who judged most of the task (and criterion), as many as a figure has room for."""
    name, number = ("distributions", "n") if "criterion" in spec else ("speed", "judgments")
    counts: dict[str, int] = {}
    for row in records(data["assessors"][name]):
        if all(row[key] == spec[key] for key in ("task", "criterion") if key in spec):
            counts[row["assessor"]] = max(row[number], counts.get(row["assessor"], 0))
    return sorted(counts, key=lambda person: (-counts[person], person))[:MOST_ASSESSORS]


def _assessors(data: Row, spec: Spec) -> pd.DataFrame:
    spread = ("n", "mean", "deviation", "minimum", "lower", "median", "upper", "maximum")
    return _own(data, "distributions", spec, "assessor", "stage", *spread)


def _shares(data: Row, spec: Spec) -> pd.DataFrame:
    return _own(data, "shares", spec, "assessor", "value", "count", "share")


def _speed(data: Row, spec: Spec) -> pd.DataFrame:
    return _own(data, "speed", spec, "assessor", "judgments", "seconds", "median")


def _correlations(data: Row, spec: Spec) -> pd.DataFrame:
    table = frame_of(meta_of(data, spec["human"])["summary"])
    table = table[table["metric"].isin(spec["metrics"])]
    columns = ["metric", "family", "n", "pearson", "low", "high", "outperformed_by"]
    return table[columns].reset_index(drop=True)


def _scatter(data: Row, spec: Spec) -> pd.DataFrame:
    scores = data["metric_scores"]
    own = scores["scores"][scores["metrics"].index(spec["metric"])]
    metric = dict(zip(scores["systems"], own, strict=True))
    people = records(human_of(data, spec["human"])["systems"])
    # The intervals of a model are those of its estimates, which are not the means that are correlated.
    moved = is_moved(people)
    both = [row for row in people if metric.get(row["system"]) is not None and row["mean"] is not None]
    both.sort(key=lambda row: str(row["system"]))
    return pd.DataFrame(
        {
            "system": [row["system"] for row in both],
            "metric": [float(metric[row["system"]]) for row in both],
            "type": [row["type"] for row in both],
            "human": [row["mean"] for row in both],
            "low": [None if moved else row["low"] for row in both],
            "high": [None if moved else row["high"] for row in both],
        }
    )


@dataclass(frozen=True)
class Triangle:
    """p-values of pairs: row i has those of name i against name i + 1, i + 2, …"""

    names: list[str]
    pvalues: list[list[float | None]]


def pair_triangle(data: Row, spec: Spec) -> Triangle:
    """Systems by falling mean, with adjusted p-values."""
    section = human_of(data, spec["human"])
    names = [row["system"] for row in records(section["systems"])]
    of_pair = {
        frozenset((row["system_a"], row["system_b"])): row["pvalue_adjusted"]
        for row in records(section["pairs"])
    }
    values = [
        [of_pair.get(frozenset((name, other))) for other in names[place + 1 :]]
        for place, name in enumerate(names)
    ]
    return Triangle(names, values)


def williams_triangle(data: Row, spec: Spec) -> Triangle:
    """The metrics of the figure by falling correlation."""
    williams = meta_of(data, spec["human"])["williams"]
    shown = set(spec["metrics"])
    places = [place for place, name in enumerate(williams["metrics"]) if name in shown]
    values = [
        [williams["pvalue"][first][second - first - 1] for second in places[number + 1 :]]
        for number, first in enumerate(places)
    ]
    return Triangle([williams["metrics"][place] for place in places], values)


def _williams(data: Row, spec: Spec) -> pd.DataFrame:
    """``row, column, correlation, pvalue`` of the metrics shown, both halves."""
    triangle = williams_triangle(data, spec)
    williams = meta_of(data, spec["human"])["williams"]
    correlation = dict(zip(williams["metrics"], williams["correlation"], strict=True))
    rows = []
    for i, one in enumerate(triangle.names):
        for j, other in enumerate(triangle.names):
            upper = None if i == j else triangle.pvalues[min(i, j)][abs(i - j) - 1]
            rows.append((one, other, correlation[one], upper if upper is None or i < j else opposite(upper)))
    return pd.DataFrame(rows, columns=["row", "column", "correlation", "pvalue"])


def _prediction(data: Row, spec: Spec) -> pd.DataFrame:
    table = frame_of(meta_of(data, spec["human"])["prediction"])
    table = table[table["metric"].isin(spec["metrics"])]
    columns = ["metric", "alpha", "recall", "precision", "hits", "human", "automatic"]
    return table[columns].reset_index(drop=True)


def _aev(data: Row, spec: Spec) -> pd.DataFrame:
    grid = meta_of(data, spec["human"])["aev"]
    rows = [
        (order, alpha, value, grid["n"])
        for order, line in zip(grid["orders"], grid["statistic"], strict=True)
        for alpha, value in zip(grid["alphas"], line, strict=True)
    ]
    return pd.DataFrame(rows, columns=["N", "alpha", "r2", "systems"])


def _king(data: Row, spec: Spec) -> pd.DataFrame:
    table = frame_of(meta_of(data, spec["human"])["king"])
    table = table[table["metric"].isin(spec["metrics"])]
    return table[["metric", "king", "pearson"]].reset_index(drop=True)


def _elements(data: Row, spec: Spec) -> pd.DataFrame:
    """``found, output_rule, output_element, reference_rule, reference_element, by``: matched first, reworded before identical."""
    return element_table(data["explained"][spec["example"]])


def marked_of(data: Row, task: str) -> Row:
    """What was marked in the texts of a task."""
    return next(dict(section) for section in data["marked"] if section["task"] == task)


def _errors(data: Row, spec: Spec) -> pd.DataFrame:
    """``system, category, severity, errors, units, rate``; the rarest categories are one."""
    table = frame_of(marked_of(data, spec["task"])["errors"])
    table = table[table["system"].isin(spec["systems"])]
    named = table["category"].where(table["category"].isin(spec["categories"]), spec["others"])
    key = ["system", "category", "severity", "units"]
    sums = table.assign(category=named).groupby(key, sort=False)["errors"].sum().reset_index()
    sums = sums.assign(rate=sums["errors"] / sums["units"])
    return sums[["system", "category", "severity", "errors", "units", "rate"]]


def _heat(data: Row, spec: Spec) -> pd.DataFrame:
    """``system, start, end, share``: stretches of a text, as shares of its length, and how many of the people marked them."""
    found = next(one for one in marked_of(data, spec["task"])["documents"] if one["item"] == spec["item"])
    rows = [
        (system, place / len(cells), (place + 1) / len(cells), value)
        for system, cells in zip(found["systems"], found["heat"], strict=True)
        for place, value in enumerate(cells)
    ]
    return pd.DataFrame(rows, columns=["system", "start", "end", "share"])


_FRAMES: dict[str, Callable[[Row, Spec], pd.DataFrame]] = {
    "systems": _systems,
    "pairs": _pairs,
    "duels": _duels,
    "assessors": _assessors,
    "shares": _shares,
    "speed": _speed,
    "correlations": _correlations,
    "scatter": _scatter,
    "williams": _williams,
    "prediction": _prediction,
    "aev": _aev,
    "king": _king,
    "elements": _elements,
    "errors": _errors,
    "heat": _heat,
}
