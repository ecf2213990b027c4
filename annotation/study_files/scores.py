"""A table of automatic scores on its own: ``metric, system, item, score``, as CSV or as a list from JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from annotation.study_files.draft import Draft
from annotation.study_files.problems import Problems
from annotation.study_files.read import fill
from annotation.study_files.rows import RawRow, rows
from annotation.study_files.schema import ScoreRow
from annotation.study_files.texts import unstorable
from annotation.study_files.validate import check_scores
from annotation.study_files.yaml_lines import Marked

FILE = "scores.csv"


def read_scores(
    given: bytes | list[Any], *, systems: Iterable[str], items: Iterable[str]
) -> tuple[ScoreRow, ...]:
    """The scores, ``StudyFileProblems`` with all that is wrong with them otherwise.

    ``systems`` and ``items`` are those of the study. Problems name the line of the CSV file, or the place in the list.
    """
    problems = Problems()
    draft = Draft(Marked())
    draft.systems.ids = dict.fromkeys(systems, 0)
    draft.documents.ids = dict.fromkeys(items, 0)
    table = draft.metric_scores
    listed = isinstance(given, list)
    table.file = "" if listed else FILE
    raw = _listed(given, problems) if isinstance(given, list) else rows(given, FILE, ScoreRow, problems)
    fill(table, ScoreRow, raw, problems)
    check_scores(draft, problems)
    if not table.rows and not problems:
        problems.add(table.file, None, "there are no scores in the table.")
    problems.raise_if_any()
    return tuple(table.rows)


def _listed(given: list[Any], problems: Problems) -> Iterator[RawRow]:
    for place, values in enumerate(given, start=1):
        if not isinstance(values, dict):
            problems.add("", place, "each score must be an object: {…}.")
            continue
        fault = unstorable(values)
        if fault:
            problems.add("", place, fault)
        yield RawRow(place, values)
