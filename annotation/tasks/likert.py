"""Questionnaires on a five- or seven-point scale (Murray et al. 2005, §3.1.2).

Familiarisation comes once per document: a human abstract and the whole text, for a limited time by the server's clock.
Then come the summaries of that document, each in two stages: reading, and statements to agree or disagree with. Once
the statements begin, the summary is out of reach.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal, Self

from pydantic import Field, model_validator

from annotation.designs import Deal, Design, Person, Piece, deal
from annotation.tasks.base import (
    Attribute,
    Exhibit,
    Feedback,
    Judged,
    Missing,
    NotYet,
    Row,
    Strict,
    SubjectPlan,
    TaskKind,
)
from annotation.tasks.likert_presets import PRESETS

FAMILIARISE = "familiarise"


class Statement(Strict):
    name: str = Field(min_length=1, max_length=60, pattern=r"^[a-z0-9][a-z0-9_-]*$")
    text: str = Field(min_length=1)
    polarity: Literal["positive", "negative"] = "positive"
    group: str = ""
    pair: str = ""  # the statement that says the opposite


class Likert(TaskKind):
    slug = "likert"
    title = "Questionnaire"
    revisable = False

    class Config(Strict):
        """Either a preset, or statements; what a preset says can be overridden field by field."""

        preset: str = ""
        statements: tuple[Statement, ...] = ()
        points: Literal[5, 7] = 5
        low_label: str = "strongly disagree"
        high_label: str = "strongly agree"
        familiarisation_minutes: float = Field(default=0, ge=0)  # 0: none

        @model_validator(mode="before")
        @classmethod
        def _from_preset(cls, given: Any) -> Any:
            if not isinstance(given, dict) or not given.get("preset"):
                return given
            if given["preset"] not in PRESETS:
                raise ValueError(f"unknown preset “{given['preset']}”; there is {', '.join(PRESETS)}")
            return {**PRESETS[given["preset"]], **given}

        @model_validator(mode="after")
        def _complete(self) -> Self:
            if not self.statements:
                raise ValueError(f"name a preset ({', '.join(PRESETS)}) or give statements")
            polarity = {statement.name: statement.polarity for statement in self.statements}
            if len(polarity) < len(self.statements):
                raise ValueError("two statements have the same name")
            for statement in self.statements:
                if statement.pair and polarity.get(statement.pair) in (None, statement.polarity):
                    raise ValueError(
                        f"the pair of “{statement.name}” must be a statement of opposite polarity, not “{statement.pair}”"
                    )
            return self

    class Answer(Strict):
        stage: Literal["reading", "statements"] = "reading"
        values: dict[str, int | None] = Field(default_factory=dict)

    Key = Answer

    def subjects(self, config: Config, materials: Any) -> Iterable[SubjectPlan]:
        """Per document: its familiarisation, if there is one, and every output."""
        documents = {document.id: index for index, document in enumerate(materials.documents)}
        outputs: dict[str, list[int]] = {}
        for index, output in enumerate(materials.outputs):
            outputs.setdefault(output.item, []).append(index)
        for item, indices in outputs.items():
            if config.familiarisation_minutes and item in documents:
                reference = next(iter(materials.references_of(item)), None)
                yield SubjectPlan(
                    item=item, document=documents[item], reference=reference, details={"stage": FAMILIARISE}
                )
            for index in indices:
                yield SubjectPlan(item=item, output=index)

    def deal(
        self,
        config: Config,
        design: Design,
        phase: str,
        subjects: Sequence[SubjectPlan],
        people: Sequence[Person],
        *,
        seed: int,
    ) -> list[Deal]:
        """Whole documents, as the design ``blocked`` deals them; a document's familiarisation comes before its outputs."""
        first = {
            subject.item: index for index, subject in enumerate(subjects) if _familiarises(subject.details)
        }
        pieces = [
            Piece(index=index, item=subject.item, system=str(subject.output), authors=subject.authors)
            for index, subject in enumerate(subjects)
            if subject.item not in first or first[subject.item] != index
        ]
        dealt: list[Deal] = []
        met: set[tuple[int, str]] = set()
        for one in deal(
            design.model_copy(update={"order": "blocked", "pool": False}), pieces, people, seed=seed
        ):
            item = subjects[one.piece].item
            if item in first and (one.person, item) not in met:
                met.add((one.person, item))
                dealt.append(Deal(person=one.person, piece=first[item]))
            dealt.append(one)
        return dealt

    def content(self, config: Config, exhibit: Exhibit, answer: Answer | None) -> dict[str, Any]:
        if _familiarises(exhibit.details):
            left = max(0.0, config.familiarisation_minutes * 60 - exhibit.elapsed)
            return {
                "stage": FAMILIARISE,
                "left": round(left),
                "abstract": exhibit.reference.text if left else "",
                "title": exhibit.document.title,
                "text": exhibit.document.text if left else "",
            }
        stage = answer.stage if answer else "reading"
        return {
            "stage": stage,
            "title": exhibit.document.title,
            "text": exhibit.output.text if stage == "reading" else "",
            "points": list(range(1, config.points + 1)),
            "low_label": config.low_label,
            "high_label": config.high_label,
            "statements": [{"name": s.name, "text": s.text} for s in config.statements]
            if stage == "statements"
            else [],
        }

    def missing(self, config: Config, exhibit: Exhibit, answer: Answer) -> list[Missing]:
        if _familiarises(exhibit.details):
            return []
        if answer.stage == "reading":
            return [Missing("stage", "Read the summary, then go on to the statements.")]
        names = {statement.name for statement in config.statements}
        found = [
            Missing(name, f"There is no statement “{name}”.") for name in answer.values if name not in names
        ]
        for number, statement in enumerate(config.statements, start=1):
            value = answer.values.get(statement.name)
            if value is None:
                found.append(Missing(statement.name, f"Answer statement {number}."))
            elif not 1 <= value <= config.points:
                found.append(Missing(statement.name, f"{value} is not on the scale of statement {number}."))
        return found

    def amend(self, config: Config, previous: Answer | None, answer: Answer) -> Answer:
        """The stage is what the server has recorded; nothing is answered while reading."""
        stage = previous.stage if previous else "reading"
        return self.Answer(stage=stage, values=answer.values if stage == "statements" else {})

    def stages(self, config: Config, exhibit: Exhibit) -> int:
        return 0 if _familiarises(exhibit.details) else 1

    def advance(self, config: Config, exhibit: Exhibit, answer: Answer) -> Answer:
        """From reading to the statements, and never back."""
        if _familiarises(exhibit.details) or answer.stage == "statements":
            raise NotYet([Missing("", "There is no further step.")])
        return self.Answer(stage="statements")

    def rows(self, config: Config, exhibit: Exhibit, answer: Answer) -> Iterator[Row]:
        """One row per statement, raw; familiarisation gives none."""
        for name, value in answer.values.items():
            yield Row("", name, None if value is None else float(value), "")

    def answer(self, config: Config, exhibit: Exhibit, rows: Sequence[Row]) -> Answer:
        values = {row.criterion: None if row.value is None else int(row.value) for row in rows}
        return self.Answer(stage="statements", values=values)

    def attributes(self, config: Config, materials: Any, judged: Iterable[Judged]) -> Iterable[Attribute]:
        for statement in config.statements:
            yield Attribute("statement", statement.name, "polarity", statement.polarity)
            yield Attribute("statement", statement.name, "points", str(config.points))
            if statement.group:
                yield Attribute("statement", statement.name, "group", statement.group)
            if statement.pair:
                yield Attribute("statement", statement.name, "pair", statement.pair)

    def simulate(self, config: Config, exhibit: Exhibit, *, quality: float, rng: random.Random) -> Answer:
        if _familiarises(exhibit.details):
            return self.Answer()
        values = {}
        for statement in config.statements:
            towards = quality if statement.polarity == "positive" else 1 - quality
            noisy = min(1.0, max(0.0, rng.gauss(towards, 0.15)))
            values[statement.name] = 1 + round(noisy * (config.points - 1))
        return self.Answer(stage="statements", values=values)

    def feedback(self, config: Config, exhibit: Exhibit, answer: Answer, key: Answer) -> list[Feedback]:
        lines = []
        for number, statement in enumerate(config.statements, start=1):
            expected, given = key.values.get(statement.name), answer.values.get(statement.name)
            if expected is not None:
                said = f"Statement {number}: "
                said += (
                    f"{given}, as we would say."
                    if given == expected
                    else f"you said {given}, we would say {expected}."
                )
                lines.append(Feedback(statement.name, given == expected, said))
        return lines


def _familiarises(details: Any) -> bool:
    return details.get("stage") == FAMILIARISE
