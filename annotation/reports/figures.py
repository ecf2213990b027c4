"""What plots are drawn from: small JSON that the page's script turns into SVG, and that is saved as CSV.

Every figure has ``kind`` (a module in ``static/report/plots/``), ``name`` (of its files), ``title``, and its data as
``columns`` and ``rows``; what else it has, its module explains.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from annotation.reports.data import Record, ReportData, records

Figure = dict[str, Any]
CURVES = 6  # more lines than this nobody can tell apart


def _figure(
    kind: str, name: str, title: str, columns: Sequence[str], rows: Sequence[Record], **more: Any
) -> Figure:
    cells = [[row[column] for column in columns] for row in rows]
    return {"kind": kind, "name": name, "title": title, "columns": list(columns), "rows": cells, **more}


def system_figure(human: Record, *, confidence: float) -> Figure:
    """Means with intervals, the best system on top; clusters are told apart by bands."""
    return _figure(
        "intervals",
        f"systems-{human['slug']}",
        f"Systems by {human['id']}",
        ("system", "mean", "low", "high", "cluster"),
        records(human["systems"]),
        x=f"{human['score']}, mean and {confidence:.0%} interval",
    )


def pair_figure(human: Record, *, alpha: float) -> Figure | None:
    """Who is significantly better than whom: row against column, Holm-adjusted p-values."""
    systems = [row["system"] for row in records(human["systems"])]
    pairs = records(human["pairs"])
    if len(systems) < 2:
        return None
    return _figure(
        "pvalues",
        f"pairs-{human['slug']}",
        f"Pairs of systems by {human['id']}",
        ("system_a", "system_b", "difference", "pvalue_adjusted"),
        pairs,
        names=systems,
        pvalue=_triangle(systems, pairs),
        two_sided=True,
        alpha=alpha,
        row="significantly better than",
        what="adjusted p",
    )


def _triangle(systems: list[str], pairs: list[Record]) -> list[list[float | None]]:
    """p-values of each system against those after it, in the order of the table."""
    of_pair = {frozenset((pair["system_a"], pair["system_b"])): pair["pvalue_adjusted"] for pair in pairs}
    return [
        [of_pair.get(frozenset((first, second))) for second in systems[place + 1 :]]
        for place, first in enumerate(systems)
    ]


def box_figure(report: ReportData, task: str, criterion: str) -> Figure | None:
    """How each assessor used the scale, before and after normalisation (Leusch et al. 2005, Figure 1)."""
    section = report.data["assessors"]
    rows = [
        row
        for row in records(section["distributions"])
        if (row["task"], row["criterion"]) == (task, criterion)
    ]
    if not rows:
        return None
    return _figure(
        "boxes",
        f"distributions-{task}-{criterion}",
        f"Scores of each assessor, {task}: {criterion}",
        ("assessor", "stage", "n", "mean", "deviation", "minimum", "lower", "median", "upper", "maximum"),
        rows,
        stages={"raw": "as given", section["normalise"]: f"normalised ({section['normalise']})"},
    )


def share_figure(report: ReportData, task: str, criterion: str) -> Figure | None:
    """How often each assessor gave each value of a short scale."""
    rows = [
        row
        for row in records(report.data["assessors"]["shares"])
        if (row["task"], row["criterion"]) == (task, criterion)
    ]
    if not rows:
        return None
    return _figure(
        "shares",
        f"shares-{task}-{criterion}",
        f"Values each assessor gave, {task}: {criterion}",
        ("assessor", "value", "count", "share"),
        rows,
    )


def speed_figure(report: ReportData, task: str) -> Figure | None:
    rows = [row for row in records(report.data["assessors"]["speed"]) if row["task"] == task]
    if not rows:
        return None
    return _figure(
        "times",
        f"speed-{task}",
        f"Seconds per judgment, {task}",
        ("assessor", "judgments", "seconds", "median"),
        rows,
        x="seconds per judgment",
    )


def scatter_figure(report: ReportData, human: Record, metric: Record, caption: str) -> Figure | None:
    """Every system's automatic score against its human score."""
    scores = report.data["metric_scores"]
    if scores is None or metric["metric"] not in scores["metrics"]:
        return None
    own = dict(
        zip(scores["systems"], scores["scores"][scores["metrics"].index(metric["metric"])], strict=True)
    )
    rows = [
        {"system": row["system"], "type": row["type"], "human": row["mean"], "metric": own.get(row["system"])}
        for row in records(human["systems"])
    ]
    direction = "" if metric["higher_is_better"] else " (lower is better)"
    return _figure(
        "scatter",
        f"scatter-{human['slug']}-{metric['metric']}",
        f"{metric['metric']} against {human['id']}",
        ("system", "type", "human", "metric"),
        [row for row in rows if row["human"] is not None and row["metric"] is not None],
        x=f"{human['id']}, mean",
        y=f"{metric['metric']}{direction}",
        note=caption,
    )


def williams_figure(human: Record, williams: Record) -> Figure:
    """Which metric correlates significantly higher than which (Graham 2015, Figure 3)."""
    names = williams["metrics"]
    rows = [
        {"metric": name, "pearson": own, "outperformed_by": times}
        for name, own, times in zip(names, williams["correlation"], williams["outperformed_by"], strict=True)
    ]
    return _figure(
        "pvalues",
        f"williams-{human['slug']}",
        f"Williams tests of {len(names)} metrics, {human['id']}",
        ("metric", "pearson", "outperformed_by"),
        rows,
        names=names,
        pvalue=williams["pvalue"],
        two_sided=False,
        alpha=williams["alpha"],
        row="correlates higher than",
        what="p",
    )


def curve_figure(human: Record, curves: list[Record], chosen: Sequence[str]) -> Figure | None:
    """Recall and precision of significant differences over α (Lin & Hovy 2003, Figure 3)."""
    rows = [row for row in curves if row["metric"] in chosen]
    if not rows:
        return None
    return _figure(
        "curves",
        f"prediction-{human['slug']}",
        f"Significance prediction of {human['id']}",
        ("metric", "alpha", "recall", "precision", "hits", "human", "automatic"),
        rows,
        series=list(chosen),
        x="recall of significant differences",
        y="precision",
    )


def aev_figure(human: Record, aev: Record) -> Figure:
    """R² of AEv(α, N) over its grid (Soricut & Brill 2004, Tables 1–6)."""
    rows = [
        {"N": order, "alpha": alpha, "r2": value}
        for order, values in zip(aev["orders"], aev["statistic"], strict=True)
        for alpha, value in zip(aev["alphas"], values, strict=True)
    ]
    return _figure(
        "grid",
        f"aev-{human['slug']}",
        f"R² of AEv(α, N) with {human['id']}",
        ("N", "alpha", "r2"),
        rows,
        x="α: 0 is recall, 1 is precision",
        y="N",
        best=[aev["best"]["order"], aev["best"]["alpha"]],
    )


def top_figure(rows: list[Record], human: Record) -> Figure:
    """The best metric of each family, with intervals."""
    return _figure(
        "intervals",
        f"metrics-{human['slug']}",
        f"The best metric of each family, by {human['id']}",
        ("metric", "statistic", "low", "high", "n"),
        rows,
        x="Pearson’s r over systems",
    )
