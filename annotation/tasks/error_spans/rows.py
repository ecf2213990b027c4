"""Error spans as rows of the long table, and back.

======================================  ==============================  =========================  ====================
unit                                    criterion                       value                      label
======================================  ==============================  =========================  ====================
``1``                                   ``errors``                      how many                   –
``1/13:17``, ``1/source/0:4``,          the category, or ``error``      the severity's weight      the severity
``1/missing``, ``1/missing#2``
the same                                ``note``; ``true``              –; 1 or 0                  the note; yes or no
``1``, or empty for the document        ``score``                       the score                  –
``1/0:3``                               ``prefilled``                   –                          kept, changed, removed
``1``                                   ``injected``                    1 found, 0 missed          –
empty                                   ``preference``                  1, −1, 0                   better, worse, tie
======================================  ==============================  =========================  ====================

``#2`` is the second error at the same place. Where outputs are judged side by side, all units begin with the set: ``s1/1/13:17``.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from annotation.tasks.error_spans.config import (
    ERROR,
    ERRORS,
    INJECTED,
    NOTE,
    PREFERENCE,
    PREFILLED,
    RESERVED,
    SCORE,
    TRUE,
    ErrorSpansAnswer,
    ErrorSpansConfig,
    Injected,
    OutputAnswer,
    Preferred,
    Span,
    UnitAnswer,
)
from annotation.tasks.error_spans.scene import Scene, same_error
from annotation.tasks.terms import Record, Row
from metrics.cells import span_read, span_written

_UNIT = re.compile(
    r"(?P<number>\d+)(?:/(?P<where>missing|(?P<source>source/)?(?P<parts>[\d:+]+))(?:#(?P<again>\d+))?)?"
)


def written(scene: Scene, record: Record, answer: ErrorSpansAnswer) -> Iterator[Row]:
    """The judgment as rows, unit by unit."""
    several = len(scene.outputs) > 1
    for place in range(len(scene.outputs)):
        output = place if several else None
        for number, unit in scene.answered(answer, place):
            if scene.is_asked(place, number) or unit.spans:
                yield from _unit_rows(scene, record, number, unit, output)
            injected = answer.injected
            if injected and (injected.output, injected.unit) == (place, number):
                yield Row(_at(record, str(number)), INJECTED, float(injected.found), "", output)
        whole = answer.outputs[place].score if place < len(answer.outputs) else None
        if scene.config.document_score and whole is not None:
            yield Row(_at(record, ""), SCORE, whole, "", output)
    yield from _prefilled_rows(scene, record, answer)
    if scene.config.preference:
        yield from _preference_rows(record, answer.preference)


def _unit_rows(
    scene: Scene, record: Record, number: int, unit: UnitAnswer, output: int | None
) -> Iterator[Row]:
    config = scene.config
    live = scene.live(unit)
    yield Row(_at(record, str(number)), ERRORS, float(len(live)), "", output)
    met: Counter[str] = Counter()
    for span in live:
        where = _numbered(_where(number, span), met)
        at = _at(record, where)
        yield Row(at, span.category or ERROR, config.weight(span.severity), span.severity, output)
        if span.note.strip():
            yield Row(at, NOTE, None, span.note, output)
        if config.question and span.true is not None:
            yield Row(at, TRUE, float(span.true), "yes" if span.true else "no", output)
    if unit.score is not None:
        yield Row(_at(record, str(number)), SCORE, unit.score, "", output)


def _prefilled_rows(scene: Scene, record: Record, answer: ErrorSpansAnswer) -> Iterator[Row]:
    """What became of each suggestion. One that another error sets aside is not there any more."""
    kept: dict[int, str] = {}
    for place in range(len(scene.outputs)):
        for number, unit in scene.answered(answer, place):
            for span in scene.live(unit):
                if span.suggestion is not None and span.suggestion < len(scene.suggested):
                    suggested = scene.suggested[span.suggestion]
                    is_same = (place, number) == suggested[:2] and same_error(span, suggested.span)
                    kept[span.suggestion] = "kept" if is_same else "changed"
    met: Counter[str] = Counter()
    for index, (place, number, span) in enumerate(scene.suggested):
        output = place if len(scene.outputs) > 1 else None
        where = _numbered(_where(number, span), met, f"{place}|")
        yield Row(_at(record, where), PREFILLED, None, kept.get(index, "removed"), output)


def _preference_rows(record: Record, preferred: Preferred) -> Iterator[Row]:
    for place in (0, 1):
        if preferred.winner is None:
            yield Row(_at(record, ""), PREFERENCE, 0.0, "tie", place)
        else:
            won = preferred.winner == place
            yield Row(_at(record, ""), PREFERENCE, 1.0 if won else -1.0, "better" if won else "worse", place)


def _where(number: int, span: Span) -> str:
    if span.side == "missing":
        return f"{number}/missing"
    return f"{number}/{'source/' if span.side == 'source' else ''}{span_written(span.parts)}"


def _numbered(where: str, met: Counter[str], scope: str = "") -> str:
    met[scope + where] += 1
    return where if met[scope + where] == 1 else f"{where}#{met[scope + where]}"


def _at(record: Record, where: str) -> str:
    return "/".join(filter(None, (record.set, where)))


# --- and back -------------------------------------------------------------------------------------------------------


def read(scene: Scene, record: Record, rows: Sequence[Row]) -> ErrorSpansAnswer:
    """The answer that the rows came from; ValueError says which row does not fit."""
    reading = _Reading(scene)
    for row in rows:
        reading.take(row, row.unit.removeprefix(record.set).removeprefix("/") if record.set else row.unit)
    return reading.answer()


class _Reading:
    def __init__(self, scene: Scene):
        self.scene = scene
        self.config: ErrorSpansConfig = scene.config
        self.spans: dict[tuple[int, int], dict[str, dict[str, Any]]] = defaultdict(dict)
        self.units: dict[tuple[int, int], dict[str, Any]] = defaultdict(dict)
        self.scores: dict[int, float] = {}
        self.became: list[tuple[int, str, str]] = []  # place, where, label
        self.preferred = Preferred()
        self.injected: Injected | None = None

    def take(self, row: Row, unit: str) -> None:
        place = row.output or 0
        if not unit:
            self._take_whole(row, place)
            return
        found = _UNIT.fullmatch(unit)
        if found is None:
            raise ValueError(f"“{unit}” is no unit such as 1, 1/12:27, 1/source/0:4 or 1/missing")
        number = int(found["number"])
        if number not in self.scene.numbers(place):
            raise ValueError(f"there is no unit {number} in this text")
        if row.criterion == PREFILLED:
            self.became.append((place, unit, row.label))
        elif found["where"] is None:
            self._take_unit(row, place, number)
        else:
            self._take_span(row, place, number, found)

    def _take_whole(self, row: Row, place: int) -> None:
        if row.criterion == SCORE and row.value is not None:
            self.scores[place] = row.value
        elif row.criterion == PREFERENCE:
            if row.value == 0:
                self.preferred = Preferred(tie=True)
            elif row.value and row.value > 0:
                self.preferred = Preferred(winner=place)
        else:
            raise ValueError(f"criterion “{row.criterion}” needs a unit")

    def _take_unit(self, row: Row, place: int, number: int) -> None:
        unit = self.units[place, number]
        if row.criterion == ERRORS:
            unit["errors"] = row.value
        elif row.criterion == SCORE:
            unit["score"] = row.value
        elif row.criterion == INJECTED:
            self.injected = Injected(output=place, unit=number, found=bool(row.value))
        else:
            raise ValueError(f"criterion “{row.criterion}” needs words of unit {number}")

    def _take_span(self, row: Row, place: int, number: int, found: re.Match[str]) -> None:
        # The first error at a place may have a row of its own category for each; only their number tells them apart.
        key = found[0]
        spans = self.spans[place, number]
        if row.criterion not in RESERVED and "category" in spans.get(key, {}):
            key = f"{key}|{row.criterion}"
        span = spans.setdefault(key, {})
        if found["where"] == "missing":
            span["side"] = "missing"
        else:
            span["side"] = "source" if found["source"] else "output"
            span["parts"] = span_read(found["parts"])
        if row.criterion == NOTE:
            span["note"] = row.label
        elif row.criterion == TRUE:
            span["true"] = bool(row.value)
        elif row.criterion in RESERVED:
            raise ValueError(f"criterion “{row.criterion}” is about a unit, not about words of it")
        else:
            span["category"] = "" if row.criterion == ERROR else row.criterion
            span["severity"] = row.label

    def answer(self) -> ErrorSpansAnswer:
        removed = self._suggestions()
        outputs = []
        for place in range(len(self.scene.outputs)):
            units = []
            for number in self.scene.numbers(place):
                given = self.units.get((place, number), {})
                spans = self._spans(place, number)
                counted = given.get("errors")
                if counted is not None and counted != len(spans):
                    raise ValueError(
                        f"unit {number} is said to have {counted:g} errors, and has {len(spans)}"
                    )
                none = not spans and counted == 0 and self.config.score is None
                units.append(UnitAnswer(spans=tuple(spans), none=none, score=given.get("score")))
            outputs.append(OutputAnswer(units=tuple(units), score=self.scores.get(place)))
        return ErrorSpansAnswer(
            outputs=tuple(outputs),
            removed=tuple(removed),
            preference=self.preferred,
            injected=self.injected,
        )

    def _spans(self, place: int, number: int) -> list[Span]:
        spans = []
        for where, fields in self.spans.get((place, number), {}).items():
            if "category" not in fields:
                raise ValueError(f"there is a note on “{where}”, and no error")
            spans.append(Span(**fields))
        return spans

    def _suggestions(self) -> list[int]:
        """Which suggestions were removed; the others are tied to the errors that they became."""
        met: Counter[str] = Counter()
        wheres = [
            (place, _numbered(_where(number, span), met, f"{place}|"))
            for place, number, span in self.scene.suggested
        ]
        became = {(place, where): label for place, where, label in self.became}
        if strangers := [where for place, where in became if (place, where) not in wheres]:
            raise ValueError(f"nothing is prefilled at “{strangers[0]}”")
        labels = [became.get(place_and_where, "removed") for place_and_where in wheres]
        # What was kept is known for certain, and what was changed is one of the rest.
        for wanted in ("kept", "changed"):
            for index, label in enumerate(labels):
                if label == wanted and not self._tie(index, changed=label == "changed"):
                    raise ValueError(
                        f"“{wheres[index][1]}” is said to be {label}, and there is no such error"
                    )
        return [index for index, label in enumerate(labels) if label not in {"kept", "changed"}]

    def _tie(self, index: int, *, changed: bool) -> bool:
        """Tie a suggestion to its error: the same one, or for one that was changed another of the same unit."""
        place, number, suggested = self.scene.suggested[index]
        free = [
            fields
            for fields in self.spans.get((place, number), {}).values()
            if "suggestion" not in fields and "category" in fields
        ]
        near = sorted(free, key=lambda fields: fields.get("parts", ()) != suggested.parts)
        for fields in near:
            if same_error(Span(**fields), suggested) != changed:
                fields |= {"suggestion": index, "kept": not changed}
                return True
        return False
