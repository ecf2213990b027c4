"""Figures with points in a plane: systems by two scores, metrics by recall and precision."""

from __future__ import annotations

from functools import partial
from typing import Any

from metrics.drawing.axes import DASHES, Scale, bottom_axis, left_axis, legend, loose_scale, mark
from metrics.drawing.labels import placed_names, size_for
from metrics.drawing.scene import Group, Line, Part, Scene, Words, fitted, width_of
from metrics.report.figure_data import figure_rows
from metrics.report.numbers import amount, coefficient, decimals_for, interval, tick

Row = dict[str, Any]

TYPES = {"system": "system", "baseline": "baseline", "human": "human author"}
TOP = 30.0
FIFTHS = (0, 0.2, 0.4, 0.6, 0.8, 1)
LONGEST_NAME = 150.0
"""Pixels."""
WIDEST = 620.0


def draw_scatter(data: Row, spec: Row, width: float) -> Scene:
    """Metric across, people up, each system named where there is room."""
    rows = figure_rows(data, spec)
    width = min(width, WIDEST)
    types = [kind for kind in TYPES if any(row["type"] == kind for row in rows)]
    bottom = TOP + round(min(width * 0.72, 420))
    signs = [(TYPES[kind], partial(_sign, _series(kind))) for kind in types] if len(types) > 1 else []
    key, high = legend(signs, 8, bottom + 46, width - 8)
    scene = Scene(width, bottom + 42 + (high if signs else 0), spec["title"])
    if not rows:
        scene.add(Words(0, TOP, "No system has both scores.", colour="muted"))
        return scene
    people = [row[name] for row in rows for name in ("human", "low", "high") if row[name] is not None]
    y = loose_scale(people, bottom, TOP, 5)
    left = max(width_of(tick(value)) for value in y.ticks) + 14
    right = width - 12
    x = loose_scale([row["metric"] for row in rows], left, right, 4 if width < 420 else 6)
    scene.add(*left_axis(y, left, right, tick, f"{spec['score']}, mean"))
    scene.add(*bottom_axis(x, TOP, bottom, tick, spec["axis"]))
    scene.add(*_points(rows, x, y, (left, TOP - 8, width, bottom)))
    scene.add(*(key if signs else ()))
    return scene


def _series(kind: str) -> int:
    return max(0, list(TYPES).index(kind) if kind in TYPES else 0)


def _sign(series: int, x: float, y: float) -> Part:
    return mark(series, x, y)


def _points(rows: list[Row], x: Scale, y: Scale, within: tuple[float, float, float, float]) -> list[Part]:
    places = [(x(row["metric"]), y(row["human"])) for row in rows]
    size = size_for(len(rows))
    names = [fitted(row["system"], LONGEST_NAME, size) for row in rows]
    human = partial(amount, decimals=decimals_for(row["human"] for row in rows))
    metric = partial(amount, decimals=decimals_for(row["metric"] for row in rows))
    behind: list[Part] = []
    points: list[Part] = []
    for row, (across, down), name, label in zip(
        rows, places, names, placed_names(places, names, within), strict=True
    ):
        ends = ""
        if row["low"] is not None and row["high"] is not None:
            ends = f" {interval(row['low'], row['high'], human)}"
            behind.append(Line([(across, y(row["low"])), (across, y(row["high"]))], "ramp-2", 1.5))
        hint = f"{row['system']}: human {human(row['human'])}{ends}, metric {metric(row['metric'])}"
        start = label.place or _beside(across, down, width_of(name, size), within)
        if label.is_apart:
            nearest = (min(max(across, start[0]), start[0] + width_of(name, size)), start[1] - size / 3)
            behind.append(Line([(across, down), nearest], "muted", 0.6))
        words = Words(*start, name, size=size, has_halo=True, is_covered=label.place is None)
        points.append(Group([mark(_series(row["type"]), across, down, 5), words], hint, is_point=True))
    return [*behind, *points]


def _beside(
    across: float, down: float, room: float, within: tuple[float, float, float, float]
) -> tuple[float, float]:
    """Where a name shows up that covers others, while its point is pointed at."""
    return (across + 9 if across + 9 + room <= within[2] else across - 9 - room), down + 4


def draw_prediction(data: Row, spec: Row, width: float) -> Scene:
    """Recall across, precision up, one curve per metric over the levels (Lin & Hovy 2003, Figure 3)."""
    rows = figure_rows(data, spec)
    width = min(width, WIDEST)
    left, right = 34.0, width - 16
    bottom = TOP + round((right - left) * 0.72)
    signs = [(name, partial(_sign, place)) for place, name in enumerate(spec["metrics"])]
    key, high = legend(signs, 8, bottom + 46, width - 8)
    scene = Scene(width, bottom + 46 + high, spec["title"])
    x, y = Scale(0, 1, left, right, FIFTHS), Scale(0, 1, bottom, TOP, FIFTHS)
    scene.add(*left_axis(y, left, right, tick, "precision"))
    scene.add(*bottom_axis(x, TOP, bottom, tick, "recall of significant differences"))
    for place, name in enumerate(spec["metrics"]):
        own = [row for row in rows if row["metric"] == name and None not in (row["recall"], row["precision"])]
        scene.add(*_curve(own, place, x, y))
    scene.add(*key)
    return scene


def _curve(rows: list[Row], series: int, x: Scale, y: Scale) -> list[Part]:
    places = [(x(row["recall"]), y(row["precision"])) for row in rows]
    line: list[Part] = (
        [Line(places, f"series-{series % 6}", 2, DASHES[series % 6])] if len(places) > 1 else []
    )
    for row, (across, down) in zip(rows, places, strict=True):
        hint = (
            f"{row['metric']}, α = {tick(row['alpha'])}: recall {coefficient(row['recall'])} ({row['hits']} of {row['human']}), "
            f"precision {coefficient(row['precision'])} ({row['hits']} of {row['automatic']})"
        )
        line.append(Group([mark(series, across, down)], hint, is_point=True))
    return line
