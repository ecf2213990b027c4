"""What an assessor of error spans has before them: units of outputs and source, which of them are asked about, what is suggested.

Units are counted from 1, over the whole document, whatever part of it is shown.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any, NamedTuple

from annotation.tasks.comparisons import LETTERS
from annotation.tasks.error_spans.config import ErrorSpansAnswer, ErrorSpansConfig, Span, UnitAnswer
from annotation.tasks.spans import Ground, graphemes
from annotation.tasks.terms import NO_TEXT, Exhibit, Text
from annotation.words import gettext

EMPTY = UnitAnswer()


class Suggested(NamedTuple):
    """A prefilled span: where, and as an answer would have it."""

    place: int
    unit: int
    span: Span


class Injection(NamedTuple):
    """An error put into a unit: the text with it."""

    place: int
    unit: int
    text: str


@dataclass(frozen=True)
class Scene:
    """The exhibit as this kind sees it."""

    config: ErrorSpansConfig
    exhibit: Exhibit

    @cached_property
    def outputs(self) -> tuple[tuple[str, ...], ...]:
        return tuple(units_of(output) for output in self.exhibit.outputs)

    @cached_property
    def source(self) -> tuple[str, ...]:
        texts = {"source": self.exhibit.document, "reference": self.exhibit.reference}
        return units_of(texts.get(self.config.beside, NO_TEXT))

    @cached_property
    def aligned(self) -> bool:
        """Whether it is read pair by pair."""
        return (
            self.config.aligned
            and bool(self.source)
            and all(len(units) == len(self.source) for units in self.outputs)
        )

    @cached_property
    def window(self) -> tuple[int, int]:
        """The first and the last unit that is asked about."""
        most = max((len(units) for units in self.outputs), default=0)
        first, last = self.exhibit.shown.get("window", (1, most))
        return first, min(last, most)

    @property
    def is_cut(self) -> bool:
        return "window" in self.exhibit.shown

    @cached_property
    def marks_source(self) -> bool:
        """Of a document in pieces, the source is cut with the output or not at all."""
        return self.config.marks_source and bool(self.source) and (self.aligned or not self.is_cut)

    @cached_property
    def is_shuffled(self) -> bool:
        """Whether each unit has places of its own (``services/places.py``): a longer source has none for what it has more."""
        return self.config.shuffle == "unit" and len({len(units) for units in self.outputs}) == 1

    def numbers(self, place: int) -> range:
        """The units that an answer about this output may speak of."""
        first, last = self.window
        last = min(last, len(self.outputs[place]))
        if self.marks_source and not self.is_cut and not self.is_shuffled:
            last = max(last, len(self.source))
        return range(first, last + 1)

    def is_asked(self, place: int, number: int) -> bool:
        """Whether the unit is one of the output, which must be judged, and not of a longer source alone."""
        first, last = self.window
        return first <= number <= min(last, len(self.outputs[place]))

    def text(self, place: int, side: str, number: int) -> str:
        units = self.source if side == "source" else self.outputs[place]
        return units[number - 1] if 1 <= number <= len(units) else ""

    def ground(self, place: int, side: str, number: int) -> Ground:
        """The same, for spans that are marked in it."""
        key = (0 if side == "source" else place, side, number)
        if key not in self._grounds:
            self._grounds[key] = Ground(self.text(place, side, number))
        return self._grounds[key]

    @cached_property
    def _grounds(self) -> dict[tuple[int, str, int], Ground]:
        return {}

    def has(self, place: int, side: str, number: int) -> bool:
        """Whether there is such a unit to mark something in, or to miss something from."""
        if number not in self.numbers(place):
            return False
        if side == "source":
            return self.marks_source and number <= len(self.source)
        return number <= len(self.outputs[place])

    def answered(self, answer: ErrorSpansAnswer, place: int) -> Iterator[tuple[int, UnitAnswer]]:
        """Each unit of an output with what is answered about it."""
        given = answer.outputs[place].units if place < len(answer.outputs) else ()
        for index, number in enumerate(self.numbers(place)):
            yield number, given[index] if index < len(given) else EMPTY

    def live(self, unit: UnitAnswer) -> list[Span]:
        """The errors that count: one that takes the whole unit sets the others aside."""
        whole = [span for span in unit.spans if span.category in self.config.whole_unit]
        return whole[:1] or list(unit.spans)

    @cached_property
    def suggested(self) -> list[Suggested]:
        """What is prefilled, in the order in which answers number it: output by output as they stand."""
        return [
            Suggested(place, suggestion["unit"], _suggested_span(suggestion))
            for place, output in enumerate(self.exhibit.outputs)
            for suggestion in output.prefilled
            if suggestion["unit"] in self.numbers(place)
        ]

    @cached_property
    def injection(self) -> Injection | None:
        """The same for everybody who sees these texts; None where none is asked for, or nothing can be put in."""
        if self.config.attention != "inject":
            return None
        rng = random.Random("\n".join(unit for units in self.outputs for unit in units))
        taken = {(one.place, one.unit) for one in self.suggested}
        places = [
            (place, number)
            for place in range(len(self.outputs))
            for number in self.numbers(place)
            if self.is_asked(place, number) and (place, number) not in taken
        ]
        rng.shuffle(places)
        for place, number in places:
            if changed := with_error(self.text(place, "output", number), rng):
                return Injection(place, number, changed)
        return None

    def named(self, place: int, number: int) -> str:
        """A unit as people read of it."""
        if len(self.outputs) == 1:
            return gettext("Unit {number}", number=number)
        return gettext("Unit {number} of {text}", number=number, text=LETTERS[place])


def units_of(text: Text) -> tuple[str, ...]:
    return text.units or ((text.text,) if text.text else ())


def same_error(span: Span, other: Span) -> bool:
    """Whether two say the same of the same words."""
    return (span.parts, span.side, span.severity, span.category) == (
        other.parts,
        other.side,
        other.severity,
        other.category,
    )


def _suggested_span(suggestion: Mapping[str, Any]) -> Span:
    parts = () if suggestion["start"] is None else ((suggestion["start"], suggestion["end"]),)
    return Span(
        parts=parts,
        side=suggestion["side"] if parts else "missing",
        severity=suggestion["severity"],
        category=suggestion["category"],
    )


def with_error(text: str, rng: random.Random) -> str:
    """The text with two words exchanged, or two characters where there are no words; nothing if that changes nothing."""
    words = text.split(" ")
    joint = " "
    if len(words) < 4:
        words, joint = graphemes(text), ""
    later = _exchangeable(words)
    if len(words) < 4 or not sum(later):
        return ""
    first, second = _pair(words, later, rng.randrange(sum(later)))
    words[first], words[second] = words[second], words[first]
    changed = joint.join(words)
    return changed if changed != text else ""


def _exchangeable(words: list[str]) -> list[int]:
    """For each word, with how many of those behind the next one it can be exchanged: others that are no blanks. Pairs are counted and
    not listed: a paragraph without spaces has millions."""
    found = [0] * len(words)
    behind: Counter[str] = Counter()
    number = 0
    for first in range(len(words) - 3, -1, -1):
        if words[first + 2].strip():
            behind[words[first + 2]] += 1
            number += 1
        if words[first].strip():
            found[first] = number - behind[words[first]]
    return found


def _pair(words: list[str], later: list[int], number: int) -> tuple[int, int]:
    """The pair of this number, from 0, in the order of the words."""
    for first, many in enumerate(later):
        if number < many:
            others = (
                second
                for second in range(first + 2, len(words))
                if words[second].strip() and words[second] != words[first]
            )
            return first, next(islice(others, number, None))
        number -= many
    raise IndexError(number)
