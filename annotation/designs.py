"""Who judges what, in which order: pure functions, seeded. ``docs/designs.md`` explains them in plain words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import Field

from annotation.tasks.base import Strict


class Design(Strict):
    """The ``design`` of a study file."""

    assessors_per_item: int = Field(default=1, ge=1)
    order: Literal["random", "fixed", "latin-square", "blocked", "model-author"] = "random"
    pool: bool = False
    shared: tuple[str, ...] = ()  # items that everybody judges


@dataclass(frozen=True)
class Piece:
    """A subject as a design sees it. ``authors``: author ids that must not judge it; ``writer``: of its model."""

    index: int
    item: str
    system: str
    authors: frozenset[str] = frozenset()
    writer: str = ""


@dataclass(frozen=True)
class Person:
    """An assessor as a design sees one."""

    index: int
    group: str = ""
    author: str = ""


@dataclass(frozen=True)
class Deal:
    """One piece for one person; a person's deals come in the order in which the person meets them."""

    person: int
    piece: int


class DesignProblem(ValueError):
    """The design cannot be carried out; the message says what to change."""


def deal(design: Design, pieces: Sequence[Piece], people: Sequence[Person], *, seed: int) -> list[Deal]:
    """Deal pieces to people; the same arguments give the same plan."""
    raise NotImplementedError
