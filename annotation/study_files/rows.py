"""Rows of JSON Lines and CSV files as plain mappings, each with its line."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from pydantic import BaseModel

from annotation.json_values import json_value
from annotation.study_files.problems import Problems, suggestion
from annotation.study_files.texts import decoded, unstorable
from metrics.cells import restored

# Python refuses a CSV cell of more than 128 KB unless told otherwise; documents may be longer. What is beyond these limits
# is no text for people, and costs many times its size in memory.
MAX_LINE = 10_000_000  # characters
MAX_LINES = 2_000_000
MAX_COLUMNS = 200
MAX_WORKBOOK = 250 * 1024 * 1024  # bytes, unpacked
csv.field_size_limit(MAX_LINE)

_ID = re.compile(r'"id"\s*:\s*"([^"\\]+)"')
_JSON_COLUMNS = frozenset({"units", "citations", "contributors", "gold", "key"})


class RawRow(NamedTuple):
    """``whole`` False: the line cannot be read and is reported; its id, as far as it can be told, still counts."""

    line: int
    values: dict[str, Any]
    whole: bool = True


def rows(data: bytes, file: str, model: type[BaseModel], problems: Problems) -> Iterator[RawRow]:
    """The rows of a file, by the ending of its name. ``model`` says what the columns of a CSV may be."""
    ending = file.rsplit(".", 1)[-1].lower()
    if ending not in _READERS:
        problems.add(
            file,
            None,
            f"a table is a file that ends in {', '.join('.' + name for name in _READERS)}; save it as one.",
        )
        return
    if ending == "xlsx":
        yield from _checked(_workbook(data, file, model, problems), file, problems)
        return
    if (lines := data.count(b"\n")) > MAX_LINES:
        problems.add(
            file, None, f"has {lines:,} lines; a file may have {MAX_LINES:,}. Split the study into several."
        )
        return
    text = decoded(data, file, problems)
    if data and not text:  # another encoding, reported
        return
    yield from _checked(_READERS[ending](text, file, model, problems), file, problems)


def _checked(raw_rows: Iterable[RawRow], file: str, problems: Problems) -> Iterator[RawRow]:
    for row in raw_rows:
        fault = unstorable(row.values)
        if fault:
            problems.add(file, row.line, fault)
        yield row
        if problems.enough(file):
            return
        problems.watch_the_clock()


# --- JSON Lines -----------------------------------------------------------------------------------------------------


def _jsonl(text: str, file: str, model: type[BaseModel], problems: Problems) -> Iterator[RawRow]:
    # Only a line feed ends a line: a text may hold U+2028 and its like as they are.
    for number, line in enumerate(io.StringIO(text, newline="\n"), start=1):
        if not line.strip():
            continue
        if len(line) > MAX_LINE:
            problems.add(
                file, number, f"the line has {len(line):,} characters; at most {MAX_LINE:,} are allowed."
            )
            continue
        try:
            value = json_value(line.rstrip("\n"))
        except ValueError as error:
            problems.add(file, number, f"this is not JSON: {error}.")
            if line.strip() in {"[", "{"}:
                problems.add(file, number, "write one object per line: {…} on each, without [ ] around them.")
                return
            found = _ID.search(line)
            yield RawRow(number, {"id": found[1]} if found else {}, whole=False)
            continue
        if isinstance(value, dict):
            yield RawRow(number, value)
        else:
            problems.add(file, number, "each line must be an object: {…}.")


def _json(text: str, file: str, model: type[BaseModel], problems: Problems) -> Iterator[RawRow]:
    """One array of objects; a row's place in it stands for its line."""
    try:
        value = json_value(text)
    except ValueError as error:
        problems.add(file, None, f"this is not JSON: {error}.")
        return
    if not isinstance(value, list):
        problems.add(file, None, "must be an array of objects, [{…}, {…}].")
        return
    for number, row in enumerate(value, start=1):
        if isinstance(row, dict):
            yield RawRow(number, row)
        else:
            problems.add(file, number, "each entry must be an object: {…}.")


# --- CSV ------------------------------------------------------------------------------------------------------------


def _csv(
    text: str, file: str, model: type[BaseModel], problems: Problems, delimiter: str = ","
) -> Iterator[RawRow]:
    reader = csv.reader(io.StringIO(text, newline=""), strict=True, delimiter=delimiter)
    line = 1
    try:
        header = [name.strip() for name in next(reader, [])]
        if not _header_is_usable(header, file, model, problems):
            return
        while True:
            line = reader.line_num + 1
            cells = next(reader, None)
            if cells is None:
                return
            if not any(cells):
                continue
            cells = [restored(cell) for cell in cells]  # as the export has made them safe for spreadsheets
            if len(cells) != len(header):
                problems.add(file, line, f"{len(cells)} cells, but the header has {len(header)}.")
                first = dict(zip(header, cells, strict=False))
                yield RawRow(line, {"id": first.get("id")}, whole=False)
                continue
            known = {
                name: cell for name, cell in zip(header, cells, strict=True) if name in model.model_fields
            }
            values = _values(known, file, line, problems)
            yield RawRow(line, known, whole=False) if values is None else RawRow(line, values)
    except csv.Error as error:
        problems.add(file, quote_line(text, line, delimiter), f"this is not CSV: {error}.")


def quote_line(text: str, first: int, delimiter: str) -> int:
    """The line to mend in a CSV's row that cannot be read and begins at line ``first``: where the cell begins that its quotes do not end.

    The reader itself notices only where that cell runs into the next quote, or at the end of the file.
    """
    stream = io.StringIO(text, newline="")
    for _ in range(first - 1):
        stream.readline()
    row = stream.read()
    ends = re.escape(delimiter) + r"\r\n"
    cell = re.compile(rf'"[^"]*+(?:""[^"]*+)*+"(?=[{ends}]|\Z)|(?!")[^{ends}]*+')
    place = 0
    while (found := cell.match(row, place)) and row[found.end() : found.end() + 1] == delimiter:
        place = found.end() + 1
    # A row that is whole to this eye is wrong in another way, such as a cell without end.
    return first if found else first + len(re.findall(r"\r\n|\r|\n", row[:place]))


def _tsv(text: str, file: str, model: type[BaseModel], problems: Problems) -> Iterator[RawRow]:
    yield from _csv(text, file, model, problems, delimiter="\t")


def _workbook(data: bytes, file: str, model: type[BaseModel], problems: Problems) -> Iterator[RawRow]:
    """The first sheet, as the CSV that it could have been saved as."""
    from annotation.tables.grid import TableProblem  # noqa: PLC0415  # which is made of study files in turn
    from annotation.tables.workbook import workbook_cells  # noqa: PLC0415

    try:
        cells = workbook_cells(data, [], max_bytes=MAX_WORKBOOK)
    except TableProblem as problem:
        problems.add(file, None, str(problem))
        return
    width = len(cells[0])
    buffer = io.StringIO(newline="")
    csv.writer(buffer).writerows(row + [""] * (width - len(row)) for row in cells)
    yield from _csv(buffer.getvalue(), file, model, problems)


def _header_is_usable(header: list[str], file: str, model: type[BaseModel], problems: Problems) -> bool:
    columns = list(model.model_fields)
    if not any(header):
        problems.add(file, 1, f"the first line must name the columns, of {', '.join(columns)}.")
        return False
    if len(header) == 1 and any(sign in header[0] for sign in ";\t"):
        problems.add(file, 1, "columns must be separated by commas.")
        return False
    if len(header) > MAX_COLUMNS:
        named = f"the first line names {len(header):,} columns; these can be used: {', '.join(columns)}."
        problems.add(file, 1, named)
        return False
    for name in header:
        if name not in columns:
            problems.add(file, 1, f"unknown column “{name}”{suggestion(name, columns)}")
    twice = {name for name in header if header.count(name) > 1}
    missing = [
        name for name, field in model.model_fields.items() if field.is_required() and name not in header
    ]
    for name in sorted(twice):
        problems.add(file, 1, f"the column “{name}” is there twice.")
    for name in missing:
        problems.add(file, 1, f"the column “{name}” is missing.")
    return not twice and not missing


def _values(cells: dict[str, str], file: str, line: int, problems: Problems) -> dict[str, Any] | None:
    """What the cells say. An empty cell says nothing, but for a score, which may be undefined."""
    values: dict[str, Any] = {name: cell for name, cell in cells.items() if cell}
    if cells.get("score") == "":
        values["score"] = None
    for name in _JSON_COLUMNS & values.keys():
        try:
            values[name] = json_value(values[name])
        except ValueError as error:
            problems.add(file, line, f"the column “{name}” must hold JSON: {error}.")
            return None
    return values


_READERS = {
    "jsonl": _jsonl,
    "csv": _csv,
    "tsv": _tsv,
    "json": _json,
    "xlsx": _csv,
}  # by the ending of the name
