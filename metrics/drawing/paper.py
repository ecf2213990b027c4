"""A scene as PNG and PDF, by matplotlib's canvases: they only fill and stroke what the scene says."""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal

from metrics.drawing.scene import MARGIN, Area, Dot, Group, Line, Part, Point, Scene, Words
from metrics.drawing.svg import PAPER

if TYPE_CHECKING:
    from matplotlib.artist import Artist

INCH = 96.0
POINTS = 72 / INCH
DPI = 288
"""Three dots for a pixel: sharp on paper."""

# Fonts are embedded as TrueType: publishers refuse the other kind. No date is written, so the same scene gives the same bytes.
STYLE = {
    "pdf.fonttype": 42,
    "pdf.compression": 6,
    "font.sans-serif": ["DejaVu Sans"],
    "text.parse_math": False,
}
SIDES: dict[str, Literal["left", "center", "right"]] = {"start": "left", "middle": "center", "end": "right"}
METADATA: dict[str, dict[str, Any]] = {
    "png": {"Software": None},
    "pdf": {"CreationDate": None, "ModDate": None, "Producer": None, "Creator": None},
}


def printed(scene: Scene, form: str, *, title: str) -> bytes:
    """The scene as ``png`` or ``pdf``."""
    import matplotlib as mpl  # noqa: PLC0415 – it takes a second, and most drawings are SVG
    from matplotlib.figure import Figure  # noqa: PLC0415

    stream = io.BytesIO()
    width, height = scene.width + 2 * MARGIN, scene.height + 2 * MARGIN
    with mpl.rc_context(STYLE), warnings.catch_warnings():
        # Names in scripts that the font lacks are boxes here; SVG keeps them as text.
        warnings.filterwarnings("ignore", message="Glyph .* missing")
        figure = Figure(figsize=(width / INCH, height / INCH), facecolor=PAPER["paper"])
        for order, artist in enumerate(_artists(scene.parts, height)):
            artist.set_zorder(order)
            artist.set_transform(figure.dpi_scale_trans)
            figure.add_artist(artist)
        figure.savefig(stream, format=form, dpi=DPI, metadata={"Title": title, **METADATA[form]})
    return stream.getvalue()


def _artists(parts: Sequence[Part], height: float) -> Iterator[Artist]:
    """In inches from the lower left corner, as matplotlib wants them."""
    for part in parts:
        match part:
            case Group():
                yield from _artists(part.parts, height)
            case Line():
                yield _line(part, height)
            case Area() | Dot():
                yield _filled(part, height)
            case Words() if not part.is_covered:
                yield _words(part, height)


def _place(x: float, y: float, height: float) -> Point:
    return (x + MARGIN) / INCH, (height - y - MARGIN) / INCH


def _line(line: Line, height: float) -> Artist:
    from matplotlib.lines import Line2D  # noqa: PLC0415

    across, up = zip(*(_place(x, y, height) for x, y in line.points), strict=True)
    width = line.width * POINTS
    dash: Any = (0, tuple(each / line.width for each in line.dash)) if line.dash else "-"
    return Line2D(
        across, up, color=PAPER[line.colour], linewidth=width, linestyle=dash, solid_capstyle="butt"
    )


def _filled(part: Area | Dot, height: float) -> Artist:
    from matplotlib.patches import Circle, PathPatch  # noqa: PLC0415
    from matplotlib.path import Path  # noqa: PLC0415

    look = {
        "facecolor": "none" if part.fill is None else PAPER[part.fill],
        "edgecolor": "none" if part.stroke is None else PAPER[part.stroke],
        "linewidth": 0 if part.stroke is None else part.width * POINTS,
    }
    if isinstance(part, Dot):
        return Circle(_place(part.x, part.y, height), part.radius / INCH, **look)
    rings = [[_place(x, y, height) for x, y in ring] for ring in part.rings]
    paths = [Path([*ring, ring[0]], closed=True) for ring in rings]
    return PathPatch(
        Path.make_compound_path(*paths), antialiased=not part.is_crisp, joinstyle="miter", **look
    )


def _words(words: Words, height: float) -> Artist:
    from matplotlib.patheffects import withStroke  # noqa: PLC0415
    from matplotlib.text import Text  # noqa: PLC0415

    x, y = _place(words.x, words.y, height)
    return Text(
        x,
        y,
        words.text,
        color=PAPER[words.colour],
        fontsize=words.size * POINTS,
        fontweight="bold" if words.is_bold else "normal",
        horizontalalignment=SIDES[words.anchor],
        verticalalignment="baseline",
        rotation=90 if words.is_turned else 0,
        rotation_mode="anchor",
        path_effects=[withStroke(linewidth=2, foreground=PAPER["paper"])] if words.has_halo else None,
    )
