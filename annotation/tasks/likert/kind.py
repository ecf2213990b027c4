"""Questionnaires on a five- or seven-point scale (Murray et al. 2005, §3.1.2).

Familiarisation comes once per document: a human abstract and the whole text, for a limited time. The time begins when
the assessor says so, and the server keeps it. Then come the summaries of that document, each in two stages: reading,
and statements to agree or disagree with. Once the statements begin, the summary is out of reach.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Self

from pydantic import Field, model_validator

from annotation.designs import Deal, Design, DesignProblem, Person, Piece, deal
from annotation.strict import Name, Strict, names_differ
from annotation.tasks.base import Example, TaskKind, WithPreset
from annotation.tasks.likert.presets import PRESETS
from annotation.tasks.terms import (
    Attribute,
    Exhibit,
    Fault,
    Feedback,
    Judged,
    Missing,
    NotYet,
    Record,
    Row,
    SubjectPlan,
)
from annotation.words import gettext, ngettext
from annotation.words import gettext_noop as _

if TYPE_CHECKING:
    from annotation.study_files.schema import Materials

FAMILIARISE = "familiarise"


class Statement(Strict):
    name: Name
    text: str = Field(min_length=1, title="Statement", description="What assessors agree or disagree with.")
    polarity: Literal["positive", "negative"] = Field(
        default="positive", title="It speaks", description="positive: for the text; negative: against it."
    )
    group: str = Field(
        default="", title="Group", description="Statements of one group are averaged together."
    )
    pair: str = Field(
        default="", title="Opposite", description="The name of the statement that says the opposite."
    )


class Likert(TaskKind["Likert.Config", "Likert.Answer"]):
    slug = "likert"
    title = "Questionnaire"
    shared_styles = ("assess/questions.css",)
    revisable = False
    controls = False
    examples = (
        Example({"preset": "murray"}),
        Example({"preset": "murray", "points": 7}),
        Example({"preset": "murray"}, {"outputs": (), "shown": {"stage": FAMILIARISE}}),
    )

    class Config(WithPreset):
        """Either a preset, or statements."""

        presets = PRESETS
        statements: tuple[Statement, ...] = Field(default=(), title="Statements")
        points: Literal[5, 7] = Field(default=5, title="Points of the scale")
        labels: tuple[str, ...] = Field(
            default=(_("strongly disagree"), _("strongly agree")),
            title="Words on the scale",
            description="One a line: for its two ends, or for every point.",
        )
        familiarisation_minutes: float = Field(
            default=0,
            ge=0,
            le=1440,
            title="Minutes to get to know the document",
            description="Once for each, before its summaries. 0: none.",
        )

        @model_validator(mode="after")
        def _complete(self) -> Self:
            if not self.statements:
                raise ValueError(f"name a preset ({', '.join(PRESETS)}) or give statements")
            names_differ([statement.name for statement in self.statements], "statements")
            polarity = {statement.name: statement.polarity for statement in self.statements}
            if len(self.labels) not in {2, self.points}:
                raise ValueError(
                    f"“labels” must have a word for each end of the scale, or for each of its {self.points} points"
                )
            for statement in self.statements:
                if statement.pair and polarity.get(statement.pair) in (None, statement.polarity):
                    raise ValueError(
                        f"the pair of “{statement.name}” must be a statement of opposite polarity, not “{statement.pair}”"
                    )
            return self

    class Answer(Strict):
        stage: Literal["reading", "statements"] = "reading"
        values: dict[str, int | None] = Field(default_factory=dict)
        began: float | None = None  # familiarisation: seconds between being handed out and its begin

    def faults(self, config: Config, materials: Materials) -> Iterator[Fault]:
        """Only a document has a text to get to know."""
        for index, output in enumerate(materials.outputs):
            if config.familiarisation_minutes and not output.document:
                message = (
                    "familiarisation shows a document, and this output is about a topic; give “document”."
                )
                yield Fault("outputs", index, message)

    def subjects(self, config: Config, materials: Materials) -> Iterable[SubjectPlan]:
        """Per document: its familiarisation, if there is one, and every output."""
        documents = {document.id: index for index, document in enumerate(materials.documents)}
        outputs: dict[str, list[int]] = {}
        for index, output in enumerate(materials.outputs):
            outputs.setdefault(output.item, []).append(index)
        for item, indices in outputs.items():
            if config.familiarisation_minutes:
                yield SubjectPlan(
                    item=item,
                    document=documents[item],
                    reference=next(iter(materials.references_of(item)), None),
                    shown={"stage": FAMILIARISE},
                    preparation=True,
                )
            for index in indices:
                author = materials.outputs[index].author
                yield SubjectPlan(item=item, outputs=(index,), authors=frozenset({author} - {""}))

    def deal(
        self,
        config: Config,
        design: Design,
        phase: str,
        subjects: Sequence[SubjectPlan],
        people: Sequence[Person],
        *,
        seed: int,
        already: Mapping[int, int] | None = None,
    ) -> list[Deal]:
        """Whole documents, as the design ``blocked`` deals them; a document's familiarisation comes before its outputs."""
        if design.pool:
            raise DesignProblem("a questionnaire deals whole documents; set “pool” to false.")
        first = {
            subject.item: index for index, subject in enumerate(subjects) if _familiarises(subject.shown)
        }
        pieces = [
            Piece(index=index, item=subject.item, system="", authors=subject.authors)
            for index, subject in enumerate(subjects)
            if first.get(subject.item) != index
        ]
        dealt: list[Deal] = []
        met: set[tuple[int, str]] = set()
        blocked = self.dealt_as(config, design, phase)
        for one in deal(blocked, pieces, people, seed=seed, already=already):
            item = subjects[one.piece].item
            if item in first and (one.person, item) not in met:
                met.add((one.person, item))
                dealt.append(Deal(person=one.person, piece=first[item]))
            dealt.append(one)
        return dealt

    def dealt_as(self, config: Config, design: Design, phase: str) -> Design:
        return design.model_copy(update={"order": "blocked"})

    def deal_described(self, config: Config, design: Design, n_people: int) -> str:
        takers = f"{design.assessors_per_item} of the {n_people:,} assessors"
        before = (
            f" They first get to know the document, for {config.familiarisation_minutes:g} minutes at most."
            if config.familiarisation_minutes
            else ""
        )
        return (
            f"Each document goes to {takers if n_people != 1 else 'the one assessor'}, with all its summaries in an "
            f"order of their own.{before}"
        )

    def content(self, config: Config, exhibit: Exhibit, answer: Answer | None) -> dict[str, Any]:
        if _familiarises(exhibit.shown):
            return _familiarisation(config, exhibit, answer)
        stage = answer.stage if answer else "reading"
        return {
            "stage": stage,
            "title": exhibit.document.title,
            "text": exhibit.output.text if stage == "reading" else "",
            "points": _points(config),
            "statements": [{"name": s.name, "text": gettext(s.text)} for s in config.statements]
            if stage == "statements"
            else [],
        }

    def missing(self, config: Config, exhibit: Exhibit, answer: Answer) -> list[Missing]:
        if _familiarises(exhibit.shown):
            not_begun = Missing("began", gettext("Begin first: the clock is not running yet."))
            return [not_begun] if answer.began is None else []
        if answer.stage == "reading":
            return [Missing("stage", gettext("Read the summary, then go on to the statements."))]
        names = {statement.name for statement in config.statements}
        found = [
            Missing(name, gettext("There is no statement “{name}”.", name=name))
            for name in answer.values
            if name not in names
        ]
        for number, statement in enumerate(config.statements, start=1):
            value = answer.values.get(statement.name)
            if value is None:
                found.append(Missing(statement.name, gettext("Answer statement {number}.", number=number)))
            elif not 1 <= value <= config.points:
                words = gettext(
                    "{value} is not on the scale of statement {number}.", value=value, number=number
                )
                found.append(Missing(statement.name, words))
        return found

    def amend(self, config: Config, previous: Answer | None, answer: Answer) -> Answer:
        """Stage and clock are what the server has recorded; nothing is answered while reading."""
        known = previous or self.Answer()
        values = answer.values if known.stage == "statements" else {}
        return self.Answer(stage=known.stage, values=values, began=known.began)

    def stages(self, config: Config, exhibit: Exhibit) -> int:
        return 1

    def advance(self, config: Config, exhibit: Exhibit, answer: Answer) -> Answer:
        """Familiarisation begins, or reading ends; and never back."""
        if answer.began is not None or answer.stage == "statements":
            raise NotYet([Missing("", gettext("There is no further step."))])
        if _familiarises(exhibit.shown):
            return self.Answer(began=exhibit.elapsed)
        return self.Answer(stage="statements")

    def scale_ends(self, config: Config) -> dict[str, tuple[float, float]]:
        return {statement.name: (1, config.points) for statement in config.statements}

    def rows(self, config: Config, exhibit: Exhibit, record: Record, answer: Answer) -> Iterator[Row]:
        """One row per statement, raw; familiarisation gives none."""
        for name, value in answer.values.items():
            yield Row("", name, None if value is None else float(value), "")

    def answer(self, config: Config, exhibit: Exhibit, record: Record, rows: Sequence[Row]) -> Answer:
        if _familiarises(exhibit.shown):
            return self.Answer(began=0)
        values = {row.criterion: row.value for row in rows}
        return self.Answer.model_validate({"stage": "statements", "values": values})

    def attributes(
        self, config: Config, materials: Materials, judged: Iterable[Judged[Answer]]
    ) -> Iterable[Attribute]:
        for statement in config.statements:
            yield Attribute("statement", statement.name, "polarity", statement.polarity)
            yield Attribute("statement", statement.name, "points", str(config.points))
            if statement.group:
                yield Attribute("statement", statement.name, "group", statement.group)
            if statement.pair:
                yield Attribute("statement", statement.name, "pair", statement.pair)

    def simulate(
        self,
        config: Config,
        exhibit: Exhibit,
        record: Record,
        *,
        qualities: Sequence[float],
        rng: random.Random,
    ) -> Answer:
        if _familiarises(exhibit.shown):
            return self.Answer(began=0)
        values = {}
        for statement in config.statements:
            towards = qualities[0] if statement.polarity == "positive" else 1 - qualities[0]
            noisy = min(1.0, max(0.0, rng.gauss(towards, 0.15)))
            values[statement.name] = 1 + round(noisy * (config.points - 1))
        return self.Answer(stage="statements", values=values)

    def key_faults(self, config: Config, exhibit: Exhibit, key: Answer) -> list[str]:
        """A key gives values alone; the stage is a matter of the page."""
        at_statements = {"stage": "statements"}
        blank = self.missing(config, exhibit, self.Answer(stage="statements"))
        found = self.missing(config, exhibit, key.model_copy(update=at_statements))
        return [entry.message for entry in found if entry not in blank]

    def feedback(self, config: Config, exhibit: Exhibit, answer: Answer, key: Answer) -> list[Feedback]:
        lines = []
        for statement in config.statements:
            expected, given = key.values.get(statement.name), answer.values.get(statement.name)
            if expected is not None:
                what = f"“{gettext(statement.text)}”"
                words = (
                    gettext("{what}: {answer}, as we would say.", what=what, answer=expected)
                    if given == expected
                    else gettext(
                        "{what}: you said {yours}, we would say {answer}.",
                        what=what,
                        yours=given,
                        answer=expected,
                    )
                )
                lines.append(Feedback(statement.name, given == expected, words))
        return lines


KIND = Likert()


def _familiarises(shown: Mapping[str, Any]) -> bool:
    return shown.get("stage") == FAMILIARISE


def _familiarisation(config: Likert.Config, exhibit: Exhibit, answer: Likert.Answer | None) -> dict[str, Any]:
    """Nothing to read before the clock runs, and nothing after it has run out."""
    limit = config.familiarisation_minutes * 60
    if answer is None or answer.began is None:
        return {"stage": "ready", "title": exhibit.document.title, "time": time_in_words(limit)}
    left = max(0.0, limit - (exhibit.elapsed - answer.began))
    return {
        "stage": FAMILIARISE,
        "left": left,
        "title": exhibit.document.title,
        "abstract": exhibit.reference.text if left else "",
        "text": exhibit.document.text if left else "",
    }


def time_in_words(seconds: float) -> str:
    """“20 minutes”, “1 minute and 30 seconds”, “20 seconds”: nobody reads 0.3 minutes off a clock."""
    minutes, rest = divmod(round(seconds), 60)
    parts = [ngettext("{n} minute", "{n} minutes", minutes)] if minutes else []
    parts += [ngettext("{n} second", "{n} seconds", rest)] if rest else []
    if not parts:
        return gettext("no time")
    return gettext("{one} and {other}", one=parts[0], other=parts[1]) if len(parts) == 2 else parts[0]


def _points(config: Likert.Config) -> list[dict[str, Any]]:
    """Every point with its word; where only the ends have one, the others have none."""
    inner = config.points - 2
    low, *middle, high = config.labels
    labels = [low, *(middle or [""] * inner), high]
    return [{"value": value, "label": gettext(label)} for value, label in enumerate(labels, start=1)]
