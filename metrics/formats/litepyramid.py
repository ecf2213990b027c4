"""Content units of LitePyramid (Shapira et al. 2019; REALSumm, Bhandari et al. 2020), and what of them is in a text. Read only.

- Votes, CSV, as tasks on Mechanical Turk return them: ``Input.eventId, Input.summaryId, Input.statement_1 …, Answer.S1Answer …``, one row for each
  worker and summary; a statement ``BLANK`` is no unit, an answer ``p`` is present, ``n`` not. Workers are anonymous: the first, second … vote.
- Units, CSV: ``eventId, questionId, questionText, answer, author, sourceSummaryId, forUse``, as many for each event as there are statements.
- Lite²⁻³Pyramid (Zhang & Bansal 2021): ``SYSTEM.label``, tab-separated 1 and 0, a line for each document, and ``SCUs.txt`` beside it, the
  units themselves. ``items`` has the documents' ids, a line each.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import pandas as pd

from metrics.errors import BadInput
from metrics.formats.base import Format, lines_of, long_table, read_items
from metrics.human.units_present import SLUG
from metrics.tables import Columns, read_table

BLANK = "BLANK"
VOTES = {"p": 1.0, "n": 0.0}
STATEMENT = re.compile(r"Input\.statement_(\d+)")
UNIT_COLUMNS = ("eventId", "questionText")
LABELS, UNITS = ".label", ".txt"
AUTHORS, LABELLERS = "authors", "labels"

Rows = list[dict[str, object]]
Texts = dict[tuple[str, str], str]
"""What units say, by item and unit."""


def read_judgments(paths: Sequence[Path], *, items: Path | None = None) -> pd.DataFrame:
    """The long table: the units' texts as rows without a system, and every vote; an assessor is a slot, not a person."""
    ids = None if items is None else read_items(items)
    texts: Texts = {}
    rows: Rows = []
    for path in paths:
        if path.suffix == UNITS:
            _add(texts, _lines(path, ids), path)
        elif path.suffix == LABELS:
            rows += _labels(path, ids)
        else:
            columns = Columns(read_table(path), file=str(path))
            if columns.has("questionText"):
                _add(texts, _listed(columns), path)
            else:
                votes, said = _votes(columns)
                rows += votes
                _add(texts, said, path)
    _check_number(rows, texts)
    units: Rows = [
        {
            "item": item,
            "document": item,
            "unit": unit,
            "criterion": "unit",
            "label": text,
            "assessor": AUTHORS,
        }
        for (item, unit), text in texts.items()
    ]
    return long_table([*units, *rows], paths, kind=SLUG, task="units")


def _unit(item: str, number: int | str) -> str:
    return f"{item}-ref/{number}"


def _add(texts: Texts, said: Iterator[tuple[str, str, str]], path: Path) -> None:
    for item, number, text in said:
        if texts.setdefault((item, _unit(item, number)), text) != text:
            raise BadInput(f"expected one text of unit {number} of {item}, found another", file=str(path))


def _check_number(rows: Rows, texts: Texts) -> None:
    """Labels have no texts of their own: where units are given, each label must be that of one."""
    items = {item for item, _ in texts}
    for row in rows:
        item = str(row["item"])
        if item in items and (item, str(row["unit"])) not in texts:
            raise BadInput(f"expected the text of unit {row['unit']}, of which {row['system']} has a label")


# --- CSV ------------------------------------------------------------------------------------------------------------


def _votes(columns: Columns) -> tuple[Rows, Iterator[tuple[str, str, str]]]:
    columns.need(("Input.eventId", "Input.summaryId"))
    numbers = [match.group(1) for name in columns.frame.columns if (match := STATEMENT.fullmatch(str(name)))]
    if not numbers:
        raise BadInput("expected columns Input.statement_1 …", file=columns.file)
    columns.need([f"Answer.S{number}Answer" for number in numbers])
    item, system = columns.text("Input.eventId", needed=True), columns.text("Input.summaryId", needed=True)
    slot = item.groupby([item, system]).cumcount() + 1
    rows: Rows = []
    said = []
    for number in numbers:
        text, answer = columns.text(f"Input.statement_{number}"), columns.text(f"Answer.S{number}Answer")
        asked = ~text.isin([BLANK, ""])
        columns.refuse(asked & ~answer.isin([*VOTES]), f"Answer.S{number}Answer", "p or n")
        said += [(name, number, unit) for name, unit in zip(item[asked], text[asked], strict=True)]
        rows += [
            _present(f"vote-{n}", who, name, number, VOTES[vote])
            for name, who, n, vote in zip(item[asked], system[asked], slot[asked], answer[asked], strict=True)
        ]
    return rows, iter(said)


def _present(assessor: str, system: str, item: str, number: int | str, value: float) -> dict[str, object]:
    return {
        "assessor": assessor,
        "system": system,
        "item": item,
        "document": item,
        "unit": _unit(item, number),
        "criterion": "present",
        "value": value,
    }


def _listed(columns: Columns) -> Iterator[tuple[str, str, str]]:
    """Units are numbered within their event, as the statements of votes are; ids run through all events."""
    columns.need(UNIT_COLUMNS)
    item, text = (columns.text(name, needed=True) for name in UNIT_COLUMNS)
    number = item.groupby(item).cumcount() + 1
    used = columns.text("forUse") if columns.has("forUse") else pd.Series("1", index=item.index)
    for name, n, unit, wanted in zip(item, number, text, used, strict=True):
        if wanted != "0" and unit != BLANK:
            yield name, str(n), unit


# --- a line for each document ---------------------------------------------------------------------------------------


def _documents(path: Path, ids: Sequence[str] | None) -> Iterator[tuple[int, str, list[str]]]:
    lines = lines_of(path)
    if ids is not None and len(lines) != len(ids):
        raise BadInput(f"expected {len(ids)} lines, one for each item, found {len(lines)}", file=str(path))
    for row, line in enumerate(lines, start=1):
        yield row, str(row) if ids is None else ids[row - 1], line.split("\t")


def _lines(path: Path, ids: Sequence[str] | None) -> Iterator[tuple[str, str, str]]:
    for row, item, cells in _documents(path, ids):
        for number, text in enumerate(cells, start=1):
            if not text.strip():
                raise BadInput(f"expected unit {number}, found nothing", file=str(path), row=row)
            yield item, str(number), text


def _labels(path: Path, ids: Sequence[str] | None) -> Iterator[dict[str, object]]:
    system = path.name.removesuffix(LABELS)
    for row, item, cells in _documents(path, ids):
        for number, label in enumerate(cells, start=1):
            if label not in ("0", "1"):
                raise BadInput(f"expected 0 or 1, found {label[:20]!r}", file=str(path), row=row)
            yield _present(LABELLERS, system, item, number, float(label))


FORMAT = Format("LitePyramid's units, crowd votes and labels", reads={"judgments": read_judgments})
