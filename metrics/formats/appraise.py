"""Direct assessments as Appraise exports them (Federmann 2018): CSV without a header.

``user, system, itemID, itemType, srcLang, tgtLang, score``; tasks with documents add ``documentID,
isCompleteDocument``, newer versions also the errors that were marked (``mqm``); the full export ends in ``start_time,
end_time``, seconds since 1970. CHK repeats an item, BAD is a degraded text, REF a reference in place of an output.
"""

from __future__ import annotations

import csv
import io
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from metrics.errors import BadInput
from metrics.formats.base import Format, number, text_of, with_rows
from metrics.formats.direct_assessment import ADEQUACY, assessments_of, judgments_of, language_pairs
from metrics.tables import Columns

PLAIN = ("user", "system", "itemID", "itemType", "srcLang", "tgtLang", "score")
DOCUMENT = ("documentID", "isCompleteDocument")
TIMES = ("start_time", "end_time")
LAYOUTS = (
    PLAIN,
    (*PLAIN, *TIMES),
    (*PLAIN, *DOCUMENT),
    (*PLAIN, *DOCUMENT, *TIMES),
    (*PLAIN, *DOCUMENT, "mqm", *TIMES),
)
CONTROLS = {"TGT": "", "CHK": "repeat", "BAD": "degraded", "REF": "gold"}
WHOLE = "-document"
"""Scores of whole documents are a task of their own, so that they are never averaged with those of segments."""

_LATEST = 1e11
_NO_ERRORS = ("", "[]", '"[]"')


def read_judgments(paths: Sequence[Path], *, criterion: str = ADEQUACY) -> pd.DataFrame:
    """The long table: task = pair of languages, item = itemID, control from itemType."""
    return judgments_of([_read(path, criterion) for path in paths])


def _read(path: Path, criterion: str) -> pd.DataFrame:
    columns = Columns(cells_of(path), file=str(path))
    kind = columns.text("itemType", among=tuple(CONTROLS))
    source, target = columns.text("srcLang", needed=True), columns.text("tgtLang", needed=True)
    rows = pd.DataFrame(
        {
            "assessor": columns.text("user", needed=True),
            "system": columns.text("system", needed=True),
            "item": columns.text("itemID", needed=True),
            "control": kind.map(CONTROLS),
            "task": source + "-" + target,
            "criterion": criterion,
            "value": columns.number("score", needed=True),
            "document": columns.text("documentID") if columns.has("documentID") else "",
        }
    )
    if columns.has("isCompleteDocument"):
        rows["task"] = rows["task"].mask(columns.truth("isCompleteDocument"), rows["task"] + WHOLE)
    if columns.has("mqm") and not columns.text("mqm").isin(_NO_ERRORS).all():
        warnings.warn(f"{path}: marked errors (column mqm) are not read, only scores", stacklevel=4)
    return rows.assign(**times_of(columns)) if columns.has("start_time") else rows


def cells_of(path: Path) -> pd.DataFrame:
    """The raw cells, with the columns that their number tells."""
    reader = csv.reader(io.StringIO(text_of(path), newline=""), strict=True)
    rows: list[list[str]] = []
    numbers: list[int] = []
    try:
        for row, cells in enumerate(reader, start=1):
            if cells:
                rows.append(cells)
                numbers.append(row)
    except csv.Error as problem:
        raise BadInput(f"expected CSV ({problem})", file=str(path), row=reader.line_num) from problem
    if not rows:
        raise BadInput("expected judgments, found none", file=str(path))
    names = _layout(rows[0], path)
    for row, cells in zip(numbers, rows, strict=True):
        if len(cells) != len(names):
            raise BadInput(f"expected {len(names)} cells, found {len(cells)}", file=str(path), row=row)
    return with_rows(numbers, dict(zip(names, zip(*rows, strict=True), strict=True)))


def _layout(first: list[str], path: Path) -> tuple[str, ...]:
    fitting = [names for names in LAYOUTS if len(names) == len(first)]
    if not fitting:
        widths = ", ".join(dict.fromkeys(str(len(names)) for names in LAYOUTS))
        raise BadInput(f"expected {widths} cells, found {len(first)}", file=str(path), row=1)
    truth = first[-1] in ("True", "False")
    return next((names for names in fitting if (names[-1] == DOCUMENT[-1]) == truth), fitting[0])


def times_of(columns: Columns) -> dict[str, pd.Series[Any]]:
    start, end = (columns.number(name, needed=True, lowest=0) for name in TIMES)
    columns.refuse(end > _LATEST, "end_time", "seconds since 1970")
    columns.refuse(end < start, "end_time", "a time that is not before start_time")
    first, last = ((time * 1e6).round().astype("int64") for time in (start, end))
    return {
        "shown_at": pd.to_datetime(first, unit="us", utc=True),
        "submitted_at": pd.to_datetime(last, unit="us", utc=True),
        "seconds": (last - first) / 1e6,
    }


def write_judgments(
    judgments: pd.DataFrame, *, criterion: str | None = None, languages: str | None = None
) -> str:
    """CSV as Appraise writes it; documents and times only where the table has them."""
    rows = assessments_of(judgments, criterion=criterion)
    whole = rows["task"].str.endswith(WHOLE)
    pairs = language_pairs(rows["task"].str.removesuffix(WHOLE), languages)
    types = {control: kind for kind, control in CONTROLS.items()}
    cells = [
        rows["assessor"],
        rows["system"],
        rows["item"],
        rows["control"].map(types),
        pairs["source"],
        pairs["target"],
        rows["value"].map(number),
    ]
    if (rows["document"] != "").any() or whole.any():
        cells += [rows["document"], whole.astype("str")]
    if rows[["shown_at", "submitted_at"]].notna().all(axis=None):
        cells += [rows[name].map(_seconds) for name in ("shown_at", "submitted_at")]
    buffer = io.StringIO()
    csv.writer(buffer).writerows(zip(*cells, strict=True))
    return buffer.getvalue()


def _seconds(moment: pd.Timestamp) -> str:
    return str(moment.timestamp())


FORMAT = Format(
    "direct assessments as Appraise exports them (CSV)",
    reads={"judgments": read_judgments},
    writes={"judgments": write_judgments},
)
