"""What a drawing consists of. Places are in pixels (96 to the inch) from the upper left corner."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

Point = tuple[float, float]
Anchor = Literal["start", "middle", "end"]

MARGIN = 8.0
"""White around a drawing in a file of its own; on a page the page leaves room."""
SIZE = 12.0
"""Of words, in pixels: 9 points on paper."""
BOLD = 1.16 * SIZE
"""The size at which plain words are as wide as bold ones of the usual size."""

# Advance widths of DejaVu Sans in thousandths of its size, from the space to the tilde. It is among the widest of plain faces
# and the one of PNG and PDF: what has room in it has room on every page.
_WIDTHS = (
    318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337, 636, 636, 636, 636, 636, 636, 636, 636,
    636, 636, 337, 337, 838, 838, 838, 531, 1000, 684, 686, 698, 770, 632, 575, 775, 752, 295, 295, 656, 557, 863, 748, 787,
    603, 787, 695, 635, 611, 732, 684, 989, 685, 611, 685, 390, 337, 390, 838, 500, 500, 613, 635, 550, 635, 615, 352, 635,
    634, 278, 278, 579, 278, 974, 634, 612, 635, 635, 411, 521, 392, 634, 592, 818, 592, 592, 525, 636, 337, 636, 838,
)  # fmt: skip
_OTHERS = {
    "–": 500,
    "−": 838,
    "…": 1000,
    "’": 318,
    "·": 318,
    "²": 401,
    "•": 590,
    "α": 659,
    "ρ": 635,
    "τ": 602,
}
_LETTER, _WIDE = 720, 1000


@dataclass(frozen=True)
class Line:
    """A line through these points."""

    points: Sequence[Point]
    colour: str = "ink"
    width: float = 1.0
    dash: tuple[float, ...] = ()


@dataclass(frozen=True)
class Area:
    """Closed rings of one colour: one piece for SVG, however many there are."""

    rings: Sequence[Sequence[Point]]
    fill: str | None = "ink"
    stroke: str | None = None
    width: float = 1.0
    is_crisp: bool = False
    """Whether neighbours must touch without a seam."""


@dataclass(frozen=True)
class Dot:
    x: float
    y: float
    radius: float
    fill: str = "accent"
    stroke: str | None = "paper"
    width: float = 1.0


@dataclass(frozen=True)
class Words:
    """A line of text; ``y`` is its baseline. ``is_turned`` reads upwards."""

    x: float
    y: float
    text: str
    anchor: Anchor = "start"
    colour: str = "ink"
    size: float = SIZE
    is_bold: bool = False
    is_turned: bool = False
    has_halo: bool = False
    """Whether paper shines around the letters, so that a line behind them does not disturb."""
    is_covered: bool = False
    """There was no room for it: a page shows it when its mark is pointed at, a file never."""


@dataclass(frozen=True)
class Group:
    """Parts that are one thing to a reader: ``hint`` says in words what they show."""

    parts: Sequence[Part]
    hint: str
    is_point: bool = False
    """Whether it can be reached with the keyboard."""


Part = Line | Area | Dot | Words | Group


@dataclass
class Scene:
    """A drawing; ``label`` is what is read aloud in its place."""

    width: float
    height: float
    label: str
    parts: list[Part] = field(default_factory=list)
    board: dict[str, Any] | None = None
    """Of a matrix: where its cells are (``left, top, cell``) and what they say, for a page that reads them one by one."""

    def add(self, *parts: Part) -> None:
        self.parts += parts

    @property
    def has_points(self) -> bool:
        return any(isinstance(part, Group) and part.is_point for part in self.parts)


def box(x: float, y: float, width: float, height: float) -> list[Point]:
    """The ring of a rectangle."""
    return [(x, y), (x + width, y), (x + width, y + height), (x, y + height)]


def width_of(text: str, size: float = SIZE) -> float:
    """How wide a text is, at most, in pixels."""
    return sum(_width(sign) for sign in text) * size / 1000


def _width(sign: str) -> int:
    place = ord(sign) - 32
    if 0 <= place < len(_WIDTHS):
        return _WIDTHS[place]
    if sign in _OTHERS:
        return _OTHERS[sign]
    if unicodedata.combining(sign):
        return 0
    base = unicodedata.normalize("NFD", sign)[0]
    if base != sign:
        return _width(base)
    return _WIDE if unicodedata.east_asian_width(sign) in "WF" else _LETTER


def fitted(text: str, room: float, size: float = SIZE) -> str:
    """The text on one line, if it has room; else without its middle: long names often differ at their end."""
    text = " ".join(text.split())
    if width_of(text, size) <= room:
        return text
    for kept in range(len(text) - 1, 1, -1):
        end = kept // 3
        short = f"{text[: kept - end]}…{text[len(text) - end :]}"
        if width_of(short, size) <= room:
            return short
    return f"{text[:1]}…"


def room_for(names: Iterable[str], most: float, size: float = SIZE) -> float:
    """Room for the longest of these names, but never more than ``most``."""
    longest = max((width_of(" ".join(name.split()), size) for name in names), default=10.0)
    return min(math.ceil(longest), math.floor(most))
