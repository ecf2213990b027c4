"""Files of MQM errors, cell by cell; what they mean is in ``mqm`` (scores) and ``mqm_spans`` (judgments)."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pandas as pd

from metrics.errors import BadInput
from metrics.formats.base import lines_of, text_of, with_rows
from metrics.human.spans.weights import WeightTable
from metrics.tables import Columns

METRIC = "mqm"
WEIGHTS = "freitag2021"
NEEDED = ("system", "doc", "seg_id", "rater", "category", "severity")
SPELLED = {"docSegId": "doc_id", "globalSegId": "seg_id"}
"""How Marot calls columns."""
HEADERS = {
    "wmt": (
        "system",
        "doc",
        "doc_id",
        "seg_id",
        "rater",
        "source",
        "target",
        "category",
        "severity",
        "comment",
    ),
    "marot": (
        "system",
        "doc",
        "docSegId",
        "globalSegId",
        "rater",
        "source",
        "target",
        "category",
        "severity",
        "metadata",
    ),
}
NO_ERROR = "no-error"
ATTENTION = "hotw-test"
"""Hands-on-the-wheel tests: an error put in on purpose, to see whether a rater finds it. It is nobody's error."""
FOUND, MISSED = "Found", "Missed"
KNOWN = ("major", "minor", "neutral", NO_ERROR, ATTENTION)


def severities_of(columns: Columns, table: WeightTable) -> pd.Series[str]:
    """The severities as they stand. One that weights name is taken, such as critical."""
    severity = columns.text("severity")
    small = severity.str.lower()
    columns.refuse(
        ~small.isin([*KNOWN, *table.weights]),
        "severity",
        "one of Major, Minor, Neutral, No-error, HOTW-test, or one whose weight --error-weights names",
    )
    columns.refuse(
        (columns.text("category").str.lower() == NO_ERROR) & ~small.isin([NO_ERROR, "neutral", ATTENTION]),
        "severity",
        "No-error, as the category has it",
    )
    return severity


def cells_of(path: Path, quoted: bool = False) -> pd.DataFrame:
    """Cells are not in quotes, but in one file of 2020; a row may lack the empty ones at its end."""
    if quoted:
        reader = csv.reader(io.StringIO(text_of(path), newline=""), delimiter="\t")
        lines = [(row, cells) for row, cells in enumerate(reader, start=1) if cells]
    else:
        lines = [(row, line.split("\t")) for row, line in enumerate(lines_of(path), start=1) if line.strip()]
    if len(lines) < 2:
        raise BadInput("expected a header and errors", file=str(path))
    header = [SPELLED.get(name, name) for name in lines[0][1]]
    twice = [name for name in header if header.count(name) > 1]
    if twice:
        raise BadInput("expected each column once", file=str(path), row=1, column=twice[0])
    for row, cells in lines[1:]:
        if len(cells) > len(header):
            raise BadInput(f"expected {len(header)} cells, found {len(cells)}", file=str(path), row=row)
        cells.extend([""] * (len(header) - len(cells)))
    rows = [cells for _, cells in lines[1:]]
    table = with_rows([row for row, _ in lines[1:]], dict(zip(header, zip(*rows, strict=True), strict=True)))
    Columns(table, file=str(path)).need(NEEDED)
    return table
