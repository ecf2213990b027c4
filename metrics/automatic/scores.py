"""The result of scoring a collection: rows of counts, and from them item scores, system scores, signatures."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from metrics.automatic import registry
from metrics.automatic.base import Metric, Rows
from metrics.automatic.registry import Choice, Level
from metrics.errors import UndefinedScoreWarning

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Scores:
    """Every metric's rows for every output (see :mod:`metrics.automatic.base` on rows)."""

    metrics: tuple[Metric, ...]
    outputs: pd.DataFrame
    """``system, item``, in the order the outputs were given."""
    rows: Mapping[str, Rows]
    """By metric name, one row per output; NaN where the item has no reference. Rows of a system can be added up."""
    references: tuple[int, int]
    """The least and the greatest number of references of an item."""

    def items(self, metric: str) -> FloatArray:
        """The score of each output."""
        rows = self.rows[metric]
        found = self._metric(metric)
        scores = np.full(len(rows), np.nan)
        present = ~np.isnan(rows).any(axis=1)
        if present.any():
            scores[present] = registry.families()[found.family].score(found, rows[present])
        return scores

    def table(self, level: Level = "item", names: Iterable[str] | None = None) -> pd.DataFrame:
        """The score table: ``metric, system, item, score``, and ``higher_is_better`` where a metric says no.

        ``names`` are names and globs of this level, by default everything that was computed.
        """
        choices = self._choices(level, names)
        make = self._item_table if level == "item" else self._system_table
        tables = [make(choice) for choice in choices]
        columns = ["metric", "system", "item", "score", "higher_is_better"]
        table = pd.concat(tables, ignore_index=True) if tables else pd.DataFrame(columns=columns)
        _warn_of_undefined(table)
        return table.drop(columns="higher_is_better") if table["higher_is_better"].all() else table

    def signatures(self, level: Level = "item", names: Iterable[str] | None = None) -> dict[str, str]:
        """How each score of :meth:`table` was made, by its name there."""
        scored = self.outputs[self._scored()]
        counts = scored.groupby("system").size() if level == "system" else pd.Series([len(scored)])
        return {
            choice.name: choice.metric.signature(
                level=level,
                aggregate=choice.aggregate,
                references=_span(*self.references),
                n=_span(int(counts.min()), int(counts.max())) if len(counts) else "0",
            )
            for choice in self._choices(level, names)
        }

    def _scored(self) -> npt.NDArray[np.bool_]:
        """The outputs that have a reference: some metric has a row for them."""
        found = np.zeros(len(self.outputs), dtype=bool)
        for rows in self.rows.values():
            found |= ~np.isnan(rows).all(axis=1)
        return found

    def _metric(self, name: str) -> Metric:
        return next(metric for metric in self.metrics if metric.name == name)

    def _choices(self, level: Level, names: Iterable[str] | None) -> list[Choice]:
        wanted = [metric.name for metric in self.metrics] if names is None else names
        return [choice for choice in registry.select(wanted, level=level) if choice.metric.name in self.rows]

    def _item_table(self, choice: Choice) -> pd.DataFrame:
        return self.outputs.assign(
            metric=choice.name, score=self.items(choice.name), higher_is_better=choice.metric.higher_is_better
        )[["metric", "system", "item", "score", "higher_is_better"]]

    def _system_table(self, choice: Choice) -> pd.DataFrame:
        systems = self.outputs["system"].drop_duplicates().tolist()
        of_system = self.outputs.groupby("system").indices
        scores = [
            self._system_score(choice, np.asarray(of_system[system], dtype=np.intp)) for system in systems
        ]
        return pd.DataFrame(
            {
                "metric": choice.name,
                "system": systems,
                "item": "",
                "score": scores,
                "higher_is_better": choice.metric.higher_is_better,
            }
        )

    def _system_score(self, choice: Choice, own: npt.NDArray[np.intp]) -> float:
        """Over the outputs that have a score; what has none (no reference, no value) is left out, not counted as 0."""
        metric = choice.metric
        if choice.aggregate == "corpus":
            rows = self.rows[metric.name][own]
            rows = rows[~np.isnan(rows).any(axis=1)]
            if not len(rows):
                return float("nan")
            return float(registry.families()[metric.family].score(metric, rows.sum(axis=0, keepdims=True))[0])
        scores = self.items(metric.name)[own]
        scores = scores[~np.isnan(scores)]
        if not len(scores):
            return float("nan")
        return float(np.mean(scores) if choice.aggregate == "mean" else np.median(scores))


def _warn_of_undefined(table: pd.DataFrame) -> None:
    undefined = table[table["score"].isna()]
    if len(undefined):
        first = undefined.iloc[0]
        warnings.warn(
            f"{len(undefined)} of {len(table)} scores are undefined (first: {first['metric']}, system {first['system']}, "
            f"item {first['item'] or 'all'})",
            UndefinedScoreWarning,
            stacklevel=3,
        )


def _span(low: int, high: int) -> str:
    return str(low) if low == high else f"{low}-{high}"
