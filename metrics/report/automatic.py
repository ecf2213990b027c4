"""Automatic scores of the study: computed from its texts, imported as a score table, or both."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any

import pandas as pd

from metrics.automatic import registry
from metrics.automatic.run import score
from metrics.frames import check_scores, oriented, system_scores
from metrics.meta.tables import table_matrix
from metrics.report.book import Book
from metrics.report.inputs import Inputs
from metrics.report.options import Options, default_metrics
from metrics.signature import signature

IMPORTED = "imported"
INFO = ["metric", "level", "of", "family", "higher_is_better", "source", "systems", "items", "signature"]


@dataclass(frozen=True)
class MetricResult:
    """Score tables at both levels, as given and as matrices in which higher is better."""

    system: pd.DataFrame
    item: pd.DataFrame
    info: pd.DataFrame
    """One row per metric and level, see ``INFO``; ``of`` is the item-level metric a system score is made of."""
    system_matrices: dict[str, pd.DataFrame]
    item_matrices: dict[str, pd.DataFrame]

    @property
    def empty(self) -> bool:
        return self.info.empty


def metric_results(
    inputs: Inputs,
    options: Options,
    book: Book,
    *,
    executor: Executor | None,
    processes: int | None,
    progress: Callable[[int, int], None],
) -> MetricResult:
    """All metrics of the study. An imported metric of the same name takes the place of a computed one."""
    parts = []
    if inputs.scores is not None:
        parts.append(_imported(inputs.scores, inputs.hashes["scores"]))
    if inputs.has_texts:
        with book.noting("metrics"):
            parts.append(_computed(inputs, options, executor, processes, progress))
    else:
        book.miss("computed-scores", _why_no_texts(inputs))
    system, item, info = (_together([part[number] for part in parts]) for number in range(3))
    if not parts:
        info = pd.DataFrame(columns=INFO)
    twice = info.duplicated(["metric", "level"]) if len(info) else pd.Series(dtype="bool")
    book.leave_out("computed metrics", int(twice.sum()), "the score table has a metric of that name")
    info = info[~twice].reset_index(drop=True)
    return MetricResult(system, item, info, _matrices(system, items=False), _matrices(item, items=True))


def _why_no_texts(inputs: Inputs) -> str:
    if inputs.outputs is not None:
        return "outputs were given without references"
    if inputs.references is not None:
        return "references were given without outputs"
    return "no texts were given: outputs and references are needed to compute metrics"


def _computed(
    inputs: Inputs,
    options: Options,
    executor: Executor | None,
    processes: int | None,
    progress: Callable[[int, int], None],
) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    assert inputs.outputs is not None and inputs.references is not None
    chosen: Sequence[str] = default_metrics() if options.metrics is None else list(options.metrics)
    choices = registry.select(chosen, level="system")
    of_items = dict.fromkeys(choice.metric.name for choice in choices)
    scores = score(
        inputs.outputs,
        inputs.references,
        metrics=of_items,
        executor=executor,
        processes=processes,
        progress=progress,
    )
    of_systems = [choice.name for choice in choices]
    tables = {"system": scores.table("system", of_systems), "item": scores.table("item", of_items)}
    signatures = {
        "system": scores.signatures("system", of_systems),
        "item": scores.signatures("item", of_items),
    }
    origin = {choice.name: choice.metric for choice in choices} | {
        choice.metric.name: choice.metric for choice in choices
    }
    info = [
        {
            "metric": name,
            "level": level,
            "of": origin[name].name,
            "family": origin[name].family,
            "higher_is_better": origin[name].higher_is_better,
            "source": "computed",
            **_extent(tables[level], name),
            "signature": line,
        }
        for level, lines in signatures.items()
        for name, line in lines.items()
    ]
    return check_scores(tables["system"]), check_scores(tables["item"]), pd.DataFrame(info, columns=INFO)


def _imported(scores: pd.DataFrame, sha256: str) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """System scores of all its metrics (means of items where no others are given), item scores of those that have any."""
    names = list(dict.fromkeys(scores["metric"]))
    direction = scores.groupby("metric")["higher_is_better"].first()
    system = pd.concat(
        [
            system_scores(scores, name).rename("score").reset_index().assign(metric=name, item="")
            for name in names
        ]
    )
    system = system.assign(higher_is_better=system["metric"].map(direction))
    item = scores[scores["item"] != ""]
    info = [
        {
            "metric": name,
            "level": level,
            "of": name,
            "family": IMPORTED,
            "higher_is_better": bool(direction[name]),
            "source": IMPORTED,
            **_extent(table, name),
            "signature": signature(IMPORTED, {"metric": name, "level": level, "data": sha256[:12]}),
        }
        for level, table in (("system", system), ("item", item))
        for name in names
        if name in set(table["metric"])
    ]
    columns = ["metric", "system", "item", "score", "higher_is_better"]
    return system[columns], item[columns], pd.DataFrame(info, columns=INFO)


def _extent(table: pd.DataFrame, name: str) -> dict[str, int]:
    rows = table[(table["metric"] == name) & table["score"].notna()]
    return {"systems": rows["system"].nunique(), "items": rows.loc[rows["item"] != "", "item"].nunique()}


def _together(tables: list[pd.DataFrame]) -> pd.DataFrame:
    """One table after the other; of a metric that is in several, the first counts."""
    found: list[pd.DataFrame] = []
    seen: set[str] = set()
    for table in tables:
        found.append(table[~table["metric"].isin(seen)] if "score" in table.columns else table)
        seen |= set(table["metric"])
    return pd.concat(found, ignore_index=True) if found else pd.DataFrame(columns=["metric"])


def _matrices(scores: pd.DataFrame, *, items: bool) -> dict[str, pd.DataFrame]:
    if scores.empty:
        return {}
    higher = oriented(scores)
    by_metric: Any = higher.groupby("metric", sort=False)
    return {str(name): table_matrix(rows, str(name), file="scores", items=items) for name, rows in by_metric}
