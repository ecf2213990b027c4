"""What a study file says, as types. The reader fills them, the writer writes them, the services store them."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, Self

from pydantic import Field, model_validator

from annotation.designs import Design
from annotation.tasks.base import Strict

Id = Field(min_length=1, max_length=200)
Optional = Field(default="", max_length=200)


class TopicRow(Strict):
    id: str = Id
    title: str = ""
    description: str = ""
    gold: dict[str, bool] = Field(default_factory=dict)


class DocumentRow(Strict):
    id: str = Id
    topic: str = Optional
    title: str = ""
    text: str = Field(min_length=1)


class ItemTextRow(Strict):
    """A text about a document or a topic, whole or in units."""

    document: str = Optional
    topic: str = Optional
    author: str = Optional
    text: str = ""
    units: tuple[str, ...] | None = None  # as given; None: the splitter cuts the text

    @property
    def item(self) -> str:
        return self.document or self.topic

    @model_validator(mode="after")
    def _one_item_one_text(self) -> Self:
        if bool(self.document) == bool(self.topic):
            raise ValueError("give either document or topic")
        if self.units is not None and self.text:
            raise ValueError("give either text or units, not both")
        return self


class ReferenceRow(ItemTextRow):
    id: str = Id


class OutputRow(ItemTextRow):
    system: str = Id
    kind: str = Field(default="", max_length=80)
    target: int | None = Field(default=None, ge=1)


class SystemRow(Strict):
    id: str = Id
    name: str = Optional
    type: Literal["system", "baseline", "human"] = "system"


class ScoreRow(Strict):
    metric: str = Id
    system: str = Id
    item: str = Optional
    score: float | None
    higher_is_better: bool = True


class PracticeRow(Strict):
    task: str = Id
    system: str = Id
    document: str = Optional
    topic: str = Optional
    reference: str = Optional
    key: dict[str, Any] | None = None

    @property
    def item(self) -> str:
        return self.document or self.topic


class AssessorRow(Strict):
    name: str = Field(min_length=1, max_length=120)
    group: str = Field(default="", max_length=80)
    author: str = Optional


class TaskRow(Strict):
    """A task: what all kinds have, and the kind's own configuration, already validated by its Config."""

    kind: str
    name: str = Field(min_length=1, max_length=80, pattern=r"^[a-z0-9][a-z0-9_-]*$")
    design: Design | None = None
    config: dict[str, Any] = Field(default_factory=dict)


class Settings(Strict):
    """Choices that concern the whole study."""

    revise: bool = False  # assessors may go back to items they have submitted
    abandon_after_minutes: int = Field(default=120, ge=1)  # then a leased pool item goes back
    reassign_after_hours: int | None = Field(
        default=None, ge=1
    )  # then others take over a missing assessor's work


@dataclass(frozen=True)
class Materials:
    topics: tuple[TopicRow, ...] = ()
    documents: tuple[DocumentRow, ...] = ()
    references: tuple[ReferenceRow, ...] = ()
    outputs: tuple[OutputRow, ...] = ()
    systems: tuple[SystemRow, ...] = ()
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
