"""One study's tables in canonical form, and their hash.

Rows are sorted before anything is computed, so that a report depends on what the tables say and not on the order in
which they say it; the hash is over exactly that.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from metrics.errors import BadInput
from metrics.frames import (
    ATTRIBUTE_COLUMNS,
    JUDGMENT_COLUMNS,
    OPTIONAL_COLUMNS,
    check_attributes,
    check_judgments,
    check_scores,
)

SCORE_COLUMNS = ("metric", "system", "item", "score", "higher_is_better")
SENTENCES = "sentences"
OUTPUT_COLUMNS = ("system", "item", "text", SENTENCES)
REFERENCE_COLUMNS = ("item", "reference", "text", SENTENCES)


@dataclass(frozen=True)
class Inputs:
    """The tables of one study, checked and sorted; None where a table was not given."""

    judgments: pd.DataFrame
    attributes: pd.DataFrame | None
    outputs: pd.DataFrame | None
    references: pd.DataFrame | None
    scores: pd.DataFrame | None
    programs: pd.DataFrame | None
    """What programs judged, as the long table has it, with the program's name under ``assessor``."""
    tasks: tuple[str, ...]
    """In the order of the report: as the study lists them, or as the table first names them."""
    hashes: dict[str, str]
    """By table, SHA-256 of its canonical form."""

    @property
    def sha256(self) -> str:
        """One hash for all tables."""
        return hashlib.sha256(json.dumps(self.hashes, sort_keys=True).encode()).hexdigest()

    @property
    def has_texts(self) -> bool:
        return self.outputs is not None and self.references is not None

    @property
    def practice_items(self) -> set[str]:
        """Items that people only practised on. Practice never enters results, those of metrics neither."""
        practised = self.judgments["practice"].astype(bool)
        items = (set(self.judgments.loc[rows, "item"]) for rows in (practised, ~practised))
        return next(items) - next(items) - {""}

    def in_order(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Rows by the order of their tasks; within a task as they are."""
        places = {task: place for place, task in enumerate(self.tasks)}
        return frame.sort_values(
            "task", key=lambda column: column.map(places), kind="stable", ignore_index=True
        )

    def rows(self) -> dict[str, int]:
        """How many rows each table has."""
        return {name: len(getattr(self, name)) for name in self.hashes}


def canonical_inputs(
    judgments: pd.DataFrame,
    *,
    attributes: pd.DataFrame | None = None,
    outputs: pd.DataFrame | None = None,
    references: pd.DataFrame | None = None,
    scores: pd.DataFrame | None = None,
    programs: pd.DataFrame | None = None,
    tasks: Sequence[str] = (),
) -> Inputs:
    """Check and sort the tables; texts are those of ``read_texts_outputs`` and ``read_texts_references``.

    ``tasks`` is the order of the tasks; those that it does not name follow as the judgments first name them.
    """
    checked = check_judgments(judgments)
    by_programs = None if programs is None or programs.empty else check_judgments(programs)
    tables = {
        # Which of several judgments of one thing it is stays where each of them counts.
        "judgments": (
            checked,
            (*_judgment_columns(checked), *(["sitting"] if "sitting" in judgments.columns else [])),
        ),
        "attributes": (None if attributes is None else check_attributes(attributes), ATTRIBUTE_COLUMNS),
        "outputs": (outputs, OUTPUT_COLUMNS),
        "references": (references, _reference_columns(references)),
        "scores": (None if scores is None else check_scores(scores), SCORE_COLUMNS),
        "programs": (by_programs, () if by_programs is None else _judgment_columns(by_programs)),
    }
    found: dict[str, pd.DataFrame] = {}
    hashes: dict[str, str] = {}
    for name, (table, columns) in tables.items():
        if table is not None:
            found[name], hashes[name] = _canonical(table, columns)
    studies = sorted(set(found["judgments"]["study"]))
    if len(studies) > 1:
        raise BadInput(f"expected the judgments of one study, found {', '.join(studies)}", column="study")
    optional = {name: found.get(name) for name in tables if name != "judgments"}
    known = set(found["judgments"]["task"])
    order = [task for task in dict.fromkeys([*tasks, *judgments["task"].astype(str)]) if task in known]
    return Inputs(found["judgments"], **optional, tasks=tuple(order), hashes=hashes)


def _judgment_columns(checked: pd.DataFrame) -> tuple[str, ...]:
    """A column that is empty throughout says nothing: the report, and its hash, are those of a table without it."""
    filled = (name for name in OPTIONAL_COLUMNS if name in checked.columns and _is_filled(checked[name]))
    return (*JUDGMENT_COLUMNS, *filled)


def _reference_columns(references: pd.DataFrame | None) -> tuple[str, ...]:
    """With the status of nuggets, where the references are nuggets."""
    has_status = (
        references is not None and "status" in references.columns and _is_filled(references["status"])
    )
    return (*REFERENCE_COLUMNS, "status") if has_status else REFERENCE_COLUMNS


def _is_filled(column: pd.Series) -> bool:
    return bool((column.notna() & (column.astype("str") != "")).any())


def _canonical(frame: pd.DataFrame, columns: Sequence[str]) -> tuple[pd.DataFrame, str]:
    """These columns, rows in the order of their cells' text (any order serves that is always the same), and its hash."""
    missing = [name for name in columns if name not in frame.columns and name != SENTENCES]
    if missing:
        raise BadInput(f"expected the columns {', '.join(columns)}", column=missing[0])
    whole = frame if SENTENCES in frame.columns else frame.assign(**{SENTENCES: None})
    chosen = whole[list(columns)].reset_index(drop=True)
    text = pd.DataFrame({name: _as_text(chosen[name]) for name in columns})
    text = text.sort_values(list(columns), kind="stable")
    sha256 = hashlib.sha256(text.to_csv(index=False, lineterminator="\n").encode()).hexdigest()
    return chosen.loc[text.index].reset_index(drop=True), sha256


def _as_text(column: pd.Series[Any]) -> pd.Series[str]:
    if pd.api.types.is_object_dtype(column.dtype):
        return pd.Series([_cell(value) for value in column], index=column.index, dtype="str")
    return column.astype("str").where(column.notna(), "")


def _cell(value: object) -> str:
    """A list of sentences as JSON; anything else as it prints."""
    if isinstance(value, list | tuple | np.ndarray):
        return json.dumps([str(part) for part in value], ensure_ascii=False)
    return "" if value is None or value is pd.NA or value != value else str(value)  # noqa: PLR0124 – NaN
