"""How figures look: one set of colours, sizes and fonts, safe for colour-blind readers, the same bytes each time.

Four colours are placeholders. In a file of its own a figure is ink on paper; inside ``report.html`` ink, lines, paper and the
one colour of plots that need no more become those of the page, light or dark.
"""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PAPER = "#fffffe"
INK = "#1b1c20"
LINE = "#c9cbd2"
BLUE = "#0072b3"

# Okabe & Ito (2008): told apart with any kind of colour vision. Their black is the ink; yellow is too light for lines.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
PLACEHOLDERS = {PAPER: "var(--paper)", INK: "currentColor", LINE: "var(--line)", BLUE: "var(--blue)"}
MARKERS = ("o", "s", "^", "D", "v", "P")

WIDTH = 4.4
"""Inches: on a phone, lines of text are still legible when the figure fills the screen."""
DPI = 200

STYLE: dict[str, Any] = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 9,
    "axes.titlesize": 10,
    "axes.titlelocation": "left",
    "axes.labelsize": 9,
    "axes.edgecolor": LINE,
    "axes.labelcolor": INK,
    "axes.facecolor": "none",
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.unicode_minus": True,
    "figure.facecolor": PAPER,
    "grid.color": LINE,
    "grid.linewidth": 0.5,
    "legend.frameon": False,
    "legend.fontsize": 8,
    "text.color": INK,
    "text.parse_math": False,
    "xtick.color": INK,
    "ytick.color": INK,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "svg.fonttype": "none",
    "svg.hashsalt": "touchstone",
}


@contextmanager
def without_glyphs() -> Iterator[None]:
    """Names in scripts that the font lacks are boxes in PNG; SVG keeps them as text. There is no need to say so each time."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing")
        yield


def rendered(figure: Figure, form: str, *, title: str) -> bytes:
    """The figure as ``svg`` or ``png``; no date is written, and ids are derived from a fixed salt."""
    import matplotlib as mpl  # noqa: PLC0415 – it takes a second, and not every report is drawn

    stream = io.BytesIO()
    metadata = {"Title": title, "Date": None, "Creator": None} if form == "svg" else {"Title": title}
    with mpl.rc_context(STYLE), without_glyphs():
        if figure.get_layout_engine() is not None:
            # The places of all parts are found once; they are the same in every format.
            figure.draw_without_rendering()
            figure.set_layout_engine("none")
        figure.savefig(stream, format=form, dpi=DPI, metadata=metadata)
    return stream.getvalue()


def inline(svg: bytes, *, name: str, title: str) -> str:
    """An SVG for a page: in the page's colours, with ids of its own, described for who cannot see it."""
    text = svg.decode("utf-8")
    text = text[text.index("<svg") :]
    text = re.sub(r"\s*<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = re.sub(r"\s*<title>.*?</title>", "", text, count=1, flags=re.DOTALL)
    text = re.sub(r'(<svg [^>]*?)\s+width="[^"]*"', r"\1", text, count=1)
    text = re.sub(r'(<svg [^>]*?)\s+height="[^"]*"', r"\1", text, count=1)
    # Only tags are changed: what stands between them are names, whatever they look like.
    text = re.sub(r"<[^>]+>", lambda tag: _of_page(tag[0], name), text)
    label = title.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;")
    return text.replace("<svg ", f'<svg role="img" aria-label="{label}" ', 1).strip()


def _of_page(tag: str, name: str) -> str:
    """A tag with the ids of this figure and the colours of the page."""
    tag = tag.replace(' id="', f' id="{name}-')
    tag = tag.replace("url(#", f"url(#{name}-").replace('href="#', f'href="#{name}-')
    for colour, of_page in PLACEHOLDERS.items():
        tag = tag.replace(colour, of_page)
    return tag
