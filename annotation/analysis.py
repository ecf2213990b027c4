"""The one door from the application to ``metrics``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd

from metrics.errors import BadInput
from metrics.frames import read_judgments

__all__ = ["BadInput", "judgment_table"]


def judgment_table(path: Path) -> Iterator[dict[str, Any]]:
    """The rows of a checked long table; ``row`` is the line that a user sees, None stands for an empty cell."""
    table = read_judgments(path)
    for row, cells in zip(table.index, table.to_dict("records"), strict=True):
        yield {"row": row, **{name: None if _empty(value) else value for name, value in cells.items()}}


def _empty(value: Any) -> bool:
    return value is None or bool(pd.isna(value))
