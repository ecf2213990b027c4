"""Errors marked in translations, MQM (Freitag et al. 2021): tab-separated, one error a row, as scores of segments or as judgments.

``system doc doc_id seg_id rater source target category severity comment``; Marot and Anthea write small letters and call three of the
columns ``docSegId``, ``globalSegId`` and ``metadata`` (JSON). ``doc_id`` is the number of the segment in its document. A span is enclosed
in ``<v>…</v>``, in source or target; a segment without errors has a row No-error. Lower is better, and the table of scores says so
(published segment files hold the negative).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from metrics.errors import BadInput
from metrics.formats.base import Format
from metrics.formats.mqm_file import ATTENTION, METRIC, WEIGHTS, cells_of, severities_of
from metrics.formats.mqm_spans import (
    read_documents_table,
    read_judgments,
    read_outputs_table,
    write_judgments,
)
from metrics.frames import check_scores
from metrics.human.spans.weights import WeightTable, weight_table
from metrics.tables import Columns


def read_scores(paths: Sequence[Path], *, error_weights: str = WEIGHTS, quoted: bool = False) -> pd.DataFrame:
    """A score table of ``mqm``, item = seg_id, the number of the segment in the test set."""
    table = weight_table(error_weights)
    if table.by_study and not table.weights:
        raise BadInput("expected --error-weights with a named table or own weights: the file has none")
    rows = pd.concat([_errors(path, table, quoted) for path in paths], ignore_index=True)
    _refuse_two_test_sets(rows)
    if rows.empty:
        raise BadInput("expected errors, found tests of raters only", file=str(paths[0]))
    of_raters = rows.groupby(["system", "item", "rater"], sort=False)["weight"].sum()
    scores = of_raters.groupby(level=["system", "item"], sort=False).mean().rename("score").reset_index()
    return check_scores(scores.assign(metric=METRIC, higher_is_better=False))


def _refuse_two_test_sets(rows: pd.DataFrame) -> None:
    elsewhere = rows.loc[rows["document"] != rows.groupby("item")["document"].transform("first"), "item"]
    if not elsewhere.empty:
        raise BadInput(f"expected files of one test set: segment {elsewhere.iloc[0]} is in two documents")


def _errors(path: Path, table: WeightTable, quoted: bool) -> pd.DataFrame:
    columns = Columns(cells_of(path, quoted), file=str(path))
    severity, category = severities_of(columns, table), columns.text("category")
    item, document = columns.text("seg_id", needed=True), columns.text("doc", needed=True)
    columns.refuse(
        document != document.groupby(item).transform("first"),
        "seg_id",
        "a number that is in one document only",
    )
    counted = severity.str.lower() != ATTENTION
    weights = [
        table.weight(one, two, float("nan")) if counts else 0.0
        for one, two, counts in zip(severity, category, counted, strict=True)
    ]
    rows = pd.DataFrame(
        {
            "system": columns.text("system", needed=True),
            "document": document,
            "item": item,
            "rater": columns.text("rater", needed=True),
            "weight": pd.Series(weights, index=severity.index, dtype="float64"),
        }
    )
    return rows[counted]


FORMAT = Format(
    "MQM errors (tabs)",
    reads={
        "scores": read_scores,
        "judgments": read_judgments,
        "outputs": read_outputs_table,
        "documents": read_documents_table,
    },
    writes={"judgments": write_judgments},
)
