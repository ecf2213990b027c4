"""Tables on a page: what ``metrics.report`` prints, with links where a page has something to lead to."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from annotation.reports.data import Record, reporting


@dataclass(frozen=True)
class Cell:
    text: str
    is_number: bool
    is_main: bool
    name: str = ""
    """What a key stands for, beside it."""


@dataclass(frozen=True)
class TableRow:
    cells: list[Cell]
    has_rule: bool
    """Whether there is a line above it."""
    href: str = ""


def table_rows(
    table: reporting.Printed,
    *,
    href: Callable[[Record], str] | None = None,
    names: Mapping[str, str] | None = None,
    named: str = "",
) -> list[TableRow]:
    """The rows of a printed table; in the column under the head ``named``, keys are followed by their names."""
    return [
        TableRow(
            [
                Cell(
                    text,
                    head.is_number,
                    head.is_main,
                    _name(text, names or {}) if head.title == named else "",
                )
                for text, head in zip(cells, table.heads, strict=True)
            ],
            place in table.rules,
            href(table.records[place]) if href else "",
        )
        for place, cells in enumerate(table.rows)
    ]


def _name(key: str, names: Mapping[str, str]) -> str:
    name = names.get(key, "")
    return "" if name == key else name
