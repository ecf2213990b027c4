"""Files as tables of raw cells, and columns of raw cells as typed columns.

``frames`` says what a table must hold; this module says how a cell is read and how a bad one is named. A CSV cell
is always text; JSON Lines and Parquet bring numbers and truth values of their own, and both arrive here alike.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from pyarrow import parquet

from metrics.cells import LARGEST_NUMBER, half_a_pair, neutralised, restored
from metrics.errors import BadInput

ROW = "row"
MOMENT = "a time such as 2005-06-29T09:30:00Z"
JSON_LINES = frozenset({".jsonl", ".ndjson"})

_ESCAPED_SURROGATE = re.compile(r"\\ud[89a-f]", re.IGNORECASE)
_CHUNK = 20_000
MOST_COLUMNS = 1_000
"""No table of people has more; a file of a few megabytes may name millions, and each costs as much as all the rows."""
_LARGEST_WHOLE = 2**31 - 1  # a revision or a position; more is a slip, and no database column takes it
_TRUTH = {"true": True, "1": True, "1.0": True, "false": False, "0": False, "0.0": False}


def csv_text(frame: pd.DataFrame, *, float_format: Callable[[Any], str] | None = None) -> str:
    """The frame as CSV that no spreadsheet runs, neither its head nor its text cells; ``read_table`` undoes the cells."""
    columns = [frame.iloc[:, place] for place in range(frame.shape[1])]
    safe = [
        column if pd.api.types.is_numeric_dtype(column.dtype) else column.map(_safe_cell)
        for column in columns
    ]
    text = pd.concat(safe, axis="columns") if safe else frame
    head = [neutralised(str(name)) for name in frame.columns]
    lines = _Lines()
    text.to_csv(lines, index=False, header=head, lineterminator="\r\n", float_format=float_format)
    return lines.getvalue()


class _Lines(io.StringIO):
    """Takes the lines of a CSV writer. With CRLF as its line end the writer also quotes a lone CR; LF is written."""

    def write(self, line: str) -> int:
        return super().write(line.removesuffix("\r\n") + "\n")


def _safe_cell(cell: object) -> object:
    return neutralised(cell) if isinstance(cell, str) else cell


def plain(value: object) -> object:
    """A value JSON can hold: NumPy's numbers as Python's own, NaN and infinity as None."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or value is pd.NA or (isinstance(value, float) and not np.isfinite(value)):
        return None
    return value


def plain_column(column: pd.Series[Any]) -> list[object]:
    """:func:`plain` of every value, numbers all at once."""
    if column.dtype == np.float64:
        numbers = column.to_numpy()
        values: list[object] = numbers.tolist()
        for place in np.flatnonzero(~np.isfinite(numbers)):
            values[place] = None
        return values
    return [plain(value) for value in column.tolist()]


def json_records(frame: pd.DataFrame) -> list[dict[str, object]]:
    """One dictionary per row, of values that JSON can hold."""
    names = [str(name) for name in frame.columns]
    columns = [plain_column(frame.iloc[:, place]) for place in range(frame.shape[1])]
    return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]


@contextmanager
def readable(path: Path) -> Iterator[None]:
    """What goes wrong while a file is read, as a user would say it."""
    if not path.is_file():
        raise BadInput("expected a file, found a folder" if path.is_dir() else "no such file", file=str(path))
    try:
        yield
    except UnicodeDecodeError as problem:
        raise BadInput(f"expected UTF-8 text ({problem.reason})", file=str(path)) from problem
    except (OSError, pa.ArrowInvalid) as problem:
        reason = getattr(problem, "strerror", None) or problem
        raise BadInput(f"cannot be read ({reason})", file=str(path)) from problem


def read_table(path: str | Path) -> pd.DataFrame:
    """Raw cells of a CSV, JSON Lines or Parquet file, told apart by the ending; text cells of CSV are restored.

    The index, called ``row``, is the row a user sees: row 1 of a CSV file is its header.
    """
    path = Path(path)
    if path.suffix in JSON_LINES:
        found = _few_columns(json_objects(path), path)
        return pd.DataFrame(list(found.values()), index=pd.Index(list(found), name=ROW), dtype=object)
    with readable(path):
        if path.suffix == ".parquet":
            return _read_parquet(path)
        return _read_csv(path)


def _few_columns(objects: Iterator[tuple[int, dict[str, Any]]], path: Path) -> dict[int, dict[str, Any]]:
    """The objects by their row. Each key of any of them becomes a column of all, so that keys are counted while they are read."""
    found: dict[int, dict[str, Any]] = {}
    names: set[str] = set()
    for row, value in objects:
        names.update(value)
        if len(names) > MOST_COLUMNS:
            raise BadInput(f"expected at most {MOST_COLUMNS:,} different keys", file=str(path), row=row)
        found[row] = value
    return found


def _read_parquet(path: Path) -> pd.DataFrame:
    try:
        if (columns := len(parquet.read_schema(path))) > MOST_COLUMNS:
            raise BadInput(f"expected at most {MOST_COLUMNS:,} columns, found {columns:,}", file=str(path))
        arrow = _as_text(parquet.read_table(path))
        arrow.validate(full=True)  # that text is UTF-8; reading alone does not look
        # Whole numbers with gaps would turn to floats, of which two ids beyond 2**53 may be the same.
        table: pd.DataFrame = arrow.to_pandas(integer_object_nulls=True)
    except (BadInput, UnicodeDecodeError, OSError, MemoryError, pa.ArrowInvalid):
        raise  # ``readable`` has words for it, and the memory says nothing of the file
    except Exception as problem:
        # A damaged file may fail anywhere inside, in any of a dozen ways.
        raise BadInput(
            f"cannot be read: the file is damaged ({type(problem).__name__})", file=str(path)
        ) from problem
    return table.set_index(pd.RangeIndex(1, len(table) + 1, name=ROW))


def _as_text(table: pa.Table) -> pa.Table:
    """Bytes, which older programs write for text, as text; ArrowInvalid where they are no UTF-8."""
    for place, column in enumerate(table.schema):
        kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
        if pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
            table = table.set_column(place, column.name, table.column(place).cast(pa.large_string()))
    return table


def json_objects(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a JSON Lines file, each with its row; empty lines are skipped but counted."""
    with readable(path), path.open(encoding="utf-8-sig") as lines:
        for row, line in enumerate(lines, start=1):
            if line.strip():
                yield row, json_object(line, file=str(path), row=row)


def json_object(text: str, *, file: str, row: int | None = None) -> dict[str, Any]:
    """The JSON object that a text spells; ``row`` is its line in a file of many."""
    value = _json_value(text, file=file, row=row)
    if not isinstance(value, dict):
        raise BadInput("expected a JSON object", file=file, row=row)
    return value


def json_list(path: Path) -> list[dict[str, Any]]:
    """The objects of a JSON file that holds a list of them."""
    with readable(path):
        text = path.read_bytes().decode("utf-8-sig")
    value = _json_value(text, file=str(path))
    if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
        raise BadInput("expected a JSON list of objects", file=str(path))
    return value


def _json_value(text: str, *, file: str, row: int | None = None) -> Any:
    try:
        value = json.loads(text, object_pairs_hook=_no_key_twice)
    except json.JSONDecodeError as problem:
        raise BadInput(f"expected JSON ({problem.msg})", file=file, row=row or problem.lineno) from problem
    except _KeyTwice as problem:
        raise BadInput(f"expected each key once, found {str(problem)!r} again", file=file, row=row) from None
    except (RecursionError, ValueError) as problem:
        # Python reads neither what is nested without end nor a number of thousands of digits.
        reason = "nested too deeply" if isinstance(problem, RecursionError) else "a number of too many digits"
        raise BadInput(f"expected JSON ({reason})", file=file, row=row) from problem
    if _ESCAPED_SURROGATE.search(text) and half_a_pair(value):
        raise BadInput(HALF_CHARACTER, file=file, row=row or _line_of_half_character(text))
    return value


class _KeyTwice(ValueError):
    """A key that an object has twice: Python would take the last of them."""


def _no_key_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        raise _KeyTwice(next(name for name, times in Counter(name for name, _ in pairs).items() if times > 1))
    return values


HALF_CHARACTER = "expected whole characters, found half of one (a lone surrogate such as \\ud83d)"


def _line_of_half_character(text: str) -> int | None:
    """The line of a JSON text in which the first half character is spelled."""
    halves = re.compile(r"(?<!\\)(?:\\\\)*(?:\\ud[89ab]..\\ud[c-f]..|(?P<half>\\ud[89a-f]..))", re.IGNORECASE)
    found = next((match for match in halves.finditer(text) if match["half"]), None)
    return None if found is None else text.count("\n", 0, found.start()) + 1


def _read_csv(path: Path) -> pd.DataFrame:
    with path.open(encoding="utf-8-sig", newline="") as stream:
        reader = csv.reader(_without_nul(stream, path), strict=True)
        try:
            header = next(reader, None)
        except csv.Error as problem:
            raise BadInput(f"expected a header line: {problem}", file=str(path), row=1) from problem
        if not header:
            raise BadInput("expected a header line", file=str(path))
        if len(header) > MOST_COLUMNS:
            raise BadInput(
                f"expected at most {MOST_COLUMNS:,} columns, found {len(header):,}", file=str(path), row=1
            )
        twice = [name for name in header if header.count(name) > 1]
        if twice:
            raise BadInput("expected each column once", file=str(path), row=1, column=twice[0])
        rows = _csv_rows(reader, header, path)
        chunks = [pd.DataFrame(columns=[ROW, *header], dtype="str")]
        while chunk := list(islice(rows, _CHUNK)):
            chunks.append(pd.DataFrame(chunk, columns=[ROW, *header]))
    table = pd.concat(chunks[1:] or chunks).set_index(ROW)
    return table.apply(_restored_column).astype("str")


def _without_nul(lines: Iterable[str], path: Path) -> Iterator[str]:
    """No text holds a NUL, and no database stores one: a file that has one is damaged, or no text."""
    for number, line in enumerate(lines, start=1):
        if "\0" in line:
            message = f"expected text in UTF-8, found the character NUL (U+0000) in line {number:,}"
            raise BadInput(message, file=str(path))
        yield line


def _csv_rows(reader: Iterator[list[str]], header: list[str], path: Path) -> Iterator[list[object]]:
    """Rows with their number in front; lines of nothing are skipped but counted."""
    number = 1
    try:
        for number, row in enumerate(reader, start=2):
            if row and len(row) != len(header):
                raise BadInput(f"expected {len(header)} cells, found {len(row)}", file=str(path), row=number)
            if row:
                yield [number, *row]
    except csv.Error as problem:
        raise BadInput(f"expected CSV ({problem})", file=str(path), row=number + 1) from problem


def _restored_column(column: pd.Series[str]) -> pd.Series[str]:
    quoted = column.str.contains("'", regex=False)
    return column.mask(quoted, column[quoted].map(restored)) if quoted.any() else column


class Columns:
    """Typed columns of a raw table; the first cell that does not fit raises BadInput with file, row and column."""

    def __init__(self, frame: pd.DataFrame, *, file: str | None = None):
        self.frame = frame.reset_index(drop=True)
        self.file = file
        first = 2 if file is not None and Path(file).suffix not in {*JSON_LINES, ".parquet"} else 1
        self.rows = frame.index if frame.index.name == ROW else pd.RangeIndex(first, first + len(frame))

    def need(self, names: Sequence[str]) -> None:
        """Every one of these columns must be there."""
        missing = [name for name in names if name not in self.frame.columns]
        if missing:
            raise BadInput(f"expected the columns {', '.join(names)}", file=self.file, column=missing[0])

    def has(self, name: str) -> bool:
        return name in self.frame.columns

    def optional(self, name: str) -> pd.Series[Any]:
        """Raw cells, all missing if there is no such column."""
        if self.has(name):
            return self.frame[name].astype(object)
        return pd.Series(None, index=self.frame.index, dtype=object)

    def refuse(self, bad: pd.Series[bool], column: str, expected: str) -> None:
        """Name the first bad cell, with what was expected and what was found."""
        if not bad.any():
            return
        position = int(np.flatnonzero(bad.to_numpy())[0])
        raw = self.optional(column).iloc[position]
        found = "nothing" if isinstance(raw, str) and not raw else repr(raw)
        found = "nothing" if raw is None or raw is pd.NA or found == "nan" else found
        found = found if len(found) <= 40 else f"{found[:37]}…"
        raise BadInput(
            f"expected {expected}, found {found}", file=self.file, row=int(self.rows[position]), column=column
        )

    def text(
        self, name: str, *, needed: bool | pd.Series[bool] = False, among: Collection[str] = ()
    ) -> pd.Series[str]:
        """Text, "" where a cell is empty; ``needed`` (one answer, or one per row) refuses empty cells."""
        raw = self.frame[name]
        column = raw.astype("str").where(raw.notna(), "")
        if pd.api.types.is_float_dtype(raw.dtype):
            # An id column of whole numbers with gaps turns to floats in memory; nobody means item "3.0".
            column = column.str.replace(r"\.0$", "", regex=True)
        elif raw.dtype == object and set(map(type, raw)) - {str, int, type(None)}:
            self.refuse(raw.map(lambda cell: isinstance(cell, list | dict | np.ndarray)), name, "a text")
            whole = raw.map(lambda cell: isinstance(cell, float) and cell.is_integer())
            column = column.mask(whole, raw[whole].map(lambda cell: f"{cell:.0f}"))
        if needed is not False:
            self.refuse((column == "") & needed, name, "a value")
        if among:
            self.refuse(~column.isin(list(among)), name, f"one of {', '.join(filter(None, among))}")
        return column

    def number(
        self,
        name: str,
        *,
        needed: bool = False,
        lowest: float = -np.inf,
        highest: float = LARGEST_NUMBER,
        whole: bool = False,
    ) -> pd.Series[float]:
        """A number that can be counted with, NaN where a cell is empty."""
        raw = self.frame[name]
        if raw.dtype.kind in "mM":  # pandas would count the microseconds
            self.refuse(raw.notna(), name, "a number")
        if pd.api.types.is_bool_dtype(raw.dtype):
            raw = raw.astype("float64")
        try:
            column = pd.to_numeric(raw, errors="coerce").astype("float64")
        except OverflowError:  # whole numbers of JSON that no float holds
            column = pd.to_numeric(raw.astype("str"), errors="coerce").astype("float64")
        empty = raw.isna() | (raw.astype("str").str.strip() == "")
        kind = "a whole number" if whole else "a number"
        limit = f"{kind} of at least {lowest:g}" if np.isfinite(lowest) else kind
        if highest < LARGEST_NUMBER:
            limit += f" and at most {highest:,.0f}"
        self.refuse(column.isna() & ~empty, name, limit)
        self.refuse(column.abs() == np.inf, name, limit)
        bounds = f"{kind} between −1e100 and 1e100" if limit == kind else limit
        self.refuse((column.abs() > highest) | (column < lowest), name, bounds)
        if whole:
            self.refuse(column.notna() & ((column % 1 != 0) | (column.abs() > _LARGEST_WHOLE)), name, limit)
        if needed:
            self.refuse(empty, name, limit)
        return column

    def truth(self, name: str, *, default: bool | None = None) -> pd.Series[bool]:
        """True or False in any common spelling; ``default`` stands for an empty cell."""
        text = self.text(name).str.strip().str.lower()
        values = text.map(_TRUTH)
        if default is not None:
            values = values.mask(text == "", default)
        self.refuse(values.isna(), name, "True or False")
        return values.astype("bool")

    def moment(self, name: str) -> pd.Series[pd.Timestamp]:
        """A point in time (ISO 8601), NaT where a cell is empty."""
        raw = self.frame[name]
        empty = raw.isna() | (raw.astype("str") == "")
        self.refuse(raw.isin(["now", "today"]), name, MOMENT)  # which pandas takes for this very moment
        column = pd.to_datetime(raw.where(~empty, None), errors="coerce", utc=True, format="ISO8601")
        # What is year 1 or 9999 at its place may be no year of the calendar in UTC.
        beyond = column.notna() & ~column.dt.year.between(1, 9999)
        self.refuse((column.isna() & ~empty) | beyond, name, MOMENT)
        return column

    def unique(self, key: Sequence[str], typed: pd.DataFrame) -> None:
        """No two rows may say the same thing about the same thing."""
        twice = typed.duplicated(subset=list(key))
        if twice.any():
            position = int(np.flatnonzero(twice.to_numpy())[0])
            row = typed.iloc[position]
            what = ", ".join(
                f"{name} {row[name]}" for name in key if str(row[name]) not in {"", "<NA>", "nan"}
            )
            raise BadInput(
                f"expected one row for {what}, found another", file=self.file, row=int(self.rows[position])
            )
