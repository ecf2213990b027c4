"""Names beside the points of a scatter plot: none on a point, none on another name, a line to those that stand apart."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from metrics.report.style import LINE

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Floats = npt.NDArray[np.float64]
Box = tuple[float, float, float, float]
"""Left, bottom, right, top, in pixels."""

POINT = 4.0
"""Pixels around the middle of a point that a name keeps clear of."""
AWAY = (6.0, 14.0, 24.0, 36.0, 50.0, 68.0, 90.0)
"""How far from its point a name may begin; from the second on a line leads to it."""
CROWDED = 50.0
"""Pixels within which points count as neighbours."""
DIRECTIONS = 16
MANY = 25
"""More names than these are written smaller, and only beside their points: so many lines would say nothing."""
LOOSE = 1.08
"""A name may come out this much wider in a file than it was measured."""


def name_points(figure: Figure, axes: Axes, x: Floats, y: Floats, names: list[str]) -> None:
    """Each name goes to the nearest place that is free. One that finds none is left out: a name that cannot be read, or that
    hides another, says less than a point without a name.
    """
    figure.draw_without_rendering()
    points = np.asarray(axes.transData.transform(np.column_stack([x, y])), dtype=np.float64)
    taken: list[Box] = [(px - POINT, py - POINT, px + POINT, py + POINT) for px, py in points]
    size, distances = (7.5, AWAY) if len(names) <= MANY else (6.0, AWAY[:1])
    within: Box = (axes.bbox.x0, axes.bbox.y0, figure.bbox.x1, axes.bbox.y1)
    # Points in a crowd choose first, as they have the least choice.
    for place in np.argsort([-_neighbours(points, point) for point in points], kind="stable"):
        label = axes.annotate(names[place], (x[place], y[place]), fontsize=size, annotation_clip=False)
        label.set_in_layout(False)
        extent = label.get_window_extent()
        width, height = LOOSE * extent.width, extent.height
        found = _free_place(points[place], width, height, distances, taken, within)
        label.remove()
        if found is None:
            continue
        corner, apart = found
        taken.append((*corner, corner[0] + width, corner[1] + height))
        shift = (np.array(corner) - points[place]) * 72 / figure.dpi
        leader = {"arrowstyle": "-", "color": LINE, "linewidth": 0.6, "shrinkA": 0, "shrinkB": 3}
        axes.annotate(
            names[place],
            (x[place], y[place]),
            xytext=(float(shift[0]), float(shift[1])),
            textcoords="offset points",
            fontsize=size,
            annotation_clip=False,
            arrowprops=leader if apart else None,
        ).set_in_layout(False)


def _neighbours(points: Floats, point: Floats) -> int:
    return int((np.hypot(*(points - point).T) < CROWDED).sum())


def _free_place(
    point: Floats,
    width: float,
    height: float,
    distances: tuple[float, ...],
    taken: list[Box],
    within: Box,
) -> tuple[tuple[float, float], bool] | None:
    """The lower left corner of the nearest box that covers nothing, and whether it stands apart from its point."""
    for distance in distances:
        for turn in range(DIRECTIONS):
            # To the right first, then left, above and below: where readers look for a name.
            angle = 2 * math.pi * _ORDER[turn] / DIRECTIONS
            across, up = math.cos(angle), math.sin(angle)
            left = point[0] + across * distance - width * (1 - across) / 2
            bottom = point[1] + up * distance - height * (1 - up) / 2
            box = (left, bottom, left + width, bottom + height)
            inside = (
                within[0] <= box[0] and within[1] <= box[1] and box[2] <= within[2] and box[3] <= within[3]
            )
            if inside and not any(_overlap(box, other) for other in taken):
                return (left, bottom), distance > AWAY[0]
    return None


_ORDER = sorted(range(DIRECTIONS), key=lambda turn: (turn % 8 > 0, turn % 4 > 0, turn % 2 > 0, turn))


def _overlap(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
