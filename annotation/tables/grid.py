"""A table as it comes, by upload or paste, as rows of cells: CSV, TSV, XLSX, JSON, JSON Lines, or one text per line."""

from __future__ import annotations

import codecs
import csv
import io
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Any

from annotation.json_values import json_value
from annotation.study_files.rows import quote_line
from annotation.study_files.texts import unstorable
from annotation.tables.words import is_role_word
from metrics.cells import restored

MAX_ROWS = 100_000
MAX_COLUMNS = 200
MAX_CELL = 1_000_000  # characters; Excel itself ends at 32,767
MAX_VALUES = 20 * MAX_ROWS  # of JSON or a workbook, where each costs a hundred times its bytes
_SAMPLE = 60  # rows to tell the format by
_DELIMITERS = "\t,;|"
_LONG = 25  # characters of a text, rather than of a name
_NAME_MAX = 80  # characters of a column's name
# How files begin that are no tables of texts, and yet could be read as strange ones.
_NO_TABLES = {
    b"%PDF-": "a PDF",
    b"{\\rtf": "a document in RTF",
    b"\xd0\xcf\x11\xe0": "a file of an old Office",
    b"PAR1": "a Parquet file",
}
_TITLE_ROWS = 5  # that may stand above the names of columns
FORMATS = ("csv", "tsv", "xlsx", "json", "jsonl", "txt")


class TableProblem(ValueError):
    """The table cannot be read at all; the message says what to change."""


@dataclass(frozen=True)
class Grid:
    """Rows of cells below the names of their columns. ``first``: the number of the first row, as a spreadsheet shows it."""

    name: str  # of the file, without its ending
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    first: int = 2
    notes: tuple[str, ...] = ()  # what the reader decided and an experimenter should know
    plain: bool = False  # one text per line

    @property
    def has_header(self) -> bool:
        return self.first > 1

    def number(self, index: int) -> int:
        """The number of a row as a spreadsheet shows it."""
        return self.first + index

    def without_header(self) -> Grid:
        """The names of columns were no names but cells."""
        if not self.has_header:
            return self
        return replace(
            self, columns=_numbered_columns(len(self.columns)), rows=(self.columns, *self.rows), first=1
        )

    def with_header(self) -> Grid:
        """The first row names the columns."""
        if self.has_header or not self.rows:
            return self
        return replace(self, columns=_named_columns(self.rows[0]), rows=self.rows[1:], first=2)

    def changed(self, index: int, cells: Sequence[str]) -> Grid:
        """With other cells in one row."""
        if len(cells) != len(self.columns):
            raise TableProblem(f"A row of this table has {len(self.columns)} cells.")
        if fault := unstorable(list(cells)):
            raise TableProblem(_capital(fault))
        return replace(self, rows=(*self.rows[:index], tuple(cells), *self.rows[index + 1 :]))

    def without(self, index: int) -> Grid:
        """One row emptied: the numbers of the others stay, and an empty row says nothing."""
        return self.changed(index, [""] * len(self.columns))


def read_grid(data: bytes, name: str = "", *, max_bytes: int = 2**28) -> Grid:
    """The table in a file of this name, or one that was pasted (no name); ``TableProblem`` says why there is none."""
    path = PurePosixPath(name.replace("\\", "/"))
    ending = path.suffix.lower().lstrip(".")
    notes: list[str] = []
    if ending in {"xls", "ods", "numbers", "docx", "pdf", "doc", "parquet"}:
        raise TableProblem(
            f"{path.name}: .{ending} cannot be read. Save it as .xlsx or .csv, or copy the cells and paste them."
        )
    if found := next((kind for start, kind in _NO_TABLES.items() if data.startswith(start)), ""):
        raise TableProblem(
            f"This is {found}, whatever its name ends in. Save the table as .xlsx or .csv, or copy the cells and paste them."
        )
    if data.startswith(b"PK\x03\x04"):
        from annotation.tables.workbook import workbook_cells  # openpyxl takes a moment to import # noqa: PLC0415

        cells, names, plain = workbook_cells(data, notes, max_bytes=max_bytes), None, False
    else:
        cells, names, plain = _text_cells(_decoded(data, notes), ending, notes)
    _check_size(cells)
    if fault := unstorable(list(names or ())):
        raise TableProblem(f"Among the names of columns: {fault}")
    return _grid(path.stem, cells, names, plain, notes)


def _decoded(data: bytes, notes: list[str]) -> str:
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):  # Excel's “Unicode text”
        try:
            return data.decode("utf-16")
        except UnicodeDecodeError:
            raise TableProblem("The file is damaged: it begins as UTF-16 and goes on otherwise.") from None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        pass
    try:
        text = data.decode("cp1252")
    except UnicodeDecodeError:
        raise TableProblem(
            "This is neither text in UTF-8 nor a workbook. Save it as .xlsx, or as CSV in UTF-8."
        ) from None
    notes.append("The file is not in UTF-8; it was read as Windows-1252. Look whether the accents are right.")
    return text


def _text_cells(
    text: str, ending: str, notes: list[str]
) -> tuple[list[list[str]], tuple[str, ...] | None, bool]:
    """Cells, the names of columns where the format has them, and whether it is one text per line."""
    start = text.lstrip()[:1]
    if ending in {"json", "jsonl"} or (not ending and start in {"[", "{"}):
        cells, names = _json_cells(text, ending)
        return cells, names, False
    delimiter = _delimiter(text, ending)
    if not delimiter:
        if _breaks(text) > 2 * MAX_ROWS:  # a line may end in two of them
            raise _too_many_rows()
        return [[line.strip()] for line in io.StringIO(text, newline=None)], None, True
    return _csv_cells(text, delimiter, notes), None, False


# --- text with delimiters -------------------------------------------------------------------------------------------


def _delimiter(text: str, ending: str) -> str:
    """What stands between cells; empty where every line is one text."""
    if ending == "tsv":
        return "\t"
    best, best_score = "", 0.0
    for delimiter in _DELIMITERS:
        rows = _first_rows(text, delimiter)
        widths = Counter(map(len, rows))
        if not widths:
            continue
        # A few lines of prose may well have as many commas each, but no prose begins with the names of columns.
        if ending == "txt" and delimiter == "," and _role_words(rows[0]) < 2:
            continue
        width, often = widths.most_common(1)[0]
        even = often / widths.total()
        # Prose has commas too, but not the same number in every line.
        if width > 1 and even > (0.5 if ending == "csv" else 0.85) and even > best_score:
            best, best_score = delimiter, even
    return best or ("," if ending == "csv" else "")


def _first_rows(text: str, delimiter: str) -> list[list[str]]:
    reader = csv.reader(io.StringIO(text[:400_000], newline=""), delimiter=delimiter)
    rows = []
    try:
        for row in reader:
            if any(row):
                rows.append(row)
            if len(rows) == _SAMPLE:
                break
    except csv.Error:
        pass
    # The sample may end within a row.
    return rows[:-1] if len(text) > 400_000 and len(rows) < _SAMPLE else rows


def _csv_cells(text: str, delimiter: str, notes: list[str]) -> list[list[str]]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    rows: list[list[str]] = []
    first = 1
    try:
        for row in reader:
            refuse_more(len(rows) + 1, len(row))
            rows.append([restored(cell) for cell in row])
            first = reader.line_num + 1
        return rows
    except csv.Error as error:
        loose = [line.split(delimiter) for line in text.splitlines()] if _breaks(text) <= 2 * MAX_ROWS else []
        if len({len(row) for row in loose if any(row)}) == 1:  # quotes that are only quotes
            notes.append("Quotation marks do not come in pairs; they were taken for part of the texts.")
            return loose
        line = quote_line(text, first, delimiter)
        raise TableProblem(
            f"Line {line} cannot be read ({error}). A text that has a quotation mark must stand in quotation marks, with "
            "those inside it doubled; saving the table as .xlsx is easier."
        ) from None


# --- JSON -----------------------------------------------------------------------------------------------------------


def _json_cells(text: str, ending: str) -> tuple[list[list[str]], tuple[str, ...] | None]:
    """An array of objects or of arrays, an object that holds one, or an object per line."""
    # Between two values stands a comma or a line ends; prose has far fewer.
    if text.count(",") + text.count("\n") > MAX_VALUES:
        raise TableProblem(f"The JSON has more than {MAX_VALUES:,} values. Split it, or save it as CSV.")
    try:
        value = json_value(text)
    except ValueError as error:
        if ending == "json" and text.lstrip().startswith("["):
            raise TableProblem(f"This is not JSON: {error}.") from None
        value = _json_lines(text)
    if isinstance(value, dict):
        lists = [part for part in value.values() if isinstance(part, list)]
        value = lists[0] if len(lists) == 1 and lists[0] and isinstance(lists[0][0], dict | list) else [value]
    if not isinstance(value, list) or not value:
        raise TableProblem("The JSON holds no rows: write an array of objects, [{…}, {…}], or one per line.")
    refuse_more(len(value))
    if all(isinstance(row, list) for row in value):
        return [[cell_text(cell) for cell in row] for row in value], None
    if not all(isinstance(row, dict) for row in value):
        raise TableProblem("Each row of the JSON must be an object, {“system”: …, “summary”: …}.")
    names = tuple(dict.fromkeys(name for row in value for name in row))
    if len(names) > MAX_COLUMNS:
        raise TableProblem(
            f"The JSON has {len(names):,} different keys; at most {MAX_COLUMNS} can be columns."
        )
    return [[cell_text(row[name]) if name in row else "" for name in names] for row in value], names


def _json_lines(text: str) -> list[Any]:
    rows: list[Any] = []
    for number, line in enumerate(io.StringIO(text, newline="\n"), start=1):
        if line.strip():
            refuse_more(len(rows) + 1)
            try:
                rows.append(json_value(line.strip()))
            except ValueError as error:
                raise TableProblem(f"Line {number} is not JSON: {error}.") from None
    return rows


def cell_text(value: Any) -> str:
    """What a cell of JSON or of a workbook says as text; sentences of a list stand on lines of their own."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    if isinstance(value, list):
        return "\n".join(cell_text(part) for part in value)
    if isinstance(value, dict):
        raise TableProblem("A cell of the JSON holds an object; give texts and numbers alone.")
    return str(value)


# --- what is read, as a grid ----------------------------------------------------------------------------------------


def refuse_more(rows: int, columns: int = 0) -> None:
    """Asked while reading: what has no end must not be read to its end before somebody says so."""
    if rows > MAX_ROWS:
        raise _too_many_rows()
    if columns > MAX_COLUMNS:
        raise TableProblem(
            f"A row has more than {MAX_COLUMNS} cells. Is the table turned, or the format another?"
        )


def _too_many_rows() -> TableProblem:
    return TableProblem(f"The table has more than {MAX_ROWS:,} rows. Split it.")


def _breaks(text: str) -> int:
    """How many characters end a line, as ``splitlines`` sees it."""
    return sum(text.count(ending) for ending in "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029")


def _check_size(cells: list[list[str]]) -> None:
    refuse_more(len(cells), max(map(len, cells), default=0))
    for number, row in enumerate(cells, start=1):
        for cell in row:
            if len(cell) > MAX_CELL:
                raise TableProblem(
                    f"A cell of row {number} has {len(cell):,} characters; at most {MAX_CELL:,} are read."
                )
            if fault := unstorable(cell):
                raise TableProblem(f"Row {number}: {fault}")


def _grid(
    name: str, cells: list[list[str]], names: tuple[str, ...] | None, plain: bool, notes: list[str]
) -> Grid:
    while cells and not any(map(str.strip, cells[-1])):
        cells.pop()
    width = max((len(row) for row in cells), default=0)
    if not width:
        raise TableProblem("There is nothing in the table.")
    rows = tuple(tuple(row) + ("",) * (width - len(row)) for row in cells)
    keep = [c for c in range(width) if names is not None or any(row[c].strip() for row in rows)]
    rows = tuple(tuple(row[c] for c in keep) for row in rows)
    if names is not None:
        # JSON names its columns in every row; its first object is row 1.
        return Grid(name, _named_columns(names), rows, 1, tuple(notes), plain)
    grid = Grid(name, _numbered_columns(len(keep)), rows, 1, tuple(notes), plain)
    if len(rows) == 1 and _role_words(rows[0]) > 1:
        raise TableProblem("The table has names of columns, and no row below them.")
    if above := _titles_above(rows):
        note = "Row 1 was" if above == 1 else f"Rows 1 to {above} were"
        grid = replace(grid, rows=rows[above:], notes=(*notes, f"{note} taken for a title and left out."))
        return replace(grid.with_header(), first=above + 2)
    return grid.with_header() if _begins_with_names(rows, plain) else grid


def _role_words(row: Sequence[str]) -> int:
    return sum(is_role_word(cell) for cell in row)


def _titles_above(rows: Sequence[Sequence[str]]) -> int:
    """How many rows with one cell, or none, stand above one that names columns by words that everybody uses."""
    for above, row in enumerate(rows[: _TITLE_ROWS + 1]):
        if len([cell for cell in row if cell.strip()]) > 1:
            return above if _role_words(row) > 1 and len(rows) > above + 1 else 0
    return 0


def _begins_with_names(rows: Sequence[Sequence[str]], plain: bool) -> bool:
    """Whether the first row names the columns: by words that name columns, or by being unlike what stands below."""
    first, below = [cell.strip() for cell in rows[0]], rows[1:_SAMPLE]
    if not below or any(len(cell) > _NAME_MAX or "\n" in cell for cell in first):
        return False
    named = [cell for cell in first if cell]
    if any(_is_number(cell) for cell in named):
        return False
    if any(is_role_word(cell) for cell in named):
        return True
    if plain or len(set(named)) < len(first):
        return False
    # Short words over long texts: names of systems, as one column per system has them.
    lengths = [sum(len(row[c]) for row in below) / len(below) for c in range(len(first))]
    return max(lengths) > _LONG and all(
        length < _LONG or len(cell) * 3 < length for cell, length in zip(first, lengths, strict=True)
    )


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _numbered_columns(width: int) -> tuple[str, ...]:
    return tuple(f"Column {number}" for number in range(1, width + 1))


def _named_columns(cells: Sequence[str]) -> tuple[str, ...]:
    """Names that differ; where there is none, the column's number."""
    names: list[str] = []
    for number, cell in enumerate(cells, start=1):
        base = " ".join(cell.split())[:_NAME_MAX] or f"Column {number}"
        name, again = base, 2
        while name in names:
            name, again = f"{base} ({again})", again + 1
        names.append(name)
    return tuple(names)


def _capital(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]


# --- several files --------------------------------------------------------------------------------------------------


def read_grids(files: Sequence[tuple[str, bytes]], *, max_bytes: int = 2**28) -> Grid:
    """One table of several files: one per system, or texts line by line beside each other."""
    grids = [read_grid(data, name, max_bytes=max_bytes) for name, data in files]
    if len(grids) == 1:
        return grids[0]
    names = [grid.name for grid in grids]
    if len(set(names)) < len(names):
        raise TableProblem("Two files have the same name; a file is named for its system.")
    joined = _beside(grids) if all(grid.plain for grid in grids) else _below(grids)
    _check_size([list(row) for row in joined.rows])
    return joined


def _beside(grids: Sequence[Grid]) -> Grid:
    """Files of lines: line 7 of each is about the same thing."""
    lines = [grid.without_header().rows for grid in grids]
    lengths = {grid.name: len(rows) for grid, rows in zip(grids, lines, strict=True)}
    if len(set(lengths.values())) > 1:
        said = ", ".join(f"{name} has {number:,}" for name, number in list(lengths.items())[:6])
        raise TableProblem(
            f"The files must have the same number of lines, as line by line they belong together: {said}."
        )
    rows = tuple(tuple(cell for (cell,) in row) for row in zip(*lines, strict=True))
    return Grid("", _named_columns([grid.name for grid in grids]), rows, 1, plain=True)


def _below(grids: Sequence[Grid]) -> Grid:
    """Tables with the same columns: a column more says which file a row comes from, and with it the system."""
    names = [grid.columns for grid in grids]
    columns = tuple(dict.fromkeys(name for columns in names for name in columns))
    if any(set(own) != set(columns) for own in names):
        odd = next(grid for grid in grids if set(grid.columns) != set(columns))
        lacking = sorted(set(columns) - set(odd.columns))
        raise TableProblem(
            f"{odd.name} has no column “{lacking[0]}”, and another file has: all must have the same columns."
        )
    rows = tuple(
        (grid.name, *(row[grid.columns.index(name)] for name in columns))
        for grid in grids
        for row in grid.rows
    )
    return Grid("", ("File", *columns), rows, 1)
