"""What a reader of a table must know beside its numbers."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from metrics.automatic import registry
from metrics.errors import BadInput
from metrics.meta.tables import ScoreTables


def of_item_means(names: Iterable[str]) -> list[str]:
    """One note on the metrics among these whose score of a system is not the mean of its items' scores.

    BLEU, for one, is made from counts that are summed over a system's outputs (Papineni et al. 2002). A table of item
    scores does not hold those counts.
    """
    found = [name for name in names if _has_corpus_score(name)]
    if not found:
        return []
    return [
        f"compared by means of item scores: {', '.join(found)}. What `score --level system` gives "
        "is no such mean, but made from the counts of all outputs"
    ]


def of_system_scores(tables: ScoreTables) -> list[str]:
    """How scores of systems came about, where the tables have scores of items (one column has scores of systems)."""
    averaged = {name: matrix for name, matrix in tables.metrics.items() if matrix.shape[1] > 1}
    notes = of_item_means(averaged)
    people = _items(tables.human)
    apart = {name: items for name, matrix in averaged.items() if (items := _items(matrix)) != people}
    if apart and tables.human.shape[1] > 1:
        name, items = next(iter(apart.items()))
        others = f" and {len(apart) - 1} more" if len(apart) > 1 else ""
        notes.append(
            f"system scores are means over different items: {len(people)} of the human scores, {len(items)} of {name}"
            f"{others}; {len(people & items)} are the same"
        )
    return notes


def _items(matrix: pd.DataFrame) -> set[str]:
    """The items that some system has a score for."""
    return set(matrix.columns[matrix.notna().any()])


def _has_corpus_score(name: str) -> bool:
    try:
        return "corpus" in registry.metric(name).system_names().values()
    except BadInput:  # a metric from elsewhere
        return False
