"""Figures with a line for each name: systems, metrics, assessors."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from metrics.drawing.axes import Scale, bottom_axis, legend, mark, round_numbers, round_scale
from metrics.drawing.scene import (
    BOLD,
    SIZE,
    Area,
    Dot,
    Group,
    Line,
    Part,
    Scene,
    Words,
    box,
    fitted,
    room_for,
)
from metrics.report.figure_data import figure_rows
from metrics.report.numbers import amount, coefficient, decimals_for, interval, share, span, tick, whole

Row = dict[str, Any]

LINE = 24.0
AXIS = 42.0
"""Below the last line: numbers and what they are."""
NAMES = 0.4
"""The share of the width that names may take."""
PANELS = 600.0
"""From this width on two panels stand side by side."""
GAP = 28.0


def _wanted(width: float) -> int:
    return 4 if width < 420 else 6


def _names(names: Sequence[str], width: float) -> float:
    """Where the plot begins, right of the names."""
    return room_for(names, NAMES * width) + 10


def _name(name: str, left: float, y: float) -> Words:
    return Words(left - 10, y + SIZE / 3, fitted(name, left - 10), "end")


def _interval(x: Scale, row: Row, y: float) -> list[Part]:
    if row["low"] is None or row["high"] is None:
        return []
    low, high = x(row["low"]), x(row["high"])
    ends: list[Part] = [Line([(end, y - 4), (end, y + 4)], "accent", 2) for end in (low, high)]
    return [Line([(low, y), (high, y)], "accent", 2), *ends]


def draw_systems(data: Row, spec: Row, width: float) -> Scene:
    """Means with intervals, the highest on top; lines between clusters, and the ranks that a cluster shares, if any may."""
    rows = figure_rows(data, spec)
    ranks = [span(row["start"], row["end"]) if spec["ranked"] else "" for row in rows]
    left = _names([row["system"] for row in rows], width)
    right = width - room_for(ranks, 60) - 18
    bottom = 22 + len(rows) * LINE
    scene = Scene(width, bottom + AXIS, spec["title"])
    known = [row[name] for row in rows for name in ("estimate", "low", "high") if row[name] is not None]
    x = round_scale(known, left, right, _wanted(width))
    digits = partial(amount, decimals=decimals_for(row["estimate"] for row in rows))
    scene.add(
        *bottom_axis(x, 22, bottom, tick, f"{spec['score']}, {spec['estimate']} and {spec['interval']}")
    )
    if spec["ranked"]:
        scene.add(Words(width, 12, "rank", "end", "muted"))
    for place, row in enumerate(rows):
        y = 22 + (place + 0.5) * LINE
        if place and rows[place - 1]["cluster"] != row["cluster"]:
            scene.add(Line([(0, y - LINE / 2), (width, y - LINE / 2)], "muted", 1, (4, 3)))
        scene.add(_name(row["system"], left, y), Words(width, y + SIZE / 3, ranks[place], "end", "muted"))
        ends = "" if row["low"] is None else f" {interval(row['low'], row['high'], digits)}"
        rank = f", rank {ranks[place]}" if spec["ranked"] else ""
        hint = f"{row['system']}: {digits(row['estimate'])}{ends}{rank}"
        scene.add(Group([*_interval(x, row, y), Dot(x(row["estimate"]), y, 4.5)], hint))
    return scene


def draw_correlations(data: Row, spec: Row, width: float) -> Scene:
    """Coefficients with intervals; filled where no other metric is significantly better."""
    rows = figure_rows(data, spec)
    left = _names([row["metric"] for row in rows], width)
    right, bottom = width - 12, 4 + len(rows) * LINE
    scene = Scene(width, bottom + AXIS, spec["title"])
    known = [row[name] for row in rows for name in ("pearson", "low", "high") if row[name] is not None]
    lowest = min(0.0, *known)
    ticks = [value for value in round_numbers(lowest, 1.0, _wanted(width)) if value >= lowest - 1e-9]
    x = Scale(min(lowest, ticks[0]), 1.0, left, right, ticks)
    scene.add(*bottom_axis(x, 4, bottom, tick, f"Pearson’s r, {rows[0]['n']} systems"))
    if lowest < 0:
        scene.add(Line([(x(0), 4), (x(0), bottom)], "muted"))
    for place, row in enumerate(rows):
        y = 4 + (place + 0.5) * LINE
        scene.add(_name(row["metric"], left, y))
        ends = "" if row["low"] is None else f" {interval(row['low'], row['high'], coefficient)}"
        hint = f"{row['metric']}: r = {coefficient(row['pearson'])}{ends}"
        beaten = bool(row["outperformed_by"])
        dot = Dot(x(row["pearson"]), y, 4.5, "paper" if beaten else "accent", "accent", 1.5)
        scene.add(Group([*_interval(x, row, y), dot], hint))
    return scene


def draw_king(data: Row, spec: Row, width: float) -> Scene:
    """Two marks for each metric: KING, and its correlation with people; the best KING on top."""
    rows = figure_rows(data, spec)
    left, right = _names([row["metric"] for row in rows], width), width - 12
    signs = [("KING", partial(mark, 0)), ("Pearson’s r", partial(mark, 3))]
    key, high = legend(signs, left, 0, right - left)
    top = high + 8
    bottom = top + len(rows) * LINE
    scene = Scene(width, bottom + 24, spec["title"], key)
    lowest = min([0.0, *(row["pearson"] for row in rows if row["pearson"] is not None)])
    ticks = [value for value in round_numbers(lowest, 1.0, _wanted(width)) if value >= lowest - 1e-9]
    x = Scale(min(lowest, ticks[0]), 1.0, left, right, ticks)
    scene.add(*bottom_axis(x, top, bottom, tick))
    for place, row in enumerate(rows):
        y = top + (place + 0.5) * LINE
        # One a little above the other, so that equal numbers can both be seen.
        marks = [(0, "king", y - 4), (3, "pearson", y + 4)]
        parts: list[Part] = [Line([(left, y), (right, y)], "line")]
        parts += [mark(series, x(row[name]), down) for series, name, down in marks if row[name] is not None]
        r = "undefined" if row["pearson"] is None else f"= {coefficient(row['pearson'])}"
        hint = f"{row['metric']}: KING {share(row['king'])}, r {r}"
        scene.add(_name(row["metric"], left, y), Group(parts, hint))
    return scene


def draw_speed(data: Row, spec: Row, width: float) -> Scene:
    """How long each assessor takes: the mean as a dot, the median as a tick."""
    rows = figure_rows(data, spec)
    left = _names([row["assessor"] for row in rows], width)
    right, bottom = width - 16, 4 + len(rows) * LINE
    scene = Scene(width, bottom + AXIS, spec["title"])
    x = round_scale(
        [0.0, 1.0, *(row[name] for row in rows for name in ("seconds", "median"))],
        left,
        right,
        _wanted(width),
    )
    scene.add(*bottom_axis(x, 4, bottom, tick, "seconds per judgment"))
    for place, row in enumerate(rows):
        y = 4 + (place + 0.5) * LINE
        hint = (
            f"{row['assessor']}: mean {amount(row['seconds'], 1)} s, median {amount(row['median'], 1)} s, "
            f"n = {whole(row['judgments'])}"
        )
        median = x(row["median"])
        parts: list[Part] = [
            Line([(x(0), y), (x(row["seconds"]), y)], "line", 2),
            Line([(median, y - 6), (median, y + 6)], "ink", 2),
            Dot(x(row["seconds"]), y, 4.5),
        ]
        scene.add(_name(row["assessor"], left, y), Group(parts, hint))
    return scene


def draw_shares(data: Row, spec: Row, width: float) -> Scene:
    """How often each assessor gave each value of a short scale: a bar each, from the lowest value to the highest."""
    rows = figure_rows(data, spec)
    names = list(dict.fromkeys(row["assessor"] for row in rows))
    values = sorted({row["value"] for row in rows})
    last = max(1, len(values) - 1)
    colour = {
        value: f"ramp-{round(6 * place / last) if len(values) > 1 else 6}"
        for place, value in enumerate(values)
    }
    left, right = _names(names, width), width - 18
    signs = [
        (tick(value), lambda x, y, own=colour[value]: Area([box(x - 6, y - 6, 12, 12)], own, "muted"))
        for value in values
    ]
    key, high = legend(signs, 0, 0, width)
    top = high + 8
    bottom = top + len(names) * LINE
    scene = Scene(width, bottom + 24, spec["title"], key)
    x = Scale(0, 1, left, right, (0, 0.25, 0.5, 0.75, 1))
    scene.add(*bottom_axis(x, top, bottom, share))
    for place, name in enumerate(names):
        y = top + (place + 0.5) * LINE
        scene.add(_name(name, left, y))
        begin = 0.0
        for row in sorted((row for row in rows if row["assessor"] == name), key=lambda row: row["value"]):
            bar = box(x(begin), y - 8, x(begin + row["share"]) - x(begin), 16)
            begin += row["share"]
            hint = f"{name}: {tick(row['value'])} in {share(row['share'])} ({whole(row['count'])})"
            scene.add(Group([Area([bar], colour[row["value"]], "paper")], hint))
    return scene


def draw_assessors(data: Row, spec: Row, width: float) -> Scene:
    """How each used the scale, before and after normalisation (Leusch et al. 2005, Figure 1)."""
    rows = figure_rows(data, spec)
    names = list(dict.fromkeys(row["assessor"] for row in rows))
    stages = [("raw", "as given"), (spec["after"], f"normalised ({spec['after']})")]
    stages = [(stage, label) for stage, label in stages if any(row["stage"] == stage for row in rows)]
    is_wide = width >= PANELS
    panel = (width - GAP * (len(stages) - 1)) / len(stages) if is_wide else width
    height = 24 + len(names) * LINE + 34
    scene = Scene(width, height if is_wide else height * len(stages), spec["title"])
    for place, (stage, label) in enumerate(stages):
        own = [row for row in rows if row["stage"] == stage and row["minimum"] is not None]
        corner = (place * (panel + GAP), 0.0) if is_wide else (0.0, place * height)
        scene.add(*_panel(own, names, label, panel, corner))
    return scene


def _panel(
    rows: list[Row], names: list[str], label: str, width: float, corner: tuple[float, float]
) -> list[Part]:
    across, down = corner
    left, right = across + _names(names, width), across + width - 12
    top = down + 24
    bottom = top + len(names) * LINE
    parts: list[Part] = [Words(across, down + 12, fitted(label, width, BOLD), is_bold=True)]
    if not rows:
        return [*parts, Words(left, top + 16, "undefined: nobody’s scores vary", colour="muted")]
    x = round_scale([row[end] for row in rows for end in ("minimum", "maximum")], left, right, _wanted(width))
    parts += bottom_axis(x, top, bottom, tick)
    known = {row["assessor"]: row for row in rows}
    for place, name in enumerate(names):
        y = top + (place + 0.5) * LINE
        room = left - across - 10
        parts.append(Words(left - 10, y + SIZE / 3, fitted(name, room), "end"))
        if name in known:
            parts.append(_box(known[name], x, y))
    return parts


def _box(row: Row, x: Scale, y: float) -> Group:
    """Range as a line, the middle half as a box, the median as a bar in it, the mean as a dot."""
    low, high = x(row["minimum"]), x(row["maximum"])
    median = x(row["median"])
    middle = box(x(row["lower"]), y - 7, max(x(row["upper"]) - x(row["lower"]), 1), 14)
    parts: list[Part] = [Line([(low, y), (high, y)], "muted", 1.5)]
    parts += [Line([(end, y - 3), (end, y + 3)], "muted", 1.5) for end in (low, high)]
    parts += [Area([middle], "ramp-1", "accent"), Line([(median, y - 7), (median, y + 7)], "accent", 2.5)]
    parts.append(Dot(x(row["mean"]), y, 3.5, "series-1"))
    hint = (
        f"{row['assessor']}: lowest {amount(row['minimum'])}, middle half {amount(row['lower'])} to {amount(row['upper'])}, "
        f"median {amount(row['median'])}, highest {amount(row['maximum'])}, mean {amount(row['mean'])}, n = {whole(row['n'])}"
    )
    return Group(parts, hint)
