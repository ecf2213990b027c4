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
    if tables.human.shape[1] > 1:
        notes += _of_different_items(tables.human, averaged)
    return notes


def of_shared_items(tables: ScoreTables) -> list[str]:
    """Whether all metrics are averaged over the same outputs: those that people have judged and a metric has scored."""
    cells: dict[str, int] = {}
    masks = []
    for name, matrix in tables.metrics.items():
        here = (
            matrix.reindex(index=tables.human.index, columns=tables.human.columns).notna()
            & tables.human.notna()
        )
        masks.append(here)
        cells[name] = int(here.to_numpy().sum())
    if all(mask.equals(masks[0]) for mask in masks):
        return []
    least, most = min(cells, key=cells.__getitem__), max(cells, key=cells.__getitem__)
    return [
        "metrics are compared with people on different outputs: "
        f"{cells[least]} of {least}, {cells[most]} of {most}; their numbers may differ for that reason alone"
    ]


def _of_different_items(human: pd.DataFrame, metrics: dict[str, pd.DataFrame]) -> list[str]:
    """Whether a system's mean is over the same items on both sides, and over the same as another system's."""
    apart: dict[str, tuple[int, int, int]] = {}
    for name, matrix in metrics.items():
        systems = human.index.intersection(matrix.index)
        items = human.columns.union(matrix.columns)
        people, scored = (m.reindex(index=systems, columns=items).notna() for m in (human, matrix))
        if not people.equals(scored):
            both = (people & scored).any().sum()
            apart[name] = int(people.any().sum()), int(scored.any().sum()), int(both)
    notes = []
    if apart:
        name, (people_items, metric_items, same) = next(iter(apart.items()))
        others = f" and {len(apart) - 1} more" if len(apart) > 1 else ""
        notes.append(
            f"system scores are means over different items: {people_items} of the human scores, {metric_items} of {name}"
            f"{others}; {same} are the same"
        )
    present = human.notna()
    if not (present == present.iloc[0]).all(axis=None):
        fewest, most = int(present.sum(axis=1).min()), int(present.sum(axis=1).max())
        counted = f"{fewest}" if fewest == most else f"{fewest} to {most}"
        notes.append(
            f"people have judged different items of different systems ({counted} of each): means are over those"
        )
    return notes


def _has_corpus_score(name: str) -> bool:
    try:
        return "corpus" in registry.metric(name).system_names().values()
    except BadInput:  # a metric from elsewhere
        return False
