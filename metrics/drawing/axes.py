"""Scales, axes, legends and marks."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from metrics.drawing.scene import Area, Dot, Line, Part, Point, Words, fitted, width_of

SERIES = 6
RAMP = 7
DASHES: tuple[tuple[float, ...], ...] = ((), (6, 3), (2, 3), (8, 3, 2, 3), (10, 4), (4, 2, 1, 2))


@dataclass(frozen=True)
class Scale:
    """From numbers to pixels; ``ticks`` are the round numbers on it."""

    low: float
    high: float
    start: float
    end: float
    ticks: Sequence[float] = ()

    def __call__(self, value: float) -> float:
        return self.start + (value - self.low) / ((self.high - self.low) or 1.0) * (self.end - self.start)


def round_numbers(low: float, high: float, wanted: int = 5) -> list[float]:
    """Round numbers from below the lowest to above the highest value, about as many as wanted."""
    if not high - low > 1e-9 * max(abs(low), abs(high)):  # equal to the eye
        room = abs(low) * 0.1 or 0.5
        return round_numbers(low - room, high + room, wanted)
    rough = (high - low) / wanted
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(factor * power for factor in (1, 2, 2.5, 5, 10, 20) if factor * power >= rough * 0.999)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [float(f"{number * step:.12g}") for number in range(first, last + 1)]


def round_scale(values: Sequence[float], start: float, end: float, wanted: int = 5) -> Scale:
    """A scale that holds all values and ends at round numbers."""
    ticks = round_numbers(min(values), max(values), wanted)
    return Scale(ticks[0], ticks[-1], start, end, ticks)


def loose_scale(values: Sequence[float], start: float, end: float, wanted: int = 5) -> Scale:
    """A scale with a little room around all values, so that no mark lies on its ends; round numbers within it."""
    room = (max(values) - min(values)) * 0.06 or abs(values[0]) * 0.1 or 0.5
    low, high = min(values) - room, max(values) + room
    ticks = [value for value in round_numbers(low, high, wanted) if low <= value <= high]
    return Scale(low, high, start, end, ticks)


def bottom_axis(
    scale: Scale, top: float, bottom: float, form: Callable[[float], str], label: str = ""
) -> list[Part]:
    """A vertical grid with numbers below it, and what they are."""
    parts: list[Part] = []
    free = -math.inf
    for value in scale.ticks:
        x = scale(value)
        parts.append(Line([(x, top), (x, bottom)], "line"))
        text = form(value)
        half = width_of(text) / 2
        if x - half >= free:  # numbers that would run into each other are left out
            free = x + half + 6
            parts.append(Words(x, bottom + 16, text, "middle", "muted"))
    if label:
        left, right = min(scale.start, scale.end), max(scale.start, scale.end)
        words = fitted(label, right)
        # Under the middle of the axis, or as far to the left as it takes for all words to be there.
        middle = min((left + right) / 2, right - width_of(words) / 2)
        parts.append(Words(middle, bottom + 34, words, "middle", "muted"))
    return parts


def left_axis(
    scale: Scale, left: float, right: float, form: Callable[[float], str], label: str = ""
) -> list[Part]:
    """A horizontal grid with numbers beside it; what they are stands above it, where it can be read without turning."""
    parts: list[Part] = []
    for value in scale.ticks:
        y = scale(value)
        parts.append(Line([(left, y), (right, y)], "line"))
        parts.append(Words(left - 8, y + 4, form(value), "end", "muted"))
    if label:
        parts.append(Words(0, min(scale.start, scale.end) - 12, fitted(label, right), colour="muted"))
    return parts


Mark = Callable[[float, float], Part]
"""A sign of a legend around this place."""

LEGEND_LINE = 20.0


def legend(
    entries: Sequence[tuple[str, Mark]], left: float, top: float, width: float
) -> tuple[list[Part], float]:
    """Names with their marks, in as many lines as it takes; and how high all of it is."""
    parts: list[Part] = []
    x, y = 0.0, 0.0
    for name, mark in entries:
        words = fitted(name, width - 24)
        room = 20 + width_of(words) + 14
        if x > 0 and x + room - 14 > width:
            x, y = 0.0, y + LEGEND_LINE
        parts += [mark(left + x + 6, top + y + 6), Words(left + x + 20, top + y + 10, words)]
        x += room
    return parts, y + LEGEND_LINE


def mark(series: int, x: float, y: float, radius: float = 4.5) -> Part:
    """A mark of the n-th series: colour is never the only difference."""
    r, shape = radius, series % SERIES
    colour = f"series-{shape}"
    if shape == 0:
        return Dot(x, y, r, colour)
    rings: list[list[Point]] = [
        [(x - r, y - r), (x + r, y - r), (x + r, y + r), (x - r, y + r)],
        [(x, y - 1.2 * r), (x + 1.2 * r, y + r), (x - 1.2 * r, y + r)],
        [(x, y - 1.3 * r), (x + 1.3 * r, y), (x, y + 1.3 * r), (x - 1.3 * r, y)],
        [(x, y + 1.2 * r), (x + 1.2 * r, y - r), (x - 1.2 * r, y - r)],
        _cross(x, y, r),
    ]
    return Area([rings[shape - 1]], colour, "paper")


def _cross(x: float, y: float, r: float) -> list[Point]:
    """A plus with thick arms."""
    a = r / 3
    turns = [
        (-a, -r),
        (a, -r),
        (a, -a),
        (r, -a),
        (r, a),
        (a, a),
        (a, r),
        (-a, r),
        (-a, a),
        (-r, a),
        (-r, -a),
        (-a, -a),
    ]
    return [(x + across, y + down) for across, down in turns]


def shade(value: float, low: float = 0.0, high: float = 1.0) -> int:
    """The ramp's step for a value between low and high."""
    if not high > low:
        return RAMP // 2
    return min(RAMP - 1, max(0, math.floor((value - low) / (high - low) * RAMP)))
