"""What the sections of a report write into: signatures, tables, what is missing, and what was left out."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from metrics.errors import UndefinedScoreWarning
from metrics.tables import plain as plain  # noqa: PLC0414 – sections take it from here
from metrics.tables import plain_column

SIGNATURE = "signature"


@dataclass(frozen=True)
class Table:
    """A table of the report: a name for its files, a title, and how it is printed."""

    name: str
    title: str
    frame: pd.DataFrame
    tex: bool = False
    """Whether it is also written for LaTeX; tables of thousands of rows are not."""
    human: str | None = None
    """The human score that it is about; None where it is about the study."""


@dataclass
class Book:
    """Filled section by section, in a fixed order."""

    tables: list[Table] = field(default_factory=list)
    missing: list[dict[str, Any]] = field(default_factory=list)
    left_out: list[dict[str, Any]] = field(default_factory=list)
    notes: list[dict[str, Any]] = field(default_factory=list)
    _keys: dict[str, str] = field(default_factory=dict)

    def sign(self, signature: str) -> str:
        """The short key under which a signature is found in the report's ``signatures``."""
        return self._keys.setdefault(signature, f"s{len(self._keys) + 1}")

    def signatures(self) -> dict[str, str]:
        return {key: signature for signature, key in self._keys.items()}

    def add(
        self,
        name: str,
        title: str,
        frame: pd.DataFrame,
        *,
        signature: str | None = None,
        tex: bool = False,
        human: str | None = None,
    ) -> None:
        """A table for the folder ``tables``, with its signatures written out: its own column of them, or one for all."""
        whole = frame if signature is None else with_signature(frame, signature)
        self.tables.append(Table(name, title, whole, tex, human))

    def miss(self, section: str, why: str, *, human: str | None = None) -> None:
        """A section that cannot be made, and why."""
        self.missing.append({"section": section, "human": human, "why": why})

    def leave_out(self, what: str, count: int, why: str, *, human: str | None = None) -> None:
        """Things that were given and do not count, and why."""
        if count:
            self.left_out.append({"what": what, "count": int(count), "why": why, "human": human})

    def note(self, section: str, note: str, *, human: str | None = None) -> None:
        """Something that a reader should know about a part of the report."""
        self.notes.append({"section": section, "human": human, "note": note})

    @contextmanager
    def noting(self, section: str, *, human: str | None = None) -> Iterator[None]:
        """What is warned of within becomes notes of the report, each once."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            yield
        for message in dict.fromkeys(str(warning.message) for warning in caught if _is_ours(warning)):
            self.note(section, message.replace("NaN", "undefined"), human=human)

    def json_table(self, frame: pd.DataFrame) -> dict[str, Any]:
        """A frame as JSON holds it, with a key in place of each signature."""
        if SIGNATURE in frame.columns:
            frame = frame.assign(signature=[self.sign(line) for line in frame[SIGNATURE]])
        return json_table(frame)


def with_signature(frame: pd.DataFrame, signature: str) -> pd.DataFrame:
    """The frame with a last column that says how its numbers were made, whatever its other columns are called."""
    column = pd.Series([signature] * len(frame), index=frame.index, name=SIGNATURE, dtype="str")
    return pd.concat([frame, column], axis="columns")


def _is_ours(warning: warnings.WarningMessage) -> bool:
    return issubclass(warning.category, UndefinedScoreWarning) or warning.category is UserWarning


def json_table(frame: pd.DataFrame) -> dict[str, Any]:
    """``{"columns": […], "rows": [[…], …]}``; what is undefined is null."""
    columns = [plain_column(frame.iloc[:, place]) for place in range(frame.shape[1])]
    return {
        "columns": [str(name) for name in frame.columns],
        "rows": [list(row) for row in zip(*columns, strict=True)],
    }


def records(table: dict[str, Any]) -> list[dict[str, Any]]:
    """A table of the report's JSON as one dictionary per row."""
    return [dict(zip(table["columns"], row, strict=True)) for row in table["rows"]]


def frame_of(table: dict[str, Any]) -> pd.DataFrame:
    """A table of the report's JSON as a data frame."""
    return pd.DataFrame(table["rows"], columns=table["columns"])
