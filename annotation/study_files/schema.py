"""What a study file says, as types. The reader fills them, the writer writes them, the services store them."""

from __future__ import annotations

import math
import unicodedata
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from annotation.designs import Design
from annotation.strict import Strict


def _one_line(value: str) -> str:
    """Ids and names are compared, listed and printed: no control characters, no white space around them."""
    for sign in () if value.isprintable() else value:
        if unicodedata.category(sign) in {"Cc", "Cs", "Zl", "Zp"}:
            raise ValueError(f"holds the control character U+{ord(sign):04X}; remove it")
    if value != value.strip():
        raise ValueError("has white space at its start or end; remove it")
    return value


def _not_blank(value: str) -> str:
    if not value.strip():
        raise ValueError("is empty; give a text")
    return value


def _number_or_nothing(value: Any) -> Any:
    """A score that is undefined is no score, however it is written."""
    undefined = isinstance(value, str) and value.strip().lower() in {"", "nan", "na"}
    return None if undefined or (isinstance(value, float) and math.isnan(value)) else value


Line = Annotated[str, AfterValidator(_one_line)]
Id = Annotated[Line, Field(min_length=1, max_length=200)]
NotBlank = Annotated[str, AfterValidator(_not_blank)]
OptionalId = Annotated[Line, Field(max_length=200)]


class TopicRow(Strict):
    id: Id
    title: str = ""
    description: str = ""
    gold: dict[str, bool] = Field(default_factory=dict)  # document id → relevant or not


class DocumentRow(Strict):
    id: Id
    topic: OptionalId = ""
    title: str = ""
    text: NotBlank


class ItemTextRow(Strict):
    """A text about a document or a topic, whole or in units."""

    document: OptionalId = ""
    topic: OptionalId = ""
    author: OptionalId = ""
    text: str = ""
    units: tuple[str, ...] | None = None  # as given; None: the splitter cuts the text

    @property
    def item(self) -> str:
        return self.document or self.topic

    @model_validator(mode="after")
    def _one_item_one_text(self) -> Self:
        _one_item(self.document, self.topic)
        if self.units is not None and self.text:
            raise ValueError("give either “text” or “units”, not both.")
        if self.units is None and not self.text.strip():
            raise ValueError("the text is empty; give “text” or “units”.")
        if self.units is not None and not self.units:
            raise ValueError("“units” is an empty list; give at least one unit.")
        for number, unit in enumerate(self.units or (), start=1):
            if not unit.strip():
                raise ValueError(f"unit {number} is empty; remove it.")
        return self


def _one_item(document: str, topic: str) -> None:
    if document and topic:
        raise ValueError("give either “document” or “topic”, not both.")
    if not document and not topic:
        raise ValueError("say what the text is about: give “document” or “topic”.")


class ReferenceRow(ItemTextRow):
    id: Id


class OutputRow(ItemTextRow):
    system: Id
    kind: Annotated[Line, Field(max_length=80)] = ""
    target: int | None = Field(default=None, ge=1, le=1_000_000_000)  # length asked for


class SystemRow(Strict):
    id: Id
    name: OptionalId = ""
    type: Literal["system", "baseline", "human"] = "system"


class QuestionRow(Strict):
    """A question that an author asks about a story, for cross comprehension, with the answer expected."""

    document: Id
    author: Id
    question: NotBlank
    answer: NotBlank


class ScoreRow(Strict):
    metric: Id
    system: Id
    item: OptionalId = ""
    score: Annotated[float | None, Field(allow_inf_nan=False), BeforeValidator(_number_or_nothing)]
    higher_is_better: bool = True


class PracticeRow(Strict):
    task: Id
    system: Id
    document: OptionalId = ""
    topic: OptionalId = ""
    kind: Annotated[Line, Field(max_length=80)] = (
        ""  # of the output, where the system has several for the item
    )
    reference: OptionalId = ""
    key: dict[str, Any] | None = None

    @property
    def item(self) -> str:
        return self.document or self.topic

    @model_validator(mode="after")
    def _about_one_item(self) -> Self:
        _one_item(self.document, self.topic)
        return self


class AssessorRow(Strict):
    name: Annotated[Line, Field(min_length=1, max_length=120)]
    group: Annotated[Line, Field(max_length=80)] = ""
    author: OptionalId = ""


class TaskRow(Strict):
    """A task: what all kinds have, and the kind's own configuration: as the file gives it, valid for its Config."""

    kind: str
    name: str = Field(min_length=1, max_length=80, pattern=r"^[a-z0-9][a-z0-9_-]*$")
    design: Design | None = None
    config: dict[str, Any] = Field(default_factory=dict)


class Settings(Strict):
    """Choices that concern the whole study."""

    revise: bool = False  # assessors may go back to items they have submitted
    abandon_after_minutes: int = Field(default=120, ge=1)  # then a leased pool item goes back
    # After so many hours others take over a missing assessor's work; None: never.
    reassign_after_hours: int | None = Field(default=None, ge=1)


@dataclass(frozen=True)
class Materials:
    topics: tuple[TopicRow, ...] = ()
    documents: tuple[DocumentRow, ...] = ()
    references: tuple[ReferenceRow, ...] = ()
    outputs: tuple[OutputRow, ...] = ()
    systems: tuple[SystemRow, ...] = ()
    questions: tuple[QuestionRow, ...] = ()
    metric_scores: tuple[ScoreRow, ...] = ()

    def references_of(self, item: str) -> list[int]:
        """Indices of the references of a document or topic, in the order of the file."""
        return self._references_by_item.get(item, [])

    @cached_property
    def _references_by_item(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for index, reference in enumerate(self.references):
            found.setdefault(reference.item, []).append(index)
        return found


@dataclass(frozen=True)
class StudyFile:
    name: str
    slug: str
    seed: int
    materials: Materials
    tasks: tuple[TaskRow, ...]
    language: str = "en"
    instructions: str = ""  # the Markdown text, not the file's name
    consent: str = ""
    contact: str = ""
    settings: Settings = field(default_factory=Settings)
    design: Design = field(default_factory=Design)
    practice: tuple[PracticeRow, ...] = ()
    assessors: tuple[AssessorRow, ...] = ()
