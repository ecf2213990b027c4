"""What a pyramid and its matching are, as types."""

from __future__ import annotations

from pydantic import Field

from annotation.strict import Strict
from annotation.tasks.keys import KeyConfig
from metrics.cells import Parts


class PyramidConfig(KeyConfig):
    building: bool = Field(
        default=True,
        title="Assessors build the pyramids",
        description="In a first phase. Otherwise the study file has them.",
    )
    prefilled: bool = Field(
        default=False,
        title="Begin with a draft",
        description="The study file's units, for the builder to edit.",
    )
    cover: bool = Field(
        default=True, title="Every word is matched", description="Or set aside as not in the pyramid."
    )
    show_weights: bool = Field(
        default=False, title="Show weights", description="They tell what others found important."
    )


class Contributor(Strict):
    """Words of one model, in code points of its text."""

    reference: str = Field(max_length=200)
    parts: Parts


class Scu(Strict):
    """A summary content unit; it weighs as much as models contribute to it."""

    id: str = Field(min_length=1, max_length=40)
    label: str = Field(default="", max_length=500)
    comment: str = Field(default="", max_length=2_000)
    contributors: tuple[Contributor, ...] = Field(default=(), max_length=200)

    @property
    def weight(self) -> int:
        return len({one.reference for one in self.contributors})


class Match(Strict):
    scu: str
    parts: Parts


class PyramidAnswer(Strict):
    scus: tuple[Scu, ...] = Field(default=(), max_length=500)
    matches: tuple[Match, ...] = Field(default=(), max_length=1_000)
    outside: tuple[Parts, ...] = Field(default=(), max_length=1_000)


class Model(Strict):
    """A model as a page shows it."""

    id: str
    text: str
