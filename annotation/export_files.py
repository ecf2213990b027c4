"""The long table as files: CSV, JSON Lines, Parquet, a chunk of lines at a time."""

from __future__ import annotations

import csv
import json
import secrets
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from annotation.export import (
    ATTRIBUTE_COLUMNS,
    CHUNK,
    TYPES,
    attribute_rows,
    columns_of,
    judgment_rows,
    program_rows,
)
from annotation.later import Later
from annotation.models import Study
from metrics.cells import neutralised

if TYPE_CHECKING:
    import pyarrow as arrow
    from pyarrow import parquet
else:
    arrow, parquet = Later("pyarrow"), Later("pyarrow.parquet")


class _Lines(list[str]):
    """Takes the lines of a CSV writer. With CRLF as its line end the writer also quotes a lone CR; LF is written."""

    def write(self, line: str) -> None:
        self.append(line.removesuffix("\r\n") + "\n")


def csv_lines(columns: list[str], rows: Iterable[dict[str, Any]]) -> Iterator[str]:
    """CSV, a chunk of lines at a time; text that a spreadsheet would run is neutralised, numbers never are."""
    lines = _Lines()
    writer = csv.writer(lines, lineterminator="\r\n")
    writer.writerow(columns)
    for row in rows:
        writer.writerow([_cell(row[name]) for name in columns])
        if len(lines) >= CHUNK:
            yield "".join(lines)
            lines.clear()
    yield "".join(lines)


def jsonl_lines(rows: Iterable[dict[str, Any]]) -> Iterator[str]:
    for row in rows:
        cells = {
            name: value.isoformat() if hasattr(value, "isoformat") else value for name, value in row.items()
        }
        yield json.dumps(cells, ensure_ascii=False) + "\n"


def parquet_write(rows: Iterable[dict[str, Any]], path: Path, *, decisions: bool = False) -> None:
    """Parquet in row groups, so that memory does not grow with the study."""
    schema = _arrow_schema(columns_of(decisions=decisions))
    with parquet.ParquetWriter(path, schema) as writer:
        batch: list[dict[str, Any]] = []
        for row in rows:
            batch.append(row)
            if len(batch) == 50 * CHUNK:
                writer.write_table(arrow.Table.from_pylist(batch, schema=schema))
                batch = []
        writer.write_table(arrow.Table.from_pylist(batch, schema=schema))


def _arrow_schema(columns: list[str]) -> arrow.Schema:
    moment = arrow.timestamp("us", tz="UTC")
    return arrow.schema(
        [
            (name, moment if kind == "timestamp" else arrow.type_for_alias(kind))
            for name in columns
            for kind in [TYPES.get(name, "string")]
        ]
    )


def export_write(
    study: Study,
    *,
    format: str,
    out: Path,
    all_revisions: bool = False,
    names: bool = False,
    excluded: bool = False,
    panel: bool = False,
    decisions: bool = False,
    programs: bool = False,
) -> None:
    """Write ``out`` and ``out.attributes.csv``; each appears whole or not at all. ``programs``: what programs judged."""
    decisions = decisions and not programs
    rows = (
        program_rows(study)
        if programs
        else judgment_rows(
            study, all_revisions=all_revisions, names=names, excluded=excluded, decisions=decisions
        )
    )
    columns = columns_of(decisions=decisions)
    attributes = out.with_name(out.name + ".attributes.csv")
    mark = secrets.token_hex(4)  # somebody else may be writing the same file
    draft, attributes_draft = (file.with_name(f".{file.name}.{mark}") for file in (out, attributes))
    try:
        if format == "parquet":
            parquet_write(rows, draft, decisions=decisions)
        else:
            _write_lines(csv_lines(columns, rows) if format == "csv" else jsonl_lines(rows), draft)
        _write_lines(csv_lines(ATTRIBUTE_COLUMNS, attribute_rows(study, panel=panel)), attributes_draft)
        draft.replace(out)
        attributes_draft.replace(attributes)
    finally:
        for left in (draft, attributes_draft):  # of a disk that is full, say
            left.unlink(missing_ok=True)


def _write_lines(lines: Iterable[str], path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        file.writelines(lines)


def _cell(value: Any) -> Any:
    if isinstance(value, str):
        return neutralised(value)
    if hasattr(value, "isoformat"):
        return value.isoformat()
    return value
