"""What a pyramid and its matching are, as types."""

from __future__ import annotations

from pydantic import Field

from annotation.tasks.base import Strict
from annotation.tasks.keys import KeyConfig
from annotation.tasks.spans import Parts


class PyramidConfig(KeyConfig):
    building: bool = True  # False: the study file has the pyramids
    prefilled: bool = False  # the study file's units are a draft to edit
    cover: bool = True  # every word of an output is matched, or set aside
    show_weights: bool = False  # whoever matches sees what others found important


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
