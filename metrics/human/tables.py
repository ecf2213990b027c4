"""What a study page or a report shows beside the mean scores: named tables, kind by kind.

``human_tables`` makes them from the long table and its attributes alone. A kind that has more to say than its scores
declares a function that yields ``ResultTable`` objects (``HumanKind.tables``); whoever shows them needs to know no kind.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import pandas as pd

from metrics.errors import UndefinedScoreWarning
from metrics.frames import scored
from metrics.human.registry import kinds

Value = str | float | int | None


class Column(NamedTuple):
    """A column by its name (in files) and its title (on pages); ``decimals`` None holds text, else numbers."""

    name: str
    title: str
    decimals: int | None = None


class Cell(NamedTuple):
    """A value as it is printed."""

    text: str
    is_number: bool


@dataclass(frozen=True)
class ResultTable:
    """A table to be shown as it is. The first column names the row; None stands for what is undefined."""

    name: str
    title: str
    columns: tuple[Column, ...]
    rows: list[tuple[Value, ...]]
    note: str = ""

    def lines(self) -> list[list[Cell]]:
        """The rows in print, every number with its column's decimals."""
        return [
            [_cell(value, column) for value, column in zip(row, self.columns, strict=True)]
            for row in self.rows
        ]


def _cell(value: Value, column: Column) -> Cell:
    if column.decimals is None:
        return Cell("" if value is None else str(value), False)
    return Cell("–" if value is None else f"{value:,.{column.decimals}f}".replace("-", "−"), True)


def result_table(
    name: str, title: str, frame: pd.DataFrame, columns: Sequence[Column], *, note: str = ""
) -> ResultTable:
    """A frame as a table: its columns of these names, in this order."""
    values = frame[[column.name for column in columns]].astype("object")
    rows = [
        tuple(None if pd.isna(value) else value for value in row) for row in values.itertuples(index=False)
    ]
    return ResultTable(name, title, tuple(columns), rows, note)


def human_tables(
    judgments: pd.DataFrame, attributes: pd.DataFrame | None = None
) -> dict[str, list[ResultTable]]:
    """The tables of every task that has any. Those that miss an attribute are left out."""
    counted = scored(judgments)
    found: dict[str, list[ResultTable]] = {}
    for task, rows in counted.groupby("task", sort=False):
        kind = kinds().get(str(rows["kind"].iloc[0]))
        if kind is None or kind.tables is None:
            continue
        with warnings.catch_warnings():
            # What is undefined is an empty cell here; it need not be said for every one of them.
            warnings.simplefilter("ignore", UndefinedScoreWarning)
            found[str(task)] = list(kind.tables(rows, attributes, str(task)))
    return found
