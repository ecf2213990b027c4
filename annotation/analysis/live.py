"""Agreement that follows the judgments: what one item adds to the sums, and α with its interval from the sums.

The values of an item (a *cell*) are kept as they were last seen. When somebody judges, the pairs of values of that cell alone are
counted anew, and the sums change by the difference (:mod:`metrics.meta.coincidence`); nothing else is read. What is compared, of
which kind, is told by :mod:`annotation.analysis.comparable`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from math import isnan
from typing import Any

from metrics.human import extract
from metrics.human.comparison import READINGS
from metrics.human.spans.live import Unitized, alpha_of_spans
from metrics.meta.coincidence import Coincidences, alpha
from metrics.report.assessors import DISCRETE

GROUPS = 40  # of items, for the interval; up to so many, each item is a group
Cell = dict[str, Any]
"""``things``: what was judged, ``[criterion, …]``; ``judged``: by assignment ``[judgment, assessor, position, thing, value …]``."""
Sums = dict[str, dict[str, list[list[list[float]]]]]
"""By task (its number) and criterion, for each group the rows of its coincidences."""


@dataclass(frozen=True)
class Agreement:
    """Of one criterion of one task."""

    task: str
    criterion: str
    coefficient: str
    value: float | None
    low: float | None
    high: float | None
    judgments: int


def cell_changed(cell: Cell, gone: Iterable[str], came: Mapping[str, list[Any]]) -> Cell:
    """The cell without some assignments and with others: ``[judgment, assessor, position, [(thing, value) …]]`` each."""
    things = [tuple(thing) for thing in cell.get("things", [])]
    places = {thing: place for place, thing in enumerate(things)}
    judged = {key: entry for key, entry in cell.get("judged", {}).items() if key not in set(gone)}
    for key, (judgment, assessor, position, values) in came.items():
        entry: list[Any] = [judgment, assessor, position]
        for thing, value in values:
            place = places.setdefault(tuple(thing), len(places))
            entry += [place, value]
        judged[key] = entry
    return {"things": [list(thing) for thing in places], "judged": judged}


def _counted(cell: Cell) -> dict[str, Coincidences | Unitized]:
    """By criterion, the pairs of values that the cell holds; of a person's judgments of one thing the first counts."""
    firsts: dict[int, dict[int, tuple[int, Any]]] = defaultdict(dict)
    for _, assessor, position, *values in cell.get("judged", {}).values():
        for place, value in zip(values[::2], values[1::2], strict=True):
            known = firsts[place].get(assessor)
            if known is None or position < known[0]:
                firsts[place][assessor] = (position, value)
    found: dict[str, Coincidences | Unitized] = {}
    for place, of_thing in firsts.items():
        criterion = cell["things"][place][0]
        values = [value for _, value in of_thing.values()]
        kept = found.setdefault(criterion, Unitized() if isinstance(values[0], list) else Coincidences())
        if isinstance(kept, Unitized):
            kept.add(values, length=cell["things"][place][-1])
        else:
            kept.add(values)
    return found


class LiveSums:
    """The sums of a study, in memory: changed cell by cell, and stored as JSON."""

    def __init__(self, stored: Sums) -> None:
        self._groups: dict[str, dict[str, list[Any]]] = {
            task: {name: [_of_rows(rows) for rows in groups] for name, groups in of_task.items()}
            for task, of_task in stored.items()
        }

    def replace(self, task: str, group: int, before: Cell, after: Cell) -> None:
        """Take out what the cell had added, and add what it holds now."""
        of_task = self._groups.setdefault(task, {})
        for times, cell in ((-1, before), (1, after)):
            for criterion, counted in _counted(cell).items():
                groups = of_task.setdefault(criterion, [type(counted)() for _ in range(GROUPS)])
                groups[group].join(counted, times)

    def stored(self) -> Sums:
        return {
            task: {name: [group.rows() for group in groups] for name, groups in of_task.items()}
            for task, of_task in self._groups.items()
        }

    def agreement(self, tasks: Mapping[str, tuple[str, str]]) -> list[Agreement]:
        """One line per task and criterion, in the order of the tasks: number → name and kind."""
        return [
            _agreement(name, criterion, kind, groups)
            for number, (name, kind) in tasks.items()
            for criterion, groups in self._groups.get(number, {}).items()
            if any(groups)
        ]


def _of_rows(rows: list[list[float]]) -> Coincidences | Unitized:
    return (
        Unitized.of_rows(rows)
        if rows and len(rows[0]) == len(fields(Unitized))
        else Coincidences.of_rows(rows)
    )


def _agreement(task: str, criterion: str, kind: str, of_groups: list[Coincidences | Unitized]) -> Agreement:
    """By the coefficient that the report tells first: of few values their order counts, of many their distances."""
    spans = [group for group in of_groups if isinstance(group, Unitized)]
    groups = [group for group in of_groups if isinstance(group, Coincidences)]
    if spans:
        name, found = "alpha-u", alpha_of_spans(spans)
    elif kind in READINGS:
        name, found = "pairs-alpha", alpha(groups, level="nominal")
    elif kind == extract.SLUG:
        name, found = "lines-alpha", alpha(groups, level="nominal")
    else:
        name, found = "alpha-ordinal", alpha(groups, level="ordinal")
        if found.values > DISCRETE:
            name, found = "alpha-interval", alpha(groups, level="interval")
    ends = found.confidence_interval
    value, low, high = (
        None if isnan(number) else number for number in (found.statistic, ends.low, ends.high)
    )
    return Agreement(task, criterion, name, value, low, high, found.judgments)
