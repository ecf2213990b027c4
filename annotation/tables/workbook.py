"""The cells of an XLSX workbook. It is a zip of XML: both are looked at with limits before anything is unpacked."""

from __future__ import annotations

import io
import re
import warnings
import zipfile
import zlib
from bisect import bisect_right
from datetime import date, datetime, time
from typing import Any

from openpyxl import load_workbook
from openpyxl.utils import column_index_from_string

from annotation.tables import grid

MAX_ENTRIES = 2000
MAX_RATIO = 100  # sheets repeat their tags, and pack well
MAX_UNPACKED = 100 * 1024 * 1024  # of XML, whose tags take minutes to read where texts take seconds
CELL = 50  # bytes of a cell, whatever it holds
SUSPICIOUS = 10 * 1024 * 1024
# A tag ends before the next begins, so that no text is looked at twice, whatever an upload has in it.
_MERGE_TAG = re.compile(r"<(?:\w+:)?mergeCell\s[^<>]*>")
_RANGE = re.compile(r"""\sref=["']([A-Z]{1,3})(\d{1,7}):[A-Z]{1,3}(\d{1,7})["']""")


def workbook_cells(data: bytes, notes: list[str], *, max_bytes: int) -> list[list[str]]:
    """The rows of the first sheet that has any."""
    _check_zip(data, max_bytes)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about styles and drawings, which nobody asked for
            book = load_workbook(io.BytesIO(data), read_only=True, data_only=True, keep_links=False)
            sheets = [sheet for sheet in book.worksheets if sheet.sheet_state == "visible"] or book.worksheets
            for sheet in sheets:
                rows = _rows(sheet)
                if any(any(row) for row in rows):
                    _fill_merged(rows, _merged(data, sheet), notes)
                    if len(sheets) > 1:
                        notes.append(f"The workbook has {len(sheets)} sheets; “{sheet.title}” was read.")
                    return rows
    except grid.TableProblem:
        raise
    except Exception:  # openpyxl raises whatever it stumbles over in a damaged file
        raise grid.TableProblem(
            "The workbook is damaged, or not an .xlsx. Save it anew, or as CSV."
        ) from None
    raise grid.TableProblem("There is nothing in the workbook.")


def _check_zip(data: bytes, max_bytes: int) -> None:
    max_bytes = min(max_bytes, MAX_UNPACKED)
    try:
        entries = zipfile.ZipFile(io.BytesIO(data)).infolist()
    except (zipfile.BadZipFile, zlib.error, ValueError, NotImplementedError, OverflowError):
        raise grid.TableProblem("The file is damaged. Save it anew as .xlsx, or as CSV.") from None
    names = {entry.filename for entry in entries}
    if "xl/workbook.xml" not in names:
        if any(name.rsplit("/", 1)[-1] in {"study.yaml", "study.yml"} for name in names):
            raise grid.TableProblem("This is a study file. Upload it as one, on the page of studies.")
        raise grid.TableProblem("This zip is no workbook. Give an .xlsx, or the files of texts themselves.")
    unpacked, packed = (
        sum(entry.file_size for entry in entries),
        sum(entry.compress_size for entry in entries),
    )
    if len(entries) > MAX_ENTRIES or unpacked > max_bytes:
        raise grid.TableProblem(
            f"The workbook unpacks to more than {max_bytes:,} bytes. Save the one sheet as CSV."
        )
    if unpacked > SUSPICIOUS and unpacked > MAX_RATIO * packed:
        raise grid.TableProblem("The workbook unpacks to far more than texts do. Save the one sheet as CSV.")


def _rows(sheet: Any) -> list[list[str]]:
    sheet.reset_dimensions()  # what a file says of its size may be wrong, and is padded with empty cells
    rows: list[list[str]] = []
    values = characters = 0
    for row in sheet.iter_rows(values_only=True):
        # A cell far to the right is enough for thousands before it; those that are only formatted say nothing.
        beyond = row[grid.MAX_COLUMNS :]
        is_wide = beyond.count(None) < len(beyond)
        grid.refuse_more(len(rows) + 1, len(row) if is_wide else 0)
        cells = [_text(value) for value in row[: grid.MAX_COLUMNS]]
        values += len(row) - row.count(None)
        if values > grid.MAX_VALUES:
            raise grid.TableProblem(
                f"The sheet has more than {grid.MAX_VALUES:,} cells. Split it, or save it as CSV."
            )
        # A text that many cells share is in the file once, and costs its length in each of them from here on.
        characters += sum(map(len, cells))
        if characters > MAX_UNPACKED:
            raise grid.TableProblem(
                f"The cells of the sheet hold more than {MAX_UNPACKED:,} characters. Split it."
            )
        while cells and not cells[-1]:
            cells.pop()
        rows.append(cells)
    return rows


def _merged(data: bytes, sheet: Any) -> list[tuple[int, int, int]]:
    """Cells that were merged downwards: column, first and last row, from 0. They stand behind all rows of the sheet's XML."""
    xml = zipfile.ZipFile(io.BytesIO(data)).read(sheet._worksheet_path)
    behind = xml[xml.rfind(b"sheetData>") :].decode(errors="replace")
    found = filter(None, map(_RANGE.search, _MERGE_TAG.findall(behind)))
    return [
        (column_index_from_string(column) - 1, int(first) - 1, int(last) - 1)
        for column, first, last in (one.groups() for one in found)
        if int(first) < int(last)
    ]


def _fill_merged(rows: list[list[str]], merged: list[tuple[int, int, int]], notes: list[str]) -> None:
    """What was written once for several rows holds for each of them that says anything itself; a spreadsheet keeps it in the first.

    Rows that have nothing else stay empty, as when somebody merged on to the end of a form.
    """
    speaking = [number for number, row in enumerate(rows) if any(map(str.strip, row))]
    filled, room = 0, MAX_UNPACKED
    for column, first, last in merged:
        text = rows[first][column] if first < len(rows) and column < len(rows[first]) else ""
        below = slice(bisect_right(speaking, first), bisect_right(speaking, last))
        for number in speaking[below] if text else ():
            room -= len(text) + CELL
            if room < 0:
                raise grid.TableProblem(
                    "Merged cells hold too much text. Unmerge them, or save the sheet as CSV."
                )
            row = rows[number]
            row.extend([""] * (column + 1 - len(row)))
            row[column] = text
            filled += 1
    if filled:
        notes.append("Merged cells were filled: what they say holds for each of their rows.")


def _text(value: Any) -> str:
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == time() else value.isoformat(sep=" ")
    if isinstance(value, date | time):
        return value.isoformat()
    return grid.cell_text(value)
