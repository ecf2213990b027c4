"""The result of scoring a collection: rows of counts, and from them item scores, system scores,
signatures."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from metrics.automatic import registry
from metrics.automatic.base import Aggregate, Metric, Rows
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
    """By metric name, one row per output; NaN where the item has no reference. Rows of a system can be
    added up."""
    references: tuple[int, int]
    """The least and the greatest number of references of an item."""

    def items(self, metric: str) -> FloatArray:
        """The score of each output."""
        rows = self.rows[metric]
        found = registry.metric(metric)
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
        systems = self.outputs["system"].drop_duplicates()
        places = self.outputs if level == "item" else pd.DataFrame({"system": systems, "item": ""})
        rows = self.outputs.groupby("system").indices
        own = [np.asarray(rows[system], dtype=np.intp) for system in systems]
        scores = [self.items(c.name) if level == "item" else self._systems(c, own) for c in choices]
        table = pd.DataFrame(
            {
                "metric": np.repeat(np.array([choice.name for choice in choices], dtype=object), len(places)),
                "system": np.tile(places["system"].to_numpy(dtype=object), len(choices)),
                "item": np.tile(places["item"].to_numpy(dtype=object), len(choices)),
                "score": np.concatenate(scores) if scores else np.empty(0),
                "higher_is_better": np.repeat([c.metric.higher_is_better for c in choices], len(places)),
            }
        )
        _warn_of_undefined(table)
        return table.drop(columns="higher_is_better") if table["higher_is_better"].all() else table

    def signatures(self, level: Level = "item", names: Iterable[str] | None = None) -> dict[str, str]:
        """How each score of :meth:`table` was made, by its name there."""
        scored = self.outputs[self._scored()]
        counts = scored.groupby("system").size() if level == "system" else pd.Series([len(scored)])
        made = {metric.name: metric for metric in self.metrics}
        return {
            choice.name: made[choice.metric.name].signature(
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

    def _choices(self, level: Level, names: Iterable[str] | None) -> list[Choice]:
        wanted = [metric.name for metric in self.metrics] if names is None else names
        return [choice for choice in registry.select(wanted, level=level) if choice.metric.name in self.rows]

    def _systems(self, choice: Choice, of_systems: Sequence[npt.NDArray[np.intp]]) -> FloatArray:
        """Over the outputs that have a score; what has none (no reference, no value) is left out, not
        counted as 0."""
        if choice.aggregate == "corpus":
            rows = self.rows[choice.metric.name]
            return np.array([_corpus_score(choice.metric, rows[own]) for own in of_systems])
        scores = self.items(choice.metric.name)
        return np.array([_average(choice.aggregate, scores[own]) for own in of_systems])


def _corpus_score(metric: Metric, rows: Rows) -> float:
    rows = rows[~np.isnan(rows).any(axis=1)]
    if not len(rows):
        return float("nan")
    return float(registry.families()[metric.family].score(metric, rows.sum(axis=0, keepdims=True))[0])


def _average(aggregate: Aggregate | None, scores: FloatArray) -> float:
    scores = scores[~np.isnan(scores)]
    if not len(scores):
        return float("nan")
    return float(np.median(scores) if aggregate == "median" else np.mean(scores))


def _warn_of_undefined(table: pd.DataFrame) -> None:
    undefined = table[table["score"].isna()]
    if len(undefined):
        first = undefined.iloc[0]
        warnings.warn(
            f"{len(undefined)} of {len(table)} scores are undefined "
            f"(first: {first['metric']}, system {first['system']}, item {first['item'] or 'all'})",
            UndefinedScoreWarning,
            stacklevel=3,
        )


def _span(low: int, high: int) -> str:
    return str(low) if low == high else f"{low}-{high}"
