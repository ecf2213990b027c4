"""A scene as SVG: inside a page, whose colours it takes, light or dark; or as a file, ink on white."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from xml.sax.saxutils import escape, quoteattr

from metrics.drawing.scene import MARGIN, SIZE, Area, Dot, Group, Line, Part, Point, Scene, Words

# Okabe and Ito's colours, which colour-blind readers can tell apart, darkened where white would swallow them; and one hue
# from light to dark.
PAPER = {
    "ink": "#1d1f23",
    "muted": "#5b5f66",
    "line": "#dddcd6",
    "paper": "#ffffff",
    "band": "#f3f3ef",
    "accent": "#1f4a8a",
    **{
        f"series-{number}": colour
        for number, colour in enumerate(("#0072b2", "#c04f00", "#007f5f", "#a8487e", "#8a6100", "#2f7fae"))
    },
    **{
        f"ramp-{number}": colour
        for number, colour in enumerate(
            ("#eaf1f8", "#cfdfef", "#a9c6e2", "#7ba6cf", "#4f83b6", "#2c5f97", "#163d6e")
        )
    },
    **{f"on-ramp-{number}": "#1d1f23" if number < 4 else "#ffffff" for number in range(7)},
}
FACE = "Helvetica, Arial, 'DejaVu Sans', sans-serif"


def page_svg(scene: Scene, *, class_name: str = "") -> str:
    """For a page. Colours are custom properties ``--draw-…`` of the page; there is no style and no script in it."""
    writer = _Writer(lambda colour: f"var(--draw-{colour})", is_page=True)
    role = "group" if scene.has_points else "img"
    own = f' class="{class_name}"' if class_name else ""
    size = f'width="{_n(scene.width)}" height="{_n(scene.height)}"'
    return (
        f'<svg{own} viewBox="0 0 {_n(scene.width)} {_n(scene.height)}" {size} role="{role}" '
        f'aria-label={_attribute(scene.label)} font-size="{_n(SIZE)}" fill="var(--draw-ink)">{writer.all(scene.parts)}</svg>'
    )


def file_svg(scene: Scene, *, title: str) -> bytes:
    """A file of its own: text stays text, colours are fixed, and there is no date in it."""
    writer = _Writer(PAPER.__getitem__, is_page=False)
    width, height = _n(scene.width + 2 * MARGIN), _n(scene.height + 2 * MARGIN)
    corner = _n(-MARGIN)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{corner} {corner} {width} {height}" width="{width}" height="{height}" role="img" '
        f'font-family="{FACE}" font-size="{_n(SIZE)}" fill="{PAPER["ink"]}"><title>{_text(title)}</title>'
        f'<rect x="{corner}" y="{corner}" width="{width}" height="{height}" fill="{PAPER["paper"]}"/>{writer.all(scene.parts)}</svg>\n'
    ).encode()


def _n(value: float) -> str:
    return f"{round(value, 2) + 0.0:g}" if abs(value) < 10_000 else f"{value:.2f}"


_NOT_XML = re.compile(r"[\x00-\x1f\ud800-\udfff\ufffe\uffff]")


def _text(words: str) -> str:
    """What XML can hold: control characters are no part of a name that can be read."""
    return escape(_NOT_XML.sub(" ", words))


def _attribute(words: str) -> str:
    return quoteattr(_NOT_XML.sub(" ", words))


class _Writer:
    def __init__(self, colour: Callable[[str], str], *, is_page: bool) -> None:
        self.colour = colour
        self.is_page = is_page

    def all(self, parts: Sequence[Part]) -> str:
        return "".join(self.one(part) for part in parts)

    def one(self, part: Part) -> str:
        match part:
            case Line():
                return self._line(part)
            case Area():
                crisp = ' shape-rendering="crispEdges"' if part.is_crisp else ""
                return (
                    f'<path d="{"".join(_ring(ring) for ring in part.rings)}"{self._painted(part)}{crisp}/>'
                )
            case Dot():
                return f'<circle cx="{_n(part.x)}" cy="{_n(part.y)}" r="{_n(part.radius)}"{self._painted(part)}/>'
            case Words():
                return self._words(part)
            case Group():
                return self._group(part)

    def _painted(self, part: Area | Dot) -> str:
        fill = "none" if part.fill is None else self.colour(part.fill)
        if part.stroke is None:
            return f' fill="{fill}"'
        width = "" if part.width == 1 else f' stroke-width="{_n(part.width)}"'
        return f' fill="{fill}" stroke="{self.colour(part.stroke)}"{width}'

    def _line(self, line: Line) -> str:
        first, *others = (f"{_n(x)} {_n(y)}" for x, y in line.points)
        dash = f' stroke-dasharray="{" ".join(_n(each) for each in line.dash)}"' if line.dash else ""
        width = "" if line.width == 1 else f' stroke-width="{_n(line.width)}"'
        # A straight line has nothing inside that could be filled.
        empty = ' fill="none"' if len(others) > 1 else ""
        return (
            f'<path d="M{first}L{" ".join(others)}"{empty} stroke="{self.colour(line.colour)}"{width}{dash}/>'
        )

    def _words(self, words: Words) -> str:
        if words.is_covered and not self.is_page:
            return ""
        if words.is_turned:
            own = [f'transform="translate({_n(words.x)} {_n(words.y)}) rotate(-90)"']
        else:
            own = [f'x="{_n(words.x)}" y="{_n(words.y)}"']
        own += [f'text-anchor="{words.anchor}"'] if words.anchor != "start" else []
        own += [f'fill="{self.colour(words.colour)}"'] if words.colour != "ink" else []
        own += [f'font-size="{_n(words.size)}"'] if words.size != SIZE else []
        own += ['font-weight="600"'] if words.is_bold else []
        if words.has_halo:
            own += [f'stroke="{self.colour("paper")}" stroke-width="3" paint-order="stroke"']
        if self.is_page and (words.has_halo or words.is_covered):
            own += [f'class="label{" covered" if words.is_covered else ""}"']
        return f"<text {' '.join(own)}>{_text(words.text)}</text>"

    def _group(self, group: Group) -> str:
        point = ""
        if group.is_point and self.is_page:
            point = f' class="point" tabindex="0" role="img" aria-label={_attribute(group.hint)}'
        return f"<g{point}><title>{_text(group.hint)}</title>{self.all(group.parts)}</g>"


def _ring(ring: Sequence[Point]) -> str:
    if len(ring) == 4 and ring[0][1] == ring[1][1] and ring[0][0] == ring[3][0] and ring[1][0] == ring[2][0]:
        (left, top), (right, _), (_, bottom), _ = ring
        return f"M{_n(left)} {_n(top)}h{_n(right - left)}v{_n(bottom - top)}h{_n(left - right)}z"
    first, *others = (f"{_n(x)} {_n(y)}" for x, y in ring)
    return f"M{first}L{' '.join(others)}z"
