"""SEE: unit alignment, coverage and quality (Lin & Hovy 2003, §2; the DUC 2004 variant: Graham 2015, §3.1).

The assessor steps through the units of a model text, marks the peer units that share content with each, and says how
much of the model unit they express together. A zero is an answer; a blank is not.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from annotation.strict import Strict
from annotation.tasks.base import Example, TaskKind
from annotation.tasks.letters import letter
from annotation.tasks.terms import Exhibit, Feedback, Missing, Record, Row, SubjectPlan
from annotation.words import gettext
from annotation.words import gettext_noop as _

if TYPE_CHECKING:
    from annotation.study_files.schema import Materials

LEVELS = ((_("all"), 1.0), (_("most"), 0.75), (_("some"), 0.5), (_("hardly any"), 0.25), (_("none"), 0.0))
SCALES = {
    "duc2001": LEVELS,
    "duc2002": (("100 %", 1.0), ("80 %", 0.8), ("60 %", 0.6), ("40 %", 0.4), ("20 %", 0.2), ("0 %", 0.0)),
}
QUALITY = {
    "grammaticality": _("How much of the text observes the rules of grammar, whatever its content?"),
    "cohesion": _("How many of the sentences fit in with their surroundings?"),
    "coherence": _("How much of the content is expressed and organised effectively?"),
}
HEADINGS = {"grammaticality": _("Grammaticality"), "cohesion": _("Cohesion"), "coherence": _("Coherence")}
RELATED = _("How many of the unmarked units are at least related to the model’s subject?")


Labels = dict[float | None, str]


class UnitAnswer(Strict):
    """The marks and the grade of one model unit; ``grade`` None means not decided yet."""

    marks: tuple[int, ...] = ()
    grade: float | None = None


class See(TaskKind["See.Config", "See.Answer"]):
    slug = "see"
    title = "Coverage and quality (SEE)"
    needs_reference = True
    shared_styles = ("assess/alignment.css",)
    disagreement_from = 0.25
    examples = tuple(
        Example({"scale": scale, "variant": variant, "related": True})
        for scale in SCALES
        for variant in ("units", "duc2004")
    )

    class Config(Strict):
        scale: Literal["duc2001", "duc2002"] = Field(
            default="duc2001",
            title="Grades",
            description="duc2001: all, most, some, hardly any, none. duc2002: 0 to 100 % in steps of 20.",
        )
        variant: Literal["units", "duc2004"] = Field(
            default="units",
            title="Judge the model",
            description="units: sentence by sentence. duc2004: with one estimate of the whole.",
        )
        quality: bool = Field(
            default=True,
            title="Ask about the language",
            description="Grammaticality, cohesion and coherence, at the end of each text.",
        )
        related: bool = Field(
            default=False,
            title="Ask about what is left unmarked",
            description="How much of it is at least related to the subject.",
        )
        advance: bool = Field(
            default=False,
            title="Go on by itself",
            description="To the next sentence of the model as soon as a grade is chosen that fits the marks.",
        )

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
            "grades": [
                {"label": gettext(label), "value": value} for label, value in reversed(SCALES[config.scale])
            ],
            "levels": [{"label": gettext(label), "value": value} for label, value in reversed(LEVELS)],
            "advance": config.advance,
            "quality": [
                {"name": name, "heading": gettext(HEADINGS[name]), "question": gettext(text)}
                for name, text in (QUALITY if config.quality else {}).items()
            ],
            "related": gettext(RELATED) if config.related else "",
        }

    def missing(self, config: Config, exhibit: Exhibit, answer: Answer) -> list[Missing]:
        found = list(self._coverage_missing(config, exhibit, answer))
        values = {value for _, value in LEVELS}
        asked = QUALITY if config.quality else {}
        for name in asked:
            level = answer.quality.get(name)
            if level is None:
                found.append(
                    Missing(
                        f"quality.{name}", gettext("{what}: choose a level.", what=gettext(HEADINGS[name]))
                    )
                )
            elif level not in values:
                found.append(
                    Missing(
                        f"quality.{name}",
                        gettext("{what}: this level is not on the scale.", what=gettext(HEADINGS[name])),
                    )
                )
        found += [
            Missing(f"quality.{name}", gettext("There is no question on “{name}”.", name=name))
            for name, level in answer.quality.items()
            if level is not None and name not in asked
        ]
        if answer.related is not None and (not config.related or answer.related not in values):
            found.append(
                Missing(
                    "related", gettext("The level of related units is not on the scale, or not asked for.")
                )
            )
        elif config.related and answer.related is None and self._unmarked(exhibit, answer):
            found.append(Missing("related", gettext("Say how many of the unmarked units are related.")))
        return found

    def _coverage_missing(self, config: Config, exhibit: Exhibit, answer: Answer) -> Iterator[Missing]:
        peers = range(len(exhibit.output.units))
        values = {value for _, value in SCALES[config.scale]}
        if config.variant == "duc2004":
            yield from _grade_missing("coverage", 0, answer.marks, answer.coverage, values, peers)
            if answer.units:
                yield Missing("units", gettext("The model is graded as a whole here, not unit by unit."))
            return
        if answer.marks or answer.coverage is not None:
            yield Missing("coverage", gettext("The model is graded unit by unit here, not as a whole."))
        blank = UnitAnswer()
        for u in range(len(exhibit.reference.units)):
            unit = answer.units[u] if u < len(answer.units) else blank
            yield from _grade_missing(f"units.{u}", u + 1, unit.marks, unit.grade, values, peers)
        if len(answer.units) > len(exhibit.reference.units):
            yield Missing("units", gettext("The answer has more units than the model text."))

    def _unmarked(self, exhibit: Exhibit, answer: Answer) -> set[int]:
        marked = set(answer.marks).union(*(unit.marks for unit in answer.units))
        return set(range(len(exhibit.output.units))) - marked

    def answer_in_words(self, config: Config, exhibit: Exhibit, answer: Answer) -> str:
        labels: Labels = {value: gettext(label) for label, value in SCALES[config.scale]}
        grades = [unit.grade for unit in answer.units] or [answer.coverage]
        counted = [(label, grades.count(value)) for value, label in labels.items()]
        levels: Labels = {value: gettext(label) for label, value in LEVELS}
        said = [f"{label} {count}" if answer.units else label for label, count in counted if count]
        return "; ".join(
            [
                gettext("Coverage: {grades}", grades=", ".join(said)),
                *(
                    f"{gettext(HEADINGS[name])}: {levels[level]}"
                    for name, level in answer.quality.items()
                    if level is not None
                ),
            ]
        )

    def answer_told(self, config: Config, exhibit: Exhibit, answer: Answer) -> list[str]:
        """Unit by unit the grade, and in brackets what was marked for it, by the letters of the page."""
        told: list[str] = []
        for row in self.rows(config, exhibit, Record(), answer):
            if row.criterion == "mark" and told:
                marked = letter(int(row.unit.rpartition(":")[2]) - 1)
                told[-1] = (
                    f"{told[-1][:-1]}, {marked})" if told[-1].endswith(")") else f"{told[-1]} ({marked})"
                )
            else:
                told.append(f"{row.unit.lstrip('/') or row.criterion}: {gettext(row.label)}")
        return told

    def scale_ends(self, config: Config) -> dict[str, tuple[float, float]]:
        return dict.fromkeys(("coverage", *QUALITY, "related"), (0, 1))

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

    def key_rows(self, config: Config, exhibit: Exhibit, record: Record, key: Answer) -> Iterator[Row]:
        """Grades alone: which units somebody marks for them is no number."""
        reference = record.reference
        graded = [(reference, "coverage", key.coverage), (reference, "related", key.related)]
        graded += [(f"{reference}/{u}", "coverage", unit.grade) for u, unit in enumerate(key.units, start=1)]
        graded += [(reference, name, key.quality.get(name)) for name in QUALITY]
        for unit, criterion, value in graded:
            if value is not None:
                yield Row(unit, criterion, value, "")

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

    def goodness(self, config: Config, exhibit: Exhibit, answer: Answer) -> list[float] | None:
        values = [
            row.value for row in self.rows(config, exhibit, Record(), answer) if row.criterion == "coverage"
        ]
        return [sum(value or 0.0 for value in values) / len(values)] if values else None

    def feedback(self, config: Config, exhibit: Exhibit, answer: Answer, key: Answer) -> list[Feedback]:
        labels: Labels = {value: gettext(label) for label, value in SCALES[config.scale]}
        lines = []
        for u, expected in enumerate(key.units):
            if expected.grade is None:
                continue
            given = answer.units[u]
            what = gettext("Unit {number}", number=u + 1)
            lines.append(_compared(f"units.{u}", what, given.grade, expected.grade, labels))
            lines += _other_marks(f"units.{u}", what, given.marks, expected.marks)
        if key.coverage is not None:
            what = gettext("Coverage")
            lines.append(_compared("coverage", what, answer.coverage, key.coverage, labels))
            lines += _other_marks("coverage", what, answer.marks, key.marks)
        levels: Labels = {value: gettext(label) for label, value in LEVELS}
        for name, expected_level in key.quality.items():
            if expected_level is not None:
                given_level = answer.quality.get(name)
                what = gettext(HEADINGS[name])
                lines.append(_compared(f"quality.{name}", what, given_level, expected_level, levels))
        if key.related is not None:
            lines.append(_compared("related", gettext("Related units"), answer.related, key.related, levels))
        return lines


KIND = See()


def _grade_missing(
    field: str, number: int, marks: Sequence[int], grade: float | None, values: set[float], peers: range
) -> Iterator[Missing]:
    """What is wrong with the marks and the grade of a unit; ``number`` 0 is the model as a whole."""
    say = _of_unit(number) if number else _of_model()
    if any(p not in peers for p in marks) or len(set(marks)) < len(marks):
        yield Missing(field, say["strange marks"])
    elif grade is None:
        yield Missing(field, say["ungraded"] if marks else say["untouched"])
    elif grade not in values:
        yield Missing(field, say["off the scale"])
    elif marks and not grade:
        yield Missing(field, say["marked and none"])
    elif grade and not marks:
        yield Missing(field, say["unmarked"])


def _of_unit(number: int) -> dict[str, str]:
    return {
        "strange marks": gettext("The marks of unit {number} are not units of the peer text.", number=number),
        "ungraded": gettext("Grade unit {number}.", number=number),
        "untouched": gettext("Grade unit {number}: mark what matches it, or choose none.", number=number),
        "off the scale": gettext("The grade of unit {number} is not on the scale.", number=number),
        "marked and none": gettext(
            "You marked units for unit {number} but graded it none. Remove the marks or choose another grade.",
            number=number,
        ),
        "unmarked": gettext("Mark the peer units that match unit {number}, or grade it none.", number=number),
    }


def _of_model() -> dict[str, str]:
    return {
        "strange marks": gettext("The marks of the model text are not units of the peer text."),
        "ungraded": gettext("Grade the model text."),
        "untouched": gettext("Grade the model text: mark what matches it, or choose none."),
        "off the scale": gettext("The grade of the model text is not on the scale."),
        "marked and none": gettext(
            "You marked units for the model text but graded it none. Remove the marks or choose another grade."
        ),
        "unmarked": gettext("Mark the peer units that match the model text, or grade it none."),
    }


def _near(quality: float, values: Sequence[float], rng: random.Random) -> float:
    """The value of the scale that is nearest to ``quality`` with an assessor's noise."""
    noisy = rng.gauss(quality, 0.2)
    return min(values, key=lambda value: abs(value - noisy))


def _other_marks(field: str, what: str, given: Sequence[int], expected: Sequence[int]) -> list[Feedback]:
    if set(given) == set(expected):
        return []
    if not expected:
        return [Feedback(field, False, gettext("{what}: we would have marked no unit.", what=what))]
    letters = ", ".join(letter(p) for p in sorted(expected))
    return [
        Feedback(field, False, gettext("{what}: we would have marked {units}.", what=what, units=letters))
    ]


def _compared(field: str, what: str, given: float | None, expected: float, labels: Labels) -> Feedback:
    said = labels[expected]
    if given == expected:
        return Feedback(field, True, gettext("{what}: {answer}, as we would say.", what=what, answer=said))
    yours = labels.get(given, "–")
    words = gettext("{what}: you said {yours}, we would say {answer}.", what=what, yours=yours, answer=said)
    return Feedback(field, False, words)
