"""Which Basic Elements of an output match which of a reference, and by what."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from metrics.drawing.scene import SIZE, Anchor, Group, Line, Part, Scene, Words, fitted, width_of
from metrics.report.figure_data import figure_rows

Row = dict[str, Any]

LINE = 18.0
COLUMN = 0.36
"""The share of the width that elements of one text take."""
MOST_MATCHED = 30
MOST_OTHERS = 20
"""More lines than these nobody reads in a drawing; the numbers behind it have all of them."""
SMALL = 10.5


def draw_elements(data: Row, spec: Row, width: float) -> Scene:
    """The output's elements on the left, the reference's on the right, a line between two that match."""
    rows = figure_rows(data, spec)
    matched = [row for row in rows if row["found"] == "matched"]
    missed = [row for row in rows if row["found"] == "missed"]
    extra = [row for row in rows if row["found"] == "extra"]
    room = COLUMN * width
    scene = Scene(width, 0, spec["title"])
    scene.add(Words(0, SIZE, "output", colour="muted", is_bold=True))
    scene.add(Words(width, SIZE, "reference", "end", "muted", is_bold=True))
    y = 2 * LINE
    for row in matched[:MOST_MATCHED]:
        scene.add(Group(_pair(row, y, width, room), _said(row)))
        y += LINE
    if len(matched) > MOST_MATCHED:
        more = f"and {len(matched) - MOST_MATCHED} more that match"
        scene.add(Words(width / 2, y + SIZE / 3, more, "middle", "muted", SMALL))
        y += LINE
    if missed or extra:
        scene.add(Line([(0, y), (width, y)], "line"))
        y += LINE
        scene.add(Words(0, y + SIZE / 3, fitted("matches nothing", room), colour="muted", is_bold=True))
        scene.add(Words(width, y + SIZE / 3, fitted("not found", room), "end", "muted", is_bold=True))
        y += LINE
    scene.add(*_alone(extra, y, room, 0.0), *_alone(missed, y, room, width))
    lines = max(min(len(own), MOST_OTHERS + 1) for own in (missed, extra))
    scene.height = y + lines * LINE
    return scene


def _pair(row: Row, y: float, width: float, room: float) -> list[Part]:
    """Two elements with a line between them; what joined them is written on it, unless they are identical."""
    ours, theirs = fitted(row["output_element"], room), fitted(row["reference_element"], room)
    is_identical = row["by"] == "identity"
    colour = "muted" if is_identical else "accent"
    start, end = width_of(ours) + 6, width - width_of(theirs) - 6
    parts: list[Part] = [
        Line([(start, y), (end, y)], colour, 1 if is_identical else 1.5, (2, 3) if is_identical else ()),
        Words(0, y + SIZE / 3, ours),
        Words(width, y + SIZE / 3, theirs, "end"),
    ]
    if not is_identical:
        by = fitted(row["by"].replace("+", " + "), width - 2 * room, SMALL)
        parts.append(Words(width / 2, y + SMALL / 3, by, "middle", "accent", SMALL, has_halo=True))
    return parts


def _alone(rows: list[Row], y: float, room: float, edge: float) -> Iterator[Part]:
    """Elements that match nothing, below each other, at the left or the right edge."""
    side = "output" if not edge else "reference"
    anchor: Anchor = "end" if edge else "start"
    for place, row in enumerate(rows[:MOST_OTHERS]):
        words = fitted(row[f"{side}_element"], room)
        yield Group([Words(edge, y + place * LINE + SIZE / 3, words, anchor, "muted")], _said(row))
    if len(rows) > MOST_OTHERS:
        more = f"and {len(rows) - MOST_OTHERS} more"
        yield Words(edge, y + MOST_OTHERS * LINE + SIZE / 3, more, anchor, "muted", SMALL)


def _said(row: Row) -> str:
    """The whole elements with their rules, however little room there was."""
    ours = f"{row['output_element']} ({row['output_rule']})"
    theirs = f"{row['reference_element']} ({row['reference_rule']})"
    if row["found"] == "matched":
        return f"{ours} matches {theirs}: {row['by'].replace('+', ', ')}"
    return f"only in the output: {ours}" if row["found"] == "extra" else f"only in the reference: {theirs}"
