"""The figures of a report: which there are, the data behind each, and how to get one as SVG, PNG or CSV.

A figure is described by a *spec*, an entry of ``figures`` in ``report.json``, and drawn from ``report.json`` alone. So a page can
draw a scatter plot of any metric later (:func:`scatter_spec`) without computing anything again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pandas as pd

from metrics.errors import BadInput
from metrics.report.book import frame_of, records, with_signature
from metrics.report.human import slug_of
from metrics.report.meta import opposite
from metrics.report.plots import PLOTS
from metrics.report.style import rendered
from metrics.tables import csv_text

FORMS = ("svg", "png", "csv")
SCATTERS = 6
CROWD = 12
"""With more systems than these, not every name may find room in a scatter plot."""
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
    made = [row for row in records(data["metrics"]) if (row["metric"], row["level"]) == (metric, "system")]
    higher = all(row["higher_is_better"] for row in made)
    return {
        "name": f"scatter-{section['slug']}--{slug_of(metric)}",
        "kind": "scatter",
        "human": human,
        "metric": metric,
        "axis": metric + ("" if higher else " (lower is better)"),
        "title": f"{metric} and {section['score']}",
        "caption": f"Each point is a system: its score by {metric} and its mean {section['score']}{_with_intervals(section)}."
        + (" Names that find no room are left out." if len(section["systems"]["rows"]) > CROWD else ""),
        "signatures": _keys(section["systems"]) + [row["signature"] for row in made],
    }


def _keys(*tables: dict[str, Any]) -> list[str]:
    """Keys of how the numbers of these tables were made."""
    return list(dict.fromkeys(row["signature"] for table in tables for row in records(table)))


def _with_intervals(section: dict[str, Any]) -> str:
    known = any(row["low"] is not None for row in records(section["systems"]))
    return ", with bootstrap intervals over items" if known else ""


def figure_frame(data: dict[str, Any], spec: Spec) -> pd.DataFrame:
    """The numbers behind a figure."""
    return _FRAMES[spec["kind"]](data, spec)


def render_figure(data: dict[str, Any], spec: Spec, *, forms: Sequence[str] = FORMS) -> dict[str, bytes]:
    """A figure as ``svg``, ``png`` and the ``csv`` of its numbers, by form; the same report gives the same bytes."""
    frame = figure_frame(data, spec)
    pictures = [form for form in forms if form != "csv"]
    figure = PLOTS[spec["kind"]](frame, spec) if pictures else None
    made = {form: rendered(figure, form, title=spec["title"]) for form in pictures if figure is not None}
    if "csv" in forms:
        how = " and ".join(data["signatures"][key] for key in spec["signatures"])
        made["csv"] = csv_text(with_signature(frame, how)).encode()
    return made


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
    several = len(section["systems"]["rows"]) > 1
    lines = (
        "Lines separate significance clusters; the numbers on the right are the ranks that a cluster shares."
    )
    return {
        "name": f"systems-{section['slug']}",
        "kind": "systems",
        "human": section["id"],
        "title": f"Systems by {section['score']}",
        "caption": " ".join(
            [f"Mean {section['score']}{_with_intervals(section)}.", *([lines] if several else [])]
        ),
        "signatures": _keys(section["systems"]),
    }


def _distributions(data: dict[str, Any]) -> list[Spec]:
    rows = records(data["assessors"]["distributions"])
    after = data["assessors"]["normalise"]
    people: dict[tuple[str, str], set[str]] = {}
    for row in rows:
        people.setdefault((row["task"], row["criterion"]), set()).add(row["assessor"])
    counted = {(row["task"], row["criterion"]) for row in records(data["assessors"]["shares"])}
    drawn = "a line is the range, a bar the middle half, a circle the median and a cross the mean"
    return [
        {
            "name": f"assessors-{slug_of(f'{task}/{criterion}')}",
            "kind": "assessors",
            "human": None,
            "task": task,
            "criterion": criterion,
            "after": after,
            "title": f"How assessors used {criterion}",
            "caption": (
                f"On the left the share of each value that an assessor gave, on the right the values after normalisation ({after}): {drawn}."
                if (task, criterion) in counted
                else f"Values as given and after normalisation ({after}): {drawn}."
            )
            + (
                f" The {MOST_ASSESSORS} of {len(names)} who judged most."
                if len(names) > MOST_ASSESSORS
                else ""
            ),
            "signatures": _keys(data["assessors"]["distributions"], data["assessors"]["shares"]),
        }
        for (task, criterion), names in people.items()
    ]


def _of_meta(data: dict[str, Any], section: dict[str, Any]) -> list[Spec]:
    human = _human(data, section["human"])
    summary = records(section["summary"])
    specs = [_correlations(section, human["score"], summary)]
    specs += [scatter_spec(data, section["human"], metric) for metric in shown_metrics(summary, SCATTERS)]
    specs += [_williams(section, human["score"], summary)] if section["williams"] is not None else []
    specs += _prediction(data, section, human["score"], summary)
    if section["aev"] is not None:
        specs.append(
            {
                **_named("aev", section),
                "title": f"R² of AEv(α, N) with {human['score']}",
                "caption": "R² in percent, from recall (left) to precision (right), from single words (bottom) to longer n-grams "
                "(top).",
                "signatures": [section["aev"]["signature"]],
            }
        )
    return specs


def _named(kind: str, section: dict[str, Any]) -> Spec:
    return {"name": f"{kind}-{section['slug']}", "kind": kind, "human": section["human"]}


def _correlations(section: dict[str, Any], score: str, summary: list[dict[str, Any]]) -> Spec:
    shown = shown_metrics(summary, FOREST)
    which = (
        f": the best of each family and the best of all, {len(shown)} of {len(summary)}"
        if len(shown) < len(summary)
        else ""
    )
    filled = " Filled points are not significantly outperformed by any other metric."
    return {
        **_named("correlations", section),
        "metrics": shown,
        "title": f"Correlation with {score}",
        "caption": f"Pearson's r of metrics with {score} over systems, with intervals{which}."
        + (filled if section["williams"] is not None else ""),
        "signatures": _keys(section["summary"]),
    }


def _williams(section: dict[str, Any], score: str, summary: list[dict[str, Any]]) -> Spec:
    return {
        **_named("williams", section),
        "metrics": shown_metrics(summary, HEAT),
        "title": f"Which metric follows {score} better",
        "caption": "A square: the metric of the row correlates significantly higher than that of the column (Williams' test, "
        "one-sided); the larger it is, the smaller is p. Correlations beside the names.",
        "signatures": [section["williams"]["signature"]],
    }


def _prediction(
    data: dict[str, Any], section: dict[str, Any], score: str, summary: list[dict[str, Any]]
) -> list[Spec]:
    """None where no curve has a point."""
    rows = records(section["prediction"]) if section["prediction"] is not None else []
    known = {row["metric"] for row in rows if row["recall"] is not None and row["precision"] is not None}
    origin = {row["metric"]: row["of"] for row in records(data["metrics"]) if row["level"] == "system"}
    of_items: dict[str, dict[str, Any]] = {}
    for row in summary:
        name = origin[row["metric"]]
        if name in known:
            of_items.setdefault(name, row | {"metric": name})
    chosen = shown_metrics(list(of_items.values()), CURVES)
    if not chosen:
        return []
    return [
        {
            **_named("prediction", section),
            "metrics": chosen,
            "title": f"Significant differences in {score}, as metrics predict them",
            "caption": "Recall and precision of significant differences between systems; the points of a curve are levels of α.",
            "signatures": _keys(section["prediction"]),
        }
    ]


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
