"""A file of judgments made elsewhere, read and checked by the rules of ``metrics``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
from pyarrow import compute, parquet

from metrics.errors import BadInput
from metrics.frames import ADJUDICATION, read_judgments

# Of one table: a small file of Parquet may hold far more than fits into memory.
MOST_ROWS = 1_000_000
MOST_BYTES = 500_000_000
MOST_CELLS = 50_000_000


def judgment_table(path: Path) -> Iterator[dict[str, Any]]:
    """The rows of a checked long table; ``row`` is the row that a user sees, None stands for an empty cell."""
    if path.suffix == ".parquet":
        _refuse_too_many_rows(path)
    table = read_judgments(path, use=None)
    if ADJUDICATION in table.columns and (table[ADJUDICATION] == "decision").any():
        raise BadInput(
            f"{path.name}: has decisions of adjudicators, which are no judgments; export the table without them"
        )
    first = 1 if path.suffix in {".jsonl", ".ndjson", ".parquet"} else 2  # row 1 of a CSV file is its header
    for row, cells in enumerate(table.to_dict("records"), start=first):
        yield {"row": row, **{str(name): None if _empty(value) else value for name, value in cells.items()}}


def _refuse_too_many_rows(path: Path) -> None:
    try:
        rows = parquet.read_metadata(path).num_rows
        schema = parquet.read_schema(path)
    except (OSError, ValueError):
        return  # whoever reads it says what is wrong
    if rows > MOST_ROWS:
        raise BadInput(f"{path.name}: has {rows:,} rows; import at most {MOST_ROWS:,} at once")
    if rows * len(schema) > MOST_CELLS:
        raise BadInput(
            f"{path.name}: has {len(schema):,} columns; import at most {MOST_CELLS:,} cells at once"
        )
    for column in schema:  # one cell of a list may hold as much as all rows
        if not (_is_text(column.type) or _is_flat(column.type)):
            raise BadInput(f"{path.name}: expected texts or numbers, found {column.type} ({column.name})")
    if (size := _text_bytes(path)) > MOST_BYTES:
        raise BadInput(
            f"{path.name}: unpacks to {size:,} bytes of text; import at most {MOST_BYTES:,} at once"
        )


def _text_bytes(path: Path) -> int:
    """Of all text cells, without unpacking them: a file may hold a long text once and say it a million times."""
    try:
        schema = parquet.read_schema(path)
        texts = [column.name for column in schema if _is_text(column.type)]
        table = parquet.read_table(path, columns=texts, read_dictionary=texts)
        return sum(_chunk_bytes(chunk) for column in table.columns for chunk in column.chunks)
    except Exception:  # whoever reads it says what is wrong
        return 0


def _is_flat(kind: pa.DataType) -> bool:
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    return bool(pa.types.is_primitive(kind) or pa.types.is_null(kind) or pa.types.is_decimal(kind))


def _is_text(kind: pa.DataType) -> bool:
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    tests = (
        pa.types.is_string,
        pa.types.is_large_string,
        pa.types.is_binary,
        pa.types.is_large_binary,
    )
    return any(test(kind) for test in tests)


def _chunk_bytes(chunk: pa.Array) -> int:
    if not isinstance(chunk, pa.DictionaryArray):
        return int(chunk.nbytes)
    lengths = compute.binary_length(chunk.dictionary).cast(pa.int64())
    return compute.sum(lengths.take(chunk.indices)).as_py() or 0


def _empty(value: Any) -> bool:
    return value is None or bool(pd.isna(value))
