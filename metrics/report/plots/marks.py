"""Figures of marked errors: how many of which kind each system has, and where in a document they stand."""

from __future__ import annotations

from typing import Any

from metrics.drawing.axes import Scale, bottom_axis, legend, round_scale, shade
from metrics.drawing.scene import BOLD, SIZE, Area, Group, Line, Part, Scene, Words, box, fitted, room_for
from metrics.report.figure_data import figure_rows
from metrics.report.numbers import amount, share, tick, whole

Row = dict[str, Any]
LINE, BAR = 20.0, 13.0
MOST_CATEGORIES = 6
OTHERS = "other categories"


def draw_errors(data: Row, spec: Row, width: float) -> Scene:
    """A bar for each severity of each system, made of its categories: errors for each unit that somebody judged."""
    rows = figure_rows(data, spec)
    categories, severities = spec["categories"], spec["severities"]
    systems = spec["systems"]
    colours = {name: f"ramp-{_step(place, len(categories))}" for place, name in enumerate(categories)}
    most = 0.34 * width
    left = max(room_for(systems, most, BOLD), room_for(severities, most)) + 10
    signs = [
        (name, lambda x, y, own=colours[name]: Area([box(x - 6, y - 6, 12, 12)], own, "muted"))
        for name in categories
    ]
    key, high = legend(signs, 0, 0, width)
    lines = len(systems) * (len(severities) + 1)
    top, bottom = high + 8, high + 8 + lines * LINE
    scene = Scene(width, bottom + 40, _summary(spec, rows), key)
    sums: dict[tuple[str, str], float] = {}
    for row in rows:
        sums[row["system"], row["severity"]] = sums.get((row["system"], row["severity"]), 0.0) + row["rate"]
    x = round_scale([0.0, *sums.values()], left, width - 14, 5 if width > 400 else 3)
    scene.add(*bottom_axis(x, top, bottom, tick, "errors for each unit judged"))
    y = top
    for system in systems:
        scene.add(
            Words(left - 10, y + LINE / 2 + SIZE / 3, fitted(system, left - 10, BOLD), "end", is_bold=True)
        )
        y += LINE
        for severity in severities:
            scene.add(Words(left - 10, y + LINE / 2 + SIZE / 3, fitted(severity, left - 10), "end", "muted"))
            own = [row for row in rows if (row["system"], row["severity"]) == (system, severity)]
            scene.add(*_bar(own, colours, x, y + (LINE - BAR) / 2))
            y += LINE
    return scene


def _step(place: int, number: int) -> int:
    """Steps of the ramp as far apart as there is room: they differ in lightness, so that they do without colour."""
    return 6 - round(6 * place / max(1, number - 1)) if number > 1 else 5


def _bar(rows: list[Row], colours: dict[str, str], x: Scale, y: float) -> list[Part]:
    parts: list[Part] = []
    begin = 0.0
    order = list(colours)
    for row in sorted(rows, key=lambda row: order.index(row["category"])):
        ring = box(x(begin), y, x(begin + row["rate"]) - x(begin), BAR)
        begin += row["rate"]
        hint = (
            f"{row['system']}, {row['severity']}, {row['category']}: {whole(row['errors'])} errors, "
            f"{amount(row['rate'], 2)} for each unit"
        )
        parts.append(Group([Area([ring], colours[row["category"]], "muted")], hint))
    return parts


def _summary(spec: Row, rows: list[Row]) -> str:
    return f"{spec['title']}: {whole(sum(row['errors'] for row in rows))} errors in {len(spec['systems'])} systems"


def draw_heat(data: Row, spec: Row, width: float) -> Scene:
    """A line for each system's text from its beginning to its end, the darker the more people marked it."""
    rows = figure_rows(data, spec)
    systems = list(dict.fromkeys(row["system"] for row in rows))
    left = room_for(systems, 0.34 * width) + 10
    right = width - 8
    signs = [
        (
            f"{share(level / 6)}",
            lambda x, y, own=f"ramp-{level}": Area([box(x - 6, y - 6, 12, 12)], own, "muted"),
        )
        for level in (0, 2, 4, 6)
    ]
    key, high = legend(signs, left, 0, right - left)
    top = high + 8
    scene = Scene(width, top + len(systems) * (LINE + 4) + 22, spec["title"], key)
    for place, system in enumerate(systems):
        own = [row for row in rows if row["system"] == system]
        y = top + place * (LINE + 4)
        most = max(own, key=lambda row: row["share"])
        marked = sum(row["share"] for row in own) / len(own)
        hint = (
            f"{system}: on average {share(marked)} of the people marked a place, "
            f"most, {share(most['share'])}, at {share(most['start'])} of the text"
        )
        cells: list[Part] = [Area([box(left, y, right - left, LINE)], "ramp-0", "line")]
        for row in own:
            if row["share"] > 0:
                begin, end = (left + row[name] * (right - left) for name in ("start", "end"))
                step = max(1, shade(row["share"]))
                cells.append(Area([box(begin, y, end - begin, LINE)], f"ramp-{step}", is_crisp=True))
        name = Words(left - 10, y + LINE / 2 + SIZE / 3, fitted(system, left - 10), "end")
        scene.add(name, Group(cells, hint))
    bottom = scene.height - 18
    scene.add(Line([(left, bottom), (right, bottom)], "line"))
    scene.add(
        Words(left, bottom + 14, "beginning", colour="muted"),
        Words(right, bottom + 14, "end", "end", "muted"),
    )
    return scene
