"""What a reader of a table must know beside its numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pandas as pd

from metrics.automatic import registry
from metrics.errors import BadInput


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


def of_averaged(metrics: Mapping[str, pd.DataFrame]) -> list[str]:
    """The same for matrices of which some have system scores already (one column), and others are averaged."""
    return of_item_means(name for name, matrix in metrics.items() if matrix.shape[1] > 1)


def _has_corpus_score(name: str) -> bool:
    try:
        return "corpus" in registry.metric(name).system_names().values()
    except BadInput:  # a metric from elsewhere
        return False
