"""How rows of a study's files find each other: by ids, and outputs by system, item and kind."""

from __future__ import annotations

import difflib
from collections.abc import Hashable, Iterable, Iterator
from typing import Any

from annotation.study_files.draft import Table
from annotation.study_files.problems import Problems
from annotation.study_files.schema import NamedOutputRow, OutputRow, PrefilledRow

_FEW = 200  # ids to look for a similar one among; for every problem among thousands it would take too long


def known_id(table: Table[Any], key: str, file: str, line: int, problems: Problems) -> None:
    """A problem if the table has no such id."""
    if not table.usable or key in table.ids:
        return
    kind = table.name.removesuffix("s")
    if table.file:
        problems.add(
            file, line, f"unknown {kind} “{key}”: {table.file} has no such id.{near_word(key, table.ids)}"
        )
    else:
        problems.add(file, line, f"unknown {kind} “{key}”: study.yaml names no file of {table.name}.")


def near_word(key: str, known: Iterable[str]) -> str:
    words = list(known)
    close = difflib.get_close_matches(key, words, n=1) if len(words) <= _FEW else []
    return f" Did you mean “{close[0]}”?" if close else ""


def check_once(table: Table[Any], keys: Iterable[Hashable], said: Any, problems: Problems) -> None:
    first: dict[Hashable, int] = {}
    for key, (line, row) in zip(keys, table.located(), strict=True):
        if key in first:
            problems.add(table.file, line, f"{said(row)} already, in line {first[key]}; remove one of them.")
        else:
            first[key] = line


def spelled_alike(outputs: Iterable[OutputRow]) -> Iterator[tuple[int, str]]:
    """By their place the outputs that tables would name as they name another one, SYSTEM/ITEM: ids may hold slashes themselves."""
    known: dict[str, tuple[str, str]] = {}
    for place, row in enumerate(outputs):
        for system in {row.system, f"{row.system}/{row.kind}" if row.kind else row.system}:
            name = f"{system}/{row.item}"
            if known.setdefault(name, (system, row.item)) != (system, row.item):
                yield place, name


def output_key(row: OutputRow | NamedOutputRow | PrefilledRow) -> tuple[str, str, str]:
    """What a row of practice or controls names an output by."""
    return row.system, row.item, row.kind
