"""What several commands read: one score of a table as system × item."""

from __future__ import annotations

import warnings
from pathlib import Path

import pandas as pd

from metrics.errors import BadInput, UndefinedScoreWarning
from metrics.frames import read_scores
from metrics.meta.tables import table_matrix


def systems_by_items(path: Path, metric: str) -> tuple[pd.DataFrame, bool]:
    """The matrix of one score, systems without any left out and said, and whether higher is better."""
    table = read_scores(path)
    matrix = table_matrix(table, metric, file=path, items=True)
    nothing = matrix.index[matrix.isna().all(axis="columns")]
    if len(nothing):
        warnings.warn(
            f"left out, without any score: {', '.join(nothing)}", UndefinedScoreWarning, stacklevel=2
        )
    matrix = matrix.drop(index=nothing)
    if len(matrix) < 2:
        raise BadInput(f"expected scores of {metric} for two systems or more", file=str(path))
    return matrix, bool(table.loc[table["metric"] == metric, "higher_is_better"].all())
