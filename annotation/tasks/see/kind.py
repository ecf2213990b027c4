"""SEE: unit alignment, coverage and quality (Lin & Hovy 2003, §2; the DUC 2004 variant: Graham 2015, §3.1).

The assessor steps through the units of a model text, marks the peer units that share content with each, and says how
much of the model unit they express together. A zero is an answer; a blank is not.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from annotation.tasks.base import (
    Example,
    Exhibit,
    Feedback,
    Missing,
    Record,
    Row,
    Strict,
    SubjectPlan,
    TaskKind,
)

if TYPE_CHECKING:
    from annotation.study_files.schema import Materials

LEVELS = (("all", 1.0), ("most", 0.75), ("some", 0.5), ("hardly any", 0.25), ("none", 0.0))
SCALES = {
    "duc2001": LEVELS,
    "duc2002": (("100 %", 1.0), ("80 %", 0.8), ("60 %", 0.6), ("40 %", 0.4), ("20 %", 0.2), ("0 %", 0.0)),
}
QUALITY = {
    "grammaticality": "How much of the text observes the rules of grammar, whatever its content?",
    "cohesion": "How many of the sentences fit in with their surroundings?",
    "coherence": "How much of the content is expressed and organised effectively?",
}
RELATED = "How many of the unmarked units are at least related to the model’s subject?"


Labels = dict[float | None, str]


class UnitAnswer(Strict):
    """The marks and the grade of one model unit; ``grade`` None means not decided yet."""

    marks: tuple[int, ...] = ()
    grade: float | None = None


class See(TaskKind["See.Config", "See.Answer"]):
    slug = "see"
    title = "Coverage and quality (SEE)"
    needs_reference = True
    examples = tuple(
        Example({"scale": scale, "variant": variant, "related": True})
        for scale in SCALES
        for variant in ("units", "duc2004")
    )

    class Config(Strict):
        scale: Literal["duc2001", "duc2002"] = "duc2001"
        variant: Literal["units", "duc2004"] = "units"
        quality: bool = True
        related: bool = False
        advance: bool = False  # on to the next unit as soon as a grade is chosen that fits its marks

    class Answer(Strict):
        units: tuple[UnitAnswer, ...] = ()
        marks: tuple[int, ...] = ()  # duc2004: for the model as a whole
        coverage: float | None = None  # duc2004: one overall estimate
        quality: dict[str, float | None] = Field(default_factory=dict)
        related: float | None = None

    def subjects(self, config: Config, materials: Materials) -> Iterable[SubjectPlan]:
        """Every output with every reference of its item, but not with one by the output's own author."""
        for o, output in enumerate(materials.outputs):
            for r in materials.references_of(output.item):
                author = materials.references[r].author
                if author and author == output.author:
                    continue
                yield SubjectPlan(item=output.item, outputs=(o,), reference=r)

    def content(self, config: Config, exhibit: Exhibit, answer: Answer | None) -> dict[str, Any]:
        return {
            "variant": config.variant,
            "peer": list(exhibit.output.units),
            "model": list(exhibit.reference.units),
            # From none to all, as digits and other scales run.
            "grades": [{"label": label, "value": value} for label, value in reversed(SCALES[config.scale])],
            "levels": [{"label": label, "value": value} for label, value in reversed(LEVELS)],
            "advance": config.advance,
            "quality": [{"name": name, "question": text} for name, text in QUALITY.items()]
            if config.quality
            else [],
            "related": RELATED if config.related else "",
        }

    def missing(self, config: Config, exhibit: Exhibit, answer: Answer) -> list[Missing]:
        found = list(self._coverage_missing(config, exhibit, answer))
        values = {value for _, value in LEVELS}
        asked = QUALITY if config.quality else {}
        for name in asked:
            level = answer.quality.get(name)
            if level is None:
                found.append(Missing(f"quality.{name}", f"Choose a level for {name}."))
            elif level not in values:
                found.append(Missing(f"quality.{name}", f"The level of {name} is not on the scale."))
        found += [
            Missing(f"quality.{name}", f"There is no question on {name}.")
            for name, level in answer.quality.items()
            if level is not None and name not in asked
        ]
        if answer.related is not None and (not config.related or answer.related not in values):
            found.append(
                Missing("related", "The level of related units is not on the scale, or not asked for.")
            )
        elif config.related and answer.related is None and self._unmarked(exhibit, answer):
            found.append(Missing("related", "Say how many of the unmarked units are related."))
        return found

    def _coverage_missing(self, config: Config, exhibit: Exhibit, answer: Answer) -> Iterator[Missing]:
        peers = range(len(exhibit.output.units))
        values = {value for _, value in SCALES[config.scale]}
        if config.variant == "duc2004":
            yield from _grade_missing("coverage", "the model", answer.marks, answer.coverage, values, peers)
            if answer.units:
                yield Missing("units", "The model is graded as a whole here, not unit by unit.")
            return
        if answer.marks or answer.coverage is not None:
            yield Missing("coverage", "The model is graded unit by unit here, not as a whole.")
        blank = UnitAnswer()
        for u in range(len(exhibit.reference.units)):
            unit = answer.units[u] if u < len(answer.units) else blank
            yield from _grade_missing(f"units.{u}", f"unit {u + 1}", unit.marks, unit.grade, values, peers)
        if len(answer.units) > len(exhibit.reference.units):
            yield Missing("units", "The answer has more units than the model text.")

    def _unmarked(self, exhibit: Exhibit, answer: Answer) -> set[int]:
        marked = set(answer.marks).union(*(unit.marks for unit in answer.units))
        return set(range(len(exhibit.output.units))) - marked

    def answer_in_words(self, config: Config, exhibit: Exhibit, answer: Answer) -> str:
        labels: Labels = {value: label for label, value in SCALES[config.scale]}
        grades = [unit.grade for unit in answer.units] or [answer.coverage]
        counted = [(label, grades.count(value)) for value, label in labels.items()]
        levels: Labels = {value: label for label, value in LEVELS}
        said = [f"{label} {count}" if answer.units else label for label, count in counted if count]
        return "; ".join(
            [
                f"coverage: {', '.join(said)}",
                *(f"{name} {levels[level]}" for name, level in answer.quality.items() if level is not None),
            ]
        )

    def rows(self, config: Config, exhibit: Exhibit, record: Record, answer: Answer) -> Iterator[Row]:
        labels: Labels = {value: label for label, value in SCALES[config.scale]}
        levels: Labels = {value: label for label, value in LEVELS}
        reference = record.reference
        if config.variant == "duc2004":
            yield Row(reference, "coverage", answer.coverage, labels[answer.coverage])
            yield from (Row(f"{reference}:{p + 1}", "mark", 1.0, "") for p in sorted(answer.marks))
        for u, unit in enumerate(answer.units, start=1):
            yield Row(f"{reference}/{u}", "coverage", unit.grade, labels[unit.grade])
            yield from (Row(f"{reference}/{u}:{p + 1}", "mark", 1.0, "") for p in sorted(unit.marks))
        for name in QUALITY if config.quality else ():
            yield Row(reference, name, answer.quality[name], levels[answer.quality[name]])
        if answer.related is not None:
            yield Row(reference, "related", answer.related, levels[answer.related])

    def answer(self, config: Config, exhibit: Exhibit, record: Record, rows: Sequence[Row]) -> Answer:
        units: dict[int, dict[str, Any]] = {}
        whole: dict[str, Any] = {"marks": [], "quality": {}}
        for row in rows:
            place, _, peer = row.unit.removeprefix(record.reference).partition(":")
            unit = int(place.lstrip("/")) - 1 if place else None
            target = whole if unit is None else units.setdefault(unit, {"marks": []})
            if row.criterion == "mark":
                target["marks"].append(int(peer) - 1)
            elif row.criterion == "coverage":
                target["coverage" if unit is None else "grade"] = row.value
            elif row.criterion == "related":
                whole["related"] = row.value
            elif row.criterion in QUALITY:
                whole["quality"][row.criterion] = row.value
            else:
                raise ValueError(
                    f"criterion “{row.criterion}” is not one of see: coverage, mark, related, {', '.join(QUALITY)}"
                )
        whole["units"] = [units.get(u, {}) for u in range(max(units, default=-1) + 1)]
        return self.Answer.model_validate(whole)

    def simulate(
        self,
        config: Config,
        exhibit: Exhibit,
        record: Record,
        *,
        qualities: Sequence[float],
        rng: random.Random,
    ) -> Answer:
        quality = qualities[0]
        levels = sorted(value for _, value in LEVELS)
        answer: dict[str, Any] = {"marks": [], "quality": {}}
        if config.variant == "duc2004":
            answer["marks"], answer["coverage"] = self._simulated_unit(config, exhibit, quality, rng)
        else:
            pairs = [self._simulated_unit(config, exhibit, quality, rng) for _ in exhibit.reference.units]
            answer["units"] = [{"marks": marks, "grade": grade} for marks, grade in pairs]
        if config.quality:
            answer["quality"] = {name: _near(quality, levels, rng) for name in QUALITY}
        if config.related:
            answer["related"] = _near(quality, levels, rng)
        return self.Answer.model_validate(answer)

    def _simulated_unit(
        self, config: Config, exhibit: Exhibit, quality: float, rng: random.Random
    ) -> tuple[list[int], float]:
        grade = _near(quality, sorted(value for _, value in SCALES[config.scale]), rng)
        peers = range(len(exhibit.output.units))
        if not grade or not peers:
            return [], 0.0
        return sorted(rng.sample(peers, rng.randint(1, min(2, len(peers))))), grade

    def feedback(self, config: Config, exhibit: Exhibit, answer: Answer, key: Answer) -> list[Feedback]:
        labels: Labels = {value: label for label, value in SCALES[config.scale]}
        lines = []
        for u, expected in enumerate(key.units):
            if expected.grade is None:
                continue
            given = answer.units[u]
            lines.append(_compared(f"units.{u}", f"Unit {u + 1}", given.grade, expected.grade, labels))
            lines += _other_marks(f"units.{u}", f"Unit {u + 1}", given.marks, expected.marks)
        if key.coverage is not None:
            lines.append(_compared("coverage", "Coverage", answer.coverage, key.coverage, labels))
            lines += _other_marks("coverage", "Coverage", answer.marks, key.marks)
        levels: Labels = {value: label for label, value in LEVELS}
        for name, expected_level in key.quality.items():
            if expected_level is not None:
                given_level = answer.quality.get(name)
                lines.append(
                    _compared(f"quality.{name}", name.capitalize(), given_level, expected_level, levels)
                )
        if key.related is not None:
            lines.append(_compared("related", "Related units", answer.related, key.related, levels))
        return lines


KIND = See()


def letter(index: int) -> str:
    """The name of a peer unit: a … z, then aa, ab …, zz, aaa …"""
    before, last = divmod(index, 26)
    return (letter(before - 1) if before else "") + chr(97 + last)


def _grade_missing(
    field: str, what: str, marks: Sequence[int], grade: float | None, values: set[float], peers: range
) -> Iterator[Missing]:
    if any(p not in peers for p in marks) or len(set(marks)) < len(marks):
        yield Missing(field, f"The marks of {what} are not units of the peer text.")
    elif grade is None:
        yield Missing(
            field, f"Grade {what}." if marks else f"Grade {what}: mark what matches it, or choose none."
        )
    elif grade not in values:
        yield Missing(field, f"The grade of {what} is not on the scale.")
    elif marks and not grade:
        yield Missing(
            field,
            f"You marked units for {what} but graded it none. Remove the marks or choose another grade.",
        )
    elif grade and not marks:
        yield Missing(field, f"Mark the peer units that match {what}, or grade it none.")


def _near(quality: float, values: Sequence[float], rng: random.Random) -> float:
    """The value of the scale that is nearest to ``quality`` with an assessor's noise."""
    noisy = rng.gauss(quality, 0.2)
    return min(values, key=lambda value: abs(value - noisy))


def _other_marks(field: str, what: str, given: Sequence[int], expected: Sequence[int]) -> list[Feedback]:
    if set(given) == set(expected):
        return []
    letters = ", ".join(letter(p) for p in sorted(expected)) or "no unit"
    return [Feedback(field, False, f"{what}: we would have marked {letters}.")]


def _compared(field: str, what: str, given: float | None, expected: float, labels: Labels) -> Feedback:
    if given == expected:
        return Feedback(field, True, f"{what}: {labels[expected]}, as we would say.")
    return Feedback(
        field, False, f"{what}: you said {labels.get(given, 'nothing')}, we would say {labels[expected]}."
    )
