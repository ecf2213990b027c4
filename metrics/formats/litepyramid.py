"""Crowd votes on content units as LitePyramid's tasks on Mechanical Turk return them (Shapira et al. 2019; REALSumm): CSV.

``Input.eventId, Input.summaryId, Input.statement_1 …, Answer.S1Answer …``, one row for each worker and summary; a statement
``BLANK`` is no unit, an answer ``p`` is present, ``n`` not. Workers are anonymous: the first, second … vote on a summary.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from metrics.errors import BadInput
from metrics.formats.base import Format, long_table
from metrics.human.units_present import SLUG
from metrics.tables import Columns, read_table

BLANK = "BLANK"
VOTES = {"p": 1.0, "n": 0.0}
STATEMENT = re.compile(r"Input\.statement_(\d+)")


def read_judgments(paths: Sequence[Path]) -> pd.DataFrame:
    """The long table: the units' texts as rows without a system, and every vote; an assessor is a slot, not a person."""
    rows: list[dict[str, object]] = []
    texts: dict[tuple[str, str], str] = {}
    for path in paths:
        for item, system, slot, unit, text, vote in _votes(path):
            name = f"{item}-ref/{unit}"
            if texts.setdefault((item, name), text) != text:
                raise BadInput(f"expected one text of unit {unit} of {item}, found another", file=str(path))
            rows.append(
                {
                    "assessor": slot,
                    "system": system,
                    "item": item,
                    "document": item,
                    "unit": name,
                    "criterion": "present",
                    "value": vote,
                }
            )
    units = [
        {
            "item": item,
            "document": item,
            "unit": unit,
            "criterion": "unit",
            "label": text,
            "assessor": "authors",
        }
        for (item, unit), text in texts.items()
    ]
    return long_table([*units, *rows], paths, kind=SLUG, task="units")


def _votes(path: Path) -> list[tuple[str, str, str, str, str, float]]:
    columns = Columns(read_table(path), file=str(path))
    columns.need(("Input.eventId", "Input.summaryId"))
    numbers = [match.group(1) for name in columns.frame.columns if (match := STATEMENT.fullmatch(str(name)))]
    if not numbers:
        raise BadInput("expected columns Input.statement_1 …", file=str(path))
    columns.need([f"Answer.S{number}Answer" for number in numbers])
    item, system = columns.text("Input.eventId", needed=True), columns.text("Input.summaryId", needed=True)
    slot = item.groupby([item, system]).cumcount() + 1
    found = []
    for number in numbers:
        text, answer = columns.text(f"Input.statement_{number}"), columns.text(f"Answer.S{number}Answer")
        asked = ~text.isin([BLANK, ""])
        columns.refuse(asked & ~answer.isin([*VOTES]), f"Answer.S{number}Answer", "p or n")
        found += [
            (one, who, f"vote-{n}", number, unit, VOTES[vote])
            for one, who, n, unit, vote in zip(
                item[asked], system[asked], slot[asked], text[asked], answer[asked], strict=True
            )
        ]
    return found


FORMAT = Format("LitePyramid's crowd votes, CSV", reads={"judgments": read_judgments})
