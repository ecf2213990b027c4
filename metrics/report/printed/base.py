"""A table in print: heads, cells, and what a reader should know to read it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from metrics.report import numbers
from metrics.report.book import SIGNATURE, records

Row = dict[str, Any]
Format = Callable[[Any], str]

LONG = 20
"""Rows of a long table that the page shows at once; the rest folds out."""

DOT = "•"
SECONDS: Format = partial(numbers.amount, decimals=1)


@dataclass(frozen=True)
class Head:
    """The head of a column, whether numbers stand under it, whether paper is too narrow for it, and whether it is what the
    table is about.
    """

    title: str
    is_number: bool = True
    wide: bool = False
    is_main: bool = False


@dataclass(frozen=True)
class Column:
    """A column, and what it says of a row."""

    head: Head
    cell: Callable[[Row], str]


@dataclass(frozen=True)
class Printed:
    """A table in print; ``file`` is its name in ``tables/``."""

    caption: str
    heads: Sequence[Head]
    rows: list[list[str]]
    signatures: list[str]
    """Keys of how its numbers were made."""
    file: str = ""
    shown: int | None = None
    """How many rows the page shows at once."""
    links: Sequence[str] = ()
    """By row, the key of how the thing it is about was made."""
    rules: frozenset[int] = frozenset()
    """Rows with a line above them."""
    note: str = ""
    """What a reader should know to read it."""
    records: Sequence[Row] = ()
    """The numbers behind the rows."""


def text(name: str, title: str, form: Format | None = None, *, wide: bool = False) -> Column:
    """A column of words."""
    return Column(Head(title, False, wide), lambda row: word(row[name], form))


def word(value: Any, form: Format | None) -> str:
    return "" if value is None else str(value) if form is None else form(value)


def number(name: str, title: str, form: Format, *, wide: bool = False, is_main: bool = False) -> Column:
    """A column of numbers."""
    return Column(Head(title, wide=wide, is_main=is_main), lambda row: form(row[name]))


def interval(confidence: float, form: Format) -> Column:
    """Both ends of an interval, of the columns ``low`` and ``high``."""

    def cell(row: Row) -> str:
        return numbers.interval(row["low"], row["high"], form)

    return Column(Head(f"{numbers.percent(confidence)} interval"), cell)


def printed(
    caption: str,
    table: dict[str, Any] | list[Row],
    columns: Sequence[Column],
    *,
    file: str = "",
    shown: int | None = None,
    signatures: Iterable[str] = (),
    links: Sequence[str] = (),
    rules: Iterable[int] = (),
    note: str = "",
) -> Printed:
    """A table of the report's JSON, or some rows of one, in print."""
    rows = records(table) if isinstance(table, dict) else table
    cells = [[column.cell(row) for column in columns] for row in rows]
    keys = dict.fromkeys([*(row[SIGNATURE] for row in rows if SIGNATURE in row), *signatures])
    heads = [column.head for column in columns]
    return Printed(caption, heads, cells, list(keys), file, shown, links, frozenset(rules), note, rows)


def scale(rows: Iterable[Row], *names: str) -> Format:
    """As many digits as show the numbers of these columns well."""
    decimals = numbers.decimals_for(row[name] for row in rows for name in names)
    return partial(numbers.amount, decimals=decimals)
