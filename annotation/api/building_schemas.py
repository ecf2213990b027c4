"""What the addresses that build a study take and give."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints

from annotation.api.schemas import LARGEST, Answer, Page
from annotation.designs import Design
from annotation.strict import Strict

Name = Annotated[str, StringConstraints(max_length=300)]
Unit = Annotated[str, StringConstraints(max_length=200_000)]


class NewTask(Strict):
    """``template``: one of those that ``manage.py import_study --list-templates`` lists."""

    template: Annotated[str, StringConstraints(max_length=80)]


class NewConfig(Strict):
    """The configuration of a task, as a study file would say it. With the ``version`` that it was made from, it is refused if
    somebody else has changed it in the meantime."""

    config: dict[str, Any]
    version: str = Field(default="", max_length=40)


class NewDesign(Strict):
    design: Design
    version: str = Field(default="", max_length=40)


class NewPhase(Strict):
    """``extend``: add to the open phase what has been written since; otherwise the next phase is opened."""

    extend: bool = False


class KeyAct(Strict):
    """Which key: what it is ``about``, and by whom; and what becomes of it."""

    act: Literal["choose", "reopen", "join"]
    about: Name
    author: Name


class NewCut(Strict):
    """All texts alike (``how``), or one output or reference by its number, with the units that its text is cut into."""

    how: Literal["sentences", "lines", "whole"] | None = None
    kind: Literal["output", "reference"] = "output"
    id: int | None = Field(default=None, ge=1, le=LARGEST)
    units: list[Unit] = Field(default_factory=list, max_length=100_000)


class TableFields(Strict):
    """The fields of the form beside its file."""

    map: str = ""


class TaskDetail(Answer):
    """A task: its kind, its configuration, and the phase that is open, if its kind has several."""

    name: str
    kind: str
    config: dict[str, Any]
    design: dict[str, Any] | None
    phase: str
    version: str


class TaskList(Answer):
    tasks: list[TaskDetail]


class DesignDetail(Answer):
    design: dict[str, Any]
    version: str


class PhaseOpened(Answer):
    """The phase that is open now; ``added``: what is new to judge in it, if it was open before."""

    phase: str
    added: int | None


class TableUsed(Answer):
    """What the study has now, and what was noticed about the table that keeps nothing from being used."""

    documents: int
    outputs: int
    notes: list[str]


class CutDetail(Answer):
    """An output and the units that it is cut into."""

    id: int
    system: str
    item: str
    units: list[str]


class CutPage(Page[CutDetail]):
    """Outputs with their units."""


class CutDone(Answer):
    """How many texts were cut anew."""

    texts: int
