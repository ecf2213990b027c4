"""Figures with a cell for each pair: systems against systems, metrics against metrics, α against N."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from metrics.drawing.axes import legend, shade
from metrics.drawing.scene import SIZE, Area, Group, Line, Scene, Words, box, fitted, room_for
from metrics.report.book import records
from metrics.report.figure_data import (
    Triangle,
    figure_rows,
    human_of,
    meta_of,
    pair_triangle,
    williams_triangle,
)
from metrics.report.numbers import coefficient, equal_to, level, tick, whole

Row = dict[str, Any]

MOST_NAMES = 40
"""More names than these would be too small to read."""
LARGEST_CELL, SMALLEST_NAMED = 32.0, 11.0


def draw_pairs(data: Row, spec: Row, width: float) -> Scene:
    """Which system is significantly better than which, by adjusted p-values."""
    triangle = pair_triangle(data, spec)
    said = {"own": triangle.names, "verb": "above", "what": "adjusted p"}
    return _board(triangle, spec, width, data["options"]["alpha"], said)


def draw_williams(data: Row, spec: Row, width: float) -> Scene:
    """Which metric correlates significantly higher than which (Graham 2015, Figure 3)."""
    triangle = williams_triangle(data, spec)
    williams = meta_of(data, spec["human"])["williams"]
    correlation = dict(zip(williams["metrics"], williams["correlation"], strict=True))
    own = [f"{name} (r = {coefficient(correlation[name])})" for name in triangle.names]
    said = {"own": own, "verb": "correlates higher than", "what": "p"}
    return _board(triangle, spec, width, williams["alpha"], said)


def draw_duels(data: Row, spec: Row, width: float) -> Scene:
    """The share of comparisons that the row won against the column; framed where its interval leaves out one half."""
    rows = figure_rows(data, spec)
    names = list(dict.fromkeys(row["system"] for row in records(human_of(data, spec["human"])["systems"])))
    cells = {(row["system"], row["other"]): row for row in rows}
    left, head = room_for(names, 0.34 * width) + 10, room_for(names, 0.26 * width) + 10
    cell = max(12.0, min(44.0, (width - left - 4) / len(names)))
    size = min(SIZE, cell / 2.6)
    side = cell * len(names)
    scene = Scene(left + side + 4, head + side + 4, spec["title"])
    for line, name in enumerate(names):
        y = head + line * cell
        scene.add(Words(left - 8, y + cell / 2 + 4, fitted(name, left - 8), "end"))
        turned = fitted(name, head - 8)
        scene.add(Words(left + (line + 0.5) * cell + 4, head - 6, turned, is_turned=True))
        for column, other in enumerate(names):
            x = left + column * cell
            row = cells.get((name, other))
            if row is None:
                scene.add(Area([box(x + 1, y + 1, cell - 2, cell - 2)], "band"))
                continue
            step = shade(row["share"])
            ends = "" if row["low"] is None else f" [{coefficient(row['low'])}, {coefficient(row['high'])}]"
            hint = (
                f"{name} against {other}: {coefficient(row['share'])}{ends}, won {whole(row['won'])}, lost {whole(row['lost'])}, "
                f"tied {whole(row['tied'])}"
            )
            sure = row["low"] is not None and not row["low"] <= 0.5 <= row["high"]
            frame = [Area([box(x + 1, y + 1, cell - 2, cell - 2)], None, "ink", 1.5)] if sure else []
            square = Area([box(x + 1, y + 1, cell - 2, cell - 2)], f"ramp-{step}")
            number = Words(
                x + cell / 2,
                y + cell / 2 + size / 3,
                coefficient(row["share"]),
                "middle",
                f"on-ramp-{step}",
                size,
            )
            scene.add(Group([square, number, *frame], hint))
    return scene


def is_nameless(spec: Row) -> bool:
    """Whether the figure is a matrix of more metrics than can be named: it looks the same at every size."""
    return spec["kind"] == "williams" and len(spec["metrics"]) > MOST_NAMES


def _board(triangle: Triangle, spec: Row, width: float, alpha: float, said: Row) -> Scene:
    """Row against column, darker is surer. What can be significant is above the diagonal: the better one is first.

    Two hundred metrics give twenty thousand cells. Cells of one shade that lie side by side are one piece, and all pieces
    of a shade are one area, so that the drawing has three of them however many cells there are.
    """
    names = triangle.names
    is_named = len(names) <= MOST_NAMES
    left = room_for(names, 0.34 * width) + 10 if is_named else 4.0
    cell = min(LARGEST_CELL, (width - left - 4) / len(names))
    is_named = is_named and cell >= SMALLEST_NAMED
    left = left if is_named else 4.0
    cell = min(LARGEST_CELL, (width - left - 4) / len(names))
    head = room_for(names, 0.26 * width) + 10 if is_named else 4.0
    side = cell * len(names)
    levels = [(alpha, "ramp-2"), (alpha / 5, "ramp-4"), (alpha / 50, "ramp-6")]
    signs = [
        (f"p < {level(limit)}", lambda x, y, own=colour: Area([box(x - 6, y - 6, 12, 12)], own))
        for limit, colour in reversed(levels)
    ]
    key, high = legend(signs, left, head + side + 14, max(width - left, 100))
    width = min(width, left + max(side, 290.0))
    scene = Scene(width, head + side + 14 + high, f"{spec['title']}: {_summary(triangle, alpha)}")
    scene.add(Area([box(left, head, side, side)], "band"))
    scene.add(*_shaded(triangle, left, head, cell, levels))
    scene.add(Line([(left, head), (left + side, head + side)], "line"))
    size = min(SIZE, cell)
    for place, name in enumerate(names if is_named else ()):
        middle = (place + 0.5) * cell
        scene.add(Words(left - 8, head + middle + size / 3, fitted(name, left - 8, size), "end", size=size))
        turned = fitted(name, head - 8, size)
        scene.add(Words(left + middle + size / 3, head - 6, turned, size=size, is_turned=True))
    scene.add(*key)
    cells = [[equal_to(value) for value in row] for row in triangle.pvalues]
    scene.board = {"left": left, "top": head, "cell": cell, **said, "cells": cells}
    return scene


def _shaded(
    triangle: Triangle, left: float, top: float, cell: float, levels: Sequence[tuple[float, str]]
) -> list[Area]:
    rings: dict[str, list[Any]] = {}
    for i, values in enumerate(triangle.pvalues):
        colours = [_colour(value, levels) for value in values]
        begin = 0
        for end in range(1, len(colours) + 1):
            if end < len(colours) and colours[end] == colours[begin]:
                continue
            colour = colours[begin]
            if colour is not None:
                x = left + (i + 1 + begin) * cell
                rings.setdefault(colour, []).append(box(x, top + i * cell, (end - begin) * cell, cell))
            begin = end
    return [Area(rings[colour], colour, is_crisp=True) for _, colour in levels if colour in rings]


def _colour(value: float | None, levels: Sequence[tuple[float, str]]) -> str | None:
    known = [colour for limit, colour in levels if value is not None and value < limit]
    return known[-1] if known else None


def _summary(triangle: Triangle, alpha: float) -> str:
    values = [value for row in triangle.pvalues for value in row]
    differ = sum(value is not None and value < alpha for value in values)
    return f"{differ} of {len(values)} pairs differ significantly"


def draw_aev(data: Row, spec: Row, width: float) -> Scene:
    """R² over α and N, longest n-grams on top (Soricut & Brill 2004, Tables 1–6); the best cell is framed.

    Shades go from 0 to 1, so that two figures can be compared.
    """
    rows = figure_rows(data, spec)
    best = meta_of(data, spec["human"])["aev"]["best"]
    cells = {(row["N"], row["alpha"]): row["r2"] for row in rows}
    return aev_scene(cells, (best["order"], best["alpha"]), spec["title"], width)


def aev_scene(
    cells: dict[tuple[int, float], float | None],
    best: tuple[int | None, float | None],
    title: str,
    width: float = 440.0,
) -> Scene:
    """The grid of R² by N and α."""
    orders = sorted({order for order, _ in cells}, reverse=True)
    alphas = sorted({alpha for _, alpha in cells})
    left, high = 50.0, 32.0
    cell = min(64.0, (width - left - 2) / len(alphas))
    size = min(SIZE, cell / 2.4)
    bottom = 2 + len(orders) * high
    scene = Scene(left + cell * len(alphas) + 2, bottom + 42, title)
    frames: list[Area] = []
    for line, order in enumerate(orders):
        y = 2 + line * high
        scene.add(Words(left - 10, y + high / 2 + 4, f"N = {order}", "end", "muted"))
        for column, alpha in enumerate(alphas):
            value = cells.get((order, alpha))
            x = left + column * cell
            step = None if value is None else shade(value)
            hint = f"N = {order}, α = {tick(alpha)}: R² = {coefficient(value)}"
            if (order, alpha) == best:
                hint += ", the best"
                frames.append(Area([box(x + 1, y + 1, cell - 2, high - 2)], None, "series-1", 3))
            colour = "ink" if step is None else f"on-ramp-{step}"
            square = Area([box(x + 1, y + 1, cell - 2, high - 2)], "band" if step is None else f"ramp-{step}")
            number = Words(x + cell / 2, y + high / 2 + size / 3, coefficient(value), "middle", colour, size)
            scene.add(Group([square, number], hint))
    scene.add(*frames)
    for column, alpha in enumerate(alphas):
        scene.add(Words(left + (column + 0.5) * cell, bottom + 16, tick(alpha), "middle", "muted", size))
    words = fitted("α: 0 is recall, 1 is precision", scene.width - left)
    scene.add(Words(left, bottom + 34, words, colour="muted"))
    return scene
