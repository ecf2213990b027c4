"""What all formats share: what a format can do, lines and JSON objects with their row, names of files, order of items.

A format reads files into one of our tables and writes one of our tables as files. It knows nothing of the command line:
readers take paths and keyword options, writers take a table and keyword options and return the text of the files.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from metrics.errors import BadInput
from metrics.frames import JUDGMENT_COLUMNS, check_judgments
from metrics.tables import ROW, readable

Files = dict[str, str]
"""The files of a folder: text by relative name."""

ITEMS_FILE = "items.ids"
"""Which line is which item, where the items are not just numbered."""

_ENDS = re.compile(r"[\t\n\r]")
_UNSAFE_NAME = re.compile(r"[/\\\0\n\r\t]|^\.|^$")


@dataclass(frozen=True)
class Format:
    """One format of the field: which of our tables it can be read into, and which can be written in it."""

    title: str
    reads: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    writes: Mapping[str, Callable[..., str | Files]] = field(default_factory=dict)


def text_of(path: Path) -> str:
    """The text of a UTF-8 file, without a byte order mark; line ends as they are."""
    with readable(path):
        return path.read_bytes().decode("utf-8-sig")


def lines_of(path: Path) -> list[str]:
    """The lines of a file. Only a line feed ends one: a text may hold U+2028 and its like."""
    lines = text_of(path).split("\n")
    if lines[-1] == "":
        lines.pop()
    return [line.removesuffix("\r") for line in lines]


def json_number(value: object) -> float | None:
    """A JSON number as one of ours; None for anything else, NaN for null, which stands for an undefined score."""
    if value is None:
        return math.nan
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    try:
        return float(value)
    except OverflowError:
        return None


def json_lines(objects: Iterable[Mapping[str, object]]) -> str:
    """JSON Lines."""
    return "".join(json.dumps(value, ensure_ascii=False, allow_nan=False) + "\n" for value in objects)


def with_rows(rows: Sequence[int], columns: Mapping[str, Sequence[Any]]) -> pd.DataFrame:
    """A raw table whose index is the row a user sees, as ``metrics.tables.Columns`` expects it."""
    return pd.DataFrame(dict(columns), index=pd.Index(list(rows), name=ROW), dtype=object)


def ratings_table(rows: pd.DataFrame) -> pd.DataFrame:
    """The long table of ratings made elsewhere, of which ``rows`` say who rated what, and how."""
    others = [name for name in rows.columns if name not in JUDGMENT_COLUMNS]
    table = rows.reindex(columns=[*JUDGMENT_COLUMNS, *others])
    table["kind"], table["revision"], table["practice"] = "rating", 1, False
    return check_judgments(table)


def long_table(rows: Sequence[Mapping[str, object]], paths: Sequence[Path], **common: object) -> pd.DataFrame:
    """The long table of judgments made elsewhere: only what the rows say, ``common`` where they do not.

    What a tool says beyond our columns stays in further ones, as text, so that its file can be written again.
    """
    if not rows:
        raise BadInput("expected judgments, found none", file=str(paths[0]))
    filled = [{"revision": 1, "practice": False, **common, **row} for row in rows]
    further = dict.fromkeys(name for row in rows for name in row if name not in JUDGMENT_COLUMNS)
    table = pd.DataFrame(filled, columns=[*JUDGMENT_COLUMNS, *further])
    return check_judgments(table.assign(**{name: table[name].fillna("").astype("str") for name in further}))


def refuse_several_tasks(rows: pd.DataFrame) -> None:
    """A file that names no task holds those of one: others would be added up with them."""
    tasks = list(dict.fromkeys(rows["task"]))
    if len(tasks) > 1:
        raise BadInput(f"expected the judgments of one task, found {', '.join(tasks)}", column="task")


def further_cells(rows: pd.DataFrame, name: str) -> list[str]:
    """A further column of the long table as text, "" where the table or the row has none."""
    if name not in rows.columns:
        return [""] * len(rows)
    return ["" if pd.isna(cell) else str(cell) for cell in rows[name]]


def iso_times(table: pd.DataFrame) -> pd.DataFrame:
    """The long table with times as text (ISO 8601), for files that know no times of their own."""
    return table.assign(**{name: _iso(table[name]) for name in ("shown_at", "submitted_at")})


def _iso(times: pd.Series[pd.Timestamp]) -> pd.Series[str]:
    return pd.Series(
        [None if pd.isna(time) else time.isoformat() for time in times], times.index, dtype="str"
    )


def number(value: float) -> str:
    """A number as people write it: no point where it is whole, and otherwise every digit it takes to read it back."""
    value = float(value)
    return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)


def file_name(name: str, what: str) -> str:
    """The name, if it can be (a part of) the name of a file."""
    if _UNSAFE_NAME.search(name):
        raise BadInput(f"expected a {what} that can be the name of a file, found {name!r}")
    return name


def one_line(cell: str, column: str) -> str:
    """The cell, if a file of lines and tabs can hold it."""
    if _ENDS.search(cell):
        raise BadInput(
            f"expected no tab or line end, which the format cannot hold, found {cell[:40]!r}", column=column
        )
    return cell


def read_items(path: Path) -> list[str]:
    """Ids of items, one per line: line n of the other files is about the nth."""
    ids = lines_of(path)
    seen: set[str] = set()
    for row, name in enumerate(ids, start=1):
        if not name or name in seen:
            found = "it again" if name else "nothing"
            raise BadInput(f"expected the id of an item, once, found {found}", file=str(path), row=row)
        seen.add(name)
    return ids


def item_order(items: Iterable[str], given: Path | None) -> list[str]:
    """The order in which a file that names no items lists them: as given, else 1, 2, 3 …, else as they come."""
    present = list(dict.fromkeys(items))
    if given is not None:
        order = read_items(given)
        unknown = set(present) - set(order)
        if unknown:
            raise BadInput(f"expected every item of the table, found no {min(unknown)}", file=str(given))
        return order
    counted = [str(n) for n in range(1, len(present) + 1)]
    if set(present) == set(counted):
        return counted
    if all(name.isdecimal() for name in present):
        raise BadInput("expected --items FILE, the ids of all items in order: the numbers are not 1, 2, 3 …")
    return present


def items_file(order: Sequence[str]) -> Files:
    """The file that says which line is which item, where it is not the number of the line."""
    if all(name == str(n) for n, name in enumerate(order, start=1)):
        return {}
    for name in order:
        one_line(name, "item")
    return {ITEMS_FILE: "".join(f"{name}\n" for name in order)}
