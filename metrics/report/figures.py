"""The figures of a report: which there are, the data behind each, and how to get one as SVG, PNG or CSV.

A figure is described by a *spec*, an entry of ``figures`` in ``report.json``, and drawn from ``report.json`` alone. So a page can
draw a scatter plot of any metric later (:func:`scatter_spec`) without computing anything again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pandas as pd

from metrics.errors import BadInput
from metrics.report.book import csv_text, frame_of, records
from metrics.report.human import slug_of
from metrics.report.meta import opposite
from metrics.report.plots import PLOTS
from metrics.report.style import rendered

FORMS = ("svg", "png", "csv")
SCATTERS = 6
CURVES = 6
FOREST = 20
HEAT = 20
MOST_ASSESSORS = 40

Spec = dict[str, Any]
Numbers = Callable[[dict[str, Any], Spec], pd.DataFrame]


def figure_specs(data: dict[str, Any]) -> list[Spec]:
    """All figures of a report, in the order in which they appear."""
    specs = [_systems(section) for section in data["human"]]
    specs += _distributions(data)
    for section in data["meta"]:
        if section["summary"] is not None and shown_metrics(records(section["summary"]), 1):
            specs += _of_meta(data, section)
    return specs


def scatter_spec(data: dict[str, Any], human: str, metric: str) -> Spec:
    """The scatter plot of any system-level metric against a human score."""
    section = _human(data, human)
    known = data["metric_scores"]["metrics"] if data["metric_scores"] else []
    if metric not in known:
        raise BadInput(f"expected a metric of the report, found {metric!r}")
    return {
        "name": f"scatter-{section['slug']}-{slug_of(metric)}",
        "kind": "scatter",
        "human": human,
        "metric": metric,
        "axis": metric + ("" if _higher_is_better(data, metric) else " (lower is better)"),
        "title": f"{metric} and {section['score']}",
        "caption": f"Each point is a system: its score by {metric} and its mean {section['score']}.",
    }


def _higher_is_better(data: dict[str, Any], metric: str) -> bool:
    return all(row["higher_is_better"] for row in records(data["metrics"]) if row["metric"] == metric)


def figure_frame(data: dict[str, Any], spec: Spec) -> pd.DataFrame:
    """The numbers behind a figure."""
    return _FRAMES[spec["kind"]](data, spec)


def render_figure(data: dict[str, Any], spec: Spec, *, forms: Sequence[str] = FORMS) -> dict[str, bytes]:
    """A figure as ``svg``, ``png`` and the ``csv`` of its numbers, by form; the same report gives the same bytes."""
    frame = figure_frame(data, spec)
    pictures = [form for form in forms if form != "csv"]
    figure = PLOTS[spec["kind"]](frame, spec) if pictures else None
    made = {form: rendered(figure, form, title=spec["title"]) for form in pictures if figure is not None}
    return made | ({"csv": csv_text(frame).encode()} if "csv" in forms else {})


def shown_metrics(summary: list[dict[str, Any]], limit: int) -> list[str]:
    """Metrics worth a place in a figure: the best of each family, then the best of the rest, the strongest first."""
    known = [row for row in summary if row["pearson"] is not None]
    of_family = {row["family"]: row["metric"] for row in reversed(known)}
    leaders = [row["metric"] for row in known if of_family[row["family"]] == row["metric"]][:limit]
    rest = [row["metric"] for row in known if row["metric"] not in leaders][: limit - len(leaders)]
    return [row["metric"] for row in known if row["metric"] in {*leaders, *rest}]


def _human(data: dict[str, Any], identity: str) -> dict[str, Any]:
    for section in data["human"]:
        if section["id"] == identity:
            return dict(section)
    raise BadInput(f"expected a human score of the report, found {identity!r}")


# --- which figures --------------------------------------------------------------------------------------------------


def _systems(section: dict[str, Any]) -> Spec:
    return {
        "name": f"systems-{section['slug']}",
        "kind": "systems",
        "human": section["id"],
        "title": f"Systems by {section['score']}",
        "caption": f"Mean {section['score']} with bootstrap intervals over items. Lines separate significance clusters; the "
        "numbers on the right are the ranks that a cluster shares.",
    }


def _distributions(data: dict[str, Any]) -> list[Spec]:
    rows = records(data["assessors"]["distributions"])
    after = data["assessors"]["normalise"]
    return [
        {
            "name": f"assessors-{slug_of(f'{task}/{criterion}')}",
            "kind": "assessors",
            "human": None,
            "task": task,
            "criterion": criterion,
            "after": after,
            "title": f"How assessors used {criterion}",
            "caption": f"Values of {criterion} by assessor, as given and after normalisation ({after}): on a scale of few values the "
            f"share of each; else the range, the middle half and the median. The {MOST_ASSESSORS} who judged most, at most.",
        }
        for task, criterion in dict.fromkeys((row["task"], row["criterion"]) for row in rows)
    ]


def _of_meta(data: dict[str, Any], section: dict[str, Any]) -> list[Spec]:
    human, slug = section["human"], section["slug"]
    score = _human(data, human)["score"]
    summary = records(section["summary"])
    specs: list[Spec] = [
        {
            "name": f"correlations-{slug}",
            "kind": "correlations",
            "human": human,
            "metrics": shown_metrics(summary, FOREST),
            "title": f"Correlation with {score}",
            "caption": f"Pearson's r of metrics with {score} over systems, with intervals: the best of each family and the best of all. "
            "Filled points are not significantly outperformed by any other metric.",
        }
    ]
    specs += [scatter_spec(data, human, metric) for metric in shown_metrics(summary, SCATTERS)]
    if section["williams"] is not None:
        specs.append(
            {
                "name": f"williams-{slug}",
                "kind": "williams",
                "human": human,
                "metrics": shown_metrics(summary, HEAT),
                "title": f"Which metric follows {score} better",
                "caption": "A coloured cell: the metric of the row correlates significantly higher than that of the column (Williams' "
                "test, one-sided). Correlations beside the names.",
            }
        )
    if section["prediction"] is not None:
        origin = {row["metric"]: row["of"] for row in records(data["metrics"]) if row["level"] == "system"}
        known = {row["metric"] for row in records(section["prediction"])}
        chosen = dict.fromkeys(origin[metric] for metric in shown_metrics(summary, CURVES))
        specs.append(
            {
                "name": f"prediction-{slug}",
                "kind": "prediction",
                "human": human,
                "metrics": [metric for metric in chosen if metric in known],
                "title": f"Significant differences in {score}, as metrics predict them",
                "caption": "Recall and precision of significant differences between systems; the points of a curve are levels of α.",
            }
        )
    if section["aev"] is not None:
        specs.append(
            {
                "name": f"aev-{slug}",
                "kind": "aev",
                "human": human,
                "title": f"R² of AEv(α, N) with {score}",
                "caption": "From recall (left) to precision (right), from single words (bottom) to longer n-grams (top).",
            }
        )
    return specs


# --- the numbers behind them ----------------------------------------------------------------------------------------


def _meta(data: dict[str, Any], spec: Spec) -> dict[str, Any]:
    return next(dict(section) for section in data["meta"] if section["human"] == spec["human"])


def _systems_frame(data: dict[str, Any], spec: Spec) -> pd.DataFrame:
    table: pd.DataFrame = frame_of(_human(data, spec["human"])["systems"])
    return table[["system", "mean", "low", "high", "items", "cluster", "start", "end"]]


def _assessors_frame(data: dict[str, Any], spec: Spec) -> pd.DataFrame:
    """Shares (``value``, ``share``) of the raw scale where it has few values, and quartiles of both stages."""
    parts = [frame_of(data["assessors"][name]) for name in ("distributions", "shares")]
    own = [part[(part["task"] == spec["task"]) & (part["criterion"] == spec["criterion"])] for part in parts]
    columns = ["assessor", "stage", "n", "mean", "minimum", "lower", "median", "upper", "maximum"]
    counted = own[1][["assessor", "value", "count", "share"]].assign(stage="raw")
    both: pd.DataFrame = pd.concat([own[0][columns], counted], ignore_index=True)
    busiest = own[0][own[0]["stage"] == "raw"].sort_values(["n", "assessor"], ascending=[False, True])
    return both[both["assessor"].isin(busiest["assessor"].iloc[:MOST_ASSESSORS])]


def _correlations_frame(data: dict[str, Any], spec: Spec) -> pd.DataFrame:
    table: pd.DataFrame = frame_of(_meta(data, spec)["summary"])
    table = table[table["metric"].isin(spec["metrics"])]
    return table[["metric", "family", "n", "pearson", "low", "high", "outperformed_by"]].reset_index(
        drop=True
    )


def _scatter_frame(data: dict[str, Any], spec: Spec) -> pd.DataFrame:
    scores = data["metric_scores"]
    own = scores["scores"][scores["metrics"].index(spec["metric"])]
    metric = pd.DataFrame({"system": scores["systems"], "metric": pd.Series(own, dtype="float64")})
    human = frame_of(_human(data, spec["human"])["systems"])[["system", "mean", "low", "high"]]
    both = metric.merge(human.rename(columns={"mean": "human"}), on="system")
    return both.dropna(subset=["metric", "human"]).sort_values("system", ignore_index=True)


def _williams_frame(data: dict[str, Any], spec: Spec) -> pd.DataFrame:
    """``row, column, correlation, pvalue`` of the metrics shown, both halves."""
    williams = _meta(data, spec)["williams"]
    place = {name: number for number, name in enumerate(williams["metrics"])}
    rows = []
    for one in spec["metrics"]:
        for other in spec["metrics"]:
            first, second = sorted((place[one], place[other]))
            upper = williams["pvalue"][first][second - first - 1] if first != second else None
            pvalue = upper if upper is None or place[one] == first else opposite(upper)
            rows.append((one, other, williams["correlation"][place[one]], pvalue))
    return pd.DataFrame(rows, columns=["row", "column", "correlation", "pvalue"])


def _prediction_frame(data: dict[str, Any], spec: Spec) -> pd.DataFrame:
    table = frame_of(_meta(data, spec)["prediction"])
    table = table[table["metric"].isin(spec["metrics"])]
    return table[["metric", "alpha", "recall", "precision", "hits", "human", "automatic"]].reset_index(
        drop=True
    )


def _aev_frame(data: dict[str, Any], spec: Spec) -> pd.DataFrame:
    grid = _meta(data, spec)["aev"]
    rows = [
        (order, alpha, value, grid["n"])
        for order, line in zip(grid["orders"], grid["statistic"], strict=True)
        for alpha, value in zip(grid["alphas"], line, strict=True)
    ]
    return pd.DataFrame(rows, columns=["N", "alpha", "r2", "systems"])


_FRAMES: dict[str, Numbers] = {
    "systems": _systems_frame,
    "assessors": _assessors_frame,
    "correlations": _correlations_frame,
    "scatter": _scatter_frame,
    "williams": _williams_frame,
    "prediction": _prediction_frame,
    "aev": _aev_frame,
}
