"""Ratings: one or several criteria, each a labelled scale, on one text; presets in ``rating_presets``.

In TIDES practice (Leusch et al. 2005, §3.5; Banerjee & Lavie 2005, §3.1) fluency is judged before the reference is
seen: a criterion that is judged *alone* must be confirmed before the context appears, and is fixed from then on.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal, Self

from pydantic import Field, model_validator

from annotation.strict import Name, Strict, names_differ
from annotation.tasks.base import Example, TaskKind, WithPreset
from annotation.tasks.rating.presets import PRESETS
from annotation.tasks.terms import NO_TEXT, Exhibit, Feedback, Missing, NotYet, Record, Row, SubjectPlan, Text
from annotation.words import gettext, lower
from annotation.words import gettext_noop as _

if TYPE_CHECKING:
    from annotation.study_files.schema import Materials


BESIDE = {"nothing": "", "reference": _("Reference"), "source": _("Source"), "question": _("Question")}


class Step(Strict):
    value: float = Field(title="Value", description="The number that scores count with.")
    label: str = Field(title="Label", description="What assessors read.")


class Slider(Strict):
    low: float = Field(default=0, title="From")
    high: float = Field(default=100, title="To")
    low_label: str = Field(default="", title="Words at the lower end")
    high_label: str = Field(default="", title="Words at the upper end")


class Criterion(Strict):
    """One question. ``alone``: judged and confirmed before the context is shown, then fixed."""

    name: Name
    title: str = Field(default="", title="Heading", description="What assessors read above the scale.")
    question: str = Field(default="", title="Question", description="What exactly is asked.")
    steps: tuple[Step, ...] = Field(
        default=(), title="Steps", description="A labelled scale, from worst to best. Or take a slider."
    )
    slider: Slider | None = Field(default=None, title="Slider", description="In place of steps.")
    alone: bool = Field(
        default=False,
        title="Judged alone",
        description="Before the text beside appears, and fixed from then on. Such criteria come first.",
    )

    @model_validator(mode="after")
    def _one_scale(self) -> Self:
        if bool(self.steps) == bool(self.slider):
            raise ValueError(f"criterion “{self.name}” needs either steps or a slider")
        if self.steps and len({step.value for step in self.steps}) < max(2, len(self.steps)):
            raise ValueError(f"criterion “{self.name}” needs two or more steps, each with its own value")
        if self.slider and self.slider.low >= self.slider.high:
            raise ValueError(f"the slider of criterion “{self.name}” must rise from low to high")
        return self

    def allows(self, value: float | None) -> bool:
        if value is None:
            return False
        if self.slider:
            return self.slider.low <= value <= self.slider.high
        return value in {step.value for step in self.steps}

    @property
    def heading(self) -> str:
        return gettext(self.title) or self.name

    def shown(self) -> dict[str, Any]:
        """The criterion as its page has it: words of a preset in the language of the page, others as the study file has them."""
        shown = self.model_dump() | {"title": gettext(self.title), "question": gettext(self.question)}
        shown["steps"] = [{"value": step.value, "label": gettext(step.label)} for step in self.steps]
        if self.slider:
            ends = {end: gettext(getattr(self.slider, end)) for end in ("low_label", "high_label")}
            shown["slider"] = self.slider.model_dump() | ends
        return shown

    @property
    def ends(self) -> tuple[float, float]:
        """The least and the greatest value."""
        if self.slider:
            return self.slider.low, self.slider.high
        values = [step.value for step in self.steps]
        return min(values), max(values)

    def label(self, value: float | None) -> str:
        return next((step.label for step in self.steps if step.value == value), "")


class Rating(TaskKind["Rating.Config", "Rating.Answer"]):
    slug = "rating"
    title = "Ratings"
    shared_styles = ("assess/slider.css", "assess/questions.css")
    examples = tuple(Example({"preset": preset}) for preset in PRESETS)

    class Config(WithPreset):
        """Either a preset, or criteria."""

        presets = PRESETS
        criteria: tuple[Criterion, ...] = Field(
            default=(), title="Criteria", description="What is rated, one scale each."
        )
        beside: Literal["nothing", "reference", "source", "question"] = Field(
            default="nothing", title="Beside the text", description="What assessors see along with it."
        )
        guideline: str = Field(
            default="",
            title="Guideline",
            description="A sentence or two that stay in view with the questions.",
        )

        @model_validator(mode="after")
        def _complete(self) -> Self:
            if not self.criteria:
                raise ValueError(f"name a preset ({', '.join(PRESETS)}) or give criteria")
            names_differ([criterion.name for criterion in self.criteria], "criteria")
            firsts = [criterion.alone for criterion in self.criteria]
            if firsts != sorted(firsts, reverse=True):
                raise ValueError("criteria that are judged alone must come first")
            return self

    class Answer(Strict):
        values: dict[str, float | None] = Field(default_factory=dict)
        confirmed: bool = False  # the criteria judged alone are decided, and the context may be seen

    def subjects(self, config: Config, materials: Materials) -> Iterable[SubjectPlan]:
        """Every output once; with the first reference of its item if one is shown."""
        for o, output in enumerate(materials.outputs):
            references = materials.references_of(output.item) if config.beside == "reference" else ()
            yield SubjectPlan(item=output.item, outputs=(o,), reference=next(iter(references), None))

    def content(self, config: Config, exhibit: Exhibit, answer: Answer | None) -> dict[str, Any]:
        first = [criterion.name for criterion in config.criteria if criterion.alone]
        confirmed = not first or (answer is not None and answer.confirmed)
        beside = _beside(config, exhibit)
        return {
            "text": exhibit.output.text,
            "criteria": [criterion.shown() for criterion in config.criteria],
            "guideline": gettext(config.guideline),
            "beside": config.beside,
            "heading": gettext(BESIDE[config.beside]),
            "alone": first,
            "confirmed": confirmed,
            "context": {
                "title": beside.title,
                "text": beside.text,
                "of_document": beside is exhibit.document,  # which may be in a language of its own
            }
            if beside and confirmed
            else None,
        }

    def missing(self, config: Config, exhibit: Exhibit, answer: Answer) -> list[Missing]:
        known = {criterion.name for criterion in config.criteria}
        found = [
            Missing(name, gettext("There is no criterion “{name}”.", name=name))
            for name in answer.values
            if name not in known
        ]
        for criterion in config.criteria:
            what = lower(criterion.heading)
            value = answer.values.get(criterion.name)
            if value is None:
                found.append(Missing(criterion.name, gettext("Rate {what}.", what=what)))
            elif not criterion.allows(value):
                found.append(
                    Missing(
                        criterion.name,
                        gettext("{value} is not on the scale of {what}.", value=f"{value:g}", what=what),
                    )
                )
            elif criterion.alone and not answer.confirmed:
                found.append(
                    Missing(criterion.name, gettext("Confirm {what} to see the text beside.", what=what))
                )
        return found

    def needs(self, config: Config) -> frozenset[str]:
        return {"reference": frozenset({"reference"}), "source": frozenset({"document"})}.get(
            config.beside, frozenset()
        )

    def key_faults(self, config: Config, exhibit: Exhibit, key: Answer) -> list[str]:
        """Nobody confirms a key: it counts as confirmed."""
        return super().key_faults(config, exhibit, self.Answer(values=key.values, confirmed=True))

    def amend(self, config: Config, previous: Answer | None, answer: Answer) -> Answer:
        """Once the context has been seen, what was judged alone stays as it was; only ``advance`` confirms."""
        if previous is None or not previous.confirmed:
            return self.Answer(values=answer.values)
        fixed = {c.name: previous.values.get(c.name) for c in config.criteria if c.alone}
        return self.Answer(values={**answer.values, **fixed}, confirmed=True)

    def stages(self, config: Config, exhibit: Exhibit) -> int:
        return int(any(criterion.alone for criterion in config.criteria))

    def stage(self, config: Config, answer: Answer) -> int:
        """What was imported counts as confirmed, also where there is nothing to confirm."""
        return int(answer.confirmed and any(criterion.alone for criterion in config.criteria))

    def advance(self, config: Config, exhibit: Exhibit, answer: Answer) -> Answer:
        """Confirm the criteria judged alone, and reveal the context."""
        first = {criterion.name for criterion in config.criteria if criterion.alone}
        confirmed = self.Answer(values=answer.values, confirmed=True)
        missing = [entry for entry in self.missing(config, exhibit, confirmed) if entry.field in first]
        if missing:
            raise NotYet(missing)
        return confirmed

    def answer_in_words(self, config: Config, exhibit: Exhibit, answer: Answer) -> str:
        values = [(criterion, answer.values[criterion.name]) for criterion in config.criteria]
        said = [(one.heading, gettext(one.label(value)) or f"{value:g}") for one, value in values]
        return ", ".join(f"{heading}: {words}" for heading, words in said)

    def scale_ends(self, config: Config) -> dict[str, tuple[float, float]]:
        return {criterion.name: criterion.ends for criterion in config.criteria}

    def rows(self, config: Config, exhibit: Exhibit, record: Record, answer: Answer) -> Iterator[Row]:
        for criterion in config.criteria:
            value = answer.values[criterion.name]
            yield Row("", criterion.name, value, criterion.label(value))

    def key_rows(self, config: Config, exhibit: Exhibit, record: Record, key: Answer) -> Iterator[Row]:
        for criterion in config.criteria:
            value = key.values.get(criterion.name)
            if value is not None:
                yield Row("", criterion.name, value, criterion.label(value))

    def answer(self, config: Config, exhibit: Exhibit, record: Record, rows: Sequence[Row]) -> Answer:
        return self.Answer(values={row.criterion: row.value for row in rows}, confirmed=True)

    def simulate(
        self,
        config: Config,
        exhibit: Exhibit,
        record: Record,
        *,
        qualities: Sequence[float],
        rng: random.Random,
    ) -> Answer:
        values = {}
        for criterion in config.criteria:
            noisy = min(1.0, max(0.0, rng.gauss(qualities[0], 0.15)))
            if criterion.slider:
                low, high = criterion.slider.low, criterion.slider.high
                values[criterion.name] = float(round(low + noisy * (high - low)))
            else:
                ordered = sorted(step.value for step in criterion.steps)
                values[criterion.name] = ordered[round(noisy * (len(ordered) - 1))]
        return self.Answer(values=values, confirmed=any(criterion.alone for criterion in config.criteria))

    def goodness(self, config: Config, exhibit: Exhibit, answer: Answer) -> list[float]:
        """The mean of all criteria, each on its scale."""
        found = []
        for criterion in config.criteria:
            values = [step.value for step in criterion.steps]
            slider = criterion.slider
            low, high = (slider.low, slider.high) if slider else (min(values), max(values))
            found.append(((answer.values[criterion.name] or 0.0) - low) / (high - low))
        return [sum(found) / len(found)]

    def feedback(self, config: Config, exhibit: Exhibit, answer: Answer, key: Answer) -> list[Feedback]:
        lines = []
        for criterion in config.criteria:
            expected = key.values.get(criterion.name)
            if expected is None:
                continue
            given, what = answer.values[criterion.name], criterion.heading
            said = gettext(criterion.label(expected)) or f"{expected:g}"
            yours = gettext(criterion.label(given)) or f"{given:g}"
            words = (
                gettext("{what}: {answer}, as we would say.", what=what, answer=said)
                if given == expected
                else gettext(
                    "{what}: you said {yours}, we would say {answer}.", what=what, yours=yours, answer=said
                )
            )
            lines.append(Feedback(criterion.name, given == expected, words))
        return lines


KIND = Rating()


def _beside(config: Rating.Config, exhibit: Exhibit) -> Text:
    """The text shown beside the one that is rated."""
    if config.beside == "reference":
        return exhibit.reference
    if config.beside == "source":
        return exhibit.document
    if config.beside == "question":
        return exhibit.topic or exhibit.document
    return NO_TEXT
