"""Errors marked in translations, MQM (Freitag et al. 2021), as scores of segments: tab-separated, one error a row.

``system doc doc_id seg_id rater source target category severity comment``. An error weighs 25 if it is a
non-translation, else 5 if it is major and 1 if minor, but 0.1 if it is minor punctuation; a rater's errors are summed,
raters are averaged. Lower is better, and the table says so (published segment files hold the negative). The spans
that ``<v>…</v>`` mark in source or target are not read.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from metrics.errors import BadInput
from metrics.formats.base import Format, lines_of, with_rows
from metrics.frames import check_scores
from metrics.tables import Columns

METRIC = "mqm"
NEEDED = ("system", "doc", "seg_id", "rater", "category", "severity")
WEIGHTS = {"major": 5.0, "minor": 1.0, "neutral": 0.0, "no-error": 0.0}
NON_TRANSLATION = 25.0
MINOR_PUNCTUATION = 0.1
ATTENTION = "hotw-test"
"""Hands-on-the-wheel tests: an error put in on purpose, to see whether a rater finds it. It is nobody's error."""


def read_scores(paths: Sequence[Path]) -> pd.DataFrame:
    """A score table of ``mqm``, item = seg_id, the number of the segment in the test set."""
    rows = pd.concat([_errors(path) for path in paths], ignore_index=True)
    elsewhere = rows.loc[rows["document"] != rows.groupby("item")["document"].transform("first"), "item"]
    if not elsewhere.empty:
        raise BadInput(f"expected files of one test set: segment {elsewhere.iloc[0]} is in two documents")
    if rows.empty:
        raise BadInput("expected errors, found tests of raters only", file=str(paths[0]))
    of_raters = rows.groupby(["system", "item", "rater"], sort=False)["weight"].sum()
    scores = of_raters.groupby(level=["system", "item"], sort=False).mean().rename("score").reset_index()
    return check_scores(scores.assign(metric=METRIC, higher_is_better=False))


def _errors(path: Path) -> pd.DataFrame:
    columns = Columns(_cells(path), file=str(path))
    severity = columns.text("severity").str.lower()
    columns.refuse(
        ~severity.isin([*WEIGHTS, ATTENTION]), "severity", "one of Major, Minor, Neutral, No-error, HOTW-test"
    )
    category = columns.text("category").str.lower()
    weight = severity.map(WEIGHTS)
    weight = weight.mask((severity == "minor") & category.eq("fluency/punctuation"), MINOR_PUNCTUATION)
    weight = weight.mask(category.str.startswith("non-translation"), NON_TRANSLATION)
    item, document = columns.text("seg_id", needed=True), columns.text("doc", needed=True)
    columns.refuse(
        document != document.groupby(item).transform("first"),
        "seg_id",
        "a number that is in one document only",
    )
    rows = pd.DataFrame(
        {
            "system": columns.text("system", needed=True),
            "document": document,
            "item": item,
            "rater": columns.text("rater", needed=True),
            "weight": weight,
        }
    )
    return rows[severity != ATTENTION]


def _cells(path: Path) -> pd.DataFrame:
    """Cells are never in quotes; a row may lack the empty ones at its end."""
    lines = [(row, line.split("\t")) for row, line in enumerate(lines_of(path), start=1) if line.strip()]
    if len(lines) < 2:
        raise BadInput("expected a header and errors", file=str(path))
    header = lines[0][1]
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


FORMAT = Format("MQM errors as scores of segments (tabs)", reads={"scores": read_scores})
