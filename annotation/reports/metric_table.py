"""The table of metrics: which rows, in which order, as the address of the page says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.http import QueryDict

from annotation.reports.data import Record, ReportData, options_of, records, reporting
from annotation.reports.figures import figure_of
from annotation.reports.pages import correlation_rows

SORTS = ("metric", "family", "statistic", "pvalue", "n")
DEFAULT_SORT = "-statistic"
MOST_CHOICES = 12


@dataclass(frozen=True)
class MetricQuery:
    """What is asked for. Anything unknown in an address means the default, so that old links go on working."""

    level: str = "system"
    method: str = "pearson"
    family: str = ""
    search: str = ""
    sort: str = DEFAULT_SORT
    metric: str = ""
    options: Mapping[str, str] | None = None

    @classmethod
    def of(cls, sent: QueryDict) -> MetricQuery:
        level, method, sort = sent.get("level", ""), sent.get("method", ""), sent.get("sort", "")
        return cls(
            level=level if level in reporting.LEVELS else "system",
            method=method if method in reporting.METHODS else "pearson",
            family=sent.get("family", ""),
            search=sent.get("q", "").strip().lower(),
            sort=sort if sort.removeprefix("-") in SORTS else DEFAULT_SORT,
            metric=sent.get("metric", ""),
            options={
                name.removeprefix("option-"): sent.get(name, "")
                for name in sent
                if name.startswith("option-") and sent.get(name)
            },
        )


@dataclass(frozen=True)
class OptionFilter:
    """One option of the chosen family, its values, and the one that is asked for."""

    name: str
    values: list[str]
    chosen: str


@dataclass(frozen=True)
class MetricTable:
    """All rows that fit, and what can be filtered by."""

    rows: list[Record]
    total: int
    families: list[str]
    filters: list[OptionFilter]


def metric_table(report: ReportData, human: Record | None, query: MetricQuery) -> MetricTable:
    found = correlation_rows(report, human, level=query.level, method=query.method)
    families = sorted({row["family"] for row in found})
    family = query.family if query.family in families else ""
    rows = [{**row, "options": options_of(row["made"])} for row in found if family in ("", row["family"])]
    filters = _filters(rows, query.options or {}) if family else []
    wanted = {each.name: each.chosen for each in filters if each.chosen}
    rows = [row for row in rows if all(row["options"].get(name) == value for name, value in wanted.items())]
    rows = [row for row in rows if query.search in row["metric"].lower()]
    return MetricTable(_sorted(rows, query.sort), len(found), families, filters)


def _filters(rows: list[Record], asked: Mapping[str, str]) -> list[OptionFilter]:
    """The options in which the metrics of a family differ."""
    values: dict[str, set[str]] = {}
    for row in rows:
        for name, value in row["options"].items():
            values.setdefault(name, set()).add(value)
    return [
        OptionFilter(name, sorted(found), asked.get(name, "") if asked.get(name) in found else "")
        for name, found in values.items()
        if 1 < len(found) <= MOST_CHOICES
    ]


def _sorted(rows: list[Record], sort: str) -> list[Record]:
    """By one column, names breaking ties; what is undefined comes last both ways."""
    column, down = sort.removeprefix("-"), sort.startswith("-")
    rows = sorted(rows, key=lambda row: row["metric"])
    known = [row for row in rows if row[column] is not None]
    known.sort(key=lambda row: row[column], reverse=down)
    return known + [row for row in rows if row[column] is None]


def chosen_metric(
    report: ReportData, human: Record, table: MetricTable, query: MetricQuery
) -> dict[str, Any]:
    """The metric of the scatter plot: the one asked for, or the first of the table."""
    rows = [row for row in table.rows if row["metric"] == query.metric] or table.rows
    if not rows:
        return {}
    of_systems = [row for row in records(report.data["metrics"]) if row["level"] == "system"]
    same = [row for row in of_systems if rows[0]["metric"] in (row["metric"], row["of"])]
    if not same:
        return {"metric": rows[0]}
    spec = reporting.scatter_spec(report.data, human["id"], same[0]["metric"])
    return {"metric": rows[0], "scatter": figure_of(report, spec)}
