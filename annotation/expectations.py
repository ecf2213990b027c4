"""Whether an answer meets what was expected of it: the one rule for practice keys and control items of every type.

What is expected is an answer or a part of it, as the kind stores it; ``{"below": "original"}``, a worse grade than the text itself
gets from the same person, or within a set a worse one than the others get; or ``{"marks": "12:27"}``, something marked there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from annotation.disagreement import Compared
from annotation.placing import exhibit_placed
from annotation.sets import Places, order_in
from annotation.tasks.base import TaskKind
from annotation.tasks.spans import Part, overlap
from annotation.tasks.terms import Exhibit, Record, Row
from metrics.cells import span_read

NEAR = 0.1 + 1e-9  # of the scale: on one of more than ten steps, an answer beside the first is the same
_MARK = re.compile(
    r"(?:.*/)?(\d+)/(\d+:\d+(?:\+\d+:\d+)*)"
)  # unit and characters within it, perhaps after a set


@dataclass(frozen=True)
class Given:
    """An answer and what it was about. ``exhibit`` has texts in the order of the set, ``places`` says where each stood."""

    kind: TaskKind[Any, Any]
    config: Any
    exhibit: Exhibit
    record: Record
    answer: Any
    places: Places = ()

    @property
    def placed(self) -> Exhibit:
        return exhibit_placed(self.exhibit, self.places)

    def rows(self) -> list[Row]:
        """The answer as rows, with the texts of a set by their index and not by their place."""
        rows = self.kind.rows(self.config, self.placed, self.record, self.answer)
        return [
            row
            if row.output is None or not self.places
            else row._replace(output=order_in(self.places, row.unit)[row.output])
            for row in rows
        ]

    def in_order(self) -> Any:
        """The answer as it would be if the texts of a set stood in its own order, in which a key speaks."""
        if not self.places:
            return self.answer
        return self.kind.answer(self.config, self.exhibit, self.record, self.rows())

    def goodness(self) -> list[float] | None:
        """How good the answer says each text is, by its index."""
        return self.kind.goodness(self.config, self.exhibit, self.in_order())


def expectation_met(
    given: Given, expect: Mapping[str, Any], *, changed: int = 0, original: Given | None = None
) -> float | None:
    """How much of what was expected the answer meets, from 0 to 1; None where that cannot be said.

    ``changed``: of a set, which text was made worse. ``original``: what the same person says of the output as it is.
    """
    if "below" in expect:
        return _below(given, changed, original)
    if "marks" in expect:
        return float(_marks(given, str(expect["marks"])))
    key = given.kind.Answer.model_validate(dict(expect))
    return key_met(given, key)


def key_met(given: Given, key: Any) -> float | None:
    """The share of what the key says that was answered so."""
    lines = given.kind.feedback(given.config, given.exhibit, given.in_order(), key)
    return sum(line.correct for line in lines) / len(lines) if lines else None


def said_again(given: Given, before: Given) -> float | None:
    """How much of what somebody said of the same once before they say again: on a scale, no more than a tenth of it apart."""
    first, second = (
        {(one.text, one.unit, one.criterion): one.value for one in _compared(said)}
        for said in (before, given)
    )
    if not first and not second:
        return None
    names = first.keys() | second.keys()
    return sum(abs(first.get(name, 2) - second.get(name, 2)) <= NEAR for name in names) / len(names)


def _compared(given: Given) -> Iterator[Compared]:
    return given.kind.values_compared(given.config, given.rows())


def _below(given: Given, changed: int, original: Given | None) -> float | None:
    grades = given.goodness()
    if grades is None or changed >= len(grades):
        return None
    if len(grades) > 1:
        others = [grade for index, grade in enumerate(grades) if index != changed]
        return float(grades[changed] < sum(others) / len(others))
    before = original.goodness() if original else None
    return float(grades[0] < before[0]) if before else None


def _marks(given: Given, where: str) -> bool:
    """Whether something is marked where ``2/1:3`` says (unit 2), or ``12:27`` (of the whole text, its units joined by line breaks)."""
    unit, _, span = where.rpartition("/")
    wanted = span_read(span)
    units = given.exhibit.outputs[0].units if given.exhibit.outputs else ()
    begins = [0, *accumulate(len(one) + 1 for one in units)]
    for row in given.rows():
        found = _MARK.fullmatch(row.unit)
        if found is None or "/source/" in f"/{row.unit}":
            continue
        number = int(found[1])
        marked: Sequence[Part] = span_read(found[2])
        if unit and int(unit) != number:
            continue
        if not unit and number < len(begins):
            marked = [(begins[number - 1] + start, begins[number - 1] + end) for start, end in marked]
        if overlap(marked, wanted):
            return True
    return False
