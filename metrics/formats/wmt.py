"""WMT's result files of direct assessment (Graham et al. 2016): ``ad-good-raw.csv``, ``ad-*-good-stnd.csv``.

A header and twelve columns, ``HITId WorkerId Input.src Input.trg Input.item hit sys_id rid type sid score time``,
separated by tabs, in some files by tabs and blanks. ``Input.item`` says what was judged, ``ad`` adequacy or ``fl``
fluency; ``type`` is SYSTEM, or REPEAT, BAD_REF or REF for control items; ``time`` is that of the whole HIT, not of the
judgment. ``HITId`` becomes the column ``hit``, which tells two judgments of one worker about one segment apart; ``rid`` and
``time`` have no place in the long table.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from metrics.errors import BadInput
from metrics.formats.base import Format, lines_of, number, with_rows
from metrics.formats.direct_assessment import ADEQUACY, assessments_of, judgments_of, language_pairs
from metrics.tables import Columns

COLUMNS = (
    "HITId",
    "WorkerId",
    "Input.src",
    "Input.trg",
    "Input.item",
    "hit",
    "sys_id",
    "rid",
    "type",
    "sid",
    "score",
    "time",
)
CONTROLS = {"SYSTEM": "", "REPEAT": "repeat", "BAD_REF": "degraded", "REF": "gold"}
CRITERIA = {"ad": ADEQUACY, "fl": "fluency"}


def read_judgments(paths: Sequence[Path]) -> pd.DataFrame:
    """The long table: task = pair of languages, item = sid, control from type."""
    return judgments_of([_read(path) for path in paths])


def _read(path: Path) -> pd.DataFrame:
    columns = Columns(_cells(path), file=str(path))
    source, target = columns.text("Input.src", needed=True), columns.text("Input.trg", needed=True)
    rows = pd.DataFrame(
        {
            "assessor": columns.text("WorkerId", needed=True),
            "system": columns.text("sys_id", needed=True),
            "document": "",
            "item": columns.text("sid", needed=True),
            "control": columns.text("type", among=tuple(CONTROLS)).map(CONTROLS),
            "task": source + "-" + target,
            "criterion": columns.text("Input.item", among=tuple(CRITERIA)).map(CRITERIA),
            "value": columns.number("score", needed=True),
        }
    )
    hits = columns.text("HITId")
    # Released files have NA throughout, which tells nothing apart.
    return rows if (hits == "NA").all() else rows.assign(hit=hits)


def _cells(path: Path) -> pd.DataFrame:
    lines = [(row, line) for row, line in enumerate(lines_of(path), start=1) if line.strip()]
    rows = [_split(line, path, row) for row, line in lines]
    if len(rows) < 2:
        raise BadInput("expected a header and judgments", file=str(path))
    if tuple(rows[0]) != COLUMNS:
        raise BadInput(f"expected the columns {' '.join(COLUMNS)}", file=str(path), row=1)
    cells = dict(zip(COLUMNS, zip(*rows[1:], strict=True), strict=True))
    return with_rows([row for row, _ in lines[1:]], cells)


def _split(line: str, path: Path, row: int) -> list[str]:
    """Tabs, or tabs and blanks; R puts some cells in quotes."""
    for separator in (r"\t", r"[\t ]"):
        cells = re.split(separator, line)
        if len(cells) == len(COLUMNS):
            return [cell[1:-1] if re.fullmatch(r'".*"', cell) else cell for cell in cells]
    raise BadInput(f"expected {len(COLUMNS)} cells, found {len(cells)}", file=str(path), row=row)


def write_judgments(
    judgments: pd.DataFrame, *, criterion: str | None = None, languages: str | None = None
) -> str:
    """A result file, separated by tabs; what the long table does not know is NA, or 0 for the time."""
    rows = assessments_of(judgments, criterion=criterion)
    items = {name: item for item, name in CRITERIA.items()}
    unknown = rows.loc[~rows["criterion"].isin(list(items)), "criterion"]
    if not unknown.empty:
        raise BadInput(f"expected {' or '.join(items)}, found {unknown.iloc[0]}: the format knows no other")
    pairs = language_pairs(rows["task"], languages)
    types = {control: kind for kind, control in CONTROLS.items()}
    for name in ("assessor", "system", "item"):
        bad = rows.loc[rows[name].str.contains(r'[\t\n\r"]'), name]
        if not bad.empty:
            raise BadInput(f"expected no tab, line end or quote, found {bad.iloc[0]!r}", column=name)
    lines = [
        "\t".join((hit, assessor, source, target, item, "NA", f'"{system}"', "NA", kind, segment, score, "0"))
        for hit, assessor, source, target, item, system, kind, segment, score in zip(
            rows["hit"] if "hit" in rows.columns else ["NA"] * len(rows),
            rows["assessor"],
            pairs["source"],
            pairs["target"],
            rows["criterion"].map(items),
            rows["system"],
            rows["control"].map(types),
            rows["item"],
            rows["value"].map(number),
            strict=True,
        )
    ]
    return "\n".join(["\t".join(COLUMNS), *lines, ""])


FORMAT = Format(
    "WMT's result files of direct assessment (tabs)",
    reads={"judgments": read_judgments},
    writes={"judgments": write_judgments},
)
