"""Agreement that follows the judgments: what one item adds to the sums, and α with its interval from the sums.

The values of an item (a *cell*) are kept as they were last seen. When somebody judges, the pairs of values of that cell alone are
counted anew, and the sums change by the difference (:mod:`metrics.meta.coincidence`); nothing else is read. Comparisons agree or
not on pairs of texts, as in :mod:`metrics.human.comparison_agreement`; all others on the values of texts and their units.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations
from math import isnan
from typing import Any

from metrics.human.comparison import READINGS
from metrics.human.registry import kinds
from metrics.meta.coincidence import Coincidences, alpha
from metrics.report.assessors import DISCRETE

GROUPS = 40  # of items, for the interval; up to so many, each item is a group
Cell = dict[str, Any]
"""``things``: what was judged, ``[criterion, …]``; ``judged``: by assignment ``[judgment, assessor, position, subject, thing, value …]``."""
Sums = dict[str, dict[str, list[list[list[float]]]]]
"""By task (its number) and criterion, for each group the rows of its coincidences."""
Row = Mapping[str, Any]


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


def is_followed(kind: str) -> bool:
    """Whether α of values, or of pairs of texts, is what people of this kind agree on; of others only the report tells."""
    declared = kinds().get(kind)
    return kind in READINGS or (
        declared is not None and not declared.coefficients and declared.as_compared is None
    )


def values_of(kind: str, rows: Iterable[Row], same_as: Mapping[str, str]) -> list[tuple[list[str], float]]:
    """What one judgment says of which thing: a list that begins with the criterion, and a value."""
    known = [row for row in rows if row["value"] is not None]
    if kind in READINGS:
        return list(_pairs(kind, known, same_as))
    marks = kinds()[kind].marks
    seen: set[tuple[Any, ...]] = set()
    found = []
    for row in known:
        if marks is not None and row["criterion"] == marks.criterion:
            continue
        # Systems with one text stood at one place, and were judged once.
        text = (row["criterion"], row["unit"], row["place"])
        if row["place"] is None or text not in seen:
            found.append(([row["criterion"], row["system"], row["item"], row["unit"]], float(row["value"])))
        seen.add(text)
    return found


def _pairs(kind: str, rows: list[Row], same_as: Mapping[str, str]) -> Iterable[tuple[list[str], float]]:
    """Each two texts of the set: 1 where the first by name is better, −1 where the second is, 0 for a tie."""
    reading = READINGS[kind]
    texts: dict[str, dict[str, Row]] = defaultdict(dict)
    first_there: dict[tuple[str, Any], str] = {}
    for row in rows:
        spot = (row["criterion"], row["place"])
        first_there[spot] = min(first_there.get(spot, row["system"]), row["system"])
    for row in rows:
        key = f"{row['system']}/{row['item']}"
        name = same_as.get(key) or first_there[row["criterion"], row["place"]]
        texts[row["criterion"]].setdefault(name, row)
    for criterion, of_set in texts.items():
        for first, second in combinations(sorted(of_set), 2):
            gap = of_set[first]["value"] - of_set[second]["value"]
            if gap or reading.equal_is_tie:
                ahead = (gap > 0) - (gap < 0)
                item = of_set[first]["item"]
                yield [criterion, item, first, second], float(-ahead if reading.lower_wins else ahead)


def cell_changed(cell: Cell, gone: Iterable[str], came: Mapping[str, list[Any]]) -> Cell:
    """The cell without some assignments and with others: ``[judgment, assessor, position, subject, [(thing, value) …]]`` each."""
    things = [tuple(thing) for thing in cell.get("things", [])]
    places = {thing: place for place, thing in enumerate(things)}
    judged = {key: entry for key, entry in cell.get("judged", {}).items() if key not in set(gone)}
    for key, (judgment, assessor, position, subject, values) in came.items():
        entry: list[Any] = [judgment, assessor, position, subject]
        for thing, value in values:
            place = places.setdefault(tuple(thing), len(places))
            entry += [place, value]
        judged[key] = entry
    return {"things": [list(thing) for thing in places], "judged": judged}


def _coincidences(cell: Cell) -> dict[str, Coincidences]:
    """By criterion, the pairs of values that the cell holds; of a person's judgments of one thing the first counts."""
    firsts: dict[int, dict[int, tuple[int, float]]] = defaultdict(dict)
    for _, assessor, position, _subject, *values in cell.get("judged", {}).values():
        for place, value in zip(values[::2], values[1::2], strict=True):
            known = firsts[place].get(assessor)
            if known is None or position < known[0]:
                firsts[place][assessor] = (position, value)
    found: dict[str, Coincidences] = {}
    for place, of_thing in firsts.items():
        criterion = cell["things"][place][0]
        found.setdefault(criterion, Coincidences()).add([value for _, value in of_thing.values()])
    return found


def subjects_of(cell: Cell) -> set[int]:
    return {entry[3] for entry in cell.get("judged", {}).values()}


def spreads(cell: Cell, ranges: Mapping[str, float]) -> dict[int, float]:
    """By subject that several people judged: the mean range of their values, each as a share of its criterion's range."""
    found: dict[int, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    for _, _, _, subject, *values in cell.get("judged", {}).values():
        for place, value in zip(values[::2], values[1::2], strict=True):
            found[subject][place].append(value)
    shares = {
        subject: [
            (max(values) - min(values)) / (ranges.get(cell["things"][place][0]) or 1.0)
            for place, values in things.items()
            if len(values) > 1
        ]
        for subject, things in found.items()
    }
    return {subject: sum(of) / len(of) for subject, of in shares.items() if of}


class LiveSums:
    """The sums of a study, in memory: changed cell by cell, and stored as JSON."""

    def __init__(self, stored: Sums) -> None:
        self._groups = {
            task: {name: [Coincidences.of_rows(rows) for rows in groups] for name, groups in of_task.items()}
            for task, of_task in stored.items()
        }

    def replace(self, task: str, group: int, before: Cell, after: Cell) -> None:
        """Take out what the cell had added, and add what it holds now."""
        of_task = self._groups.setdefault(task, {})
        for times, cell in ((-1, before), (1, after)):
            for criterion, counted in _coincidences(cell).items():
                groups = of_task.setdefault(criterion, [Coincidences() for _ in range(GROUPS)])
                for pair, number in counted.pairs.items():
                    groups[group].change(pair, times * number)

    def ranges(self, task: str) -> dict[str, float]:
        """By criterion, how far apart values are at most."""
        found = {}
        for criterion, groups in self._groups.get(task, {}).items():
            ends = [(low, high) for group in groups for _, low, high in group.pairs]
            if ends:
                found[criterion] = max(high for _, high in ends) - min(low for low, _ in ends)
        return found

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
            if any(group.pairs for group in groups)
        ]


def _agreement(task: str, criterion: str, kind: str, groups: list[Coincidences]) -> Agreement:
    """By the coefficient that the report tells first: of few values their order counts, of many their distances."""
    if kind in READINGS:
        name, found = "pairs-alpha", alpha(groups, level="nominal")
    else:
        name, found = "alpha-ordinal", alpha(groups, level="ordinal")
        if found.values > DISCRETE:
            name, found = "alpha-interval", alpha(groups, level="interval")
    ends = found.confidence_interval
    value, low, high = (
        None if isnan(number) else number for number in (found.statistic, ends.low, ends.high)
    )
    return Agreement(task, criterion, name, value, low, high, found.judgments)
