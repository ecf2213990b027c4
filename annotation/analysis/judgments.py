"""A file of judgments made elsewhere, read and checked by the rules of ``metrics``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
from pyarrow import parquet

from metrics.errors import BadInput
from metrics.frames import read_judgments

# Of one table: a small file of Parquet may hold far more than fits into memory.
MOST_ROWS = 1_000_000


def judgment_table(path: Path) -> Iterator[dict[str, Any]]:
    """The rows of a checked long table; ``row`` is the row that a user sees, None stands for an empty cell."""
    if path.suffix == ".parquet":
        _refuse_too_many_rows(path)
    table = read_judgments(path)
    first = 1 if path.suffix in {".jsonl", ".ndjson", ".parquet"} else 2  # row 1 of a CSV file is its header
    for row, cells in enumerate(table.to_dict("records"), start=first):
        yield {"row": row, **{str(name): None if _empty(value) else value for name, value in cells.items()}}


def _refuse_too_many_rows(path: Path) -> None:
    try:
        rows = parquet.read_metadata(path).num_rows
    except (OSError, ValueError):
        return  # whoever reads it says what is wrong
    if rows > MOST_ROWS:
        raise BadInput(f"{path.name}: has {rows:,} rows; import at most {MOST_ROWS:,} at once")


def _empty(value: Any) -> bool:
    return value is None or bool(pd.isna(value))
