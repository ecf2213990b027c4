"""What formats of error spans share: the rows of the long table from what a tool says of a segment, and back."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from metrics.cells import Parts, span_written
from metrics.errors import BadInput
from metrics.formats.base import refuse_several_tasks
from metrics.frames import JUDGMENT_COLUMNS, check_judgments, read_texts_outputs, scored
from metrics.human.spans.places import (
    COUNT,
    INJECTED,
    MISSING,
    NO_ERRORS,
    NOTE,
    OUTPUT,
    SCORE,
    SOURCE,
    WHOLE,
    with_places,
)
from metrics.tables import Columns, read_table

KIND = "error_spans"
UNNAMED = "error"
"""The category of an error that has none."""
_FARTHEST = 10**9
_MARK = re.compile(r"</?v>")


@dataclass
class Error:
    """An error as another tool has it, offsets already ours."""

    severity: str
    category: str = ""
    side: str = OUTPUT
    parts: Parts = ()
    value: float = math.nan
    note: str = ""
    more: Mapping[str, Any] = field(default_factory=dict)
    """What else the tool says of it: further columns of its row."""

    @property
    def place(self) -> str:
        if self.side == MISSING:
            return f"/{MISSING}"
        if not self.parts:
            return ""
        if self.parts[-1][1] > _FARTHEST:
            raise BadInput(f"expected a span within a text, found one that ends at {self.parts[-1][1]:.3g}")
        return f"/{'source/' if self.side == SOURCE else ''}{span_written(self.parts)}"


@dataclass
class Rated:
    """What one person said of one unit of an output."""

    about: dict[str, Any]
    """Task, assessor, system, document, item and whatever else is the same for all its rows."""
    unit: str = "1"
    errors: list[Error] = field(default_factory=list)
    score: float | None = None
    found: list[bool] = field(default_factory=list)
    """Errors that were put in on purpose, and whether they were found."""

    def rows(self) -> Iterator[dict[str, Any]]:
        """The count first, then the errors as they come, each with its note, then the score."""
        if self.errors or not self.found:
            yield self.about | {"unit": self.unit, "criterion": COUNT, "value": len(self.errors)}
        seen: dict[str, int] = {}
        for error in self.errors:
            number = seen[error.place] = seen.get(error.place, 0) + 1
            place = f"{self.unit}{error.place}{f'#{number}' if number > 1 else ''}"
            category = error.category or UNNAMED
            if category in NO_ERRORS:
                raise BadInput(
                    f"expected another category than {category!r}, which means something else here"
                )
            row = self.about | {"unit": place, "criterion": category, "value": error.value}
            yield row | {"label": error.severity} | dict(error.more)
            if error.note:
                yield self.about | {"unit": place, "criterion": NOTE, "label": error.note}
        for number, found in enumerate(self.found, start=1):
            unit = self.unit if number == 1 else f"{self.unit}#{number}"
            yield self.about | {"unit": unit, "criterion": INJECTED, "value": int(found)}
        if self.score is not None:
            yield self.about | {"unit": self.unit, "criterion": SCORE, "value": self.score}


def span_judgments(rated: Iterable[Rated], paths: Sequence[Path]) -> pd.DataFrame:
    """The long table; ``position`` counts what an assessor was shown, as it comes."""
    rows = [row for one in rated for row in one.rows()]
    if not rows:
        raise BadInput("expected judgments of texts, found none", file=str(paths[0]))
    frame = pd.DataFrame(rows)
    others = [name for name in frame.columns if name not in JUDGMENT_COLUMNS]
    frame = frame.reindex(columns=[*JUDGMENT_COLUMNS, *others])
    shown = ["system", "document", "item", "control"]
    for name in ("control", "document"):
        frame[name] = frame[name].astype(object).where(frame[name].notna(), "")
    key = frame[shown].astype("str").agg("\0".join, axis="columns")
    frame["position"] = key.groupby(frame["assessor"]).transform(lambda keys: pd.factorize(keys)[0] + 1)
    frame["kind"], frame["revision"], frame["practice"] = KIND, 1, False
    checked = check_judgments(frame)
    return checked.assign(
        **{
            name: checked[name].astype(object).where(checked[name].notna(), "").astype("str")
            for name in others
        }
    )


@dataclass(frozen=True)
class Said:
    """One row of the long table that a file of another tool has a line for: an error, or that there is none."""

    row: Any
    note: str = ""


def said_of_units(judgments: pd.DataFrame, *, controls: bool = False) -> Iterator[Said]:
    """Errors with their notes, counts of 0 and errors that were put in, in the order of the table."""
    rows = with_places(span_rows(judgments, controls=controls))
    about = ["assessor", "system", "item", "control", "position", "at"]
    notes = rows[rows["criterion"] == NOTE]
    known = {tuple(row[:-1]): row[-1] for row in notes[[*about, "label"]].itertuples(index=False)}
    for row in rows.itertuples(index=False):
        if row.criterion == INJECTED or (row.criterion == COUNT and row.value == 0):
            yield Said(row)
        elif row.criterion not in NO_ERRORS:
            yield Said(
                row, known.get((row.assessor, row.system, row.item, row.control, row.position, row.at), "")
            )


def span_rows(judgments: pd.DataFrame, *, controls: bool = False) -> pd.DataFrame:
    """The rows of error spans that a file can hold: newest revision, no practice, of one task."""
    rows = scored(judgments, controls=controls)
    rows = rows[rows["kind"] == KIND]
    if rows.empty:
        raise BadInput("expected judgments of error spans, found none", column="kind")
    refuse_several_tasks(rows)
    return rows.reset_index(drop=True)


# --- texts ----------------------------------------------------------------------------------------------------------


def read_outputs(path: Path) -> dict[tuple[str, str], list[str]]:
    """The units of every output by system and item."""
    frame = read_texts_outputs(path)
    return {
        (str(system), str(item)): [text] if units is None else list(units)
        for system, item, text, units in zip(
            frame["system"], frame["item"], frame["text"], frame["sentences"], strict=True
        )
    }


def read_documents(path: Path) -> dict[str, list[str]]:
    """The units of every source text by its id."""
    frame = documents_table(path)
    return {
        str(name): [text] if units is None else list(units)
        for name, text, units in zip(frame["id"], frame["text"], frame["units"], strict=True)
    }


def documents_table(path: Path) -> pd.DataFrame:
    """``id, text, units`` of source texts; ``item`` is accepted for ``id``."""
    columns = Columns(read_table(path), file=str(path))
    name = "id" if columns.has("id") else "item"
    columns.need((name,))
    units = columns.optional("units").combine_first(columns.optional("sentences"))
    lists = [list(cell) if isinstance(cell, list) else None for cell in units]
    texts = (
        columns.text("text") if columns.has("text") else pd.Series("", index=columns.frame.index, dtype="str")
    )
    return pd.DataFrame(
        {
            "id": columns.text(name, needed=True),
            "text": texts,
            "units": pd.Series(lists, index=texts.index, dtype=object),
        }
    )


def unit_text(texts: Mapping[Any, Sequence[str]], key: Any, unit: str, what: str, option: str) -> str:
    """The text of one unit; what is missing is said with the option that gives it."""
    units = texts.get(key)
    number = int(unit or 1)
    if units is None or number > len(units):
        name = "/".join(key) if isinstance(key, tuple) else str(key)
        raise BadInput(f"expected the {what} {name}, unit {number}: give {option} FILE with its text")
    return units[number - 1]


# --- <v>…</v> -------------------------------------------------------------------------------------------------------


def unmarked(text: str) -> str:
    """The text without the marks of a span."""
    return _MARK.sub("", text)


def marked_parts(text: str) -> Parts | None:
    """What ``<v>…</v>`` encloses, in code points of the text without the marks; None where a mark has no partner.

    >>> marked_parts("The port was <v>open</v> on Friday.")
    ((13, 17),)
    """
    parts: list[tuple[int, int]] = []
    begun: int | None = None
    removed = 0
    for mark in _MARK.finditer(text):
        place = mark.start() - removed
        removed += len(mark.group())
        if (mark.group() == "<v>") == (begun is not None):
            return None
        if begun is None:
            begun = place
        else:
            if place > begun:
                parts.append((begun, place))
            begun = None
    return None if begun is not None else tuple(parts)


def with_marks(text: str, parts: Parts) -> str:
    """The text with ``<v>…</v>`` around every part."""
    if parts and parts[-1][1] > len(text):
        raise BadInput(
            f"expected a span within a text of {len(text)} characters, found {span_written(parts)}"
        )
    pieces, last = [], 0
    for start, end in parts:
        pieces += [text[last:start], "<v>", text[start:end], "</v>"]
        last = end
    return "".join([*pieces, text[last:]])


def place_parts(row: Any) -> tuple[Parts, Parts]:
    """The parts of a row's span in the source and in the output."""
    if row.side == SOURCE:
        return row.parts, ()
    return (), row.parts if row.side not in (MISSING, WHOLE) else ()
