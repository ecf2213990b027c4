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
    mark: str = ""
    """In a table of marks: full, half or empty."""


class Brick(NamedTuple):
    """A row that is drawn in a tier: what it says, and what stands under it."""

    label: str
    below: str
    share: float | None


class Tiers(NamedTuple):
    """What is drawn of one item: tiers, the heaviest first, and what is in each."""

    item: str
    tiers: list[tuple[str, list[Brick]]]


@dataclass(frozen=True)
class ResultTable:
    """A table to be shown as it is. The first column names the row; None stands for what is undefined."""

    name: str
    title: str
    columns: tuple[Column, ...]
    rows: list[tuple[Value, ...]]
    note: str = ""
    marks: bool = False
    """Whether its numbers are marks: 1 is full, 0 is empty, what is between is half."""
    tiers: tuple[str, str, str, str, str] | None = None
    """Columns of what can also be drawn in tiers: item, tier, label, what stands under it, share."""

    def drawn(self) -> list[Tiers]:
        """The rows in tiers, item by item, the highest tier first; nothing if it is only a table."""
        if self.tiers is None:
            return []
        names = [column.name for column in self.columns]
        item, tier, label, below, share = (names.index(name) for name in self.tiers)
        found: dict[str, dict[float, list[Brick]]] = {}
        for row in self.rows:
            brick = Brick(str(row[label] or ""), str(row[below] or ""), _share(row[share]))
            found.setdefault(str(row[item]), {}).setdefault(_share(row[tier]) or 0.0, []).append(brick)
        return [
            Tiers(name, [(f"{weight:g}", tiers[weight]) for weight in sorted(tiers, reverse=True)])
            for name, tiers in found.items()
        ]

    def lines(self) -> list[list[Cell]]:
        """The rows in print, every number with its column's decimals."""
        return [
            [_cell(value, column, self.marks) for value, column in zip(row, self.columns, strict=True)]
            for row in self.rows
        ]


def _cell(value: Value, column: Column, marks: bool) -> Cell:
    if column.decimals is None:
        return Cell("" if value is None else str(value), False)
    text = "–" if value is None else f"{value:,.{column.decimals}f}".replace("-", "−")
    mark = "" if value is None or not marks else {1.0: "●", 0.0: "○"}.get(float(value), "◐")
    return Cell(text, True, mark)


def _share(value: Value) -> float | None:
    return None if value is None else float(value)


def result_table(
    name: str,
    title: str,
    frame: pd.DataFrame,
    columns: Sequence[Column],
    *,
    note: str = "",
    marks: bool = False,
    tiers: tuple[str, str, str, str, str] | None = None,
) -> ResultTable:
    """A frame as a table: its columns of these names, in this order."""
    values = frame[[column.name for column in columns]].astype("object")
    rows = [
        tuple(None if pd.isna(value) else value for value in row) for row in values.itertuples(index=False)
    ]
    return ResultTable(name, title, tuple(columns), rows, note, marks, tiers)


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
