"""Names beside the points of a scatter plot: none on a point, none on another name, a line to those that stand apart."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from metrics.drawing.scene import Point, width_of

Box = tuple[float, float, float, float]
"""Left, top, right, bottom, in pixels."""

POINT = 6.0
"""Pixels around the middle of a point that a name keeps clear of."""
AWAY = (8.0, 15.0, 26.0, 38.0, 52.0, 70.0, 92.0)
"""How far from its point a name may begin; from the second on a line leads to it."""
CROWDED = 50.0
"""Pixels within which points count as neighbours."""
DIRECTIONS = 16
MANY = 25
"""More names than these are written smaller, and only beside their points: so many lines would say nothing."""
USUAL, SMALL = 10.5, 9.0
"""Sizes of names."""


@dataclass(frozen=True)
class Label:
    """Where a name goes: its left edge and baseline; None where there is no room."""

    place: Point | None
    is_apart: bool = False
    """Whether a line leads from the point to the name."""


def size_for(number: int) -> float:
    """How large so many names are written."""
    return USUAL if number <= MANY else SMALL


def placed_names(points: Sequence[Point], names: Sequence[str], within: Box) -> list[Label]:
    """Each name goes to the nearest place that is free. One that finds none is left out: a name that cannot be read, or that
    hides another, says less than a point without a name.
    """
    taken: list[Box] = [(x - POINT, y - POINT, x + POINT, y + POINT) for x, y in points]
    size = size_for(len(names))
    distances = AWAY if len(names) <= MANY else AWAY[:1]
    labels = [Label(None)] * len(names)
    # Points in a crowd choose first, as they have the least choice.
    for place in sorted(range(len(names)), key=lambda place: -_neighbours(points, points[place])):
        room = (width_of(names[place], size), 1.2 * size)
        free = _free_place(points[place], *room, distances, taken, within)
        if free is not None:
            box, apart = free
            taken.append(box)
            labels[place] = Label((box[0], box[3] - 0.3 * size), apart)
    return labels


def _neighbours(points: Sequence[Point], point: Point) -> int:
    return sum(math.dist(point, other) < CROWDED for other in points)


def _free_place(
    point: Point,
    width: float,
    height: float,
    distances: tuple[float, ...],
    taken: list[Box],
    within: Box,
) -> tuple[Box, bool] | None:
    """The nearest box that covers nothing, and whether it stands apart from its point."""
    for distance in distances:
        for turn in _ORDER:
            # To the right first, then left, above and below: where readers look for a name.
            angle = 2 * math.pi * turn / DIRECTIONS
            across, down = math.cos(angle), -math.sin(angle)
            left = point[0] + across * distance - width * (1 - across) / 2
            top = point[1] + down * distance - height * (1 - down) / 2
            box = (left, top, left + width, top + height)
            inside = (
                within[0] <= box[0] and within[1] <= box[1] and box[2] <= within[2] and box[3] <= within[3]
            )
            if inside and not any(overlap(box, other) for other in taken):
                return box, distance > AWAY[0]
    return None


_ORDER = sorted(range(DIRECTIONS), key=lambda turn: (turn % 8 > 0, turn % 4 > 0, turn % 2 > 0, turn))


def overlap(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
