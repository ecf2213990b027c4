"""Score tables as the matrices that meta-evaluation compares: one human score and any number of metrics.

Lower-is-better scores are negated here, once, before any comparison.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from metrics.errors import BadInput, UndefinedScoreWarning
from metrics.frames import oriented, read_scores, score_matrix, system_scores
from metrics.meta.common import FloatArray, IntArray


@dataclass(frozen=True)
class ScoreTables:
    """Human scores and metric scores, system × item; a table of one column has system scores only."""

    human: pd.DataFrame
    metrics: dict[str, pd.DataFrame]


def read_score_tables(
    human: str | Path,
    metrics: str | Path,
    *,
    human_score: str | None = None,
    items: bool,
    documents: bool = False,
    human_lower_is_better: bool = False,
) -> ScoreTables:
    """Read both files; with ``items`` every score must be there for single items.

    Without, a metric that has scores for whole systems (a corpus-level one) brings those, and others their items. With
    ``documents`` scores of items are averaged into scores of documents, which the column ``document`` of either file names.
    ``human_lower_is_better`` turns human scores round of which a table does not say it itself, such as ranks.
    """
    human_table, metric_table = read_scores(human), oriented(read_scores(metrics))
    name = _only_score(human_table, human, human_score)
    if human_lower_is_better:  # the table may say it too
        human_table = human_table.assign(higher_is_better=False)
    human_table = oriented(human_table)
    gold = table_matrix(human_table, name, file=human, items=items)
    names = list(dict.fromkeys(metric_table["metric"]))
    if not names:
        raise BadInput("expected at least one score", file=str(metrics))
    tables = {each: table_matrix(metric_table, each, file=metrics, items=items) for each in names}
    for each, table in tables.items():
        if not len(table.index.intersection(gold.index)):
            raise BadInput(f"{each} shares no system with the human scores in {human}", file=str(metrics))
        if items and not len(table.columns.intersection(gold.columns)):
            raise BadInput(f"{each} shares no item with the human scores in {human}", file=str(metrics))
    if documents:
        named = _documents(human_table, metric_table, file=str(metrics))
        gold, tables = _by_document(gold, named), {name: _by_document(t, named) for name, t in tables.items()}
    _warn_of_systems_apart(gold, tables)
    if not items:
        _warn_of_mixed_rows(metric_table)
    return ScoreTables(gold, tables)


def _documents(*tables: pd.DataFrame, file: str) -> dict[str, str]:
    """Which document each item belongs to."""
    found: dict[str, str] = {}
    for table in tables:
        if "document" in table.columns:
            named = table[(table["item"] != "") & (table["document"] != "")]
            found |= dict(zip(named["item"], named["document"], strict=True))
    if not found:
        raise BadInput("expected a column document that says to which document an item belongs", file=file)
    return found


def _by_document(matrix: pd.DataFrame, documents: dict[str, str]) -> pd.DataFrame:
    """Mean scores of documents; an item of which no document is known is left out."""
    known = [name for name in matrix.columns if name in documents]
    return matrix[known].T.groupby(lambda item: documents[item]).mean().T


def _warn_of_systems_apart(gold: pd.DataFrame, tables: dict[str, pd.DataFrame]) -> None:
    """One warning for all metrics that lack, or have beside, the same systems."""
    found: dict[tuple[str, ...], list[str]] = {}
    for name, table in tables.items():
        apart = table.index.symmetric_difference(gold.index)
        if len(apart):
            found.setdefault(tuple(map(str, apart)), []).append(name)
    for systems, names in found.items():
        _say(
            f"{_listed(names)} and the human scores are compared on the systems they share; left out: {_listed(systems)}"
        )


def _warn_of_mixed_rows(scores: pd.DataFrame) -> None:
    """A metric that has scores of whole systems for some systems and of items alone for others."""
    whole = scores["item"] == ""
    for name, rows in scores.groupby("metric", sort=False):
        of_items = set(rows["system"]) - set(rows.loc[whole, "system"])
        if of_items and whole[rows.index].any():
            _say(f"{name} has no system score of {_listed(sorted(of_items))}: the mean of the items is taken")


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")


def _say(what: str) -> None:
    warnings.warn(what, UndefinedScoreWarning, stacklevel=4)


def table_matrix(scores: pd.DataFrame, metric: str, *, file: str | Path, items: bool) -> pd.DataFrame:
    """System × item of one metric; one column of system scores where those are there and ``items`` are not needed."""
    rows = scores[scores["metric"] == metric]
    if rows.empty:
        known = ", ".join(dict.fromkeys(scores["metric"])) or "none"
        raise BadInput(f"expected scores of {metric}, found {known}", file=str(file), column="metric")
    of_systems = rows["item"] == ""
    if items and of_systems.all():
        raise BadInput(
            f"expected scores of {metric} for single items, found system scores only",
            file=str(file),
            column="item",
        )
    if of_systems.any() and not items:
        return system_scores(rows, metric).to_frame()
    return score_matrix(rows, metric)


def table_matrices(scores: pd.DataFrame, *, file: str | Path, items: bool) -> dict[str, pd.DataFrame]:
    """:func:`table_matrix` of every metric, in the order of the table; those with the same systems and items share their labels."""
    metrics, names = pd.factorize(scores["metric"])
    systems, system_names = pd.factorize(scores["system"], sort=True)
    columns, item_names = pd.factorize(scores["item"], sort=True)
    values = scores["score"].to_numpy(dtype=np.float64)
    whole = (scores["item"] == "").to_numpy(dtype=bool)
    labels = _Labels(pd.Index(system_names, name="system"), pd.Index(item_names, name="item"))
    rows_of = np.split(np.argsort(metrics, kind="stable"), np.cumsum(np.bincount(metrics))[:-1])
    found = {}
    for name, rows in zip(map(str, names), rows_of, strict=True):
        of_items = ~whole[rows]
        matrix = None
        if items or of_items.all():
            kept = rows[of_items]
            matrix = labels.matrix(systems[kept], columns[kept], values[kept])
        elif not of_items.any():
            matrix = labels.column(systems[rows], values[rows], name)
        # Whatever is unusual (both kinds of rows, something twice, nothing at all) is said or solved there.
        found[name] = (
            table_matrix(scores.iloc[rows], name, file=file, items=items) if matrix is None else matrix
        )
    return found


class _Labels:
    """Rows and columns of matrices, one index for all that have the same: who compares them later sees it at once."""

    def __init__(self, systems: pd.Index[str], items: pd.Index[str]):
        self.systems, self.items = systems, items
        self._known: dict[tuple[str, bytes], pd.Index[str]] = {}

    def _of(self, names: pd.Index[str], codes: IntArray) -> pd.Index[str]:
        return self._known.setdefault((str(names.name), codes.tobytes()), names[codes])

    def matrix(self, systems: IntArray, items: IntArray, values: FloatArray) -> pd.DataFrame | None:
        """None where there is no row, or two for one cell."""
        rows, row = np.unique(systems, return_inverse=True)
        columns, column = np.unique(items, return_inverse=True)
        if not len(values) or len(np.unique(row * len(columns) + column)) < len(values):
            return None
        cells = np.full((len(rows), len(columns)), np.nan)
        cells[row, column] = values
        return pd.DataFrame(cells, self._of(self.systems, rows), self._of(self.items, columns), copy=False)

    def column(self, systems: IntArray, values: FloatArray, name: str) -> pd.DataFrame | None:
        """Scores of whole systems; None where one has two."""
        order = np.argsort(systems, kind="stable")
        rows = systems[order]
        if (rows[1:] == rows[:-1]).any():
            return None
        return pd.DataFrame(
            values[order][:, None], self._of(self.systems, rows), pd.Index([name], dtype="str"), copy=False
        )


def _only_score(scores: pd.DataFrame, file: str | Path, name: str | None) -> str:
    names = list(dict.fromkeys(scores["metric"]))
    if not names:
        raise BadInput("expected at least one score", file=str(file))
    if name is None and len(names) > 1:
        raise BadInput(
            f"expected one human score, found {', '.join(names)}: choose one with --human-score",
            file=str(file),
            column="metric",
        )
    return names[0] if name is None else name
